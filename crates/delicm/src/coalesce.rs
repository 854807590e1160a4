//! Greedy value coalescing: scalars live in array cells that nobody needs at that time.
//!
//! Whatever a must-write overwrites was unused before it, so each write of an array is a *target*: the scalars that its
//! statement reads are the candidates for the cells, the stored value itself first (then the write becomes one of what is
//! there already). A mapped scalar's writes end unused zones, too, so the scalars read by its writers are candidates next
//! (Listing 6 of the paper).
//!
//! # Which cell
//! The cell for an instance X\[x\] that reads or writes the scalar is, as the first of two ways:
//! 1. the one that the target writes in the same iteration of the loops around both, if that is one;
//! 2. the one that the target writes next: at X\[x\] or later for a read, later for a write.
//!
//! Either way all accesses of the scalar must be given a cell, and a read the cell of the write it sees. Where a write's
//! value is never read, the write may be left out instead ([`Options::partial_writes`]).
//!
//! # Conflicts
//! With the scalar in its cells, the values must still be there when they are read:
//! 1. a write of the scalar must not hit the lifetime of what the cell holds (from its write to its last read, or to the
//!    end of the nest),
//! 2. a write of the array must not hit the lifetime of the scalar's value,
//!
//! except where the value written is the one that is there. (That lifetimes are disjoint follows: each begins with a write.)
//! A lifetime from W to R is hit by D if W is D or before it, and D is before R: an instance reads before it writes.
//! A cell that no must-write of the nest overwrites is never used: it belongs to whoever comes after, and might not even
//! be writable.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

use dataflow::content::{Contents, Flows};
use dataflow::zones::{before_or_same, last_instances};
use dataflow::{before, shared_loops};
use isl::{DimType, Map, Set, UnionMap};
use model::{Access, AccessId, AccessKind, ArrayId, ArrayKind, Operand, Scop, StmtId};

use crate::Options;
use crate::relations::keep_updates;

/// What coalescing did.
#[derive(Clone, Debug)]
pub struct Coalesced {
    /// The new model.
    pub scop: Scop,
    /// How many scalars got a cell.
    pub scalars: usize,
    /// How many phis did.
    pub phis: usize,
    /// The arrays with these cells.
    pub arrays: HashSet<ArrayId>,
    /// For scalars that were tried: why they got none, when it looked best.
    pub why: HashMap<ArrayId, Why>,
    /// The flow of values, where each read may have an earlier write of the value than the one it sees ([`Flows::merge`]).
    pub flows: Flows,
}

/// Why a scalar has no cell, from what says the least on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It was not tried: what is computed from it goes into scalars that got no cell.
    NotStored,
    /// Something outside of the nest reads it.
    Stays,
    /// A cell has another size.
    OtherSize,
    /// A write of it may not happen.
    Perhaps,
    /// It is read before it is written.
    FromBefore,
    /// No array is written such that each access of the scalar leads to one of the cells.
    NoCells,
    /// What is in the cells is still needed, or they are written too early.
    InUse,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NotStored => "it only goes into scalars that have no cell either",
            Why::Stays => "it is used after the nest",
            Why::OtherSize => "the arrays that it could be in have cells of another size",
            Why::Perhaps => "it is written under a condition",
            Why::FromBefore => "it has a value from before the nest",
            Why::NoCells => "no array is written where each of its accesses could have a cell",
            Why::InUse => "all cells that it could have are in use at that time",
        })
    }
}

/// Maps what can be mapped.
pub fn coalesce(scop: &Scop, flows: &Flows, options: &Options) -> isl::Result<Coalesced> {
    let (arrays, why) = Default::default();
    let mut result = Coalesced { scop: scop.clone(), scalars: 0, phis: 0, arrays, why, flows: flows.clone() };
    if scop.stmt_ids().all(|stmt| inputs(scop, stmt, None).is_empty()) {
        return Ok(result);
    }
    let mut work: VecDeque<Work> = targets(scop)?.into_iter().map(|target| Work::new(scop, target)).collect();
    let (mut why, next) = (HashMap::new(), RefCell::default());
    while let Some((scalar, array, mapped)) =
        next_mapping(&result.scop, &result.flows, (&mut work, &mut why), (&next, options))?
    {
        // Without conflicts each read sees the value it saw.
        result.flows.merge(scalar, array);
        match scop.array(scalar).kind {
            ArrayKind::Phi => result.phis += 1,
            _ => result.scalars += 1,
        }
        result.arrays.insert(array);
        result.scop = mapped;
    }
    result.why = why;
    Ok(result)
}

/// The targets' candidates that were not tried yet.
struct Work {
    target: Target,
    queue: VecDeque<ArrayId>,
    tried: HashSet<ArrayId>,
}

impl Work {
    fn new(scop: &Scop, target: Target) -> Self {
        let queue = inputs(scop, target.stmt, Some(target.write)).into();
        Work { target, queue, tried: HashSet::new() }
    }

    /// The scalars that the writers of a mapped one read.
    fn add_writers(&mut self, scop: &Scop, scalar: ArrayId) {
        for stmt in scop.stmt_ids() {
            let mut accesses = scop.stmt(stmt).accesses.iter();
            if accesses.any(|access| access.array == scalar && access.kind != AccessKind::Read) {
                self.queue.extend(inputs(scop, stmt, None));
            }
        }
    }
}

/// Goes on until a scalar is mapped: the scalar, the array it is in now, and the model.
fn next_mapping(
    scop: &Scop,
    flows: &Flows,
    (work, why): (&mut VecDeque<Work>, &mut HashMap<ArrayId, Why>),
    (next, options): (&RefCell<NextWrites>, &Options),
) -> isl::Result<Option<(ArrayId, ArrayId, Scop)>> {
    let (contents, last) = (Contents::with(scop, flows)?, RefCell::default());
    while let Some(first) = work.front_mut() {
        let knowledge = Knowledge { scop, contents: &contents, array: first.target.array, last: &last, next };
        while let Some(scalar) = first.queue.pop_front() {
            if !first.tried.insert(scalar) {
                continue;
            }
            match try_map(&knowledge, &first.target, scalar, options)? {
                Ok(mapped) => {
                    first.add_writers(scop, scalar);
                    return Ok(Some((scalar, first.target.array, mapped)));
                }
                Err(reason) => {
                    let known = why.entry(scalar).or_insert(reason);
                    *known = reason.max(*known);
                }
            }
        }
        work.pop_front();
    }
    Ok(None)
}

/// A write of an array.
struct Target {
    stmt: StmtId,
    write: AccessId,
    array: ArrayId,
    /// `{ U[u] -> A[x] }`.
    cells: Map,
}

/// Writes of one cell in each instance, of different cells in different instances.
fn targets(scop: &Scop) -> isl::Result<Vec<Target>> {
    let mut found = Vec::new();
    for id in scop.stmt_ids() {
        let stmt = scop.stmt(id);
        for write in stmt.accesses.iter().filter(|access| access.kind == AccessKind::MustWrite) {
            let cells = scop.cells(stmt, write)?;
            let (instances, all) = (cells.clone().domain()?, cells.clone().range()?);
            let is_one_cell = Map::from_domain_and_range(instances, all)?.is_subset(&cells)?;
            if scop.array(write.array).kind == ArrayKind::Memory
                && !is_one_cell
                && cells.is_single_valued()?
            {
                found.push(Target { stmt: id, write: write.id, array: write.array, cells });
            }
        }
    }
    Ok(found)
}

/// The scalars that a statement reads; first the one whose value the write stores.
fn inputs(scop: &Scop, stmt: StmtId, write: Option<AccessId>) -> Vec<ArrayId> {
    let stmt = scop.stmt(stmt);
    let stored = write.and_then(|write| stmt.body.stored(write));
    let mut reads: Vec<_> = stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read).collect();
    reads.sort_by_key(|read| stored != Some(&Operand::Read(read.id)));
    reads.retain(|read| scop.array(read.array).kind != ArrayKind::Memory);
    reads.into_iter().map(|read| read.array).collect()
}

/// An access of the scalar, and the cells it is to get.
struct Placed<'a> {
    stmt: StmtId,
    access: &'a Access,
    /// `{ X[x] -> A[y] }`.
    cells: Map,
}

/// The model with the scalar in cells of the target's array, or why there is none.
fn try_map(
    knowledge: &Knowledge<'_>,
    target: &Target,
    scalar: ArrayId,
    options: &Options,
) -> isl::Result<Result<Scop, Why>> {
    let scop = knowledge.scop;
    let (what, array) = (scop.array(scalar), scop.array(target.array));
    if what.is_fixed {
        return Ok(Err(Why::Stays));
    }
    if what.elem_bytes != array.elem_bytes {
        return Ok(Err(Why::OtherSize));
    }
    let accesses: Vec<_> = scop
        .stmt_ids()
        .flat_map(|id| scop.stmt(id).accesses.iter().map(move |access| (id, access)))
        .filter(|(_, access)| access.array == scalar)
        .collect();
    if accesses.is_empty() || accesses.iter().any(|(_, access)| access.kind == AccessKind::MayWrite) {
        return Ok(Err(Why::Perhaps));
    }
    for (_, read) in accesses.iter().filter(|(_, access)| access.kind == AccessKind::Read) {
        if !knowledge.contents.live_in(read)?.is_empty()? {
            return Ok(Err(Why::FromBefore));
        }
    }
    let mut why = Why::NoCells;
    for way in [same_iteration, next_write] {
        for partial in [false, true] {
            if partial && !options.partial_writes {
                continue;
            }
            let placed = place(knowledge, target, &accesses, way, partial)?;
            let Some(placed) = placed else { continue };
            if knowledge.is_consistent(&placed)? {
                if !knowledge.is_conflicting(&placed)? {
                    return Ok(Ok(apply(scop, target.array, &placed)));
                }
                why = Why::InUse;
            }
        }
    }
    Ok(Err(why))
}

/// `{ X[x] -> U[u] }`: the instance of the target that decides about the cell of an access of X.
type Way = fn(&Knowledge<'_>, StmtId, StmtId, bool) -> isl::Result<Map>;

/// What [`next_write`] found: the instances and their order stay while scalars get cells.
type NextWrites = HashMap<(StmtId, StmtId, bool), Map>;

/// In the same iteration of the loops around both.
fn same_iteration(knowledge: &Knowledge<'_>, stmt: StmtId, target: StmtId, _: bool) -> isl::Result<Map> {
    let scop = knowledge.scop;
    let space = scop.stmt(stmt).domain.get_space()?;
    let space = space.map_from_domain_and_range(scop.stmt(target).domain.get_space()?)?;
    (0..shared_loops(scop, stmt, target))
        .try_fold(Map::universe(space)?, |same, at| same.equate(DimType::In, at, DimType::Out, at))
}

/// The next one in time. The instances of one statement run in lexicographic order.
fn next_write(knowledge: &Knowledge<'_>, stmt: StmtId, target: StmtId, is_write: bool) -> isl::Result<Map> {
    let (scop, which) = (knowledge.scop, (stmt, target, is_write));
    if let Some(known) = knowledge.next.borrow().get(&which) {
        return Ok(known.clone());
    }
    let later = match is_write {
        true => before(scop, stmt, target)?,
        false => before_or_same(scop, stmt, target)?,
    };
    let later = later.intersect_range(scop.instances(scop.stmt(target))?)?;
    let next = later.intersect_domain(scop.instances(scop.stmt(stmt))?)?.lexmin()?;
    knowledge.next.borrow_mut().insert(which, next.clone());
    Ok(next)
}

/// Gives all accesses a cell, except, if `partial`, writes that nobody reads.
fn place<'a>(
    knowledge: &Knowledge<'_>,
    target: &Target,
    accesses: &[(StmtId, &'a Access)],
    way: Way,
    partial: bool,
) -> isl::Result<Option<Vec<Placed<'a>>>> {
    let scop = knowledge.scop;
    let mut placed = Vec::new();
    for &(stmt, access) in accesses {
        let is_write = access.kind != AccessKind::Read;
        let mut instances = scop.cells(scop.stmt(stmt), access)?.domain()?;
        if partial && is_write {
            instances = instances.intersect(knowledge.read_instances(access, accesses)?)?;
        }
        let chosen = way(knowledge, stmt, target.stmt, is_write)?.apply_range(target.cells.clone())?;
        let chosen = chosen.intersect_domain(instances.clone())?.coalesce()?;
        if !instances.is_subset(&chosen.clone().domain()?)? || !chosen.is_single_valued()? {
            return Ok(None);
        }
        placed.push(Placed { stmt, access, cells: chosen });
    }
    Ok(Some(placed))
}

fn apply(scop: &Scop, array: ArrayId, placed: &[Placed<'_>]) -> Scop {
    let mut scop = scop.clone();
    for access in scop.stmts.iter_mut().flat_map(|stmt| &mut stmt.accesses) {
        if let Some(new) = placed.iter().find(|new| new.access.id == access.id) {
            (access.array, access.relation) = (array, new.cells.clone());
        }
    }
    // An update that got cells in part is none any more.
    keep_updates(&mut scop);
    scop
}

/// What is known about the cells of the target's array.
struct Knowledge<'a> {
    scop: &'a Scop,
    contents: &'a Contents<'a>,
    array: ArrayId,
    /// The instances of writes of the array whose values are there at the end, as far as they were asked for.
    last: &'a RefCell<HashMap<AccessId, Map>>,
    next: &'a RefCell<NextWrites>,
}

impl Knowledge<'_> {
    fn last_instances(&self, write: AccessId) -> isl::Result<Map> {
        if let Some(known) = self.last.borrow().get(&write) {
            return Ok(known.clone());
        }
        let last = last_instances(self.scop, write)?;
        self.last.borrow_mut().insert(write, last.clone());
        Ok(last)
    }

    /// The instances of a write that some read of the scalar sees.
    fn read_instances(&self, write: &Access, accesses: &[(StmtId, &Access)]) -> isl::Result<Set> {
        let mut all = Set::empty(write.relation.get_space()?.domain()?)?;
        for (_, read) in accesses.iter().filter(|(_, access)| access.kind == AccessKind::Read) {
            for (_, source) in self.contents.sources(read.id).iter().filter(|(id, _)| *id == write.id) {
                all = all.union(source.clone().range()?)?;
            }
        }
        Ok(all)
    }

    /// Whether each read gets the cells of the writes it sees.
    fn is_consistent(&self, placed: &[Placed<'_>]) -> isl::Result<bool> {
        for read in placed {
            for (write, source) in self.contents.sources(read.access.id) {
                let Some(write) = placed.iter().find(|other| other.access.id == *write) else {
                    return Ok(false);
                };
                let together = read.cells.clone().apply_range(write.cells.clone().reverse()?)?;
                if !source.is_subset(&together)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn is_conflicting(&self, placed: &[Placed<'_>]) -> isl::Result<bool> {
        let mut existing = Vec::new();
        for id in self.scop.stmt_ids() {
            let stmt = self.scop.stmt(id);
            for access in stmt.accesses.iter().filter(|access| access.array == self.array) {
                existing.push(Placed { stmt: id, access, cells: self.scop.cells(stmt, access)? });
            }
        }
        for write in placed.iter().filter(|new| new.access.kind != AccessKind::Read) {
            if self.hits_any(write, &existing)? || self.outlives(write, &existing)? {
                return Ok(true);
            }
        }
        for write in existing.iter().filter(|old| old.access.kind != AccessKind::Read) {
            if self.hits_any(write, placed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a write hits the lifetime of a value that one of the others reads.
    fn hits_any(&self, write: &Placed<'_>, others: &[Placed<'_>]) -> isl::Result<bool> {
        for read in others.iter().filter(|other| other.access.kind == AccessKind::Read) {
            // { D[d] -> R[r] }: D[d] writes the cell before R[r] reads it.
            let to_read = before(self.scop, write.stmt, read.stmt)?;
            let to_read =
                to_read.intersect(write.cells.clone().apply_range(read.cells.clone().reverse()?)?)?;
            if to_read.is_empty()? {
                continue;
            }
            for (source, flow) in self.contents.sources(read.access.id) {
                let Some(source) = others.iter().find(|other| other.access.id == *source) else {
                    return Ok(true);
                };
                let hit = to_read.clone().apply_range(flow.clone())?;
                if !self.is_harmless(write, source, hit)? {
                    return Ok(true);
                }
            }
            // What was in the cell before the nest is as good as written at its beginning.
            let initial = self.contents.live_in(read.access)?;
            if !initial.is_empty()? {
                let seen = UnionMap::from_map(to_read)?.apply_range(initial)?;
                let seen = seen.intersect(UnionMap::from_map(write.cells.clone())?)?;
                let same = match self.contents.written(write.access.id)? {
                    Some(value) => value,
                    None => UnionMap::empty_ctx(&self.scop.ctx)?,
                };
                if !seen.is_subset(&same)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a new write would be seen at the end of the nest.
    fn outlives(&self, write: &Placed<'_>, existing: &[Placed<'_>]) -> isl::Result<bool> {
        let mut overwritten = Set::empty(write.cells.get_space()?.range()?)?;
        for old in existing.iter().filter(|old| old.access.kind == AccessKind::MustWrite) {
            overwritten = overwritten.union(old.cells.clone().range()?)?;
        }
        if !write.cells.clone().range()?.is_subset(&overwritten)? {
            return Ok(true);
        }
        for old in existing.iter().filter(|old| old.access.kind != AccessKind::Read) {
            if old.cells.clone().range()?.is_disjoint(&write.cells.clone().range()?)? {
                continue;
            }
            let hit = write.cells.clone().apply_range(self.last_instances(old.access.id)?.reverse()?)?;
            if !self.is_harmless(write, old, hit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Of `{ D[d] -> W[w] }`, where D\[d\] writes the cell that W\[w\] wrote: whether each D\[d\] is before W\[w\] or stores
    /// the same value.
    fn is_harmless(&self, write: &Placed<'_>, source: &Placed<'_>, hit: Map) -> isl::Result<bool> {
        if hit.is_empty()? {
            return Ok(true);
        }
        let together = write.cells.clone().apply_range(source.cells.clone().reverse()?)?;
        let since = before_or_same(self.scop, source.stmt, write.stmt)?.reverse()?;
        let hit = hit.intersect(since)?.intersect(together)?;
        if hit.is_empty()? {
            return Ok(true);
        }
        let values = (self.contents.written(write.access.id)?, self.contents.written(source.access.id)?);
        let (Some(first), Some(second)) = values else { return Ok(false) };
        UnionMap::from_map(hit)?.is_subset(&Contents::same(&first, &second)?)
    }
}
