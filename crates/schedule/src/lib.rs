//! Legality of schedules, and new schedules from dependences: legal by proof, then fast.
//!
//! # Terms
//! A *schedule tree* is isl's: *bands* of loops, *sequences* of parts, *marks*. A band is *permutable* if its members can
//! be put in any order and tiled; a member is *coincident* if it carries no dependence. A loop over *tiles* steps
//! by the tile size, a loop over *points* runs inside of one tile.
//!
//! # How a schedule is found
//! 1. A few candidates: the program's own order, the same with all loops distributed, and where updates may come in any order
//!    with each as soon as it can be made (`push`), isl's scheduler with as much
//!    and as little fusion as possible ([`candidate`]), and the own order with rows written out where several loops are inside
//!    of one (`jam`).
//! 2. For each innermost band, once for all candidates that have it (`leaves`): which member becomes innermost (parallel with contiguous accesses if possible), whether the
//!    innermost loop is distributed over the statements or split at an iteration (`pivot`), tile sizes, blocks of cells in
//!    registers ([`block`], `apart`), rows written out ([`tree`]).
//! 3. A prediction of the cost ([`cost`]); the cheapest candidate wins if it is clearly cheaper than the original order.
//!    The search ends early when a candidate is near to what any order costs at least ([`cost::least`]); isl's scheduler is asked
//!    last, and not where most of the cost is to bring each line in once ([`cost::least_misses`]).
//!    Where an update of a large array is followed by a loop that reads it, both come together (`steps`, `shift`).
//! 4. [`Prover::check_with`] on the result. A schedule that it does not call legal is never returned.
//!
//! # What comes out
//! [`Decision::New`]: a schedule tree in which each innermost parallel loop is a band of one member under a mark
//! [`model::VECTOR`], put there only if [`Prover::is_parallel`] agrees. Or [`Decision::Original`] with a reason.
//!
//! # Example
//! `C[i, j] += A[i, k] * B[k, j]` in the order `(i, j, k)` becomes
//! ```text
//! T(S): (i, k, j)
//! band i, k, j: permutable, coincident i, j, vector j
//! ```
//!
//! # Budget
//! One budget of isl operations spans everything; each candidate gets a share of what is left, so that one
//! that explodes leaves something for the others. When all is spent, the original order stays. isl's scheduler is
//! not asked about statements in more than five loops: its integer programs take time that operations do not measure.

pub mod affine;
mod apart;
mod batch;
pub mod block;
pub mod candidate;
pub mod cost;
mod demand;
mod describe;
mod diamond;
mod jam;
mod json;
mod leaves;
pub mod legality;
mod machine;
mod marks;
mod pivot;
mod private;
mod push;
mod shift;
mod shrink;
mod steps;
pub mod threads;
mod times;
pub mod tree;
mod walk;

pub use cost::Cost;
pub use demand::Demand;
pub use describe::describe;
pub use json::{FORMAT, ImportError, from_json, to_json};
pub use machine::Machine;

use candidate::Candidate;
use dataflow::Dependences;
use isl::{AstLoopType, DimType, Id, Schedule, ScheduleNode, ScheduleNodeType, UnionMap};
use leaves::Leaves;
use legality::{Prover, Reductions, Verdict};
use model::{Access, AccessKind, Scop, Stmt};
use shift::{Pair, Shifter};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use threads::Marked;
use tree::Bonds;

/// How much to fuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// As the prediction says.
    #[default]
    Auto,
    /// As much as isl's scheduler does.
    Max,
    /// Only what must be fused.
    Min,
}

/// Which tiles to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    /// As the prediction says.
    #[default]
    Auto,
    /// None.
    Off,
    /// These sizes for the members of each permutable innermost band, outermost first; the last one is repeated. 0
    /// or 1: not tiled. The choice among schedules is made as if the sizes were free.
    Sizes(Vec<i64>),
}

/// How to schedule.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many isl operations everything may take.
    pub operations: u64,
    /// Whether the order of updates of one reduction may be changed.
    pub reductions: Reductions,
    /// How much to fuse.
    pub fusion: Fusion,
    /// Which tiles to use.
    pub tiling: Tiling,
    /// Whether blocks of cells may be kept in registers ([`block`]).
    pub registers: bool,
    /// Whether rows may be written out (module `jam`).
    pub rows: bool,
    /// Whether also those of statements that share their loops with others, which takes many operations.
    pub apart: bool,
    /// What to compute costs for.
    pub machine: Machine,
    /// The value of a parameter about which nothing is known.
    pub estimate: i64,
    /// How many threads loops may run in; 1: none are marked.
    pub threads: u32,
    /// Whether they do however little there is to do.
    pub threads_always: bool,
    /// How much of the original's predicted cost the new schedule may have to be taken; infinity to take
    /// the best one always.
    pub threshold: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            operations: 4_000_000,
            reductions: Reductions::Kept,
            fusion: Fusion::Auto,
            tiling: Tiling::Auto,
            registers: true,
            rows: true,
            apart: true,
            machine: Machine::default(),
            estimate: 1000,
            threads: 1,
            threads_always: false,
            threshold: 0.6,
        }
    }
}

/// What to do.
#[derive(Debug)]
pub enum Decision {
    /// Run the statements in this order.
    New(Box<New>),
    /// Leave the program's order.
    Original {
        /// Why.
        reason: Reason,
    },
}

/// A legal schedule.
#[derive(Debug)]
pub struct New {
    /// The tree.
    pub schedule: Schedule,
    /// The same without loops in threads, if it has some.
    pub alone: Option<Schedule>,
    /// If it could have had some: why it has none.
    pub why_alone: Option<String>,
    /// One line for each statement, `T(S): (i + j, i)`, then one for each innermost band.
    pub description: String,
    /// What kind of loops it has.
    pub form: Form,
    /// How long its innermost loops must be to pay.
    pub demands: Vec<Demand>,
    /// Whether only threads make it pay.
    pub pays_in_threads_only: bool,
    /// What it is expected to bring.
    pub prediction: Prediction,
}

/// What kind of loops a schedule has: what it takes before they pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Loops in another order, or rows that are skewed against each other.
    Plain,
    /// Some are tiled.
    Tiled,
    /// Blocks of cells in registers, or rows written out.
    Blocks,
    /// Rows written out that are not equally long.
    Edges,
}

impl Form {
    fn of(scop: &Scop, candidate: &Candidate) -> isl::Result<Form> {
        let some =
            |has: fn(&tree::Change) -> bool| candidate.changes.iter().any(|planned| has(&planned.change));
        for planned in candidate.changes.iter().filter(|planned| planned.change.jam.is_some()) {
            for stmt in planned.stmts() {
                if !scop.stmts[stmt].domain.is_box()? {
                    return Ok(Form::Edges);
                }
            }
        }
        let is_skewed = |change: &tree::Change| change.jam.is_some_and(|strip| strip.is_skewed);
        let has_rows = some(|change| change.jam.is_some()) || !candidate.jams.is_empty();
        Ok(match (some(|change| change.block.is_some()) || has_rows, some(tree::Change::is_tiled)) {
            _ if some(is_skewed) => Form::Plain,
            (true, _) => Form::Blocks,
            (false, true) => Form::Tiled,
            (false, false) => Form::Plain,
        })
    }
}

/// Predicted costs; only their ratio means something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Of the program's order.
    pub original: Cost,
    /// Of the new schedule.
    pub new: Cost,
}

impl Prediction {
    /// How many times faster.
    pub fn speedup(&self) -> f64 {
        self.original.total() / self.new.total().max(1.0)
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "about {:.1} times the speed", self.speedup())
    }
}

/// Why the program's order stays.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// There is no loop.
    NoLoops,
    /// Somebody wants it so.
    Wanted,
    /// No other order was found.
    NothingElse,
    /// No other order was found, and in this one nothing can run in threads; why.
    NoThreads(String),
    /// The best order found is not clearly better.
    NothingPays(Prediction),
    /// The budget was spent in this step.
    BudgetSpent(&'static str),
    /// Loops are so short that no order can make them faster.
    TooShort,
    /// A bug of this crate: what was found is not legal.
    OurBug(String),
}

impl Reason {
    /// Whether orders were compared.
    fn is_about_orders(&self) -> bool {
        matches!(self, Reason::NothingElse | Reason::NoThreads(_) | Reason::NothingPays(_))
    }
}

impl Decision {
    /// A decision for one thread, with the reason why there is none for several.
    fn in_one_thread(self, reason: Reason) -> Decision {
        match self {
            Decision::New(new) => {
                let why = match reason {
                    Reason::NoThreads(why) => why,
                    other => other.to_string(),
                };
                Decision::New(Box::new(New { why_alone: Some(why), ..*new }))
            }
            Decision::Original { .. } => Decision::Original { reason },
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoLoops => f.write_str("there is no loop to reorder"),
            Reason::Wanted => f.write_str("the option schedule=keep says so"),
            Reason::NothingElse => f.write_str("no other order keeps all dependences and looks better"),
            Reason::NoThreads(why) => write!(f, "{}, and it stays in one thread: {why}", Reason::NothingElse),
            Reason::NothingPays(prediction) => {
                write!(f, "the best order found is not clearly better: {prediction}")
            }
            Reason::BudgetSpent(step) => write!(
                f,
                "the budget of isl operations was spent on {step}; raise the budget or split the loop nest"
            ),
            Reason::TooShort => f.write_str(
                "its loops have so few iterations that LLVM unrolls them, which no other order can beat; least-length=0 takes one \
                 nevertheless",
            ),
            Reason::OurBug(text) => {
                write!(f, "the schedule found is not legal, which is a bug worth a report: {text}")
            }
        }
    }
}

/// Why there is no decision.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// isl failed, not for lack of budget.
    #[error("cannot schedule: {0}")]
    Isl(#[from] isl::Error),
    /// The legality checker failed, not for lack of budget.
    #[error(transparent)]
    Legality(#[from] legality::Error),
}

impl Error {
    /// Whether the budget is spent.
    pub fn is_budget(&self) -> bool {
        match self {
            Error::Isl(error) => error.is_budget(),
            Error::Legality(error) => error.is_budget(),
        }
    }
}

/// The program's own order.
pub fn identity(scop: &Scop) -> isl::Result<Schedule> {
    scop.schedule()
}

/// A better order, if there is one.
pub fn optimize(scop: &Scop, dependences: &Dependences, options: &Options) -> Result<Decision, Error> {
    let mut step = "the dependences";
    let result: Result<Decision, Error> = scop.ctx.with_budget(options.operations, || {
        let (prover, unproved) = (&Prover::new(scop, dependences), Cell::new(false));
        let mut run = |options: &Options| {
            let spent = Cell::new(false);
            let (program, own, leaves) = Default::default();
            let (step, unproved) = (&mut step, &unproved);
            Optimizer { scop, prover, options, step, spent, unproved, program, own, leaves }.run()
        };
        let mut planned = |options: &Options| match run(options)? {
            _ if unproved.take() => run(&Options { registers: false, ..options.clone() }),
            found => Ok(found),
        };
        match planned(options)? {
            // What cannot run in threads may be faster without.
            Decision::Original { reason } if options.threads > 1 && reason.is_about_orders() => {
                let alone = planned(&Options { threads: 1, ..options.clone() })?;
                Ok(alone.in_one_thread(reason))
            }
            found => Ok(found),
        }
    });
    match result {
        Err(error) if error.is_budget() => Ok(Decision::Original { reason: Reason::BudgetSpent(step) }),
        other => other,
    }
}

/// All schedules that [`optimize`] chooses from, the program's own first: a name, the description and the predicted
/// cost. For explanations; those that the budget does not allow are left out.
pub fn candidates(
    scop: &Scop,
    dependences: &Dependences,
    options: &Options,
) -> Result<Vec<(&'static str, String, Cost)>, Error> {
    scop.ctx.with_budget(options.operations, || {
        let mut step = "";
        let (spent, unproved) = (Cell::new(false), &Cell::new(false));
        let prover = &Prover::new(scop, dependences);
        let (program, own, leaves) = Default::default();
        let step = &mut step;
        let optimizer = Optimizer { scop, prover, options, step, spent, unproved, program, own, leaves };
        let bonds = optimizer.bonds()?;
        let models = affine::models(scop, options.estimate)?;
        let original = optimizer.before(&bonds, &models)?;
        let mut all = vec![("original", describe::of_candidate(scop, &original)?, original.cost)];
        for way in Way::ALL {
            if let Some(found) = optimizer.candidate(&bonds, &models, way)? {
                all.push((way.name(), describe::of_candidate(scop, &found)?, found.cost));
            }
        }
        Ok(all)
    })
}

/// A way to a candidate.
#[derive(Clone, Copy)]
enum Way {
    /// The program's own order.
    Own,
    /// The program's own loops, distributed.
    Distributed,
    /// The same with parallel loops inside of the others ([`tree::with_parallel_inside`]).
    ParallelInside,
    /// The same with updates as soon as what they need is there ([`push`]).
    Pushed,
    /// isl's scheduler.
    Isl(Fusion),
    /// The program's own order with rows written out ([`jam`]).
    Jammed,
}

impl Way {
    /// isl's scheduler, which takes longest, comes last, with the most fusion behind the least.
    const ALL: [Way; 7] = [
        Way::Own,
        Way::Distributed,
        Way::ParallelInside,
        Way::Pushed,
        Way::Jammed,
        Way::Isl(Fusion::Min),
        Way::Isl(Fusion::Max),
    ];

    fn name(self) -> &'static str {
        match self {
            Way::Own => "own order",
            Way::Jammed => "own order, rows written out",
            Way::Distributed => "own order, distributed",
            Way::ParallelInside => "own order, distributed, parallel loops inside",
            Way::Pushed => "own order, distributed, updates pushed",
            Way::Isl(Fusion::Max) => "isl's scheduler, fused",
            Way::Isl(_) => "isl's scheduler",
        }
    }
}

/// The candidate to take.
struct Choice {
    candidate: Candidate,
    /// What it costs, in threads if there are to be some.
    cost: Cost,
    /// Whether its innermost bands are as the program has them, perhaps with rows written out, or apart from each other.
    is_plain: bool,
    /// Whether updates are pushed.
    is_pushed: bool,
}

/// A candidate with its changes made.
struct Finished {
    schedule: Schedule,
    /// Without loops in threads, if it has some.
    alone: Option<Schedule>,
    why_alone: Option<String>,
    description: String,
    form: Form,
    demands: Vec<Demand>,
}

/// An order in which an update runs together with what reads it in the next iteration.
enum Together {
    /// In all of the array one iteration later.
    Shifted(shift::Shifted),
    /// In strips of columns for some iterations at a time.
    InTiles(steps::Tiled),
}

impl Together {
    fn schedule(&self) -> &Schedule {
        match self {
            Together::Shifted(shifted) => &shifted.schedule,
            Together::InTiles(tiled) => &tiled.schedule,
        }
    }

    fn description(&self, scop: &Scop) -> String {
        match self {
            Together::Shifted(shifted) => shift::description(scop, shifted),
            Together::InTiles(tiled) => steps::description(scop, tiled),
        }
    }
}

struct Optimizer<'a> {
    scop: &'a Scop,
    prover: &'a Prover<'a>,
    options: &'a Options,
    /// What is being done, for messages.
    step: &'a mut &'static str,
    /// Whether a candidate was given up for lack of budget.
    spent: Cell<bool>,
    /// Whether blocks were chosen whose cells cannot be proved to be free.
    unproved: &'a Cell<bool>,
    /// The program's own order as a tree, once it was asked for.
    program: OnceCell<Schedule>,
    /// What [`Way::Own`] found, which [`Way::Jammed`] begins with.
    own: RefCell<Option<Candidate>>,
    /// The leaf bands of all candidates so far.
    leaves: Leaves,
}

impl Optimizer<'_> {
    fn run(mut self) -> Result<Decision, Error> {
        let original = |reason| Ok(Decision::Original { reason });
        let bonds = self.bonds()?;
        *self.step = "the original order";
        let models = affine::models(self.scop, self.options.estimate)?;
        let before = self.before(&bonds, &models)?;
        if before.shape.bands.is_empty() {
            return original(Reason::NoLoops);
        }
        *self.step = "the search for a better order";
        let Some(best) = self.best(&bonds, &models, &before)? else {
            return original(match self.spent.get() {
                true => Reason::BudgetSpent(self.step),
                false => Reason::NothingElse,
            });
        };
        let Choice { candidate: best, cost: new, is_plain, is_pushed } = best;
        let prediction = Prediction { original: before.cost, new };
        if best.is_unchanged(&before) && prediction.new == best.cost {
            return original(match self.options.threads {
                _ if self.spent.get() => Reason::BudgetSpent(self.step),
                0 | 1 => Reason::NothingElse,
                _ => self.why_not_in_threads(&best.schedule)?,
            });
        }
        if !self.pays(&prediction, is_plain) {
            return original(Reason::NothingPays(prediction));
        }
        let is_unchanged = best.is_unchanged(&before);
        let alone = Prediction { new: best.cost, ..prediction };
        let finished = match self.finish(best, &models, is_pushed.then_some(&bonds.order))? {
            Ok(finished) => finished,
            Err(reason) => return original(reason),
        };
        let Finished { schedule, alone: unthreaded, why_alone, description, form, demands } = finished;
        let prediction = if unthreaded.is_some() { prediction } else { alone };
        if unthreaded.is_none() && is_unchanged {
            return original(why_alone.map_or(Reason::NothingElse, Reason::NoThreads));
        }
        match self.pays(&prediction, is_plain) {
            true => {
                let new = New {
                    schedule,
                    alone: unthreaded,
                    why_alone,
                    description,
                    form,
                    demands,
                    pays_in_threads_only: !self.pays(&alone, is_plain),
                    prediction,
                };
                Ok(Decision::New(Box::new(new)))
            }
            false => original(Reason::NothingPays(prediction)),
        }
    }

    /// The program's own order.
    fn program(&self) -> isl::Result<Schedule> {
        match self.program.get() {
            Some(known) => Ok(known.clone()),
            None => {
                let schedule = self.scop.schedule()?;
                Ok(self.program.get_or_init(|| schedule).clone())
            }
        }
    }

    /// The program as it is.
    fn before(&self, bonds: &Bonds, models: &[affine::StmtModel]) -> isl::Result<Candidate> {
        let (schedule, settings) = (self.program()?, (self.options, &self.leaves));
        let mut before = Candidate::new(self.scop, bonds, schedule, models, settings, true)?;
        before.cost = before.cost_written_out(bonds, models, &self.options.machine)?;
        Ok(before)
    }

    /// Of plain loops half of the gain that is wanted otherwise is enough: in threads nothing is different inside of them, where
    /// rows are written out they are the same with less waiting, and distributed ones do less at a time.
    fn pays(&self, prediction: &Prediction, is_plain: bool) -> bool {
        let threshold = match self.options.threshold {
            all if is_plain && all < 1.0 => 2.0 * all / (all + 1.0),
            all => all,
        };
        prediction.new.total() <= threshold * prediction.original.total()
    }

    /// With loops that run in threads, if there are such; without, if the budget does not allow to find out.
    fn in_threads(&self, schedule: &Schedule) -> Result<Marked, Error> {
        let left = self.scop.ctx.operations_left().unwrap_or(self.options.operations);
        let marked = self.scop.ctx.with_budget(left / 2, || -> Result<Marked, Error> {
            Ok(match threads::marked(self.prover, schedule, self.options)? {
                Marked::Threads { schedule, diamonds, batches } => {
                    Marked::Threads { schedule: self.mark(schedule)?, diamonds, batches }
                }
                alone => alone,
            })
        });
        match marked {
            Err(error) if error.is_budget() => {
                Ok(Marked::Alone("the budget did not suffice to find out".into()))
            }
            marked => marked,
        }
    }

    fn why_not_in_threads(&self, schedule: &Schedule) -> Result<Reason, Error> {
        Ok(match self.in_threads(schedule)? {
            Marked::Alone(why) => Reason::NoThreads(why),
            Marked::Threads { .. } => Reason::NothingElse,
        })
    }

    fn bonds(&self) -> isl::Result<Bonds> {
        let apart = self.prover.dependences.strict()?.coalesce()?;
        let are_same =
            self.options.reductions == Reductions::Kept || self.prover.dependences.reduction.is_empty()?;
        let order = if are_same { apart.clone() } else { self.prover.dependences.relaxed()?.coalesce()? };
        Ok(Bonds { order, apart, are_same })
    }

    /// The cheapest candidate; `None` if there is none within the budget.
    fn best(
        &mut self,
        bonds: &Bonds,
        models: &[affine::StmtModel],
        before: &Candidate,
    ) -> Result<Option<Choice>, Error> {
        let mut best: Option<(Cost, Candidate)> = None;
        let (mut is_pushed, mut is_distributed) = (false, false);
        let all: &[Way] = match self.options.fusion {
            // A scalar that loops write keeps all of its accesses in order: nothing is left for isl.
            Fusion::Auto if self.scop.stmts.len() > 1 && has_scalars(self.scop) => {
                &Way::ALL[..Way::ALL.len() - 2]
            }
            // There is nothing to distribute.
            Fusion::Auto if self.scop.stmts.len() == 1 => {
                &[Way::Own, Way::ParallelInside, Way::Isl(Fusion::Min)]
            }
            // What must be fused is fused with the least fusion, too.
            Fusion::Auto if tree::is_one_component(self.scop, &bonds.order)? => {
                &Way::ALL[..Way::ALL.len() - 1]
            }
            Fusion::Auto => &Way::ALL,
            Fusion::Max => &[Way::Isl(Fusion::Max)],
            Fusion::Min => &[Way::Isl(Fusion::Min)],
        };
        let enough = GOOD_ENOUGH * cost::least(models, &self.options.machine);
        // What waits for memory has not much to gain by isl's scheduler.
        let misses = cost::least_misses(models, &self.options.machine);
        let enough_for_isl = enough + misses;
        let sums_parts = self.options.registers && models.iter().any(affine::StmtModel::sums_parts);
        // What isl's scheduler finds with the least fusion, without misses that more fusion could save.
        let mut least_fused = 0.0;
        let uses_threads = |cost: &Cost, best: &Candidate| {
            self.options.threads < 2 || cost.total() <= IN_THREADS * best.cost.total()
        };
        for way in all {
            // In blocks of cells in registers little is left to gain.
            let has_blocks = best.as_ref().is_some_and(|(_, best)| best.has_blocks());
            let enough = match way {
                // Sums of parts side by side have blocks only in loops of their own.
                Way::Distributed if sums_parts && !has_blocks => enough / GOOD_ENOUGH,
                Way::Isl(_) if has_blocks => GOOD_ENOUGH * enough_for_isl,
                Way::Isl(_) => enough_for_isl,
                _ => enough,
            };
            if best
                .as_ref()
                .is_some_and(|(cost, best)| best.cost.total() <= enough && uses_threads(cost, best))
            {
                break;
            }
            if is_pushed && matches!(way, Way::Isl(_)) {
                // Its integer programs take long for such nests, and have found nothing better yet.
                continue;
            }
            // More fusion saves misses, but no work.
            if matches!(way, Way::Isl(Fusion::Max))
                && best.as_ref().is_some_and(|(_, best)| least_fused >= CLEARLY * best.cost.total())
            {
                continue;
            }
            let found = self.candidate(bonds, models, *way)?;
            if matches!(way, Way::Isl(Fusion::Min)) {
                // What is too much in parts is too much at once.
                least_fused = found.as_ref().map_or(f64::INFINITY, |found| found.cost.work + misses);
            }
            let Some(found) = found else { continue };
            let cost = threads::cost(self.scop, bonds, &found, models, self.options)?;
            // Of what is about as good the program's own order is taken.
            let margin = if matches!(way, Way::Jammed) { 1.0 / CLEARLY } else { CLEARLY };
            let better = |(best, _): &(Cost, Candidate)| cost.total() < margin * best.total();
            if best.as_ref().is_none_or(better) && self.is_legal(*way, &found)? {
                best = Some((cost, found));
                is_pushed |= matches!(way, Way::Pushed);
                is_distributed = matches!(way, Way::Distributed);
            }
        }
        let Some((cost, candidate)) = best else { return Ok(None) };
        let is_plain = candidate.is_only_written_out(before) || is_distributed && candidate.has_no_changes();
        let best = Choice { candidate, cost, is_plain, is_pushed };
        match self.options.threads >= 2 && self.options.fusion == Fusion::Auto {
            true => self.for_threads(bonds, models, before, best).map(Some),
            false => Ok(Some(best)),
        }
    }

    /// What to run in threads. An order that would not pay in one thread does in several, if only the others have nothing to
    /// do meanwhile; what it is then expected to save beside that must be sure. Fewer misses are; less work inside of loops is
    /// not. So the program's own loops, whole or distributed, are preferred unless that order is clearly better without.
    fn for_threads(
        &self,
        bonds: &Bonds,
        models: &[affine::StmtModel],
        before: &Candidate,
        mut best: Choice,
    ) -> Result<Choice, Error> {
        let prediction = |new| Prediction { original: before.cost, new };
        // Rows that wait less do so in each thread.
        let is_sure = best.candidate.has_rows() && self.pays(&prediction(best.cost), true);
        if is_sure || self.pays(&prediction(best.candidate.cost), false) {
            return Ok(best);
        }
        let sure = best.candidate.cost.work.max(before.cost.work) / best.candidate.cost.work.max(1.0);
        best.cost.work *= sure;
        let mut margin = SURELY;
        for way in [Way::Own, Way::Distributed] {
            let Some(candidate) = self.candidate_of(bonds, models, way, true)? else { continue };
            let cost = threads::cost(self.scop, bonds, &candidate, models, self.options)?;
            if cost != candidate.cost && margin * cost.total() <= best.cost.total() {
                best = Choice { candidate, cost, is_plain: true, is_pushed: false };
                margin = 1.0 / CLEARLY;
            }
        }
        Ok(best)
    }

    /// What one way finds within a share of the budget.
    fn candidate(
        &self,
        bonds: &Bonds,
        models: &[affine::StmtModel],
        way: Way,
    ) -> Result<Option<Candidate>, Error> {
        self.candidate_of(bonds, models, way, false)
    }

    /// The same; if it is to be plain, the innermost bands stay as they are.
    fn candidate_of(
        &self,
        bonds: &Bonds,
        models: &[affine::StmtModel],
        way: Way,
        is_plain: bool,
    ) -> Result<Option<Candidate>, Error> {
        if matches!(way, Way::Isl(_)) && !candidate::isl_can_schedule(models, self.options.threads) {
            return Ok(None);
        }
        if matches!(way, Way::Jammed) && !(self.options.rows && self.options.tiling == Tiling::Auto) {
            return Ok(None);
        }
        if matches!(way, Way::Pushed) && bonds.are_same {
            return Ok(None);
        }
        // What it is for.
        if matches!(way, Way::ParallelInside) && !models.iter().any(|model| model.summed_loops() > 1) {
            return Ok(None);
        }
        let left = self.scop.ctx.operations_left().unwrap_or(self.options.operations);
        let options = &Options { apart: left >= apart::OPERATIONS, ..self.options.clone() };
        let mut share = left / 3;
        if matches!(way, Way::Isl(_)) {
            share = share.min(candidate::ISL_OPERATIONS);
        }
        let found = self.scop.ctx.with_budget(share, || {
            let own = self.own.borrow().clone().filter(|_| !is_plain);
            if let (Way::Jammed, Some(own)) = (way, own) {
                return own.jammed(self.scop, bonds, models, options);
            }
            let schedule = match way {
                Way::Own | Way::Jammed => tree::own_order(self.scop, self.program()?, &bonds.order)?,
                Way::Distributed => tree::distributed(self.scop, &bonds.order)?,
                Way::ParallelInside => match tree::with_parallel_inside(self.scop, bonds)? {
                    Some(schedule) => schedule,
                    None => return Ok(None),
                },
                Way::Pushed => match tree::pushed(self.scop, &bonds.order)? {
                    Some(schedule) => schedule,
                    None => return Ok(None),
                },
                Way::Isl(fusion) => match self.by_isl(bonds, fusion)? {
                    Some(schedule) => schedule,
                    None => return Ok(None),
                },
            };
            let found =
                Candidate::new(self.scop, bonds, schedule, models, (options, &self.leaves), is_plain)?;
            match way {
                Way::Jammed => return found.jammed(self.scop, bonds, models, options),
                Way::Own if !is_plain => *self.own.borrow_mut() = Some(found.clone()),
                _ => {}
            }
            Ok(Some(found))
        });
        match found {
            Ok(found) => Ok(found),
            Err(error) if error.is_budget() => {
                self.spent.set(true);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What isl's scheduler finds, which need not be legal. It can fail, for example when no coefficients in bounds carry the
    /// dependences.
    fn by_isl(&self, bonds: &Bonds, fusion: Fusion) -> isl::Result<Option<Schedule>> {
        match candidate::isl_schedule(self.scop, bonds, fusion) {
            Err(error) if !error.is_budget() => Ok(None),
            schedule => schedule.map(Some),
        }
    }

    /// Whether a candidate is legal before its changes. Those from the program's own loops are by the way they are made, but for
    /// updates that are pushed; what isl found is looked at only if it is to be taken.
    fn is_legal(&self, way: Way, found: &Candidate) -> Result<bool, Error> {
        let (Way::Isl(_) | Way::Pushed) = way else { return Ok(true) };
        let left = self.scop.ctx.operations_left().unwrap_or(self.options.operations);
        let verdict = self.scop.ctx.with_budget((left / 3).min(candidate::ISL_OPERATIONS), || {
            self.prover.check_with(&found.schedule, self.options.reductions)
        });
        match verdict {
            Ok(verdict) => Ok(verdict.is_legal()),
            Err(error) if error.is_budget() => {
                self.spent.set(true);
                Ok(false)
            }
            Err(legality::Error::Isl(error)) => Err(error.into()),
            Err(_) => Ok(false),
        }
    }

    /// A schedule with pushed updates in tiles, if they are legal and pay: with blocks of cells in registers.
    fn tiled_updates(
        &self,
        schedule: &Schedule,
        dependences: &UnionMap,
        models: &[affine::StmtModel],
    ) -> Result<Option<Schedule>, Error> {
        let Options { machine, registers: true, tiling: Tiling::Auto, .. } = self.options else {
            return Ok(None);
        };
        let tiler = push::Tiler { scop: self.scop, models, machine, dependences };
        let left = self.scop.ctx.operations_left().unwrap_or(self.options.operations);
        let tiled = self.scop.ctx.with_budget(left / 2, || -> Result<Option<Schedule>, Error> {
            let Some(tiled) = tiler.tiled(schedule)? else { return Ok(None) };
            let verdict = self.prover.check_with(&tiled, self.options.reductions)?;
            Ok(verdict.is_legal().then_some(tiled))
        });
        match tiled {
            Err(error) if error.is_budget() => Ok(None),
            tiled => tiled,
        }
    }

    /// A schedule in which an update runs together with what reads it in the next iteration, if there is one that is legal and pays.
    fn together(&self, schedule: &Schedule, models: &[affine::StmtModel]) -> Result<Option<Together>, Error> {
        let in_tiles = |shifter: &Shifter<'_>, pair: &Pair| {
            let tiler = steps::Tiler { shifter, threads: self.options.threads };
            Ok(tiler.tiled(pair)?.map(Together::InTiles))
        };
        if let Some(found) = self.first_legal(schedule, models, in_tiles)? {
            return Ok(Some(found));
        }
        let shifted = |shifter: &Shifter<'_>, pair: &Pair| Ok(shifter.shifted(pair)?.map(Together::Shifted));
        self.first_legal(schedule, models, shifted)
    }

    /// What is found for the first pair of which it is legal, within a share of the budget.
    fn first_legal(
        &self,
        schedule: &Schedule,
        models: &[affine::StmtModel],
        find: impl Fn(&Shifter<'_>, &Pair) -> isl::Result<Option<Together>>,
    ) -> Result<Option<Together>, Error> {
        let machine = &self.options.machine;
        let left = self.scop.ctx.operations_left().unwrap_or(self.options.operations);
        let found = self.scop.ctx.with_budget(left / 3, || -> Result<_, Error> {
            let dependences = &self.prover.dependences.strict()?;
            let shifter = Shifter { scop: self.scop, models, machine, dependences };
            for pair in shifter.pairs(schedule)? {
                let Some(found) = find(&shifter, &pair)? else { continue };
                if self.prover.check_with(found.schedule(), self.options.reductions)?.is_legal() {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        });
        match found {
            Err(error) if error.is_budget() => Ok(None),
            found => found,
        }
    }

    /// Makes the changes; the inner error: what came out is not legal.
    fn finish(
        &mut self,
        best: Candidate,
        models: &[affine::StmtModel],
        pushed: Option<&UnionMap>,
    ) -> Result<Result<Finished, Reason>, Error> {
        *self.step = "tiling";
        let (mut description, form) =
            (describe::of_candidate(self.scop, &best)?, Form::of(self.scop, &best)?);
        let demands = demand::demands(self.scop, &best, models, &self.options.machine)?;
        let mut blocks = best.changes.iter().map(|planned| planned.change.blocked.len()).sum();
        let mut schedule = tree::apply(self.scop, best.schedule, &best.changes, &best.jams)?;
        *self.step = "the proof of legality";
        let tiled = match pushed {
            Some(order) => self.tiled_updates(&schedule, order, models)?,
            None => None,
        };
        let together = if pushed.is_none() { self.together(&schedule, models)? } else { None };
        let is_shifted = matches!(together, Some(Together::Shifted(_)));
        match (tiled, together) {
            (Some(tiled), _) => {
                description += &push::description();
                blocks += 1;
                schedule = tiled;
            }
            (None, Some(together)) => {
                description += &together.description(self.scop);
                schedule = together.schedule().clone();
            }
            (None, None) => {
                let check = self.prover.check_with(&schedule, self.options.reductions)?;
                if let Verdict::Illegal(violation) = check {
                    return Ok(Err(Reason::OurBug(violation.to_string())));
                }
            }
        }
        *self.step = "parallel loops";
        let schedule = marks::proved(self.prover, schedule)?;
        self.unproved.set(marks::count(&schedule, model::REGISTERS)? < blocks);
        let in_threads = match self.options.threads {
            0 | 1 => None,
            few if is_shifted && few < shift::THREADS => Some(Marked::Alone(shift::why_alone())),
            _ => Some(self.in_threads(&schedule)?),
        };
        let schedule = self.mark(schedule)?;
        let alone = |why_alone| Finished { schedule, alone: None, why_alone, description, form, demands };
        Ok(Ok(match in_threads {
            Some(Marked::Threads { schedule, diamonds, batches }) => {
                let Finished { schedule: alone, description, demands, .. } = alone(None);
                let description = description + &describe::diamonds(&diamonds) + &describe::batches(&batches);
                Finished { schedule, alone: Some(alone), why_alone: None, description, form, demands }
            }
            Some(Marked::Alone(why)) => alone(Some(why)),
            None => alone(None),
        }))
    }

    /// Splits off and marks the innermost loops that the checker calls parallel.
    fn mark(&self, schedule: Schedule) -> Result<Schedule, Error> {
        let mut failure = None;
        let marked = schedule.map_schedule_node_bottom_up(|node| {
            let is_innermost = |node: &ScheduleNode| -> isl::Result<bool> {
                Ok(!jam::is_row(node)? && (jam::has_rows(node)? || !tree::has_band_below(node)?))
            };
            if node.get_type()? != ScheduleNodeType::Band || !is_innermost(&node)? {
                return Ok(node);
            }
            let last = node.band_n_member()? - 1;
            match self.prover.is_parallel(&node, last) {
                Ok(parallel) => self.finish_innermost(node, last, parallel),
                Err(legality::Error::Isl(error)) => Err(error),
                Err(error) => {
                    failure = Some(error);
                    Ok(node)
                }
            }
        });
        match failure {
            Some(error) => Err(error.into()),
            None => Ok(marked?),
        }
    }

    fn finish_innermost(&self, node: ScheduleNode, last: usize, parallel: bool) -> isl::Result<ScheduleNode> {
        // Plain loops for each combination of statements, unless there would be too many.
        let few = tree::stmts_below(self.scop, &node)?.len() <= 4;
        let loops = if few { AstLoopType::Separate } else { AstLoopType::Default };
        let node = node.band_member_set_ast_loop_type(last, loops)?;
        if !parallel {
            return Ok(node);
        }
        let mark = Id::new(&self.scop.ctx, model::VECTOR)?;
        match last {
            0 => node.insert_mark(mark),
            _ => node.band_split(last)?.child(0)?.insert_mark(mark)?.parent(),
        }
    }
}

/// Whether a scalar is written in a loop.
fn has_scalars(scop: &Scop) -> bool {
    let is_written =
        |access: &Access| access.kind != AccessKind::Read && scop.array(access.array).kind.is_scalar();
    let in_loops = |stmt: &&Stmt| stmt.domain.dim(DimType::Set).is_ok_and(|dims| dims > 0);
    scop.stmts.iter().filter(in_loops).any(|stmt| stmt.accesses.iter().any(is_written))
}

/// How many times the least conceivable cost is good enough to search no further.
const GOOD_ENOUGH: f64 = 2.0;
/// What is left of the cost where most of the work can run in threads.
const IN_THREADS: f64 = 0.75;
/// The program's own loops are preferred to what would be that much cheaper.
const SURELY: f64 = 0.9;
/// Another candidate must be that much cheaper.
const CLEARLY: f64 = 0.97;
