//! Running programs: said before it is done, and checked after.

use crate::{Failure, Outcome};
use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

/// The command as a person would type it, for messages.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Prints the command, runs it with our own standard streams, and fails if it fails.
pub fn run(command: &mut Command) -> Outcome {
    eprintln!("$ {}", shown(command));
    let status = command.status().map_err(|e| cannot_start(command, &e))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::failed(format!("{} failed: {status}", shown(command)))),
    }
}

/// Runs the command silently and returns what it printed, failing (with its messages) if it fails.
pub fn output(command: &mut Command) -> Outcome<String> {
    let output = raw_output(command)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Failure::failed(format!("{} failed: {}\n{said}", shown(command), output.status)))
        }
    }
}

/// Runs the command silently; only failing to start it is an error.
pub fn raw_output(command: &mut Command) -> Outcome<Output> {
    command.stdin(Stdio::null()).output().map_err(|e| cannot_start(command, &e))
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    Failure::Missing(format!("cannot start {program}: {error}; `cargo xtask setup` installs what is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_so_that_it_can_be_pasted() {
        let mut command = Command::new("clang-22");
        command.args(["-O3", "-DX=a b", "it's.c", ""]);
        assert_eq!(shown(&command), r"clang-22 -O3 '-DX=a b' 'it'\''s.c' ''");
    }

    #[test]
    fn failing_and_missing_programs_are_told_apart() {
        assert!(matches!(run(&mut Command::new("false")), Err(Failure::Failed(_))));
        assert!(matches!(run(&mut Command::new("no-such-program-here")), Err(Failure::Missing(_))));
    }
}
