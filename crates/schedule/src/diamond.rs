//! Tiles that all start at once.
//!
//! In a permutable band with the rows `t` and `u`, say `2t + i`, no dependence goes backwards in `u`. Tiles of `t` and `u` are
//! parallelograms: each waits for the one before it, so threads start one after the other. A stencil has a second such row.
//! What a cell depends on lies in a cone, and `u` is one side of it; the other is
//! ```text
//! p = slope * t + shift(S) - u
//! ```
//! with the least slope for which no dependence goes backwards in `p` either. Tiles of `p` and `u`, both of one size, are
//! *diamonds* (V. Bandishti et al., "Tiling stencil computations to maximize parallelism", 2012). The tiles on a diagonal are those with about
//! the same `p + u`, which is `slope * t + shift(S)`: the diagonals are steps in time, on each of which the tiles lie side by side from one
//! end to the other.
//!
//! # How the row is found
//! A dependence from `S` to `R` that goes `dt` forward in `t` and `du` in `u` wants `slope * dt + shift(R) - shift(S) >= du`. For a given slope
//! these are bounds of differences of shifts: there are such shifts if no way around a cycle of statements is longer than 0, and they are
//! the longest ways. So slopes are tried from 1 on. If dependences within one step in time go around a cycle (Gauss-Seidel), there is none.
//!
//! # Example
//! `B[i] = f(A[i - 1], A[i], A[i + 1])`, then `A` from `B` likewise: `u` is `2t + i` and `2t + i + 1`. The slope is 4, the shifts are 0 and 2, `p` is
//! `2t - i` and `2t - i + 1`.
//!
//! What is found here is a guess: that the order is legal is for [`crate::legality`] to prove.

use crate::tree::{band_of, within};
use isl::{Aff, DimType, LocalSpace, Map, Set, Space, UnionMap, UnionPwAff, UnionSet, Val};
use model::Scop;

/// The steepest cone that is looked for.
const STEEPEST: i64 = 16;

/// The sides of a cone.
pub struct Cone {
    /// Which row is one side.
    pub across: usize,
    /// The other: `slope * t + shift(S) - u`.
    pub side: UnionPwAff,
    /// By how much that grows in a step in time.
    pub slope: i64,
}

/// The cone of these dependences, if they have one whose one side is one of these rows, of which the first counts steps in time.
pub fn cone(scop: &Scop, dependences: &UnionMap, rows: &[Option<UnionPwAff>]) -> isl::Result<Option<Cone>> {
    let [Some(steps), others @ ..] = rows else { return Ok(None) };
    for (at, across) in others.iter().enumerate() {
        let Some(across) = across else { continue };
        let distances = Distances::of(scop, dependences, steps, across)?;
        if let Some((slope, shifts)) = distances.least_slope()? {
            let steep = steps.clone().scale_val(Val::int_from_si(&scop.ctx, slope)?)?;
            let side = steep.add(constants(scop, &shifts)?)?.sub(across.clone())?;
            return Ok(Some(Cone { across: at + 1, side, slope }));
        }
    }
    Ok(None)
}

/// How far dependences go in two rows.
struct Distances {
    /// For two statements, by number, the set of all `(dt, du)`.
    all: Vec<(usize, usize, Set)>,
    /// How many statements there are.
    stmts: usize,
}

impl Distances {
    fn of(
        scop: &Scop,
        dependences: &UnionMap,
        steps: &UnionPwAff,
        across: &UnionPwAff,
    ) -> isl::Result<Distances> {
        let times = UnionMap::from_multi_union_pw_aff(band_of(scop, vec![steps.clone(), across.clone()])?)?;
        let inside = within(dependences, times.clone().domain()?)?;
        let stmt = |map: &Map, end| -> isl::Result<Option<usize>> {
            let name = map.get_tuple_name(end)?.unwrap_or_default();
            Ok(scop.stmt_named(&name).map(|id| id.index()))
        };
        let mut all = Vec::new();
        for map in inside.get_map_list()?.to_vec()? {
            let (Some(from), Some(to)) = (stmt(&map, DimType::In)?, stmt(&map, DimType::Out)?) else {
                continue;
            };
            let pairs = UnionMap::from_map(map)?.apply_domain(times.clone())?.apply_range(times.clone())?;
            if !pairs.is_empty()? {
                all.push((from, to, Set::from_union_set(pairs.deltas()?)?.project_out_all_params()?));
            }
        }
        Ok(Distances { all, stmts: scop.stmts.len() })
    }

    /// The least slope, and for each statement how far it must be shifted then.
    fn least_slope(&self) -> isl::Result<Option<(i64, Vec<i64>)>> {
        if self.shifts(STEEPEST)?.is_none() {
            return Ok(None);
        }
        for slope in 1..=STEEPEST {
            if let Some(shifts) = self.shifts(slope)? {
                return Ok(Some((slope, shifts)));
            }
        }
        Ok(None)
    }

    /// For each statement how far it must be shifted with this slope; `None` if no shifts are enough.
    fn shifts(&self, slope: i64) -> isl::Result<Option<Vec<i64>>> {
        let mut edges = Vec::new();
        for (from, to, distances) in &self.all {
            match greatest(distances, slope)? {
                Some(length) => edges.push((*from, *to, length)),
                None => return Ok(None),
            }
        }
        Ok(longest_ways(self.stmts, &edges))
    }
}

/// The greatest `du - slope * dt`; `None` if there is none.
fn greatest(distances: &Set, slope: i64) -> isl::Result<Option<i64>> {
    let space = LocalSpace::from_space(Space::set_alloc(distances.ctx(), 0, 2)?)?;
    let steps = Aff::var_on_domain(space.clone(), DimType::Set, 0)?;
    let across = Aff::var_on_domain(space, DimType::Set, 1)?;
    let excess = across.sub(steps.scale_val(Val::int_from_si(distances.ctx(), slope)?)?)?;
    Ok(distances.max_val(&excess)?.to_string().parse().ok())
}

/// For each of so many places the length of the longest way that ends there; `None` if some are endless.
fn longest_ways(places: usize, edges: &[(usize, usize, i64)]) -> Option<Vec<i64>> {
    let mut lengths = vec![0_i64; places];
    for _ in 0..=places {
        let before = lengths.clone();
        for (from, to, length) in edges {
            lengths[*to] = lengths[*to].max(lengths[*from].checked_add(*length)?);
        }
        if lengths == before {
            return Some(lengths);
        }
    }
    None
}

/// A row that has one value for each statement.
fn constants(scop: &Scop, values: &[i64]) -> isl::Result<UnionPwAff> {
    let mut all = UnionPwAff::empty_ctx(&scop.ctx)?;
    for (stmt, value) in scop.stmts.iter().zip(values) {
        let domain = UnionSet::from_set(Set::universe(stmt.domain.get_space()?)?)?;
        let value = UnionPwAff::val_on_domain(domain, Val::int_from_si(&scop.ctx, *value)?)?;
        all = all.union_add(value)?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_the_longest_ways() {
        assert_eq!(longest_ways(2, &[(0, 1, 2), (1, 0, -2)]), Some(vec![0, 2]));
        assert_eq!(longest_ways(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 5)]), Some(vec![0, 1, 5]));
        assert_eq!(longest_ways(2, &[(0, 1, 2), (1, 0, -1)]), None);
        assert_eq!(longest_ways(1, &[(0, 0, 1)]), None);
        assert_eq!(longest_ways(1, &[(0, 0, 0)]), Some(vec![0]));
    }
}
