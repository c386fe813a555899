//! What can be said on the command line. Parsing does nothing but parse.

use clap::{Parser, Subcommand, ValueEnum};
use sinew_draw::Background;
use std::path::PathBuf;

/// Skeletal animation from file to pose to picture.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    arg_required_else_help = true,
    after_help = "\
Examples:
  sinew demo                                 draw the built-in character into ./sinew-demo
  sinew info hero.skf                        bones, animations, styles, IK, physics, warnings
  sinew validate characters/*.skf            every problem of every file; exit 1 if there is any
  sinew render hero.skf --animation walk     an animated GIF beside the file
  sinew render sample --out pip.png          a picture of the built-in character

Exit codes: 0 fine, 1 a check did not hold, 2 something could not be done."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(InfoArgs),
    Validate(ValidateArgs),
    Render(RenderArgs),
    Demo(DemoArgs),
}

/// Tell what is in a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew info hero.skf
  sinew info hero.skf --json | jq .animations
  sinew info sample")]
pub(crate) struct InfoArgs {
    /// A .skf, .skfe or armature.json file, or `sample` for the built-in character
    pub(crate) file: PathBuf,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// List every problem of files; exit 1 if there is any.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew validate hero.skf
  sinew validate characters/*.skf --json")]
pub(crate) struct ValidateArgs {
    /// The files; one that cannot be read does not stop the others
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Draw an animation or a frame of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew render hero.skf                                     the first animation as GIF
  sinew render hero.skf --animation walk --out walk.gif --fps 25 --size 400
  sinew render hero.skf --animation walk --frame 12 --out pose.png
  sinew render hero.skf --animation walk --contact-sheet 12 --out walk.png
  sinew render hero.skf --animation walk --out frames/      one PNG per frame
  sinew render hero.skf --style Winter --style Default --overlay --background checker")]
pub(crate) struct RenderArgs {
    /// A .skf or .skfe file, or `sample` for the built-in character
    pub(crate) file: PathBuf,
    /// The animation to draw [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Where to: X.gif, X.png or a folder for one PNG per frame [default: a GIF beside the file, a PNG
    /// for a single picture]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Draw this frame alone; fractions lie between frames
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "contact_sheet",
        allow_negative_numbers = true,
        value_parser = parse_frame
    )]
    pub(crate) frame: Option<f32>,
    /// Pictures per second [default: 30 for GIF, the animation's own rate for a folder]
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) fps: Option<f64>,
    /// Size of a picture in pixels: its longer side, or WIDTHxHEIGHT [default: 512, in a contact sheet
    /// 240]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) size: Option<Size>,
    /// Wear this style; repeat for several, the first that has a texture gives it. What is worn by
    /// default fills in the rest
    #[arg(long, value_name = "NAME")]
    pub(crate) style: Vec<String>,
    /// transparent, checker, white, black or #rrggbb [default: white for GIF and contact sheets, else
    /// transparent]
    #[arg(long, value_name = "COLOUR", value_parser = parse_background)]
    pub(crate) background: Option<Background>,
    /// Draw the skeleton over the picture: bones, targets, names
    #[arg(long, value_name = "PARTS", num_args = 0..=1, default_missing_value = "bones,targets",
          value_delimiter = ',', require_equals = true)]
    pub(crate) overlay: Vec<OverlayPart>,
    /// Draw this many moments of the animation in a grid
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "12",
          value_parser = parse_moments)]
    pub(crate) contact_sheet: Option<u32>,
    /// Leave springy parts where the skeleton puts them; a single picture shows them settled anyway
    #[arg(long)]
    pub(crate) no_physics: bool,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Draw the built-in character: every animation, both outfits, the skeleton.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew demo
  sinew demo --out pictures/pip")]
pub(crate) struct DemoArgs {
    /// The folder to draw into
    #[arg(long, short, value_name = "FOLDER", default_value = "sinew-demo")]
    pub(crate) out: PathBuf,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// A part of the skeleton to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlayPart {
    Bones,
    Targets,
    Names,
}

/// How large a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// The longer side; the other follows from what is drawn.
    Longer(u32),
    /// Width and height.
    Exact(u32, u32),
}

/// The longest side of a picture that can be asked for.
const MAX_SIDE: u32 = 8192;

/// Most moments that a contact sheet can show: 20 rows of 20, beyond which nobody finds one.
const MAX_MOMENTS: u32 = 400;

fn parse_side(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(side @ 1..=MAX_SIDE) => Ok(side),
        _ => Err(format!(
            "expected pixels from 1 to {MAX_SIDE}, found {text:?}"
        )),
    }
}

fn parse_size(text: &str) -> Result<Size, String> {
    match text.split_once(['x', 'X']) {
        Some((width, height)) => Ok(Size::Exact(parse_side(width)?, parse_side(height)?)),
        None => Ok(Size::Longer(parse_side(text)?)),
    }
}

fn parse_frame(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(frame) if frame.is_finite() => Ok(frame),
        _ => Err(format!("expected the number of a frame, found {text:?}")),
    }
}

fn parse_moments(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=MAX_MOMENTS) => Ok(count),
        _ => Err(format!(
            "expected a number from 1 to {MAX_MOMENTS}, found {text:?}"
        )),
    }
}

fn parse_fps(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fps) if fps > 0.0 && fps <= 1000.0 => Ok(fps),
        _ => Err(format!(
            "expected a rate above 0 and up to 1000, found {text:?}"
        )),
    }
}

fn parse_background(text: &str) -> Result<Background, String> {
    match text {
        "transparent" | "none" => return Ok(Background::Transparent),
        "checker" => return Ok(Background::CHECKER),
        "white" => return Ok(Background::Solid([255, 255, 255, 255])),
        "black" => return Ok(Background::Solid([0, 0, 0, 255])),
        _ => {}
    }
    let hex = text
        .strip_prefix('#')
        .filter(|hex| hex.len() == 6 && hex.is_ascii());
    let value = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let [_, r, g, b] = value.map(u32::to_be_bytes).ok_or_else(|| {
        format!("expected transparent, checker, white, black or #rrggbb, found {text:?}")
    })?;
    Ok(Background::Solid([r, g, b, 255]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn sizes_are_one_side_or_two() {
        assert_eq!(parse_size("300"), Ok(Size::Longer(300)));
        assert_eq!(parse_size("640x480"), Ok(Size::Exact(640, 480)));
        for bad in ["0", "-1", "9000", "x", "10x", "big", "1e3"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn backgrounds_are_names_or_hex() {
        let teal = Background::Solid([0, 128, 128, 255]);
        assert_eq!(parse_background("#008080"), Ok(teal));
        for bad in ["#12345", "#1234567", "#ggffff", "#ééé", "teal", ""] {
            assert!(parse_background(bad).is_err(), "{bad}");
        }
    }
}
