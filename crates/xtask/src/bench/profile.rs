//! `orthant profile` on the programs of `bench/profile`, in the manner of Table 5 of the paper.
//!
//! Each program is compiled with `gcc -O2 -g` and profiled on a small input in the paper's four modes, folded as in the
//! paper, and in Orthant's own (`auto`). Shown per mode: instances of dependences and of instructions, pieces (`#P`),
//! the share in affine pieces (`%A`) and intermediate polyhedra. Then, on a larger input, the processor time of the program
//! itself, of a survey and of a full profile, and the ratios.

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
    println!("\n| program | native, s | survey | profile |\n|---|---|---|---|");
    let mut times = Vec::new();
    for (name, only, argument) in PROGRAMS {
        times.push(bench.slowdown(name, only, argument)?);
    }
    let ratio = |key: &str| median(&times.iter().filter_map(|t| t[key].as_f64()).collect::<Vec<_>>());
    println!("| median | | {:.0}x | {:.0}x |", ratio("survey"), ratio("profile"));
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
        profile.arg("profile");
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
        Ok(json!({ "program": name, "mode": shown, "totals": totals }))
    }

    fn slowdown(&self, name: &str, only: &str, argument: &str) -> Outcome<Value> {
        let program = self.dir.join(name);
        let (mut native, mut survey, mut full) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let words = || argument.split(' ');
            native.push(measure(Command::new(&program).args(words()))?.cpu);
            survey.push(measure(self.profile("").args(["--survey", "--"]).arg(&program).args(words()))?.cpu);
            full.push(measure(self.profile(only).arg("--").arg(&program).args(words()))?.cpu);
        }
        let [native, survey, full] = [&native, &survey, &full].map(|times| median(times));
        println!("| {name} | {native:.3} | {:.0}x | {:.0}x |", survey / native, full / native);
        Ok(json!({ "program": name, "native": native, "survey": survey / native, "profile": full / native }))
    }
}

fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}
