//! The program `sinew`: look at, check, convert and draw skeletal animation files.

mod args;
mod character_frames;
mod commands;
mod error;
mod image_writer;
mod input;
mod inputs;
mod motion_frames;
mod motion_output;
mod names;
mod output;
mod progress;
mod report;
mod resume;
mod threads;
mod walk;

use args::{Args, Command};
use clap::Parser;
use error::CliError;
use std::process::ExitCode;

/// A check did not hold.
const EXIT_CHECK_FAILED: u8 = 1;

/// Something could not be done. Clap uses the same for arguments it does not understand.
const EXIT_ERROR: u8 = 2;

/// Whether what was checked is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Fine,
    CheckFailed,
    /// Some of what was asked for could not be done, and this was said.
    PartlyFailed,
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return not_understood(&error),
    };
    match threads::with_all(|| run(&args)) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(EXIT_CHECK_FAILED),
        Ok(Outcome::PartlyFailed) => ExitCode::from(EXIT_ERROR),
        // Whoever reads our output has seen enough.
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

/// Prints help, or reports what is wrong with the command line.
fn not_understood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A closed standard output: whoever reads it has seen enough.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let steers = |c: char| c.is_control() && c != '\n';
    if text.contains(steers) {
        // Arguments are repeated as they are; names of files may steer a terminal.
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
        Command::Play(play) => commands::play::run(play),
        Command::Plot(plot) => commands::plot::run(plot),
        Command::Demo(demo) => commands::demo::run(demo),
        Command::Completions(completions) => commands::shell::completions(completions),
        Command::Man(man) => commands::shell::man(man),
    }
}
