//! Who may depend on whom.
//!
//! [`WALLS`] is the whole truth: a crate depends on the crates in its row and no others of the workspace.
//! Mathematics (`isl`) knows no program; the model and the algorithms know no LLVM and no I/O; the outside
//! world comes last. A dependency from outside that reaches through a wall ([`RESERVED`]) is tied to the
//! crates behind it. Tests may in addition use `filetests`.

use super::Problem;
use crate::workspace::{Dependency, Package};

/// For each crate, the crates of the workspace it may use.
const WALLS: &[(&str, &[&str])] = &[
    // Wall 1: mathematics.
    ("isl", &[]),
    // Wall 2: the model and the algorithms.
    ("model", &["isl"]),
    ("options", &[]),
    ("report", &["model"]),
    ("fold", &["isl", "model"]),
    ("imp", &["isl", "model"]),
    // Wall 3: the outside world.
    ("llvm", &["isl", "model", "options", "report"]),
    ("driver", &["isl", "model", "options", "report", "llvm"]),
    ("plugin", &["isl", "model", "options", "report", "llvm", "driver"]),
    ("cli", &["isl", "model", "options", "report", "imp", "fold"]),
    ("filetests", &[]),
    ("xtask", &["options"]),
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
    let Some((_, allowed)) = WALLS.iter().find(|(crate_name, _)| crate_name == name) else {
        let message = "this crate has no row in the table of walls: decide what it may depend on, add a row to WALLS \
                       in crates/xtask/src/tidy/edges.rs and to the code map in docs/architecture.md";
        return vec![Problem::new(manifest, None, message)];
    };
    let wrong = package.dependencies.iter().filter_map(|d| objection(name, allowed, d));
    wrong.map(|message| Problem::new(&manifest, None, message)).collect()
}

fn objection(from: &str, allowed: &[&str], to: &Dependency) -> Option<String> {
    let Dependency { name, local, dev } = to;
    if *local {
        let fine = allowed.contains(&name.as_str()) || (*dev && name == "filetests");
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
    fn tests_may_use_the_harness_and_nothing_else_may() {
        assert!(check(&[package("imp", "filetests", true, true)]).is_empty());
        assert_eq!(check(&[package("imp", "filetests", true, false)]).len(), 1);
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        assert!(check(&[package("novel", "serde", false, false)])[0].message.contains("no row"));
    }

    #[test]
    fn the_table_has_no_cycle() {
        // Every crate uses only crates of earlier rows, except that llvm comes before driver and plugin.
        for (index, (name, allowed)) in WALLS.iter().enumerate() {
            for used in *allowed {
                let position = WALLS.iter().position(|(other, _)| other == used);
                assert!(position.is_some_and(|p| p < index), "{name} -> {used}");
            }
        }
    }
}
