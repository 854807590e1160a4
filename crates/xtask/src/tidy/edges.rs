//! Who may depend on whom.
//!
//! [`CRATES`] is the whole truth: a crate depends on the crates in its row and no others of the workspace.
//! Mathematics (`isl`) knows no program; the model and the algorithms know no LLVM and no I/O; the outside
//! world comes last. Tests are freer, but not across walls: they may use any crate that is not behind a later
//! wall than their own, and the harness `filetests`. A dependency from outside the workspace that reaches
//! through a wall ([`RESERVED`]) is tied to the crates behind it.

use super::Problem;
use crate::workspace::{Dependency, Package};

/// The crates in an order in which each uses only earlier ones: its name, its wall, and what it may use.
const CRATES: &[(&str, u8, &[&str])] = &[
    // Wall 1: mathematics.
    ("isl", 1, &[]),
    // Wall 2: the model and the algorithms.
    ("model", 2, &["isl"]),
    ("options", 2, &[]),
    ("report", 2, &["model"]),
    ("delinearize", 2, &["isl", "model"]),
    ("dataflow", 2, &["isl", "model"]),
    ("delicm", 2, &["isl", "model", "dataflow"]),
    ("schedule", 2, &["isl", "model", "dataflow"]),
    ("astgen", 2, &["isl", "model"]),
    ("assume", 2, &["isl", "model", "astgen"]),
    ("interp", 2, &["isl", "model", "astgen"]),
    ("imp", 2, &["isl", "model", "dataflow", "interp"]),
    ("fold", 2, &["isl", "model"]),
    ("trace", 2, &["isl", "model", "fold"]),
    ("advise", 2, &["isl", "model", "trace"]),
    ("present", 2, &["isl", "model", "report", "trace", "advise"]),
    // Wall 3: the outside world.
    ("llvm", 3, &["isl", "model", "options", "report", "delinearize", "assume", "astgen"]),
    ("qemu", 3, &["model", "trace"]),
    (
        "driver",
        3,
        &[
            "isl",
            "model",
            "options",
            "report",
            "delinearize",
            "assume",
            "dataflow",
            "delicm",
            "schedule",
            "astgen",
            "llvm",
        ],
    ),
    ("plugin", 3, &["isl", "model", "options", "report", "llvm", "driver"]),
    (
        "cli",
        3,
        &[
            "isl", "model", "options", "report", "dataflow", "schedule", "astgen", "interp", "imp", "fold",
            "trace", "qemu", "advise", "present",
        ],
    ),
    ("filetests", 3, &[]),
    ("progen", 3, &["report"]),
    ("xtask", 3, &["options"]),
];

/// Outside crates that only some of ours may name.
const RESERVED: &[(&str, &[&str])] =
    &[("bindgen", &["isl"]), ("cc", &["isl", "llvm"]), ("inkwell", &["llvm"]), ("llvm-sys", &["llvm"])];

/// All edges that the tables do not allow.
pub fn check(packages: &[Package]) -> Vec<Problem> {
    packages.iter().flat_map(check_package).collect()
}

fn check_package(package: &Package) -> Vec<Problem> {
    let name = &package.name;
    let manifest = format!("crates/{name}/Cargo.toml");
    let Some(row) = row(name) else {
        let message = "this crate has no row in the table of walls: decide what it may depend on, add a row to CRATES \
                       in crates/xtask/src/tidy/edges.rs and to the code map in docs/architecture.md";
        return vec![Problem::new(manifest, None, message)];
    };
    let wrong = package.dependencies.iter().filter_map(|d| objection(row, d));
    wrong.map(|message| Problem::new(&manifest, None, message)).collect()
}

type Row = (&'static str, u8, &'static [&'static str]);

fn row(name: &str) -> Option<Row> {
    CRATES.iter().find(|row| row.0 == name).copied()
}

fn objection((from, wall, allowed): Row, to: &Dependency) -> Option<String> {
    let Dependency { name, local, dev } = to;
    if *local {
        let for_tests = name == "filetests" || row(name).is_some_and(|(_, other, _)| other <= wall);
        let fine = allowed.contains(&name.as_str()) || (*dev && for_tests);
        return (!fine).then(|| {
            format!(
                "{from} must not depend on {name} (docs/architecture.md, the walls): move the code to where it belongs, \
                 or hand in what is needed as a parameter"
            )
        });
    }
    let (_, owners) = RESERVED.iter().find(|(reserved, _)| reserved == name)?;
    (!owners.contains(&from)).then(|| {
        format!("{name} is for {} only; add what {from} needs to that crate's interface", owners.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, to: &str, local: bool, dev: bool) -> Package {
        Package { name: name.into(), dependencies: vec![Dependency { name: to.into(), local, dev }] }
    }

    #[test]
    fn the_model_must_not_reach_llvm() {
        let problems = check(&[package("model", "llvm", true, false)]);
        assert!(problems[0].message.contains("model must not depend on llvm"), "{problems:?}");
        assert!(check(&[package("report", "model", true, false)]).is_empty());
    }

    #[test]
    fn only_the_llvm_crate_names_llvm_sys() {
        assert_eq!(check(&[package("driver", "llvm-sys", false, false)]).len(), 1);
        assert!(check(&[package("llvm", "llvm-sys", false, false)]).is_empty());
    }

    #[test]
    fn tests_may_use_the_harness_and_their_neighbours_but_nothing_else_may() {
        assert!(check(&[package("imp", "filetests", true, true)]).is_empty());
        assert_eq!(check(&[package("imp", "filetests", true, false)]).len(), 1);
        assert!(check(&[package("schedule", "interp", true, true)]).is_empty());
        assert_eq!(check(&[package("schedule", "interp", true, false)]).len(), 1);
        assert_eq!(check(&[package("schedule", "driver", true, true)]).len(), 1);
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        assert!(check(&[package("novel", "serde", false, false)])[0].message.contains("no row"));
    }

    #[test]
    fn the_table_has_no_cycle_and_no_edge_to_a_later_wall() {
        for (index, (name, wall, allowed)) in CRATES.iter().enumerate() {
            for used in *allowed {
                let earlier = CRATES[..index].iter().find(|row| row.0 == *used);
                assert!(earlier.is_some_and(|row| row.1 <= *wall), "{name} -> {used}");
            }
        }
    }

    #[test]
    fn the_command_does_not_link_llvm() {
        let mut reached = vec!["cli"];
        while let Some(name) = reached.pop() {
            assert!(name != "llvm" && name != "driver", "the command must not reach {name}");
            reached.extend(row(name).unwrap().2);
        }
    }
}
