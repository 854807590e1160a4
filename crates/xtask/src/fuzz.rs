//! `cargo xtask fuzz`: random inputs for as long as one likes.
//!
//! Two kinds of targets under one list: those of libFuzzer in the separate workspace `fuzz/`, and the hunts of this
//! workspace, which are its property tests and examples with more cases than a test run has time for ([`HUNTS`]).

use crate::workspace::Workspace;
use crate::{Failure, Outcome, command, setup};
use std::path::Path;

/// When a target has run enough.
pub enum Limit {
    /// After so many inputs.
    Runs(u64),
    /// After so many seconds.
    Seconds(u64),
}

/// What to run.
pub struct Request {
    /// One target, or all of libFuzzer's.
    pub target: Option<String>,
    /// For how long each; `None`: a target's own measure.
    pub limit: Option<Limit>,
    /// Only say what there is.
    pub list: bool,
}

/// How the cases of a hunt are numbered.
#[derive(Clone, Copy)]
enum Cases {
    /// In an environment variable of a test: package, test, name of the test function, variable.
    Test(&'static str, &'static str, &'static str, &'static str),
    /// As the second argument of an example, after a seed and before a folder for what was found: package, example.
    Example(&'static str, &'static str),
}

/// A property test or example that takes a number of cases.
struct Hunt {
    name: &'static str,
    about: &'static str,
    cases: Cases,
    /// How many, if the user does not say.
    usual: u64,
}

/// The hunts of this workspace.
const HUNTS: &[Hunt] = &[
    Hunt {
        name: "delinearize",
        about: "random arrays: shapes linearize back, and conditions keep subscripts inside (brute force)",
        cases: Cases::Test("delinearize", "random", "", "ORTHANT_DELINEARIZE_CASES"),
        usual: 100_000,
    },
    Hunt {
        name: "programs",
        about: "random C programs, compiled with and without Orthant",
        cases: Cases::Example("progen", "hunt"),
        usual: 100,
    },
    Hunt {
        name: "traces",
        about: "random imp programs: the dataflow contains the trace (paper 004, proposition 7)",
        cases: Cases::Test("imp", "propositions", "proposition_7_in_full", "IMP_PROP7_FULL"),
        usual: 2_000,
    },
    Hunt {
        name: "streams",
        about: "random affine nests: folded exactly, and contained when widened or given up (brute force)",
        cases: Cases::Test("fold", "exact", "", "FOLD_STREAMS"),
        usual: 10_000,
    },
    Hunt {
        name: "dependences",
        about: "random models: dependences against a run of the model",
        cases: Cases::Test("dataflow", "truth", "", "ORTHANT_SCOPS"),
        usual: 10_000,
    },
];

/// Runs what was asked for; the first failure stops.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    let fuzz = ws.root.join("fuzz");
    let targets = targets(&fuzz.join("fuzz_targets"))?;
    if request.list {
        HUNTS.iter().for_each(|hunt| println!("{:12} {} (usually {})", hunt.name, hunt.about, hunt.usual));
        targets.iter().for_each(|target| println!("{target:12} libFuzzer, fuzz/fuzz_targets/{target}.rs"));
        return Ok(());
    }
    setup::ensure()?;
    let hunt = HUNTS.iter().find(|hunt| Some(hunt.name) == request.target.as_deref());
    match (&request.target, hunt) {
        (Some(_), Some(hunt)) => run_hunt(ws, hunt, request.limit.as_ref()),
        (Some(name), None) if !targets.contains(name) => Err(unknown(name, &targets)),
        (Some(name), None) => run_target(ws, &fuzz, name, request.limit.as_ref()),
        (None, _) => {
            targets.iter().try_for_each(|target| run_target(ws, &fuzz, target, request.limit.as_ref()))
        }
    }
}

fn unknown(name: &str, targets: &[String]) -> Failure {
    let hunts = HUNTS.iter().map(|hunt| hunt.name);
    let all: Vec<_> = hunts.chain(targets.iter().map(String::as_str)).collect();
    Failure::Missing(format!("no fuzz target {name}; there are: {}", all.join(", ")))
}

fn run_hunt(ws: &Workspace, hunt: &Hunt, limit: Option<&Limit>) -> Outcome {
    let cases = match limit {
        None => hunt.usual,
        Some(Limit::Runs(runs)) => *runs,
        Some(Limit::Seconds(_)) => {
            return Err(Failure::failed(format!("{} is measured in runs: --runs {}", hunt.name, hunt.usual)));
        }
    };
    let mut cargo = match hunt.cases {
        Cases::Test(package, test, name, variable) => {
            let mut cargo = ws.cargo("test");
            cargo.args(["--release", "-p", package, "--test", test, "--", "--nocapture", name]);
            cargo.env(variable, cases.to_string());
            cargo
        }
        Cases::Example(package, example) => {
            let mut build = ws.cargo("build");
            command::run(build.args(["--release", "-p", "plugin"]))?;
            let found = ws.root.join("fuzz/artifacts").join(hunt.name);
            std::fs::create_dir_all(&found)
                .map_err(|error| Failure::failed(format!("{}: {error}", found.display())))?;
            let mut cargo = ws.cargo("run");
            cargo.args(["--release", "-p", package, "--example", example, "--"]);
            cargo.arg(seed().to_string()).arg(cases.to_string()).arg(found);
            cargo
        }
    };
    command::run(&mut cargo)
}

/// Another one each day: hunts of one day can be repeated.
fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs() / 86_400 * 100_000)
}

fn run_target(ws: &Workspace, fuzz: &Path, target: &str, limit: Option<&Limit>) -> Outcome {
    let mut cargo = ws.cargo("run");
    cargo.current_dir(fuzz).args(["--release", "--bin", target]);
    cargo.args(["--", "-timeout=10", "-create_missing_dirs=1"]);
    cargo.arg(match limit {
        Some(Limit::Runs(runs)) => format!("-runs={runs}"),
        Some(Limit::Seconds(seconds)) => format!("-max_total_time={seconds}"),
        None => "-max_total_time=60".to_owned(),
    });
    cargo
        .arg(format!("-artifact_prefix=artifacts/{target}/"))
        .arg(format!("-dict=dictionaries/{target}.dict"));
    cargo.args([format!("corpus/{target}"), format!("seeds/{target}")]);
    command::run(&mut cargo)
}

fn targets(dir: &Path) -> Outcome<Vec<String>> {
    let entries = std::fs::read_dir(dir).map_err(|e| Failure::failed(format!("{}: {e}", dir.display())))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut targets: Vec<_> = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    targets.sort();
    Ok(targets)
}
