//! `cargo xtask bench checks`: what run-time checks cost, and whether pointers without `restrict` cost anything else.
//!
//! Each kernel in its flat shape is built three times with Orthant: as it is; with `-DRESTRICT`, which leaves nothing to
//! check about overlap; and as it is, but with no check at all (a plugin of its own, feature `drop-checks`). All are run in
//! turn, and the figures are medians over the runs of ratios of neighbouring runs. *Against restrict* is the time of the
//! flat build over that of the other; *check* is what the flat build takes more than the one without a check.
//!
//! Time on a shared machine cannot show one part in a hundred. `--instructions` counts the kernel's instructions under callgrind
//! instead, once, for a machine that valgrind knows (`-march=x86-64-v3`).

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

/// The builds of a kernel, in the order of their figures.
const BUILDS: [&str; 3] = ["flat", "restrict", "unchecked"];

/// How large a difference may be before it is named at the end: the aims of the project.
const MOST: [f64; 2] = [1.02, 1.01];

/// Everything that stays the same.
struct Bench<'a> {
    options: &'a Options,
    runs: usize,
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
    let peers = vec![
        peer(options, &plugin, &[]),
        peer(options, &plugin, &["-DRESTRICT"]),
        peer(options, &unchecked, &[]),
    ];
    let runs = if options.instructions { 1 } else { request.runs as usize };
    let bench = Bench { options, runs, peers, harness, scratch };
    bench.announce(chosen.len());
    let mut rows = Vec::new();
    for kernel in &chosen {
        let row = bench.row(kernel)?;
        println!("{}", row.text(options.instructions));
        rows.push(row);
    }
    print!("{}", footer(&rows));
    match &request.json {
        Some(file) => {
            let kernels: Vec<_> =
                rows.iter().map(|row| json!({ "kernel": row.kernel, "figures": row.figures })).collect();
            let all = json!({ "benchmark": "checks", "builds": BUILDS, "kernels": kernels });
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

/// clang with a plugin and some more flags.
fn peer(options: &Options, plugin: &Path, more: &[&str]) -> Peer {
    let machine = options.instructions.then_some("-march=x86-64-v3");
    let more = more.iter().copied().chain(machine).map(str::to_owned);
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
        println!(
            "{kernels} kernels, flat, size {}, {what}, {} run(s) of each build in turn\n{:<18}{:>16}{:>20}{:>20}",
            self.options.size, self.runs, "kernel", "flat", "against restrict", "check"
        );
    }

    fn row(&self, kernel: &Kernel) -> Outcome<Row> {
        let driver = self.scratch.join(format!("{}.driver.o", kernel.name));
        command::output(&mut kernels::driver_command(kernel, &self.options.contract, &driver))?;
        let programs = [0, 1, 2].map(|build| self.build(kernel, build, &driver));
        let mut row = Row { kernel: kernel.name.clone(), figures: Default::default() };
        let programs = programs.into_iter().collect::<Outcome<Vec<_>>>()?;
        let mut checksums: [String; 3] = Default::default();
        for round in 0..self.runs {
            for turn in 0..programs.len() {
                let build = (round + turn) % programs.len();
                let (figure, checksum) = self.once(kernel, &programs[build])?;
                row.figures[build].push(figure);
                checksums[build] = checksum;
            }
        }
        match checksums.iter().all(|checksum| *checksum == checksums[0]) {
            true => Ok(row),
            false => Err(Failure::failed(format!("the builds of {} differ in their bits", kernel.name))),
        }
    }

    fn build(&self, kernel: &Kernel, build: usize, driver: &Path) -> Outcome<PathBuf> {
        let program = self.scratch.join(format!("{}.{}", kernel.name, BUILDS[build]));
        let object = program.with_added_extension("o");
        let mut compile = self.peers[build].command();
        compile.args(kernels::kernel_arguments(kernel, Shape::Flat, &self.options.size, &object));
        if BUILDS[build] == "unchecked" {
            compile.env("ORTHANT_DROP_CHECKS", "all");
        }
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
        };
        let rows = [row("gemm", [100.0, 100.0, 99.9]), row("symm", [200.0, 100.0, 200.0])];
        let text = footer(&rows);
        assert!(text.contains("against restrict: geomean 1.4142") && text.contains("above 1.02: symm 2.000"));
        assert!(text.contains("check: ") && text.contains("above 1.01: none"), "{text}");
        assert!(rows[0].text(true).contains("0 = 0.100 %"), "{}", rows[0].text(true));
    }

    #[test]
    fn callgrinds_total_is_read() {
        assert_eq!(instructions("events: Ir\nsummary: 340330\n\ntotals: 340330\n"), Some(340330.0));
        assert_eq!(instructions("events: Ir\n"), None);
    }
}
