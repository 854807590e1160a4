//! The programs that tests of the whole tree run.
//!
//! | word | program |
//! |---|---|
//! | `orthant` | the command, from the same target folder and profile as the test itself |
//! | `clang`, `clang++`, `flang` | LLVM's, with `-fpass-plugin=` of the plugin built beside it |
//! | `opt` | LLVM's, with `-load-pass-plugin=` of the same |
//! | `llvm TOOL` | any program of LLVM's (`llvm clang`, `llvm llvm-dis`), without the plugin |
//! | `rustc`, `cargo` | the toolchain's own, without the plugin: they make bitcode for `opt` |
//! | `cat`, `cmp` | the system's: to show or compare what an earlier command wrote |
//! | `run PROGRAM` | a program that an earlier command built |
//!
//! Orthant's own variables are removed from their environment, so that a test means the same everywhere.

use crate::command::Words;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Finds the programs.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The target folder of the running profile, `target/debug` for example.
    built: PathBuf,
    /// LLVM's folder of programs, or why there is none.
    llvm: Result<PathBuf, String>,
}

impl Toolchain {
    /// The programs built beside the running test, and those of the installed LLVM.
    pub fn beside_this_test() -> Result<Toolchain, String> {
        let test =
            std::env::current_exe().map_err(|error| format!("cannot find the running test: {error}"))?;
        let built = profile_folder(&test).ok_or_else(|| {
            format!("{} is not in a target folder: file tests are run by cargo", test.display())
        })?;
        Ok(Toolchain { built, llvm: llvm_programs() })
    }

    /// The plugin; it may not exist.
    pub fn plugin(&self) -> PathBuf {
        self.built.join("liborthant.so")
    }

    /// The program that a word means (see the module's table), with the plugin where it belongs, in a clean
    /// environment, ready for arguments.
    pub fn tool(&self, name: &str) -> Result<Command, String> {
        self.command(&Words { variables: Vec::new(), name: name.into(), args: Vec::new() })
    }

    /// The folder of LLVM's programs, if LLVM is installed.
    pub(crate) fn llvm_folder(&self) -> Option<&Path> {
        self.llvm.as_deref().ok()
    }

    /// One of LLVM's programs.
    pub fn llvm(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.llvm.clone()?;
        present(folder.join(name), "install LLVM 22: `cargo xtask setup`")
    }

    /// The program that a command line means, with its arguments and variables.
    pub(crate) fn command(&self, words: &Words) -> Result<Command, String> {
        let (program, plugin_flag) = match words.name.as_str() {
            "orthant" => (self.built_file("orthant")?, None),
            "clang" | "clang++" | "flang" => (self.llvm(&words.name)?, Some("-fpass-plugin=")),
            "opt" => (self.llvm("opt")?, Some("-load-pass-plugin=")),
            "llvm" => {
                let tool =
                    words.args.first().ok_or("`llvm` is followed by the name of one of LLVM's programs")?;
                return Ok(self.named(self.llvm(tool)?, words));
            }
            "run" => {
                let program = words.args.first().ok_or("`run` is followed by a program")?;
                return Ok(self.named(program.into(), words));
            }
            "cargo" => {
                let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
                let mut command = self.clean(cargo.into(), words);
                // Not in the folder that the cargo around this test holds.
                command.env("CARGO_TARGET_DIR", self.built.join("inputs")).args(&words.args);
                return Ok(command);
            }
            "rustc" => (std::env::var_os("RUSTC").unwrap_or("rustc".into()).into(), None),
            "cat" | "cmp" => (PathBuf::from(&words.name), None),
            name => {
                return Err(format!(
                    "unknown command `{name}`; there are: orthant, clang, clang++, flang, opt, rustc, cargo, cat, cmp, run PROGRAM, llvm TOOL"
                ));
            }
        };
        let mut command = self.clean(program, words);
        if let Some(flag) = plugin_flag {
            command.arg(format!("{flag}{}", self.built_file("liborthant.so")?.display()));
        }
        command.args(&words.args);
        Ok(command)
    }

    /// A program that is named by the first argument, with the others.
    fn named(&self, program: PathBuf, words: &Words) -> Command {
        let mut command = self.clean(program, words);
        command.args(&words.args[1..]);
        command
    }

    /// A program without Orthant's and cargo's own variables, but with those of the command line.
    fn clean(&self, program: PathBuf, words: &Words) -> Command {
        let mut command = Command::new(program);
        let own =
            std::env::vars_os().map(|(name, _)| name).filter(|name| is_own_variable(&name.to_string_lossy()));
        for name in own {
            command.env_remove(name);
        }
        // Tests are small.
        command.env("ORTHANT_OPTS", "least-length=0");
        command.env("LC_ALL", "C").envs(words.variables.iter().cloned());
        command
    }

    fn built_file(&self, name: &str) -> Result<PathBuf, String> {
        present(
            self.built.join(name),
            "build it first, with the same profile and CARGO_TARGET_DIR: `cargo build -p plugin -p cli` \
             (`cargo xtask test` does)",
        )
    }
}

/// Whether a variable could change what a command does from outside the test.
fn is_own_variable(name: &str) -> bool {
    name.starts_with("ORTHANT_") || matches!(name, "RUSTC_WRAPPER" | "RUSTFLAGS" | "CARGO_ENCODED_RUSTFLAGS")
}

fn present(path: PathBuf, remedy: &str) -> Result<PathBuf, String> {
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("{} is missing; {remedy}", path.display())),
    }
}

/// `target/debug/deps/files-0123` is in `target/debug`.
fn profile_folder(test: &Path) -> Option<PathBuf> {
    let deps = test.parent()?;
    (deps.file_name()? == "deps").then(|| deps.parent().map(Path::to_path_buf))?
}

/// Where LLVM's programs are: `$LLVM_CONFIG`, or `llvm-config-22`, knows.
fn llvm_programs() -> Result<PathBuf, String> {
    let config = std::env::var("LLVM_CONFIG").unwrap_or("llvm-config-22".into());
    let output = Command::new(&config).arg("--bindir").output();
    let output = output
        .map_err(|error| format!("cannot run {config}: {error}; install LLVM 22: `cargo xtask setup`"))?;
    match output.status.success() {
        true => Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())),
        false => Err(format!("{config} --bindir failed ({})", output.status)),
    }
}

/// LLVM's FileCheck.
pub fn find_file_check() -> Result<PathBuf, String> {
    present(llvm_programs()?.join("FileCheck"), "install LLVM 22's tools: `cargo xtask setup`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(built: &Path) -> Toolchain {
        Toolchain { built: built.to_path_buf(), llvm: Ok(built.to_path_buf()) }
    }

    fn words(name: &str, args: &[&str]) -> Words {
        let args = args.iter().map(|a| a.to_string()).collect();
        Words { variables: vec![("A".into(), "1".into())], name: name.into(), args }
    }

    #[test]
    fn the_profile_folder_is_above_deps() {
        let folder = |path: &str| profile_folder(Path::new(path));
        assert_eq!(folder("/x/target/debug/deps/files-01"), Some("/x/target/debug".into()));
        assert_eq!(folder("/my/t/x86_64-foo/release/deps/files-01"), Some("/my/t/x86_64-foo/release".into()));
        assert_eq!(folder("/usr/bin/files"), None);
    }

    #[test]
    fn missing_things_and_unknown_commands_are_said() {
        let empty = tempfile::tempdir().unwrap();
        let toolchain = toolchain(empty.path());
        let error = toolchain.command(&words("orthant", &[])).unwrap_err();
        assert!(error.contains("cargo build -p plugin -p cli"), "{error}");
        assert!(toolchain.command(&words("clang", &[])).unwrap_err().contains("cargo xtask setup"));
        assert!(toolchain.command(&words("llvm", &[])).unwrap_err().contains("followed by"));
        assert!(toolchain.command(&words("gcc", &[])).unwrap_err().contains("unknown command `gcc`"));
    }

    #[test]
    fn compilers_are_given_the_plugin() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["clang", "opt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let toolchain = toolchain(folder.path());
        assert!(
            toolchain.command(&words("clang", &["-c"])).unwrap_err().contains("liborthant.so is missing")
        );
        std::fs::write(toolchain.plugin(), "").unwrap();
        let args = |words: Words| -> Vec<String> {
            let command = toolchain.command(&words).unwrap();
            command.get_args().map(|arg| arg.to_str().unwrap().to_string()).collect()
        };
        let plugin = toolchain.plugin().display().to_string();
        assert_eq!(args(words("clang", &["-c"])), [format!("-fpass-plugin={plugin}"), "-c".into()]);
        assert_eq!(args(words("opt", &["-S"])), [format!("-load-pass-plugin={plugin}"), "-S".into()]);
        assert_eq!(args(words("llvm", &["clang", "-c"])), ["-c"]);
    }
}
