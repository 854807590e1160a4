//! `orthant completions` and `orthant man`, from the command line's own description.

use crate::failure::Failure;
use crate::{args, output};
use clap::ArgMatches;
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints a shell's completions.
pub fn completions(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let shell = match matches.get_one::<String>("shell").map(String::as_str) {
        Some("zsh") => Shell::Zsh,
        Some("fish") => Shell::Fish,
        _ => Shell::Bash,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::public_command(), "orthant", &mut script);
    output::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints orthant(1), or writes the page of every command into a folder.
pub fn man(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let folder = matches.get_one::<PathBuf>("out").or_else(|| matches.get_one::<PathBuf>("folder"));
    match folder {
        None => output::print(&page(args::public_command())?)?,
        Some(folder) => write_pages(folder)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_pages(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::broken(format!("cannot create {}: {error}", folder.display())))?;
    let mut whole = args::public_command().disable_help_subcommand(true);
    whole.build();
    output::write(&folder.join("orthant.1"), &page(whole.clone())?)?;
    for command in whole.get_subcommands() {
        let name = format!("orthant-{}", command.get_name());
        output::write(&folder.join(format!("{name}.1")), &page(command.clone())?)?;
    }
    Ok(())
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::broken(format!("cannot render the man page: {error}")))?;
    Ok(text)
}
