//! What can be said on the command line. Parsing does nothing but parse.

mod blend;
mod cycle;
mod pack;
mod play;
mod register;

pub(crate) use blend::{BlendArgs, TransitionAt};
pub(crate) use cycle::LoopArgs;
pub(crate) use pack::{BenchArgs, CompressArgs, DecompressArgs, VerifyArgs};
pub(crate) use play::PlayArgs;
pub(crate) use register::{MatchArgs, RegisterArgs, RegisterAs};

use crate::names::quoted;
use clap::{Parser, Subcommand, ValueEnum};
use sinew::Animation;
use sinew_draw::Background;
use sinew_formats::LengthUnits;
use std::path::PathBuf;

/// Skeletal animation from file to pose to picture.
#[derive(Debug, Parser)]
#[command(
    name = "sinew",
    version,
    about,
    arg_required_else_help = true,
    after_help = "\
Examples:
  sinew demo                                 draw the built-in samples into ./sinew-demo
  sinew info 07_05.amc                       joints, frames, rate, extent, foot contacts, loop, warnings
  sinew convert mocap/ --to glb --out out    every motion below a folder, in parallel
  sinew render 07_05.amc --strobe            a whole motion in one picture
  sinew render hero.skf --animation walk     an animated GIF beside the file
  sinew play script.json                     animations faded and layered by a script, with their weights
  sinew register sample:walk sample:run      which moments of two motions correspond
  sinew blend sample:walk sample:run --weight 0.5 --out jog.glb
  sinew loop sample:walk --out stride.bvh    a cycle of a walk, closed without a seam
  sinew plot 07_05.amc --joint lfoot         where a joint goes, as curves over time
  sinew compress 07_05.amc                   a tenth of the bytes and less, within 0.1 mm of the source
  sinew verify 07_05.sinew 07_05.amc         proves that it is; exit 1 if not
  sinew bench 07_05.amc --quick              how fast this machine plays it, and how many at once
  sinew validate characters/                 every problem of every file; exit 1 if there is any
  cat walk.bvh | sinew convert - --to glb --out -    - is standard input, or output

Formats, detected from content: SkelForm .skf, ASF/AMC, BVH, glTF, GLB, and .sinew, our own for packed motions.

Exit codes: 0 fine; 1 a check did not hold (validate, verify), nothing matches (register, blend)
or nothing is visible (render); 2 something could not be done, be it one file of many."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(InfoArgs),
    Validate(ValidateArgs),
    Convert(ConvertArgs),
    Compress(CompressArgs),
    Decompress(DecompressArgs),
    Verify(VerifyArgs),
    Bench(BenchArgs),
    Render(RenderArgs),
    Register(RegisterArgs),
    Blend(BlendArgs),
    Loop(LoopArgs),
    Play(PlayArgs),
    Plot(PlotArgs),
    Demo(DemoArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Whether what is printed is for machines.
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Self::Info(args) => args.json,
            Self::Validate(args) => args.json,
            Self::Convert(args) => args.json,
            Self::Compress(args) => args.json,
            Self::Decompress(args) => args.json,
            Self::Verify(args) => args.json,
            Self::Bench(args) => args.json,
            Self::Render(args) => args.json,
            Self::Register(args) => args.json,
            Self::Blend(args) => args.json,
            Self::Loop(args) => args.json,
            Self::Play(args) => args.json,
            Self::Plot(args) => args.json,
            Self::Demo(args) => args.json,
            Self::Completions(_) | Self::Man(_) => false,
        }
    }
}

/// Print a script that completes commands and options in a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew completions bash > ~/.local/share/bash-completion/completions/sinew
  sinew completions zsh > ~/.zfunc/_sinew
  sinew completions fish > ~/.config/fish/completions/sinew.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write those of all commands into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew man | man -l -
  sinew man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder for sinew.1, sinew-info.1 and so on [default: sinew.1 to standard output]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

/// How motion files are read.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SourceArgs {
    /// The skeleton of an AMC [default: found beside it by name or subject number]
    #[arg(long, value_name = "FILE")]
    pub(crate) asf: Option<PathBuf>,
    /// Play a file's animations on the skeleton of this one: for JSON and XML animations, which have none
    #[arg(long, value_name = "FILE")]
    pub(crate) skeleton: Option<PathBuf>,
    /// What lengths of ASF/AMC and BVH are: m, cm, mm, in, literal (ASF: as its definition says), or
    /// metres per unit [default: CMU's inches / 0.45 for ASF and AMC, cm for BVH]
    #[arg(long, value_name = "UNIT", value_parser = parse_units)]
    pub(crate) units: Option<LengthUnits>,
    /// Which way is up in the file: y, or z as some BVH files have it
    #[arg(long, value_name = "AXIS", default_value = "y")]
    pub(crate) up: UpAxis,
    /// Refuse a motion file that breaks a rule of its format. Without it every command repairs what has an obvious remedy
    /// and warns
    #[arg(long)]
    pub(crate) strict: bool,
    /// glTF: make every node of the scene a joint, not only those that move or are joints of a skin
    #[arg(long)]
    pub(crate) whole_scene: bool,
    /// The rate that ASF/AMC and BVH were recorded at, in frames per second [default: what the file
    /// says, else 120]
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) source_fps: Option<f64>,
}

/// Tell what is in a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew info hero.skf
  sinew info 07_05.amc --asf 07.asf
  sinew info walk.bvh --units m --json | jq .animations
  curl -s https://example.org/walk.bvh | sinew info -
  sinew info sample:walk")]
pub(crate) struct InfoArgs {
    /// A file of any format, - for standard input, `sample` for the built-in character, or a built-in motion
    /// such as `sample:walk`
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// List every problem of files; exit 1 if there is any.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew validate hero.skf
  sinew validate characters/*.skf 'mocap/**/*.amc' --json
  sinew validate mocap/                      every file of a known format below a folder")]
pub(crate) struct ValidateArgs {
    /// Files, folders, patterns such as 'mocap/**/*.amc', or - for standard input; one that cannot be read does not
    /// stop the others
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write motions in another format.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew convert 07_05.amc --to glb                        07_05.glb beside it; finds 07.asf
  sinew convert 07_05.amc --out walk.bvh                  the ending says the format
  sinew convert mocap/ --to glb --out out --resume        every motion below mocap, skipping what is done
  sinew convert 'mocap/**/*.amc' --to bvh --out out --fps 30
  sinew convert walk.bvh --to glb --trim 0.5..2 --mirror --units m
  sinew convert walk.sinew --out walk.bvh                 packed motions too; see `sinew compress`
  cat walk.bvh | sinew convert - --to glb --out - > walk.glb

Of a file with several skeletons each goes to a file of its own, walk-skeleton-0.glb and so on, where the
format holds but one. One bad file does not stop the rest: the summary at the end names it, and the exit
code is 2.")]
pub(crate) struct ConvertArgs {
    /// Files, folders (every .amc, .bvh, .gltf and .glb below them), patterns such as 'mocap/**/*.amc',
    /// built-in motions such as sample:walk, and - for standard input
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The format to write [default: as --out ends]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<OutFormat>,
    /// A folder to write into, a file for a single input, or - for standard output [default: beside the input; for
    /// standard input, standard output]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Resample to this many frames per second; loops keep their length, at the nearest rate that divides it
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) fps: Option<f64>,
    /// Only this part, in seconds: 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// Swap left and right
    #[arg(long)]
    pub(crate) mirror: bool,
    /// Begin above the origin: moves the first frame's root to x = z = 0
    #[arg(long)]
    pub(crate) center: bool,
    /// glTF of a motion that has no mesh: leave out the bones that viewers would show
    #[arg(long)]
    pub(crate) no_mesh: bool,
    /// Let --out name an input, which is overwritten
    #[arg(long)]
    pub(crate) force: bool,
    /// Skip outputs that an earlier run made from the same files with the same options, as the file .sinew-made beside
    /// them records
    #[arg(long)]
    pub(crate) resume: bool,
    /// Files at a time [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
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
  sinew render hero.skf --style Winter --style Default --overlay --background checker
  sinew render 07_05.amc --view side --camera follow
  sinew render 07_05.amc --strobe 12 --footprints --trails=lhand,rhand --out walk.png

Exit codes: 0 fine, 1 nothing of the character is visible in any picture (which is written all the same),
2 it could not be drawn.")]
pub(crate) struct RenderArgs {
    /// A file of any format, - for standard input, `sample` for the built-in character, or a built-in motion
    /// such as `sample:walk`
    pub(crate) file: PathBuf,
    /// The animation to draw [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Where to: X.gif, X.png, a folder for one PNG per frame, or - for standard output [default: a GIF beside
    /// the file, a PNG for a single picture]
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
    /// transparent, checker, white, black or #rrggbb [default: white for GIF, contact sheets and
    /// motions, else transparent]
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
    /// Only this part, in seconds: 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim, help_heading = "Motions")]
    pub(crate) trim: Option<Trim>,
    /// Where to look from [default: three-quarter]
    #[arg(long, value_name = "FROM", help_heading = "Motions")]
    pub(crate) view: Option<ViewFrom>,
    /// Stand still and see the whole way, or go along [default: follow when the way is long]
    #[arg(long, value_name = "HOW", help_heading = "Motions")]
    pub(crate) camera: Option<CameraMove>,
    /// Draw this many moments into one picture
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "9",
          value_parser = parse_moments, conflicts_with_all = ["contact_sheet", "frame"],
          help_heading = "Motions")]
    pub(crate) strobe: Option<u32>,
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

/// Draw curves over time of a motion's joints.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew plot 07_05.amc --joint lfoot                      height, x and z of a foot as SVG
  sinew plot 07_05.amc --joint lfemur,ltibia --channel rotation --out knees.png
  sinew plot walk.bvh --joint Hips --channel speed --contacts
  sinew plot sample:walk --joint ltoes,rtoes --channel y")]
pub(crate) struct PlotArgs {
    /// A motion file, - for standard input, or a built-in motion such as `sample:walk`
    pub(crate) file: PathBuf,
    /// Joints, separated by commas [default: the root]
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) joint: Vec<String>,
    /// What to draw of each joint, separated by commas [default: position]
    #[arg(long, short, value_name = "CHANNELS", value_delimiter = ',')]
    pub(crate) channel: Vec<PlotChannel>,
    /// The animation of a file that has several [default: the first]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Only this part, in seconds: 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// Shade when feet stand
    #[arg(long)]
    pub(crate) contacts: bool,
    /// X.svg, X.png, or - for an SVG to standard output [default: an SVG beside the file]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// WIDTHxHEIGHT in pixels [default: 900x420]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) size: Option<Size>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which way is up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpAxis {
    #[default]
    Y,
    Z,
}

/// What of a joint is plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotChannel {
    /// Where it is in the world: x, y and z, in metres
    Position,
    /// x of where it is, in metres
    X,
    /// y of where it is, in metres: its height
    Y,
    /// z of where it is, in metres
    Z,
    /// How fast it goes, in metres per second
    Speed,
    /// How it is turned in its parent's frame, about x, y and z (z is applied last), in degrees
    Rotation,
    /// How far it is turned from its rest, in degrees
    Angle,
}

/// Draw the built-in character and motions in every way.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew demo
  sinew demo --out pictures/demo")]
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

/// Where a motion is looked at from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewFrom {
    Front,
    Side,
    ThreeQuarter,
    Top,
}

/// What the camera does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CameraMove {
    Fixed,
    Follow,
}

/// A format that motions are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutFormat {
    Bvh,
    Glb,
    Gltf,
    Json,
    /// Packed within 0.1 mm; `sinew compress` lets you choose
    Sinew,
}

/// A part of a motion, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trim {
    pub(crate) from: f32,
    pub(crate) to: f32,
}

impl Trim {
    /// What is wrong with the part of an animation that is asked for.
    pub(crate) fn check(self, animation: &Animation) -> Result<(), String> {
        // A length that a message shows may be rounded up.
        let end = animation.length + 1e-3;
        let is_open = self.to == f32::MAX;
        let (what, time) = match (self.from > end, !is_open && self.to > end) {
            (true, _) => ("begins", self.from),
            (_, true) => ("ends", self.to),
            _ => return Ok(()),
        };
        Err(format!(
            "--trim {what} at {time} s, but {} is {} s long; expected times from 0 to {}, or {}.. for the rest",
            quoted(&animation.name),
            animation.length,
            animation.length,
            if what == "ends" { self.from } else { 0.0 },
        ))
    }
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
        Ok(fps) if (0.001..=1000.0).contains(&fps) => Ok(fps),
        _ => Err(format!(
            "expected a rate above 0, from 0.001 to 1000, found {text:?}"
        )),
    }
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err(format!("expected a number from 1 to 1024, found {text:?}")),
    }
}

fn parse_units(text: &str) -> Result<LengthUnits, String> {
    match text {
        "m" => return Ok(LengthUnits::Metres(1.0)),
        "cm" => return Ok(LengthUnits::Metres(0.01)),
        "mm" => return Ok(LengthUnits::Metres(0.001)),
        "in" => return Ok(LengthUnits::Metres(0.0254)),
        "literal" => return Ok(LengthUnits::Literal),
        _ => {}
    }
    match text.parse::<f64>() {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(LengthUnits::Metres(metres)),
        _ => Err(format!(
            "expected m, cm, mm, in, literal or metres per unit, found {text:?}"
        )),
    }
}

fn parse_trim(text: &str) -> Result<Trim, String> {
    let bad = || format!("expected seconds such as 0.5..2, 1.. or ..3, found {text:?}");
    let (from, to) = text.split_once("..").ok_or_else(bad)?;
    let end = |text: &str, open: f32| match text.trim() {
        "" => Ok(open),
        text => match text.parse::<f32>() {
            Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
            _ => Err(bad()),
        },
    };
    let trim = Trim {
        from: end(from, 0.0)?,
        to: end(to, f32::MAX)?,
    };
    if trim.from <= trim.to {
        Ok(trim)
    } else {
        Err(bad())
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
    fn parts_are_from_somewhere_to_somewhere_later() {
        let trim = |from, to| Ok(Trim { from, to });
        assert_eq!(parse_trim("0.5..2"), trim(0.5, 2.0));
        assert_eq!(parse_trim("1.."), trim(1.0, f32::MAX));
        assert_eq!(parse_trim("..3"), trim(0.0, 3.0));
        for bad in ["", "1", "2..1", "-1..2", "a..b", "0..inf", "1...2"] {
            assert!(parse_trim(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn units_are_names_or_metres() {
        assert_eq!(parse_units("cm"), Ok(LengthUnits::Metres(0.01)));
        assert_eq!(parse_units("0.45"), Ok(LengthUnits::Metres(0.45)));
        assert_eq!(parse_units("literal"), Ok(LengthUnits::Literal));
        for bad in ["", "0", "-1", "nan", "inf", "feet"] {
            assert!(parse_units(bad).is_err(), "{bad}");
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
