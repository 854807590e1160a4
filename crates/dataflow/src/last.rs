//! Which accesses come last before an access, for one sink at a time.
//!
//! The counters of the loops are the times (see [`order`](crate::order)). Of a sink S\[i\] and a source W\[j\] that share `n`
//! loops the first counters in which they differ say which comes first, and where all `n` agree, the text does. So the
//! sources that touch the sink's cell before it fall into *steps*, the one that differs in the innermost counter last:
//!
//! - equal in the first `k` counters, less in the next one, for `k < n`;
//! - equal in all `n`, and first in the text. Those that stand later in the text come later.
//!
//! All of a later step come after all of an earlier one. The steps are gone through from the last one on, with the sinks *to
//! do*, for which no must-source was found yet. In each step a must-source's last instance is a maximum, by isl's parametric
//! integer programming, and of the maxima of several must-sources in one step the latest counts. May-sources of a step are
//! sources of the sinks that are still to do after it, and of those for which the step's must-source comes before them.
//!
//! Most steps of most sources are empty, which is seen first, and what is left mostly is one instance for each sink already. isl's own flow
//! analysis does the same with the cell as one more part of each relation, for steps that are empty as for others, and takes more than twice
//! as long.
//!
//! # Sinks with several cells
//! Each cell of an instance has its own last source. Then `[S[i] -> A[x]]` are the sinks.
//!
//! # Accesses of one instance
//! An instance reads before it writes, so a must-write also hides what its own instance read. Which of an instance's writes of
//! a cell comes last is not known: all of them are sources.

use std::cmp::Reverse;

use isl::{DimType, Map, Set};

use crate::access::Entry;
use crate::order::{Place, before_from, level, shared_part};

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

/// An access that may be a source, its place, and whether it hides what comes before it.
type Source<'a> = (&'a Entry, Place, bool);

/// The last sources before a sink: `sources` are accesses to the sink's array with their places, and whether they
/// hide what comes before them.
pub(crate) fn last<'a>(sink: Sink, sources: impl Iterator<Item = Source<'a>>) -> isl::Result<Sources<'a>> {
    let sources: Vec<_> = sources.filter(|(_, place, _)| level(place, &sink.place) > 0).collect();
    let is_one = sink.cells.is_single_valued()?;
    // { [S[i] -> A[x]] -> A[x] } if it takes that to tell the cells apart.
    let cells = if is_one { sink.cells.clone() } else { sink.cells.clone().range_map()? };
    let mut steps = Vec::new();
    for (index, (entry, place, is_must)) in sources.iter().enumerate() {
        let touching = cells.clone().apply_range(entry.relation.clone().reverse()?)?;
        steps.extend(steps_of((index, *is_must), touching, (place, &sink.place))?);
    }
    steps.sort_by_key(|step| Reverse(step.at));
    let mut search =
        Search { sources: &sources, to_do: cells.clone().domain()?, found: vec![None; sources.len()] };
    for together in steps.chunk_by(|first, second| first.at == second.at) {
        if search.to_do.is_empty()? {
            break;
        }
        search.step(together)?;
    }
    let none = cells.intersect_domain(search.to_do)?;
    let mut found = Vec::new();
    for (relation, (entry, ..)) in search.found.into_iter().zip(&sources) {
        let Some(relation) = relation else { continue };
        let relation = relation.reverse()?;
        found.push((*entry, if is_one { relation } else { relation.range_factor_domain()? }));
    }
    with_equals(&mut found, &sources, &sink.cells)?;
    Ok(Sources { found, none: if is_one { none } else { none.domain()?.unwrap()? } })
}

/// What a source touches in one step.
struct Step {
    /// How many counters agree with the sink's, whether the next one decides, and if not, but the text, where the source stands:
    /// the latest step has the greatest of these.
    at: (usize, bool, usize),
    /// Which source.
    source: usize,
    /// `{ S[i] -> W[j] }`.
    touching: Map,
}

/// The steps in which a source touches something before the sink. For must-sources that is found out when the last ones are
/// looked for.
fn steps_of(
    (source, is_must): (usize, bool),
    touching: Map,
    (place, sink): (&Place, &Place),
) -> isl::Result<Vec<Step>> {
    let loops = shared_part(place, sink);
    let is_none = |touching: &Map| if is_must { touching.plain_is_empty() } else { touching.is_empty() };
    let (mut steps, mut equal) = (Vec::new(), touching);
    for counter in 0..loops {
        if equal.plain_is_empty()? {
            return Ok(steps);
        }
        let touching = equal.clone().order_gt(DimType::In, counter, DimType::Out, counter)?;
        if !is_none(&touching)? {
            steps.push(Step { at: (counter, true, 0), source, touching });
        }
        equal = equal.equate(DimType::In, counter, DimType::Out, counter)?;
    }
    if place.get(loops) < sink.get(loops) && !is_none(&equal)? {
        steps.push(Step { at: (loops, false, place[loops]), source, touching: equal });
    }
    Ok(steps)
}

/// `{ S[i] -> W[j] }`: the greatest of those that each sink touches, and the sinks to do that touch none.
fn maximum(touching: Map, to_do: Set) -> isl::Result<(Map, Set)> {
    if !touching.plain_is_single_valued()? {
        return touching.partial_lexmax(to_do);
    }
    let only = touching.intersect_domain(to_do.clone())?;
    let none = to_do.subtract(only.clone().domain()?)?;
    Ok((only, none))
}

/// The way from the last step to the first.
struct Search<'a, 'e> {
    sources: &'a [Source<'e>],
    /// The sinks for which no must-source was found yet.
    to_do: Set,
    /// `{ S[i] -> W[j] }` for each source.
    found: Vec<Option<Map>>,
}

impl Search<'_, '_> {
    /// The sources of one step.
    fn step(&mut self, together: &[Step]) -> isl::Result<()> {
        let (must, may): (Vec<_>, Vec<_>) = together.iter().partition(|step| self.sources[step.source].2);
        let (mut maxima, mut left) = (Vec::new(), self.to_do.clone());
        for step in must {
            let (maximum, none) = maximum(step.touching.clone(), self.to_do.clone())?;
            left = if maxima.is_empty() { none } else { left.intersect(none)? };
            maxima.push((step.source, maximum));
        }
        let agreed = together.first().map_or(0, |step| step.at.0);
        self.keep_latest(agreed, &mut maxima)?;
        for step in may {
            self.add(step.source, step.touching.clone().intersect_domain(left.clone())?)?;
            for maximum in &maxima {
                let later = self.later(agreed, maximum, (step.source, &step.touching))?;
                self.add(step.source, later)?;
            }
        }
        for (source, maximum) in maxima {
            self.add(source, maximum)?;
        }
        self.to_do = left;
        Ok(())
    }

    /// Of the maxima of several sources leaves the latest for each sink.
    fn keep_latest(&self, agreed: usize, maxima: &mut [(usize, Map)]) -> isl::Result<()> {
        for first in 0..maxima.len() {
            for second in first + 1..maxima.len() {
                for (hidden, by) in [(first, second), (second, first)] {
                    let (other, pairs) = &maxima[by];
                    let later = self.later(agreed, &maxima[hidden], (*other, pairs))?;
                    if !later.plain_is_empty()? {
                        maxima[hidden].1 = maxima[hidden].1.clone().subtract_domain(later.domain()?)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Of `{ S[i] -> V[k] }` what comes after the maximum `{ S[i] -> W[j] }` of its sink, both of one step.
    fn later(
        &self,
        agreed: usize,
        (source, maximum): &(usize, Map),
        (other, pairs): (usize, &Map),
    ) -> isl::Result<Map> {
        let space = maximum.get_space()?.range()?.map_from_domain_and_range(pairs.get_space()?.range()?)?;
        let after = before_from(agreed, space, &self.sources[*source].1, &self.sources[other].1)?;
        maximum.clone().apply_range(after)?.intersect(pairs.clone())
    }

    fn add(&mut self, source: usize, more: Map) -> isl::Result<()> {
        if !more.plain_is_empty()? {
            let known = self.found[source].take();
            self.found[source] = Some(match known {
                Some(known) => known.union(more)?,
                None => more,
            });
        }
        Ok(())
    }
}

/// Adds the writes of instances that write the cell more than once.
fn with_equals<'a>(
    found: &mut Vec<(&'a Entry, Map)>,
    sources: &[Source<'a>],
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
