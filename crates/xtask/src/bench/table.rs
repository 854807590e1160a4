//! Results of the suite as a table for people and as JSON.
//!
//! A *row* is a kernel in one shape; a *side* is one peer's build of it. The first side is clang's, with which the
//! others are compared: a *ratio* is clang's time over theirs, of neighbouring runs (of runs of the same rank, if programs
//! were linked at several addresses), so above 1 is faster than clang. Shown are the median of the ratios and half their interquartile range.

use super::suite_kernels::{Kernel, Shape};
use crate::stats::{median, quartiles};
use serde_json::{Value, json};

/// What became of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Ran to its end, with clang's bits if they were to be compared.
    Fine,
    /// Other bits than clang's.
    Wrong,
    /// It did not end in time.
    TimedOut,
    /// This peer has no text of this kernel.
    Absent,
    /// Compiler, linker or program failed with this message.
    Failed(String),
}

/// One peer's build of a kernel and its runs.
#[derive(Clone, Debug)]
pub struct Side {
    /// The peer's key.
    pub key: &'static str,
    /// What became of it.
    pub state: State,
    /// Processor seconds of compiling the kernel.
    pub compile: f64,
    /// Wall seconds of each run.
    pub wall: Vec<f64>,
    /// Processor seconds of each run.
    pub cpu: Vec<f64>,
    /// Hash of the result's bits.
    pub checksum: String,
}

/// A kernel in one shape.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which.
    pub kernel: Kernel,
    /// In which shape.
    pub shape: Shape,
    /// clang first.
    pub sides: Vec<Side>,
}

/// What counts as a run's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// With one thread: neighbours on the machine disturb it least.
    Processor,
    /// With several.
    Wall,
}

impl Clock {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Clock::Processor => "processor time",
            Clock::Wall => "wall time",
        }
    }
}

impl Side {
    /// The runs by this clock.
    fn times(&self, clock: Clock) -> &[f64] {
        match clock {
            Clock::Processor => &self.cpu,
            Clock::Wall => &self.wall,
        }
    }

    /// Puts the fastest runs first, so that those of the same rank are compared.
    pub fn rank(&mut self) {
        self.wall.sort_by(f64::total_cmp);
        self.cpu.sort_by(f64::total_cmp);
    }

    /// Speed relative to clang, run by run; empty if there is nothing right to compare.
    fn ratios(&self, clang: &Side, clock: Clock) -> Vec<f64> {
        match (&self.state, &clang.state) {
            (State::Fine, State::Fine) => {
                let pairs = clang.times(clock).iter().zip(self.times(clock));
                // A clock too coarse for the kernel says nothing.
                pairs.filter(|(a, b)| **a > 0.0 && **b > 0.0).map(|(clang, own)| clang / own).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Row {
    fn ratio(&self, side: usize, clock: Clock) -> Option<f64> {
        let ratios = self.sides[side].ratios(&self.sides[0], clock);
        (!ratios.is_empty()).then(|| median(&ratios))
    }

    fn compile_ratio(&self, side: usize) -> Option<f64> {
        let (own, clang) = (self.sides[side].compile, self.sides[0].compile);
        (own > 0.0 && clang > 0.0).then(|| own / clang)
    }
}

/// The geometric mean; nothing for nothing.
pub fn geomean(values: &[f64]) -> Option<f64> {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

/// A clang that is this much faster has been made slower: the project's own limit.
pub(super) const SLOWER: f64 = 0.97;

/// The names of the columns.
pub fn header(keys: impl Iterator<Item = &'static str>) -> String {
    line("kernel", keys.map(str::to_owned))
}

/// One kernel.
pub fn row_text(row: &Row, clock: Clock) -> String {
    line(&row.kernel.name, (0..row.sides.len()).map(|side| cell(row, side, clock)))
}

/// Sums and means of rows of one shape, which all have the same sides.
pub fn footer(rows: &[Row], clock: Clock) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let sides = || 0..first.sides.len();
    let all: Vec<_> = rows.iter().collect();
    let list: Vec<_> = rows.iter().filter(|row| row.kernel.is_polybench()).collect();
    let mixed = !list.is_empty() && list.len() < all.len();
    let of_list = line(
        &format!("geomean of {} kernels", list.len()),
        sides().map(|side| mean_cell(&list, side, clock)),
    );
    let of_all = format!("geomean of {}{}", if mixed { "all " } else { "" }, all.len());
    [
        if mixed { of_list } else { String::new() },
        line(&of_all, sides().map(|side| mean_cell(&all, side, clock))),
        line("slower than clang", sides().map(|side| slower(&all, side, clock))),
        line("compile time, sum", sides().map(|side| compile_sum(&all, side))),
        line("compile time, most", sides().map(|side| compile_most(&all, side))),
    ]
    .concat()
}

fn line(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!(" {cell:>15}")).collect();
    format!("{name:<22}{cells}\n")
}

fn cell(row: &Row, index: usize, clock: Clock) -> String {
    let side = &row.sides[index];
    let spread = |values: &[f64]| {
        let (low, high) = quartiles(values);
        50.0 * (high - low) / median(values).max(f64::MIN_POSITIVE)
    };
    match &side.state {
        State::Wrong => "WRONG".to_owned(),
        State::TimedOut => "too slow".to_owned(),
        State::Absent => "-".to_owned(),
        State::Failed(_) => "failed".to_owned(),
        State::Fine if index == 0 => {
            let times = side.times(clock);
            format!("{} ±{:.0}%", seconds(median(times)), spread(times))
        }
        State::Fine => {
            let ratios = side.ratios(&row.sides[0], clock);
            if ratios.is_empty() {
                return "-".to_owned();
            }
            format!("{:.2} ±{:.0}%", median(&ratios), spread(&ratios))
        }
    }
}

/// Three digits and a unit.
pub(super) fn seconds(value: f64) -> String {
    match value {
        v if v >= 1.0 => format!("{v:.2} s"),
        v if v >= 1e-3 => format!("{:.1} ms", v * 1e3),
        v if v >= 1e-6 => format!("{:.1} us", v * 1e6),
        v => format!("{:.1} ns", v * 1e9),
    }
}

fn mean_cell(rows: &[&Row], side: usize, clock: Clock) -> String {
    let ratios: Vec<_> = rows.iter().filter_map(|row| row.ratio(side, clock)).collect();
    let incomplete = if ratios.len() < rows.len() { format!(" ({})", ratios.len()) } else { String::new() };
    geomean(&ratios).map_or("-".to_owned(), |mean| format!("{mean:.3}{incomplete}"))
}

fn slower(rows: &[&Row], side: usize, clock: Clock) -> String {
    rows.iter().filter(|row| row.ratio(side, clock).is_some_and(|ratio| ratio < SLOWER)).count().to_string()
}

fn compile_sum(rows: &[&Row], side: usize) -> String {
    let both: Vec<_> = rows.iter().filter(|row| row.compile_ratio(side).is_some()).collect();
    let sum = |side: usize| both.iter().map(|row| row.sides[side].compile).sum::<f64>();
    match side {
        _ if both.is_empty() => "-".to_owned(),
        0 => seconds(sum(0)),
        _ => format!("{:.2} x", sum(side) / sum(0)),
    }
}

fn compile_most(rows: &[&Row], side: usize) -> String {
    if side == 0 {
        return seconds(rows.iter().map(|row| row.sides[0].compile).fold(0.0, f64::max));
    }
    let most = rows.iter().filter_map(|row| row.compile_ratio(side)).fold(0.0, f64::max);
    if most > 0.0 { format!("{most:.2} x") } else { "-".to_owned() }
}

/// Everything measured, and the geometric means.
pub fn json(rows: &[Row], clock: Clock) -> Value {
    let mut means = serde_json::Map::new();
    for shape in Shape::ALL {
        let of_shape: Vec<_> = rows.iter().filter(|row| row.shape == shape).collect();
        let Some(first) = of_shape.first() else { continue };
        let mean = |side: usize| {
            let of = |only_list: bool| {
                let counted = of_shape.iter().filter(|row| !only_list || row.kernel.is_polybench());
                let ratios: Vec<_> = counted.filter_map(|row| row.ratio(side, clock)).collect();
                json!({ "kernels": ratios.len(), "ratio": geomean(&ratios) })
            };
            json!({ "all": of(false), "polybench": of(true) })
        };
        let sides = first.sides.iter().enumerate();
        means.insert(
            shape.name().to_owned(),
            sides.map(|(index, side)| (side.key.to_owned(), mean(index))).collect(),
        );
    }
    json!({ "clock": clock.name(), "geomean": means, "rows": rows.iter().map(|row| row_json(row, clock)).collect::<Vec<_>>() })
}

fn row_json(row: &Row, clock: Clock) -> Value {
    let side = |(index, side): (usize, &Side)| {
        let (state, message) = match &side.state {
            State::Fine => ("fine", None),
            State::Wrong => ("wrong", None),
            State::TimedOut => ("timed out", None),
            State::Absent => ("-", None),
            State::Failed(message) => ("failed", Some(message)),
        };
        json!({ "peer": side.key, "state": state, "message": message, "checksum": side.checksum,
                "compile_cpu_seconds": side.compile, "wall_seconds": side.wall, "cpu_seconds": side.cpu,
                "ratio": row.ratio(index, clock) })
    };
    json!({ "kernel": row.kernel.name, "shape": row.shape.name(), "polybench": row.kernel.is_polybench(),
            "sides": row.sides.iter().enumerate().map(side).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(key: &'static str, state: State, compile: f64, cpu: &[f64]) -> Side {
        let wall = cpu.iter().map(|seconds| 2.0 * seconds).collect();
        Side { key, state, compile, wall, cpu: cpu.to_vec(), checksum: "00".into() }
    }

    fn row(name: &str, own: Side) -> Row {
        let kernel = Kernel { name: name.into(), file: "x.c".into() };
        let clang = side("clang", State::Fine, 0.5, &[2.0, 4.0, 2.0]);
        Row { kernel, shape: Shape::Flat, sides: vec![clang, own] }
    }

    fn rows() -> Vec<Row> {
        vec![
            row("gemm", side("orthant", State::Fine, 1.0, &[1.0, 2.0, 1.0])),
            row("lu", side("orthant", State::Fine, 0.5, &[4.0, 8.0, 4.0])),
            row("spmv", side("orthant", State::Fine, 0.5, &[0.25, 0.5, 0.25])),
            row("lcs", side("orthant", State::Wrong, 0.5, &[0.1, 0.1, 0.1])),
        ]
    }

    #[test]
    fn ratios_are_of_neighbouring_runs_and_only_of_right_results() {
        let rows = rows();
        let ratios: Vec<_> = rows.iter().map(|row| row.ratio(1, Clock::Processor)).collect();
        assert_eq!(ratios, [Some(2.0), Some(0.5), Some(8.0), None]);
        assert_eq!(rows[0].ratio(1, Clock::Wall), Some(2.0));
    }

    #[test]
    fn the_table_has_means_and_says_what_is_wrong() {
        let clock = Clock::Processor;
        let lines = rows().iter().map(|r| row_text(r, clock)).collect::<String>();
        let text = header(["clang", "orthant"].into_iter()) + &lines + &footer(&rows(), clock);
        let cells = |name: &str| -> Vec<String> {
            let line =
                text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}\n{text}"));
            line[name.len()..].split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(cells("gemm")[3..], ["2.00", "±0%"]);
        assert_eq!(cells("lcs").last().unwrap(), "WRONG");
        assert_eq!(cells("geomean of 2 kernels"), ["1.000", "1.000"]);
        assert_eq!(cells("geomean of all 4"), ["1.000", "2.000", "(3)"]);
        assert_eq!(cells("slower than clang"), ["0", "1"]);
        assert_eq!(cells("compile time, sum"), ["2.00", "s", "1.25", "x"]);
        assert_eq!(cells("compile time, most"), ["500.0", "ms", "2.00", "x"]);
    }

    #[test]
    fn json_has_every_run() {
        let value = json(&rows(), Clock::Processor);
        assert_eq!(value["rows"][0]["sides"][1]["cpu_seconds"], json!([1.0, 2.0, 1.0]));
        assert_eq!(value["rows"][3]["sides"][1]["state"], "wrong");
        let means = &value["geomean"]["flat"]["orthant"];
        assert!((means["all"]["ratio"].as_f64().unwrap() - 2.0).abs() < 1e-12);
        assert!((means["polybench"]["ratio"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(geomean(&[]), None);
        assert_eq!(footer(&[], Clock::Wall), "");
    }
}
