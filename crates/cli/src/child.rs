//! Running LLVM's tools, and saying in a line what went wrong.
//!
//! A tool's messages are collected while it runs. After success they are passed on (remarks, timings, warnings).
//! After a failure one message is made of them: the tool's first error without its name in front; and when the tool
//! died by a signal or printed a stack dump, that LLVM itself failed on the input, for which nobody needs the
//! dump. `--verbose` shows the commands and all of their messages.

use crate::failure::{Failure, say, say_raw};
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

/// How much of a tool's messages is kept; a damaged input can make LLVM repeat itself for long.
const KEPT: u64 = 8 << 20;

/// Runs a tool to its end; `what` is named in messages: the input.
pub fn run(command: &mut Command, what: &str, verbose: bool) -> Result<(), Failure> {
    if verbose {
        say(&format!("running {}", shown(command)));
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error| {
        Failure::missing(format!("cannot run {program}: {error}"))
            .remedy("check that it is installed and on PATH")
    };
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut messages = Vec::new();
    if let Some(pipe) = child.stderr.take() {
        let mut kept = pipe.take(KEPT);
        // A message that cannot be read is lost; the exit status still decides.
        let _ = kept.read_to_end(&mut messages);
        let _ = std::io::copy(&mut kept.into_inner(), &mut std::io::sink());
    }
    let status = child.wait().map_err(failed)?;
    let messages = String::from_utf8_lossy(&messages);
    if verbose || status.success() {
        say_raw(&messages);
    }
    match status.success() {
        true => Ok(()),
        false => Err(explained(&program, what, status, &messages)),
    }
}

fn tool_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn shown(command: &Command) -> String {
    let variable = command.get_envs().filter_map(|(name, value)| {
        value.map(|value| format!("{}={} ", name.to_string_lossy(), quoted(&value.to_string_lossy())))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ");
    variable.collect::<String>() + &words
}

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// One failure from all that a tool said.
fn explained(program: &str, what: &str, status: ExitStatus, messages: &str) -> Failure {
    let tool = tool_name(program);
    let dumped = messages.contains("Stack dump:") || messages.contains("PLEASE submit a bug report");
    let reason = first_error(program, what, messages);
    if status.signal().is_some() || dumped {
        let how = match status.signal() {
            Some(signal) => format!("signal {signal}"),
            None => "a stack dump".to_owned(),
        };
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        return Failure::broken(format!("{what}: LLVM itself failed on this input ({tool} ended by {how}){reason}"))
            .remedy("the input is damaged or not valid IR for LLVM 22; run again with --verbose to see LLVM's own log");
    }
    match reason {
        // The tool's message starts with the input's name and the place in it.
        Some(reason) if reason.trim_start_matches("./").starts_with(what) => Failure::broken(reason),
        Some(reason) => Failure::broken(format!("{what}: {reason}")),
        None => Failure::broken(format!("{what}: {tool} failed ({status}) and did not say why"))
            .remedy("run again with --verbose to see the command"),
    }
}

/// The first error with a place in the input, else the first error, else the last line; without the tool's name and unprintable characters.
fn first_error(program: &str, what: &str, messages: &str) -> Option<String> {
    let is_error = |line: &&str| {
        line.contains("error: ")
            || line.contains("error[")
            || line.contains("LLVM ERROR: ")
            || line.contains("Assertion")
    };
    let in_dump = |line: &&str| {
        !line.starts_with("PLEASE ") && !line.starts_with("Stack dump") && !line.starts_with(" #")
    };
    let lines = messages.lines().filter(|line| !line.trim().is_empty());
    let input = what.rsplit('/').next().unwrap_or(what);
    let errors = || lines.clone().filter(is_error);
    let line = errors()
        .find(|line| line.contains(&format!("{input}:")))
        .or_else(|| errors().next())
        .or_else(|| lines.clone().take_while(in_dump).last())
        .or_else(|| lines.clone().next())?;
    let named = |name: &str| line.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    let line = named(program).or_else(|| named(tool_name(program))).unwrap_or(line);
    const LONGEST: usize = 300;
    Some(line.trim().chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(raw_status: i32, text: &str) -> String {
        explained("/bin/opt-22", "a.ll", ExitStatus::from_raw(raw_status), text).message().to_owned()
    }

    const EXIT_1: i32 = 1 << 8;
    const SEGFAULT: i32 = 11;

    #[test]
    fn an_error_is_one_line_without_the_tool() {
        let text = "opt-22: a.ll:3:1: error: expected value token\n  call void \n       ^\n";
        assert_eq!(message(EXIT_1, text), "a.ll:3:1: error: expected value token");
        assert_eq!(
            message(EXIT_1, &text.replace("opt-22", "/bin/opt-22")),
            "a.ll:3:1: error: expected value token"
        );
        assert_eq!(message(EXIT_1, "opt-22: unknown pass name 'x'\n\n"), "a.ll: unknown pass name 'x'");
        let flang = "error: Could not parse a.ll\n./a.ll:1:2: error: expected ')'\n";
        assert_eq!(message(EXIT_1, flang), "./a.ll:1:2: error: expected ')'");
        assert!(message(EXIT_1, "").contains("did not say why"));
        assert!(!message(EXIT_1, "error: \u{1b}[2J\u{7}").contains('\u{1b}'));
    }

    #[test]
    fn a_crash_is_said_without_its_dump() {
        let dump = "PLEASE submit a bug report to https://example.org\nStack dump:\n0.\tProgram arguments: opt-22\n #0 0x7f\n";
        let text = message(SEGFAULT, dump);
        assert!(
            text.starts_with("a.ll: LLVM itself failed on this input (opt-22 ended by signal 11)"),
            "{text}"
        );
        assert!(!text.contains("0x7f") && text.lines().count() == 1, "{text}");
        let assertion = message(EXIT_1, &format!("opt-22: X.cpp:7: Assertion `x' failed.\n{dump}"));
        assert!(assertion.contains("Assertion `x' failed."), "{assertion}");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("-O3"), "-O3");
        assert_eq!(quoted("a b'c"), r"'a b'\''c'");
        assert_eq!(quoted(""), "''");
    }
}
