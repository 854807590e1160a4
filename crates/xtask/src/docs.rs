//! `cargo xtask docs`: everything that is generated from the source.

use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use std::fs;
use std::process::Command;

/// Writes `docs/options.md`, the man pages under `target/man`, and rustdoc.
pub fn run(ws: &Workspace) -> Outcome {
    let page = ws.root.join("docs/options.md");
    fs::write(&page, options::markdown()).map_err(|e| Failure::failed(format!("{}: {e}", page.display())))?;
    println!("docs: wrote docs/options.md");
    setup::ensure()?;
    let built = ws.build(Profile::Dev)?;
    let man = ws.root.join("target/man");
    fs::create_dir_all(&man).map_err(|e| Failure::failed(format!("{}: {e}", man.display())))?;
    command::run(Command::new(&built.orthant).arg("man").arg(&man))?;
    command::run(ws.cargo("doc").args(["--workspace", "--no-deps"]))
}
