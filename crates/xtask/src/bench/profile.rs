//! `orthant profile` on the programs of `bench/profile`, in the manner of Table 5 of the paper.
//!
//! Each program is compiled with `gcc -O2 -g`. On a small input its kernels are profiled in the paper's four modes, folded as in the
//! paper, and in Orthant's own (`auto`): as there, what stands for reading the input is left out. Then, on a larger input, the processor time
//! of the program itself, and as multiples of it that of QEMU without a plugin, of a survey by samples, of one that counts, and of a full
//! profile of everything, of which there is the time on the clock, too. One row per program, dependences / instructions:
//!
//! - the instances on the small input;
//! - the pieces (`#P`) and the share in affine pieces (`%A`) in `auto`, and the intermediate polyhedra (`#MP`) of dependences in the modes F,
//!   F_W, F_GG and F_GG,W;
//! - the slowdowns, and what is advised for the kernels.

use super::{Request, measure};
use crate::stats::median;
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program: its name, its kernels (none: everything), and arguments with which it runs for about a hundredth of a second, so that a
/// full profile takes a few.
const PROGRAMS: [(&str, &[&str], &str); 14] = [
    ("backprop", &[], "1500 1500"),
    ("bfs", &["search"], "100000"),
    ("btree", &["find"], "100000"),
    ("cfd", &["flux", "step"], "10000"),
    ("hotspot", &["step"], "700"),
    ("hotspot3d", &["step"], "200"),
    ("kmeans", &[], "50000"),
    ("lavamd", &["forces"], "12"),
    ("lud", &["lud"], "300"),
    ("nw", &["fill"], "1200"),
    ("particlefilter", &[], "2000"),
    ("pathfinder", &["find"], "60000"),
    ("srad", &[], "500"),
    ("streamcluster", &["gain"], "1200"),
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
        "| program | instances | #P | %A | #MP F / F_W / F_GG / F_GG,W | native, ms | QEMU alone | survey | counted | everything | on the clock | advice |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for (name, kernels, argument) in PROGRAMS {
        bench.compile(&ws.root, name)?;
        let modes: Vec<Value> =
            MODES.iter().map(|mode| bench.precision(name, kernels, *mode)).collect::<Outcome<_>>()?;
        let time = bench.slowdown(name, argument)?;
        println!("{}", row(name, &modes, &time));
        rows.push(json!({ "program": name, "modes": modes, "time": time }));
    }
    let ratio = |key: &str| median(&rows.iter().filter_map(|r| r["time"][key].as_f64()).collect::<Vec<_>>());
    println!("| median | | | | | | {} | |", SLOWDOWNS.map(|key| format!("{:.1}", ratio(key))).join(" | "));
    match &request.json {
        None => Ok(()),
        Some(file) => fs::write(file, format!("{:#}\n", json!(rows)))
            .map_err(|e| Failure::failed(format!("{}: {e}", file.display()))),
    }
}

/// Slowdowns against the program itself: processor time, the last one of the clock.
const SLOWDOWNS: [&str; 5] = ["qemu", "survey", "counted", "profile", "profile-wall"];

/// A program's line of the table.
fn row(name: &str, modes: &[Value], time: &Value) -> String {
    let number = |mode: &Value, key: String| mode["totals"][key].as_u64().unwrap_or(0);
    let (paper, own) = modes.split_at(modes.len() - 1);
    let pair = |of: &dyn Fn(&str) -> String| format!("{}/{}", of("dependence"), of("instruction"));
    let instances = pair(&|kind| short(number(&own[0], format!("{kind}_points"))));
    let pieces = pair(&|kind| short(number(&own[0], format!("{kind}_pieces"))));
    let affine = pair(&|kind| {
        let [points, affine] =
            ["points", "points_affine"].map(|part| number(&own[0], format!("{kind}_{part}")));
        format!("{:.0}", 100.0 * affine as f64 / points.max(1) as f64)
    });
    let most = paper.iter().map(|mode| short(number(mode, "dependence_intermediate".to_owned())));
    let most: Vec<String> = most.collect();
    let times = SLOWDOWNS.map(|key| format!("{:.1}", time[key].as_f64().unwrap_or(0.0)));
    format!(
        "| {name} | {instances} | {pieces} | {affine} | {} | {:.1} | {} | {} |",
        most.join("/"),
        1e3 * time["native"].as_f64().unwrap_or(0.0),
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

    fn profile(&self, only: &[&str]) -> Command {
        let mut profile = Command::new(&self.orthant);
        profile.args(["profile", "--once"]).args(only.iter().flat_map(|function| ["--only", function]));
        profile
    }

    fn precision(
        &self,
        name: &str,
        only: &[&str],
        (shown, mode, paper): (&str, &str, bool),
    ) -> Outcome<Value> {
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

    fn slowdown(&self, name: &str, argument: &str) -> Outcome<Value> {
        let program = self.dir.join(name);
        let on = |mut command: Command| {
            command.arg(&program).args(argument.split(' '));
            measure(&mut command)
        };
        let observed = |mut command: Command| {
            command.arg("--");
            on(command)
        };
        let mut native = Vec::new();
        let mut times: [Vec<f64>; SLOWDOWNS.len()] = Default::default();
        for _ in 0..self.runs {
            // The program itself is quick, and its time is what everything is divided by.
            for _ in 0..5 {
                native.push(measure(Command::new(&program).args(argument.split(' ')))?.cpu);
            }
            times[0].push(on(Command::new("qemu-x86_64"))?.cpu);
            times[1].push(observed(self.survey("--survey"))?.cpu);
            times[2].push(observed(self.survey("--survey=count"))?.cpu);
            let full = observed(self.profile(&[]))?;
            times[3].push(full.cpu);
            times[4].push(full.wall);
        }
        let native = median(&native);
        let mut found = json!({ "program": name, "native": native });
        for (key, times) in SLOWDOWNS.iter().zip(&times) {
            found[key] = json!(median(times) / native);
        }
        Ok(found)
    }
}

fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}
