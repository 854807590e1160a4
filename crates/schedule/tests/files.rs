//! The file tests of this crate: `# test: optimize [NAME=VALUE ...]` on a `.scop` text.
//!
//! Names: `tile=4,3` or `tile=off` (tile sizes), `fusion=min|max`, `reductions=relaxed`, `always=1` (no veto by
//! the prediction), `threads=N` (in so many threads, however little there is to do), `estimate=N`, `l1=N` and `l2=N` (bytes of the first two caches), `operations=N`, `run=4,5` (parameter values for the oracle; may occur more than once), `c=0` (no C).
//!
//! The output is the description and the C of the schedule. Each schedule is run by the oracle.

use astgen::{generate, print_c};
use isl::Ctx;
use model::Scop;
use schedule::legality::{self, Reductions};
use schedule::{Decision, Fusion, Options, Tiling, optimize};

fn main() -> std::process::ExitCode {
    filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
        .command("optimize", |input| run(input.text, input.args))
        .command("candidates", |input| candidates(input.text, input.args).map_err(|error| error.to_string()))
        .run()
}

/// `# test: candidates [reductions=relaxed]`: all that are looked at, with their predicted costs.
fn candidates(text: &str, args: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let is_relaxed = args.iter().any(|arg| arg == "reductions=relaxed");
    let reductions = if is_relaxed { Reductions::Relaxed } else { Reductions::Kept };
    let options = Options { reductions, ..Options::default() };
    let scop = Scop::parse(&Ctx::new(), text)?;
    let dependences = dataflow::dependences(&scop, &Default::default())?;
    let all = schedule::candidates(&scop, &dependences, &options)?;
    let show = |(name, description, cost): &(&str, String, schedule::Cost)| {
        let parts =
            [cost.work, cost.control, cost.l1, cost.l2, cost.l3].map(|part| format!("{:.1}", part / 1e6));
        format!("{name}: {:.1} = {}\n{description}", cost.total() / 1e6, parts.join(" + "))
    };
    Ok(all.iter().map(show).collect())
}

fn numbers(text: &str) -> Result<Vec<i64>, String> {
    text.split(',').map(|number| number.parse().map_err(|_| format!("{number} is no number"))).collect()
}

fn run(text: &str, args: &[String]) -> Result<String, String> {
    let scop = Scop::parse(&Ctx::new(), text).map_err(|error| error.to_string())?;
    let mut options = Options::default();
    let (mut runs, mut c) = (Vec::new(), true);
    for arg in args {
        let (name, value) = arg.split_once('=').ok_or(format!("expected NAME=VALUE, found {arg}"))?;
        match (name, value) {
            ("tile", "off") => options.tiling = Tiling::Off,
            ("tile", sizes) => options.tiling = Tiling::Sizes(numbers(sizes)?),
            ("fusion", "min") => options.fusion = Fusion::Min,
            ("fusion", "max") => options.fusion = Fusion::Max,
            ("reductions", "relaxed") => options.reductions = Reductions::Relaxed,
            ("always", "1") => options.threshold = f64::INFINITY,
            ("threads", value) => {
                (options.threads, options.threads_always) = (numbers(value)?[0] as u32, true);
            }
            ("l1", value) => options.machine.l1_bytes = numbers(value)?[0] as u64,
            ("l2", value) => options.machine.l2_bytes = numbers(value)?[0] as u64,
            ("estimate", value) => options.estimate = numbers(value)?[0],
            ("operations", value) => options.operations = numbers(value)?[0] as u64,
            ("run", value) => runs.push(numbers(value)?),
            ("c", "0") => c = false,
            _ => return Err(format!("unknown option {arg}")),
        }
    }
    let dependences = dataflow::dependences(&scop, &Default::default()).map_err(|error| error.to_string())?;
    match optimize(&scop, &dependences, &options).map_err(|error| error.to_string())? {
        Decision::Original { reason } => Ok(format!("original: {reason}\n")),
        Decision::New(new) => {
            let verdict = legality::check_with(&scop, &dependences, &new.schedule, options.reductions)
                .map_err(|error| error.to_string())?;
            if runs.is_empty() && !scop.params.is_empty() {
                return Err("no run=... for the oracle".into());
            }
            for params in if runs.is_empty() { vec![Vec::new()] } else { runs } {
                let agreement =
                    interp::agree(&scop, &new.schedule, &params).map_err(|error| error.to_string())?;
                if !agreement.is_same() || !verdict.is_legal() {
                    return Err(format!("{verdict}; at {params:?}: {agreement}\n{}", new.description));
                }
            }
            let mut text = format!("{}{}\n", new.description, new.prediction);
            if c {
                let tree =
                    generate(&scop, &new.schedule, &scop.context).map_err(|error| error.to_string())?;
                text += &print_c(&scop, &tree);
            }
            Ok(text)
        }
    }
}
