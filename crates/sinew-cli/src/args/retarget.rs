//! Arguments of `sinew retarget`.

use super::values::{parse_fps, parse_units};
use super::{BatchArgs, OutFormat, SourceArgs, UpAxis};
use clap::ValueEnum;
use sinew_author::retarget::RestAlignment;
use sinew_formats::LengthUnits;
use std::path::PathBuf;

/// Retarget motions onto another skeleton or a 2D character
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew retarget sample:walk --onto sample --out pip-walk.skf
  sinew retarget sample:walk --onto sample --out pip-walk.gif
  sinew retarget walk.amc --onto hero.glb --out hero-walk.glb
  sinew retarget walk.amc --onto hero.glb --check
  sinew retarget mocap/ --onto hero.glb --out out --resume
  sinew retarget walk.amc --onto hero.glb --save-map hero-roles.json
  sinew retarget walk.amc --onto hero.glb --map hero-roles.json --out w.glb
  sinew retarget walk.amc --onto hero.glb --compare compare.png

Which joint plays which role (hips, left_upper_arm, ...) is detected from the
names, hierarchy and shape of both skeletons. --check prints the roles with
their confidences; --save-map writes those of the target, to edit and use with
--map.

Onto a glTF file the result keeps its meshes, materials and animations and gets
the motion added; onto a character (.skf) likewise.

Exit codes: 0 success; 1 a role is missing or the result exceeds a limit of
quality (planted feet slide more than 0.5 cm or float more than 1 cm, bone
directions differ by more than 5 degrees, jerk rises by more than 10 %); 2
error.")]
pub(crate) struct RetargetArgs {
    /// Motion files, folders, patterns such as 'mocap/**/*.amc', built-in motions such as sample:walk, or - for standard
    /// input
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Target: a file with a skeleton, a SkelForm character, `sample`, or a built-in motion
    #[arg(long, value_name = "FILE")]
    pub(crate) onto: PathBuf,
    /// Output folder or file; X.gif or X.png to draw the result of a single input [default: only report]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Output format: bvh, glb, gltf, json or sinew; characters are written as .skf [default: from the extension of
    /// --out, else that of the target]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) to: Option<OutFormat>,
    /// Name of the animation [default: all of each input]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Name of the new animation [default: that of the source, numbered if the target has one of that name]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Replace an animation of the target that has the same name
    #[arg(long)]
    pub(crate) replace: bool,
    /// Print roles with confidences and the quality of the result; write nothing
    #[arg(long, conflicts_with_all = ["out", "compare"])]
    pub(crate) check: bool,
    /// Draw source and target side by side with footprints, as X.png
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Use a dark background for --compare
    #[arg(long)]
    pub(crate) dark: bool,
    /// Write results that exceed a limit of quality, and overwrite inputs
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Roles of the target, from a file that --save-map wrote
    #[arg(long, value_name = "FILE", help_heading = "Roles")]
    pub(crate) map: Option<PathBuf>,
    /// Roles of the source
    #[arg(long, value_name = "FILE", help_heading = "Roles")]
    pub(crate) source_map: Option<PathBuf>,
    /// Write the roles of the target
    #[arg(long, value_name = "FILE", help_heading = "Roles")]
    pub(crate) save_map: Option<PathBuf>,
    /// Length unit of the target if it is ASF/AMC or BVH, as --units
    #[arg(long, value_name = "UNIT", value_parser = parse_units, help_heading = "Reading the target")]
    pub(crate) onto_units: Option<LengthUnits>,
    /// Up axis of the target
    #[arg(
        long,
        value_name = "AXIS",
        default_value = "y",
        help_heading = "Reading the target"
    )]
    pub(crate) onto_up: UpAxis,
    /// Poses that correspond: auto (limbs of the target are aligned with the source's rest pose), file (the rest poses as
    /// they are), tpose, or frame:N of the motion
    #[arg(long, value_name = "POSE", default_value = "auto", value_parser = parse_rest,
          help_heading = "Onto skeletons")]
    pub(crate) rest: RestAlignment,
    /// Inverse kinematics: feet keeps planted feet in place, hands follows the source's hands, or none
    #[arg(
        long,
        value_name = "PARTS",
        default_value = "feet",
        value_delimiter = ',',
        hide_possible_values = true,
        help_heading = "Onto skeletons"
    )]
    pub(crate) ik: Vec<IkPart>,
    /// Do not remove foot skate; the same as --ik none
    #[arg(long, help_heading = "Onto skeletons")]
    pub(crate) no_cleanup: bool,
    /// Scale of the travel: auto (the ratio of leg lengths) or a number
    #[arg(long, value_name = "N", default_value = "auto", value_parser = parse_scale, help_heading = "Onto skeletons")]
    pub(crate) scale: Scale,
    /// What travels: hips, or hips relative to a reference joint that stays
    #[arg(
        long,
        value_name = "JOINT",
        default_value = "hips",
        hide_possible_values = true,
        help_heading = "Onto skeletons"
    )]
    pub(crate) root: RootPart,
    /// View of the body: side, front, auto, or angle:DEGREES from side to front
    #[arg(long, value_name = "VIEW", default_value = "side", value_parser = parse_view,
          help_heading = "Onto characters")]
    pub(crate) view: BodyView,
    /// Turn the view with the body
    #[arg(long, help_heading = "Onto characters")]
    pub(crate) follow_turn: bool,
    /// Side that the character faces: left or right [default: detected]
    #[arg(
        long,
        value_name = "SIDE",
        hide_possible_values = true,
        help_heading = "Onto characters"
    )]
    pub(crate) facing: Option<FacingSide>,
    /// Shorten limbs that point towards the viewer
    #[arg(long, help_heading = "Onto characters")]
    pub(crate) foreshorten: bool,
    /// Remove horizontal travel
    #[arg(long, help_heading = "Onto characters")]
    pub(crate) in_place: bool,
    /// Swap the draw order of near and far limbs as they pass each other
    #[arg(long, help_heading = "Onto characters")]
    pub(crate) draw_order: bool,
    /// Frames per second of the new animation [default: those of the character's animations, else 30]
    #[arg(long, value_name = "N", value_parser = parse_fps, help_heading = "Onto characters")]
    pub(crate) fps: Option<f64>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// A part that inverse kinematics places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IkPart {
    Feet,
    Hands,
    None,
}

/// What travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RootPart {
    Hips,
    Reference,
}

/// The side that a character faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FacingSide {
    Left,
    Right,
}

/// The scale of the travel; `None` is automatic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale(pub(crate) Option<f32>);

/// The view of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyView(pub(crate) sinew_author::retarget::character::View);

fn parse_rest(text: &str) -> Result<RestAlignment, String> {
    match text {
        "auto" => Ok(RestAlignment::Auto),
        "file" => Ok(RestAlignment::File),
        "tpose" => Ok(RestAlignment::TPose),
        _ => {
            let frame = text.strip_prefix("frame:").and_then(|n| n.parse().ok());
            frame
                .map(RestAlignment::Frame)
                .ok_or_else(|| format!("expected auto, file, tpose or frame:N, found {text:?}"))
        }
    }
}

fn parse_scale(text: &str) -> Result<Scale, String> {
    match (text, text.parse::<f32>()) {
        ("auto", _) => Ok(Scale(None)),
        (_, Ok(scale)) if scale > 0.0 && scale <= 1000.0 => Ok(Scale(Some(scale))),
        _ => Err(format!(
            "expected auto, or a number above 0 and at most 1000, found {text:?}"
        )),
    }
}

fn parse_view(text: &str) -> Result<BodyView, String> {
    use sinew_author::retarget::character::View;
    let degrees = || {
        let degrees = text.strip_prefix("angle:")?.parse::<f32>().ok()?;
        degrees.is_finite().then_some(View::Angle(degrees))
    };
    let view = match text {
        "side" => Some(View::Side),
        "front" => Some(View::Front),
        "auto" => Some(View::Auto),
        _ => degrees(),
    };
    view.map(BodyView)
        .ok_or_else(|| format!("expected side, front, auto or angle:DEGREES, found {text:?}"))
}
