//! The snippets of README.md, of the pages in `docs` and of the crates' README files, one test each (`build.rs`).
#![allow(
    unused_variables,
    unused_mut,
    clippy::all,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the snippets are written for readers"
)]

/// Snippets name files by their paths in the repository.
fn enter_workspace() -> std::io::Result<()> {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
