//! Arguments of `sinew view` and `share`, which need the viewer page.

use super::SourceArgs;
use super::values::parse_length;
use clap::Subcommand;
use std::path::PathBuf;

/// The commands of the viewer.
#[derive(Debug, Subcommand)]
pub(crate) enum ViewerCommand {
    View(ViewArgs),
    Share(ShareArgs),
}

impl ViewerCommand {
    /// Whether the command prints JSON.
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Self::View(args) => args.json,
            Self::Share(args) => args.json,
        }
    }
}

/// View files in the browser; reloads them when they change
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew view hero.skf
  sinew view 07_05.amc 07_06.amc        Finds 07.asf
  sinew view mocap/                     A gallery of all files in a folder
  sinew view sample sample:walk
  sinew view walk.glb --no-open --port 8000

The files are served on 127.0.0.1 only, at an address with a random part, until
Ctrl-C. Nothing is sent elsewhere: the page comes from the program itself.
Files that a given file refers to, such as the buffers of a .gltf, are served
if they are in a given folder or in the folder of a given file.")]
pub(crate) struct ViewArgs {
    /// Files, folders, patterns such as 'mocap/**/*.amc', `sample` for the built-in character, built-in motions such as
    /// sample:walk, or - for standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Port [default: any free one]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Do not open the browser, only print the address
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Skeleton of AMC files [default: found by name or subject number]
    #[arg(long, value_name = "FILE")]
    pub(crate) asf: Option<PathBuf>,
    /// Print the address as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write one HTML page that plays files anywhere, without a network
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew share hero.skf --out hero.html
  sinew share sample:walk sample:run --out gaits.html --title 'Walk and run'
  sinew share --compare before.bvh after.bvh --out cleanup.html
  sinew share 07_05.amc --max-error 1mm --out small.html

The page holds the viewer and the files and opens from disk or from an e-mail.
Motions are compressed (docs/error-bound.md); characters, and glTF files with
meshes, are kept as they are. The same input gives the same bytes.")]
pub(crate) struct ShareArgs {
    /// Characters and motion files of any format, `sample` for the built-in character, built-in motions such as sample:walk,
    /// or - for standard input
    #[arg(required_unless_present = "compare", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Page to write, or - for standard output
    #[arg(long, short, value_name = "X.html")]
    pub(crate) out: PathBuf,
    /// Show two motions together, with their difference
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) compare: Vec<PathBuf>,
    /// Title of the page [default: the names of the files]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Maximum error anywhere on the body, e.g. 0.1mm, 0.01cm, 1e-4m or 100um
    #[arg(long, short = 'e', value_name = "LENGTH", default_value = "0.1mm", value_parser = parse_length)]
    pub(crate) max_error: f32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}
