//! Without the feature `viewer` there are no commands that need the viewer page.

use clap::Subcommand;

/// The commands of the viewer: none.
#[derive(Debug, Subcommand)]
pub(crate) enum ViewerCommand {}

impl ViewerCommand {
    /// Whether the command prints JSON.
    pub(crate) fn is_json(&self) -> bool {
        match *self {}
    }
}
