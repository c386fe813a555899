//! Compression of one file.

use super::facts::{PackedStats, millimetres};
use super::pack_of;
use crate::args::{BatchArgs, CompressArgs, OutFormat};
use crate::commands::convert::convert_file::{add_contents, motion_only_reason};
use crate::commands::convert::find::Job;
use crate::error::CliError;
use crate::input::{self, LoadedFile};
use crate::names::quote;
use crate::resume::{Recipe, Records};
use sinew::Skeleton;
use sinew::anatomy::find_legs;
use sinew::anatomy::rest_bounds;
use sinew_author::compress::{CompressError, CompressSettings, Profile};
use sinew_author::keyframes::FitError;
use sinew_formats::pack::{self, Pack};
use sinew_formats::{Format, MotionFile, Warnings};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The result of compressing a file.
#[derive(Debug, Default)]
pub(super) struct CompressedFile {
    pub(super) output: PathBuf,
    pub(super) is_skipped: bool,
    pub(super) motions: Vec<PackedStats>,
    /// Size of the whole file in bytes, including skeletons and metadata.
    pub(super) file_bytes: u64,
    /// Compression time in seconds, including verification.
    pub(super) time: f64,
    /// Warnings of the reader: repairs and ignored content.
    pub(super) warnings: Warnings,
    /// Content that a packed file cannot hold.
    pub(super) losses: Warnings,
}

/// A file and its packed motions.
pub(super) struct PackedFile {
    pub(super) file: MotionFile,
    pub(super) pack: Pack,
    pub(super) motions: Vec<PackedStats>,
    pub(super) time: f64,
    /// Content that a packed file cannot hold.
    pub(super) losses: Warnings,
}

/// Reads and compresses a file.
pub(super) fn pack_file(input: &Path, args: &CompressArgs) -> Result<PackedFile, CliError> {
    if input::is_sample_motion(input) {
        let file = input::read_any_motion(input, &args.source)?;
        return pack_motion(file, input, args);
    }
    pack_loaded(&input::load(input)?, args)
}

/// Compresses a loaded file.
fn pack_loaded(loaded: &LoadedFile, args: &CompressArgs) -> Result<PackedFile, CliError> {
    let input = &loaded.path;
    if loaded.format() == Some(Format::Sinew) {
        let problem = "already compressed, and errors would add up; compress its source, or \
                       `sinew decompress` it first";
        return Err(CliError::unusable(input, problem));
    }
    let file = input::motion_of(loaded, &args.source)?;
    check_size(loaded, &file, args)?;
    let mut packed = pack_motion(file, input, args)?;
    if let Some(source) = input::gltf_source(loaded, &args.source) {
        let why = motion_only_reason(OutFormat::Sinew);
        add_contents(&source, &why, &mut packed.losses);
    }
    Ok(packed)
}

fn pack_motion(
    file: MotionFile,
    input: &Path,
    args: &CompressArgs,
) -> Result<PackedFile, CliError> {
    if file.animations.is_empty() {
        let problem = "no animation found; expected an AMC, BVH, glTF or JSON file with one";
        return Err(CliError::unusable(input, problem));
    }
    let started = Instant::now();
    let pack = pack_of(&file.skeleton, &file.animations, &args.settings())
        .map_err(|error| CliError::unusable(input, with_advice(&error, &file, args)))?;
    let time = started.elapsed().as_secs_f64();
    let pairs = pack.animations.iter().zip(&file.animations);
    let motions = pairs
        .map(|(entry, source)| PackedStats::with_source(&entry.animation, &file.skeleton, source))
        .collect();
    let mut losses = Warnings::default();
    for animation in &file.animations {
        losses.extend(&sinew_formats::losses(
            Format::Sinew,
            &file.skeleton,
            animation,
        ));
    }
    Ok(PackedFile {
        file,
        pack,
        motions,
        time,
        losses,
    })
}

/// Plausible body sizes in metres, from a small to a large animal.
const BODIES: std::ops::RangeInclusive<f32> = 0.3..=5.0;

/// Rejects a body size that indicates a wrong unit, for which "0.1 mm" would be wrong, unless the unit is given or
/// `--force` is.
fn check_size(loaded: &LoadedFile, file: &MotionFile, args: &CompressArgs) -> Result<(), CliError> {
    let size = rest_bounds(&file.skeleton).map_or(0.0, |bounds| bounds.size().max_element());
    let is_body = find_legs(&file.skeleton).len() > 1;
    if args.force || args.source.units.is_some() || !is_body || BODIES.contains(&size) {
        return Ok(());
    }
    let hints = file
        .warnings
        .serious()
        .map(|warning| format!(" ({})", warning.problem));
    let has_units = matches!(
        loaded.format(),
        Some(Format::Bvh | Format::Amc | Format::Asf)
    );
    let advice = if has_units {
        "give its unit with --units, or use --force to compress it anyway"
    } else {
        "use --force to compress it anyway"
    };
    let problem = format!(
        "the body is {size:.3} m tall, so its length unit is probably wrong, and {} too; {advice}{}",
        millimetres(f64::from(args.max_error)),
        hints.collect::<String>(),
    );
    Err(CliError::unusable(&loaded.path, problem))
}

/// Describes the error with joint names.
pub(crate) fn describe(error: &CompressError, skeleton: &Skeleton) -> String {
    let name = |joint: usize| joint_name(skeleton, joint);
    match error {
        CompressError::Keys(FitError::TooFine {
            reached,
            joint,
            frame,
            ..
        }) => format!(
            "with a key on every frame the error of {} is {} at frame {frame}",
            name(joint.index()),
            millimetres(*reached),
        ),
        CompressError::NotFinite { joint } => {
            format!("a value of {} is not finite", name(*joint))
        }
        CompressError::TooLarge { joint } => {
            format!("a value of {} exceeds 1e15", name(*joint))
        }
        _ => error.to_string(),
    }
}

fn joint_name(skeleton: &Skeleton, joint: usize) -> String {
    let joint = skeleton.joints().get(joint);
    joint.map_or(String::new(), |joint| quote(&joint.name))
}

/// Describes the error and suggests a fix.
fn with_advice(error: &CompressError, file: &MotionFile, args: &CompressArgs) -> String {
    match error {
        CompressError::Keys(FitError::TooFine { reached, .. }) => {
            let wanted = millimetres(f64::from(args.max_error));
            let least = least_error(file, *reached);
            let advice = match least {
                Some(least) => format!(
                    "use --max-error {} (the smallest that works), or",
                    millimetres(least).replace(' ', "")
                ),
                None => "use a larger --max-error, or".to_owned(),
            };
            format!(
                "the keyframes profile cannot reach {wanted}: {}; {advice} --profile small or fast",
                describe(error, &file.skeleton),
            )
        }
        CompressError::Keys(FitError::ClipTooLong { .. }) => format!(
            "{error}; use --profile small or fast, or shorten it with `sinew convert --trim`"
        ),
        _ => describe(error, &file.skeleton),
    }
}

/// Rounds of the search for the least error; each is a full compression.
const ROUNDS: usize = 4;

/// Searches for the least error in metres, to two digits, that the keyframe codec can keep for all motions; `reached`
/// is the error it reached for one.
fn least_error(file: &MotionFile, reached: f64) -> Option<f64> {
    let mut reached = reached;
    for _ in 0..ROUNDS {
        let least = two_digits_up(reached)?;
        let settings = CompressSettings {
            // Rounded as when parsed from the command line.
            max_error: least as f32,
            profile: Profile::Keyframes,
        };
        match pack_of(&file.skeleton, &file.animations, &settings) {
            Ok(_) => return Some(least),
            Err(CompressError::Keys(FitError::TooFine { reached: next, .. })) => {
                reached = next.max(least * 1.01);
            }
            Err(_) => return None,
        }
    }
    None
}

/// Rounds up to two significant digits: 0.000158 becomes 0.00016.
fn two_digits_up(metres: f64) -> Option<f64> {
    let digit = 10f64.powf((metres.log10() - 1.0).floor());
    let up = (metres / digit).ceil() * digit;
    (up.is_finite() && up > 0.0).then_some(up)
}

/// Compresses one file into its own output. `inspect` receives the packed motions before they are written.
pub(super) fn compress_file(
    job: &Job,
    args: &CompressArgs,
    records: &Records,
    inspect: impl FnOnce(&PackedFile) -> Result<(), CliError>,
) -> Result<CompressedFile, CliError> {
    let is_sample = input::is_sample_motion(&job.input);
    let loaded = (!is_sample).then(|| input::load(&job.input)).transpose()?;
    let bytes = loaded.as_ref().map_or(&[][..], |loaded| &loaded.bytes);
    let recipe = Recipe::new(&options(args), &job.input, bytes, &args.source);
    if records.is_done(&job.output, &recipe) {
        return Ok(CompressedFile {
            output: job.output.clone(),
            is_skipped: true,
            ..CompressedFile::default()
        });
    }
    job.check(&job.output)?;
    let packed = match &loaded {
        Some(loaded) => pack_loaded(loaded, args)?,
        None => pack_file(&job.input, args)?,
    };
    let bytes =
        pack::write_bytes(&packed.pack).map_err(|error| CliError::unusable(&job.input, error))?;
    inspect(&packed)?;
    job.write(&job.output, &bytes)?;
    records.add(&job.output, &recipe, &bytes);
    Ok(CompressedFile {
        output: job.output.clone(),
        is_skipped: false,
        motions: packed.motions,
        file_bytes: bytes.len() as u64,
        time: packed.time,
        warnings: packed.file.warnings,
        losses: packed.losses,
    })
}

/// Returns all options that affect the output.
fn options(args: &CompressArgs) -> String {
    let options = CompressArgs {
        inputs: Vec::new(),
        out: None,
        plot: None,
        batch: BatchArgs::default(),
        json: false,
        ..args.clone()
    };
    format!("{options:?}")
}
