//! Time and work spent in each stage, over all functions of a compilation. What the stage `assume` takes is counted under `lift`, too,
//! where nests are simplified as they are lifted.

use model::Budget;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The stages, in the order in which they first ran.
#[derive(Debug, Default)]
pub struct Timers {
    stages: Mutex<Vec<Sum>>,
}

#[derive(Debug)]
struct Sum {
    stage: &'static str,
    calls: u64,
    time: Duration,
    /// Units of the budget.
    work: u64,
}

impl Timers {
    /// Runs `body`, which works on `budget`, on the account of `stage`.
    pub fn time<T>(&self, stage: &'static str, budget: &Budget, body: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), budget.left());
        let result = body();
        let work = before.zip(budget.left()).map_or(0, |(before, after)| before - after);
        self.add(Sum { stage, calls: 1, time: start.elapsed(), work });
        result
    }

    fn add(&self, new: Sum) {
        // A panic in another function does not make the sums wrong.
        let mut stages = self.stages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match stages.iter_mut().find(|sum| sum.stage == new.stage) {
            Some(sum) => {
                sum.calls += new.calls;
                sum.time += new.time;
                sum.work += new.work;
            }
            None => stages.push(new),
        }
    }

    /// A table for people; empty if no stage ran.
    pub fn table(&self) -> String {
        let stages = self.stages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut text = String::new();
        for Sum { stage, calls, time, work } in &*stages {
            let time = time.as_secs_f64() * 1e3;
            let _ = writeln!(text, "orthant: {stage:<12} {calls:>8} calls {time:>12.3} ms {work:>12} units");
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
        let budget = Budget::new(100);
        assert_eq!(timers.time("detect", &budget, || 7), 7);
        timers.time("detect", &budget, || budget.spend(30)).unwrap();
        timers.time("lift", &budget, || ());
        let table = timers.table();
        let lines: Vec<_> = table.lines().collect();
        assert!(lines[0].starts_with("orthant: detect              2 calls"), "{table}");
        assert!(lines[0].ends_with(" 30 units"), "{table}");
        assert!(lines[1].starts_with("orthant: lift                1 calls"), "{table}");
    }
}
