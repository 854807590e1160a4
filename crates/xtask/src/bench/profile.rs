//! `orthant profile` on the programs of `bench/profile`, in the manner of Table 5 of the paper.
//!
//! Each program is compiled with `gcc -O2 -g` and profiled on a small input in the paper's four modes, folded as in the
//! paper, and in Orthant's own (`auto`). Shown per mode: instances of dependences and of instructions, pieces (`#P`),
//! the share in affine pieces (`%A`) and intermediate polyhedra; and what is advised. Then, on a larger input, the processor time of
//! the program itself, and as multiples of it that of a survey by samples, of one that counts, and of a full profile of everything.

use super::{Request, measure};
use crate::stats::median;
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program: its name, the function that is looked at (empty: everything), and arguments with which it runs for about a tenth of a
/// second.
const PROGRAMS: [(&str, &str, &str); 14] = [
    ("backprop", "", "4000 4000"),
    ("bfs", "", "1000000"),
    ("btree", "find", "1000000"),
    ("cfd", "", "300000"),
    ("hotspot", "", "2000"),
    ("hotspot3d", "", "500"),
    ("kmeans", "", "300000"),
    ("lavamd", "", "28"),
    ("lud", "", "600"),
    ("nw", "", "4000"),
    ("particlefilter", "", "7000"),
    ("pathfinder", "", "400000"),
    ("srad", "", "1200"),
    ("streamcluster", "", "4000"),
];

/// The paper's modes, and ours.
const MODES: [(&str, &str, bool); 5] = [
    ("F", "exact", true),
    ("F_W", "widen", true),
    ("F_GG", "give-up", true),
    ("F_GG,W", "widen-give-up", true),
    ("auto", "auto", false),
];

/// Compiles, profiles, prints.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    setup::ensure()?;
    let built = ws.build(Profile::Release)?;
    let dir = built.plugin.parent().expect("in a folder").join("bench").join("profile");
    fs::create_dir_all(&dir).map_err(|e| Failure::failed(format!("{}: {e}", dir.display())))?;
    println!("| program | mode | dependences | #P | %A | #MP | instructions | #P | %A | #MP |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let bench = Bench { orthant: built.orthant, dir, runs: request.runs.min(3) };
    let mut figures = Vec::new();
    for (name, only, _) in PROGRAMS {
        bench.compile(&ws.root, name)?;
        for mode in MODES {
            figures.push(bench.precision(name, only, mode)?);
        }
    }
    println!("\n| program | instructions | advice |\n|---|---|---|");
    for figure in figures.iter().filter(|figure| figure["mode"] == "auto") {
        let text = |key: &str| figure[key].as_str().unwrap_or_default().to_owned();
        let size = figure["totals"]["instructions"].as_u64().unwrap_or(0);
        println!("| {} | {} | {} |", text("program"), short(size), text("advice"));
    }
    println!("\n| program | native, s | survey | counted | profile |\n|---|---|---|---|---|");
    let mut times = Vec::new();
    for (name, only, argument) in PROGRAMS {
        times.push(bench.slowdown(name, only, argument)?);
    }
    let ratio = |key: &str| median(&times.iter().filter_map(|t| t[key].as_f64()).collect::<Vec<_>>());
    println!("| median | | {:.1}x | {:.0}x | {:.0}x |", ratio("survey"), ratio("counted"), ratio("profile"));
    match &request.json {
        None => Ok(()),
        Some(file) => fs::write(file, format!("{:#}\n", json!({ "precision": figures, "slowdown": times })))
            .map_err(|e| Failure::failed(format!("{}: {e}", file.display()))),
    }
}

struct Bench {
    orthant: PathBuf,
    dir: PathBuf,
    runs: u32,
}

impl Bench {
    fn compile(&self, root: &Path, name: &str) -> Outcome {
        let source = root.join("bench").join("profile").join(format!("{name}.c"));
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-g", "-o"]).arg(self.dir.join(name)).arg(source).arg("-lm");
        command::run(&mut gcc)
    }

    fn profile(&self, only: &str) -> Command {
        let mut profile = Command::new(&self.orthant);
        profile.args(["profile", "--once"]);
        if !only.is_empty() {
            profile.args(["--only", only]);
        }
        profile
    }

    fn precision(&self, name: &str, only: &str, (shown, mode, paper): (&str, &str, bool)) -> Outcome<Value> {
        let file = self.dir.join(format!("{name}.json"));
        let mut profile = self.profile(only);
        profile.args(["--mode", mode, "--json"]).arg(&file).args(paper.then_some("--paper"));
        command::output(profile.arg("--").arg(self.dir.join(name)))?;
        let text =
            fs::read_to_string(&file).map_err(|e| Failure::failed(format!("{}: {e}", file.display())))?;
        let found: Value =
            serde_json::from_str(&text).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
        let totals = &found["totals"];
        let number = |key: &str| totals[key].as_u64().unwrap_or(0);
        let columns = ["dependence", "instruction"].map(|kind| {
            let [points, affine, pieces, most] = ["points", "points_affine", "pieces", "intermediate"]
                .map(|part| number(&format!("{kind}_{part}")));
            let share = 100.0 * affine as f64 / points.max(1) as f64;
            format!("{} | {} | {share:.1} | {} |", short(points), short(pieces), short(most))
        });
        println!("| {name} | {shown} | {} {}", columns[0], columns[1]);
        let possible =
            found["advice"]["suggestions"].as_array().into_iter().flatten().filter(|s| s["possible"] == true);
        let mut advice: Vec<&str> = possible.filter_map(|s| s["id"].as_str()).collect();
        let mut seen = std::collections::BTreeSet::new();
        advice.retain(|id| seen.insert(*id));
        Ok(json!({ "program": name, "mode": shown, "totals": totals, "advice": advice.join(", ") }))
    }

    /// `orthant profile` that only looks where the time goes.
    fn survey(&self, how: &str) -> Command {
        let mut survey = Command::new(&self.orthant);
        survey.args(["profile", how]);
        survey
    }

    fn slowdown(&self, name: &str, only: &str, argument: &str) -> Outcome<Value> {
        let program = self.dir.join(name);
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..self.runs {
            let on = |mut command: Command| {
                command.arg("--").arg(&program).args(argument.split(' '));
                measure(&mut command)
            };
            times[0].push(measure(Command::new(&program).args(argument.split(' ')))?.cpu);
            times[1].push(on(self.survey("--survey"))?.cpu);
            times[2].push(on(self.survey("--survey=count"))?.cpu);
            times[3].push(on(self.profile(only))?.cpu);
        }
        let [native, survey, counted, full] = times.each_ref().map(|times| median(times));
        let [survey, counted, full] = [survey, counted, full].map(|time| time / native);
        println!("| {name} | {native:.3} | {survey:.1}x | {counted:.0}x | {full:.0}x |");
        Ok(
            json!({ "program": name, "native": native, "survey": survey, "counted": counted, "profile": full }),
        )
    }
}

fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}
