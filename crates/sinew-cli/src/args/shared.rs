//! Options that several commands share.

use super::values::{parse_fps, parse_jobs, parse_units};
use clap::ValueEnum;
use sinew_formats::LengthUnits;
use std::path::PathBuf;

/// Options for reading motion files.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SourceArgs {
    /// Skeleton of an AMC file [default: found by name or subject number]
    #[arg(long, value_name = "FILE", help_heading = "Reading motions")]
    pub(crate) asf: Option<PathBuf>,
    /// Use the skeleton of this file; needed for JSON and XML animations without one
    #[arg(long, value_name = "FILE", help_heading = "Reading motions")]
    pub(crate) skeleton: Option<PathBuf>,
    /// Length unit of ASF/AMC and BVH: m, cm, mm, in, literal (the scale that the ASF defines) or metres per unit
    /// [default: cm for BVH, inches / 0.45 (CMU) for ASF/AMC]
    #[arg(long, value_name = "UNIT", value_parser = parse_units, help_heading = "Reading motions")]
    pub(crate) units: Option<LengthUnits>,
    /// Up axis of the file
    #[arg(
        long,
        value_name = "AXIS",
        default_value = "y",
        help_heading = "Reading motions"
    )]
    pub(crate) up: UpAxis,
    /// Frame rate of ASF/AMC and BVH [default: from the file, else 120]
    #[arg(long, value_name = "N", value_parser = parse_fps, help_heading = "Reading motions")]
    pub(crate) source_fps: Option<f64>,
    /// glTF: make every node a joint, not only animated nodes and skin joints
    #[arg(long, help_heading = "Reading motions")]
    pub(crate) whole_scene: bool,
    /// Reject files that break a rule of their format, instead of repairing them with a warning
    #[arg(long, help_heading = "Reading motions")]
    pub(crate) strict: bool,
}

/// Options for many files.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct BatchArgs {
    /// Skip outputs that are up to date: written from the same files with the same options, as recorded in .sinew-made
    #[arg(long, help_heading = "Many files")]
    pub(crate) resume: bool,
    /// Number of files processed at once [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = parse_jobs, help_heading = "Many files")]
    pub(crate) jobs: Option<usize>,
}

/// Options for drawing 2D characters.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CharacterArgs {
    /// Style to apply; repeat for several. Earlier styles take precedence, then the default styles
    #[arg(long, value_name = "NAME", help_heading = "Drawing characters")]
    pub(crate) style: Vec<String>,
    /// Draw the skeleton on top: bones, targets, names; bones,targets if omitted
    #[arg(long, value_name = "PARTS", num_args = 0..=1, default_missing_value = "bones,targets",
          value_delimiter = ',', require_equals = true, hide_possible_values = true,
          help_heading = "Drawing characters")]
    pub(crate) overlay: Vec<OverlayPart>,
    /// Do not simulate physics
    #[arg(long, help_heading = "Drawing characters")]
    pub(crate) no_physics: bool,
}

/// Options for drawing 3D motions.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct MotionViewArgs {
    /// View direction: front, side, three-quarter or top [default: three-quarter]
    #[arg(
        long,
        value_name = "VIEW",
        hide_possible_values = true,
        help_heading = "Drawing motions"
    )]
    pub(crate) view: Option<ViewFrom>,
    /// Camera: fixed or follow [default: follow if the motion travels far]
    #[arg(
        long,
        value_name = "MODE",
        hide_possible_values = true,
        help_heading = "Drawing motions"
    )]
    pub(crate) camera: Option<CameraMode>,
    /// Draw trails of joints; of hands and feet if omitted
    #[arg(long, value_name = "JOINTS", num_args = 0..=1, default_missing_value = "", require_equals = true,
          value_delimiter = ',', help_heading = "Drawing motions")]
    pub(crate) trails: Option<Vec<String>>,
    /// Draw footprints at foot contacts
    #[arg(long, help_heading = "Drawing motions")]
    pub(crate) footprints: bool,
}

/// The up axis of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpAxis {
    #[default]
    Y,
    Z,
}

/// A part of the skeleton overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlayPart {
    Bones,
    Targets,
    Names,
}

/// The view direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewFrom {
    Front,
    Side,
    ThreeQuarter,
    Top,
}

/// Whether the camera follows the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CameraMode {
    Fixed,
    Follow,
}
