//! Arguments of `sinew register`.

use super::values::parse_trim;
use super::{SourceArgs, Trim};
use clap::ValueEnum;
use std::path::PathBuf;

/// Find corresponding times of motions; exit 1 if nothing matches
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew register sample:walk sample:run --plot grid.png
  sinew register walk.bvh run.bvh --out curve.json   For `sinew blend --curve`
  sinew register walk.bvh run.bvh --out both.glb     Motions with sync markers
  sinew register walk.bvh jog.bvh run.bvh --mode full
  sinew register a.bvh b.bvh --from 0.5..2 --to 0..1.2
  sinew register a.bvh b.bvh --mode transition
  sinew register fox.glb fox.glb --animation Walk --animation Run

Modes:
  full        both motions in full, or within --from and --to
  local       the segments with the smallest distance
  cyclic      one cycle of two loops, whatever their phases
  transition  half a second around the most similar poses

The distance of two frames is the root mean square joint distance over 1/6 s,
after the best alignment by a ground translation and a turn about the vertical
axis. The default maximum is derived from the motions; typical values are
0.06 m for two walks and 0.16 m for a walk and a run. A match lasts at least
0.3 s, at 0.5 to 2 times the speed (--slope).

Exit codes: 0 match, 1 no match, 2 error.")]
pub(crate) struct RegisterArgs {
    /// Two or more motion files, or built-in motions such as sample:walk
    #[arg(required = true, value_name = "MOTION")]
    pub(crate) inputs: Vec<PathBuf>,
    /// X.json for the registration curve, X.glb or X.gltf for the motions with sync markers, X.sinew for both, or - for
    /// the curve on standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Plot distance grid, time warp, alignment and foot contacts as X.png or X.svg
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Use a dark background for --plot
    #[arg(long)]
    pub(crate) dark: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Options of registration.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MatchArgs {
    /// Name of the animation of each input, in order; repeat for each [default: the first]
    #[arg(long, short, value_name = "NAME", help_heading = "Registration")]
    pub(crate) animation: Vec<String>,
    /// full, local, cyclic or transition [default: cyclic for loops, full with --from or --to, else local]
    #[arg(
        long,
        value_name = "MODE",
        hide_possible_values = true,
        help_heading = "Registration"
    )]
    pub(crate) mode: Option<RegisterModeArg>,
    /// Maximum mean joint distance of matching frames in metres [default: derived from the motions]
    #[arg(long, value_name = "METRES", value_parser = parse_distance, help_heading = "Registration")]
    pub(crate) max_distance: Option<f64>,
    /// Time range of the first motion in seconds, e.g. 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim, help_heading = "Registration")]
    pub(crate) from: Option<Trim>,
    /// Time range of the second motion in seconds
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim, help_heading = "Registration")]
    pub(crate) to: Option<Trim>,
    /// Slope limit: frames that one motion may advance alone, 1 to 6; N allows speed ratios up to N + 1
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_slope, help_heading = "Registration")]
    pub(crate) slope: usize,
}

/// Which segments of motions are registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RegisterModeArg {
    /// All of both motions, or --from and --to
    Full,
    /// The segments with the smallest distance
    Local,
    /// One cycle of two loops, whatever their phases
    Cyclic,
    /// Half a second around the most similar poses
    Transition,
}

fn parse_distance(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('m').trim().parse::<f64>() {
        Ok(distance) if distance > 0.0 && distance <= 100.0 => Ok(distance),
        _ => Err(format!(
            "expected metres above 0, such as 0.3, found {text:?}"
        )),
    }
}

fn parse_slope(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(slope @ 1..=6) => Ok(slope),
        _ => Err(format!("expected a number from 1 to 6, found {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_above_zero() {
        for text in ["0.3", "0.3m", " 0.3 m "] {
            assert_eq!(parse_distance(text), Ok(0.3), "{text}");
        }
        for bad in ["0", "-1", "nan", "inf", "30cm", ""] {
            assert!(parse_distance(bad).is_err(), "{bad}");
        }
    }
}
