//! `cargo xtask bench checks`: what run-time checks cost, and whether pointers without `restrict` cost anything else.
//!
//! Each kernel in its flat shape is built three times with Orthant: as it is; with `-DRESTRICT`, which leaves nothing to
//! check about overlap; and as it is, but with no check at all (a plugin of its own, feature `drop-checks`). All are run in
//! turn, and the figures are medians over the runs of ratios of neighbouring runs. *Against restrict* is the time of the
//! flat build over that of the other; *check* is what the flat build takes more than the one without a check.
//!
//! Time on a shared machine cannot show one part in a hundred. `--instructions` counts the kernel's instructions under callgrind
//! instead, once, for a machine that valgrind knows (`-march=x86-64-v3`).
//!
//! *Alone.* Nor does the difference of two builds tell the check from what LLVM makes of the loops behind it. With `--alone` the
//! other two builds have no loops behind their checks: one with the checks, one without. What the first takes more is the time
//! of the checks themselves, a few dozen nanoseconds, and is shown as a part of the flat build's. Figures are the
//! least of all runs, because nothing makes code faster than it is. Where both builds are the same there is no check. Nests without
//! new loops run in both, and where they take most of the time, only `--instructions` tells the difference.

use super::Request;
use super::peers::{self, Peer, Setting, Who};
use super::suite::{Options, existing, harness, output_within};
use super::suite_kernels::{self as kernels, Kernel, Line, Shape};
use super::table::{State, geomean};
use crate::stats::{median, quartiles};
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One way to build a kernel.
struct Build {
    name: &'static str,
    /// A further flag.
    flag: Option<&'static str>,
    /// What is left out of the new loops, as variables for the plugin that can do that.
    dropped: &'static [(&'static str, &'static str)],
}

/// The builds of a kernel, in the order of their figures.
const BUILDS: [Build; 3] = [
    Build { name: "flat", flag: None, dropped: &[] },
    Build { name: "restrict", flag: Some("-DRESTRICT"), dropped: &[] },
    Build { name: "unchecked", flag: None, dropped: &[DROP_CHECKS] },
];

/// Those of `--alone`.
const ALONE: [Build; 3] = [
    Build { name: "flat", flag: None, dropped: &[] },
    Build { name: "check", flag: None, dropped: &[DROP_LOOPS] },
    Build { name: "nothing", flag: None, dropped: &[DROP_CHECKS, DROP_LOOPS] },
];

const DROP_CHECKS: (&str, &str) = ("ORTHANT_DROP_CHECKS", "all");
const DROP_LOOPS: (&str, &str) = ("ORTHANT_DROP_LOOPS", "1");

/// How large a difference may be before it is named at the end: the aims of the project.
const MOST: [f64; 2] = [1.02, 1.01];

/// Everything that stays the same.
struct Bench<'a> {
    options: &'a Options,
    runs: usize,
    builds: [Build; 3],
    /// One for each build.
    peers: Vec<Peer>,
    harness: Vec<PathBuf>,
    scratch: PathBuf,
}

/// A kernel's figures: seconds or instructions of each build.
struct Row {
    kernel: String,
    /// For each build, run by run.
    figures: [Vec<f64>; 3],
    /// Whether the last two builds differ at all.
    has_check: bool,
}

/// Builds, runs, prints.
pub fn run(ws: &Workspace, request: &Request, options: &Options) -> Outcome {
    setup::ensure()?;
    let folder = kernels::folder(&ws.root);
    let chosen = options.choose(kernels::find(&folder).map_err(Failure::Failed)?)?;
    let scratch = ws.out_dir(Profile::Release)?.join("bench").join("checks");
    fs::create_dir_all(&scratch).map_err(|e| Failure::failed(format!("{}: {e}", scratch.display())))?;
    let (plugin, unchecked) = plugins(ws, options, &scratch)?;
    let harness = harness(&folder, &scratch)?;
    let builds = if options.alone { ALONE } else { BUILDS };
    let peers = builds.iter().map(|build| {
        let plugin = if build.dropped.is_empty() { &plugin } else { &unchecked };
        peer(options, plugin, build.flag)
    });
    let runs = if options.instructions { 1 } else { request.runs as usize };
    let bench = Bench { options, runs, peers: peers.collect(), builds, harness, scratch };
    bench.announce(chosen.len());
    let mut rows = Vec::new();
    for kernel in &chosen {
        let row = bench.row(kernel)?;
        let text =
            if options.alone { row.alone(options.instructions) } else { row.text(options.instructions) };
        println!("{text}");
        rows.push(row);
    }
    print!("{}", if options.alone { footer_alone(&rows) } else { footer(&rows) });
    match &request.json {
        Some(file) => {
            let kernels: Vec<_> =
                rows.iter().map(|row| json!({ "kernel": row.kernel, "figures": row.figures })).collect();
            let builds = bench.builds.each_ref().map(|build| build.name);
            let all = json!({ "benchmark": "checks", "builds": builds, "kernels": kernels });
            fs::write(file, format!("{all:#}\n"))
                .map_err(|e| Failure::failed(format!("{}: {e}", file.display())))
        }
        None => Ok(()),
    }
}

/// The usual plugin, and the one whose checks can be left out.
fn plugins(ws: &Workspace, options: &Options, scratch: &Path) -> Outcome<(PathBuf, PathBuf)> {
    let unchecked = match &options.unchecked {
        Some(file) => existing(file)?,
        None => ws.with_droppable_checks(Profile::Release, |plugin| {
            let copy = scratch.join("liborthant-unchecked.so");
            fs::copy(plugin, &copy).map_err(|e| Failure::failed(format!("{}: {e}", plugin.display())))?;
            Ok(copy)
        })?,
    };
    match &options.plugin {
        Some(file) => Ok((existing(file)?, unchecked)),
        None => Ok((ws.build(Profile::Release)?.plugin, unchecked)),
    }
}

/// clang with a plugin and perhaps one more flag.
fn peer(options: &Options, plugin: &Path, more: Option<&str>) -> Peer {
    let machine = options.instructions.then_some("-march=x86-64-v3");
    let more = more.into_iter().chain(machine).map(str::to_owned);
    let cflags: Vec<_> = options.cflags.iter().cloned().chain(more).collect();
    let setting = Setting {
        contract: &options.contract,
        threads: 1,
        cflags: &cflags,
        options: &options.options,
        plugin,
    };
    peers::all(&setting).into_iter().find(|peer| peer.who == Who::Orthant).expect("is in the list")
}

impl Bench<'_> {
    fn announce(&self, kernels: usize) {
        let what = if self.options.instructions { "instructions of the kernel" } else { "processor time" };
        let columns =
            if self.options.alone { ["check alone", "part"] } else { ["against restrict", "check"] };
        println!(
            "{kernels} kernels, flat, size {}, {what}, {} run(s) of each build in turn\n{:<18}{:>16}{:>20}{:>20}",
            self.options.size, self.runs, "kernel", "flat", columns[0], columns[1]
        );
    }

    fn row(&self, kernel: &Kernel) -> Outcome<Row> {
        let driver = self.scratch.join(format!("{}.driver.o", kernel.name));
        command::output(&mut kernels::driver_command(kernel, &self.options.contract, &driver))?;
        let programs = [0, 1, 2].map(|build| self.build(kernel, build, &driver));
        let programs = programs.into_iter().collect::<Outcome<Vec<_>>>()?;
        let code = |build: usize| fs::read(programs[build].with_added_extension("o")).ok();
        let has_check = !self.options.alone || code(1) != code(2);
        let mut row = Row { kernel: kernel.name.clone(), figures: Default::default(), has_check };
        let mut checksums: [String; 3] = Default::default();
        for round in 0..self.runs {
            for turn in 0..programs.len() {
                let build = (round + turn) % programs.len();
                let (figure, checksum) = self.once(kernel, &programs[build])?;
                row.figures[build].push(figure);
                checksums[build] = checksum;
            }
        }
        // Without its loops a kernel computes nothing.
        match self.options.alone || checksums.iter().all(|checksum| *checksum == checksums[0]) {
            true => Ok(row),
            false => Err(Failure::failed(format!("the builds of {} differ in their bits", kernel.name))),
        }
    }

    fn build(&self, kernel: &Kernel, build: usize, driver: &Path) -> Outcome<PathBuf> {
        let Build { name, dropped, .. } = self.builds[build];
        let program = self.scratch.join(format!("{}.{name}", kernel.name));
        let object = program.with_added_extension("o");
        let mut compile = self.peers[build].command();
        compile.args(kernels::kernel_arguments(kernel, Shape::Flat, &self.options.size, &object));
        compile.envs(dropped.iter().copied());
        command::output(&mut compile)?;
        let objects: Vec<_> = self.harness.iter().cloned().chain([driver.to_owned(), object]).collect();
        command::output(&mut kernels::link_command(&objects, &[], &program))?;
        Ok(program)
    }

    /// Seconds or instructions of the kernel, and the checksum.
    fn once(&self, kernel: &Kernel, program: &Path) -> Outcome<(f64, String)> {
        let size = self.options.size.to_string();
        let counts = self.scratch.join("callgrind.out");
        let mut command = match self.options.instructions {
            true => {
                let mut valgrind = Command::new("valgrind");
                let only = format!("--toggle-collect={}_flat", kernel.symbol());
                valgrind.args(["-q", "--tool=callgrind", &only]);
                valgrind.arg(format!("--callgrind-out-file={}", counts.display())).arg(program);
                valgrind
            }
            false => {
                let mut own = Command::new(program);
                own.args(["--time", &self.options.seconds.to_string()]);
                if self.options.alone {
                    // Making the data takes long, again and again, where there is nothing else to be done.
                    own.args(["--runs", "300"]);
                }
                own
            }
        };
        command.args(["--size", &size]);
        let printed = output_within(&mut command, self.options.timeout).map_err(|state| {
            let why = match state {
                State::Failed(why) => why,
                _ => "it did not end in time".to_owned(),
            };
            Failure::failed(format!("{}: {why}", command::shown(&command)))
        })?;
        let line = printed.lines().find_map(Line::parse);
        let failed =
            || Failure::failed(format!("{} printed no figures: {printed}", command::shown(&command)));
        let line = line.ok_or_else(failed)?;
        let figure = match self.options.instructions {
            true => {
                let text = fs::read_to_string(&counts)
                    .map_err(|e| Failure::failed(format!("{}: {e}", counts.display())))?;
                instructions(&text).ok_or_else(failed)?
            }
            false => line.seconds.ok_or_else(failed)?.1,
        };
        Ok((figure, line.checksum))
    }
}

/// What callgrind's file says was executed in all: `summary: 1234`.
fn instructions(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("summary: ")?.trim().parse().ok())
}

impl Row {
    /// The flat build over another, run by run.
    fn ratios(&self, build: usize) -> Vec<f64> {
        let pairs = self.figures[0].iter().zip(&self.figures[build]);
        pairs.filter(|(a, b)| **a > 0.0 && **b > 0.0).map(|(flat, other)| flat / other).collect()
    }

    fn text(&self, are_instructions: bool) -> String {
        let flat = median(&self.figures[0]);
        let flat = if are_instructions { format!("{flat:.0}") } else { format!("{:.3} ms", flat * 1e3) };
        let ratio = |build| {
            let ratios = self.ratios(build);
            let (low, high) = quartiles(&ratios);
            format!("{:.4} ±{:.2}%", median(&ratios), 50.0 * (high - low))
        };
        let check = match are_instructions {
            true => format!(
                "{:.0} = {}",
                self.figures[0][0] - self.figures[2][0],
                percent(median(&self.ratios(2)))
            ),
            false => ratio(2),
        };
        format!("{:<18}{flat:>16}{:>20}{check:>20}", self.kernel, ratio(1))
    }
}

impl Row {
    /// The least figure of each build.
    fn least(&self) -> [f64; 3] {
        self.figures.each_ref().map(|figures| figures.iter().copied().fold(f64::INFINITY, f64::min))
    }

    /// What the checks take alone, and which part of the flat build that is.
    fn check_alone(&self) -> (f64, f64) {
        match self.least() {
            [flat, check, nothing] if self.has_check => (check - nothing, (check - nothing) / flat),
            _ => (0.0, 0.0),
        }
    }

    fn alone(&self, are_instructions: bool) -> String {
        let (flat, (check, part)) = (self.least()[0], self.check_alone());
        let (flat, check) = match are_instructions {
            true => (format!("{flat:.0}"), format!("{check:.0}")),
            false => (format!("{:.4} ms", flat * 1e3), format!("{:.0} ns", check * 1e9)),
        };
        let check = if self.has_check { check } else { "no check".to_owned() };
        format!("{:<18}{flat:>16}{check:>20}{:>20}", self.kernel, format!("{:.4} %", 100.0 * part))
    }
}

fn footer_alone(rows: &[Row]) -> String {
    let parts: Vec<_> = rows.iter().map(|row| (&row.kernel, row.check_alone().1)).collect();
    let above = parts.iter().filter(|(_, part)| 1.0 + *part > MOST[1]);
    let above: Vec<_> = above.map(|(kernel, part)| format!("{kernel} {:.2} %", 100.0 * part)).collect();
    let greatest = parts.iter().map(|(_, part)| *part).fold(f64::MIN, f64::max);
    format!(
        "check alone: greatest {:.4} %; above {:.0} %: {}\n",
        100.0 * greatest,
        100.0 * (MOST[1] - 1.0),
        if above.is_empty() { "none".to_owned() } else { above.join(", ") }
    )
}

fn percent(ratio: f64) -> String {
    format!("{:.3} %", 100.0 * (ratio - 1.0))
}

fn footer(rows: &[Row]) -> String {
    let mut text = String::new();
    for (build, (name, most)) in ["against restrict", "check"].into_iter().zip(MOST).enumerate() {
        let medians: Vec<_> = rows.iter().map(|row| (&row.kernel, median(&row.ratios(build + 1)))).collect();
        let values: Vec<_> = medians.iter().map(|(_, ratio)| *ratio).collect();
        let above = medians.iter().filter(|(_, ratio)| *ratio > most);
        let above: Vec<_> = above.map(|(kernel, ratio)| format!("{kernel} {ratio:.3}")).collect();
        text += &format!(
            "{name}: geomean {:.4}, greatest {:.4}; above {most}: {}\n",
            geomean(&values).unwrap_or(1.0),
            values.iter().copied().fold(f64::MIN, f64::max),
            if above.is_empty() { "none".to_owned() } else { above.join(", ") }
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_is_above_the_aims() {
        let row = |kernel: &str, figures: [f64; 3]| Row {
            kernel: kernel.to_owned(),
            figures: figures.map(|figure| vec![figure]),
            has_check: true,
        };
        let rows = [row("gemm", [100.0, 100.0, 99.9]), row("symm", [200.0, 100.0, 200.0])];
        let text = footer(&rows);
        assert!(text.contains("against restrict: geomean 1.4142") && text.contains("above 1.02: symm 2.000"));
        assert!(text.contains("check: ") && text.contains("above 1.01: none"), "{text}");
        assert!(rows[0].text(true).contains("0 = 0.100 %"), "{}", rows[0].text(true));
    }

    #[test]
    fn a_check_alone_is_a_part_of_the_whole() {
        let figures = [vec![2e-3, 1e-3], vec![60e-9, 50e-9], vec![10e-9, 30e-9]];
        let rows = [Row { kernel: "gemm".to_owned(), figures, has_check: true }];
        let text = rows[0].alone(false);
        assert!(text.contains("1.0000 ms") && text.contains("40 ns") && text.contains("0.0040 %"), "{text}");
        assert!(footer_alone(&rows).ends_with("above 1 %: none\n"), "{}", footer_alone(&rows));
    }

    #[test]
    fn callgrinds_total_is_read() {
        assert_eq!(instructions("events: Ir\nsummary: 340330\n\ntotals: 340330\n"), Some(340330.0));
        assert_eq!(instructions("events: Ir\n"), None);
    }
}
