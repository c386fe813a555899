//! `sinew completions` and `sinew man`: shell completions and manual pages.

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::error::CliError;
use crate::{Outcome, output};
use clap::CommandFactory;
use std::path::Path;

/// The program's name.
const NAME: &str = "sinew";

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Outcome, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut script);
    output::write(Path::new(output::STANDARD_OUTPUT), &script)?;
    Ok(Outcome::Fine)
}

/// Prints the manual page of the program, or writes those of all commands into a folder.
pub(crate) fn man(args: &ManArgs) -> Result<Outcome, CliError> {
    let mut command = Args::command();
    command.build();
    let Some(folder) = &args.out else {
        let page = page(command)?;
        output::write(Path::new(output::STANDARD_OUTPUT), &page)?;
        return Ok(Outcome::Fine);
    };
    output::make_folder(folder)?;
    let names: Vec<String> = command
        .get_subcommands()
        .map(|subcommand| subcommand.get_name().to_owned())
        .filter(|name| name != "help")
        .collect();
    for name in names {
        if let Some(subcommand) = command.find_subcommand(&name) {
            // A built command is displayed as `sinew-info`.
            let page = page(subcommand.clone())?;
            output::write(&folder.join(format!("{NAME}-{name}.1")), &page)?;
        }
    }
    output::write(&folder.join(format!("{NAME}.1")), &page(command)?)?;
    Ok(Outcome::Fine)
}

fn page(command: clap::Command) -> Result<Vec<u8>, CliError> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
