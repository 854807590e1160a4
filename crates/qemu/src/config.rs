//! What the plugin is told, in a file.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings of one run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Config {
    /// The program, as an absolute path without links.
    pub program: PathBuf,
    /// Libraries to describe as well: parts of their file names.
    pub libraries: Vec<String>,
    /// Functions to record, with all that they call; empty: all.
    pub functions: Vec<String>,
    /// Only blocks and loops.
    pub survey: bool,
    /// Folding mode ([`trace::Mode`]).
    pub mode: String,
    /// Fold as the paper does.
    pub paper: bool,
    /// Record anti and output dependences too.
    pub memory_dependences: bool,
    /// Bytes for last writers; 0: the default.
    pub max_bytes: usize,
    /// Seconds after which the program is stopped; 0: never.
    pub timeout: u64,
    /// Where the profile goes.
    pub output: PathBuf,
}

/// The exit status of a program that was stopped because of [`Config::timeout`]; the same as of `timeout(1)`.
pub const TIMED_OUT: i32 = 124;
