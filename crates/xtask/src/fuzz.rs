//! `cargo xtask fuzz`: runs the targets of the separate workspace `fuzz/`.

use crate::workspace::Workspace;
use crate::{Failure, Outcome, command, setup};
use std::path::Path;

/// When a target has run enough.
pub enum Limit {
    /// After so many inputs.
    Runs(u64),
    /// After so many seconds.
    Seconds(u64),
}

/// What to run.
pub struct Request {
    /// One target, or all.
    pub target: Option<String>,
    /// For how long each.
    pub limit: Limit,
}

/// Builds and runs the targets one after the other; the first crash stops.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    setup::ensure()?;
    let fuzz = ws.root.join("fuzz");
    let known = targets(&fuzz.join("fuzz_targets"))?;
    let chosen = match &request.target {
        Some(name) if !known.contains(name) => {
            return Err(Failure::Missing(format!("no fuzz target {name}; there are: {}", known.join(", "))));
        }
        Some(name) => vec![name.clone()],
        None => known,
    };
    for target in chosen {
        let mut cargo = ws.cargo("run");
        cargo.current_dir(&fuzz).args([
            "--release",
            "--bin",
            &target,
            "--",
            "-timeout=10",
            "-create_missing_dirs=1",
        ]);
        cargo.arg(match request.limit {
            Limit::Runs(runs) => format!("-runs={runs}"),
            Limit::Seconds(seconds) => format!("-max_total_time={seconds}"),
        });
        cargo
            .arg(format!("-artifact_prefix=artifacts/{target}/"))
            .arg(format!("-dict=dictionaries/{target}.dict"));
        cargo.args([format!("corpus/{target}"), format!("seeds/{target}")]);
        command::run(&mut cargo)?;
    }
    Ok(())
}

fn targets(dir: &Path) -> Outcome<Vec<String>> {
    let entries = std::fs::read_dir(dir).map_err(|e| Failure::failed(format!("{}: {e}", dir.display())))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut targets: Vec<_> = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    targets.sort();
    Ok(targets)
}
