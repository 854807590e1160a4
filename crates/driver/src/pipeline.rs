//! The stages in order, one line each, and nothing else.

use crate::check::{check, valid_params};
use crate::timing::Timers;
use astgen::Node;
use isl::Ctx;
use llvm::back::emit::{Check, Failure, emit, prepare};
use llvm::front::Obstacle;
use llvm::front::detect::{Nest, Verdict, detect};
use llvm::front::lift::{Lifted, lift};
use llvm::{Pass, Region, Scevs};
use model::{Budget, Reason};
use options::Options;

/// What the stages found out about a function.
pub struct Outcome<'p> {
    /// Its nests, in textual order; a candidate that a later stage refused is a rejected nest.
    pub nests: Vec<Nest<'p>>,
    /// The models of the candidates, as far as the stages went, with the index of their nest.
    pub models: Vec<Modelled<'p>>,
    /// Whether the function was changed.
    pub changed: bool,
}

/// A nest with a model.
pub struct Modelled<'p> {
    /// Which of the nests.
    pub nest: usize,
    /// The model and what it stands for.
    pub lifted: Lifted<'p>,
    /// The new loops and their check, after stage `astgen`.
    pub program: Option<(Vec<Node>, Check)>,
}

/// Runs the stages up to the one asked for. The names are those of [`options::STAGES`].
pub fn run<'p>(pass: Pass<'p>, options: &Options, timers: &Timers) -> Outcome<'p> {
    let goes_on_after = |stage: &str| options.stop_after.as_deref() != Some(stage);
    let budget = Budget::new(options.budget);
    let scevs = Scevs::new(pass);
    let nests = timers.time("detect", || detect(pass, &budget));
    let mut outcome = Outcome { nests, models: Vec::new(), changed: false };
    if goes_on_after("detect") {
        timers.time("lift", || lift_all(pass, &scevs, options, &budget, &mut outcome));
    }
    if goes_on_after("detect") && goes_on_after("lift") {
        timers.time("astgen", || generate_all(options, &mut outcome));
    }
    if goes_on_after("detect") && goes_on_after("lift") && goes_on_after("astgen") {
        timers.time("emit", || emit_all(pass, &scevs, &mut outcome));
    }
    outcome
}

/// Each nest has its own isl context, and isl counts its own operations.
fn lift_all<'p>(
    pass: Pass<'p>,
    scevs: &Scevs<'p>,
    options: &Options,
    budget: &Budget,
    outcome: &mut Outcome<'p>,
) {
    for (index, nest) in outcome.nests.iter_mut().enumerate() {
        let Verdict::Candidate(region) = nest.verdict else { continue };
        let ctx = Ctx::new();
        match ctx.with_budget(operations(options), || lift(pass, scevs, region, &ctx, budget)) {
            Ok(lifted) => outcome.models.push(Modelled { nest: index, lifted, program: None }),
            Err(obstacle) => nest.verdict = Verdict::Rejected(vec![obstacle]),
        }
    }
}

fn generate_all(options: &Options, outcome: &mut Outcome<'_>) {
    for model in &mut outcome.models {
        let scop = &model.lifted.scop;
        let generate = || -> Result<_, astgen::Error> {
            let valid = valid_params(scop)?;
            Ok((astgen::generate(scop, &scop.schedule()?, &valid)?, check(scop, &valid)?))
        };
        match scop.ctx.with_budget(operations(options), generate) {
            Ok(program) => model.program = Some(program),
            Err(error) => reject(&mut outcome.nests[model.nest], model.lifted.region, error),
        }
    }
}

/// Later regions first: what they use of earlier ones is then replaced together with the other uses.
fn emit_all<'p>(pass: Pass<'p>, scevs: &Scevs<'p>, outcome: &mut Outcome<'p>) {
    let ready: Vec<_> = outcome.models.iter().filter(|model| model.program.is_some()).collect();
    outcome.changed = !ready.is_empty();
    let prepared: Vec<_> = ready.iter().map(|model| prepare(pass, scevs, &model.lifted)).collect();
    for (model, prepared) in ready.into_iter().zip(prepared).rev() {
        let failure = match (prepared, &model.program) {
            (Some(prepared), Some((nodes, check))) => {
                emit(pass, scevs, &model.lifted, &prepared, nodes, check).err()
            }
            _ => Some(Failure::Undone),
        };
        match failure {
            None => {}
            Some(Failure::Undone) => {
                let message = "a value of the new loops cannot be computed".into();
                let obstacle = Obstacle::of_region(model.lifted.region, Reason::Internal { message });
                outcome.nests[model.nest].verdict = Verdict::Rejected(vec![obstacle]);
            }
            Some(Failure::Broken(message)) => {
                pass.error(&format!(
                    "orthant: internal error: the new loops of {} are broken: {message}",
                    pass.symbol()
                ));
            }
        }
    }
}

/// 0 is no limit here, and nothing at all to isl.
fn operations(options: &Options) -> u64 {
    if options.budget == 0 { u64::MAX } else { options.budget }
}

fn reject<'p>(nest: &mut Nest<'p>, region: Region<'p>, error: astgen::Error) {
    let reason = match error {
        astgen::Error::Isl(error) if error.is_budget() => Reason::Budget { stage: "astgen".into() },
        astgen::Error::Overflow(what) => {
            Reason::NotModelled { what: format!("{what}, which may not fit 64 bits,") }
        }
        error => Reason::Internal { message: error.to_string() },
    };
    nest.verdict = Verdict::Rejected(vec![Obstacle::of_region(region, reason)]);
}
