//! The `orthant` command.
//!
//! The command never links LLVM. It finds the host's tools (clang-22, clang++-22, flang-22, opt-22, llc-22) and
//! `liborthant.so`, and runs the former with the latter: as a compiler driver it costs one `exec`, without
//! LLVM it still says what is missing, and it outlives LLVM's crash on a damaged input.
//!
//! | module | what it is |
//! |---|---|
//! | `args` | the command line, from [`options::TABLE`]: help, completions and man pages come from it |
//! | `cc` | `orthant cc`, `c++`, `fc`: drop-in compiler drivers |
//! | `opt` | `orthant opt`: IR in, IR or machine code out |
//! | `explain` | `orthant explain`: what was found in each loop nest, and why not more |
//! | `dataflow` | `orthant dataflow`: the dependences of an `imp` program |
//! | `fmt` | `orthant fmt`: the formatter of `imp` programs |
//! | `fold_command` | `orthant fold`: streams from other front ends |
//! | `profile` | `orthant profile`: what the loops of a running program do |
//! | `saved`, `rendered` | `orthant report`: saved profiles; profiles as JSON, HTML and SARIF |
//! | `tune` | `orthant tune`: options for single nests, by measuring |
//! | `cargo` | `cargo orthant`: Rust crates |
//! | `version`, `shell` | `orthant version`; `orthant completions` and `orthant man` |
//! | `tools`, `child`, `settings`, `output`, `failure` | shared: finding and running LLVM, options for the plugin, whole files or none, messages |
//!
//! Exit codes: 0 also when nothing could be optimized; 1 broken input or a failed tool; 2 wrong usage; 127 a host
//! tool or the plugin is missing. The drivers become the host compiler, so its exit code or signal is theirs.

mod args;
mod cargo;
mod cc;
mod child;
mod dataflow;
mod explain;
mod failure;
mod fmt;
mod fold_command;
mod opt;
mod output;
mod profile;
mod rendered;
mod saved;
mod settings;
mod shell;
mod tools;
mod tune;
mod version;

use failure::Failure;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// Runs `orthant` with the process's arguments.
pub fn main() -> ExitCode {
    finish(dispatch(std::env::args_os().collect()))
}

/// Runs `cargo orthant` with the process's arguments.
pub fn cargo_main() -> ExitCode {
    finish(cargo::main(std::env::args_os().collect()))
}

fn finish(result: Result<ExitCode, Failure>) -> ExitCode {
    result.unwrap_or_else(|failure| failure.report())
}

fn dispatch(argv: Vec<OsString>) -> Result<ExitCode, Failure> {
    if let Some((driver, arguments)) = driver(&argv) {
        return cc::run(driver, arguments);
    }
    match args::parse(argv)? {
        args::Parsed::Done(code) => Ok(code),
        args::Parsed::Run(name, matches) => match name.as_str() {
            "opt" => opt::run(&matches),
            "explain" => explain::run(&matches),
            "dataflow" => dataflow::run(&matches),
            "fmt" => fmt::run(&matches),
            "fold" => fold_command::run(&matches),
            "profile" => profile::run(&matches),
            "report" => saved::run(&matches),
            "tune" => tune::run(&matches),
            "version" => version::run(),
            "completions" => shell::completions(&matches),
            "man" => shell::man(&matches),
            _ => Err(Failure::usage(format!("'{name}' is no command of orthant"))),
        },
    }
}

/// The driver that is asked for, by `orthant cc ...` or by a link to the binary named `orthant-cc`, and its arguments.
/// The drivers do not go through clap: every argument, valid Unicode or not, belongs to the compiler.
fn driver(argv: &[OsString]) -> Option<(cc::Driver, &[OsString])> {
    let called = Path::new(argv.first()?).file_name().and_then(OsStr::to_str).unwrap_or_default();
    if let Some(driver) = called.strip_prefix("orthant-").and_then(cc::Driver::named) {
        return Some((driver, &argv[1..]));
    }
    let driver = cc::Driver::named(argv.get(1)?.to_str()?)?;
    Some((driver, &argv[2..]))
}
