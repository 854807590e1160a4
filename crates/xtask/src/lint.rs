//! `cargo xtask lint`: formatting, clippy, rustdoc and the project's own rules, warnings denied.

use crate::workspace::Workspace;
use crate::{Failure, Outcome, command, setup, tidy};

/// Runs all four, each even if an earlier one failed, so that one run tells everything.
pub fn run(ws: &Workspace) -> Outcome {
    // Clippy runs build scripts, and those need LLVM.
    setup::ensure()?;
    let mut doc = ws.cargo("doc");
    doc.args(["--workspace", "--no-deps", "--quiet", "--document-private-items"])
        .env("RUSTDOCFLAGS", "-Dwarnings");
    let results = [
        ("rustfmt", command::run(ws.cargo("fmt").args(["--all", "--check"]))),
        ("tidy", tidy::run(ws)),
        (
            "clippy",
            command::run(ws.cargo("clippy").args(["--workspace", "--all-targets", "--", "-D", "warnings"])),
        ),
        ("rustdoc", command::run(&mut doc)),
    ];
    let failed: Vec<_> =
        results.iter().filter(|(_, result)| result.is_err()).map(|(name, _)| *name).collect();
    match failed.is_empty() {
        true => {
            println!("lint: clean");
            Ok(())
        }
        false => Err(Failure::failed(format!(
            "lint: {} failed (rustup component add clippy rustfmt, if they are missing)",
            failed.join(", ")
        ))),
    }
}
