//! Points per second that the folder takes, for regular and irregular streams (`crates/fold/benches/throughput.rs`).

use crate::workspace::Workspace;
use crate::{Outcome, command};

/// Runs the benchmark of the crate `fold`; it prints its own tables.
pub fn run(ws: &Workspace) -> Outcome {
    command::run(ws.cargo("bench").args(["-q", "-p", "fold", "--bench", "throughput"]))
}
