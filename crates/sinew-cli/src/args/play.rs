//! What can be said to `sinew play`.

use super::{
    CameraMove, OverlayPart, Size, SourceArgs, ViewFrom, parse_background, parse_fps,
    parse_moments, parse_size,
};
use sinew_draw::Background;
use std::path::PathBuf;

/// Play animations by a script: fades, layers, masks, triggers.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  sinew play sample                                  a built-in script, to pip.gif
  sinew play script.json                             script.gif, with the weights under the picture
  sinew play script.json --out moments.png --contact-sheet 10
  sinew play script.json --out frames.json --fps 60  what plays, triggers and pose of every frame
  sinew play script.json --weights weights.svg       the chart of weights alone

A script, with files named from its folder:
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
    \"triggers\": [{ \"animation\": \"run\", \"time\": 0.2, \"data\": \"left foot\" }],
    \"timeline\": [
      { \"at\": 0, \"play_new\": \"idle\", \"looped\": true },
      { \"at\": 1, \"play_existing_exclusive\": \"run\", \"fade\": 0.4, \"looped\": true },
      { \"at\": 2, \"play_new\": \"wave\", \"layer\": 1, \"mask\": \"upper\", \"fade\": 0.2 },
      { \"at\": 4, \"stop\": \"wave\", \"fade\": 0.3 }
    ]
  }

Commands, and what goes with each:
  play_new, play_new_exclusive, play_existing, play_existing_exclusive: NAME
      fade, layer, looped, ping_pong, speed, weight, additive, start_bone, mask, time,
      time_range [min, max], auto_fade_out, keep_on_completion, keep_on_zero_weight,
      sync_group NAME, inertial
  fade: NAME                      weight, seconds
  stop: NAME                      fade
  stop_layer: N                   fade
  stop_layer_except: NAME         layer, fade
  stop_all: true                  fade
  update_animation_time: NAME     time
  update_animation_weight: NAME   weight, fade
  update_animation_speed: NAME    speed

\"duration\" says how many seconds are played.")]
pub(crate) struct PlayArgs {
    /// The script, or - for standard input; `sample` and `sample:figure` are built in
    pub(crate) script: PathBuf,
    /// X.gif, X.png for moments in a row, X.json for every frame, or - for standard output: a GIF, or a PNG with
    /// --contact-sheet [default: a GIF beside the script, nothing with --weights]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the weights over time alone, as X.svg or X.png, or - for SVG on standard output; without pictures beside it and with 12 frames or
    /// fewer as boxes, frame by frame
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Leave the chart of weights out of the picture
    #[arg(long)]
    pub(crate) no_chart: bool,
    /// Frames per second [default: 30]
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) fps: Option<f64>,
    /// Size of a picture without its chart in pixels: its longer side, or WIDTHxHEIGHT [default: 512,
    /// in a row of moments 240]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) size: Option<Size>,
    /// How many moments a PNG shows [default: 8]
    #[arg(long, value_name = "N", value_parser = parse_moments)]
    pub(crate) contact_sheet: Option<u32>,
    /// transparent, checker, white, black or #rrggbb [default: white]
    #[arg(long, value_name = "COLOUR", value_parser = parse_background)]
    pub(crate) background: Option<Background>,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
    /// Wear this style; repeat for several
    #[arg(long, value_name = "NAME", help_heading = "Characters")]
    pub(crate) style: Vec<String>,
    /// Draw the skeleton over the picture: bones, targets, names
    #[arg(long, value_name = "PARTS", num_args = 0..=1, default_missing_value = "bones,targets",
          value_delimiter = ',', require_equals = true, help_heading = "Characters")]
    pub(crate) overlay: Vec<OverlayPart>,
    /// Leave springy parts where the skeleton puts them
    #[arg(long, help_heading = "Characters")]
    pub(crate) no_physics: bool,
    /// Where to look from [default: three-quarter]
    #[arg(long, value_name = "FROM", help_heading = "Motions")]
    pub(crate) view: Option<ViewFrom>,
    /// Stand still and see the whole way, or go along [default: follow when the way is long]
    #[arg(long, value_name = "HOW", help_heading = "Motions")]
    pub(crate) camera: Option<CameraMove>,
    /// Trace the way of joints [default without names: hands and feet]
    #[arg(long, value_name = "JOINTS", num_args = 0..=1, default_missing_value = "", require_equals = true,
          value_delimiter = ',', help_heading = "Motions")]
    pub(crate) trails: Option<Vec<String>>,
    /// Mark where feet stand
    #[arg(long, help_heading = "Motions")]
    pub(crate) footprints: bool,
    #[command(flatten, next_help_heading = "Motions")]
    pub(crate) source: SourceArgs,
}
