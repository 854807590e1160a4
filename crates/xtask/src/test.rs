//! `cargo xtask test` and `cargo xtask bless`.
//!
//! Before the tests, two properties of the finished binaries are checked that no test inside them can see:
//! LLVM's shared library exports its own copy of isl, so a plugin that *imports* an `isl_` symbol, or a
//! command that *exports* one, would mix the two copies at run time.

use crate::workspace::{Built, Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use std::path::Path;
use std::process::Command;

/// Set-up, build, symbol checks, `cargo test`.
pub fn run(ws: &Workspace, rest: &[String]) -> Outcome {
    setup::ensure()?;
    let built = ws.build(Profile::Dev)?;
    // The tests run even if this fails: one run should tell everything.
    let symbols = check_symbols(&built);
    if let Err(Failure::Failed(message) | Failure::Missing(message)) = &symbols {
        eprintln!("error: {message}");
    }
    let tests = command::run(ws.cargo("test").arg("--workspace").args(rest));
    tests.and(symbols)
}

/// Runs the file tests in the mode that rewrites what they expect.
pub fn bless(ws: &Workspace, rest: &[String]) -> Outcome {
    setup::ensure()?;
    ws.build(Profile::Dev)?;
    command::run(ws.cargo("test").args(["--workspace", "--test", "files", "--"]).args(rest).env("BLESS", "1"))
}

fn check_symbols(built: &Built) -> Outcome {
    let imported = symbols(&built.plugin, "--undefined-only")?;
    let exported = symbols(&built.plugin, "--defined-only")?;
    let exported_by_command = symbols(&built.orthant, "--defined-only")?;
    let problem = plugin_problem(&imported, &exported).or_else(|| command_problem(&exported_by_command));
    match problem {
        None => {
            println!("symbols: the plugin imports no isl symbol, the command exports none");
            Ok(())
        }
        Some(problem) => Err(Failure::failed(problem)),
    }
}

fn symbols(binary: &Path, which: &str) -> Outcome<Vec<String>> {
    let mut nm = Command::new("nm");
    nm.args(["--dynamic", "--format=just-symbols", which]).arg(binary);
    Ok(command::output(&mut nm)?.lines().map(str::to_owned).collect())
}

fn plugin_problem(imported: &[String], exported: &[String]) -> Option<String> {
    const ENTRY: &str = "llvmGetPassPluginInfo";
    if !exported.iter().any(|name| name == ENTRY) {
        return Some(format!("liborthant.so does not export {ENTRY}, so no compiler can load it"));
    }
    let isl = of_isl(imported)?;
    Some(format!(
        "liborthant.so imports isl symbols ({isl}); at run time they would be taken from LLVM's own copy of isl. \
         isl must be linked statically: see crates/isl/build.rs"
    ))
}

fn command_problem(exported: &[String]) -> Option<String> {
    let isl = of_isl(exported)?;
    Some(format!(
        "the orthant command exports isl symbols ({isl}); hide them with -Wl,--exclude-libs,ALL: see crates/cli/build.rs"
    ))
}

/// The isl symbols among these, shortened for a message, if there are any.
fn of_isl(symbols: &[String]) -> Option<String> {
    let found: Vec<_> = symbols.iter().filter(|name| name.starts_with("isl_")).map(String::as_str).collect();
    match found.len() {
        0 => None,
        n if n <= 3 => Some(found.join(", ")),
        n => Some(format!("{}, ... {n} in all", found[..3].join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn an_imported_isl_symbol_is_reported() {
        let entry = names(&["llvmGetPassPluginInfo"]);
        assert_eq!(plugin_problem(&names(&["malloc", "misl_no"]), &entry), None);
        let problem = plugin_problem(&names(&["isl_set_copy", "malloc"]), &entry).unwrap();
        assert!(problem.contains("isl_set_copy"), "{problem}");
    }

    #[test]
    fn a_plugin_without_entry_point_is_reported() {
        assert!(plugin_problem(&[], &names(&["main"])).unwrap().contains("llvmGetPassPluginInfo"));
    }

    #[test]
    fn an_exported_isl_symbol_is_reported() {
        assert_eq!(command_problem(&names(&["main"])), None);
        let many = names(&["isl_a", "isl_b", "isl_c", "isl_d"]);
        assert!(command_problem(&many).unwrap().contains("4 in all"));
    }
}
