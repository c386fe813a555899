//! Arguments of `sinew blend`.

use super::SourceArgs;
use super::register::MatchArgs;
use clap::ArgGroup;
use std::path::PathBuf;

/// Blend motions, or make a transition from one to another
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("mix").required(true)))]
#[command(override_usage = "sinew blend [OPTIONS] <--weight|--weights|--transition> <MOTION>...")]
#[command(after_help = "\
Examples:
  sinew blend sample:walk sample:run --weight 0.5 --out jog.glb
  sinew blend sample:walk sample:run --weights faster.json --out faster.bvh
  sinew blend sample:walk sample:run --transition 0.4s@1.2s --out go.gif
  sinew blend sample:walk sample:run --transition 0.4s --out go.bvh
  sinew blend a.bvh b.bvh c.bvh --weight 0.2,0.3,0.5 --out mix.glb
  sinew blend a.bvh b.bvh --curve curve.json --weight 0.3 --out mix.sinew
  sinew blend sample:walk sample:run --weight 0.5 --compare compare.png

A weight file lists times in seconds, each with the weight of the second
motion or the weights of all:
  [[0, 0], [1.5, 1]]    or    [[0, [1, 0, 0]], [1.5, [0, 0.5, 0.5]]]

Motions are registered first, as by `sinew register`, and foot skate is
removed. If nothing matches, a transition is inertialized. The result has the
skeleton of the first motion and, from glTF to glTF, its meshes and materials.

Exit codes: 0 success, 1 no match, 2 error.")]
pub(crate) struct BlendArgs {
    /// Two or more motion files, or built-in motions such as sample:walk
    #[arg(required = true, value_name = "MOTION")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Weight of the second motion, 0 to 1, or weights of all: 0.2,0.3,0.5
    #[arg(long, value_name = "W", group = "mix", value_parser = parse_weight, value_delimiter = ',',
          allow_negative_numbers = true)]
    pub(crate) weight: Vec<f64>,
    /// File of weights over time
    #[arg(long, value_name = "FILE", group = "mix")]
    pub(crate) weights: Option<PathBuf>,
    /// Make a transition of this duration, e.g. 0.4s, or 0.4s@1.2s with its start [default start: at the most similar
    /// poses]
    #[arg(long, value_name = "TIME", group = "mix", value_parser = parse_transition)]
    pub(crate) transition: Option<TransitionArg>,
    /// X.bvh, .glb, .gltf, .json or .sinew; X.gif or X.png to draw it
    #[arg(long, short, value_name = "FILE", required_unless_present = "compare")]
    pub(crate) out: Option<PathBuf>,
    /// Draw naive, registered and cleaned blends side by side, with footprints and foot skate, as X.png
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Use a dark background for --compare
    #[arg(long)]
    pub(crate) dark: bool,
    /// Use a curve written by `sinew register --out` instead of registering
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["no_register", "mode", "max_distance", "from", "to", "slope"]
    )]
    pub(crate) curve: Option<PathBuf>,
    /// Blend without registration: at constant speed from start to end; a transition is inertialized
    #[arg(long)]
    pub(crate) no_register: bool,
    /// Do not remove foot skate
    #[arg(long)]
    pub(crate) no_cleanup: bool,
    /// Make a plain crossfade from a frozen pose, for comparison
    #[arg(long, conflicts_with_all = ["weight", "weights", "curve", "no_register"])]
    pub(crate) baseline_crossfade: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// The duration and start of a transition, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TransitionArg {
    pub(crate) seconds: f64,
    /// `None`: where the motions are most similar.
    pub(crate) start: Option<f64>,
}

/// The longest transition, in seconds.
const MAX_SECONDS: f64 = 60.0;

fn parse_weight(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(weight) if (-0.2..=1.2).contains(&weight) => Ok(weight),
        _ => Err(format!(
            "expected a weight from -0.2 to 1.2, found {text:?}"
        )),
    }
}

fn parse_transition(text: &str) -> Result<TransitionArg, String> {
    let bad = || {
        format!(
            "expected a duration with an optional start, such as 0.4s or 0.4s@1.2s, found {text:?}"
        )
    };
    let seconds = |text: &str, max: f64| {
        let text = text.trim();
        match text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>() {
            Ok(seconds) if (0.0..=max).contains(&seconds) => Ok(seconds),
            _ => Err(bad()),
        }
    };
    match text.split_once('@') {
        Some((length, start)) => Ok(TransitionArg {
            seconds: seconds(length, MAX_SECONDS)?,
            start: Some(seconds(start, 1e6)?),
        }),
        None => Ok(TransitionArg {
            seconds: seconds(text, MAX_SECONDS)?,
            start: None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_durations_with_an_optional_start() {
        let both = TransitionArg {
            seconds: 0.4,
            start: Some(1.2),
        };
        for text in ["0.4s@1.2s", "0.4@1.2", " 0.4 s @ 1.2 s "] {
            assert_eq!(parse_transition(text), Ok(both), "{text}");
        }
        let alone = TransitionArg {
            seconds: 0.5,
            start: None,
        };
        assert_eq!(parse_transition("0.5s"), Ok(alone));
        for bad in [
            "", "@", "s", "1.2@", "-1", "0.4s@-1", "nan", "61", "0.4ms", "1@2@3",
        ] {
            assert!(parse_transition(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn weights_are_between_limits() {
        assert_eq!(parse_weight("-0.1"), Ok(-0.1));
        for bad in ["", "x", "1.3", "-0.5", "nan"] {
            assert!(parse_weight(bad).is_err(), "{bad}");
        }
    }
}
