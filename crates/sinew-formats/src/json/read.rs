//! Reader of the whole file, and its animations.

use super::notes::{self, TriggerTime};
use super::spanned::Spanned;
use super::{JsonError, JsonFile, VERSION, skeleton, tracks};
use crate::json_text::RawJson;
use crate::limits::{MAX_ANIMATIONS, MAX_MOTION_VALUES, MAX_TRACKS, MAX_VARIANT_KEYS};
use crate::{Warnings, escape};
use serde::Deserialize;
use sinew::animation::{KeyTimes, LoopMotion, TransformTrack, VariantTrack};
use sinew::math::GroundTransform;
use sinew::{Animation, Skeleton};
use std::collections::HashSet;

/// The readers of what [notes](super::read_notes) do not have. They are called by address: a program that reads only
/// notes does not contain them.
#[derive(Clone, Copy)]
pub(super) struct MotionReaders {
    pub(super) skeleton: fn(&Spanned<'_>, &mut Warnings) -> Result<Skeleton, JsonError>,
    pub(super) channel: ReadChannel,
}

/// Reads the keys of a channel, given by name, into a track.
type ReadChannel = fn(
    &str,
    &Spanned<'_>,
    &mut TransformTrack,
    &mut KeyBudget,
    &mut Warnings,
) -> Result<(), JsonError>;

impl MotionReaders {
    /// The readers of a whole motion.
    pub(super) const ALL: Self = Self {
        skeleton: skeleton::read,
        channel: tracks::read_named_channel,
    };
}

/// What a file may hold: remaining limits, and the readers of its motion.
pub(super) struct KeyBudget {
    /// The readers of joints and their keys; these are errors without them.
    pub(super) motion: Option<MotionReaders>,

    /// Values of transform keys.
    pub(super) values: usize,
    /// Keys of variant tracks.
    pub(super) keys: usize,
    /// Tracks, triggers and metadata entries.
    pub(super) entries: usize,
}

#[derive(Deserialize)]
struct FileFields<'a> {
    #[serde(borrow)]
    format: Option<RawJson<'a>>,
    #[serde(borrow)]
    version: Option<RawJson<'a>>,
    #[serde(borrow)]
    units: Option<RawJson<'a>>,
    #[serde(borrow)]
    up: Option<RawJson<'a>>,
    #[serde(borrow)]
    joints: Option<RawJson<'a>>,
    #[serde(borrow)]
    animations: Option<RawJson<'a>>,
}

/// Reads a whole file; notes without `motion`.
pub(super) fn read(text: &str, motion: Option<MotionReaders>) -> Result<JsonFile, JsonError> {
    if !text.trim_start().starts_with('{') {
        let start: String = text.chars().take(16).collect();
        let found = match text.trim() {
            "" => "nothing".to_owned(),
            _ => escape::text(&start),
        };
        return Err(JsonError::NotThisFormat { found });
    }
    let spanned = Spanned::whole(text);
    let mut unknown = Warnings::default();
    let fields: FileFields<'_> = spanned.read(&mut unknown)?;
    match fields.format.map(|value| spanned.field("format", value)) {
        Some(format) if format.shown() == "\"sinew-motion\"" => {}
        Some(format) => {
            let found = format.shown();
            return Err(JsonError::NotThisFormat { found });
        }
        None => {
            let found = "JSON without it".to_owned();
            return Err(JsonError::NotThisFormat { found });
        }
    }
    let version = fields
        .version
        .map(|value| spanned.field("version", value).shown());
    if version.as_deref() != Some(&VERSION.to_string()) {
        let found = version.unwrap_or_else(|| "none".to_owned());
        return Err(JsonError::Version { found });
    }
    for (name, value, expected) in [
        ("units", fields.units, "\"metres\""),
        ("up", fields.up, "\"y\""),
    ] {
        if let Some(value) = value.map(|value| spanned.field(name, value))
            && value.shown() != expected
        {
            return Err(value.invalid(expected, value.shown()));
        }
    }

    let mut file = JsonFile {
        skeleton: None,
        animations: Vec::new(),
        warnings: unknown,
    };
    if let Some(joints) = fields.joints {
        let joints = spanned.field("joints", joints);
        let Some(motion) = motion else {
            return Err(joints.invalid("notes without a skeleton", "joints"));
        };
        file.skeleton = Some((motion.skeleton)(&joints, &mut file.warnings)?);
    }
    let mut budget = KeyBudget {
        motion,
        values: MAX_MOTION_VALUES,
        keys: MAX_VARIANT_KEYS,
        entries: MAX_TRACKS,
    };
    if let Some(animations) = fields.animations {
        let list = spanned.field("animations", animations);
        for entry in list.entries(MAX_ANIMATIONS)? {
            let animation = read_animation(&entry, &mut budget, &mut file.warnings)?;
            file.animations.push(animation);
        }
    }
    Ok(file)
}

#[derive(Deserialize)]
struct AnimationFields<'a> {
    name: Option<String>,
    length: Option<f32>,
    frame_rate: Option<f64>,
    looping: Option<LoopFields>,
    #[serde(borrow)]
    metadata: Option<RawJson<'a>>,
    #[serde(borrow)]
    tracks: Option<RawJson<'a>>,
    #[serde(borrow)]
    variants: Option<RawJson<'a>>,
    #[serde(borrow)]
    triggers: Option<RawJson<'a>>,
}

/// The ground motion of a loop; missing fields are 0 or false.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LoopFields {
    angle: f64,
    x: f64,
    z: f64,
    in_place: bool,
}

fn read_animation(
    spanned: &Spanned<'_>,
    budget: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<Animation, JsonError> {
    let fields: AnimationFields<'_> = spanned.read(warnings)?;
    if let Some(rate) = fields.frame_rate
        && !(rate > 0.0 && rate.is_finite())
    {
        return Err(spanned.invalid("a \"frame_rate\" above zero", rate));
    }
    let mut animation = Animation::new(fields.name.unwrap_or_default(), 0.0);
    animation.frame_rate = fields.frame_rate;
    animation.looping = fields.looping.map(|looping| LoopMotion {
        per_cycle: GroundTransform {
            angle: looping.angle,
            x: looping.x,
            z: looping.z,
        },
        in_place: looping.in_place,
    });
    if let Some(metadata) = fields.metadata {
        animation.metadata =
            notes::read_metadata(&spanned.field("metadata", metadata), budget, warnings)?;
    }
    if let Some(list) = fields.tracks {
        let mut names = UniqueNames::new("a joint that no other track moves");
        for entry in listed(&spanned.field("tracks", list), budget)? {
            let track = tracks::read_transform(&entry, budget, warnings)?;
            names.add(&entry, &track.name)?;
            animation.tracks.push(track);
        }
    }
    if let Some(list) = fields.variants {
        let mut names = UniqueNames::new("a name that no other variant track has");
        for entry in listed(&spanned.field("variants", list), budget)? {
            let track = tracks::read_variant(&entry, budget, warnings)?;
            names.add(&entry, &track.name)?;
            animation.variants.push(track);
        }
    }
    let mut moments = Vec::new();
    if let Some(list) = fields.triggers {
        for entry in listed(&spanned.field("triggers", list), budget)? {
            moments.push(notes::read_trigger(&entry, warnings)?);
        }
    }
    animation.length = match fields.length {
        Some(length) if length.is_finite() && length >= 0.0 => length,
        Some(length) => {
            let expected = "a \"length\" that is finite and not negative";
            return Err(spanned.invalid(expected, length));
        }
        None => last_moment(&animation, moments.iter().map(|(moment, _)| *moment)),
    };
    animation.triggers = notes::in_order(moments, animation.length);
    animation
        .check()
        .map_err(|error| spanned.unplayable(error))?;
    Ok(animation)
}

/// Returns the entries of a list within the limit.
fn listed<'a>(
    spanned: &Spanned<'a>,
    budget: &mut KeyBudget,
) -> Result<Vec<Spanned<'a>>, JsonError> {
    let entries = spanned.entries(budget.entries)?;
    budget.entries = budget.entries.saturating_sub(entries.len());
    Ok(entries)
}

/// Returns the time of the last key or trigger.
fn last_moment(animation: &Animation, moments: impl Iterator<Item = TriggerTime>) -> f32 {
    let last = |times: Option<&KeyTimes>| times.map_or(0.0, KeyTimes::last);
    let of_track = |track: &TransformTrack| {
        let position = last(track.position.as_ref().map(|channel| channel.times()));
        let rotation = last(track.rotation.as_ref().map(|channel| channel.times()));
        let scale = last(track.scale.as_ref().map(|channel| channel.times()));
        position.max(rotation).max(scale)
    };
    let tracks = animation.tracks.iter().map(of_track);
    let variants = animation.variants.iter();
    let variants = variants.map(|track: &VariantTrack| track.times().last());
    let triggers = moments.filter_map(|moment| match moment {
        TriggerTime::Seconds(time) => Some(time),
        TriggerTime::Fraction(_) => None,
    });
    tracks.chain(variants).chain(triggers).fold(0.0, f32::max)
}

/// Names that must be unique.
struct UniqueNames {
    expected: &'static str,
    names: HashSet<String>,
}

impl UniqueNames {
    fn new(expected: &'static str) -> Self {
        Self {
            expected,
            names: HashSet::new(),
        }
    }

    fn add(&mut self, spanned: &Spanned<'_>, name: &str) -> Result<(), JsonError> {
        if self.names.insert(name.to_owned()) {
            return Ok(());
        }
        Err(spanned.invalid(self.expected, escape::text(name)))
    }
}
