//! `cargo xtask bench`: measurements, always of both sides in one interleaved run.
//!
//! A figure is a median over the runs with its quartiles. Processor time (user and system, of the child and
//! its children) is the headline, because wall time on a shared machine mostly measures the neighbours.

mod bounds;
mod chart;
mod checks;
mod compile_time;
mod fold;
mod input;
mod openblas;
mod peers;
mod profile;
pub mod suite;
mod suite_coverage;
mod suite_kernels;
mod suite_scalars;
mod table;

use crate::workspace::Workspace;
use crate::{Failure, Outcome, command};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What can be measured.
pub const NAMES: [&str; 8] =
    ["suite", "chart", "bounds", "checks", "compile-time", "openblas", "profile", "fold"];

/// What to measure, and how thoroughly.
#[derive(Default)]
pub struct Request {
    /// One of [`NAMES`].
    pub name: String,
    /// Runs of each side.
    pub runs: u32,
    /// Lines of generated input.
    pub lines: u32,
    /// Where to write the figures as JSON.
    pub json: Option<PathBuf>,
    /// A saved run to draw, or to hold against bounds.
    pub saved: Option<PathBuf>,
    /// The section of the documentation to write the figures to.
    pub section: Option<String>,
}

/// Measures.
pub fn run(ws: &Workspace, request: &Request, suite: &suite::Options) -> Outcome {
    match request.name.as_str() {
        "chart" => match &request.saved {
            Some(file) => chart::run(ws, file, request.section.as_deref().unwrap_or("speed")),
            None => Err(Failure::Missing(
                "which run? `cargo xtask bench --json RUN.json` saves one, then `cargo xtask bench chart RUN.json`".into(),
            )),
        },
        "bounds" => match &request.saved {
            Some(file) => bounds::run(ws, request, file),
            None => Err(Failure::Missing(
                "which run? `cargo xtask bench --json RUN.json` saves one, then `cargo xtask bench bounds RUN.json`".into(),
            )),
        },
        _ if request.saved.is_some() => Err(Failure::Missing(
            "a saved run is for `cargo xtask bench chart` and `cargo xtask bench bounds`".to_owned(),
        )),
        "suite" => suite::run(ws, request, suite),
        "checks" => checks::run(ws, request, suite),
        "compile-time" => compile_time::run(ws, request),
        "openblas" => openblas::run(ws, request),
        "profile" => profile::run(ws, request),
        "fold" => fold::run(ws),
        other => Err(Failure::Missing(format!("no benchmark {other}; there are: {}", NAMES.join(", ")))),
    }
}

/// The cost of one run of a program, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// User and system time.
    pub cpu: f64,
    /// From start to end.
    pub wall: f64,
}

/// Runs the command to its end and returns what it cost. No other child may be running.
pub fn measure(command: &mut Command) -> Outcome<Cost> {
    let (before, start) = (children_cpu()?, Instant::now());
    command.stdin(Stdio::null());
    let output = command::raw_output(command)?;
    let wall = start.elapsed().as_secs_f64();
    let cpu = children_cpu()? - before;
    match output.status.success() {
        true => Ok(Cost { cpu, wall }),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Failure::failed(format!("{} failed: {}\n{said}", command::shown(command), output.status)))
        }
    }
}

/// Processor time of all children that have ended, in seconds.
pub fn children_cpu() -> Outcome<f64> {
    let usage =
        getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| Failure::failed(format!("getrusage: {e}")))?;
    Ok(seconds(&usage))
}

fn seconds(usage: &Usage) -> f64 {
    let times = [usage.user_time(), usage.system_time()];
    times.iter().map(|t| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_not_a_measurement() {
        assert!(measure(&mut Command::new("false")).is_err());
        let cost = measure(&mut Command::new("true")).unwrap();
        assert!(cost.cpu >= 0.0 && cost.wall > 0.0);
    }
}
