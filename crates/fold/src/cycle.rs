//! Repetitions of several slices at once: cycles.
//!
//! Where a row consists of slices that come again and again in the same order (`i % 7 in {0, 1, 3}` is a line of two points, a
//! single point, a line of two points, ...), each of the absorbers of the first extra level expects one slice of the next
//! *period*. If all of them move by the same vector from period to period, the stream is a translation of itself:
//! `point[n] = point[n - period] + delta`. That is one subtraction and comparison per number, and whole periods are absorbed by
//! advancing each absorber, with the same result as slice by slice.
//!
//! A cycle is taken when the current run is the slice that one of the absorbers expects, and the points that follow are
//! the slices that the others expect, in order, and then the next slice of the first one, which is the new run.
//! Nobody else may wait at that level, and the run must cut the points into just these slices ([`cuts_at_slices`]).
//!
//! The same comparison serves rows of several slices ([`crate::template`]).

use crate::layout::Layout;
use crate::level::{Level, WINDOW};
use crate::polyhedron::Poly;
use crate::run::Run;
use crate::template::is_row;

/// How many times the first `period` points come again right after themselves, each time moved by `delta`.
pub(crate) fn repetitions<const W: usize>(points: &[[i64; W]], period: usize, delta: &[i64; W]) -> usize {
    let Some(later) = points.get(period..).filter(|_| period > 0) else { return 0 };
    let moved = |(p, q): &(&[i64; W], &[i64; W])| {
        let mut differs = 0;
        for k in 0..W {
            let (sum, overflow) = p[k].overflowing_add(delta[k]);
            differs |= (sum ^ q[k]) | i64::from(overflow);
        }
        differs == 0
    };
    points.iter().zip(later).take_while(moved).count() / period
}

/// [`repetitions`] for points of any width that occurs often; 0 for others.
pub(crate) fn repetitions_of(points: &[i64], width: usize, period: usize, delta: &[i64]) -> usize {
    fn fixed<const W: usize>(points: &[i64], period: usize, delta: &[i64]) -> usize {
        delta.first_chunk::<W>().map_or(0, |delta| repetitions(points.as_chunks::<W>().0, period, delta))
    }
    match width {
        2 => fixed::<2>(points, period, delta),
        3 => fixed::<3>(points, period, delta),
        4 => fixed::<4>(points, period, delta),
        5 => fixed::<5>(points, period, delta),
        6 => fixed::<6>(points, period, delta),
        8 => fixed::<8>(points, period, delta),
        _ => 0,
    }
}

/// Whether all polyhedra move by the same vector along `s`, and stay as they are otherwise.
pub(crate) fn move_together<'a>(
    polys: impl IntoIterator<Item = &'a Poly>,
    s: usize,
    layout: &Layout,
) -> bool {
    let (width, prefix) = (layout.width(), layout.prefix(s));
    let mut first: Option<&[i64]> = None;
    polys.into_iter().all(|a| {
        let delta = &a.delta(s)[..prefix];
        delta[width..].iter().all(|d| *d == 0) && *first.get_or_insert(delta) == delta
    })
}

/// Absorb the run and the whole periods that follow it, along level 1. Returns the number of points taken; the run is then
/// the last slice taken.
pub(crate) fn take_cycle(level: &mut Level, run: &mut Run, layout: &Layout, points: &[i64]) -> usize {
    match (layout.dim, layout.width()) {
        (1, 1) => cycle::<1, 1>(level, run, layout, points),
        (1, 2) => cycle::<1, 2>(level, run, layout, points),
        (1, 3) => cycle::<1, 3>(level, run, layout, points),
        (2, 2) => cycle::<2, 2>(level, run, layout, points),
        (2, 3) => cycle::<2, 3>(level, run, layout, points),
        (2, 4) => cycle::<2, 4>(level, run, layout, points),
        (3, 4) => cycle::<3, 4>(level, run, layout, points),
        (3, 6) => cycle::<3, 6>(level, run, layout, points),
        _ => 0,
    }
}

fn cycle<const D: usize, const W: usize>(
    level: &mut Level,
    run: &mut Run,
    layout: &Layout,
    points: &[i64],
) -> usize {
    let Some(order) = order(level, run, layout) else { return 0 };
    let order = &order[..level.absorbers.len()];
    let Some(&delta) = level.absorbers[order[0]].delta(1).first_chunk::<W>() else { return 0 };
    let points = points.as_chunks::<W>().0;
    let Some(period) = first_period::<D, W>(level, order, layout, points, &delta) else { return 0 };
    let periods = 1 + repetitions(points, period, &delta);
    if !level.absorb_periods(order, periods as u64, layout) {
        return 0;
    }
    let a = &level.absorbers[order[0]];
    let length = a.next()[layout.count(0)] as usize + 1;
    let taken = periods * period;
    run.set_line(&points[taken - length], &points[taken - 1], &a.delta(0)[..W], length as u64);
    taken
}

/// The absorbers in the order of their slices, beginning with the one whose slice the run is.
fn order(level: &Level, run: &Run, layout: &Layout) -> Option<[usize; WINDOW]> {
    let absorbers = &level.absorbers;
    let (width, count) = (layout.width(), layout.count(0));
    let usable = |a: &Poly| {
        let slice = a.next()[count];
        // Two points further apart than 1 are a pair, which is for the run to judge.
        let least =
            if a.is_grown(0) && a.delta(0)[layout.dim - 1] != 1 { 2 } else { i64::from(a.is_grown(0)) };
        a.open && a.any_top == 0 && a.grown & !1 == 2 && slice >= least && (a.is_grown(0) || slice == 0)
    };
    if absorbers.len() > WINDOW || !absorbers.iter().all(usable) || !move_together(absorbers, 1, layout) {
        return None;
    }
    let is_run =
        |a: &Poly| a.is_grown(0) && run.is_slice(&a.next()[..width], a.next()[count], &a.delta(0)[..width]);
    let first = absorbers.iter().position(is_run)?;
    let mut order = [first; WINDOW];
    let others = (0..absorbers.len()).filter(|i| *i != first);
    order[1..].iter_mut().zip(others).for_each(|(slot, i)| *slot = i);
    order[1..absorbers.len()].sort_by_key(|i| absorbers[*i].next()[layout.dim - 1]);
    Some(order)
}

/// The length of a period, if the points begin with one: the slices of the other absorbers, and then the next one of the first.
fn first_period<const D: usize, const W: usize>(
    level: &Level,
    order: &[usize],
    layout: &Layout,
    points: &[[i64; W]],
    delta: &[i64; W],
) -> Option<usize> {
    let mut ends = [0usize; WINDOW];
    let mut from = 0;
    for (n, &i) in order[1..].iter().chain(&order[..1]).enumerate() {
        let a = &level.absorbers[i];
        let mut first = *a.next().first_chunk::<W>()?;
        if i == order[0] {
            for k in 0..W {
                first[k] = first[k].checked_add(delta[k])?;
            }
        }
        let to = from + a.next()[layout.count(0)] as usize + 1;
        let step = if a.is_grown(0) { *a.delta(0).first_chunk::<W>()? } else { [0; W] };
        if !is_row::<D, W>(points.get(from..to)?, first, &step) {
            return None;
        }
        (ends[n], from) = (to, to);
    }
    cuts_at_slices::<D, W>(&ends[..order.len()], &points[..from], delta).then_some(from)
}

/// Whether the run cuts a period at these ends: it takes a point that continues a line, one that is next to a single point,
/// and three single points at equal distances.
fn cuts_at_slices<const D: usize, const W: usize>(
    ends: &[usize],
    period: &[[i64; W]],
    delta: &[i64; W],
) -> bool {
    let at = |n: usize| match period.get(n) {
        Some(p) => i128::from(p[D - 1]),
        None => i128::from(period[n - period.len()][D - 1]) + i128::from(delta[D - 1]),
    };
    let mut from = 0;
    ends.iter().all(|&end| {
        let single = end - from == 1;
        from = end;
        let to_next = at(end) - at(end - 1);
        match single {
            true => to_next != 1 && at(end + 1) - at(end) != to_next,
            false => to_next != at(end - 1) - at(end - 2),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::{Folder, Folding, Mode, Options};

    /// Folds in one batch, and point by point, which takes no cycles.
    fn both(points: &[[i64; 2]]) -> (Folding, Folding) {
        let folder = || Folder::new(1, 1, Options::with_mode(Mode::Auto)).unwrap();
        let (mut batch, mut single) = (folder(), folder());
        batch.push_batch(points.as_flattened()).unwrap();
        points.iter().for_each(|p| single.push(&p[..1], &p[1..]).unwrap());
        (batch.finish(), single.finish())
    }

    #[test]
    fn cycles_fold_as_their_points_do() {
        // Residues modulo 7 and 9; the whole of it, and with a disturbance somewhere.
        for mask in 1u32..512 {
            for (modulus, hole) in [(7, None), (9, None), (9, Some(200)), (7, Some(333))] {
                let wanted = |i: &i64| mask >> (i % modulus) & 1 == 1 && Some(*i) != hole;
                let points: Vec<_> = (0..600).filter(wanted).map(|i| [i, 5 * i]).collect();
                let (batch, single) = both(&points);
                assert_eq!(batch.isl(), single.isl(), "{mask:b} modulo {modulus}, without {hole:?}");
                assert_eq!(batch.stats, single.stats, "{mask:b} modulo {modulus}, without {hole:?}");
            }
        }
    }

    #[test]
    fn rows_of_several_slices_fold_as_their_points_do() {
        let columns = [0i64, 3, 4, 5, 11, 20, 22, 24, 26, 31];
        let label = |i: i64, c: i64| if i == 60 && c == 11 { 0 } else { 7 * i + c * c };
        let points: Vec<i64> =
            (0..100).flat_map(|i| columns.into_iter().flat_map(move |c| [i, c, label(i, c)])).collect();
        let folder = || Folder::new(2, 1, Options::with_mode(Mode::Exact)).unwrap();
        let (mut batch, mut single) = (folder(), folder());
        batch.push_batch(&points).unwrap();
        points.as_chunks::<3>().0.iter().for_each(|p| single.push(&p[..2], &p[2..]).unwrap());
        let (batch, single) = (batch.finish(), single.finish());
        assert_eq!((batch.isl(), batch.stats), (single.isl(), single.stats));
        assert!(batch.is_exact() && batch.pieces.len() > 10);
    }

    #[test]
    fn numbers_that_leave_their_range_end_a_cycle() {
        let start = i64::MAX - 1000;
        let points: Vec<_> =
            (0..1000).filter(|i| [0, 1, 3].contains(&(i % 7))).map(|i| [i, start + i]).collect();
        let (batch, single) = both(&points);
        assert_eq!((batch.isl(), batch.stats), (single.isl(), single.stats));
    }
}
