//! Small arrays that each iteration of a loop fills anew get copies, one for each iteration of a strip: only where the scheduler gains
//! something from it.
//!
//! After a nest has its plan, and if a sum in it has only one row of cells ([`delicm::copies::wanted`]), the nest is planned again with
//! as many rows as a block of cells in registers has. That plan is taken if it has such blocks and is clearly cheaper, and if
//! [`delicm::check_copies`], which looks at the flow of values in both models, says that they do the same.
//!
//! What LLVM has made `memcpy` and `memset` of are single cells first ([`delicm::cells`], with a check of its own), in such nests only:
//! where nobody has to know what is in a cell, a call of the library is as good as a loop.
//!
//! The copies are scratch memory on the stack ([`crate::scratch`]), with the same bounds: so much for all nests of a function, none in one that
//! can be called again before it returns, and a test where sizes are known at run time only. Nothing is copied where the order is
//! given, or where `expand` says that there is to be no such memory. Loops that run in threads have copies of this memory for each
//! thread (`schedule::private`).

use crate::order::{Plan, analysis, optimized};
use crate::places::place;
use crate::scalars::{rewrite, without_scalars_in};
use crate::scratch::{self, Better};
use dataflow::Dependences;
use delicm::cells::{Cells, cells};
use delicm::check::Verdict;
use delicm::check_cells::check_cells;
use delicm::check_copies::check_copies;
use delicm::copies::{Copies, Wanted, copies, wanted};
use isl::{DimType, Set};
use llvm::back::rewrite::{Rewrite, Rewritten, Strip};
use model::{ArrayId, Scop, StmtId};
use options::{Expand, Options};
use schedule::{Cost, Form, Machine, Reason};
use std::borrow::Cow;

/// How much of the cost without copies a plan may have that needs some.
const CLEARLY: f64 = 0.8;

/// For how many cells there must be room in a row where it is not known how many it has.
const LEAST_ROOM: u64 = 400;

/// A nest that might gain.
pub struct Nest<'a> {
    /// The lifted model.
    pub lifted: &'a Scop,
    /// What the scheduler works on.
    pub scop: &'a Scop,
    /// Its dependences.
    pub dependences: &'a Dependences,
    /// What was done about scalars.
    pub outcome: &'a delicm::Outcome,
    /// The parameters for which the new loops run.
    pub valid: &'a Set,
    /// The plan without copies.
    pub plan: &'a Plan,
    /// What the function may still have of the stack.
    pub stack_left: u64,
}

/// A plan with copies, if it is clearly better.
pub fn better(nest: &Nest<'_>, machine: &Machine, options: &Options) -> Option<Better> {
    let is_free = options.schedule == options::Schedule::Auto
        && options.schedule_in.is_none()
        && options.schedule_out.is_none();
    if options.expand == Expand::None || !options.registers || !is_free {
        return None;
    }
    let cells = cells_of_sums(nest.lifted).ok()?;
    let before = match &cells {
        Some(cells) => Before::of_cells(cells, options)?,
        None => Before::of(nest),
    };
    let all = wanted(&before.scop).ok()?;
    let copied = all.into_iter().find_map(|wanted| with_copies(&before, wanted, machine))?;
    let memory = scratch::place(&copied.scop, nest.stack_left, options, LEAST_ROOM)?;
    let dependences = dataflow::dependences(&copied.scop, &analysis(options.parallel)).ok()?;
    let planned = optimized(&copied.scop, &dependences, machine.clone(), options).ok()?;
    let Plan::New(mut new) = planned else { return None };
    let prediction = new.prediction.as_mut().filter(|_| new.form == Some(Form::Blocks))?;
    let without = cost_without(nest.plan, prediction.original)?;
    if prediction.new.total() >= CLEARLY * without.total() {
        return None;
    }
    if let Some((original, _)) = scratch::costs(nest.plan) {
        prediction.original = original;
    }
    copied.scop.verify().ok()?;
    if check_copies(&before.scop, &copied).ok()? != Verdict::Same {
        return None;
    }
    if let Some(cells) = &cells
        && check_cells(nest.lifted, cells).ok()? != Verdict::Same
    {
        return None;
    }
    new.description = format!("{}\n{}", new.description.trim_end(), description(&copied, &before));
    let stack_bytes = scratch::stack_bytes(&copied.scop, memory)?;
    let mut rewrite = rewritten(nest.valid, &copied, &before)?;
    rewrite.scratch = Some(scratch::memory(&rewrite.scop, nest.valid, memory).ok()?);
    Some(Better { rewrite, dependences, plan: Plan::New(new), stack_bytes })
}

/// The model in which what moves whole ranges moves single cells, if there is such a thing beside loops that are deep enough for sums.
fn cells_of_sums(scop: &Scop) -> isl::Result<Option<Cells>> {
    let mut deepest = 0;
    for stmt in &scop.stmts {
        deepest = deepest.max(stmt.domain.dim(DimType::Set)?);
    }
    if deepest < 3 { Ok(None) } else { cells(scop) }
}

/// The model of which copies are made.
struct Before<'a> {
    /// The model that `delicm` worked on.
    lifted: &'a Scop,
    /// What it did.
    outcome: Cow<'a, delicm::Outcome>,
    /// What came out.
    scop: Cow<'a, Scop>,
    /// Its dependences.
    dependences: Cow<'a, Dependences>,
    /// Statements of the lifted model that move single cells here.
    of_cells: &'a [StmtId],
}

impl<'a> Before<'a> {
    /// As it was planned without copies.
    fn of(nest: &Nest<'a>) -> Self {
        Before {
            lifted: nest.lifted,
            outcome: Cow::Borrowed(nest.outcome),
            scop: Cow::Borrowed(nest.scop),
            dependences: Cow::Borrowed(nest.dependences),
            of_cells: &[],
        }
    }

    /// With single cells. That more is known of them is good for scalars, too.
    fn of_cells(cells: &'a Cells, options: &Options) -> Option<Self> {
        cells.scop.verify().ok()?;
        let outcome = without_scalars_in(&cells.scop);
        let dependences = dataflow::dependences(&outcome.scop, &analysis(options.parallel)).ok()?;
        Some(Before {
            lifted: &cells.scop,
            scop: Cow::Owned(outcome.scop.clone()),
            outcome: Cow::Owned(outcome),
            dependences: Cow::Owned(dependences),
            of_cells: &cells.stmts,
        })
    }
}

/// The model with as many copies as a block has rows.
fn with_copies(before: &Before<'_>, wanted: Wanted, machine: &Machine) -> Option<Copies> {
    let bytes = i64::from(before.scop.array(wanted.array).elem_bytes);
    let rows = schedule::block::rows_of_product(machine, bytes)?;
    copies(&before.scop, &before.dependences, wanted, rows).ok()?
}

/// The cost of the best plan without copies, if one is known.
fn cost_without(plan: &Plan, original: Cost) -> Option<Cost> {
    match plan {
        Plan::Kept(Reason::NothingElse | Reason::NoThreads(_)) => Some(original),
        plan => scratch::costs(plan).map(|(_, new)| new),
    }
}

/// What the model with copies means for the code to be written.
fn rewritten(valid: &Set, copied: &Copies, before: &Before<'_>) -> Option<Rewrite> {
    let scop = Scop { context: before.lifted.context.clone(), ..copied.scop.clone() };
    let outcome = delicm::Outcome { scop, ..before.outcome.clone().into_owned() };
    let mut rewrite = rewrite(before.lifted, &outcome, valid).ok()?;
    for stmt in &copied.stmts {
        rewrite.stmts[stmt.index()].strip = Some(Strip { at: copied.strip.at, size: copied.strip.size });
    }
    for (at, old) in outcome.kept.iter().enumerate() {
        if before.of_cells.contains(old) {
            rewrite.stmts[at] = moving_cells(&rewrite.scop, StmtId(at as u32), valid)?;
        }
    }
    for at in rewrite.stmts.len()..rewrite.scop.stmts.len() {
        let new = moving_cells(&rewrite.scop, StmtId(at as u32), valid)?;
        rewrite.stmts.push(new);
    }
    Some(rewrite)
}

/// A statement that is written without those of the lifted model.
fn moving_cells(scop: &Scop, id: StmtId, valid: &Set) -> Option<Rewritten> {
    let (mut new, stmt) = (Rewritten::default(), scop.stmt(id));
    for access in &stmt.accesses {
        new.places.insert(access.id, place(scop, stmt, access, valid).ok()?);
    }
    Some(new)
}

/// What was copied, for people.
fn description(copied: &Copies, before: &Before<'_>) -> String {
    let scop = &copied.scop;
    let name = |(array, copy): &(ArrayId, ArrayId)| {
        let sizes: Vec<_> =
            scop.array(*copy).shape.iter().map(|size| size.as_deref().unwrap_or("*")).collect();
        format!("{} as {}[{}]", scop.array(*array).name, scop.array(*copy).name, sizes.join("]["))
    };
    let arrays: Vec<_> = copied.arrays.iter().map(name).collect();
    let text = format!(
        "scratch memory on the stack: {}, because each iteration of a loop fills it anew, of which {} run at once",
        arrays.join(", "),
        copied.strip.size
    );
    let names: Vec<_> = before.of_cells.iter().map(|id| before.lifted.stmt(*id).name.as_str()).collect();
    match names.is_empty() {
        true => text,
        false => {
            format!("{text}\nwhat copies or fills whole rows does so cell by cell: {}", names.join(", "))
        }
    }
}
