//! Arguments of `sinew register`.

use super::{SourceArgs, Trim, parse_trim};
use clap::ValueEnum;
use std::path::PathBuf;

/// Find which moments of motions correspond; exit 1 if none do.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew register sample:walk sample:run --plot grid.png    what matches, and a picture of why
  sinew register walk.bvh run.bvh --out curve.json         the curve, for `sinew blend --curve` and for players
  sinew register walk.bvh run.bvh --out both.glb           both motions, with sync markers
  sinew register walk.bvh jog.bvh run.bvh --mode full      several at once, whole clips
  sinew register a.bvh b.bvh --from 0.5..2 --to 0..1.2     these parts correspond; find out how
  sinew register a.bvh b.bvh --mode transition             the best place for a transition
  sinew register fox.glb fox.glb --animation Walk --animation Run

Distances are of whole bodies: the root of the mean square distance of joints over a sixth of a second, once one
body is turned and moved over the ground to where it fits best. How near is near enough is derived from the
distances themselves: most moments of two walks have a partner within 0.06 m, of a walk and a run within 0.16 m.
A match is at least 0.3 s long, at 0.5 to 2 times the pace (--slope).

Loops, whose last pose is their first, are registered over one cycle, whatever their phases: --mode cyclic.

Exit codes: 0 there is a match, 1 there is none, 2 it could not be looked for.")]
pub(crate) struct RegisterArgs {
    /// Two motion files or more, or built-in motions such as sample:walk
    #[arg(required = true, value_name = "MOTION")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    /// Draw the distances, the path through them, the warp, the alignment and the plants: X.png or X.svg
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Draw on a dark page
    #[arg(long)]
    pub(crate) dark: bool,
    /// X.json for the curve, or - for the curve on standard output; X.glb or X.gltf for the motions with sync markers
    /// in their extras, X.sinew for the motions and the curve
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// How motions are matched.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MatchArgs {
    /// Which parts correspond [default: cyclic for loops, full with --from and --to, otherwise local]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<RegisterAs>,
    /// Maximum mean joint distance of moments that match, in metres [default: derived from the motions]
    #[arg(long, value_name = "METRES", value_parser = parse_distance)]
    pub(crate) max_distance: Option<f64>,
    /// The part of the first motion that is registered, in seconds: 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) from: Option<Trim>,
    /// The part of the second motion that is registered
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) to: Option<Trim>,
    /// The slope limit: how many frames of one motion may pass in a row while the other stands still, 1 to 6. With 1
    /// the pace of one is 0.5 to 2 times that of the other
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_slope)]
    pub(crate) slope: usize,
    /// The animation of each input that has several, once for each, in order [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Vec<String>,
}

/// Which parts of motions correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RegisterAs {
    /// All of them, or all of --from and --to
    Full,
    /// The stretches that are nearest to each other, wherever they are
    Local,
    /// One cycle of each of two loops, whatever their phases
    Cyclic,
    /// Half a second about the moments that are nearest
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
