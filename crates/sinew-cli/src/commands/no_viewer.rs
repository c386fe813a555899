//! Without the feature `viewer` there are no commands that need the viewer page, and the demo writes no page.

use crate::Outcome;
use crate::args::ViewerCommand;
use crate::error::CliError;
use std::path::{Path, PathBuf};

pub(crate) fn run(command: &ViewerCommand) -> Result<Outcome, CliError> {
    match *command {}
}

/// Writes no page of the samples.
pub(crate) fn write_demo_page(_folder: &Path) -> Result<Option<(PathBuf, u64)>, CliError> {
    Ok(None)
}
