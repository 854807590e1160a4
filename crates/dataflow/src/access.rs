//! The accesses of a scop with what the analyses ask about them.

use std::collections::{HashMap, HashSet};

use isl::{Ctx, Map, UnionMap};
use model::{AccessId, AccessKind, ArrayId, ReductionOp, Scop, Stmt, StmtId};

use crate::{AccessDependence, Inexact, Kind};

/// One access.
pub(crate) struct Entry {
    pub id: AccessId,
    pub stmt: StmtId,
    pub array: ArrayId,
    pub kind: AccessKind,
    /// The operation, if the access belongs to a reduction.
    pub update: Option<ReductionOp>,
    /// `{ S[i] -> A[x] }`, restricted to the domain and the context.
    pub relation: Map,
}

impl Entry {
    pub fn reads(&self) -> bool {
        self.kind == AccessKind::Read
    }

    /// Whether the access hides what was written before: a must-write that is no update.
    pub fn kills(&self) -> bool {
        self.kind == AccessKind::MustWrite && self.update.is_none()
    }

    /// The kind of dependence from this access to a later one; `None` for two reads.
    pub fn kind_to(&self, sink: &Entry) -> Option<Kind> {
        if self.array != sink.array || (self.reads() && sink.reads()) {
            None
        } else if self.update.is_some() && self.update == sink.update {
            Some(Kind::Reduction)
        } else {
            Some(self.plain_kind_to(sink))
        }
    }

    /// The kind as if there were no reductions.
    pub fn plain_kind_to(&self, sink: &Entry) -> Kind {
        match (self.reads(), sink.reads()) {
            (false, true) => Kind::Flow,
            (true, _) => Kind::Anti,
            (false, false) => Kind::Output,
        }
    }
}

/// All accesses of a scop.
pub(crate) struct Table {
    ctx: Ctx,
    pub entries: Vec<Entry>,
}

impl Table {
    /// How many pairs of accesses there are to one array of which at least one writes.
    pub fn conflicts(&self) -> usize {
        let mut counts: HashMap<ArrayId, (usize, usize)> = HashMap::new();
        for entry in &self.entries {
            let (writes, all) = counts.entry(entry.array).or_default();
            *writes += usize::from(!entry.reads());
            *all += 1;
        }
        counts.values().map(|(writes, all)| writes * all).sum()
    }

    /// The accesses; `reductions` says whether updates are told from other accesses.
    pub fn new(scop: &Scop, reductions: bool) -> isl::Result<Table> {
        Table::with(scop, reductions, |_| true)
    }

    /// The accesses of some arrays; updates are reads and writes like others.
    pub fn of(scop: &Scop, arrays: &[ArrayId]) -> isl::Result<Table> {
        Table::with(scop, false, |array| arrays.contains(&array))
    }

    fn with(scop: &Scop, reductions: bool, wanted: impl Fn(ArrayId) -> bool) -> isl::Result<Table> {
        let mut entries = Vec::new();
        for stmt_id in scop.stmt_ids() {
            let stmt = scop.stmt(stmt_id);
            if !stmt.accesses.iter().any(|access| wanted(access.array)) {
                continue;
            }
            let first = entries.len();
            for access in stmt.accesses.iter().filter(|access| wanted(access.array)) {
                entries.push(Entry {
                    id: access.id,
                    stmt: stmt_id,
                    array: access.array,
                    kind: access.kind,
                    update: None,
                    relation: scop.cells(stmt, access)?,
                });
            }
            if reductions {
                mark_updates(stmt, &mut entries[first..])?;
            }
        }
        Ok(Table { ctx: scop.ctx.clone(), entries })
    }

    /// `{ S[i] -> A[x] }` of all accesses that `wanted` picks.
    pub fn relations(&self, wanted: impl Fn(&Entry) -> bool) -> isl::Result<UnionMap> {
        let relations = self.entries.iter().filter(|entry| wanted(entry)).map(|entry| entry.relation.clone());
        self.union(relations)
    }

    fn union(&self, maps: impl IntoIterator<Item = Map>) -> isl::Result<UnionMap> {
        maps.into_iter()
            .try_fold(UnionMap::empty_ctx(&self.ctx)?, |all, map| all.union(UnionMap::from_map(map)?))
    }

    /// Which accesses make these dependences inexact.
    pub fn inexact(&self, scop: &Scop, pairs: &[AccessDependence]) -> isl::Result<Vec<Inexact>> {
        let used: HashSet<AccessId> = pairs.iter().flat_map(|pair| [pair.source, pair.sink]).collect();
        let mut reasons = Vec::new();
        for entry in self.entries.iter().filter(|entry| used.contains(&entry.id)) {
            let access = entry.id;
            let stmt = scop.stmt(entry.stmt).name.clone();
            let array = scop.array(entry.array).name.clone();
            match entry.kind {
                AccessKind::MayWrite => reasons.push(Inexact::MayWrite { access, stmt, array }),
                AccessKind::Read if !entry.relation.is_single_valued()? => {
                    reasons.push(Inexact::ManyCells { access, stmt, array });
                }
                _ => {}
            }
        }
        Ok(reasons)
    }
}

/// Marks the accesses of the statement's reductions.
///
/// A reduction whose cells another access of the same instance touches breaks what [`model::Reduction`] promises and
/// is left as a read and a must-write: always right, only less free.
fn mark_updates(stmt: &Stmt, entries: &mut [Entry]) -> isl::Result<()> {
    for reduction in &stmt.reductions {
        let own = |entry: &Entry| entry.id == reduction.read || entry.id == reduction.write;
        let mut alone = true;
        if let Some(write) = entries.iter().find(|entry| entry.id == reduction.write) {
            for other in entries.iter().filter(|other| !own(other) && other.array == write.array) {
                alone &= write.relation.is_disjoint(&other.relation)?;
            }
        }
        if alone {
            entries.iter_mut().filter(|entry| own(entry)).for_each(|entry| entry.update = Some(reduction.op));
        }
    }
    Ok(())
}
