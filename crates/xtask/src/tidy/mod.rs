//! `cargo xtask tidy`: the project's own rules, as checks.
//!
//! A rule is a function from text (or the crates' manifests) to [`Problem`]s; each is shown to fire by a
//! test with a small bad input. A problem says what to do, not only what is wrong.
//!
//! | module | rules |
//! |---|---|
//! | `edges` | who may depend on whom: the walls of `docs/architecture.md` |
//! | `source` | `unsafe` behind the walls only, module headers, no pinned toolchain |
//! | `portable` | no path, host or registry of one machine in a tracked file |
//! | `links` | no dead relative link in Markdown |
//! | `coverage` | every dependency, package, option and refusal reason is documented |

mod coverage;
mod edges;
mod links;
mod portable;
mod source;

use crate::workspace::Workspace;
use crate::{Failure, Outcome};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the repository.
    file: PathBuf,
    /// The line, where the problem has one.
    line: Option<usize>,
    /// What is wrong and what to do.
    message: String,
}

impl Problem {
    fn new(file: impl AsRef<Path>, line: Option<usize>, message: impl Into<String>) -> Problem {
        Problem { file: file.as_ref().to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The repository's files: path to content; `None` for what is not text.
type Files = BTreeMap<PathBuf, Option<String>>;

/// Checks every rule and prints what is broken.
pub fn run(ws: &Workspace) -> Outcome {
    let files: Files = ws.files()?.into_iter().map(|file| (file.clone(), read(ws, &file))).collect();
    let packages = ws.packages()?;
    let problems = [
        edges::check(&packages),
        source::check(&files),
        portable::check(&files),
        links::check(&files),
        coverage::check(&files, &packages),
    ]
    .concat();
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => {
            println!("tidy: {} files, {} crates, no problem", files.len(), packages.len());
            Ok(())
        }
        n => Err(Failure::failed(format!("tidy: {n} problem(s), listed above"))),
    }
}

fn read(ws: &Workspace, file: &Path) -> Option<String> {
    std::fs::read(ws.root.join(file)).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Text files whose name ends like this.
fn with_extension<'a>(files: &'a Files, extension: &'a str) -> impl Iterator<Item = (&'a Path, &'a str)> {
    let matching = files.iter().filter(move |(path, _)| path.extension().is_some_and(|e| e == extension));
    matching.filter_map(|(path, text)| Some((path.as_path(), text.as_deref()?)))
}

#[cfg(test)]
fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| (PathBuf::from(path), Some((*text).to_owned()))).collect()
}
