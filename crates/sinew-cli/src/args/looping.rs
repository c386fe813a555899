//! Arguments of `sinew loop`.

use super::values::{parse_length, parse_seconds, parse_trim};
use super::{SourceArgs, Trim};
use std::path::PathBuf;

/// Extract a seamless loop from a motion; exit 1 if there is none
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew loop sample:walk --out stride.glb
  sinew loop 07_05.amc --in-place --out walk.sinew   Without root motion
  sinew loop 07_05.amc --out walk.gif
  sinew loop 07_05.amc --json                        Only report the cycle
  sinew loop dance.bvh --trim 2..9 --shortest 1 --longest 8 --out dance.bvh

The seam is the difference between the last and the first frame, ignoring root
motion. The ground motion per cycle, a turn and a displacement, is stored with
the loop in .glb, .gltf, .json and .sinew; `sinew info` shows it.

Exit codes: 0 success, 1 the motion does not repeat or the seam exceeds
--max-gap, 2 error.")]
pub(crate) struct LoopArgs {
    /// Motion file, - for standard input, or a built-in motion such as sample:walk
    pub(crate) file: PathBuf,
    /// Name of the animation [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// X.bvh, .glb, .gltf, .json or .sinew; X.gif or X.png to draw it [default: only report the cycle]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Time range in seconds, e.g. 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// Shortest loop in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.4", value_parser = parse_seconds)]
    pub(crate) shortest: f32,
    /// Longest loop in seconds
    #[arg(long, value_name = "SECONDS", default_value = "4", value_parser = parse_seconds)]
    pub(crate) longest: f32,
    /// Largest joint distance of the seam, e.g. 20cm [default: 12 % of the skeleton's size]
    #[arg(long, value_name = "LENGTH", value_parser = parse_length)]
    pub(crate) max_gap: Option<f32>,
    /// Accept any seam
    #[arg(long)]
    pub(crate) force: bool,
    /// Remove root motion
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Do not remove foot skate
    #[arg(long)]
    pub(crate) no_cleanup: bool,
    /// Do not straighten a loop that turns slightly
    #[arg(long)]
    pub(crate) keep_turn: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}
