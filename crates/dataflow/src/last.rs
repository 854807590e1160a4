//! Which accesses come last before an access: isl's flow analysis, for one sink at a time.
//!
//! isl can also analyse a program as a whole, by its schedule tree. It then puts the times in front of all instances,
//! which makes every relation twice as wide, and asks the tree for them at each statement. Here the counters of the loops
//! are the times already (see [`order`](crate::order)), and what isl has to know besides is how many loops two accesses share
//! and which of the two stands first: its older interface takes just that, in less than half the time.
//!
//! # Accesses of one instance
//! An instance reads before it writes, so a must-write also hides what its own instance read. Which of an instance's writes of
//! a cell comes last is not known: all of them are sources. isl would list one.

use isl::{AccessInfo, Map};

use crate::access::Entry;
use crate::order::{Place, level};

/// An access of which the sources are asked for.
pub(crate) struct Sink {
    /// Where its statement stands.
    pub place: Place,
    /// `{ S[i] -> A[x] }`; the statement's counters come first in the domain, whatever stands behind them.
    pub cells: Map,
}

/// What comes before a sink.
pub(crate) struct Sources<'a> {
    /// `{ W[j] -> S[i] }` for each source: W\[j\] touches the cell before S\[i\], and no must-source does so in between.
    pub found: Vec<(&'a Entry, Map)>,
    /// `{ S[i] -> A[x] }` that may have no source.
    pub none: Map,
}

/// The last sources before a sink: `sources` are accesses to the sink's array with their places, and whether they
/// hide what comes before them.
pub(crate) fn last<'a>(
    sink: Sink,
    sources: impl Iterator<Item = (&'a Entry, Place, bool)>,
) -> isl::Result<Sources<'a>> {
    let sources: Vec<_> = sources.filter(|(_, place, _)| level(place, &sink.place) > 0).collect();
    if sources.is_empty() {
        return Ok(Sources { found: Vec::new(), none: sink.cells });
    }
    let places: Vec<Place> =
        sources.iter().map(|(_, place, _)| place.clone()).chain([sink.place.clone()]).collect();
    let cells = sink.cells.clone();
    let before = move |first: usize, second: usize| Ok(level(&places[first], &places[second]));
    let mut info = AccessInfo::new(sink.cells, sources.len(), before);
    for (tag, (entry, _, is_must)) in sources.iter().enumerate() {
        info = info.add_source(entry.relation.clone(), *is_must, tag)?;
    }
    let flow = info.compute_flow()?;
    let mut relations: Vec<Option<Map>> = sources.iter().map(|_| None).collect();
    flow.foreach(|relation, _, tag| {
        // isl tells of what certainly and of what possibly comes last one by one.
        relations[tag] = Some(match relations[tag].take() {
            Some(known) => known.union(relation)?,
            None => relation,
        });
        Ok(())
    })?;
    let mut found = Vec::new();
    for (relation, (entry, ..)) in relations.into_iter().zip(&sources) {
        if let Some(relation) = relation.filter(|relation| !relation.plain_is_empty().unwrap_or(false)) {
            found.push((*entry, relation));
        }
    }
    with_equals(&mut found, &sources, &cells)?;
    Ok(Sources { found, none: flow.no_source(true)?.union(flow.no_source(false)?)? })
}

/// Adds the writes of instances that write the cell more than once.
fn with_equals<'a>(
    found: &mut Vec<(&'a Entry, Map)>,
    sources: &[(&'a Entry, Place, bool)],
    cells: &Map,
) -> isl::Result<()> {
    let listed = found.clone();
    for (last, relation) in listed.into_iter().filter(|(last, _)| !last.reads()) {
        let equals = sources
            .iter()
            .map(|(other, ..)| *other)
            .filter(|other| other.stmt == last.stmt && other.id != last.id && !other.reads());
        for other in equals {
            let touching = other.relation.clone().apply_range(cells.clone().reverse()?)?;
            let more = relation.clone().intersect(touching)?;
            match found.iter_mut().find(|(entry, _)| entry.id == other.id) {
                Some((_, known)) => *known = known.clone().union(more)?,
                None if more.is_empty()? => {}
                None => found.push((other, more)),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{AccessId, Scop};

    use crate::content::Contents;

    /// Both writes of an instance are sources, whether they must happen or may.
    #[test]
    fn writes_of_one_instance_are_all_last() {
        for kind in ["write", "maywrite"] {
            let text = format!(
                "scop two\nparam n [1, *]\narray A [n] 8\narray B [n] 8\n\
                 stmt W {{ W[i] : 0 <= i < n }}\n  write {{ W[i] -> A[i] }}\n  {kind} {{ W[i] -> A[i] }}\n\
                 stmt R {{ R[i] : 0 <= i < n }}\n  read {{ R[i] -> A[i] }}\n  write {{ R[i] -> B[i] }}\n\
                 order {{ for {{ W R }} }}\n"
            );
            let ctx = isl::Ctx::new();
            let scop = Scop::parse(&ctx, &text).unwrap();
            let sources = Contents::new(&scop).unwrap().sources(AccessId(2)).to_vec();
            let mut ids: Vec<_> = sources.iter().map(|(id, _)| id.0).collect();
            ids.sort_unstable();
            assert_eq!(ids, [0, 1], "{kind}");
            let each = ctx.parse("[n] -> { R[i] -> W[i] : 0 <= i < n }").unwrap();
            assert!(sources.iter().all(|(_, relation)| *relation == each), "{kind}: {sources:?}");
        }
    }
}
