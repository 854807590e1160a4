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
    /// Look at every iteration, also of loops whose iterations are all alike, for comparison.
    pub plain: bool,
    /// Record anti and output dependences too.
    pub memory_dependences: bool,
    /// Bytes for last writers; 0: the default.
    pub max_bytes: usize,
    /// Seconds after which the program is stopped; 0: never.
    pub timeout: u64,
    /// When recording begins; `None`: at once.
    pub from: Option<Moment>,
    /// When recording ends; `None`: with the program.
    pub to: Option<Moment>,
    /// Seconds until the first checkpoint; 0: the default.
    pub checkpoint: u64,
    /// Whether progress is written to a file now and then.
    pub progress: bool,
    /// Where the profile goes.
    pub output: PathBuf,
}

/// A moment in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// So many milliseconds after the start.
    Time(u64),
    /// The n-th call (from 1) of a function.
    Call(String, u64),
}

impl Moment {
    /// Reads `2.5s`, `function` or `function:3`.
    pub fn parse(text: &str) -> Result<Moment, String> {
        if let Some(seconds) = text.strip_suffix('s').and_then(|t| t.parse::<f64>().ok()) {
            let fits = (0.0..1e9).contains(&seconds);
            return if fits {
                Ok(Moment::Time((seconds * 1000.0) as u64))
            } else {
                Err("no time in a run".to_owned())
            };
        }
        match text.rsplit_once(':') {
            // Not the `::` of a path.
            Some((function, n)) if !function.ends_with(':') => match n.parse() {
                Ok(n) if n > 0 && !function.is_empty() => Ok(Moment::Call(function.to_owned(), n)),
                _ => {
                    Err("expected FUNCTION, FUNCTION:N for its N-th call, or seconds such as 2.5s".to_owned())
                }
            },
            _ if text.is_empty() => Err("expected a function or a time".to_owned()),
            _ => Ok(Moment::Call(text.to_owned(), 1)),
        }
    }
}

impl Config {
    /// A file that is there while the plugin writes its last profile.
    pub fn writing(&self) -> PathBuf {
        self.output.with_extension("writing")
    }

    /// A file with events and nests so far, if [`Config::progress`] asks for it.
    pub fn progress_file(&self) -> PathBuf {
        self.output.with_extension("progress")
    }
}

/// The exit status of a program that was stopped because of [`Config::timeout`]; the same as of `timeout(1)`.
pub const TIMED_OUT: i32 = 124;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(Moment::parse("2.5s"), Ok(Moment::Time(2500)));
        assert_eq!(Moment::parse("solve"), Ok(Moment::Call("solve".into(), 1)));
        assert_eq!(Moment::parse("solve:3"), Ok(Moment::Call("solve".into(), 3)));
        assert_eq!(Moment::parse("ns::pass"), Ok(Moment::Call("ns::pass".into(), 1)));
        for bad in ["", ":3", "f:0", "f:x", "-1s"] {
            assert!(Moment::parse(bad).is_err(), "{bad}");
        }
    }
}
