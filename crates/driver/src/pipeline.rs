//! The stages in order, one line each, and nothing else.

use crate::timing::Timers;
use llvm::Pass;
use llvm::front::detect::{Nest, detect};
use model::Budget;
use options::Options;

/// What the stages found out about a function.
pub struct Outcome<'p> {
    /// Its nests, in textual order.
    pub nests: Vec<Nest<'p>>,
}

/// Runs the stages. The names are those of [`options::STAGES`].
pub fn run<'p>(pass: Pass<'p>, options: &Options, timers: &Timers) -> Outcome<'p> {
    let budget = Budget::new(options.budget);
    let nests = timers.time("detect", || detect(pass, &budget));
    Outcome { nests }
}
