//! Compressing one file.

use super::facts::{Facts, millimetres};
use super::pack_of;
use crate::args::CompressArgs;
use crate::commands::convert::find::Job;
use crate::commands::convert::one::{modified, newest_source};
use crate::error::CliError;
use crate::{input, output};
use sinew::Packing;
use sinew::compress::keys::FitError;
use sinew::compress::{CompressError, CompressSettings, Profile};
use sinew_formats::pack::{self, Pack};
use sinew_formats::{Format, MotionFile, Warnings, detect_file};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What came of a file.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) output: PathBuf,
    pub(super) is_skipped: bool,
    pub(super) motions: Vec<Facts>,
    /// Bytes of the whole file, skeletons and notes included.
    pub(super) file_bytes: u64,
    /// Seconds that compressing took, with its checks.
    pub(super) time: f64,
    pub(super) warnings: Warnings,
}

/// A file that was read, and its motions packed.
pub(super) struct Packed {
    pub(super) file: MotionFile,
    pub(super) pack: Pack,
    pub(super) motions: Vec<Facts>,
    pub(super) time: f64,
}

/// Reads and compresses a file.
pub(super) fn pack_file(input: &Path, args: &CompressArgs) -> Result<Packed, CliError> {
    if let Ok(Some(Format::Sinew)) = detect_file(input) {
        let problem = "it is packed already, and errors would add up; compress its source, or \
                       `sinew decompress` it first";
        return Err(CliError::unusable(input, problem));
    }
    let file = input::read_any_motion(input, &args.source, args.lenient)?;
    if file.animations.is_empty() {
        let problem =
            "it has no motion to compress; expected an AMC, BVH, glTF or JSON file with one";
        return Err(CliError::unusable(input, problem));
    }
    let started = Instant::now();
    let pack = pack_of(&file.skeleton, &file.animations, &args.settings())
        .map_err(|error| CliError::unusable(input, advised(&error, &file, args)))?;
    let time = started.elapsed().as_secs_f64();
    let pairs = pack.animations.iter().zip(&file.animations);
    let motions = pairs
        .map(|(entry, source)| Facts::with_source(&entry.animation, &file.skeleton, source))
        .collect();
    Ok(Packed {
        file,
        pack,
        motions,
        time,
    })
}

/// What is wrong, and what to do about it.
fn advised(error: &CompressError, file: &MotionFile, args: &CompressArgs) -> String {
    let name = |joint: usize| {
        let joint = file.skeleton.joints().get(joint);
        joint.map_or(String::new(), |joint| format!("{:?}", joint.name))
    };
    match error {
        CompressError::Keys(FitError::TooFine {
            reached,
            joint,
            frame,
            ..
        }) => {
            let wanted = millimetres(f64::from(args.max_error));
            let least = least_error(file, *reached);
            let advice = match least {
                Some(least) => format!(
                    "say --max-error {}, the least that works, or",
                    millimetres(least).replace(' ', "")
                ),
                None => "allow more with --max-error, or".to_owned(),
            };
            format!(
                "keys on curves cannot keep {wanted}: with a key on every frame {} is {} off at frame {frame}; \
                 {advice} --profile small or fast, which keep any",
                name(joint.index()),
                millimetres(*reached),
            )
        }
        CompressError::Keys(FitError::ClipTooLong { .. }) => format!(
            "{error}; choose --profile small or fast, or cut it with `sinew convert --trim`"
        ),
        CompressError::NotFinite { joint } => {
            format!("it puts {} nowhere: a number is not finite", name(*joint))
        }
        CompressError::TooLarge { joint } => {
            format!("it has a number above 1e15 for {}", name(*joint))
        }
        _ => error.to_string(),
    }
}

/// Rounds that the least error is looked for in; each is a whole compression.
const ROUNDS: usize = 4;

/// The least error in metres, to two digits, that keys on curves can keep of all motions, found by trying; `reached` is
/// what they kept of one.
fn least_error(file: &MotionFile, reached: f64) -> Option<f64> {
    let mut reached = reached;
    for _ in 0..ROUNDS {
        let least = two_digits_up(reached)?;
        let settings = CompressSettings {
            // As it is read from the command line.
            max_error: least as f32,
            profile: Profile::Keys,
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

/// The next larger number of two digits: 0.000158 becomes 0.00016.
fn two_digits_up(metres: f64) -> Option<f64> {
    let digit = 10f64.powf((metres.log10() - 1.0).floor());
    let up = (metres / digit).ceil() * digit;
    (up.is_finite() && up > 0.0).then_some(up)
}

/// Compresses one file into one of its own. `look` is shown what was packed before it is written.
pub(super) fn compress_file(
    job: &Job,
    args: &CompressArgs,
    look: impl FnOnce(&Packed) -> Result<(), CliError>,
) -> Result<Done, CliError> {
    if args.resume && is_done(job, args) {
        return Ok(Done {
            output: job.output.clone(),
            is_skipped: true,
            ..Done::default()
        });
    }
    output::check(&job.output)?;
    let packed = pack_file(&job.input, args)?;
    let bytes =
        pack::write_bytes(&packed.pack).map_err(|error| CliError::unusable(&job.input, error))?;
    look(&packed)?;
    output::write(&job.output, &bytes)?;
    Ok(Done {
        output: job.output.clone(),
        is_skipped: false,
        motions: packed.motions,
        file_bytes: bytes.len() as u64,
        time: packed.time,
        warnings: packed.file.warnings,
    })
}

/// Whether the output is newer than what it is made from, reads well, and was made with the same settings.
fn is_done(job: &Job, args: &CompressArgs) -> bool {
    let times = modified(&job.output).zip(newest_source(&job.input, &args.source));
    if times.is_none_or(|(output, source)| output < source) {
        return false;
    }
    let Ok(pack) = pack::read_file(&job.output) else {
        return false;
    };
    let settings = args.settings();
    let packing = match settings.profile {
        Profile::Small => Packing::Small,
        Profile::Fast => Packing::Fast,
        Profile::Keys => Packing::Keys,
    };
    // What no profile makes smaller is kept as it is.
    pack.animations.iter().all(|entry| {
        let own = &entry.animation;
        own.max_error() == settings.max_error && [packing, Packing::Plain].contains(&own.packing())
    })
}
