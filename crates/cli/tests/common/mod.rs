//! What the tests of the command share: the command in a clean environment, fake compilers that record how they
//! were called, and the real plugin.

#![allow(dead_code)] // each test binary uses its part

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A program in an environment without Orthant's variables.
pub fn clean(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("ORTHANT_")
            || text.starts_with("CARGO")
            || matches!(&*text, "RUSTC_WRAPPER" | "RUSTFLAGS")
        {
            command.env_remove(&name);
        }
    }
    command
}

/// The command.
pub fn orthant() -> Command {
    clean(env!("CARGO_BIN_EXE_orthant"))
}

/// The plugin that `cargo xtask test` builds before it runs the tests.
pub fn plugin() -> PathBuf {
    let beside = Path::new(env!("CARGO_BIN_EXE_orthant")).with_file_name("liborthant.so");
    let plugin = std::env::var_os("ORTHANT_PLUGIN").map_or(beside, PathBuf::from);
    assert!(
        plugin.is_file(),
        "{} is missing: run `cargo xtask test`, which builds it first",
        plugin.display()
    );
    plugin
}

/// The command with the real plugin.
pub fn orthant_with_plugin() -> Command {
    let mut command = orthant();
    command.env("ORTHANT_PLUGIN", plugin());
    command
}

/// A folder with a fake plugin and a fake of each tool, whose script ends with the given lines.
pub struct Fakes {
    pub folder: tempfile::TempDir,
}

/// Names and variables of the tools.
pub const TOOLS: [(&str, &str); 5] = [
    ("clang", "ORTHANT_CLANG"),
    ("clang++", "ORTHANT_CLANGXX"),
    ("flang", "ORTHANT_FLANG"),
    ("opt", "ORTHANT_OPT"),
    ("llc", "ORTHANT_LLC"),
];

impl Fakes {
    pub fn new(script: &str) -> Fakes {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("liborthant.so"), "").unwrap();
        for (name, _) in TOOLS {
            let record =
                "printf '%s\\n' \"$0\" \"$@\" > \"$RECORD\"; printf '%s' \"$ORTHANT_OPTS\" > \"$RECORD.env\"";
            let file = folder.path().join(name);
            std::fs::write(&file, format!("#!/bin/sh\n{record}\n{script}\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Fakes { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn plugin(&self) -> String {
        self.path("liborthant.so").display().to_string()
    }

    /// Lets a command use the fakes.
    pub fn give(&self, mut command: Command) -> Command {
        for (name, variable) in TOOLS {
            command.env(variable, self.path(name));
        }
        command.env("ORTHANT_PLUGIN", self.path("liborthant.so")).env("RECORD", self.path("record"));
        command
    }

    pub fn orthant(&self) -> Command {
        self.give(orthant())
    }

    /// The tool that was called last, and its arguments.
    pub fn called(&self) -> (String, Vec<String>) {
        let record = std::fs::read_to_string(self.path("record")).expect("no tool was called");
        let mut words = record.lines().map(str::to_owned);
        let program = words.next().unwrap();
        (program.rsplit('/').next().unwrap().to_owned(), words.collect())
    }

    /// The options that the tool's plugin would have seen in the environment.
    pub fn options(&self) -> String {
        std::fs::read_to_string(self.path("record.env")).unwrap().trim().to_owned()
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command whose program may just have been copied: a child that another thread started in that moment holds the
/// file open for writing until it runs its own program.
fn patient_output(command: &mut Command) -> Output {
    for _ in 0..100 {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            output => return output.unwrap(),
        }
    }
    command.output().unwrap()
}

/// Runs a command that must succeed.
#[track_caller]
pub fn succeeds(command: &mut Command) -> Output {
    let output = patient_output(command);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        stdout(&output),
        stderr(&output)
    );
    output
}

/// Runs a command that must fail with this exit code and a message of ours.
#[track_caller]
pub fn fails(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{command:?}\n{}{said}", stdout(&output));
    assert!(said.contains("orthant: error: "), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}
