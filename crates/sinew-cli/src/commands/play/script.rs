//! The script format.
//!
//! ```json
//! {
//!   "format": "sinew-play",
//!   "version": 1,
//!   "model": "hero.skf",
//!   "animations": ["run.amc", { "name": "hello", "file": "wave.bvh" }],
//!   "masks": { "upper": { "below": "Spine" }, "soft": { "weights": { "Spine": 0.5, "Head": 1 } } },
//!   "triggers": [{ "animation": "walk", "time": 0.2, "data": "left foot" }],
//!   "duration": 6,
//!   "timeline": [
//!     { "at": 0, "play_new": "walk", "looped": true },
//!     { "at": 1.2, "play_existing_exclusive": "run", "fade": 0.3, "looped": true },
//!     { "at": 2, "play_new": "hello", "layer": 1, "start_bone": "Spine", "fade": 0.2, "auto_fade_out": 0.3 },
//!     { "at": 4, "stop_all": true, "fade": 0.5 }
//!   ]
//! }
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `model` | a character or a motion file whose skeleton is used, or `sample`, `sample:walk`, …; its own animations are available by name |
//! | `animations` | files with more animations; each is named after its file unless a name is given, and replaces the model's animation of that name. `animation` selects one of several, `in_place` removes root motion |
//! | `masks` | a bone and its descendants, or a weight from 0 to 1 for each bone |
//! | `triggers` | events at a `time` in seconds, up to the animation's length, or at a `normalized` time from 0 to 1 |
//! | `duration` | seconds; by default until a second after the last command, and until all that ends has ended |
//! | `timeline` | commands, each `at` a time in seconds; see `event.rs` |
//!
//! Paths are relative to the script's folder. Unknown fields are errors, so that misspelt ones are found.

use super::node::{Node, ScriptError, ScriptValue};
use sinew::animation::Variant;
use std::path::{Path, PathBuf};

/// The format name of a script.
const FORMAT: &str = "sinew-play";

/// The supported version.
const VERSION: f64 = 1.0;

/// The longest duration in seconds: ten minutes.
pub(crate) const MAX_SECONDS: f64 = 600.0;

/// The largest number of files in a script.
const MAX_FILES: usize = 1_000;

/// A script without its timeline, which is read once the body is known.
pub(crate) struct Script<'a> {
    pub(crate) model: PathBuf,
    pub(crate) animations: Vec<AnimationEntry>,
    pub(crate) masks: Vec<MaskEntry<'a>>,
    pub(crate) triggers: Vec<TriggerEntry<'a>>,
    pub(crate) duration: Option<f64>,
    pub(crate) timeline: ScriptValue<'a>,
}

/// A file of animations.
pub(crate) struct AnimationEntry {
    pub(crate) place: String,
    pub(crate) file: PathBuf,
    pub(crate) name: Option<String>,
    /// The name of the animation in a file with several.
    pub(crate) animation: Option<String>,
    pub(crate) in_place: bool,
}

pub(crate) struct MaskEntry<'a> {
    pub(crate) name: &'a str,
    pub(crate) parts: MaskParts<'a>,
}

pub(crate) enum MaskParts<'a> {
    /// A bone and its descendants.
    Below(ScriptValue<'a>, &'a str),
    /// Bones and weights.
    Weights(Vec<(ScriptValue<'a>, &'a str, f32)>),
}

pub(crate) struct TriggerEntry<'a> {
    pub(crate) place: String,
    pub(crate) animation: ScriptValue<'a>,
    pub(crate) time: TriggerTime<'a>,
    pub(crate) data: Variant,
}

pub(crate) enum TriggerTime<'a> {
    /// Checked once the length of the animation is known.
    Seconds(ScriptValue<'a>),
    /// Fraction of the length.
    Normalized(f32),
}

impl<'a> Script<'a> {
    /// Reads everything but the timeline; `folder` is the script's folder.
    pub(crate) fn new(node: &'a Node, folder: &Path) -> Result<Self, ScriptError> {
        let whole = ScriptValue::root(node);
        let fields = whole.object(
            "a script: an object",
            &[
                "format",
                "version",
                "model",
                "animations",
                "masks",
                "triggers",
                "duration",
                "timeline",
            ],
        )?;
        let format = fields.require("format", "expected \"format\": \"sinew-play\"")?;
        if format.text("\"sinew-play\"")? != FORMAT {
            return Err(format.mismatch("\"sinew-play\""));
        }
        let version = fields.require("version", "expected \"version\": 1")?;
        if *version.node != Node::Number(VERSION) {
            return Err(version.mismatch("1, the version that this program reads"));
        }
        let model = fields.require("model", "expected a file or a sample")?;
        let model = resolve(folder, model.text("a file or a sample")?);
        let listed = |name: &str, what: &str| match fields.get(name) {
            Some(value) => value.list(what),
            None => Ok(Vec::new()),
        };
        let files = listed("animations", "a list of files")?;
        if files.len() > MAX_FILES {
            let problem = format!("expected at most {MAX_FILES} files, found {}", files.len());
            return Err(ScriptError::new("animations", problem));
        }
        let animations = files.iter().map(|value| animation(value, folder));
        let masks = fields
            .get("masks")
            .map(|value| value.object("an object with a mask for each name", &[]));
        let masks = masks.transpose()?;
        let masks = masks.iter().flat_map(|masks| masks.iter());
        let triggers = listed("triggers", "a list of triggers")?;
        let duration = fields.get("duration");
        let duration = duration.map(|value| value.number("seconds", 0.001, MAX_SECONDS));
        Ok(Self {
            model,
            animations: animations.collect::<Result<_, _>>()?,
            masks: masks
                .map(|(name, value)| mask(name, &value))
                .collect::<Result<_, _>>()?,
            triggers: triggers.iter().map(trigger).collect::<Result<_, _>>()?,
            duration: duration.transpose()?,
            timeline: fields.require("timeline", "expected a list of commands")?,
        })
    }
}

/// Resolves a path relative to a folder; sample names stay unchanged.
fn resolve(folder: &Path, path: &str) -> PathBuf {
    let from_here = folder.join(path);
    let is_sample = path == "sample" || path.starts_with("sample:");
    if is_sample && !from_here.exists() {
        PathBuf::from(path)
    } else {
        from_here
    }
}

fn animation(value: &ScriptValue<'_>, folder: &Path) -> Result<AnimationEntry, ScriptError> {
    if let Node::Text(_) = value.node {
        return Ok(AnimationEntry {
            place: value.place.clone(),
            file: resolve(folder, value.text("a file")?),
            name: None,
            animation: None,
            in_place: false,
        });
    }
    let what = "a file, or an object with \"file\" and \"name\"";
    let fields = value.object(what, &["file", "name", "animation", "in_place"])?;
    let text = |name: &str| {
        let value = fields.get(name);
        value
            .map(|value| value.text("a name").map(str::to_owned))
            .transpose()
    };
    let file = fields.require("file", "expected a file of animations")?;
    Ok(AnimationEntry {
        place: value.place.clone(),
        file: resolve(folder, file.text("a file")?),
        name: text("name")?,
        animation: text("animation")?,
        in_place: fields
            .get("in_place")
            .map_or(Ok(false), |value| value.flag())?,
    })
}

fn mask<'a>(name: &'a str, value: &ScriptValue<'a>) -> Result<MaskEntry<'a>, ScriptError> {
    let what = "{ \"below\": BONE } or { \"weights\": { BONE: WEIGHT, … } }";
    let fields = value.object(what, &["below", "weights"])?;
    let parts = match (fields.get("below"), fields.get("weights")) {
        (Some(below), None) => {
            let bone = below.text("the name of a bone")?;
            MaskParts::Below(below, bone)
        }
        (None, Some(weights)) => {
            let weights = weights.object("an object with a weight for each bone", &[])?;
            let weight = |(bone, value): (&'a str, ScriptValue<'a>)| {
                let weight = value.number("a weight", 0.0, 1.0)? as f32;
                Ok((value, bone, weight))
            };
            MaskParts::Weights(weights.iter().map(weight).collect::<Result<_, _>>()?)
        }
        _ => return Err(value.error(format!("expected one of {what}"))),
    };
    Ok(MaskEntry { name, parts })
}

fn trigger<'a>(value: &ScriptValue<'a>) -> Result<TriggerEntry<'a>, ScriptError> {
    let fields = value.object(
        "a trigger: an object",
        &["animation", "time", "normalized", "data"],
    )?;
    let time = match (fields.get("time"), fields.get("normalized")) {
        (Some(time), None) => TriggerTime::Seconds(time),
        (None, Some(time)) => TriggerTime::Normalized(time.number("a part", 0.0, 1.0)? as f32),
        _ => {
            return Err(value
                .error("expected one of \"time\", in seconds, and \"normalized\", from 0 to 1"));
        }
    };
    let data = match fields.get("data").map(|value| (value.node, value)) {
        None | Some((Node::Null, _)) => Variant::from(""),
        Some((Node::Bool(flag), _)) => Variant::from(*flag),
        Some((Node::Number(number), _)) => Variant::from(*number),
        Some((Node::Text(text), _)) => Variant::from(text.as_str()),
        Some((_, value)) => return Err(value.mismatch("a text, a number, true or false")),
    };
    Ok(TriggerEntry {
        place: value.place.clone(),
        animation: fields.require("animation", "expected the name of an animation")?,
        time,
        data,
    })
}
