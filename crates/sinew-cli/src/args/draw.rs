//! Arguments of `sinew render`, `plot` and `demo`.

use super::values::{
    parse_background, parse_fps, parse_frame, parse_pose_count, parse_size, parse_trim,
};
use super::{CharacterArgs, MotionViewArgs, Size, SourceArgs, Trim};
use clap::ValueEnum;
use sinew_draw::Background;
use std::path::PathBuf;

/// Draw an animation as a GIF, a PNG or a folder of PNGs
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  sinew render hero.skf                 The first animation as a GIF
  sinew render hero.skf --animation walk --out walk.gif --fps 25 --size 400
  sinew render hero.skf --animation walk --frame 12 --out pose.png
  sinew render hero.skf --animation walk --contact-sheet 12 --out walk.png
  sinew render hero.skf --animation walk --out frames/
  sinew render hero.skf --style Winter --overlay --background checker
  sinew render 07_05.amc --view side --camera follow
  sinew render 07_05.amc --strobe 12 --footprints --trails=lhand,rhand

Exit codes: 0 success, 1 the character is not visible in any frame (files are
written anyway), 2 error.")]
pub(crate) struct RenderArgs {
    /// File of any format, - for standard input, `sample` for the built-in character, or a built-in motion such as
    /// sample:walk
    pub(crate) file: PathBuf,
    /// Name of the animation [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// X.gif, X.png, folder/ for one PNG per frame, or - for standard output [default: beside the file]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Draw one frame, e.g. 12 or 12.5
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "contact_sheet",
        allow_negative_numbers = true,
        value_parser = parse_frame
    )]
    pub(crate) frame: Option<f32>,
    /// Draw N poses in a grid; 12 if N is omitted
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "12",
          value_parser = parse_pose_count)]
    pub(crate) contact_sheet: Option<u32>,
    /// Draw N poses of a motion in one picture; 9 if N is omitted
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "9",
          value_parser = parse_pose_count, conflicts_with_all = ["contact_sheet", "frame"])]
    pub(crate) strobe: Option<u32>,
    /// Time range of a motion in seconds, e.g. 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// Frames per second [default: 30 for GIF, else the rate of the animation]
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) fps: Option<f64>,
    /// Longer side in pixels, or WIDTHxHEIGHT [default: 512, 240 in a contact sheet]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) size: Option<Size>,
    /// transparent, checker, white, black or #rrggbb [default: transparent for PNGs of characters, else white]
    #[arg(long, value_name = "COLOUR", value_parser = parse_background)]
    pub(crate) background: Option<Background>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) character: CharacterArgs,
    #[command(flatten)]
    pub(crate) view: MotionViewArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Plot joints of a motion over time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew plot 07_05.amc --joint lfoot    x, y and z of a foot as an SVG
  sinew plot 07_05.amc --joint lfemur,ltibia --channel rotation --out knee.png
  sinew plot walk.bvh --joint Hips --channel speed --contacts
  sinew plot sample:walk --joint ltoes,rtoes --channel y

Channels:
  position  x, y and z in the world, in metres
  x, y, z   one of them; y is up
  speed     in metres per second
  rotation  relative to the parent, about x, y and z (z applied last), degrees
  angle     from the rest pose, in degrees")]
pub(crate) struct PlotArgs {
    /// Motion file, - for standard input, or a built-in motion such as sample:walk
    pub(crate) file: PathBuf,
    /// Joints, separated by commas [default: the root]
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) joint: Vec<String>,
    /// Channels, separated by commas [default: position]
    #[arg(
        long,
        short,
        value_name = "CHANNELS",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub(crate) channel: Vec<PlotChannel>,
    /// Name of the animation [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Time range in seconds, e.g. 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// Shade foot contacts
    #[arg(long)]
    pub(crate) contacts: bool,
    /// X.svg, X.png, or - for an SVG on standard output [default: an SVG beside the file]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// WIDTHxHEIGHT in pixels [default: 900x420]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) size: Option<Size>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// A quantity of a joint that is plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotChannel {
    /// Model-space x, y and z, in metres
    Position,
    X,
    Y,
    Z,
    /// In metres per second
    Speed,
    /// Local Euler angles about x, y and z (z is applied last), in degrees
    Rotation,
    /// Angle from the rest rotation, in degrees
    Angle,
}

/// Draw the built-in character and motions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew demo
  sinew demo --out pictures/demo")]
pub(crate) struct DemoArgs {
    /// Output folder
    #[arg(long, short, value_name = "FOLDER", default_value = "sinew-demo")]
    pub(crate) out: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
