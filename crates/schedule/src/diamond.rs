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

use crate::tree::{self, band_of, within};
use isl::{Aff, DimType, LocalSpace, Map, Set, Space, UnionMap, UnionPwAff, UnionSet, Val};
use model::Scop;

/// The steepest cone that is looked for.
const STEEPEST: i64 = 16;

/// What may be spent on it: some three times what the kernels of `bench/kernels` need.
const OPERATIONS: u64 = 60_000;

/// The sides of a cone.
pub struct Cone {
    /// Which row counts steps in time.
    pub steps: usize,
    /// Which row is one side.
    pub across: usize,
    /// The other: `slope * t + shift(S) - u`.
    pub side: UnionPwAff,
    /// By how much that grows in a step in time.
    pub slope: i64,
}

/// The cone of these dependences, if they have one whose one side is one of these rows. Another one counts steps in time: a loop
/// of the program itself, so that the first step is the first of all cells. None is found if that takes too many operations.
pub fn cone(scop: &Scop, dependences: &UnionMap, rows: &[UnionPwAff]) -> isl::Result<Option<Cone>> {
    let found: isl::Result<Option<Cone>> = scop.ctx.with_budget(OPERATIONS, || {
        for (steps, time) in rows.iter().enumerate() {
            if !counts_steps(scop, time)? {
                continue;
            }
            for (across, row) in rows.iter().enumerate().filter(|(across, _)| *across != steps) {
                if let Some((slope, side)) = other_side(scop, dependences, time, row)? {
                    return Ok(Some(Cone { steps, across, side, slope }));
                }
            }
        }
        Ok(None)
    });
    match found {
        Err(error) if error.is_budget() => Ok(None),
        found => found,
    }
}

/// The least slope, and the other side of a cone of which a row is one.
fn other_side(
    scop: &Scop,
    dependences: &UnionMap,
    steps: &UnionPwAff,
    across: &UnionPwAff,
) -> isl::Result<Option<(i64, UnionPwAff)>> {
    let distances = Distances::of(scop, dependences, steps, across)?;
    let Some((slope, shifts)) = distances.least_slope()? else { return Ok(None) };
    let steep = steps.clone().scale_val(Val::int_from_si(&scop.ctx, slope)?)?;
    Ok(Some((slope, steep.add(constants(scop, &shifts)?)?.sub(across.clone())?)))
}

/// Whether a row is one counter of each statement.
fn counts_steps(scop: &Scop, row: &UnionPwAff) -> isl::Result<bool> {
    let rows = tree::rows(scop, &band_of(scop, vec![row.clone()])?)?;
    Ok(rows.iter().flat_map(|rows| rows.values()).all(|row| row.moved(&[]).is_some()))
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
    use crate::legality::Prover;
    use crate::marks::wave_is_legal;
    use crate::tree::tiles;
    use dataflow::Dependences;
    use isl::{Ctx, Schedule};

    const JACOBI: &str = "scop jacobi
param t [1, *]
param n [3, *]
array A [n] 8
array B [n] 8
stmt S { S[s, i] : 0 <= s < t and 1 <= i < n - 1 }
  read { S[s, i] -> A[i - 1] }
  read { S[s, i] -> A[i + 1] }
  write { S[s, i] -> B[i] }
stmt T { T[s, i] : 0 <= s < t and 1 <= i < n - 1 }
  read { T[s, i] -> B[i - 1] }
  read { T[s, i] -> B[i + 1] }
  write { T[s, i] -> A[i] }
order { for { for { S } for { T } } }
";
    const STEPS: &str = "{ S[s, i] -> [(s)]; T[s, i] -> [(s)] }";
    const ACROSS: &str = "{ S[s, i] -> [(2s + i)]; T[s, i] -> [(2s + i + 1)] }";

    fn parsed(text: &str) -> (Scop, Dependences) {
        let scop = Scop::parse(&Ctx::new(), text).unwrap();
        let dependences = dataflow::dependences(&scop, &Default::default()).unwrap();
        (scop, dependences)
    }

    fn row(scop: &Scop, text: &str) -> UnionPwAff {
        UnionPwAff::read_from_str(&scop.ctx, text).unwrap()
    }

    fn found(text: &str, rows: &[&str]) -> Option<(usize, usize, i64, String)> {
        let (scop, dependences) = parsed(text);
        let rows: Vec<_> = rows.iter().map(|text| row(&scop, text)).collect();
        let cone = cone(&scop, &dependences.strict().unwrap(), &rows).unwrap()?;
        Some((cone.steps, cone.across, cone.slope, cone.side.to_string()))
    }

    #[test]
    fn a_cone_has_two_sides() {
        let side = "[t, n] -> { S[s, i] -> [(2s - i)]; T[s, i] -> [(1 + 2s - i)] }".to_owned();
        assert_eq!(found(JACOBI, &[STEPS, ACROSS]), Some((0, 1, 4, side.clone())));
        assert_eq!(found(JACOBI, &[ACROSS, STEPS]), Some((1, 0, 4, side)));
        // Five cells to each side in each half of a step: too far.
        let wide = JACOBI.replace("i - 1]", "i - 5]").replace("i + 1]", "i + 5]");
        let wide = wide.replace("1 <= i < n - 1", "5 <= i < n - 5");
        assert_eq!(found(&wide, &[STEPS, &ACROSS.replace('2', "10").replace("+ 1", "+ 5")]), None);
        // In place: cells of one step wait for each other.
        assert_eq!(found(&JACOBI.replace("-> B", "-> A"), &[STEPS, ACROSS]), None);
        // No row is a loop of the program.
        assert_eq!(found(JACOBI, &[ACROSS, ACROSS]), None);
    }

    #[test]
    fn only_sides_of_the_cone_make_diamonds() {
        let (scop, dependences) = parsed(JACOBI);
        let is_legal = |side: &str| {
            let rows = [side, ACROSS].map(|text| tiles(&scop, row(&scop, text), 8).unwrap());
            let band = band_of(&scop, rows.into()).unwrap();
            let schedule = Schedule::from_domain(scop.domain().unwrap()).unwrap();
            let schedule = schedule.insert_partial_schedule(band).unwrap();
            let band = schedule.get_root().unwrap().child(0).unwrap();
            wave_is_legal(&Prover::new(&scop, &dependences), &band, [8; 2]).unwrap()
        };
        assert!(is_legal("{ S[s, i] -> [(2s - i)]; T[s, i] -> [(1 + 2s - i)] }"));
        // Too steep, and not shifted.
        assert!(!is_legal("{ S[s, i] -> [(s - i)]; T[s, i] -> [(1 + s - i)] }"));
        assert!(!is_legal("{ S[s, i] -> [(2s - i)]; T[s, i] -> [(2s - i)] }"));
    }

    #[test]
    fn shifts_are_the_longest_ways() {
        assert_eq!(longest_ways(2, &[(0, 1, 2), (1, 0, -2)]), Some(vec![0, 2]));
        assert_eq!(longest_ways(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 5)]), Some(vec![0, 1, 5]));
        assert_eq!(longest_ways(2, &[(0, 1, 2), (1, 0, -1)]), None);
        assert_eq!(longest_ways(1, &[(0, 0, 1)]), None);
        assert_eq!(longest_ways(1, &[(0, 0, 0)]), Some(vec![0]));
    }
}
