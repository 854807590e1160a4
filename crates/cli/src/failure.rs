//! What the user is told when a command cannot go on: one message, one remedy, one exit code.

use std::io::Write as _;
use std::process::ExitCode;

/// The input or a tool failed.
pub const BROKEN: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// A host tool or the plugin is not installed; the shell's own code for a missing command.
pub const MISSING: u8 = 127;

/// A failed command.
#[derive(Debug)]
pub struct Failure {
    message: String,
    remedy: Option<String>,
    code: u8,
}

impl Failure {
    /// Broken input, or a tool that failed on it.
    pub fn broken(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), remedy: None, code: BROKEN }
    }

    /// A wrong command line.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), remedy: None, code: USAGE }
    }

    /// Something that should have been installed.
    pub fn missing(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), remedy: None, code: MISSING }
    }

    /// The same with a way out.
    pub fn remedy(self, remedy: impl Into<String>) -> Failure {
        Failure { remedy: Some(remedy.into()), ..self }
    }

    /// The same about one of several inputs.
    pub fn about(self, what: &str) -> Failure {
        Failure { message: format!("{what}: {}", self.message), ..self }
    }

    /// The same after a program that ended with this code: it passes through, unless it says that all was well.
    pub fn after(self, code: u8) -> Failure {
        Failure { code: if code == 0 { self.code } else { code }, ..self }
    }

    /// The message without its remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints it, and gives the exit code.
    pub fn report(&self) -> ExitCode {
        say(&format!("error: {}", self.message));
        if let Some(remedy) = &self.remedy {
            say(&format!("help: {remedy}"));
        }
        ExitCode::from(self.code)
    }
}

/// A line on standard error. There is nobody left to tell when that is closed.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "orthant: {line}");
}

/// Text on standard error as it is.
pub fn say_raw(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
