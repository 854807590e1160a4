//! `orthant profile` on the programs of `bench/profile`, in the manner of Table 5 of the paper.
//!
//! Each program is compiled with `gcc -O2 -g`. On a small input its kernels are profiled in the paper's four modes, folded as in the
//! paper, and in Orthant's own (`auto`): as there, what stands for reading the input is left out. Then, on a larger input, on which the
//! program itself takes about 50 ms, its processor time, and as multiples of that the processor time of QEMU without a plugin, of a survey by
//! samples, of one that counts, and of a full profile of everything, of which there is the time on the clock, too. One row per program,
//! dependences / instructions:
//!
//! - the instances on the small input;
//! - the pieces (`#P`) and the share in affine pieces (`%A`, counted as in the paper: docs/profile.md has the definition) in `auto`, and the intermediate polyhedra (`#MP`) of dependences in the modes F,
//!   F_W, F_GG and F_GG,W;
//! - the slowdowns. All of a run counts, start and end included. What a full profile takes before it gets anywhere (QEMU starts, code is
//!   translated, the report is written) does not depend on the input, so on an input of a few milliseconds it would be measured
//!   instead of the analysis: it is shown apart (`start`), as the processor time of a full profile on the small input, on which the
//!   program itself takes about 1 ms; `steady` is the slowdown without it;
//! - what is advised for the kernels.
//!
//! The program itself is measured five times before and five times after these, under the same load. If all that takes longer than [`LONG`]
//! it is measured once, otherwise up to three times.

use super::{Request, measure};
use crate::stats::median;
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program: its name, its kernels (none: everything), and arguments with which it runs for about 50 ms.
const PROGRAMS: [(&str, &[&str], &str); 15] = [
    ("backprop", &["train"], "130000"),
    ("bfs", &["search"], "400000"),
    ("btree", &["find"], "140000"),
    ("cfd", &["flux", "step"], "80000"),
    ("cfd-random", &["flux", "step"], "80000"),
    ("hotspot", &["step"], "1400"),
    ("hotspot3d", &["step"], "550"),
    ("kmeans", &[], "400000"),
    ("lavamd", &["forces"], "22"),
    ("lud", &["lud"], "620"),
    ("nw", &["fill"], "2900"),
    ("particlefilter", &[], "4800"),
    ("pathfinder", &["find"], "340000"),
    ("srad", &[], "1170"),
    ("streamcluster", &["gain"], "3500"),
];

/// Seconds of processor time after which the measurements of a program are not repeated.
const LONG: f64 = 10.0;

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
        "| program | instances | #P | %A | #MP F / F_W / F_GG / F_GG,W | native, ms | QEMU alone | survey | counted | everything | on the clock | steady | start, s | advice |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
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
    let medians = SLOWDOWNS.map(|key| format!("{:.1}", ratio(key))).join(" | ");
    println!("| median | | | | | | {medians} | {:.2} | |", ratio("start"));
    match &request.json {
        None => Ok(()),
        Some(file) => fs::write(file, format!("{:#}\n", json!(rows)))
            .map_err(|e| Failure::failed(format!("{}: {e}", file.display()))),
    }
}

/// Slowdowns against the program itself: processor time, and of the full profile also the clock, and what is left without its start.
const SLOWDOWNS: [&str; 6] = ["qemu", "survey", "counted", "profile", "profile-wall", "steady"];

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
        "| {name} | {instances} | {pieces} | {affine} | {} | {:.1} | {} | {:.2} | {} |",
        most.join("/"),
        1e3 * time["native"].as_f64().unwrap_or(0.0),
        times.join(" | "),
        time["start"].as_f64().unwrap_or(0.0),
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
        let (large, small): (Vec<&str>, &[&str]) = (argument.split(' ').collect(), &[]);
        let on = |mut command: Command, input: &[&str]| measure(command.arg(&program).args(input));
        let observed =
            |mut command: Command, input: &[&str]| measure(command.arg("--").arg(&program).args(input));
        let natively = |input: &[&str]| -> Outcome<Vec<f64>> {
            (0..5).map(|_| Ok(measure(Command::new(&program).args(input))?.cpu)).collect()
        };
        let (mut native, mut native_small, mut start) = (Vec::new(), Vec::new(), Vec::new());
        let mut times: [Vec<f64>; 5] = Default::default();
        for _ in 0..self.runs {
            native.extend(natively(&large)?);
            native_small.extend(natively(small)?);
            times[0].push(on(Command::new("qemu-x86_64"), &large)?.cpu);
            times[1].push(observed(self.survey("--survey"), &large)?.cpu);
            times[2].push(observed(self.survey("--survey=count"), &large)?.cpu);
            let full = observed(self.profile(&[]), &large)?;
            times[3].push(full.cpu);
            times[4].push(full.wall);
            start.push(observed(self.profile(&[]), small)?.cpu);
            native.extend(natively(&large)?);
            if times[..4].iter().filter_map(|times| times.last()).sum::<f64>() > LONG {
                break;
            }
        }
        let (native, native_small, start) = (median(&native), median(&native_small), median(&start));
        let steady = (median(&times[3]) - start) / (native - native_small).max(f64::EPSILON);
        let mut found = json!({ "program": name, "native": native, "start": start, "steady": steady });
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
