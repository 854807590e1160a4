//! Stage `schedule`: which order a nest is to have.
//!
//! A legal order from a file ([`Options::schedule_in`]) comes first, then what [`Options::schedule`] says: the program's
//! own order, or what the scheduler finds if that pays; if not, the own order where the check alone helps LLVM
//! ([`behind_check`]), as a copy. Orders go to files as `FOLDER/NEST.json`
//! ([`Options::schedule_out`]), where `NEST` is the model's name with all but letters, digits, `-`, `_` and `.` replaced,
//! and from the function's second nest on its number: `f`, `f.2`, `f.3`. What is written is the order that the nest will
//! have, or its own if it stays. A file that cannot be read, is not for this nest, or
//! would change what the program computes is refused with a message, and the nest is left as it is.

use crate::machine::planned_threads;
use crate::pipeline;
use assume::Gain;
use dataflow::Dependences;
use isl::Schedule;
use model::{Reason, Scop};
use options::Options;
use schedule::legality::{Prover, Reductions};
use schedule::threads::Marked;
use schedule::{Decision, Demand, Form, Machine, Prediction, Tiling};
use std::path::{Path, PathBuf};

/// What is to be done with a nest.
pub enum Plan {
    /// New loops.
    New(Box<NewOrder>),
    /// Nothing; the reason.
    Kept(schedule::Reason),
}

/// The order of new loops.
pub struct NewOrder {
    /// The tree.
    pub schedule: Schedule,
    /// The same without loops in threads, if it has some.
    pub alone: Option<Schedule>,
    /// If it could have had some: why it has none.
    pub why_alone: Option<String>,
    /// `T(S): (i, k, j)` for each statement, then a line for each innermost band.
    pub description: String,
    /// What kind of loops it has, if they were chosen.
    pub form: Option<Form>,
    /// How long its innermost loops must be to pay.
    pub demands: Vec<Demand>,
    /// Whether only threads make it pay.
    pub pays_in_threads_only: bool,
    /// What it is expected to bring; `None` if nobody asked.
    pub prediction: Option<Prediction>,
    /// If it is the own order, of a nest that only gains from its check: what.
    pub own: Option<Gain>,
}

/// The plan for the model of the function's nest with that index.
pub fn plan(
    (scop, nest): (&Scop, usize),
    dependences: &Dependences,
    machine: Machine,
    options: &Options,
) -> Result<Plan, Reason> {
    let file = |folder: &PathBuf| file_of(folder, scop, nest);
    let plan = match imported(scop, dependences, options.schedule_in.as_ref().map(file))? {
        Some(schedule) => as_given(scop, schedule)?,
        None => match options.schedule {
            options::Schedule::Identity => as_given(scop, own_order(scop, dependences, options)?)?,
            options::Schedule::Auto => optimized(scop, dependences, machine, options)?,
            options::Schedule::Keep => Plan::Kept(schedule::Reason::Wanted),
        },
    };
    export(scop, &plan, options.schedule_out.as_ref().map(file))?;
    Ok(plan)
}

/// An order that somebody gave.
pub fn as_given(scop: &Scop, schedule: Schedule) -> Result<Plan, Reason> {
    without_prediction(scop, schedule, None)
}

fn without_prediction(scop: &Scop, schedule: Schedule, own: Option<Gain>) -> Result<Plan, Reason> {
    let description = schedule::describe(scop, &schedule).map_err(of_isl)?;
    Ok(Plan::New(Box::new(NewOrder {
        schedule,
        alone: None,
        why_alone: None,
        description,
        form: None,
        demands: Vec::new(),
        pays_in_threads_only: false,
        prediction: None,
        own,
    })))
}

/// A faster order, if there is one.
pub fn optimized(
    scop: &Scop,
    dependences: &Dependences,
    machine: Machine,
    options: &Options,
) -> Result<Plan, Reason> {
    match schedule::optimize(scop, dependences, &how(scop, machine, options)) {
        Ok(Decision::New(new)) => Ok(Plan::New(Box::new(NewOrder {
            schedule: new.schedule,
            alone: new.alone,
            why_alone: new.why_alone,
            description: new.description,
            form: Some(new.form),
            demands: new.demands,
            pays_in_threads_only: new.pays_in_threads_only,
            prediction: Some(new.prediction),
            own: None,
        }))),
        Ok(Decision::Original { reason }) => Ok(Plan::Kept(reason)),
        Err(error) => Err(Reason::Internal { message: error.to_string() }),
    }
}

/// The program's own order, with loops in threads where that is wanted and can be.
fn own_order(scop: &Scop, dependences: &Dependences, options: &Options) -> Result<Schedule, Reason> {
    let own = schedule::identity(scop).map_err(of_isl)?;
    if !options.parallel {
        return Ok(own);
    }
    let how = how(scop, Machine::default(), options);
    match schedule::threads::marked(&Prover::new(scop, dependences), &own, &how) {
        Ok(Marked::Threads { schedule, .. }) => Ok(schedule),
        Ok(Marked::Alone(_)) => Ok(own),
        Err(error) if error.is_budget() => Ok(own),
        Err(error) => Err(Reason::Internal { message: error.to_string() }),
    }
}

/// How to schedule.
fn how(scop: &Scop, machine: Machine, options: &Options) -> schedule::Options {
    schedule::Options {
        operations: scop.ctx.operations_left().unwrap_or(u64::MAX),
        reductions: Reductions::Relaxed,
        machine,
        registers: options.registers,
        rows: options.rows,
        tiling: tiling(options),
        threshold: 100.0 / (100.0 + f64::from(options.least_gain)),
        threads: threads(options),
        threads_always: options.parallel_always,
        ..schedule::Options::default()
    }
}

/// How to analyse what is to be scheduled: which writes are the last of their cells counts where threads have copies of arrays.
pub fn analysis(in_threads: bool) -> dataflow::Options {
    dataflow::Options { live_out: in_threads, ..dataflow::Options::default() }
}

/// The tile sizes that somebody wants.
fn tiling(options: &Options) -> Tiling {
    match options.tiles.is_empty() {
        true => Tiling::Auto,
        false => Tiling::Sizes(options.tiles.iter().map(|size| (*size).min(1 << 20) as i64).collect()),
    }
}

/// How many threads to plan for.
fn threads(options: &Options) -> u32 {
    match options.parallel {
        false => 1,
        true => planned_threads(options).value as u32,
    }
}

/// The own order of a nest that is kept otherwise, if the check alone helps LLVM. That is said by the model of the code as it
/// is, with its scalars.
pub fn behind_check(lifted: &Scop, plan: &Plan, options: &Options) -> Result<Option<Plan>, Reason> {
    let is_kept = matches!(plan, Plan::Kept(_)) && options.schedule == options::Schedule::Auto;
    let gain = if is_kept { assume::gain_from_check(lifted).map_err(of_isl)? } else { None };
    if gain.is_none() {
        return Ok(None);
    }
    let mut plan = without_prediction(lifted, schedule::identity(lifted).map_err(of_isl)?, gain)?;
    if let Plan::New(new) = &mut plan {
        new.description += match gain {
            Some(Gain::NextIteration) => {
                "the same order: behind the check values go from one iteration to the next without being loaded again\n"
            }
            _ => "the same order: behind the check cells stay in registers\n",
        };
    }
    Ok(Some(plan))
}

fn imported(
    scop: &Scop,
    dependences: &Dependences,
    file: Option<PathBuf>,
) -> Result<Option<Schedule>, Reason> {
    let Some(file) = file else { return Ok(None) };
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| unusable(&file, &error))?,
    };
    match schedule::from_json(scop, dependences, &text, Reductions::Relaxed) {
        Ok(schedule) => Ok(Some(schedule)),
        Err(error) => Err(unusable(&file, &error)),
    }
}

fn export(scop: &Scop, plan: &Plan, file: Option<PathBuf>) -> Result<(), Reason> {
    let Some(file) = file else { return Ok(()) };
    let own;
    let schedule = match plan {
        Plan::New(new) => &new.schedule,
        Plan::Kept(_) => {
            own = schedule::identity(scop).map_err(of_isl)?;
            &own
        }
    };
    let text = schedule::to_json(scop, schedule).map_err(of_isl)?;
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = folder.and_then(|()| std::fs::write(&file, text));
    written.map_err(|error| unusable(&file, &error))
}

fn file_of(folder: &Path, scop: &Scop, nest: usize) -> PathBuf {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = scop.name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let number = if nest == 0 { String::new() } else { format!(".{}", nest + 1) };
    folder.join(name + &number + ".json")
}

fn unusable(file: &Path, error: &dyn std::error::Error) -> Reason {
    Reason::BadSchedule { message: format!("{}: {error}", file.display()) }
}

/// What becomes of isl's error in this stage.
pub(crate) fn of_isl(error: isl::Error) -> Reason {
    pipeline::of_isl(error, "schedule")
}
