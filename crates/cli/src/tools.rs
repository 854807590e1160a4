//! Finding the host's tools and the plugin.
//!
//! A tool is the value of its variable (`ORTHANT_CLANG`, ...), else found by its versioned name on `PATH`, else in
//! the folder that `llvm-config-22 --bindir` prints. The plugin is `ORTHANT_PLUGIN`, else `liborthant.so` beside the
//! executable, in `../lib`, or in `../lib/orthant`; QEMU's plugin likewise. No version is checked here: the plugin itself refuses a host
//! of another LLVM version, and asking every compiler for its version would double the cost of a driver.

use crate::failure::Failure;
use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of the host's LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// clang-22
    Clang,
    /// clang++-22
    ClangCxx,
    /// flang-22
    Flang,
    /// opt-22
    Opt,
    /// llc-22
    Llc,
}

impl Tool {
    /// The name that Debian installs.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Clang => "clang-22",
            Tool::ClangCxx => "clang++-22",
            Tool::Flang => "flang-22",
            Tool::Opt => "opt-22",
            Tool::Llc => "llc-22",
        }
    }

    /// The variable that overrides it.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::Clang => "ORTHANT_CLANG",
            Tool::ClangCxx => "ORTHANT_CLANGXX",
            Tool::Flang => "ORTHANT_FLANG",
            Tool::Opt => "ORTHANT_OPT",
            Tool::Llc => "ORTHANT_LLC",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Tool::Clang | Tool::ClangCxx => "clang-22",
            Tool::Flang => "flang-22",
            Tool::Opt | Tool::Llc => "llvm-22",
        }
    }

    /// Where it is.
    pub fn find(self) -> Result<PathBuf, Failure> {
        if let Some(given) = variable(self.variable()) {
            return on_path(&given).ok_or_else(|| {
                Failure::missing(format!(
                    "{} names {}, which is no program",
                    self.variable(),
                    given.display()
                ))
                .remedy(format!(
                    "unset {}, or let it name {}",
                    self.variable(),
                    self.name()
                ))
            });
        }
        on_path(Path::new(self.name())).or_else(|| self.in_llvm()).ok_or_else(|| {
            Failure::missing(format!("{} is not installed", self.name())).remedy(format!(
                "apt-get install {} (or `cargo xtask setup` in Orthant's sources), or set {}",
                self.package(),
                self.variable()
            ))
        })
    }

    fn in_llvm(self) -> Option<PathBuf> {
        let answer = Command::new("llvm-config-22").arg("--bindir").output().ok()?;
        let folder = String::from_utf8(answer.stdout).ok()?;
        let plain = self.name().trim_end_matches("-22");
        Some(Path::new(folder.trim()).join(plain)).filter(|file| executable(file))
    }
}

/// The plugin's file name.
pub const PLUGIN: &str = "liborthant.so";

/// The compiler's plugin as an absolute path, so that the host's loader does not search for it.
pub fn plugin() -> Result<PathBuf, Failure> {
    library(PLUGIN, "ORTHANT_PLUGIN")
}

/// QEMU's plugin as an absolute path.
pub fn qemu_plugin() -> Result<PathBuf, Failure> {
    library(orthant_qemu::PLUGIN, "ORTHANT_QEMU_PLUGIN")
}

/// QEMU's user mode for x86-64.
pub fn qemu() -> Result<PathBuf, Failure> {
    let given = variable("ORTHANT_QEMU");
    let name = given.clone().unwrap_or_else(|| "qemu-x86_64".into());
    on_path(&name).ok_or_else(|| match given {
        Some(given) => {
            Failure::missing(format!("ORTHANT_QEMU names {}, which is no program", given.display()))
                .remedy("unset it, or let it name qemu-x86_64")
        }
        None => Failure::missing("qemu-x86_64 is not installed").remedy(
            "apt-get install qemu-user (or `cargo xtask setup` in Orthant's sources), or set ORTHANT_QEMU",
        ),
    })
}

/// A library of ours: named by a variable, or beside the executable, where cargo builds libraries, or where libraries
/// are installed.
fn library(name: &str, given_by: &str) -> Result<PathBuf, Failure> {
    if let Some(given) = variable(given_by) {
        let known = std::path::absolute(&given).ok().filter(|file| file.is_file());
        return known.ok_or_else(|| {
            Failure::missing(format!("{given_by} names {}, which is no file", given.display()))
                .remedy(format!("unset it, or let it name {name}"))
        });
    }
    let executable = env::current_exe().unwrap_or_default();
    let real = executable.canonicalize().unwrap_or_else(|_| executable.clone());
    let folders = [real, executable].into_iter().filter_map(|file| file.parent().map(Path::to_owned));
    let candidates = folders
        .flat_map(|folder| ["", "../lib", "../lib/orthant", "deps"].map(|place| folder.join(place)))
        .map(|folder| folder.join(name));
    candidates.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        Failure::missing(format!(
            "{name} is neither beside the orthant executable nor in ../lib or ../lib/orthant"
        ))
        .remedy(format!("build it with `cargo build --release`, or set {given_by} to its path"))
    })
}

/// A program as the shell finds it.
pub fn program(name: &Path) -> Option<PathBuf> {
    on_path(name)
}

/// A variable that says something.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The program as the shell would find it: a path as it stands, a bare name along `PATH`.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return executable(program).then(|| program.to_owned());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| executable(file))
}

fn executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
