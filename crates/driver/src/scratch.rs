//! Scalars that have no free cell, in scratch memory: only where the scheduler gains something from it.
//!
//! After a nest has its plan, and if `delicm` left scalars in it, the model is expanded ([`delicm::expand`]) with little memory
//! and with much, as far as [`Options::expand`] allows, and planned again. The cheapest plan wins, and the one without
//! scratch memory unless another is clearly cheaper; what is computed in it is compared with the model before by
//! [`delicm::check`]. Nothing is expanded where the order is given: own, or from a file.
//!
//! Memory is bounded: [`STACK_BYTES`] for all nests of a function that cannot be called again before it returns; [`HEAP_BYTES`]
//! for a nest. Where sizes are known at run time only, that they stay within bounds is a part of the run-time check. On the stack,
//! arrays of such sizes have one dimension that is no number, and all of a nest's share what is left equally.

use crate::order::{NewOrder, Plan, analysis, as_given, optimized};
use crate::scalars::rewrite;
use assume::{Below, Conjunct, Test, rows};
use astgen::Expr;
use dataflow::Dependences;
use dataflow::content::{Contents, Flows};
use delicm::check::{Verdict, check};
use delicm::expand::{Expanded, Loops, bytes, expand};
use isl::{DimType, Set};
use llvm::back::rewrite::{Rewrite, Scratch, ScratchPlace};
use llvm::back::scratch::ALIGNMENT;
use model::{Access, AccessKind, Array, ArrayId, ArrayKind, Kind, Scop};
use options::{Expand, Options};
use schedule::{Cost, Machine, Reason};

/// What all nests of a function may have together.
pub const STACK_BYTES: u64 = 64 << 10;

/// What a nest may have.
pub const HEAP_BYTES: i64 = 64 << 20;

/// How much of the cost without scratch memory a plan may have that needs some.
const CLEARLY: f64 = 0.8;

/// A better plan for a nest.
pub struct Better {
    /// The model with scratch arrays.
    pub rewrite: Rewrite,
    /// Its dependences.
    pub dependences: Dependences,
    /// Its order.
    pub plan: Plan,
    /// How many bytes of the stack it takes.
    pub stack_bytes: u64,
}

/// What the nest is, and what is planned for it without scratch memory.
pub struct Nest<'a> {
    /// The lifted model.
    pub lifted: &'a Scop,
    /// The parameters for which the new loops run.
    pub valid: &'a Set,
    /// What was done about scalars.
    pub outcome: &'a delicm::Outcome,
    /// The plan.
    pub plan: &'a Plan,
    /// What the function may still have of the stack.
    pub stack_left: u64,
}

/// A plan with scratch memory, if it is clearly better.
pub fn better(nest: &Nest<'_>, machine: &Machine, options: &Options) -> Option<Better> {
    let is_free = options.schedule == options::Schedule::Auto
        && options.schedule_in.is_none()
        && options.schedule_out.is_none();
    if options.expand == Expand::None || nest.outcome.counts.after == (0, 0) || !is_free {
        return None;
    }
    let before = &nest.outcome.scop;
    if is_unrolled(before).ok()? {
        return None;
    }
    let flows = Flows::new(before).ok()?;
    let (mut best, mut tried): (Option<Candidate>, _) = (None, None);
    for loops in [Loops::Innermost, Loops::All] {
        let Some(expanded) = expand(before, &flows, loops).ok()? else { break };
        // With the same arrays it is the same again.
        if tried.replace(expanded.scop.arrays.clone()).as_ref() == Some(&expanded.scop.arrays)
            || place(&expanded.scop, nest.stack_left, options, LEAST_ROOM).is_none()
        {
            continue;
        }
        let Some(found) = Candidate::new(expanded, machine, options) else { continue };
        let most = match &best {
            Some(known) => known.cost(),
            None if options.expand_always => f64::INFINITY,
            None => costs(nest.plan).or(found.costs())?.1.total(),
        };
        if found.cost() < CLEARLY * most {
            best = Some(found);
        }
    }
    let Candidate { expanded, dependences, mut new } = best?;
    expanded.scop.verify().ok()?;
    let verdict = check(&Contents::with(before, &flows).ok()?, &expanded.scop, &[]).ok()?;
    if verdict != Verdict::Same {
        return None;
    }
    if let (Some(prediction), Some((original, _))) = (&mut new.prediction, costs(nest.plan)) {
        prediction.original = original;
    }
    new.description = format!("{}\n{}", new.description.trim_end(), description(&expanded, options));
    let place = place(&expanded.scop, nest.stack_left, options, LEAST_ROOM)?;
    let stack_bytes = stack_bytes(&expanded.scop, place)?;
    let scop = Scop { context: nest.lifted.context.clone(), ..expanded.scop };
    let outcome = delicm::Outcome { scop, ..nest.outcome.clone() };
    let mut rewrite = rewrite(nest.lifted, &outcome, nest.valid).ok()?;
    rewrite.scratch = Some(memory(&rewrite.scop, nest.valid, place).ok()?);
    Some(Better { rewrite, dependences, plan: Plan::New(new), stack_bytes })
}

/// Whether the innermost loops around writes of scalars are so short that LLVM unrolls them: then the scalars are values in the
/// loop around, of which it makes vectors by itself.
fn is_unrolled(scop: &Scop) -> isl::Result<bool> {
    let is_scalar =
        |access: &Access| access.kind != AccessKind::Read && scop.array(access.array).kind.is_scalar();
    let writers: Vec<_> = scop.stmts.iter().filter(|stmt| stmt.accesses.iter().any(is_scalar)).collect();
    let mut deepest = 0;
    for stmt in &writers {
        deepest = deepest.max(stmt.domain.dim(DimType::Set)?);
    }
    let Some(innermost) = deepest.checked_sub(1) else { return Ok(false) };
    for stmt in writers {
        if stmt.domain.dim(DimType::Set)? == deepest {
            let last = stmt.domain.clone().dim_max_val(innermost)?;
            if !last.is_int()? || last.get_num_si()? >= UNROLLED {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Loops of a constant number of iterations up to this are unrolled.
const UNROLLED: i64 = 16;

/// An expanded model and its plan.
struct Candidate {
    expanded: Expanded,
    dependences: Dependences,
    new: Box<NewOrder>,
}

impl Candidate {
    /// With the order that the scheduler finds, if it finds one that pays.
    fn new(expanded: Expanded, machine: &Machine, options: &Options) -> Option<Candidate> {
        let dependences = dataflow::dependences(&expanded.scop, &analysis(options.parallel)).ok()?;
        let planned = optimized(&expanded.scop, &dependences, machine.clone(), options).ok()?;
        let new = match planned {
            // Its scalars are in memory then, which takes longer than threads save.
            Plan::New(new) if new.prediction.is_some() && !new.pays_in_threads_only => new,
            _ if options.expand_always => own_order(&expanded.scop)?,
            _ => return None,
        };
        Some(Candidate { expanded, dependences, new })
    }

    fn costs(&self) -> Option<(Cost, Cost)> {
        self.new.prediction.map(|prediction| (prediction.original, prediction.original))
    }

    fn cost(&self) -> f64 {
        self.new.prediction.map_or(f64::MAX, |prediction| prediction.new.total())
    }
}

fn own_order(scop: &Scop) -> Option<Box<NewOrder>> {
    match as_given(scop, schedule::identity(scop).ok()?).ok()? {
        Plan::New(new) => Some(new),
        Plan::Kept(_) => None,
    }
}

/// Where there may be enough memory.
pub(crate) fn place(
    scop: &Scop,
    stack_left: u64,
    options: &Options,
    least_room: u64,
) -> Option<ScratchPlace> {
    let bytes = bytes(scop, ALIGNMENT as u64);
    match (options.expand, bytes) {
        (Expand::None, _) => None,
        (Expand::Stack, Some(bytes)) => (bytes <= stack_left).then_some(ScratchPlace::Stack),
        (Expand::Stack, None) => room(scop, stack_left, least_room).map(ScratchPlace::Room),
        // The check reads tables of rows behind all else, when memory was asked for.
        (Expand::Heap, _) => {
            let has_tables = scop.arrays.iter().any(|array| array.layout == model::Layout::Anywhere);
            let fits = bytes.is_none_or(|bytes| bytes <= HEAP_BYTES as u64);
            let share = HEAP_BYTES / (scratch_arrays(scop).count() as i64).max(1);
            (!has_tables && fits).then_some(ScratchPlace::Heap(share))
        }
    }
}

/// How many bytes of the stack that takes.
pub(crate) fn stack_bytes(scop: &Scop, place: ScratchPlace) -> Option<u64> {
    match place {
        ScratchPlace::Heap(_) => Some(0),
        ScratchPlace::Stack => bytes(scop, ALIGNMENT as u64),
        ScratchPlace::Room(bytes) => Some(bytes as u64 * scratch_arrays(scop).count() as u64),
    }
}

fn scratch_arrays(scop: &Scop) -> impl Iterator<Item = &Array> {
    scop.arrays.iter().filter(|array| array.kind == ArrayKind::Scratch)
}

/// How many bytes each scratch array may have, if that is enough for so many iterations of the loop of which it is not known how many
/// it has.
fn room(scop: &Scop, stack_left: u64, least: u64) -> Option<i64> {
    let count = scratch_arrays(scop).count() as u64;
    let share = stack_left.checked_div(count)? / ALIGNMENT as u64 * ALIGNMENT as u64;
    let is_enough = |array: &Array| {
        let numbers = array.shape.iter().flatten().filter_map(|size| size.parse::<u64>().ok());
        let (known, cell) = (numbers.clone().count(), numbers.product::<u64>() * u64::from(array.elem_bytes));
        known + 1 >= array.shape.len() && cell.saturating_mul(least) <= share
    };
    scratch_arrays(scop).all(is_enough).then_some(share as i64)
}

/// For how many iterations of a loop there must be room for a scalar where it is not known how many it has.
const LEAST_ROOM: u64 = 1_000;

/// The costs of the own order and of the planned one, if they were predicted.
pub(crate) fn costs(plan: &Plan) -> Option<(Cost, Cost)> {
    match plan {
        Plan::New(new) => new.prediction.map(|prediction| (prediction.original, prediction.new)),
        Plan::Kept(Reason::NothingPays(prediction)) => Some((prediction.original, prediction.original)),
        Plan::Kept(_) => None,
    }
}

/// What was expanded, for people.
fn description(expanded: &Expanded, options: &Options) -> String {
    let name = |(scalar, array): &(ArrayId, ArrayId)| {
        let array = expanded.scop.array(*array);
        let sizes: Vec<_> = array.shape.iter().map(|size| size.as_deref().unwrap_or("*")).collect();
        format!("{}[{}]", expanded.scop.array(*scalar).name, sizes.join("]["))
    };
    let arrays: Vec<_> = expanded.arrays.iter().map(name).collect();
    let place = if options.expand == Expand::Heap { "heap" } else { "stack" };
    let bytes = match bytes(&expanded.scop, ALIGNMENT as u64) {
        Some(bytes) => format!("{bytes} bytes"),
        None => "of a size known at run time".to_owned(),
    };
    format!(
        "scratch memory on the {place}, {bytes}: {}, because no array has free cells for these scalars",
        arrays.join(", ")
    )
}

/// The scratch arrays with the factors of their sizes.
pub(crate) fn memory(scop: &Scop, valid: &Set, place: ScratchPlace) -> Result<Scratch, astgen::Error> {
    let mut arrays = Vec::new();
    for (index, array) in scop.arrays.iter().enumerate() {
        if array.kind == ArrayKind::Scratch {
            let mut factors = sizes(scop, array, valid)?;
            factors.push(Expr::Int(i64::from(array.elem_bytes)));
            arrays.push((ArrayId(index as u32), factors));
        }
    }
    Ok(Scratch { arrays, place })
}

/// The sizes of all dimensions.
fn sizes(scop: &Scop, array: &Array, valid: &Set) -> Result<Vec<Expr>, astgen::Error> {
    // The rows of an array with one more dimension have these sizes.
    let outer =
        Array { shape: std::iter::once(None).chain(array.shape.iter().cloned()).collect(), ..array.clone() };
    match rows(scop, &outer, valid)? {
        assume::Rows::Even(sizes) => Ok(sizes),
        _ => Err(astgen::Error::Unexpected("scratch arrays are even".into())),
    }
}

/// What is tested before memory is used: that it is not too much.
pub fn conjuncts(rewrite: &Rewrite) -> Vec<Conjunct> {
    let Some(scratch) = &rewrite.scratch else { return Vec::new() };
    let Some(share) = scratch.place.limit() else { return Vec::new() };
    let conjunct = |(array, factors): &(ArrayId, Vec<Expr>)| {
        let (first, sizes) = factors.split_first()?;
        let last = std::iter::once(first.clone()).chain(sizes.iter().map(|_| Expr::Int(0))).collect();
        let why = format!("{} has at most {share} bytes", rewrite.scop.array(*array).name);
        let below = Below { tested: Expr::Int(1), last, sizes: sizes.to_vec(), limit: Expr::Int(share + 1) };
        Some(Conjunct { kind: Some(Kind::ModerateSize), why, loc: None, test: Test::Below(below) })
    };
    scratch.arrays.iter().filter_map(conjunct).collect()
}
