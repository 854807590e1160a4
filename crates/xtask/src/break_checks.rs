//! `cargo xtask break-checks`: can the test of each kind of assumption fail?
//!
//! The tests of violated assumptions (`cargo test -p filetests --test violations`) run once with all checks, when they must
//! pass, and once for each kind with the tests of that kind left out of the emitted checks, when at least one must fail:
//! the one that would notice if Orthant forgot to test that kind. The plugin is a build of its own for this
//! (feature `drop-checks`); the usual one is built again at the end.

use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};

/// The kinds, as reports name them.
const KINDS: [&str; 8] = [
    "invariant-load",
    "no-wrap",
    "bounded-loop",
    "in-bounds",
    "shape",
    "no-overlap",
    "no-error",
    "moderate-size",
];

/// Runs the task.
pub fn run(ws: &Workspace) -> Outcome {
    setup::ensure()?;
    ws.with_droppable_checks(Profile::Dev, |_| {
        let all = failures(ws, "")?;
        if !all.is_empty() {
            return Err(Failure::failed(format!("with all checks these fail: {}", all.join(", "))));
        }
        println!("{:<16} tests of violations that fail without it", "kind");
        let mut unnoticed = Vec::new();
        for kind in KINDS {
            let failed = failures(ws, kind)?;
            println!("{kind:<16} {}", if failed.is_empty() { "none".to_owned() } else { failed.join(", ") });
            if failed.is_empty() {
                unnoticed.push(kind);
            }
        }
        println!(
            "{} of {} kinds are noticed when they are not tested",
            KINDS.len() - unnoticed.len(),
            KINDS.len()
        );
        match unnoticed.is_empty() {
            true => Ok(()),
            false => Err(Failure::failed(format!("no test needs these checks: {}", unnoticed.join(", ")))),
        }
    })
}

/// The tests that fail without the checks of a kind.
fn failures(ws: &Workspace, kind: &str) -> Outcome<Vec<String>> {
    let mut tests = ws.cargo("test");
    tests.args(["-p", "filetests", "--test", "violations"]).env("ORTHANT_DROP_CHECKS", kind);
    let output = command::raw_output(&mut tests)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match results(&said) {
        (0, _) => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Failure::failed(format!("{} ran no tests:\n{errors}", command::shown(&tests))))
        }
        (_, failed) => Ok(failed),
    }
}

/// How many tests ran, and which of them failed.
fn results(said: &str) -> (usize, Vec<String>) {
    let tests = said.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let tests: Vec<_> = tests.collect();
    let failed = tests.iter().filter(|(_, result)| *result == "FAILED");
    (tests.len(), failed.map(|(name, _)| (*name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_found() {
        let said = "running 2 tests\ntest a_b ... ok\ntest c ... FAILED\n\nfailures:\n---- c stdout ----\n";
        assert_eq!(results(said), (2, vec!["c".to_owned()]));
        assert_eq!(results("error: could not compile").0, 0);
    }
}
