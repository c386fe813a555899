//! The program `sinew`: inspects, checks, converts and draws skeletal animation files.

mod args;
mod character_frames;
mod commands;
mod error;
mod image_writer;
mod input;
mod inputs;
mod motion_frames;
mod names;
mod output;
mod pose_hashes;
mod progress;
mod report;
mod resume;
mod threads;
mod walk;

use args::{Args, Command};
use clap::Parser;
use error::CliError;
use std::process::ExitCode;

/// A check failed.
const EXIT_CHECK_FAILED: u8 = 1;

/// An operation failed. Clap uses the same code for invalid arguments.
const EXIT_ERROR: u8 = 2;

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Fine,
    CheckFailed,
    /// Some operations failed and were reported.
    PartlyFailed,
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage_error(&error),
    };
    match threads::with_all(|| run(&args)) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(EXIT_CHECK_FAILED),
        Ok(Outcome::PartlyFailed) => ExitCode::from(EXIT_ERROR),
        // The reader of standard output closed it.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            let text = error.to_string();
            report::error(&text);
            if args.command.is_json() {
                report::error_json(&text);
            }
            ExitCode::from(EXIT_ERROR)
        }
    }
}

/// Prints help, or reports an invalid command line.
fn usage_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Standard output may be closed.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let steers = |c: char| c.is_control() && c != '\n';
    if text.contains(steers) {
        // Escapes control characters: the message quotes arguments.
        report::print_aside(&text);
    } else {
        let _ = error.print();
    }
    if std::env::args_os().any(|argument| argument == "--json") {
        report::error_json(text.trim_end().trim_start_matches("error: "));
    }
    ExitCode::from(EXIT_ERROR)
}

fn run(args: &Args) -> Result<Outcome, CliError> {
    match &args.command {
        Command::Info(info) => commands::info::run(info),
        Command::Validate(validate) => commands::validate::run(validate),
        Command::Convert(convert) => commands::convert::run(convert),
        Command::Compress(compress) => commands::compress::run(compress),
        Command::Decompress(decompress) => commands::decompress::run(decompress),
        Command::Verify(verify) => commands::verify::run(verify),
        Command::Bench(bench) => commands::bench::run(bench),
        Command::Render(render) => commands::render::run(render),
        Command::Register(register) => commands::register::run(register),
        Command::Blend(blend) => commands::blend::run(blend),
        Command::Loop(looping) => commands::looping::run(looping),
        Command::Retarget(retarget) => commands::retarget::run(retarget),
        Command::Play(play) => commands::play::run(play),
        Command::Plot(plot) => commands::plot::run(plot),
        Command::Viewer(viewer) => commands::viewer::run(viewer),
        Command::Demo(demo) => commands::demo::run(demo),
        Command::Completions(completions) => commands::shell::completions(completions),
        Command::Man(man) => commands::shell::man(man),
    }
}
