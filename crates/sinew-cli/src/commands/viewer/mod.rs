//! The commands of the viewer page: `sinew view` serves it, `sinew share` writes it with files in it.
//!
//! ```text
//! view ─▶ library (files, numbers, changes) ─▶ site (answers; companions, analysis, still) ◀─ http ◀─ browser
//! share ─▶ shared_file (packs, hashes poses) ─▶ page (gzip, base64, still picture) ─▶ sinew_viewer::insert_payload
//! ```

mod analysis;
mod browser;
mod companions;
mod http;
mod library;
mod page;
mod share;
mod shared_file;
mod site;
mod still;
mod view;

use crate::Outcome;
use crate::args::ViewerCommand;
use crate::error::CliError;

pub(crate) use share::write_demo_page;

pub(crate) fn run(command: &ViewerCommand) -> Result<Outcome, CliError> {
    match command {
        ViewerCommand::View(args) => view::run(args),
        ViewerCommand::Share(args) => share::run(args),
    }
}
