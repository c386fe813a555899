//! `sinew verify`: verifies the error bound of a packed motion against its source, at every time.

use super::compress::facts::{PackedStats, grouped, millimetres};
use super::compress::picture;
use super::convert::convert_file::with_motion_name;
use crate::Outcome;
use crate::args::VerifyArgs;
use crate::error::CliError;
use crate::input::{self, missing_name};
use crate::report::{self, bad, bold, dim, good, plain_text};
use crate::{output, walk};
use serde_json::{Value, json};
use sinew::packed::Packing;
use sinew::{Animation, JointIndex, PackedAnimation, Skeleton};
use sinew_author::compress::{Deviation, verify};
use sinew_formats::pack::{self, Pack};
use sinew_formats::{Format, MotionFile};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A packed motion and its source.
struct Pair<'a> {
    skeleton: &'a Skeleton,
    source_skeleton: &'a Skeleton,
    packed: &'a PackedAnimation<'static>,
    source: &'a Animation,
}

/// The result for a packed file.
struct VerifyResult {
    holds: bool,
    text: String,
    json: Value,
}

pub(crate) fn run(args: &VerifyArgs) -> Result<Outcome, CliError> {
    let is_pattern = walk::is_pattern(&args.packed.to_string_lossy()) && !args.packed.exists();
    if args.packed.is_dir() || is_pattern {
        return run_all(args, is_pattern);
    }
    if args.source_file.is_dir() {
        let problem =
            "is a folder; give a motion, or a folder of compressed files as the first argument";
        return Err(CliError::unusable(&args.source_file, problem));
    }
    if let Some(plot) = &args.plot {
        picture::check(plot)?;
        let key = output::key(plot);
        if [&args.packed, &args.source_file]
            .map(|path| output::key(path))
            .contains(&key)
        {
            let problem = "would overwrite an input; choose another --plot";
            return Err(CliError::unusable(plot, problem));
        }
    }
    let mut checked = check(&args.packed, &args.source_file, args)?;
    if args.json {
        checked.json["version"] = json!(report::JSON_VERSION);
        report::print_json(&checked.json)?;
    } else {
        report::print(&checked.text)?;
    }
    Ok(if checked.holds {
        Outcome::Fine
    } else {
        Outcome::CheckFailed
    })
}

/// Verifies every packed file of a folder or a pattern; an unreadable file does not stop the others.
fn run_all(args: &VerifyArgs, is_pattern: bool) -> Result<Outcome, CliError> {
    if let Some(plot) = &args.plot {
        let problem = "--plot takes a single compressed file";
        return Err(CliError::unusable(plot, problem));
    }
    let (found, below) = if is_pattern {
        let found = walk::matching(&args.packed);
        let found = found.map_err(|problem| CliError::unusable(&args.packed, problem))?;
        (found, walk::before_pattern(&args.packed))
    } else {
        let is_packed = |path: &Path| Format::from_name(path) == Some(Format::Sinew);
        let found = walk::below(&args.packed, None, &is_packed);
        (found, args.packed.clone())
    };
    if found.files.is_empty() && found.problems.is_empty() {
        return Err(CliError::unusable(&args.packed, "no .sinew file in it"));
    }
    let (mut holding, mut broken, mut failed) = (0, 0, 0);
    let mut files = Vec::new();
    let unread = found.problems.into_iter();
    let unread = unread.map(|(path, problem)| (Err(CliError::unusable(&path, problem)), path));
    let checks = found.files.into_iter().map(|packed| {
        let source = source_of(&packed, &below, &args.source_file);
        let checked = source.and_then(|source| check(&packed, &source, args));
        (checked, packed)
    });
    for (checked, packed) in checks.chain(unread) {
        let text = match checked {
            Ok(checked) => {
                holding += usize::from(checked.holds);
                broken += usize::from(!checked.holds);
                files.push(checked.json);
                checked.text
            }
            Err(error) => {
                failed += 1;
                let error = error.to_string();
                files.push(json!({ "packed": packed.display().to_string(), "error": error }));
                format!("{} {}\n", bad("failed"), plain_text(&error))
            }
        };
        if !args.json {
            report::print(&text)?;
        }
    }
    if args.json {
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "within_bound": broken + failed == 0,
            "files": files,
        }))?;
    } else {
        let mut sums = vec![format!("{holding} ok")];
        if broken > 0 {
            sums.push(bad(format!("{broken} exceeded")));
        }
        if failed > 0 {
            sums.push(bad(format!("{failed} failed")));
        }
        report::print(&format!("{}\n", bold(sums.join(", "))))?;
    }
    Ok(match (failed, broken) {
        (0, 0) => Outcome::Fine,
        (0, _) => Outcome::CheckFailed,
        _ => Outcome::PartlyFailed,
    })
}

/// Returns the source of a packed file in a folder: the motion of its name at the same path below `sources`, as written
/// by `sinew compress FOLDER --out FOLDER`. The source of `walk.amc.sinew` is `walk.amc`.
fn source_of(packed: &Path, below: &Path, sources: &Path) -> Result<PathBuf, CliError> {
    if !sources.is_dir() {
        return Ok(sources.to_owned());
    }
    let inside = packed.strip_prefix(below).unwrap_or(packed);
    let folder = sources.join(inside.parent().unwrap_or(Path::new("")));
    let stem = packed.file_stem().unwrap_or_default();
    let whole = folder.join(stem);
    if whole.is_file() {
        return Ok(whole);
    }
    let is_source = |path: &PathBuf| {
        let is_motion = match Format::from_name(path) {
            Some(Format::Asf | Format::Sinew) | None => false,
            Some(format) => format.is_motion(),
        };
        is_motion && path.file_stem() == Some(stem)
    };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(is_source)
        .collect();
    found.sort();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            let problem = format!("no motion of its name in {}", folder.display());
            Err(CliError::unusable(packed, problem))
        }
        [first, second, ..] => {
            let (first, second) = (first.display(), second.display());
            let problem =
                format!("its source may be {first} or {second}; verify it with one of them");
            Err(CliError::unusable(packed, problem))
        }
    }
}

/// Measures the error of the motions of a packed file against their source.
fn check(packed: &Path, source_file: &Path, args: &VerifyArgs) -> Result<VerifyResult, CliError> {
    let pack = input::pack_of_loaded(&input::load(packed)?)?;
    let sources = input::read_each_skeleton(source_file, &args.source)?;
    for source in &sources {
        report::warnings(source_file, &source.warnings);
    }
    let pairs = pairs(&pack, &sources, [packed, source_file], args)?;
    let mut found = Vec::new();
    for pair in &pairs {
        if let Some(difference) = difference(pair.skeleton, pair.source_skeleton) {
            let problem = format!(
                "its skeleton differs from that of {}: {difference}; use its source file, with the same --units, \
                 --asf, --skeleton and --up as for compressing",
                source_file.display()
            );
            return Err(CliError::unusable(packed, problem));
        }
        let deviation = verify(pair.packed, pair.skeleton, pair.source, |_, _| ())
            .map_err(|error| CliError::unusable(packed, error))?;
        found.push(deviation);
    }
    if let Some(plot) = &args.plot {
        draw(plot, &pairs)?;
    }
    let holds = |(pair, deviation): (&Pair<'_>, &Deviation)| {
        deviation.metres <= f64::from(pair.packed.max_error())
    };
    let all_hold = pairs.iter().zip(&found).all(holds);
    let others = pack.animations.len() - pairs.len();
    let motions = pairs
        .iter()
        .zip(&found)
        .map(|(pair, deviation)| to_json(pair, deviation, holds((pair, deviation))));
    let json = json!({
        "packed": packed.display().to_string(),
        "source": source_file.display().to_string(),
        "within_bound": all_hold,
        "motions": motions.collect::<Vec<_>>(),
        "not_in_source": others,
    });
    let mut text = format!(
        "{} against {}\n",
        bold(plain_text(&packed.display().to_string())),
        plain_text(&source_file.display().to_string()),
    );
    for (pair, deviation) in pairs.iter().zip(&found) {
        text += &row(pair, deviation, holds((pair, deviation)));
    }
    if others > 0 {
        let problem = format!("{others} more in the compressed file, not in this source");
        text += &format!("{}\n", dim(problem));
    }
    if let Some(plot) = &args.plot {
        text += &format!("→ {}\n", plain_text(&plot.display().to_string()));
    }
    Ok(VerifyResult {
        holds: all_hold,
        text,
        json,
    })
}

/// Pairs the motions of both files: by name, in order if a name repeats, or the only motion of each.
fn pairs<'a>(
    pack: &'a Pack,
    sources: &'a [MotionFile],
    [packed, source_file]: [&Path; 2],
    args: &VerifyArgs,
) -> Result<Vec<Pair<'a>>, CliError> {
    let asked = args.animation.as_deref();
    let entries = pack.animations.iter();
    let entries: Vec<_> = entries
        .filter(|entry| asked.is_none_or(|name| entry.animation.name() == name))
        .collect();
    let names = || pack.animations.iter().map(|entry| entry.animation.name());
    if let (Some(asked), true) = (asked, entries.is_empty()) {
        return Err(missing_name(packed, "animation", asked, names()));
    }
    let pair = |entry: &&'a pack::PackEntry, (source_skeleton, source)| {
        Some(Pair {
            skeleton: pack.skeletons.get(entry.skeleton)?,
            source_skeleton,
            packed: &entry.animation,
            source,
        })
    };
    let all = sources.iter().flat_map(|file| {
        let animations = file.animations.iter();
        animations.map(|animation| (&file.skeleton, animation))
    });
    let all: Vec<(&'a Skeleton, &'a Animation)> = all.collect();
    let pairs: Vec<Pair<'a>> = match (entries.as_slice(), all.as_slice()) {
        ([entry], [only]) => pair(entry, *only).into_iter().collect(),
        _ => {
            let mut seen: HashMap<&str, usize> = HashMap::new();
            let found = entries.iter().filter_map(|entry| {
                let name = entry.animation.name();
                let count = seen.entry(name).or_default();
                *count += 1;
                let mut same = all.iter().filter(|(_, animation)| animation.name == name);
                pair(entry, *same.nth(*count - 1)?)
            });
            found.collect()
        }
    };
    if pairs.is_empty() {
        let source_names = all.iter().map(|(_, source)| source.name.as_str());
        let problem = format!(
            "no motion is in both files: it has {}, {} has {}; select one with --animation",
            listed(names()),
            source_file.display(),
            listed(source_names),
        );
        return Err(CliError::unusable(packed, problem));
    }
    Ok(pairs)
}

/// Formats names: `"walk", "run"`, or `none`.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("{:?}", name.trim())).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

/// Tolerance of rest poses, in metres and quaternion components: the rounding of other formats.
const REST_TOLERANCE: f32 = 2e-6;

/// Returns the first difference of two skeletons.
fn difference(packed: &Skeleton, source: &Skeleton) -> Option<String> {
    let name = |skeleton: &Skeleton, joint: Option<JointIndex>| match joint {
        Some(joint) => {
            let name = skeleton.joint(joint).map(|joint| joint.name.as_str());
            format!("{:?}", name.unwrap_or_default())
        }
        None => "none".to_owned(),
    };
    for (index, (joint, other)) in packed.joints().iter().zip(source.joints()).enumerate() {
        if joint.name != other.name {
            return Some(format!(
                "joint {index} is {:?}, in the source {:?}",
                joint.name, other.name
            ));
        }
        let parents = (name(packed, joint.parent), name(source, other.parent));
        if parents.0 != parents.1 {
            let (a, b) = parents;
            return Some(format!(
                "the parent of {:?} is {a}, in the source {b}",
                joint.name
            ));
        }
        let distance = (joint.rest.position - other.rest.position).length();
        if distance > REST_TOLERANCE {
            let distance = millimetres(f64::from(distance));
            return Some(format!(
                "the rest position of {:?} differs by {distance}",
                joint.name
            ));
        }
        let turn = f32::abs(joint.rest.rotation.dot(other.rest.rotation));
        let scale = (joint.rest.scale - other.rest.scale).abs().max_element();
        let tip = match (joint.tip, other.tip) {
            (Some(tip), Some(other)) => (tip - other).length(),
            (None, None) => 0.0,
            _ => f32::INFINITY,
        };
        if 1.0 - turn > REST_TOLERANCE || scale > REST_TOLERANCE || tip > REST_TOLERANCE {
            return Some(format!(
                "the rest rotation, scale or tip of {:?} differs",
                joint.name
            ));
        }
    }
    (packed.len() != source.len()).then(|| {
        format!(
            "it has {} joints, the source {}",
            packed.len(),
            source.len()
        )
    })
}

fn row(pair: &Pair<'_>, deviation: &Deviation, holds: bool) -> String {
    let (packed, name) = (pair.packed, plain_text(pair.packed.name()));
    let joint = pair.skeleton.joint(deviation.joint);
    let joint = plain_text(joint.map_or("", |joint| joint.name.as_str()));
    let verdict = if holds {
        good("ok      ")
    } else {
        bad("exceeded")
    };
    let place = match deviation.metres {
        0.0 => String::new(),
        _ => format!(" at {joint}, {:.3} s", deviation.time),
    };
    let mut text = format!(
        "{verdict} {name}  {}{place}; {} allowed; {}\n",
        bold(millimetres(deviation.metres)),
        millimetres(f64::from(packed.max_error())),
        dim(format!(
            "{} from {} samples; {} in the file; {} bytes, packed {}",
            match packed.packing() {
                Packing::Keyframes => "measured",
                _ => "proven bound",
            },
            deviation.moments,
            millimetres(f64::from(packed.error())),
            grouped(sinew_author::packed::byte_len(packed) as u64),
            packed.packing(),
        )),
    );
    if packed.length() != pair.source.length {
        let lengths = format!(
            "         it is {} s long, but the source {} s: is this the right source?",
            packed.length(),
            pair.source.length
        );
        text += &format!("{}\n", bad(lengths));
    }
    text
}

fn to_json(pair: &Pair<'_>, deviation: &Deviation, holds: bool) -> Value {
    let joints = pair.skeleton.joints().iter().zip(&deviation.joints);
    let joints = joints.map(|(joint, error)| (joint.name.clone(), json!(error)));
    let worst = pair.skeleton.joint(deviation.joint);
    json!({
        "name": pair.packed.name(),
        "source_name": pair.source.name,
        "within_bound": holds,
        "max_error": pair.packed.max_error(),
        "bound": deviation.metres,
        "measured": deviation.found,
        "joint": worst.map(|joint| &joint.name),
        "time": deviation.time,
        "moments": deviation.moments,
        "joints": joints.collect::<serde_json::Map<_, _>>(),
        "seconds": pair.packed.length(),
        "source_seconds": pair.source.length,
        "packed": PackedStats::with_source(pair.packed, pair.skeleton, pair.source).to_json(),
    })
}

/// Draws a picture for each pair; the names include the motion if there are several.
fn draw(plot: &Path, pairs: &[Pair<'_>]) -> Result<(), CliError> {
    let names: Vec<&str> = pairs.iter().map(|pair| pair.packed.name()).collect();
    for (index, pair) in pairs.iter().enumerate() {
        let page = picture::page(pair.skeleton, pair.source, pair.packed)
            .map_err(|error| CliError::unusable(plot, error))?;
        let path = match pairs {
            [_] => plot.to_owned(),
            _ => with_motion_name(plot, index, &names),
        };
        picture::write(&page, &path)?;
    }
    Ok(())
}
