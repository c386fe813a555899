//! What can be said about packed motions.

use super::{OutFormat, SourceArgs, parse_jobs};
use clap::ValueEnum;
use sinew_author::compress::{CompressSettings, Profile};
use std::path::PathBuf;

/// Compress motions to `.sinew`, nowhere further off than you allow.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew compress 07_05.amc                                 07_05.sinew beside it, within 0.1 mm
  sinew compress mocap/ --out packed --resume              every motion below mocap, skipping what is done
  sinew compress 'mocap/**/*.amc' --out all.sinew          all in one file, each skeleton once
  sinew compress walk.bvh --max-error 1mm --profile fast --plot walk.svg
  sinew verify 07_05.sinew 07_05.amc                       proves it again, from the files

The error is how far any point of the body, up to 3 cm around each joint and as far as its tip, is from where
the source has it, at any time, between frames too; it is proven, not sampled (docs/error-bound.md). The default
of 0.1 mm suits games: a person who fills a screen of 1080 lines has pixels of 2 mm, so nothing is seen
even in a close-up of hands, and feet that stand do not swim. Crowds in the distance do with 1mm, at
little more than half of the bytes; 0.01mm keeps enough to edit.

One bad file does not stop the rest: the table names it, and the exit code is 2. Into one file goes all
or nothing.")]
pub(crate) struct CompressArgs {
    /// Files, folders (every .amc, .bvh, .gltf and .glb below them), patterns such as 'mocap/**/*.amc',
    /// built-in motions such as sample:walk, and - for standard input
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The largest error anywhere on the body, with its unit: 0.1mm, 0.01cm, 1e-4m or 100um
    #[arg(long, short = 'e', value_name = "LENGTH", default_value = "0.1mm", value_parser = parse_error)]
    pub(crate) max_error: f32,
    /// What is wanted more
    #[arg(long, short, value_name = "PROFILE", default_value = "small")]
    pub(crate) profile: PackProfile,
    /// A folder to write into, or a file that ends in .sinew; several inputs go into it together [default:
    /// beside the input]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Draw error over time, bytes per joint and size against error: X.svg or X.png, for a single input
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Compress bodies of less than 0.3 m or more than 5 m as well, whose unit is likely to be another than the one taken
    #[arg(long)]
    pub(crate) force: bool,
    /// Skip outputs that an earlier run made from the same files with the same options, as the file .sinew-made beside
    /// them records
    #[arg(long)]
    pub(crate) resume: bool,
    /// Files at a time [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

impl CompressArgs {
    pub(crate) fn settings(&self) -> CompressSettings {
        CompressSettings {
            max_error: self.max_error,
            profile: self.profile.profile(),
        }
    }
}

/// Measure how far a packed motion is from its source; exit 1 if too far.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew verify 07_05.sinew 07_05.amc
  sinew verify walk.sinew walk.bvh --units m --plot walk-error.svg
  sinew verify all.sinew run.amc --animation run --json
  sinew verify packed/ mocap/                each .sinew below packed against the motion of its name below mocap

Say the same about reading the source as when it was compressed: --units, --asf, --skeleton, --up.
Motions are matched by their names, or where both files have but one.

Exit codes: 0 all hold, 1 one is further off than it may be, 2 it could not be measured.")]
pub(crate) struct VerifyArgs {
    /// The packed file, a folder of them, a pattern such as 'packed/*.sinew', or - for standard input
    pub(crate) packed: PathBuf,
    /// What it was made from: a file, a built-in motion such as `sample:walk`, or a folder with a motion for each packed
    /// file
    pub(crate) source_file: PathBuf,
    /// Only this motion of the packed file
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Draw error over time, bytes per joint and size against error: X.svg or X.png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write packed motions in a format that can be edited.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew decompress 07_05.sinew --out 07_05.bvh             the ending says the format
  sinew decompress packed/ --to glb --out out              every .sinew below packed

`sinew convert` does the same, and cuts, mirrors and resamples as well. Of a file with several skeletons each
goes to a file of its own, walk-skeleton-0.glb and so on; a BVH holds one motion, so that each goes to its own.
One bad file does not stop the rest: the summary names it, and the exit code is 2.")]
pub(crate) struct DecompressArgs {
    /// Packed files, folders (every .sinew below them) and patterns such as 'packed/*.sinew'
    #[arg(required = true, value_name = "PACKED")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The format to write [default: as --out ends]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<OutFormat>,
    /// A folder to write into, or a file for a single input [default: beside the input]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Skip outputs that an earlier run made from the same files with the same options, as the file .sinew-made beside
    /// them records
    #[arg(long)]
    pub(crate) resume: bool,
    /// Files at a time [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Time compressing, sampling and blending your own motion on this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew bench 07_05.amc
  sinew bench walk.bvh --max-error 1mm --quick
  sinew bench sample:walk --json | jq .packings

Stages take turns in short slices and the best slice of each counts, so that a machine that is busy or
slows down does not favour one. A copy of the pose's bytes and a plain loop of slerps run among them:
compare ratios, not nanoseconds, with another machine's.")]
pub(crate) struct BenchArgs {
    /// A motion file, or a built-in motion such as `sample:walk`
    pub(crate) file: PathBuf,
    /// The animation of a file that has several [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// The largest error anywhere on the body, with its unit: 0.1mm, 0.01cm, 1e-4m or 100um
    #[arg(long, short = 'e', value_name = "LENGTH", default_value = "0.1mm", value_parser = parse_error)]
    pub(crate) max_error: f32,
    /// Take a moment instead of some seconds; figures are rougher
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is wanted more of a packed motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackProfile {
    /// Few bytes
    Small,
    /// Little work: any moment at the same cost; about half as many bytes again
    Fast,
    /// Keys on curves: few frames, to look at and to edit; larger and slower, and not below about
    /// 0.2mm
    #[value(alias = "keys")]
    Seed,
}

impl PackProfile {
    pub(crate) fn profile(self) -> Profile {
        match self {
            Self::Small => Profile::Small,
            Self::Fast => Profile::Fast,
            Self::Seed => Profile::Keys,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Fast => "fast",
            Self::Seed => "seed",
        }
    }
}

/// Units of an error, and metres of each; longer names first, as one may end with another.
const ERROR_UNITS: [(&str, f64); 5] = [
    ("mm", 1e-3),
    ("cm", 1e-2),
    ("um", 1e-6),
    ("µm", 1e-6),
    ("m", 1.0),
];

/// Larger errors are no motion any more.
const MOST_ERROR: f64 = 1000.0;

/// A length with its unit, in metres.
pub(super) fn parse_error(text: &str) -> Result<f32, String> {
    let bad = || {
        format!(
            "expected a length from 0 with its unit, such as 0.1mm, 0.01cm, 1e-4m or 100um, found {text:?}"
        )
    };
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if number(text).is_some() {
        return Err(format!(
            "expected a length with its unit, found {text:?}; for millimetres say {}mm",
            text.trim()
        ));
    }
    let unit = ERROR_UNITS
        .iter()
        .find_map(|(unit, metres)| Some((text.trim().strip_suffix(unit)?, metres)));
    let (digits, metres) = unit.ok_or_else(bad)?;
    match number(digits).map(|number| number * metres) {
        Some(error) if (0.0..=MOST_ERROR).contains(&error) => Ok(error as f32),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_without_a_unit_are_refused_with_advice() {
        for bare in ["0.1", "1e-4", " 5 ", "0"] {
            let problem = parse_error(bare).unwrap_err();
            let advice = format!("say {}mm", bare.trim());
            assert!(problem.contains(&advice), "{problem}");
        }
        for bad in [
            "", "mm", "-1mm", "nanm", "infm", "1inch", "1 mm x", "1e9m", "0.1kmm",
        ] {
            assert!(parse_error(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_length_in_any_unit_is_the_same() {
        for text in ["0.1mm", "0.01cm", "1e-4m", "100um", "100 µm"] {
            assert_eq!(parse_error(text), Ok(1e-4), "{text}");
        }
        assert_eq!(parse_error("0mm"), Ok(0.0));
    }
}
