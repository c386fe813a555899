//! What can be said about mixing motions.

use super::SourceArgs;
use super::register::MatchArgs;
use clap::ArgGroup;
use std::path::PathBuf;

/// Mix motions, or go over from one to the other, with feet that stand.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("mix").required(true)))]
#[command(after_help = "\
Examples:
  sinew blend sample:walk sample:run --weight 0.5 --out jog.glb      half walk, half run
  sinew blend sample:walk sample:run --weights faster.json --out faster.bvh
  sinew blend sample:walk sample:run --transition 0.4s@1.2s --out go.gif
  sinew blend sample:walk sample:run --transition 0.4s --out go.bvh  wherever they are nearest
  sinew blend a.bvh b.bvh c.bvh --weight 0.2,0.3,0.5 --out mix.glb
  sinew blend a.bvh b.bvh --curve curve.json --weight 0.3 --out mix.sinew
  sinew blend sample:walk sample:run --weight 0.5 --compare compare.png

A file of weights is a list of moments in seconds, each with the weight of the second motion or with the
weights of all: [[0, 0], [1.5, 1]] or [[0, [1, 0, 0]], [1.5, [0, 0.5, 0.5]]].

Motions are registered first, as `sinew register` does, and feet that stand are kept where they stand.
Where nothing matches a transition is inertialized: the body goes on as it moved and flows into the other
motion.

A blend has the skeleton of the first motion and, from glTF to glTF, its meshes, skins and materials.

Exit codes: 0 fine, 1 nothing matches, 2 it could not be done.")]
pub(crate) struct BlendArgs {
    /// Two motion files or more, or built-in motions such as sample:walk
    #[arg(required = true, value_name = "MOTION")]
    pub(crate) inputs: Vec<PathBuf>,
    /// How much the second motion counts, 0 to 1; or how much each does: 0.2,0.3,0.5
    #[arg(long, value_name = "W", group = "mix", value_parser = parse_weight, value_delimiter = ',',
          allow_negative_numbers = true)]
    pub(crate) weight: Vec<f64>,
    /// Weights that change over time
    #[arg(long, value_name = "FILE", group = "mix")]
    pub(crate) weights: Option<PathBuf>,
    /// Go over from the first motion to the second: how long that takes, and when it begins [default: where they
    /// are nearest]
    #[arg(long, value_name = "LENGTH[@START]", group = "mix", value_parser = parse_transition)]
    pub(crate) transition: Option<TransitionAt>,
    /// What `sinew register --out` wrote for these motions, instead of registering again
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["no_register", "mode", "max_distance", "from", "to", "slope"]
    )]
    pub(crate) curve: Option<PathBuf>,
    /// X.bvh, .glb, .gltf, .json or .sinew; X.gif to look at; X.png for the whole motion in one picture
    #[arg(long, short, value_name = "FILE", required_unless_present = "compare")]
    pub(crate) out: Option<PathBuf>,
    /// Mix motions evenly from beginning to end, whatever they do; a transition is inertialized
    #[arg(long)]
    pub(crate) no_register: bool,
    /// Leave feet that slide as they are
    #[arg(long)]
    pub(crate) no_cleanup: bool,
    /// The plain way for a transition, to compare with: a frozen pose fades into the second motion
    #[arg(long, conflicts_with_all = ["weight", "weights", "curve", "no_register"])]
    pub(crate) baseline_crossfade: bool,
    /// Draw naive, registered and cleaned side by side, with footprints and how far feet slide: X.png
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Draw the comparison on a dark page
    #[arg(long)]
    pub(crate) dark: bool,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// How long a transition takes and when it begins, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TransitionAt {
    pub(crate) seconds: f64,
    pub(crate) at: Option<f64>,
}

/// The longest transition, in seconds.
const LONGEST: f64 = 60.0;

fn parse_weight(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(weight) if (-0.2..=1.2).contains(&weight) => Ok(weight),
        _ => Err(format!(
            "expected a weight from 0 to 1, or a little beyond, found {text:?}"
        )),
    }
}

fn parse_transition(text: &str) -> Result<TransitionAt, String> {
    let bad = || {
        format!("expected seconds and where they begin, such as 0.4s@1.2s or 0.4s, found {text:?}")
    };
    let seconds = |text: &str, most: f64| {
        let text = text.trim();
        match text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>() {
            Ok(seconds) if (0.0..=most).contains(&seconds) => Ok(seconds),
            _ => Err(bad()),
        }
    };
    match text.split_once('@') {
        Some((length, at)) => Ok(TransitionAt {
            seconds: seconds(length, LONGEST)?,
            at: Some(seconds(at, 1e6)?),
        }),
        None => Ok(TransitionAt {
            seconds: seconds(text, LONGEST)?,
            at: None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_lengths_with_or_without_a_beginning() {
        let both = TransitionAt {
            seconds: 0.4,
            at: Some(1.2),
        };
        for text in ["0.4s@1.2s", "0.4@1.2", " 0.4 s @ 1.2 s "] {
            assert_eq!(parse_transition(text), Ok(both), "{text}");
        }
        let alone = TransitionAt {
            seconds: 0.5,
            at: None,
        };
        assert_eq!(parse_transition("0.5s"), Ok(alone));
        for bad in [
            "", "@", "s", "1.2@", "-1", "0.4s@-1", "nan", "61", "0.4ms", "1@2@3",
        ] {
            assert!(parse_transition(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn weights_are_from_nothing_to_all_or_a_little_beyond() {
        assert_eq!(parse_weight("-0.1"), Ok(-0.1));
        for bad in ["", "x", "1.3", "-0.5", "nan"] {
            assert!(parse_weight(bad).is_err(), "{bad}");
        }
    }
}
