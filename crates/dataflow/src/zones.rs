//! Zones: when a cell holds which value, when that value is still needed, and when the cell is free.
//!
//! # Terms
//! Each statement instance has a *time-point*; the instances in the program's order are the time-points in order, and
//! [`END`] is one more behind the last. All reads of an instance see what was there before its writes, so a write at a
//! time-point shows in the interval that begins there. A *zone* is a set of intervals between neighbouring time-points,
//! left-open and right-closed; an interval is named by the time-point at its right end. So `{ A[x] -> S[i] }` says
//! something about A\[x\] in the interval that ends with S\[i\], which is what an access of S\[i\] would find.
//!
//! - The *reaching definition* of a cell in an interval is the write whose value it holds, [`BEFORE`] if that is what was
//!   there before the nest.
//! - The *lifetime* of a definition goes from the write to its last read. What memory and fixed scalars hold at the end is
//!   read at [`END`].
//! - A cell is *unused* in the intervals of no lifetime: it can hold something else there.
//!
//! # Example
//! ```text
//! for i < 2 {          time-point  0     1       2       3     4     5       6       7
//!   T: c = 0                       T[0]  S[0,0]  S[0,1]  U[0]  T[1]  S[1,0]  S[1,1]  U[1]
//!   for k < 2
//!     S: c += A[i]     lifetimes of c     (0, 3]  (4, 7]      { c[] -> S[i,k]; c[] -> U[i] }
//!   U: C[i] = c }      unused C[0]        [0, 3]             { C[0] -> T[0]; C[0] -> S[0,k]; C[0] -> U[0] }
//! ```
//!
//! With the intervals of instances as names no set has more dimensions than the deepest loop, and nothing is said about
//! times at which nothing happens.
//!
//! # Reference
//! M. Kruse, T. Grosser, "DeLICM: scalar dependence removal at zero memory cost", 2018, section 2.

use isl::{DimType, Map, Set, UnionMap, UnionSet};
use model::{AccessId, AccessKind, ArrayId, ArrayKind, Scop, StmtId};

use crate::access::Table;
use crate::before;
use crate::last::{Sink, last};
use crate::order::Places;

/// The time-point behind the last instance. No statement has this name: it is no identifier.
pub const END: &str = "<end>";

/// The definition of what is in a cell before the nest.
pub const BEFORE: &str = "<before>";

/// What reaches probes.
#[derive(Clone, Debug)]
pub struct Reached {
    /// `{ [S[i] -> A[x]] -> W[j] }` for each write: W\[j\] may be what A\[x\] holds right before S\[i\]. If
    /// the access is a must-write and no other access is listed for the pair, it is.
    pub by_access: Vec<(AccessId, UnionMap)>,
    /// `{ S[i] -> A[x] }`: A\[x\] may hold what was there before the nest.
    pub initial: UnionMap,
}

/// What is in cells at time-points: `probes` is `{ S[i] -> A[x] }`, where S may be [`END`].
pub fn reaching(scop: &Scop, probes: &UnionMap) -> isl::Result<Reached> {
    let places = Places::of(scop);
    let probes = probes.get_map_list()?.to_vec()?;
    let name = |probe: &Map, side| -> isl::Result<_> { Ok(probe.get_tuple_name(side)?.unwrap_or_default()) };
    let array = |probe: &Map| Ok(scop.array_named(&name(probe, DimType::Out)?));
    let arrays: Vec<Option<ArrayId>> = probes.iter().map(array).collect::<isl::Result<_>>()?;
    let table = Table::of(scop, &arrays.iter().copied().flatten().collect::<Vec<_>>())?;
    let mut found: Vec<(AccessId, UnionMap)> = Vec::new();
    let mut initial = UnionMap::empty_ctx(&scop.ctx)?;
    for (probe, array) in probes.into_iter().zip(arrays) {
        let stmt = scop.stmt_named(&name(&probe, DimType::In)?);
        let place = stmt.map_or(places.end(), |stmt| places.at(stmt));
        let writes = table.entries.iter().filter(|entry| !entry.reads() && Some(entry.array) == array);
        let writes = writes.map(|entry| (entry, places.at(entry.stmt), entry.kind == AccessKind::MustWrite));
        // { [S[i] -> A[x]] -> A[x] }: a probe may be of several cells, which are to be told apart.
        let reached = last(Sink { place, cells: probe.range_map()? }, writes)?;
        initial = initial.union(UnionMap::from_map(reached.none.domain()?.unwrap()?)?)?;
        for (write, relation) in reached.found {
            let held = UnionMap::from_map(relation.reverse()?)?;
            match found.iter_mut().find(|(id, _)| *id == write.id) {
                Some((_, known)) => *known = known.clone().union(held)?,
                None => found.push((write.id, held)),
            }
        }
    }
    found.sort_by_key(|(id, _)| *id);
    Ok(Reached { by_access: found, initial })
}

/// `{ <end>[] }`, in the context.
pub fn end(scop: &Scop) -> isl::Result<Set> {
    Set::from_params(scop.context.clone())?.set_tuple_name(END)
}

/// The zones of an array.
#[derive(Clone, Debug)]
pub struct Zones {
    /// `{ [A[x] -> S[i]] -> W[j] }`: in the interval that ends with S\[i\], A\[x\] holds what W\[j\] wrote.
    pub definitions: UnionMap,
    /// `{ [A[x] -> S[i]] -> W[j] }`: and something still reads that.
    pub lifetimes: UnionMap,
    /// `{ A[x] -> S[i] }`: what A\[x\] holds in the interval is not read any more.
    pub unused: UnionMap,
}

impl Zones {
    /// The zones of the cells of an array that the nest touches.
    pub fn new(scop: &Scop, array: ArrayId) -> isl::Result<Zones> {
        let cells = scop.accesses(|_, access| access.array == array)?.range()?;
        let points = scop.domain()?.union(UnionSet::from_set(end(scop)?)?)?;
        let all = UnionMap::from_domain_and_range(points, cells)?;
        // { S[i] -> [A[x] -> W[j]] }
        let held = held(scop, &all)?;
        let mut read = held.clone().intersect_range_factor_domain(
            scop.accesses(|_, access| access.array == array && access.kind == AccessKind::Read)?,
        )?;
        let what = scop.array(array);
        if what.kind == ArrayKind::Memory || what.is_fixed {
            let at_end = held.clone().intersect_domain_union_set(UnionSet::from_set(end(scop)?)?)?;
            read = read.union(at_end)?;
        }
        let live = not_after(scop)?.apply_range(read)?.intersect(held.clone())?;
        let by_cell = |held: UnionMap| -> isl::Result<UnionMap> {
            // { S[i] -> [A[x] -> W[j]] } as { [A[x] -> S[i]] -> W[j] }
            held.uncurry()?.reverse()?.range_reverse()?.reverse()
        };
        let used = live.clone().range_factor_domain()?;
        let unused = all.subtract(used)?.reverse()?;
        Ok(Zones {
            definitions: crate::tidy_union(by_cell(held)?)?,
            lifetimes: crate::tidy_union(by_cell(live)?)?,
            unused: crate::tidy_union(unused)?,
        })
    }
}

/// `{ S[i] -> [A[x] -> W[j]] }` for probes `{ S[i] -> A[x] }`.
fn held(scop: &Scop, probes: &UnionMap) -> isl::Result<UnionMap> {
    let reached = reaching(scop, probes)?;
    let before = UnionSet::from_set(Set::from_params(scop.context.clone())?.set_tuple_name(BEFORE)?)?;
    let initial = UnionMap::from_domain_and_range(reached.initial.wrap()?, before)?;
    let all = reached.by_access.into_iter().try_fold(initial, |all, (_, held)| all.union(held))?;
    all.curry()
}

/// `{ S[i] -> T[j] }`: T\[j\] is S\[i\] or runs after it.
fn not_after(scop: &Scop) -> isl::Result<UnionMap> {
    let points = scop.domain()?.union(UnionSet::from_set(end(scop)?)?)?;
    let mut all = points.clone().identity()?;
    for first in scop.stmt_ids() {
        for second in scop.stmt_ids() {
            all = all.union(UnionMap::from_map(before(scop, first, second)?)?)?;
        }
    }
    let to_end = UnionMap::from_domain_and_range(scop.domain()?, UnionSet::from_set(end(scop)?)?)?;
    all.union(to_end)?.intersect_domain_union_set(points.clone())?.intersect_range_union_set(points)
}

/// `{ W[j] -> A[x] }`: the instances of a write whose value, or a part of it, may be in the cell after the nest; reductions
/// are reads and writes like others.
pub fn last_instances(scop: &Scop, write: AccessId) -> isl::Result<Map> {
    let (_, access) = scop.access(write).ok_or_else(|| isl::Error::other("no such access"))?;
    let table = Table::of(scop, &[access.array])?;
    let entry = table.entries.iter().find(|entry| entry.id == write);
    let entry = entry.ok_or_else(|| isl::Error::other("no such access"))?;
    crate::memory::last_instances(scop, &table, entry)
}

/// What is in the cells of an array after the nest.
#[derive(Clone, Debug)]
pub struct Left {
    /// `{ W[j] -> A[x] }` for each write: what W\[j\] wrote may be in A\[x\]. If the access is a must-write and no other
    /// access is listed for the cell, it is.
    pub by_access: Vec<(AccessId, Map)>,
    /// `{ A[x] }`: cells that some must-write overwrites; the others may hold what was there before the nest.
    pub overwritten: UnionSet,
}

/// What is in the cells of an array after the nest: what [`reaching`] finds at [`END`], found by taking away what is
/// overwritten instead of by looking for what comes last, which takes a fraction of the time.
pub fn left_in(scop: &Scop, array: ArrayId) -> isl::Result<Left> {
    let table = Table::of(scop, &[array])?;
    let mut left = Left { by_access: Vec::new(), overwritten: UnionSet::empty_ctx(&scop.ctx)? };
    for write in table.entries.iter().filter(|entry| !entry.reads()) {
        left.by_access.push((write.id, crate::memory::last_instances(scop, &table, write)?));
        if write.kind == AccessKind::MustWrite {
            let cells = UnionSet::from_set(write.relation.clone().range()?)?;
            left.overwritten = left.overwritten.union(cells)?;
        }
    }
    Ok(left)
}

/// `{ S[i] -> T[j] }`: S\[i\] is T\[j\] or runs before it. Domains are not looked at.
pub fn before_or_same(scop: &Scop, first: StmtId, second: StmtId) -> isl::Result<Map> {
    let strictly = before(scop, first, second)?;
    match first == second {
        true => strictly.clone().union(Map::identity(strictly.get_space()?)?),
        false => Ok(strictly),
    }
}
