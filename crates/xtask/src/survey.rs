//! `cargo xtask survey PATH...`: how many nests of code bases are modelled with and without assumptions.
//!
//! A path is a compilation database, a folder with one, or a folder of sources. `orthant explain` looks at every file up to the
//! stage `assume`; nothing is emitted. Files that do not compile on their own are left out and counted. `--files N` takes N files of each
//! path, at even distances in the order of their names.
//!
//! The tables are those of paper 002. A nest is *modelled* if its assumptions can hold, and modelled *without assumptions* if there is
//! nothing to be tested at run time (Figure 15); for each kind of assumption, how often it is taken and how often it is not
//! implied by others (Figure 16). A nest is *non-trivial* if it has at least two loops or two statements that touch
//! memory. Last come the reasons why nests are refused.

use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked for.
pub struct Request {
    /// Databases and folders.
    pub paths: Vec<PathBuf>,
    /// How many files of each.
    pub files: Option<usize>,
    /// How many compilers at once.
    pub jobs: Option<usize>,
}

/// Files that belong together.
struct Package {
    name: String,
    /// All of them.
    files: usize,
    /// Those that are looked at.
    taken: usize,
    /// What explain is asked about.
    sources: Vec<PathBuf>,
    /// A shorter database lives here.
    _folder: tempfile::TempDir,
}

/// Nests of one package, or of all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Nests {
    /// All of them.
    all: usize,
    /// Those with a model.
    modelled: Share,
    /// Those with a model that are not trivial.
    large: Share,
    /// Those whose assumptions never hold.
    infeasible: usize,
    /// By kind: taken, and not implied.
    kinds: BTreeMap<String, (usize, usize)>,
    /// Why nests are refused: all of them, and those of two loops or more.
    reasons: BTreeMap<String, (usize, usize)>,
}

/// Nests, and those among them that need nothing to be tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    with: usize,
    without: usize,
}

/// Runs the task.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    // A wrong path is not worth the time of a build.
    let packages =
        request.paths.iter().map(|path| package(path, request.files)).collect::<Outcome<Vec<_>>>()?;
    let orthant = ws.build(Profile::Dev)?.orthant;
    let mut total = Nests::default();
    println!("{HEAD}");
    for package in packages {
        let (document, failed) = explain(&orthant, &package.sources, request.jobs)?;
        let nests = Nests::of(&document);
        println!("{}", nests.row(&package, failed));
        total.add_all(nests);
    }
    print!("{}", total.tables());
    Ok(())
}

/// What explain is asked about: a database, or files.
fn package(path: &Path, most: Option<usize>) -> Outcome<Package> {
    let database = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let folder = tempfile::tempdir().map_err(|error| Failure::failed(error.to_string()))?;
    let bad = |error: &dyn std::fmt::Display| Failure::Missing(format!("{}: {error}", path.display()));
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let (files, taken, sources);
    if database.is_file() {
        let text = fs::read(&database).map_err(|error| bad(&error))?;
        let all: Vec<Value> = serde_json::from_slice(&text).map_err(|error| bad(&error))?;
        let some = evenly(&all, most);
        (files, taken) = (all.len(), some.len());
        let shorter = folder.path().join("compile_commands.json");
        let text = serde_json::to_string(&some).map_err(|error| bad(&error))?;
        fs::write(&shorter, text).map_err(|error| bad(&error))?;
        sources = vec!["-p".into(), shorter];
    } else {
        let mut all = Vec::new();
        find(path, &mut all).map_err(|error| bad(&error))?;
        all.sort();
        sources = evenly(&all, most);
        (files, taken) = (all.len(), sources.len());
    }
    match taken {
        0 => Err(bad(&"there are no sources")),
        _ => Ok(Package { name, files, taken, sources, _folder: folder }),
    }
}

/// That many of them, at even distances.
fn evenly<T: Clone>(all: &[T], most: Option<usize>) -> Vec<T> {
    let count = most.unwrap_or(all.len()).min(all.len());
    (0..count).map(|at| all[at * all.len() / count].clone()).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
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

/// What explain says, as JSON, and how many files it could not read. It fails if one file does; the others count.
fn explain(orthant: &Path, sources: &[PathBuf], jobs: Option<usize>) -> Outcome<(Value, usize)> {
    let mut command = Command::new(orthant);
    command.args(["explain", "--json", "--stop-after", "assume"]);
    command.args(jobs.map(|jobs| format!("--jobs={jobs}"))).args(sources);
    let output = command::raw_output(&mut command)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let failed = errors.lines().filter(|line| line.starts_with("orthant: error")).count();
    if output.stdout.is_empty() {
        return Ok((Value::Null, failed)); // no file could be read
    }
    let document = serde_json::from_slice(&output.stdout);
    Ok((document.map_err(|error| Failure::failed(format!("{}: {error}", command::shown(&command))))?, failed))
}

const HEAD: &str = "| package | files | compiled | nests | modelled | without assumptions | factor | non-trivial | without | \
                    factor |\n|---|---|---|---|---|---|---|---|---|---|";

impl Share {
    fn count(&mut self, needs_nothing: bool) {
        self.with += 1;
        self.without += usize::from(needs_nothing);
    }

    fn add(&mut self, more: Share) {
        self.with += more.with;
        self.without += more.without;
    }

    fn cells(self) -> String {
        let factor = match self.without {
            0 => "-".to_owned(),
            without => format!("{:.1}", self.with as f64 / without as f64),
        };
        format!("{} | {} | {factor}", self.with, self.without)
    }
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
        let is_deep = nest["loops"].as_u64() >= Some(2);
        if nest["outcome"]["outcome"] == "rejected" {
            let first = &nest["outcome"]["refusals"][0]["id"];
            let first = first.as_str().unwrap_or("?").to_owned();
            self.infeasible += usize::from(first == "infeasible-assumption");
            let (all, deep) = self.reasons.entry(first).or_default();
            *all += 1;
            *deep += usize::from(is_deep);
            return;
        }
        let needs_nothing = assumptions.iter().all(|assumption| assumption["is_implied"] == true);
        self.modelled.count(needs_nothing);
        if is_deep || nest["statements"].as_u64() >= Some(2) {
            self.large.count(needs_nothing);
        }
        for assumption in assumptions {
            let kind = assumption["kind"].as_str().unwrap_or("?").to_owned();
            let (taken, needed) = self.kinds.entry(kind).or_default();
            *taken += 1;
            *needed += usize::from(assumption["is_implied"] != true);
        }
    }

    fn add_all(&mut self, more: Nests) {
        self.all += more.all;
        self.modelled.add(more.modelled);
        self.large.add(more.large);
        self.infeasible += more.infeasible;
        for (into, from) in [(&mut self.kinds, more.kinds), (&mut self.reasons, more.reasons)] {
            for (key, (first, second)) in from {
                let known = into.entry(key).or_default();
                *known = (known.0 + first, known.1 + second);
            }
        }
    }

    fn row(&self, package: &Package, failed: usize) -> String {
        let Package { name, files, taken, .. } = package;
        let compiled = taken - failed.min(*taken);
        format!(
            "| {name} | {taken} of {files} | {compiled} | {} | {} | {} |",
            self.all,
            self.modelled.cells(),
            self.large.cells()
        )
    }

    /// The sum of all packages, kinds, and reasons.
    fn tables(&self) -> String {
        let (modelled, large) = (self.modelled.cells(), self.large.cells());
        let mut text = format!("| all | | | {} | {modelled} | {large} |\n", self.all);
        text += &format!("\nAssumptions never hold: {} nests\n", self.infeasible);
        text += "\n| kind | taken | not implied |\n|---|---|---|\n";
        for (kind, (taken, needed)) in &self.kinds {
            text += &format!("| {kind} | {taken} | {needed} |\n");
        }
        text += "\n| refused because of | nests | of two loops or more |\n|---|---|---|\n";
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, (all, _))| std::cmp::Reverse(*all));
        for (reason, (all, deep)) in reasons {
            text += &format!("| {reason} | {all} | {deep} |\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nests_kinds_and_reasons_are_counted() {
        let document = serde_json::json!({"functions": [{"nests": [
            {"loops": 2, "outcome": {"outcome": "candidate"}, "assumptions": [
                {"kind": "no-wrap", "is_implied": true}, {"kind": "no-wrap", "is_implied": false}]},
            {"loops": 1, "outcome": {"outcome": "kept", "reason": "x"}},
            {"loops": 1, "statements": 2, "outcome": {"outcome": "candidate"}},
            {"loops": 3, "outcome": {"outcome": "rejected", "refusals": [{"id": "infeasible-assumption"}]}},
        ]}]});
        let mut nests = Nests::of(&document);
        nests.add_all(Nests::of(&document));
        assert_eq!((nests.all, nests.infeasible), (8, 2));
        assert_eq!(nests.modelled, Share { with: 6, without: 4 });
        assert_eq!(nests.large, Share { with: 4, without: 2 });
        assert_eq!(nests.kinds["no-wrap"], (4, 2));
        let tables = nests.tables();
        assert!(tables.contains("| all | | | 8 | 6 | 4 | 1.5 | 4 | 2 | 2.0 |"), "{tables}");
        assert!(tables.contains("| infeasible-assumption | 2 | 2 |"), "{tables}");
    }

    #[test]
    fn files_are_taken_at_even_distances() {
        assert_eq!(evenly(&[0, 1, 2, 3, 4, 5], Some(3)), [0, 2, 4]);
        assert_eq!(evenly(&[0, 1], Some(3)), [0, 1]);
        assert_eq!(evenly(&[0, 1], None), [0, 1]);
    }
}
