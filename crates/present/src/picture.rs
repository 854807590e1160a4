//! Pictures of domains and dependences: projections onto two neighbouring loops.
//!
//! For loops `d` and `d + 1` around a statement a [`Picture`] has
//!
//! - the *outline*: for some values of `d` the least and greatest value of `d + 1`, over all other loops: the shape of the whole
//!   domain;
//! - a *window*: the first iterations of both, with the loops outside fixed at their first values. In it the instances of the
//!   statement are dots, and dependences inside the nest are arrows from where a value is made to where it is used.
//!
//! isl does the projections, within a budget; what it does not finish is left out, and [`Picture::cut`] says so. A statement in
//! one loop has a picture with one row.

use isl::{Ctx, DimType, Map, Set};
use serde::Serialize;
use trace::profile::{Nest, Statement};

/// Iterations of each loop in the window.
const WINDOW: i64 = 12;
/// Values of the outer loop for which the outline is computed.
const STEPS: i64 = 48;
/// Arrows in a picture.
const ARROWS: usize = 400;
/// isl operations per picture.
const BUDGET: u64 = 2_000_000;

/// A projection onto two loops.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// The loops, by position in the nest: down and across. The first is missing if there is only one.
    pub loops: [Option<u32>; 2],
    /// What the other loops outside are fixed at.
    pub fixed: Vec<i64>,
    /// Bounds of the whole domain: down, across.
    pub bounds: [[i64; 2]; 2],
    /// For values of the first loop the range of the second.
    pub outline: Vec<[i64; 3]>,
    /// Instances in the window.
    pub points: Vec<[i64; 2]>,
    /// Dependences into the window: from, to; whether exact.
    pub arrows: Vec<([i64; 4], bool)>,
    /// Dependences that come from other iterations of loops outside, or cannot be drawn.
    pub elsewhere: usize,
    /// Whether the domain is exactly what was observed.
    pub exact: bool,
    /// Whether something is missing because it took too long.
    pub cut: bool,
}

/// The pictures of a nest: of its busiest statement, for each pair of neighbouring loops around it, innermost first.
pub fn pictures(nest: &Nest) -> Vec<Picture> {
    let deepest = nest.statements.iter().map(|s| s.loops.len()).max().unwrap_or(0);
    let of_depth = nest.statements.iter().filter(|s| s.loops.len() == deepest);
    let Some(statement) = of_depth.filter(|s| !s.induction).max_by_key(|s| s.instances) else {
        return Vec::new();
    };
    let pairs = (0..deepest.max(2) - 1).rev().take(3);
    pairs.filter_map(|d| picture(nest, statement, d)).collect()
}

fn picture(nest: &Nest, statement: &Statement, d: usize) -> Option<Picture> {
    Ctx::of_thread().with_budget(BUDGET, || draw(nest, statement, d)).ok().flatten()
}

/// A one-dimensional set gets a first dimension that is always 0.
fn as_plane(isl: &str, dims: usize) -> isl::Result<Set> {
    let set: Set = Ctx::of_thread().parse(isl)?;
    if dims > 1 { Ok(set) } else { set.insert_dims(DimType::Set, 0, 1)?.fix_si(DimType::Set, 0, 0) }
}

fn draw(nest: &Nest, statement: &Statement, d: usize) -> isl::Result<Option<Picture>> {
    let dims = statement.loops.len();
    let Some(first) = statement.domain.pieces.first().filter(|_| dims > 0) else { return Ok(None) };
    let fixed: Vec<i64> = first.low.iter().take(d).copied().collect();
    let plane = as_plane(&statement.domain.isl, dims)?;
    let here = at_fixed(plane.clone(), &fixed)?;
    let shape = projected(plane, d)?;
    let bounds = [range(&shape, 0)?, range(&shape, 1)?];
    let corner = projected(here.clone(), d)?;
    let low = [range(&corner, 0)?[0], range(&corner, 1)?[0]];
    let window = windowed(corner, low)?;
    let mut picture = Picture {
        loops: [
            if dims > 1 { statement.loops.get(d).copied() } else { None },
            statement.loops.get(if dims > 1 { d + 1 } else { 0 }).copied(),
        ],
        fixed,
        bounds,
        outline: Vec::new(),
        points: points(&window)?.into_iter().filter_map(|p| p.try_into().ok()).collect(),
        arrows: Vec::new(),
        elsewhere: 0,
        exact: statement.domain.exact_domain,
        cut: false,
    };
    picture.cut =
        outline(&shape, &mut picture).is_err() || arrows(nest, statement, d, low, &mut picture).is_err();
    Ok(Some(picture))
}

/// The dimensions outside `d` at these values.
fn at_fixed(set: Set, fixed: &[i64]) -> isl::Result<Set> {
    fixed.iter().enumerate().try_fold(set, |set, (k, value)| set.fix_si(DimType::Set, k, clamped(*value)))
}

fn clamped(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Dimensions `d` and `d + 1` only.
fn projected(set: Set, d: usize) -> isl::Result<Set> {
    let dims = set.dim(DimType::Set)?;
    set.project_out(DimType::Set, d + 2, dims - d - 2)?.project_out(DimType::Set, 0, d)
}

fn range(set: &Set, d: usize) -> isl::Result<[i64; 2]> {
    Ok([set.clone().dim_min_val(d)?.get_num_si()?, set.clone().dim_max_val(d)?.get_num_si()?])
}

fn windowed(set: Set, low: [i64; 2]) -> isl::Result<Set> {
    low.iter().enumerate().try_fold(set, |set, (k, low)| {
        let set = set.lower_bound_si(DimType::Set, k, clamped(*low))?;
        set.upper_bound_si(DimType::Set, k, clamped(low + WINDOW - 1))
    })
}

fn points(set: &Set) -> isl::Result<Vec<Vec<i64>>> {
    let dims = set.dim(DimType::Set)?;
    let mut all = Vec::new();
    set.foreach_point(|point| {
        let coordinate = |d| point.get_coordinate_val(DimType::Set, d)?.get_num_si();
        all.push((0..dims).map(coordinate).collect::<isl::Result<_>>()?);
        Ok(())
    })?;
    all.sort_unstable();
    Ok(all)
}

fn outline(shape: &Set, picture: &mut Picture) -> isl::Result<()> {
    let [low, high] = picture.bounds[0];
    let steps = STEPS.min(high - low).max(1);
    for n in 0..=steps {
        let at = low + (high - low) * n / steps;
        let slice = shape.clone().fix_si(DimType::Set, 0, clamped(at))?;
        if !slice.is_empty()? {
            let [from, to] = range(&slice, 1)?;
            picture.outline.push([at, from, to]);
        }
    }
    picture.outline.dedup();
    Ok(())
}

/// Dependences between statements inside both loops.
fn arrows(
    nest: &Nest,
    statement: &Statement,
    d: usize,
    low: [i64; 2],
    picture: &mut Picture,
) -> isl::Result<()> {
    let dims = statement.loops.len();
    let around = &statement.loops[..dims.min(d + 2)];
    let loops_of = |s: u32| nest.statements.get(s as usize).map_or(&[][..], |s| &s.loops);
    for dependence in &nest.dependences {
        let [from, to] = [dependence.source, dependence.target].map(loops_of);
        if !from.starts_with(around) || !to.starts_with(around) {
            continue;
        }
        for piece in &dependence.relation.pieces {
            let found = of_piece(&piece.isl, [to.len(), from.len()], d, &picture.fixed, low)?;
            if found.is_empty() {
                picture.elsewhere += 1;
            }
            // In the same iteration of both loops there is nothing to draw.
            let apart = found.into_iter().filter(|a| a[..2] != a[2..]);
            let new = apart.map(|arrow| (arrow, piece.exact));
            let new: Vec<_> =
                new.filter(|(arrow, _)| !picture.arrows.iter().any(|(a, _)| a == arrow)).collect();
            picture.arrows.extend(new);
            if picture.arrows.len() >= ARROWS {
                picture.arrows.truncate(ARROWS);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Arrows of a piece whose two ends are in the window, other loops outside at their fixed values.
fn of_piece(
    isl: &str,
    [to, from]: [usize; 2],
    d: usize,
    fixed: &[i64],
    low: [i64; 2],
) -> isl::Result<Vec<[i64; 4]>> {
    let mut map: Map = Ctx::of_thread().parse(isl)?;
    if to == 1 && d == 0 {
        map = map.insert_dims(DimType::In, 0, 1)?.fix_si(DimType::In, 0, 0)?;
    }
    if from == 1 && d == 0 {
        map = map.insert_dims(DimType::Out, 0, 1)?.fix_si(DimType::Out, 0, 0)?;
    }
    for side in [DimType::In, DimType::Out] {
        for (k, value) in fixed.iter().enumerate() {
            map = map.fix_si(side, k, clamped(*value))?;
        }
        for (k, low) in low.iter().enumerate() {
            map = map.lower_bound_si(side, d + k, clamped(*low))?;
            map = map.upper_bound_si(side, d + k, clamped(low + WINDOW - 1))?;
        }
        let dims = map.dim(side)?;
        map = map.project_out(side, d + 2, dims - d - 2)?.project_out(side, 0, d)?;
    }
    let found = points(&map.wrap()?)?;
    let arrow = |p: Vec<i64>| <[i64; 4]>::try_from(p).ok().map(|[ty, tx, sy, sx]| [sy, sx, ty, tx]);
    Ok(found.into_iter().filter_map(arrow).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::profile::{Dependence, Folded, Loop, Piece};

    fn folded(isl: &str, low: &[i64]) -> Folded {
        let piece =
            Piece { isl: isl.into(), exact: true, exact_domain: true, low: low.to_vec(), ..Piece::default() };
        Folded { isl: isl.into(), exact: true, exact_domain: true, pieces: vec![piece], ..Folded::default() }
    }

    fn nest(domain: &str, flow: &str, depth: usize) -> Nest {
        let loops: Vec<u32> = (0..depth as u32).collect();
        let all = loops.iter().map(|id| Loop {
            id: *id,
            dimension: *id,
            parent: id.checked_sub(1),
            ..Loop::default()
        });
        let statement = Statement {
            loops: loops.clone(),
            domain: folded(domain, &vec![0; depth]),
            ..Statement::default()
        };
        let dependence = Dependence { relation: folded(flow, &[]), ..Dependence::default() };
        Nest {
            loops: all.collect(),
            statements: vec![statement],
            dependences: vec![dependence],
            ..Nest::default()
        }
    }

    #[test]
    fn a_triangle_with_a_recurrence() {
        let nest = nest(
            "{ [i, j] : 0 <= i <= 99 and 0 <= j <= i }",
            "{ [i, j] -> [i - 1, j] : 1 <= i <= 99 and 0 <= j < i }",
            2,
        );
        let found = pictures(&nest);
        assert_eq!(found.len(), 1);
        let p = &found[0];
        assert_eq!(p.bounds, [[0, 99], [0, 99]]);
        assert_eq!(p.points.len(), 12 * 13 / 2);
        assert!(p.outline.iter().all(|[i, from, to]| *from == 0 && to == i) && p.outline.len() > 40);
        assert_eq!(p.arrows.len(), 11 * 12 / 2);
        assert!(p.arrows.iter().all(|([sy, sx, ty, tx], exact)| *exact && sx == tx && sy + 1 == *ty));
        assert!(!p.cut && p.elsewhere == 0);
    }

    #[test]
    fn one_loop_and_three() {
        let one = pictures(&nest("{ [i] : 0 <= i <= 5 }", "{ [i] -> [i - 2] : 2 <= i <= 5 }", 1));
        assert_eq!((one[0].points.len(), one[0].loops), (6, [None, Some(0)]));
        assert_eq!(
            one[0].arrows.iter().map(|a| a.0).collect::<Vec<_>>(),
            [[0, 0, 0, 2], [0, 1, 0, 3], [0, 2, 0, 4], [0, 3, 0, 5]]
        );
        let three = pictures(&nest(
            "{ [i, j, k] : 0 <= i, j, k <= 3 }",
            "{ [i, j, k] -> [i - 1, j, k] : 1 <= i <= 3 and 0 <= j, k <= 3 }",
            3,
        ));
        // Innermost pair first: what the outermost loop carries comes from elsewhere there.
        assert_eq!((three.len(), three[0].arrows.len(), three[0].elsewhere), (2, 0, 1));
        assert_eq!((three[1].arrows.len(), three[1].elsewhere), (12, 0));
    }

    #[test]
    fn damaged_texts_give_no_picture() {
        assert!(pictures(&nest("no set", "no map", 2)).is_empty());
        let cut = pictures(&nest("{ [i, j] : 0 <= i, j <= 3 }", "no map", 2));
        assert!(cut[0].cut);
    }
}
