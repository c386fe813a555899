//! What can be said about loops.

use super::{SourceArgs, Trim, parse_trim};
use std::path::PathBuf;

/// Make a seamless loop of a motion.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew loop sample:walk --out stride.glb              the best cycle, closed, with feet that stand
  sinew loop 07_05.amc --in-place --out walk.sinew     on the spot, for a game that moves the figure
  sinew loop 07_05.amc --out walk.gif                  to look at
  sinew loop 07_05.amc --json                          where it comes round, and nothing written
  sinew loop dance.bvh --trim 2..9 --shortest 1 --longest 8 --out dance.bvh

The seam is what is between the last frame and the first, once the figure is put back to where it began. A motion
that does not repeat, or whose seam is wider than --max-gap, is refused with exit code 1. The
ground motion per cycle, a turn and a displacement, is written with the loop to .glb, .gltf, .json and .sinew;
`sinew info` shows it.")]
pub(crate) struct LoopArgs {
    /// A motion file, or a built-in motion such as sample:walk
    pub(crate) file: PathBuf,
    /// The animation of a file that has several [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// X.bvh, .glb, .gltf, .json or .sinew; X.gif to look at; X.png for the whole loop in one picture [default: tell
    /// where it comes round, and write nothing]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Look for the loop in this part alone, in seconds: 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// The shortest loop, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.4", value_parser = parse_seconds)]
    pub(crate) shortest: f32,
    /// The longest loop, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "4", value_parser = parse_seconds)]
    pub(crate) longest: f32,
    /// The largest distance of a joint between the last frame and the first that is closed, with its unit, ignoring root
    /// motion [default: 12 % of the skeleton's size, 20 cm for a person]
    #[arg(long, value_name = "LENGTH", value_parser = super::pack::parse_error)]
    pub(crate) max_gap: Option<f32>,
    /// Close any gap
    #[arg(long)]
    pub(crate) force: bool,
    /// Stay on the spot
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Leave feet that slide as they are
    #[arg(long)]
    pub(crate) no_cleanup: bool,
    /// Keep the turn of a loop that leads almost straight ahead
    #[arg(long)]
    pub(crate) keep_turn: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_seconds(text: &str) -> Result<f32, String> {
    let number = text.trim().trim_end_matches('s').trim().parse::<f32>();
    match number {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err(format!(
            "expected seconds from 0.01 to 3600, found {text:?}"
        )),
    }
}
