//! Arguments of `sinew compress`, `verify`, `decompress` and `bench`.

use super::values::parse_length;
use super::{BatchArgs, OutFormat, SourceArgs};
use clap::ValueEnum;
use sinew_author::compress::{CompressSettings, Profile};
use std::path::PathBuf;

/// Compress motions to .sinew within an error bound
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew compress 07_05.amc              Writes 07_05.sinew, max error 0.1 mm
  sinew compress mocap/ --out packed --resume
  sinew compress 'mocap/**/*.amc' --out all.sinew    All motions in one file
  sinew compress walk.bvh --max-error 1mm --profile fast --plot walk.svg
  sinew verify 07_05.sinew 07_05.amc    Measures the error from the files

Profiles:
  small      smallest size
  fast       random access at constant cost; 1.5 to 2 times the size
  keyframes  few keys on curves, for editing; larger and slower, and needs
             --max-error 0.2mm or more

The error is the largest distance of any point of the body from the source: of
points up to 3 cm around each joint and bone, at every time, also between
frames. It is a proven bound, not a sampled one (docs/error-bound.md), except
for the keyframes profile. The default suits games; 1mm suits distant crowds,
at little more than half the size. Below about 0.05mm some motions cannot be
packed: their keys are stored as they are (plain).

A file that fails does not stop the others; the exit code is then 2. A single
output of several inputs is written only if all of them succeed.")]
pub(crate) struct CompressArgs {
    /// Motion files, folders, patterns such as 'mocap/**/*.amc', built-in motions such as sample:walk, or - for standard
    /// input
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Maximum error anywhere on the body, e.g. 0.1mm, 0.01cm, 1e-4m or 100um
    #[arg(long, short = 'e', value_name = "LENGTH", default_value = "0.1mm", value_parser = parse_length)]
    pub(crate) max_error: f32,
    /// What to optimize for: small, fast or keyframes
    #[arg(
        long,
        short,
        value_name = "PROFILE",
        default_value = "small",
        hide_possible_values = true
    )]
    pub(crate) profile: ProfileArg,
    /// Output folder, X.sinew for all inputs in one file, or - for standard output [default: beside the input]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Plot error over time, bytes per joint and size against error as X.svg or X.png; for a single input
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Compress bodies smaller than 0.3 m or larger than 5 m, whose unit is probably wrong
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

impl CompressArgs {
    pub(crate) fn settings(&self) -> CompressSettings {
        CompressSettings {
            max_error: self.max_error,
            profile: self.profile.profile(),
        }
    }
}

/// Check the error bound of compressed motions; exit 1 if exceeded
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew verify 07_05.sinew 07_05.amc
  sinew verify walk.sinew walk.bvh --units m --plot walk-error.svg
  sinew verify all.sinew run.amc --animation run --json
  sinew verify packed/ mocap/           Compares files of the same name

Use the same --units, --asf, --skeleton and --up as for compressing. Motions
are matched by name, or directly if each file has only one.

Exit codes: 0 all errors are within their bound, 1 an error is too large,
2 error.")]
pub(crate) struct VerifyArgs {
    /// Compressed file, folder, pattern such as 'packed/*.sinew', or - for standard input
    pub(crate) packed: PathBuf,
    /// Source file, folder of source files, or built-in motion such as sample:walk
    #[arg(value_name = "SOURCE")]
    pub(crate) source_file: PathBuf,
    /// Name of the motion [default: all]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Plot error over time, bytes per joint and size against error as X.svg or X.png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Convert .sinew files to an editable format
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew decompress 07_05.sinew --out 07_05.bvh
  sinew decompress packed/ --to glb --out out

`sinew convert` also trims, mirrors and resamples. Each skeleton of a file
with several is written to its own file, such as walk-skeleton-0.glb, and so
is each motion in the BVH format. A file that fails does not stop the others;
the exit code is then 2.")]
pub(crate) struct DecompressArgs {
    /// Compressed files, folders, or patterns such as 'packed/*.sinew'
    #[arg(required = true, value_name = "PACKED")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Output format: bvh, glb, gltf or json [default: from the extension of --out]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) to: Option<OutFormat>,
    /// Output folder, file for a single input, or - for standard output [default: beside the input]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
}

/// Time compressing, sampling and blending a motion
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew bench 07_05.amc
  sinew bench walk.bvh --max-error 1mm --quick
  sinew bench sample:walk --json | jq .packings

Stages run in turns, in short slices, and the fastest slice of each counts, so
that other load on the machine affects all stages alike. Each time is also
given relative to copying a pose and to a loop of slerps: compare these ratios,
not nanoseconds, between machines.")]
pub(crate) struct BenchArgs {
    /// Motion file, - for standard input, or a built-in motion such as sample:walk
    pub(crate) file: PathBuf,
    /// Name of the animation [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Maximum error anywhere on the body, e.g. 0.1mm, 0.01cm, 1e-4m or 100um
    #[arg(long, short = 'e', value_name = "LENGTH", default_value = "0.1mm", value_parser = parse_length)]
    pub(crate) max_error: f32,
    /// Measure for less than a second; less precise
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// The profiles of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileArg {
    /// Smallest size
    Small,
    /// Random access at constant cost; 1.5 to 2 times the size
    Fast,
    /// Few keys on curves, for editing; larger, slower, and at least about 0.2 mm of error
    Keyframes,
}

impl ProfileArg {
    pub(crate) fn profile(self) -> Profile {
        match self {
            Self::Small => Profile::Small,
            Self::Fast => Profile::Fast,
            Self::Keyframes => Profile::Keyframes,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Fast => "fast",
            Self::Keyframes => "keyframes",
        }
    }
}
