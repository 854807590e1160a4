//! Value-based flow, and anti and output dependences that stop at the next must-write, by isl's flow analysis.

use isl::{Schedule, UnionAccessInfo, UnionMap};
use model::{AccessKind, Scop};

use crate::AccessDependence;
use crate::access::{Entry, Table};

/// The flow dependences by access pairs, with updates of one reduction as [`Kind::Reduction`](crate::Kind), and the
/// reads `{ S[i] -> A[x] }` that may see the cell's value from before the nest.
pub(crate) fn flow(scop: &Scop, table: &Table) -> isl::Result<(Vec<AccessDependence>, UnionMap)> {
    flow_in(scop.schedule()?, table)
}

/// The flow in the order of that schedule.
pub(crate) fn flow_in(schedule: Schedule, table: &Table) -> isl::Result<(Vec<AccessDependence>, UnionMap)> {
    let flow = UnionAccessInfo::from_sink(table.tagged(Entry::reads)?)?
        .set_must_source(table.tagged(Entry::kills)?)?
        .set_may_source(table.tagged(|entry| !entry.reads() && !entry.kills())?)?
        .set_schedule(table.tag_schedule(schedule)?)?
        .compute_flow()?;
    let live_in = flow.get_may_no_source()?.domain_factor_domain()?;
    Ok((named(table, &flow.get_may_dependence()?)?, live_in))
}

/// The anti and output dependences by access pairs.
pub(crate) fn anti_and_output(scop: &Scop, table: &Table) -> isl::Result<Vec<AccessDependence>> {
    let writes = table.tagged(|entry| !entry.reads())?;
    let kills = table.tagged(Entry::kills)?;
    let schedule = table.tagged_schedule(scop)?;
    let output = UnionAccessInfo::from_sink(writes.clone())?
        .set_must_source(kills.clone())?
        .set_may_source(table.tagged(|entry| entry.kind != AccessKind::Read && !entry.kills())?)?
        .set_schedule(schedule.clone())?
        .compute_flow()?;
    let anti = UnionAccessInfo::from_sink(writes)?
        .set_may_source(table.tagged(Entry::reads)?)?
        .set_kill(kills)?
        .set_schedule(schedule)?
        .compute_flow()?;
    let mut pairs = named(table, &output.get_may_dependence()?)?;
    pairs.extend(named(table, &anti.get_may_dependence()?)?);
    Ok(pairs)
}

/// Tagged dependences as a list.
fn named(table: &Table, tagged: &UnionMap) -> isl::Result<Vec<AccessDependence>> {
    let mut pairs = Vec::new();
    for (source, sink, relation) in table.untag(tagged)? {
        if let Some(kind) = source.kind_to(sink) {
            let relation = relation.coalesce()?;
            pairs.push(AccessDependence {
                kind,
                source: source.id,
                sink: sink.id,
                array: sink.array,
                relation,
            });
        }
    }
    Ok(pairs)
}
