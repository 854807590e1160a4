//! Value-based flow, and anti and output dependences that stop at the next must-write, by isl's flow analysis.

use isl::{Schedule, UnionAccessInfo, UnionMap};
use model::Scop;

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

/// The anti and output dependences by access pairs: what reads or writes a cell from the last must-write before another write
/// on, that one included.
pub(crate) fn anti_and_output(scop: &Scop, table: &Table) -> isl::Result<Vec<AccessDependence>> {
    let found = UnionAccessInfo::from_sink(table.tagged(|entry| !entry.reads())?)?
        .set_must_source(table.tagged(Entry::kills)?)?
        .set_may_source(table.tagged(|entry| !entry.kills())?)?
        .set_schedule(table.tagged_schedule(scop)?)?
        .compute_flow()?;
    named(table, &found.get_may_dependence()?)
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
