//! Arguments of all commands. Parsing does nothing but parse.

mod blend;
mod compress;
mod draw;
mod looping;
mod play;
mod register;
mod retarget;
mod shared;
mod values;
#[cfg(feature = "viewer")]
mod viewer;
#[cfg(not(feature = "viewer"))]
#[path = "args/no_viewer.rs"]
mod viewer;

pub(crate) use blend::{BlendArgs, TransitionArg};
pub(crate) use compress::{BenchArgs, CompressArgs, DecompressArgs, VerifyArgs};
pub(crate) use draw::{DemoArgs, PlotArgs, PlotChannel, RenderArgs};
pub(crate) use looping::LoopArgs;
pub(crate) use play::PlayArgs;
pub(crate) use register::{MatchArgs, RegisterArgs, RegisterModeArg};
pub(crate) use retarget::{FacingSide, IkPart, RetargetArgs, RootPart};
pub(crate) use shared::{
    BatchArgs, CameraMode, CharacterArgs, MotionViewArgs, OverlayPart, SourceArgs, UpAxis, ViewFrom,
};
pub(crate) use values::{OutFormat, Size, Trim};
pub(crate) use viewer::ViewerCommand;
#[cfg(feature = "viewer")]
pub(crate) use viewer::{ShareArgs, ViewArgs};

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use values::{parse_fps, parse_trim};

/// Inspect, convert, compress, blend and draw skeletal animations
#[derive(Debug, Parser)]
#[command(
    name = "sinew",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  sinew demo                                Draw the built-in samples
  sinew view mocap/                         View files in the browser
  sinew share hero.skf --out hero.html      Write a page that plays anywhere
  sinew info 07_05.amc                      Show what a file contains
  sinew convert mocap/ --to glb --out out   Convert all motions in a folder
  sinew render 07_05.amc --strobe           Draw a motion in one picture
  sinew render hero.skf --animation walk    Draw an animation as a GIF
  sinew play script.json                    Play fades and layers by a script
  sinew register sample:walk sample:run     Find corresponding times
  sinew blend sample:walk sample:run --weight 0.5 --out jog.glb
  sinew loop sample:walk --out stride.bvh   Extract a seamless loop
  sinew retarget 07_05.amc --onto hero.skf --out walking.skf
                                            Play a motion on a character
  sinew plot 07_05.amc --joint lfoot        Plot a joint over time
  sinew compress 07_05.amc                  Compress, max error 0.1 mm
  sinew verify 07_05.sinew 07_05.amc        Check the error bound
  sinew bench 07_05.amc --quick             Time sampling and blending
  sinew validate characters/                List all problems of files
  cat walk.bvh | sinew convert - --to glb --out -

Formats are detected from content: SkelForm (.skf), ASF/AMC, BVH, glTF, GLB,
JSON, XML, and .sinew for compressed motions.

Exit codes:
  0  success
  1  a check failed (validate, verify), no match (register, blend), no loop
     (loop), a missing role or bad quality (retarget), or nothing visible
     (render)
  2  error, also if only one of many files failed"
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
    Retarget(RetargetArgs),
    Play(PlayArgs),
    Plot(PlotArgs),
    #[command(flatten)]
    Viewer(ViewerCommand),
    Demo(DemoArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Whether the command prints JSON.
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
            Self::Retarget(args) => args.json,
            Self::Play(args) => args.json,
            Self::Plot(args) => args.json,
            Self::Viewer(command) => command.is_json(),
            Self::Demo(args) => args.json,
            Self::Completions(_) | Self::Man(_) => false,
        }
    }
}

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew completions bash > ~/.local/share/bash-completion/completions/sinew
  sinew completions zsh > ~/.zfunc/_sinew
  sinew completions fish > ~/.config/fish/completions/sinew.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew man | man -l -
  sinew man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Folder for sinew.1, sinew-info.1, ... [default: sinew.1 to standard output]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

/// Show joints, frames, rate, extent, contacts and warnings
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew info hero.skf
  sinew info 07_05.amc --asf 07.asf
  sinew info walk.bvh --units m --json | jq .animations
  curl -s https://example.org/walk.bvh | sinew info -
  sinew info sample:walk --hash")]
pub(crate) struct InfoArgs {
    /// File of any format, - for standard input, `sample` for the built-in character, or a built-in motion such as
    /// sample:walk
    pub(crate) file: PathBuf,
    /// Print the hash of ten seconds of poses of each animation, to compare with other machines and the viewer
    #[arg(long)]
    pub(crate) hash: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// List all problems of files; exit 1 if there are any
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew validate hero.skf
  sinew validate characters/*.skf 'mocap/**/*.amc' --json
  sinew validate mocap/                 Every file of a known format")]
pub(crate) struct ValidateArgs {
    /// Files, folders, patterns such as 'mocap/**/*.amc', or - for standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Convert motions to another format
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew convert 07_05.amc --to glb      Writes 07_05.glb; finds 07.asf
  sinew convert 07_05.amc --out walk.bvh
  sinew convert mocap/ --to glb --out out --resume
  sinew convert 'mocap/**/*.amc' --to bvh --out out --fps 30
  sinew convert walk.bvh --to glb --trim 0.5..2 --mirror --units m
  sinew convert walk.sinew --out walk.bvh
  cat walk.bvh | sinew convert - --to glb --out - > walk.glb

Each skeleton of a file with several is written to its own file, such as
walk-skeleton-0.glb, unless the format holds several. A file that fails does
not stop the others; the exit code is then 2.")]
pub(crate) struct ConvertArgs {
    /// Motion files, folders, patterns such as 'mocap/**/*.amc', built-in motions such as sample:walk, or - for standard
    /// input
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Output format: bvh, glb, gltf, json or sinew [default: from the extension of --out]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) to: Option<OutFormat>,
    /// Output folder, file for a single input, or - for standard output [default: beside the input]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Resample to this frame rate; loops keep their length
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub(crate) fps: Option<f64>,
    /// Time range in seconds, e.g. 0.5..2, 1.. or ..3
    #[arg(long, value_name = "FROM..TO", value_parser = parse_trim)]
    pub(crate) trim: Option<Trim>,
    /// Swap left and right
    #[arg(long)]
    pub(crate) mirror: bool,
    /// Move the root of the first frame to x = z = 0
    #[arg(long)]
    pub(crate) center: bool,
    /// glTF: do not add bone meshes to a motion without a mesh
    #[arg(long)]
    pub(crate) no_mesh: bool,
    /// Overwrite inputs
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
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
    fn example_lines_are_not_wrapped_at_80_columns() {
        let mut command = Args::command();
        command.build();
        let examples = |command: &clap::Command| command.get_after_help().map(ToString::to_string);
        for command in command.get_subcommands().chain([&command]) {
            for line in examples(command).unwrap_or_default().lines() {
                let width = line.chars().count();
                assert!(width < 80, "{}: {width}: {line}", command.get_name());
            }
        }
    }
}
