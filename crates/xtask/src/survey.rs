//! `cargo xtask survey DIR|compile_commands.json`: how many nests of a code base are modelled with and without assumptions.
//!
//! `orthant explain` looks at every file twice, with `assumptions=all` and `assumptions=none`, up to the stage `assume`; nothing is
//! emitted. A folder without a compilation database is searched for sources; files that do not compile on their own are
//! left out, which explain says. The tables are those of paper 002: nests by outcome (Figure 15), and for each kind of
//! assumption how often it is taken and how often it is not implied by others (Figure 16). A nest is *non-trivial* if it
//! has at least two loops; the paper also counts single loops with two statements, which reports do not tell.

use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Nests of one run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Nests {
    /// All of them.
    all: usize,
    /// Those with a model.
    modelled: usize,
    /// Those with a model and at least two loops.
    deep: usize,
    /// Those whose assumptions never hold.
    infeasible: usize,
    /// By kind: taken, and not implied.
    kinds: BTreeMap<String, (usize, usize)>,
}

/// Runs the task.
pub fn run(ws: &Workspace, path: &Path) -> Outcome {
    // A wrong path is not worth the time of a build.
    let sources = sources(path)?;
    let orthant = ws.build(Profile::Dev)?.orthant;
    let with = Nests::of(&explain(&orthant, &sources, "all")?);
    let without = Nests::of(&explain(&orthant, &sources, "none")?);
    print!("{}", table(&with, &without));
    Ok(())
}

/// What explain is asked about: a database, or files.
fn sources(path: &Path) -> Outcome<Vec<PathBuf>> {
    let database = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    if database.is_file() {
        return Ok(vec!["-p".into(), database]);
    }
    let mut files = Vec::new();
    find(path, &mut files).map_err(|error| Failure::Missing(format!("{}: {error}", path.display())))?;
    files.sort();
    match files.is_empty() {
        true => Err(Failure::Missing(format!("there are no sources in {}", path.display()))),
        false => Ok(files),
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_source = path
            .extension()
            .is_some_and(|ending| ["c", "cc", "cpp", "cxx", "f", "f90"].iter().any(|known| ending == *known));
        if path.is_dir() && !path.is_symlink() {
            find(&path, files)?;
        } else if is_source {
            files.push(path);
        }
    }
    Ok(())
}

/// What explain says, as JSON. It fails if one file does; the others count.
fn explain(orthant: &Path, sources: &[PathBuf], assumptions: &str) -> Outcome<Value> {
    let mut command = Command::new(orthant);
    command.args(["explain", "--json", "--stop-after", "assume", "--assumptions", assumptions]).args(sources);
    let output = command::raw_output(&mut command)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    eprintln!("assumptions={assumptions}: {} messages of the compilers", errors.lines().count());
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Failure::failed(format!("{}: {error}\n{errors}", command::shown(&command))))
}

impl Nests {
    fn of(document: &Value) -> Nests {
        let mut nests = Nests::default();
        let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
        for nest in list(document, "functions").iter().flat_map(|function| list(function, "nests")) {
            nests.add(&nest, &list(&nest, "assumptions"));
        }
        nests
    }

    fn add(&mut self, nest: &Value, assumptions: &[Value]) {
        self.all += 1;
        if nest["outcome"]["outcome"] == "rejected" {
            let reasons = nest["outcome"]["refusals"].as_array().into_iter().flatten();
            self.infeasible +=
                usize::from(reasons.into_iter().any(|reason| reason["id"] == "infeasible-assumption"));
            return;
        }
        self.modelled += 1;
        self.deep += usize::from(nest["loops"].as_u64() >= Some(2));
        for assumption in assumptions {
            let kind = assumption["kind"].as_str().unwrap_or("?").to_owned();
            let (taken, needed) = self.kinds.entry(kind).or_default();
            *taken += 1;
            *needed += usize::from(assumption["is_implied"] != true);
        }
    }
}

fn table(with: &Nests, without: &Nests) -> String {
    let factor = |a: usize, b: usize| match b {
        0 => "-".to_owned(),
        _ => format!("{:.1}", a as f64 / b as f64),
    };
    let mut text = String::from("| | with assumptions | without | factor |\n|---|---|---|---|\n");
    for (name, a, b) in [
        ("loop nests", with.all, without.all),
        ("modelled", with.modelled, without.modelled),
        ("modelled, two loops or more", with.deep, without.deep),
        ("assumptions never hold", with.infeasible, without.infeasible),
    ] {
        text += &format!("| {name} | {a} | {b} | {} |\n", factor(a, b));
    }
    text += "\n| kind | taken | not implied |\n|---|---|---|\n";
    for (kind, (taken, needed)) in &with.kinds {
        text += &format!("| {kind} | {taken} | {needed} |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nests_and_kinds_are_counted() {
        let document = serde_json::json!({"functions": [{"nests": [
            {"loops": 2, "outcome": {"outcome": "candidate"}, "assumptions": [
                {"kind": "no-wrap", "is_implied": true}, {"kind": "no-wrap", "is_implied": false}]},
            {"loops": 1, "outcome": {"outcome": "kept", "reason": "x"}},
            {"loops": 1, "outcome": {"outcome": "rejected", "refusals": [{"id": "infeasible-assumption"}]}},
        ]}]});
        let nests = Nests::of(&document);
        assert_eq!((nests.all, nests.modelled, nests.deep, nests.infeasible), (3, 2, 1, 1));
        assert_eq!(nests.kinds["no-wrap"], (2, 1));
        assert!(table(&nests, &Nests::default()).contains("| no-wrap | 2 | 1 |"));
    }
}
