//! Memory-based dependences: every conflicting pair of instances in the program's order.
//!
//! Nothing is projected, minimized or subtracted but the cells that two accesses have in common, so this stays cheap
//! where the value-based analysis does not, and shares no code with it: tests compare the two.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use isl::{Map, UnionMap};
use model::{Scop, StmtId};

use crate::access::{self, Table};
use crate::order::{Places, level};
use crate::{AccessDependence, Basis, Dependences, Error, Inexact, Kind, Parts, before, tidy_union};

/// All conflicting pairs, those of reductions apart. Every read counts as live-in.
pub fn memory_based(scop: &Scop) -> Result<Dependences, Error> {
    let compute = || {
        let table = Table::new(scop, true)?;
        let parts = Parts {
            pairs: pairs(scop, &table, &[Kind::Flow, Kind::Anti, Kind::Output])?,
            live_in: table.relations(|entry| entry.reads())?,
            live_out: table.relations(|entry| !entry.reads())?,
            flow_basis: Basis::Memory,
            memory_basis: Basis::Memory,
            reasons: vec![Inexact::MemoryBased],
        };
        parts.finish(scop, &table)
    };
    compute().map_err(Error::of(scop))
}

/// The conflicting pairs that would be of these kinds if there were no reductions.
pub(crate) fn pairs(scop: &Scop, table: &Table, kinds: &[Kind]) -> isl::Result<Vec<AccessDependence>> {
    let mut pairs = Vec::new();
    let mut orders: HashMap<(StmtId, StmtId), Map> = HashMap::new();
    for source in &table.entries {
        for sink in &table.entries {
            let Some(kind) = source.kind_to(sink) else { continue };
            if !kinds.contains(&source.plain_kind_to(sink)) {
                continue;
            }
            let order = match orders.entry((source.stmt, sink.stmt)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(before(scop, source.stmt, sink.stmt)?),
            };
            let relation = source
                .relation
                .clone()
                .apply_range(sink.relation.clone().reverse()?)?
                .intersect(order.clone())?;
            if !relation.is_empty()? {
                let (array, source, sink) = (sink.array, source.id, sink.id);
                pairs.push(AccessDependence { kind, source, sink, array, relation });
            }
        }
    }
    Ok(pairs)
}

/// `{ S[i] -> A[x] }`: the writes after which no must-write of the cell comes; an update does not hide the
/// updates before it.
pub(crate) fn live_out(scop: &Scop, table: &Table) -> isl::Result<UnionMap> {
    let mut all = UnionMap::empty_ctx(&scop.ctx)?;
    for write in table.entries.iter().filter(|entry| !entry.reads()) {
        all = all.union(UnionMap::from_map(last_instances(scop, table, write)?)?)?;
    }
    tidy_union(all)
}

/// Of one write.
pub(crate) fn last_instances(scop: &Scop, table: &Table, write: &access::Entry) -> isl::Result<Map> {
    let places = Places::of(scop);
    let mut last = write.relation.clone();
    for kill in table.entries.iter().filter(|entry| entry.kills() && entry.array == write.array) {
        // What never runs after the write hides nothing of it.
        if level(&places.at(write.stmt), &places.at(kill.stmt)) == 0 {
            continue;
        }
        let hidden = before(scop, write.stmt, kill.stmt)?.apply_range(kill.relation.clone())?;
        last = last.subtract(hidden)?;
        if last.plain_is_empty()? {
            break;
        }
    }
    Ok(last)
}
