//! Loops split at the one iteration through which all dependences between the others go.
//!
//! With `k` fixed, `path[i][j] = min(path[i][j], path[i][k] + path[k][j])` joins rows only through row `k`: those before it
//! read what it was, those behind it what it has become. The loop over `i` becomes three, in the same order, of which the
//! first and the last are parallel:
//! ```text
//! for (i = 0; i < k; ...)    i = k    for (i = k + 1; i < n; ...)
//! ```
//! Where to split is guessed: at the value of a loop around. Whether the parts are parallel, the checker says.

use isl::{ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet, UnionSetList};
use model::Scop;

/// The children before and behind the iteration at which a loop is split.
pub const SIDES: [usize; 2] = [0, 2];

/// The ways to split a band's first loop; each is at the sequence of three parts, with the band below each filter.
pub fn splits(scop: &Scop, band: &ScheduleNode) -> isl::Result<Vec<ScheduleNode>> {
    let row = band.band_get_partial_schedule()?.get_at(0)?;
    let depth = band.get_schedule_depth()?;
    let mut found = Vec::new();
    if depth == 0 {
        return Ok(found);
    }
    let outside = band.get_prefix_schedule_multi_union_pw_aff()?;
    for outer in 0..depth {
        let distance = row.clone().sub(outside.get_at(outer)?)?;
        let mut filters = UnionSetList::alloc(&scop.ctx, 3)?;
        let mut is_split = true;
        for side in ["x < 0", "x = 0", "x > 0"] {
            let part = part(scop, band, &distance, side)?;
            is_split &= !part.is_empty()?;
            filters = filters.add(part)?;
        }
        if is_split {
            found.push(band.clone().insert_sequence(filters)?);
        }
    }
    Ok(found)
}

/// The instances below a band whose distance is as wanted.
fn part(scop: &Scop, band: &ScheduleNode, distance: &UnionPwAff, wanted: &str) -> isl::Result<UnionSet> {
    let values = UnionSet::from_set(Set::read_from_str(&scop.ctx, &format!("{{ [x] : {wanted} }}"))?)?;
    let all = UnionMap::from_union_pw_aff(distance.clone())?.intersect_domain(band.get_domain()?)?;
    all.intersect_range(values)?.domain()
}
