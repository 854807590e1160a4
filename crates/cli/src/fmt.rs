//! `orthant fmt`: `imp` programs in their canonical form.
//!
//! Files are rewritten in place, whole or not at all, and only if something changes; `-` is standard input to
//! standard output. `--check` writes nothing, names the files that would change, and exits with 1 if there are
//! any. A file that is no program is an error, and the others are still formatted.

use crate::dataflow::{broken, program_argument, read, shown};
use crate::failure::{Failure, say};
use crate::output;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The command line.
pub fn command() -> Command {
    Command::new("fmt")
        .about("Format imp programs in place")
        .arg(program_argument().required(true).num_args(1..).help("The programs; - is standard input to standard output"))
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing; name the files that would change and exit with 1 if there are any"),
        )
        .after_help(
            "Comments, labels and blank lines between statements stay; indentation, spaces, semicolons and the spelling of \
             operators become those of docs/imp.md. Formatting twice changes nothing more.",
        )
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let only_check = matches.get_flag("check");
    let mut code = ExitCode::SUCCESS;
    for path in matches.get_many::<PathBuf>("program").unwrap_or_default() {
        match one(path, only_check) {
            Ok(true) if only_check => {
                say(&format!("{} is not formatted", shown(path)));
                code = ExitCode::FAILURE;
            }
            Ok(_) => {}
            Err(failure) => code = failure.report(),
        }
    }
    Ok(code)
}

/// Formats one program; whether that changes it.
fn one(path: &Path, only_check: bool) -> Result<bool, Failure> {
    let (name, bytes) = (shown(path), read(path)?);
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::broken(format!("{name} is not UTF-8: byte {at} is no character"))
            .remedy("save the file as UTF-8")
    })?;
    let formatted = imp::format(text).map_err(|error| broken(&error, &name, &bytes))?;
    let changes = formatted != text;
    if !only_check && (changes || path == Path::new("-")) {
        output::write(path, formatted.as_bytes())?;
    }
    Ok(changes)
}
