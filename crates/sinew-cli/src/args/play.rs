//! Arguments of `sinew play`.

use super::values::{parse_background, parse_fps, parse_pose_count, parse_size};
use super::{CharacterArgs, MotionViewArgs, Size, SourceArgs};
use sinew_draw::Background;
use std::path::PathBuf;

/// Play a script of animations: fades, layers, masks and triggers
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  sinew play sample                     Plays a built-in script to pip.gif
  sinew play script.json                Writes script.gif with a weight chart
  sinew play script.json --out poses.png --contact-sheet 10
  sinew play script.json --out frames.json --fps 60
  sinew play script.json --weights weights.svg

A script; paths are relative to its folder:
  {
    \"format\": \"sinew-play\", \"version\": 1,
    \"model\": \"sample:walk\",
    \"animations\": [
      \"sample:idle\", \"sample:wave\",
      { \"name\": \"run\", \"file\": \"sample:run\", \"in_place\": true }
    ],
    \"masks\": {
      \"upper\": { \"below\": \"thorax\" },
      \"arms\": { \"weights\": { \"lhumerus\": 1, \"rhumerus\": 0.5 } }
    },
    \"triggers\": [{ \"animation\": \"run\", \"time\": 0.2, \"data\": \"step\" }],
    \"timeline\": [
      { \"at\": 0, \"play_new\": \"idle\", \"looped\": true },
      { \"at\": 1, \"play_existing_exclusive\": \"run\", \"fade\": 0.4 },
      { \"at\": 2, \"play_new\": \"wave\", \"layer\": 1, \"mask\": \"upper\" },
      { \"at\": 4, \"stop\": \"wave\", \"fade\": 0.3 }
    ],
    \"duration\": 5
  }

Commands and their fields:
  play_new, play_new_exclusive, play_existing, play_existing_exclusive: NAME
      fade, layer, looped, ping_pong, speed, weight, additive, start_bone,
      mask, time, time_range [min, max], auto_fade_out, keep_on_completion,
      keep_on_zero_weight, sync_group NAME, inertial
  fade: NAME                      weight, seconds
  stop: NAME                      fade
  stop_layer: N                   fade
  stop_layer_except: NAME         layer, fade
  stop_all: true                  fade
  update_animation_time: NAME     time
  update_animation_weight: NAME   weight, fade
  update_animation_speed: NAME    speed")]
pub(crate) struct PlayArgs {
    /// Script, - for standard input, or a built-in script: sample or sample:figure
    pub(crate) script: PathBuf,
    /// X.gif, X.png for poses in a row, X.json for all frames, or - for standard output [default: a GIF beside the
    /// script; none with --weights]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Write the weight chart as X.svg or X.png, or - for an SVG on standard output; up to 12 frames are drawn as boxes
    /// unless --out draws pictures
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Do not draw the weight chart below the pictures
    #[arg(long)]
    pub(crate) no_chart: bool,
    /// Number of poses in a PNG [default: 8]
    #[arg(long, value_name = "N", value_parser = parse_pose_count)]
    pub(crate) contact_sheet: Option<u32>,
    /// Frames per second [default: 30]
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) fps: Option<f64>,
    /// Longer side in pixels, or WIDTHxHEIGHT, without the chart [default: 512, 240 in a contact sheet]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) size: Option<Size>,
    /// transparent, checker, white, black or #rrggbb [default: white]
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
