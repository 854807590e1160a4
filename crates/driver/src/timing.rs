//! Time spent in each stage, over all functions of a compilation.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Calls and time of each stage, in the order in which the stages first ran.
#[derive(Debug, Default)]
pub struct Timers {
    stages: Mutex<Vec<(&'static str, u64, Duration)>>,
}

impl Timers {
    /// Runs `body` on the account of `stage`.
    pub fn time<T>(&self, stage: &'static str, body: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = body();
        self.add(stage, start.elapsed());
        result
    }

    fn add(&self, stage: &'static str, time: Duration) {
        // A panic in another function does not make the sums wrong.
        let mut stages = self.stages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match stages.iter_mut().find(|(name, ..)| *name == stage) {
            Some((_, calls, sum)) => (*calls, *sum) = (*calls + 1, *sum + time),
            None => stages.push((stage, 1, time)),
        }
    }

    /// A table for people; empty if no stage ran.
    pub fn table(&self) -> String {
        let stages = self.stages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut text = String::new();
        for (stage, calls, sum) in &*stages {
            let _ =
                writeln!(text, "orthant: {stage:<12} {calls:>8} calls {:>12.3} ms", sum.as_secs_f64() * 1e3);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_per_stage() {
        let timers = Timers::default();
        assert_eq!(timers.table(), "");
        assert_eq!(timers.time("detect", || 7), 7);
        timers.time("detect", || ());
        timers.time("lift", || ());
        let table = timers.table();
        let lines: Vec<_> = table.lines().collect();
        assert!(lines[0].starts_with("orthant: detect              2 calls"), "{table}");
        assert!(lines[1].starts_with("orthant: lift                1 calls"), "{table}");
    }
}
