//! Removes scalar dependences without new memory.
//!
//! A scalar or phi that carries a value from one statement to another has one cell, so its anti and output
//! dependences serialize all iterations of all loops around it, whatever order the values themselves would allow. Two
//! transformations take such scalars out of a model:
//!
//! 1. [`forward`]: the statement that uses the value computes it itself, from operands that are still there
//!    (operand tree forwarding, section 3 of the paper);
//! 2. [`coalesce`]: the value is kept in an array cell that is unused as long as the value lives (greedy value
//!    coalescing, section 2);
//!
//! and [`simplify`] removes what that leaves behind: writes of what is there already, writes that nobody reads, empty
//! statements. The result is verified and compared with what it came from by [`check`], which knows the values but not
//! the transformations: all three at once, and one by one if that fails. What fails the check, or spends the budget, is not
//! done: the model stays as it was.
//!
//! Where the two leave scalars, [`mod@split`] looks for statements that could do without them in parts; if there are any, all is
//! done anew on the model in which they are split.
//!
//! What then has no cell can be given one: [`mod@expand`]. Small arrays that each iteration of a loop fills anew can be given a copy for
//! each iteration of a strip: [`mod@copies`], for which statements over whole ranges become such over cells ([`mod@cells`]). That takes memory, so whoever schedules the model decides about it.
//!
//! # What stays the same
//! Statements keep their names and domains, and remain in their order; accesses keep their numbers, operations their
//! names. (Of a split statement that holds for the first part; [`Outcome::parts`] tells about the others.) So whoever knows what the statements of a model stand for can find out what the new ones do:
//! - a statement that is no longer there does nothing ([`Outcome::kept`] has the numbers of the others);
//! - an access that is no longer there does not happen, nor does an operation that is not in the body any more;
//! - a scalar's access that is now one of an array goes to that cell;
//! - a read with a new number loads a cell, and an operation with a new name is a copy ([`Outcome::copies`]); both stand
//!   for what reads of scalars gave that are not there any more ([`Outcome::replaced`]).
//!
//! # Example
//! ```text
//! for i {                        for i {
//!   T: c = 0                       T: C[i] = 0
//!   for k                          for k
//!     S: c += A[i] * B[k]            S: C[i] += A[i] * B[k]
//!   U: C[i] = c }                }
//! ```
//! The lifetimes of `c` in iteration i go from T\[i\] over S\[i,k\] to U\[i\], and C\[i\] is unused until U\[i\] writes it.
//!
//! # Reference
//! M. Kruse, T. Grosser, "DeLICM: scalar dependence removal at zero memory cost", 2018.

pub mod cells;
pub mod check;
pub mod check_cells;
pub mod check_copies;
pub mod coalesce;
pub mod copies;
pub mod expand;
pub mod forward;
mod relations;
pub mod simplify;
pub mod split;

use std::collections::{HashMap, HashSet};
use std::fmt;

use check::Verdict;
pub use coalesce::Why;
use dataflow::content::{Contents, Flows};
pub use forward::{Copied, Replaced, Source};
use isl::DimType;
use model::{AccessId, AccessKind, ArrayId, ArrayKind, Scop, StmtId};
use split::Split;

/// How far to go.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many isl operations all of it may take; what is spent on a transformation that is not completed counts.
    pub operations: Option<u64>,
    /// Whether a scalar's write may become one of an array that happens only in some instances.
    pub partial_writes: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { operations: None, partial_writes: true }
    }
}

/// The new model, and what became of the old one.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The new model.
    pub scop: Scop,
    /// For each statement of the new model its number in the old one.
    pub kept: Vec<StmtId>,
    /// Operations that were copied into other statements.
    pub copies: Vec<Copied>,
    /// Reads of scalars that something else took the place of.
    pub replaced: Vec<Replaced>,
    /// If statements were split: the model in which they are, which the names in `copies` and `replaced` are from.
    pub parts: Option<Split>,
    /// What was done.
    pub counts: Counts,
    /// What was not done, and why: the transformation's name and a reason.
    pub undone: Vec<(&'static str, String)>,
    /// Why scalars got no cell, of those that were tried.
    pub why: HashMap<ArrayId, Why>,
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations copied into the statements that use their results.
    pub copied: usize,
    /// Loads of cells that take the place of a scalar or of an operation.
    pub reloaded: usize,
    /// Scalars that got a place in an array.
    pub scalars_mapped: usize,
    /// Phis that did.
    pub phis_mapped: usize,
    /// Accesses that were not needed any more.
    pub removed: usize,
    /// By how many statements there are more, because some were split.
    pub split: usize,
    /// Writes of scalars and of phis inside of loops, before.
    pub before: (usize, usize),
    /// And after.
    pub after: (usize, usize),
}

impl Counts {
    /// Whether anything was done.
    pub fn is_nothing(&self) -> bool {
        self.copied + self.reloaded + self.scalars_mapped + self.phis_mapped + self.removed == 0
    }
}

impl Counts {
    /// With what another transformation did.
    fn plus(self, more: Counts) -> Counts {
        Counts {
            copied: self.copied + more.copied,
            reloaded: self.reloaded + more.reloaded,
            scalars_mapped: self.scalars_mapped + more.scalars_mapped,
            phis_mapped: self.phis_mapped + more.phis_mapped,
            removed: self.removed + more.removed,
            split: self.split + more.split,
            ..self
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "forwards {}+{}, mappings {}+{}, removed {}, scalar writes in loops {}+{} -> {}+{}",
            self.copied,
            self.reloaded,
            self.scalars_mapped,
            self.phis_mapped,
            self.removed,
            self.before.0,
            self.before.1,
            self.after.0,
            self.after.1
        )
    }
}

/// Removes scalar dependences as far as it can. Never worse than nothing: on any trouble the model is the old one.
pub fn delicm(scop: &Scop, options: &Options) -> Outcome {
    let mut outcome = Outcome::of(scop);
    // Without scalars in loops there is nothing to remove, and what else could be simplified is not our business.
    if outcome.counts.before == (0, 0) {
        return outcome;
    }
    let left = scop.ctx.operations_left();
    let operations = options.operations.or(left.map(|left| left / 10 * 9));
    match operations {
        Some(operations) => scop.ctx.with_budget(operations, || outcome.improve(options)),
        None => outcome.improve(options),
    }
    outcome
}

/// A model and the flow of its values.
#[derive(Clone)]
struct Known {
    scop: Scop,
    flows: Flows,
    /// Arrays whose cells scalars got.
    mapped: HashSet<ArrayId>,
}

impl Known {
    fn of(scop: &Scop) -> isl::Result<Known> {
        Ok(Known { scop: scop.clone(), flows: Flows::new(scop)?, mapped: HashSet::new() })
    }

    fn contents(&self) -> isl::Result<Contents<'_>> {
        Contents::with(&self.scop, &self.flows)
    }

    /// The model that a transformation made of this one.
    fn after(&self, step: &Step) -> isl::Result<Known> {
        let flows = self.flows.after(&self.scop, &step.scop)?;
        let mapped = self.mapped.union(&step.mapped).copied().collect();
        Ok(Known { scop: step.scop.clone(), flows, mapped })
    }
}

/// How the transformations begin.
enum Begun {
    /// With these steps.
    Whole(Step),
    /// Anew, with a model that has statements in parts.
    Parts(Known),
}

/// What a transformation makes of a model.
struct Step {
    scop: Scop,
    /// Arrays whose cells it gave to scalars.
    mapped: HashSet<ArrayId>,
    copies: Vec<Copied>,
    replaced: Vec<Replaced>,
    /// Why scalars got none.
    why: HashMap<ArrayId, Why>,
    counts: Counts,
    /// The flow of values in the model, if it is known: each read has a write of the value that it sees.
    flows: Option<Flows>,
}

impl Step {
    fn new(scop: Scop, counts: Counts) -> Self {
        let (mapped, copies, replaced, why, flows) = Default::default();
        Step { scop, mapped, copies, replaced, why, counts, flows }
    }

    /// This one and then another.
    fn then(mut self, next: Step) -> Self {
        self.mapped.extend(next.mapped);
        self.copies.extend(next.copies);
        self.replaced.extend(next.replaced);
        self.why.extend(next.why);
        Step { scop: next.scop, flows: next.flows, counts: self.counts.plus(next.counts), ..self }
    }
}

impl From<forward::Forwarded> for Step {
    fn from(done: forward::Forwarded) -> Step {
        let counts = Counts { copied: done.copies.len(), reloaded: done.reloads, ..Counts::default() };
        Step { copies: done.copies, replaced: done.replaced, ..Step::new(done.scop, counts) }
    }
}

impl From<coalesce::Coalesced> for Step {
    fn from(done: coalesce::Coalesced) -> Step {
        let counts = Counts { scalars_mapped: done.scalars, phis_mapped: done.phis, ..Counts::default() };
        let flows = Some(done.flows);
        Step { mapped: done.arrays, why: done.why, flows, ..Step::new(done.scop, counts) }
    }
}

impl From<simplify::Simplified> for Step {
    fn from(done: simplify::Simplified) -> Step {
        Step::new(done.scop, Counts { removed: done.removed, ..Counts::default() })
    }
}

type Transformation = fn(&Known, &Options) -> isl::Result<Step>;

/// In this order.
const TRANSFORMATIONS: [(&str, Transformation); 3] = [
    ("forward", |known, _| forward::forward(&known.contents()?).map(Step::from)),
    ("coalesce", |known, options| coalesce::coalesce(&known.scop, &known.flows, options).map(Step::from)),
    ("simplify", |known, _| simplify::simplify(&known.scop, &known.flows, &known.mapped).map(Step::from)),
];

impl Outcome {
    /// Nothing done.
    fn of(scop: &Scop) -> Outcome {
        Outcome {
            scop: scop.clone(),
            kept: scop.stmt_ids().collect(),
            copies: Vec::new(),
            replaced: Vec::new(),
            parts: None,
            counts: Counts { before: scalar_writes(scop), after: scalar_writes(scop), ..Counts::default() },
            undone: Vec::new(),
            why: HashMap::new(),
        }
    }

    /// The scalars that are still written in loops, by name, and why they have no cell.
    pub fn left(&self) -> Vec<(&str, Why)> {
        let mut left = written_scalars(&self.scop);
        left.sort();
        left.dedup();
        let why = |array: &ArrayId| self.why.get(array).copied().unwrap_or(Why::NotStored);
        left.iter().map(|array| (self.scop.array(*array).name.as_str(), why(array))).collect()
    }

    /// The number that an access had in the model that all began with, if it was there.
    pub fn old_number(&self, access: AccessId) -> AccessId {
        let split = self.parts.as_ref().and_then(|parts| parts.numbers.get(&access));
        split.copied().unwrap_or(access)
    }

    /// The statement of the model that all began with that the one of this name is, or is a part of.
    pub fn origin(&self, old: &Scop, name: &str) -> Option<StmtId> {
        match &self.parts {
            Some(parts) => parts.scop.stmt_named(name).map(|id| parts.of[id.index()]),
            None => old.stmt_named(name),
        }
    }

    /// Transforms the model, or that with statements in parts.
    fn improve(&mut self, options: &Options) {
        let original = self.scop.clone();
        if let Err(error) = self.try_improve(options) {
            self.undone.push(("forward", reason(&error)));
        }
        if self.counts.is_nothing() {
            let (undone, why) = (std::mem::take(&mut self.undone), std::mem::take(&mut self.why));
            *self = Outcome { undone, why, ..Outcome::of(&original) };
        }
        self.counts.after = scalar_writes(&self.scop);
    }

    /// An error means that nothing was done.
    fn try_improve(&mut self, options: &Options) -> isl::Result<()> {
        let known = Known::of(&self.scop)?;
        let contents = known.contents()?;
        match self.in_parts(&known, &contents, options) {
            Ok(Begun::Whole(begun)) => self.transform(&known, &contents, Some(begun), options),
            Ok(Begun::Parts(parts)) => self.transform(&parts, &parts.contents()?, None, options),
            Err(why) => {
                self.undone.push(("split", why));
                self.transform(&known, &contents, None, options);
            }
        }
        Ok(())
    }

    /// Begins, and splits statements if that helps.
    fn in_parts(
        &mut self,
        known: &Known,
        contents: &Contents<'_>,
        options: &Options,
    ) -> Result<Begun, String> {
        let attempt = || -> isl::Result<_> {
            let (begun, stuck) = begin(known, contents, options)?;
            let split = match stuck.is_empty() {
                true => None,
                false => split::split(contents, &stuck)?,
            };
            Ok((begun, split))
        };
        let (begun, split) = attempt().map_err(|error| reason(&error))?;
        let Some(split) = split else { return Ok(Begun::Whole(begun)) };
        split.scop.verify().map_err(|invalid| invalid.to_string())?;
        match check::check_split(&known.scop, &split) {
            Ok(Verdict::Same) => {}
            Ok(Verdict::Different(why)) => return Err(why),
            Err(error) => return Err(reason(&error)),
        }
        let flows = split.flows(&known.scop, &known.flows).map_err(|error| reason(&error))?;
        let parts = Known { scop: split.scop.clone(), flows, mapped: HashSet::new() };
        self.scop = split.scop.clone();
        self.kept = split.of.clone();
        self.counts.split = split.of.len() - known.scop.stmts.len();
        self.parts = Some(split);
        Ok(Begun::Parts(parts))
    }

    /// All transformations with one check; if that fails, one after the other, each with its own.
    fn transform(&mut self, known: &Known, contents: &Contents<'_>, begun: Option<Step>, options: &Options) {
        if self.step(contents, || all(known, contents, begun, options)).is_ok() {
            return;
        }
        let mut known = known.clone();
        for (name, transformation) in TRANSFORMATIONS {
            let mut next = None;
            let taken = known.contents().map_err(|error| reason(&error)).and_then(|contents| {
                self.step(&contents, || {
                    let step = transformation(&known, options)?;
                    next = Some(known.after(&step)?);
                    Ok(step)
                })
            });
            match taken {
                Ok(()) => known = next.unwrap_or(known),
                Err(why) => self.undone.push((name, why)),
            }
        }
    }

    /// Runs a transformation of the model with these contents and checks its result; takes it if all is well.
    fn step(
        &mut self,
        contents: &Contents<'_>,
        transformation: impl FnOnce() -> isl::Result<Step>,
    ) -> Result<(), String> {
        let attempt = || -> isl::Result<_> {
            let step = transformation()?;
            let verdict = match step.scop.verify() {
                Ok(()) => check::check(contents, &step.scop, &step.copies)?,
                Err(invalid) => Verdict::Different(invalid.to_string()),
            };
            Ok((step, verdict))
        };
        match attempt() {
            Ok((step, Verdict::Same)) => {
                let old =
                    |stmt: &model::Stmt| self.scop.stmt_named(&stmt.name).map(|id| self.kept[id.index()]);
                self.kept = step.scop.stmts.iter().filter_map(old).collect();
                self.scop = step.scop;
                self.copies.extend(step.copies);
                self.replaced.extend(step.replaced);
                self.why.extend(step.why);
                self.counts = self.counts.plus(step.counts);
                Ok(())
            }
            Ok((_, Verdict::Different(why))) => Err(why),
            Err(error) => Err(reason(&error)),
        }
    }
}

/// The first two transformations, and the reads of scalars that they leave.
fn begin(
    known: &Known,
    contents: &Contents<'_>,
    options: &Options,
) -> isl::Result<(Step, Vec<(StmtId, AccessId)>)> {
    let mut forwarded = forward::forward(contents)?;
    let mut stuck = std::mem::take(&mut forwarded.stuck);
    let begun = Step::from(forwarded);
    let now = known.after(&begun)?;
    let begun = begun.then(coalesce::coalesce(&now.scop, &now.flows, options)?.into());
    let is_scalar = |read| {
        let access = begun.scop.access(read);
        access.is_some_and(|(_, access)| begun.scop.array(access.array).kind != ArrayKind::Memory)
    };
    stuck.retain(|(_, read)| is_scalar(*read));
    Ok((begun, stuck))
}

/// All transformations, one on the result of the other; how they begin may be known.
fn all(known: &Known, contents: &Contents<'_>, begun: Option<Step>, options: &Options) -> isl::Result<Step> {
    let whole = match begun {
        Some(begun) => begun,
        None => begin(known, contents, options)?.0,
    };
    if whole.counts.is_nothing() && !has_idle_scalars(&known.scop) {
        return Ok(whole);
    }
    let simplified = match &whole.flows {
        Some(flows) => simplify::simplify(&whole.scop, flows, &whole.mapped)?,
        None => simplify::simplify(&whole.scop, &known.after(&whole)?.flows, &whole.mapped)?,
    };
    Ok(whole.then(simplified.into()))
}

/// Why something was not done.
fn reason(error: &isl::Error) -> String {
    match error.is_budget() {
        true => "the budget is spent".into(),
        false => error.to_string(),
    }
}

/// Whether there is a scalar that nobody reads.
fn has_idle_scalars(scop: &Scop) -> bool {
    let reads =
        scop.stmts.iter().flat_map(|stmt| &stmt.accesses).filter(|access| access.kind == AccessKind::Read);
    let read: HashSet<_> = reads.map(|read| read.array.index()).collect();
    let mut arrays = scop.arrays.iter().enumerate();
    arrays.any(|(index, array)| array.kind != ArrayKind::Memory && !array.is_fixed && !read.contains(&index))
}

/// The scalars and phis that are written inside of loops.
fn written_scalars(scop: &Scop) -> Vec<ArrayId> {
    let in_loops = scop.stmts.iter().filter(|stmt| stmt.domain.dim(DimType::Set).is_ok_and(|dims| dims > 0));
    let writes = in_loops.flat_map(|stmt| &stmt.accesses).filter(|access| access.kind != AccessKind::Read);
    writes.map(|write| write.array).filter(|array| scop.array(*array).kind.is_scalar()).collect()
}

/// Writes of scalars and of phis inside of loops.
pub fn scalar_writes(scop: &Scop) -> (usize, usize) {
    let kinds: Vec<_> = written_scalars(scop).into_iter().map(|array| scop.array(array).kind).collect();
    let of = |kind| kinds.iter().filter(|other| **other == kind).count();
    (of(ArrayKind::Scalar), of(ArrayKind::Phi))
}
