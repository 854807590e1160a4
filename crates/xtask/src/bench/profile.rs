//! `orthant profile` on the programs of `bench/profile`, in the manner of Table 5 of the paper.
//!
//! Each program is compiled with `gcc -O2 -g` and profiled on a small input in the paper's four modes, folded as in the
//! paper, and in Orthant's own (`auto`). Then, on a larger input, the processor time of the program itself, and as multiples of it
//! that of a survey by samples, of one that counts, and of a full profile of everything. One row per program:
//!
//! - the instructions of the small input, and the instances of dependences among them;
//! - for dependences and for instructions the pieces (`#P`) and the share in affine pieces (`%A`) in `auto`, and the
//!   intermediate polyhedra (`#MP`) in the modes F, F_W, F_GG and F_GG,W;
//! - the slowdowns, and what is advised.

use super::{Request, measure};
use crate::stats::median;
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program: its name, the function that is looked at (empty: everything), and arguments with which it runs for about a hundredth
/// of a second, so that a full profile takes a few.
const PROGRAMS: [(&str, &str, &str); 14] = [
    ("backprop", "", "1500 1500"),
    ("bfs", "", "100000"),
    ("btree", "find", "100000"),
    ("cfd", "", "30000"),
    ("hotspot", "", "700"),
    ("hotspot3d", "", "200"),
    ("kmeans", "", "50000"),
    ("lavamd", "", "12"),
    ("lud", "", "300"),
    ("nw", "", "1200"),
    ("particlefilter", "", "2000"),
    ("pathfinder", "", "60000"),
    ("srad", "", "500"),
    ("streamcluster", "", "1200"),
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
    let orthant = ws.build_profiler(Profile::Release)?;
    let dir = orthant.parent().expect("in a folder").join("bench").join("profile");
    fs::create_dir_all(&dir).map_err(|e| Failure::failed(format!("{}: {e}", dir.display())))?;
    let bench = Bench { orthant, dir, runs: request.runs.min(3) };
    println!(
        "| program | instructions | dependences: instances | #P | %A | #MP F / F_W / F_GG / F_GG,W | instructions: #P | %A | #MP F / F_W / F_GG / F_GG,W | native, s | survey | counted | profile | advice |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for (name, only, argument) in PROGRAMS {
        bench.compile(&ws.root, name)?;
        let modes: Vec<Value> =
            MODES.iter().map(|mode| bench.precision(name, only, *mode)).collect::<Outcome<_>>()?;
        let time = bench.slowdown(name, only, argument)?;
        println!("{}", row(name, &modes, &time));
        rows.push(json!({ "program": name, "modes": modes, "time": time }));
    }
    let ratio = |key: &str| median(&rows.iter().filter_map(|r| r["time"][key].as_f64()).collect::<Vec<_>>());
    let medians = ["survey", "counted", "profile"].map(|key| format!("{:.1}x", ratio(key)));
    println!("| median | | | | | | | | | | {} | |", medians.join(" | "));
    match &request.json {
        None => Ok(()),
        Some(file) => fs::write(file, format!("{:#}\n", json!(rows)))
            .map_err(|e| Failure::failed(format!("{}: {e}", file.display()))),
    }
}

/// A program's line of the table.
fn row(name: &str, modes: &[Value], time: &Value) -> String {
    let number = |mode: &Value, key: String| mode["totals"][key].as_u64().unwrap_or(0);
    let (paper, own) = modes.split_at(modes.len() - 1);
    let columns = |kind: &str| {
        let [points, affine, pieces] =
            ["points", "points_affine", "pieces"].map(|part| number(&own[0], format!("{kind}_{part}")));
        let most: Vec<_> =
            paper.iter().map(|mode| short(number(mode, format!("{kind}_intermediate")))).collect();
        let share = 100.0 * affine as f64 / points.max(1) as f64;
        (short(points), format!("{} | {share:.0} | {}", short(pieces), most.join(" / ")))
    };
    let ((instances, dependences), (_, instructions)) = (columns("dependence"), columns("instruction"));
    let times =
        ["survey", "counted", "profile"].map(|key| format!("{:.1}x", time[key].as_f64().unwrap_or(0.0)));
    format!(
        "| {name} | {} | {instances} | {dependences} | {instructions} | {:.3} | {} | {} |",
        short(number(&own[0], "instructions".to_owned())),
        time["native"].as_f64().unwrap_or(0.0),
        times.join(" | "),
        own[0]["advice"].as_str().unwrap_or_default()
    )
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
        let possible =
            found["advice"]["suggestions"].as_array().into_iter().flatten().filter(|s| s["possible"] == true);
        let mut advice: Vec<&str> = possible.filter_map(|s| s["id"].as_str()).collect();
        let mut seen = std::collections::BTreeSet::new();
        advice.retain(|id| seen.insert(*id));
        Ok(json!({ "program": name, "mode": shown, "totals": found["totals"], "advice": advice.join(", ") }))
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
        // The program itself is quick, and its time is what everything is divided by.
        for _ in 0..4 * self.runs {
            times[0].push(measure(Command::new(&program).args(argument.split(' ')))?.cpu);
        }
        for _ in 0..self.runs {
            let on = |mut command: Command| {
                command.arg("--").arg(&program).args(argument.split(' '));
                measure(&mut command)
            };
            times[1].push(on(self.survey("--survey"))?.cpu);
            times[2].push(on(self.survey("--survey=count"))?.cpu);
            times[3].push(on(self.profile(only))?.cpu);
        }
        let [native, survey, counted, full] = times.each_ref().map(|times| median(times));
        let [survey, counted, full] = [survey, counted, full].map(|time| time / native);
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
