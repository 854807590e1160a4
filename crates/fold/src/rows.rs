//! Repetitions inside a row: the fast path for short runs.
//!
//! When the current run is exactly the slice that the only absorber of the first extra level expects, and the points
//! that follow are exactly the slice after that, then the run can be absorbed without becoming a polyhedron first, and
//! the following slice is the new run. This does what closing the run and starting again would do, with the same
//! result; it only skips the bookkeeping. It pays when the repeated part is short: `i % 3 != 2`, narrow tiles.
//!
//! Nothing else may wait at that level, because it would have to be looked at each time.

use crate::layout::Layout;
use crate::polyhedron::Poly;
use crate::run::Run;
use crate::template::is_row;

/// Absorb the run and the rows that follow it into `a`, along level `s`, as long as they fit. Returns the number of
/// points taken from the front of `points`; the run is then the last row taken.
pub(crate) fn take_rows(a: &mut Poly, run: &mut Run, s: usize, layout: &Layout, points: &[i64]) -> usize {
    match (layout.dim, layout.width()) {
        (1, 1) => rows::<1, 1>(a, run, s, layout, points),
        (1, 2) => rows::<1, 2>(a, run, s, layout, points),
        (1, 3) => rows::<1, 3>(a, run, s, layout, points),
        (2, 2) => rows::<2, 2>(a, run, s, layout, points),
        (2, 3) => rows::<2, 3>(a, run, s, layout, points),
        (2, 4) => rows::<2, 4>(a, run, s, layout, points),
        (3, 3) => rows::<3, 3>(a, run, s, layout, points),
        (3, 4) => rows::<3, 4>(a, run, s, layout, points),
        (3, 5) => rows::<3, 5>(a, run, s, layout, points),
        (3, 6) => rows::<3, 6>(a, run, s, layout, points),
        (4, 4) => rows::<4, 4>(a, run, s, layout, points),
        (4, 5) => rows::<4, 5>(a, run, s, layout, points),
        (4, 8) => rows::<4, 8>(a, run, s, layout, points),
        _ => 0,
    }
}

fn rows<const D: usize, const W: usize>(
    a: &mut Poly,
    run: &mut Run,
    s: usize,
    layout: &Layout,
    points: &[i64],
) -> usize {
    let prefix = layout.prefix(s);
    let at = layout.count(0);
    let mut points = points.as_chunks::<W>().0;
    let mut taken = 0;
    let Some(&step) = a.delta(0).first_chunk::<W>() else { return 0 };
    // Two points further apart than 1 are a pair, which is for the run to judge.
    let least = if step[D - 1] == 1 { 1 } else { 2 };
    while a.open && run.is_slice(&a.next()[..W], a.next()[at], &step) {
        // The row after the one that the run is.
        let (next, delta) = (a.next(), a.delta(s));
        let Some(last) = next[at].checked_add(delta[at]).filter(|&n| n >= least) else { break };
        let mut first = [0i64; W];
        let mut overflow = false;
        for k in 0..W {
            let (sum, o) = next[k].overflowing_add(delta[k]);
            first[k] = sum;
            overflow |= o;
        }
        let length = last as usize + 1;
        if overflow || points.len() < length || !is_row::<D, W>(&points[..length], first, &step) {
            break;
        }
        a.points += run.len;
        a.anchor_mut()[layout.count(s)] += 1;
        a.advance(s, prefix);
        run.set_line(&first, &points[length - 1], &step, length as u64);
        taken += length;
        points = &points[length..];
    }
    taken
}
