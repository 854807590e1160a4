//! The stages in order, one line each, and nothing else.

use crate::timing::Timers;
use isl::Ctx;
use llvm::front::Obstacle;
use llvm::front::detect::{Nest, Verdict, detect};
use llvm::front::lift::{Lifted, lift};
use llvm::{Pass, Region, Scevs};
use model::Budget;
use options::Options;

/// What the stages found out about a function.
pub struct Outcome<'p> {
    /// Its nests, in textual order; a candidate that a later stage refused is a rejected nest.
    pub nests: Vec<Nest<'p>>,
    /// The models of the candidates, as far as the stages went.
    pub models: Vec<Lifted<'p>>,
}

/// Runs the stages up to the one asked for. The names are those of [`options::STAGES`].
pub fn run<'p>(pass: Pass<'p>, options: &Options, timers: &Timers) -> Outcome<'p> {
    let budget = Budget::new(options.budget);
    let mut nests = timers.time("detect", || detect(pass, &budget));
    let mut models = Vec::new();
    if options.stop_after.as_deref() != Some("detect") {
        let scevs = Scevs::new(pass);
        for nest in &mut nests {
            if let Verdict::Candidate(region) = nest.verdict {
                match timers.time("lift", || lift_one(pass, &scevs, region, options, &budget)) {
                    Ok(model) => models.push(model),
                    Err(obstacle) => nest.verdict = Verdict::Rejected(vec![obstacle]),
                }
            }
        }
    }
    Outcome { nests, models }
}

/// Each nest has its own isl context, and isl counts its own operations.
fn lift_one<'p>(
    pass: Pass<'p>,
    scevs: &Scevs<'p>,
    region: Region<'p>,
    options: &Options,
    budget: &Budget,
) -> Result<Lifted<'p>, Obstacle<'p>> {
    let ctx = Ctx::new();
    // 0 is no limit here, and nothing at all to isl.
    let operations = if options.budget == 0 { u64::MAX } else { options.budget };
    ctx.with_budget(operations, || lift(pass, scevs, region, &ctx, budget))
}
