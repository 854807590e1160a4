//! Loops split at the one iteration through which all dependences between the others go.
//!
//! With `k` fixed, `path[i][j] = min(path[i][j], path[i][k] + path[k][j])` joins rows only through row `k`: those before it
//! read what it was, those behind it what it has become. The loop over `i` becomes three, in the same order, of which the
//! first and the last are parallel. Nothing changes places, so what was proved of the whole loop holds for its parts:
//! ```text
//! for (i = 0; i < k; ...)    i = k    for (i = k + 1; i < n; ...)
//! ```
//! Where to split is guessed: at the value of a loop around. Whether the parts are parallel, the checker says. Loops over tiles are
//! split as well: in `lu` with the tile `k` of pivots fixed, the tiles of rows behind it depend on it only.
//!
//! An outer loop is split for threads ([`crate::threads`]), an innermost one for vectors: with `i` fixed as well, `path[i][k]`
//! changes where `j` is `k` only, so that both sides of that iteration have no dependence left.

use crate::times::Values;
use crate::tree::within;
use isl::{ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet, UnionSetList};
use model::Scop;

/// The parts of a loop that is split at an iteration, by their distance from it.
const KINDS: [&str; 3] = ["x < 0", "x = 0", "x > 0"];
/// Those before and behind it.
const SIDES: [usize; 2] = [0, 2];

/// A loop that is split at one iteration.
pub struct Split {
    /// The sequence of its parts, with the band below each filter.
    pub node: ScheduleNode,
    /// Which child is that iteration.
    pub pivot: usize,
    /// Which are the iterations before and behind it, of which there may be none on one side.
    pub sides: Vec<usize>,
}

/// The ways to split a band's first loop.
pub fn splits(scop: &Scop, band: &ScheduleNode) -> isl::Result<Vec<Split>> {
    let mut found = Vec::new();
    for outer in 0..band.get_schedule_depth()? {
        let [before, at, behind] = parts(scop, band, outer)?;
        let [is_first, is_last] = [before.is_empty()?, behind.is_empty()?];
        if at.is_empty()? || is_first && is_last {
            continue;
        }
        let pivot = usize::from(!is_first);
        let all = [(is_first, before), (false, at), (is_last, behind)];
        let filters: Vec<UnionSet> =
            all.into_iter().filter(|(is_empty, _)| !is_empty).map(|(_, part)| part).collect();
        if !is_partition(&filters, band)? {
            continue;
        }
        let sides = (0..filters.len()).filter(|at| *at != pivot).collect();
        found.push(Split { node: sequence(scop, band, filters)?, pivot, sides });
    }
    Ok(found)
}

/// The loop around a band of one loop at whose value that can be split so that none of these dependences is left on either side;
/// by its position. They are those between instances that agree on everything outside.
pub fn parallel_split(
    scop: &Scop,
    inside: &UnionMap,
    band: &ScheduleNode,
    row: &Values,
) -> isl::Result<Option<usize>> {
    for outer in 0..band.get_schedule_depth()? {
        // Most loops cannot be split anywhere, which one side tells.
        let is_parallel = |side: usize| -> isl::Result<bool> {
            let part = part(scop, band, &distance(band, outer)?, KINDS[side])?;
            row.are_equal(&within(inside, part)?)
        };
        if is_parallel(SIDES[0])? && is_parallel(SIDES[1])? && three_parts(scop, band, outer)?.is_some() {
            return Ok(Some(outer));
        }
    }
    Ok(None)
}

/// The band split at the value of a loop around, as a sequence; `None` if a part would be empty.
pub fn split(scop: &Scop, band: &ScheduleNode, outer: usize) -> isl::Result<Option<ScheduleNode>> {
    let parts = three_parts(scop, band, outer)?;
    parts.map(|parts| sequence(scop, band, parts.into())).transpose()
}

/// Whether each instance below a band is in one of these sets, and in one only. Then the parts of the split loop in sequence are the loop:
/// they go on where the one before ends.
fn is_partition(parts: &[UnionSet], band: &ScheduleNode) -> isl::Result<bool> {
    let mut all = UnionSet::empty_ctx(band.ctx())?;
    for part in parts {
        if !all.is_disjoint(part)? {
            return Ok(false);
        }
        all = all.union(part.clone())?;
    }
    all.is_equal(&band.get_domain()?)
}

/// The sequence of these parts above a node.
pub fn sequence(scop: &Scop, band: &ScheduleNode, parts: Vec<UnionSet>) -> isl::Result<ScheduleNode> {
    let mut filters = UnionSetList::alloc(&scop.ctx, parts.len())?;
    for part in parts {
        filters = filters.add(part)?;
    }
    band.clone().insert_sequence(filters)
}

/// The instances below a band before, at and behind the value of a loop around; `None` if there are none of one kind.
fn three_parts(scop: &Scop, band: &ScheduleNode, outer: usize) -> isl::Result<Option<[UnionSet; 3]>> {
    let all = parts(scop, band, outer)?;
    for part in &all {
        if part.is_empty()? {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// The instances below a band before, at and behind the value of a loop around.
fn parts(scop: &Scop, band: &ScheduleNode, outer: usize) -> isl::Result<[UnionSet; 3]> {
    let distance = distance(band, outer)?;
    let [before, at, behind] = KINDS.map(|kind| part(scop, band, &distance, kind));
    Ok([before?, at?, behind?])
}

/// How far a band's first loop is behind the value of a loop around.
fn distance(band: &ScheduleNode, outer: usize) -> isl::Result<UnionPwAff> {
    let row = band.band_get_partial_schedule()?.get_at(0)?;
    row.sub(band.get_prefix_schedule_multi_union_pw_aff()?.get_at(outer)?)
}

/// The instances below a band whose distance is as wanted.
fn part(scop: &Scop, band: &ScheduleNode, distance: &UnionPwAff, wanted: &str) -> isl::Result<UnionSet> {
    let values = UnionSet::from_set(Set::read_from_str(&scop.ctx, &format!("{{ [x] : {wanted} }}"))?)?;
    let all = UnionMap::from_union_pw_aff(distance.clone())?.intersect_domain(band.get_domain()?)?;
    all.intersect_range(values)?.domain()
}
