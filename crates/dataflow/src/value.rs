//! Value-based flow, and anti and output dependences that stop at the next must-write.

use isl::UnionMap;
use model::Scop;

use crate::AccessDependence;
use crate::access::{Entry, Table};
use crate::last::{Sink, last};
use crate::order::Places;

/// The flow dependences by access pairs, with updates of one reduction as [`Kind::Reduction`](crate::Kind), and the
/// reads `{ S[i] -> A[x] }` that may see the cell's value from before the nest.
pub(crate) fn flow(scop: &Scop, table: &Table) -> isl::Result<(Vec<AccessDependence>, UnionMap)> {
    conflicts(scop, table, Entry::reads, |source| !source.reads())
}

/// The anti and output dependences by access pairs: what reads or writes a cell from the last must-write before another write
/// on, that one included.
pub(crate) fn anti_and_output(scop: &Scop, table: &Table) -> isl::Result<Vec<AccessDependence>> {
    Ok(conflicts(scop, table, |sink| !sink.reads(), |_| true)?.0)
}

/// The accesses that come last before others, must-writes hiding those before them; and `{ S[i] -> A[x] }` before
/// which none may come.
fn conflicts(
    scop: &Scop,
    table: &Table,
    is_sink: impl Fn(&Entry) -> bool,
    is_source: impl Fn(&Entry) -> bool,
) -> isl::Result<(Vec<AccessDependence>, UnionMap)> {
    let places = Places::of(scop);
    let (mut pairs, mut none) = (Vec::new(), UnionMap::empty_ctx(&scop.ctx)?);
    for sink in table.entries.iter().filter(|entry| is_sink(entry)) {
        let sources = table.entries.iter().filter(|entry| entry.array == sink.array && is_source(entry));
        let sources = sources.map(|entry| (entry, places.at(entry.stmt), entry.kills()));
        let cells = sink.relation.clone();
        let before = last(Sink { place: places.at(sink.stmt), cells }, sources)?;
        none = none.union(UnionMap::from_map(before.none)?)?;
        for (source, relation) in before.found {
            if let Some(kind) = source.kind_to(sink) {
                let (source, sink, array) = (source.id, sink.id, sink.array);
                let relation = relation.coalesce()?;
                pairs.push(AccessDependence { kind, source, sink, array, relation });
            }
        }
    }
    Ok((pairs, none))
}
