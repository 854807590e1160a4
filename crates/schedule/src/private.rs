//! Arrays of which each thread can have a copy.
//!
//! In `for r { for p: line[p] = 0, ...; for p: a[r][p] = line[p] }` all iterations of `r` use the same cells of `line`, but none
//! looks at what another one left there. With a copy of `line` for each thread they do not depend on each other. After the
//! loop, `line` must be what the last iteration left: the thread that runs that has no copy but the array itself.
//!
//! An array can be copied for a loop if, with the loops around at their values,
//! 1. each value that an iteration reads from it was written by the same iteration: no flow joins it to others, and nothing
//!    that was there before the nest is read;
//! 2. each value that is there after the nest, or that is read outside of the loop, was written by the last iteration, if by one
//!    of them;
//! 3. it is small: it has one dimension, and the cells that are touched are few, or it is scratch memory of the new loops, of which all is
//!    copied. If how many depends on parameters, `astgen` says for which values they have room; for others the loop runs in one thread.
//!
//! The loop is parallel with copies if no dependence on another array joins two of its iterations. That the dependences by
//! arrays are all that there are is checked: where arrays may overlap, there are more.

use crate::legality::{Error, Times, around};
use crate::tree;
use dataflow::{Dependences, Kind};
use isl::{DimType, Map, ScheduleNode, UnionMap};
use model::{AccessKind, Array, ArrayId, ArrayKind, Copied, Layout, Scop, StmtId};

/// The most bytes of all copies of a thread, on its stack.
const MOST_BYTES: i64 = 16 << 10;

/// The same of scratch memory, which is in one thread's place on the stack, too: the most that it has there.
const SCRATCH_BYTES: i64 = 64 << 10;

/// The room for an array of which the size is not known.
const SOME_BYTES: i64 = 8 << 10;

/// The arrays to copy so that a band's first loop is parallel; `None` if that does not help.
pub fn copies(
    scop: &Scop,
    dependences: &Dependences,
    band: &ScheduleNode,
) -> Result<Option<Vec<Copied>>, Error> {
    let loop_ = Loop::new(scop, dependences, band)?;
    let mut found = Vec::new();
    for array in loop_.in_the_way()? {
        match loop_.copied(array)? {
            Some(copied) => found.push(copied),
            None => return Ok(None),
        }
    }
    let bytes = |is_scratch: bool| -> i64 {
        let kind = |copied: &&Copied| (scop.array(copied.array).kind == ArrayKind::Scratch) == is_scratch;
        found.iter().filter(kind).map(|copied| copied.bytes).sum()
    };
    let are_small = bytes(false) <= MOST_BYTES && bytes(true) <= SCRATCH_BYTES;
    let is_good = !found.is_empty() && are_small && loop_.knows_all()?;
    Ok(is_good.then_some(found))
}

/// The first loop of a band.
struct Loop<'a> {
    scop: &'a Scop,
    dependences: &'a Dependences,
    /// The statements in it.
    stmts: Vec<usize>,
    outside: Times,
    own: Times,
}

impl<'a> Loop<'a> {
    fn new(scop: &'a Scop, dependences: &'a Dependences, band: &ScheduleNode) -> Result<Self, Error> {
        let (outside, own) = around(scop, band, 0)?;
        Ok(Loop { scop, dependences, stmts: tree::stmts_below(scop, band)?, outside, own })
    }

    fn has(&self, stmt: StmtId) -> bool {
        self.stmts.contains(&stmt.index())
    }

    /// Pairs of instances of two statements that agree on the loops around.
    fn together(&self, source: StmtId, sink: StmtId) -> isl::Result<Map> {
        let (first, second) = (&self.outside.whole[source.index()], &self.outside.whole[sink.index()]);
        first.clone().apply_range(second.clone().reverse()?)
    }

    /// Those of them that are in the same iteration.
    fn same(&self, source: StmtId, sink: StmtId) -> isl::Result<Map> {
        let (first, second) = (self.own.part(source.index(), 0)?, self.own.part(sink.index(), 0)?);
        self.together(source, sink)?.intersect(first.clone().apply_range(second.clone().reverse()?)?)
    }

    /// The arrays through which iterations depend on each other, ascending.
    fn in_the_way(&self) -> isl::Result<Vec<ArrayId>> {
        let mut found = Vec::new();
        for dependence in &self.dependences.by_access {
            let Some((source, sink)) = self.scop.stmts_of(&dependence.relation)? else { continue };
            if found.contains(&dependence.array) || !self.has(source) || !self.has(sink) {
                continue;
            }
            let joined = dependence.relation.clone().intersect(self.together(source, sink)?)?;
            if !joined.subtract(self.same(source, sink)?)?.is_empty()? {
                found.push(dependence.array);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Whether no dependences are known but those by arrays.
    fn knows_all(&self) -> isl::Result<bool> {
        let mut by_array = UnionMap::empty_ctx(&self.scop.ctx)?;
        for dependence in &self.dependences.by_access {
            by_array = by_array.union(UnionMap::from_map(dependence.relation.clone())?)?;
        }
        self.dependences.strict()?.is_subset(&by_array)
    }

    /// The array as one that is copied, if it can be.
    fn copied(&self, array: ArrayId) -> isl::Result<Option<Copied>> {
        let it = self.scop.array(array);
        let bytes = match it.kind {
            ArrayKind::Memory if it.layout == Layout::Even && it.shape.len() == 1 => {
                let cell = i64::from(it.elem_bytes);
                self.cells(array, SOME_BYTES / cell)?.map(|cells| cells * cell)
            }
            ArrayKind::Scratch => scratch_bytes(it),
            _ => None,
        };
        let Some(bytes) = bytes else { return Ok(None) };
        let is_apart = self.reads_its_own(array)? && self.ends_with_the_last(array)?;
        Ok(is_apart.then_some(Copied { array, bytes }))
    }

    /// How many cells there are from the first of the array to the last that is touched, or `some` if that depends on parameters.
    /// `None`: too many, or some are before the first, or perhaps not written.
    fn cells(&self, array: ArrayId, some: i64) -> isl::Result<Option<i64>> {
        let mut most = 0;
        for &stmt in &self.stmts {
            let stmt = &self.scop.stmts[stmt];
            for access in stmt.accesses.iter().filter(|access| access.array == array) {
                let touched = self.scop.cells(stmt, access)?.range()?;
                let end = |val: isl::Val| val.to_string().parse::<i64>().ok();
                let ends = (end(touched.clone().dim_min_val(0)?), end(touched.clone().dim_max_val(0)?));
                match ends {
                    _ if access.kind == AccessKind::MayWrite => return Ok(None),
                    (Some(0..), Some(last @ ..MOST_BYTES)) => most = most.max(last + 1),
                    (Some(0..), _) if touched.involves_dims(DimType::Param, 0, self.scop.params.len())? => {
                        most = most.max(some);
                    }
                    _ => return Ok(None),
                }
            }
        }
        Ok((most > 0).then_some(most))
    }

    /// The first condition.
    fn reads_its_own(&self, array: ArrayId) -> isl::Result<bool> {
        for (source, sink, relation) in self.values_of(array)? {
            let others = match self.has(source) {
                true if self.has(sink) => relation.subtract(self.same(source, sink)?)?,
                false if self.has(sink) => relation,
                _ => continue,
            };
            if !others.is_empty()? {
                return Ok(false);
            }
        }
        Ok(self.of(&self.dependences.live_in, array)?.is_empty())
    }

    /// The second condition.
    fn ends_with_the_last(&self, array: ArrayId) -> isl::Result<bool> {
        let mut left = Vec::new();
        for (stmt, cells) in self.of(&self.dependences.live_out, array)? {
            left.push((stmt, cells.domain()?));
        }
        for (source, sink, relation) in self.values_of(array)? {
            if self.has(source) && !self.has(sink) {
                left.push((source, relation.domain()?));
            }
        }
        for (source, instances) in left {
            for &other in &self.stmts {
                let (first, second) = (self.own.part(source.index(), 0)?, self.own.part(other, 0)?);
                let together = self.together(source, StmtId(other as u32))?;
                let later = first.clone().lex_lt_map(second.clone())?.intersect(together)?;
                if !later.intersect_domain(instances.clone())?.is_empty()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Who reads from an array what whom wrote.
    fn values_of(&self, array: ArrayId) -> isl::Result<Vec<(StmtId, StmtId, Map)>> {
        let mut found = Vec::new();
        for dependence in &self.dependences.by_access {
            if dependence.array == array
                && matches!(dependence.kind, Kind::Flow | Kind::Reduction)
                && let Some((source, sink)) = self.scop.stmts_of(&dependence.relation)?
            {
                found.push((source, sink, dependence.relation.clone()));
            }
        }
        Ok(found)
    }

    /// What statements in the loop have to do with an array, of a relation `{ S[i] -> A[x] }`.
    fn of(&self, relation: &UnionMap, array: ArrayId) -> isl::Result<Vec<(StmtId, Map)>> {
        let name = &self.scop.array(array).name;
        let mut found = Vec::new();
        for map in relation.get_map_list()?.to_vec()? {
            let stmt = self.scop.stmt_named(&map.get_tuple_name(DimType::In)?.unwrap_or_default());
            let is_it = map.get_tuple_name(DimType::Out)?.as_deref() == Some(name);
            if let (Some(stmt), true) = (stmt.filter(|stmt| self.has(*stmt)), is_it)
                && !map.is_empty()?
            {
                found.push((stmt, map));
            }
        }
        Ok(found)
    }
}

/// How many bytes a copy of a scratch array has; `None`: more than one of its sizes is no number, or it is too large.
fn scratch_bytes(array: &Array) -> Option<i64> {
    let (mut bytes, mut unknown) = (i64::from(array.elem_bytes), 0);
    for size in &array.shape {
        match size.as_ref()?.parse::<i64>() {
            Ok(size) => bytes = bytes.checked_mul(size)?,
            Err(_) => unknown += 1,
        }
    }
    match unknown {
        0 => Some(bytes),
        1 => Some(SCRATCH_BYTES / bytes.max(1) * bytes),
        _ => None,
    }
    .filter(|bytes| (1..=SCRATCH_BYTES).contains(bytes))
}
