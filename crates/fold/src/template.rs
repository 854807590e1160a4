//! The row template: when the whole next row is known in advance.
//!
//! The absorbers of the loop around the innermost one each expect a slice of the next row. Put in order they are a
//! *template* of that row. As long as the stream follows the template nothing needs to be built: a row that was
//! followed to its end is absorbed by advancing each absorber. This is the fast path for nests with short rows or with
//! several pieces per row, and costs one comparison per point, like a run.
//!
//! The first point that departs from the template ends it: the part of the row that was followed is replayed through
//! the ordinary path ([`crate::stream`]), slice by slice, so nothing is lost, and a row is replayed at most once.
//! Whether a template is followed depends on the points only, not on how they were cut into batches.
//!
//! A template is made when a row starts and all of these hold: nothing waits on the levels in between; the slices of
//! every absorber that expects something in this row are points or lines and do not interleave; every label is known
//! or top along the loop. Degenerate absorbers do not matter: an extension is always preferred to a merge.
//!
//! **Widened labels.** A label that is top along the loop may be anything at the start of a slice, and if it is top
//! along the slice too, anywhere. Then the row is *wide*: its points are kept until it is complete (lines as lines), because they
//! could not be replayed from the prediction, and the range and fingerprint of the label are brought up to date at its end.
//! Wide rows have at most [`MAX_WIDE`] points; for longer ones the ordinary path is as fast.

use crate::cycle::{move_together, repetitions_of};
use crate::label::mix;
use crate::layout::Layout;
use crate::level::Level;
use crate::polyhedron::Poly;
use crate::stream::Rows;
use crate::widen::members;

/// Most points of a row with widened labels.
const MAX_WIDE: i128 = 4096;
/// Rows of at most this many points, all of one length, are compared with the row before.
const SHORT_ROW: usize = 16;
/// Salt of the fingerprints of wide rows.
const WIDE: u64 = 0x77;

/// The predicted row and how far the stream has followed it.
#[derive(Debug, Default)]
pub(crate) struct Template {
    /// Whether the stream is following a template.
    pub active: bool,
    /// The absorbers, in the order of their slices.
    order: Vec<usize>,
    /// The slice that the next point is expected in; `order.len()` at the end of the row.
    slice: usize,
    /// Points of that slice still to come.
    left: u64,
    /// The next point.
    expected: Vec<i64>,
    /// From point to point in this slice.
    step: Vec<i64>,
    /// Whether some label of some slice is top.
    wide: bool,
    /// Whether the next point is the first of its slice.
    at_first: bool,
    /// All ones for the numbers that the first point of this slice must have, 0 for labels that are top along the loop.
    known_first: Vec<i64>,
    /// The same for the other points: 0 for labels that are top along the slice.
    known_rest: Vec<i64>,
    /// The points of a wide row that have been followed, as lines inside slices: number of points, first point, step.
    followed: Vec<i64>,
}

/// Points of a slice: `first`, `first + step`, ...
#[derive(Debug)]
pub(crate) struct Followed {
    pub first: Vec<i64>,
    pub step: Vec<i64>,
    pub points: u64,
}

impl Template {
    /// Whether the row has been followed to its end.
    pub fn is_complete(&self) -> bool {
        self.slice == self.order.len()
    }

    /// Make the template of the row with coordinate `row`, if there is one. `s` is the level of the loop around the
    /// innermost.
    pub fn enter(&mut self, level: &Level, s: usize, row: i64, layout: &Layout) -> bool {
        self.order.clear();
        let d = layout.dim_of(s);
        for (i, a) in level.absorbers.iter().enumerate().filter(|(_, a)| a.is_grown(s)) {
            let plain = a.grown & ((1u64 << s) - 1) & !1 == 0;
            if !a.open || !plain || a.tops[s] != a.any_top {
                return false;
            }
            if a.next()[d] == row {
                self.order.push(i);
            }
        }
        let first = |&i: &usize| level.absorbers[i].next()[layout.dim - 1];
        self.order.sort_by_key(first);
        self.wide = self.order.iter().any(|&i| level.absorbers[i].any_top != 0);
        self.followed.clear();
        self.active = !self.order.is_empty() && self.is_sound(level, s, row, layout);
        if self.active {
            self.load(level, 0, s, layout);
        }
        self.active
    }

    /// Whether the slices exist, lie in this row, and come one after the other.
    fn is_sound(&self, level: &Level, s: usize, row: i64, layout: &Layout) -> bool {
        let (d, inner) = (layout.dim_of(s), layout.dim - 1);
        let mut free_from = i128::from(i64::MIN);
        let mut points = 0i128;
        self.order.iter().all(|&i| {
            let a = &level.absorbers[i];
            let (first, count) = (i128::from(a.next()[inner]), i128::from(a.next()[layout.count(0)]));
            let step = if a.is_grown(0) { i128::from(a.delta(0)[inner]) } else { 1 };
            let last = first + count * step;
            points += count + 1;
            let fits = a.open
                && (!self.wide || points <= MAX_WIDE)
                && a.next()[d] == row
                && first >= free_from
                && count >= 0
                && (count == 0 || a.is_grown(0))
                && last <= i128::from(i64::MAX);
            free_from = last + 1;
            fits
        })
    }

    /// Expect the first point of slice `n`.
    fn load(&mut self, level: &Level, n: usize, s: usize, layout: &Layout) {
        self.slice = n;
        let Some(&i) = self.order.get(n) else { return };
        let (a, width) = (&level.absorbers[i], layout.width());
        self.expected.clear();
        self.expected.extend_from_slice(&a.next()[..width]);
        self.step.clear();
        if a.is_grown(0) {
            self.step.extend_from_slice(&a.delta(0)[..width]);
        } else {
            self.step.resize(width, 0);
        }
        self.left = a.next()[layout.count(0)] as u64 + 1;
        self.at_first = true;
        if self.wide {
            let mask = |tops: u64, k: usize| {
                if k >= layout.dim && tops >> (k - layout.dim) & 1 == 1 { 0 } else { -1 }
            };
            let inner = if a.is_grown(0) { a.tops[0] } else { 0 };
            self.known_first.clear();
            self.known_first.extend((0..width).map(|k| mask(a.tops[s], k)));
            self.known_rest.clear();
            self.known_rest.extend((0..width).map(|k| mask(inner, k)));
        }
    }

    /// Follow the template with points from the front of `points`, over as many rows as it holds. Returns how many.
    pub fn follow(&mut self, level: &mut Level, s: usize, layout: &Layout, points: &[i64]) -> usize {
        match (layout.dim, layout.width()) {
            (2, 2) => self.follow_fixed::<2, 2>(level, s, layout, points),
            (2, 3) => self.follow_fixed::<2, 3>(level, s, layout, points),
            (2, 4) => self.follow_fixed::<2, 4>(level, s, layout, points),
            (2, 5) => self.follow_fixed::<2, 5>(level, s, layout, points),
            (3, 3) => self.follow_fixed::<3, 3>(level, s, layout, points),
            (3, 4) => self.follow_fixed::<3, 4>(level, s, layout, points),
            (3, 5) => self.follow_fixed::<3, 5>(level, s, layout, points),
            (3, 6) => self.follow_fixed::<3, 6>(level, s, layout, points),
            (4, 4) => self.follow_fixed::<4, 4>(level, s, layout, points),
            (4, 5) => self.follow_fixed::<4, 5>(level, s, layout, points),
            (4, 6) => self.follow_fixed::<4, 6>(level, s, layout, points),
            (4, 8) => self.follow_fixed::<4, 8>(level, s, layout, points),
            (_, width) if !self.wide => {
                self.follow_rows(level, s, layout, points, |t, p| t.take_any(p, width))
            }
            (dim, width) => self.follow_rows(level, s, layout, points, |t, p| t.take_wide(p, dim, width)),
        }
    }

    /// Follow the template with a line of points, as far as the current slice goes. Returns how many.
    pub fn follow_line(
        &mut self,
        level: &mut Level,
        s: usize,
        layout: &Layout,
        first: &[i64],
        step: &[i64],
        count: u64,
    ) -> u64 {
        if self.is_complete() && !self.next_row(level, s, layout, first) {
            return 0;
        }
        let taken = count.min(self.left);
        let expected = if self.wide { self.may_begin(first) } else { self.expected == first };
        if !expected || taken > 1 && self.step != step {
            return 0;
        }
        if self.wide {
            self.keep_line(first, taken as usize);
            self.know_labels(first, layout.dim);
        }
        let mut overflow = false;
        for (e, s) in self.expected.iter_mut().zip(&self.step) {
            let moved =
                i64::try_from(taken).ok().and_then(|n| s.checked_mul(n)).and_then(|d| e.checked_add(d));
            overflow |= moved.is_none();
            *e = moved.unwrap_or(*e);
        }
        self.after(taken as usize, overflow);
        if self.left == 0 {
            self.load(level, self.slice + 1, s, layout);
        }
        taken
    }

    /// A template of one slice, followed to its end: take the rows that follow, if they are the ones it expects. The template
    /// stays complete; the last row taken is the one to be absorbed. Returns how many.
    pub fn follow_sheet(&mut self, level: &mut Level, s: usize, layout: &Layout, rows: &Rows<'_>) -> u64 {
        let &[only] = self.order.as_slice() else { return 0 };
        if self.wide || !self.is_complete() || level.absorbers.iter().filter(|a| a.is_grown(s)).count() != 1 {
            return 0;
        }
        let a = &mut level.absorbers[only];
        let (width, at) = (layout.width(), layout.count(0));
        let (next, delta) = (a.next(), a.delta(s));
        let is_next = (0..width).all(|k| next[k].checked_add(delta[k]) == Some(rows.first[k]))
            && next[at].checked_add(delta[at]).and_then(|c| c.checked_add(1))
                == i64::try_from(rows.count).ok();
        let line = a.is_grown(0) && a.delta(0)[..width] == *rows.step;
        let on = delta[..width] == *rows.down && delta[at] == rows.longer;
        let taken = if on { rows.rows } else { 1 };
        let fits = line || rows.count == 1 && (taken == 1 || rows.longer == 0);
        if !is_next || !fits || !a.can_advance_by(s, layout.prefix(s), taken) {
            return 0;
        }
        a.absorb_slices(s, layout, taken);
        taken
    }

    /// Whether a line of a wide row may begin with this point: its known numbers are as predicted, and those of the
    /// points after it follow.
    fn may_begin(&self, point: &[i64]) -> bool {
        let known = if self.at_first { &self.known_first } else { &self.known_rest };
        let fits = point.iter().zip(&self.expected).zip(known).all(|((p, e), k)| (p ^ e) & k == 0);
        self.expected.len() == point.len() && self.is_line() && fits
    }

    /// Whether all labels are known along this slice of a wide row.
    fn is_line(&self) -> bool {
        self.known_rest.iter().all(|k| *k != 0)
    }

    /// Keep points of a wide row that are in line.
    fn keep_line(&mut self, first: &[i64], points: usize) {
        self.followed.push(points as i64);
        self.followed.extend_from_slice(first);
        self.followed.extend_from_slice(&self.step);
    }

    /// At the first point of a slice of a wide row: the labels that were free are known from now on, or never.
    fn know_labels(&mut self, point: &[i64], dim: usize) {
        if self.at_first {
            self.expected[dim..].copy_from_slice(&point[dim..]);
            self.at_first = false;
        }
    }

    fn follow_fixed<const D: usize, const W: usize>(
        &mut self,
        level: &mut Level,
        s: usize,
        layout: &Layout,
        points: &[i64],
    ) -> usize {
        if self.wide {
            return self.follow_rows(level, s, layout, points, |t, p| t.take_wide(p, D, W));
        }
        if self.order.len() > 1 {
            return self.follow_rows(level, s, layout, points, Self::take_fixed::<D, W>);
        }
        let mut taken = 0;
        loop {
            taken += self.whole_rows::<D, W>(level, s, layout, &points[taken * W..]);
            let rest = &points[taken * W..];
            let (more, stays) = self.follow_slice(level, s, layout, rest, Self::take_fixed::<D, W>);
            taken += more;
            if stays {
                return taken;
            }
        }
    }

    /// A template of one slice, followed to its end: take the rows after it that are complete in `points`. The
    /// template stays complete; the last row taken is the one to be absorbed.
    fn whole_rows<const D: usize, const W: usize>(
        &mut self,
        level: &mut Level,
        s: usize,
        layout: &Layout,
        points: &[i64],
    ) -> usize {
        if !self.is_complete() || level.absorbers.iter().filter(|a| a.is_grown(s)).count() != 1 {
            return 0;
        }
        let a = &mut level.absorbers[self.order[0]];
        let (at, count, prefix) = (layout.count(s), layout.count(0), layout.prefix(s));
        let step = match a.delta(0).first_chunk::<W>() {
            Some(&step) if a.is_grown(0) => step,
            _ => [0; W],
        };
        let mut points = points.as_chunks::<W>().0;
        let mut taken = 0;
        loop {
            let (next, delta) = (a.next(), a.delta(s));
            let length =
                next[count].checked_add(delta[count]).map_or(0, |n| n.saturating_add(1).max(0) as usize);
            let mut first = [0i64; W];
            let mut overflow = false;
            for k in 0..W {
                let (sum, o) = next[k].overflowing_add(delta[k]);
                first[k] = sum;
                overflow |= o;
            }
            if overflow
                || length == 0
                || points.len() < length
                || !is_row::<D, W>(&points[..length], first, &step)
            {
                return taken;
            }
            let equal = length <= SHORT_ROW && delta[count] == 0;
            a.points += next[count] as u64 + 1;
            a.anchor_mut()[at] += 1;
            a.advance(s, prefix);
            if equal {
                let rows = repetitions_of(points.as_flattened(), W, length, a.delta(s));
                if a.can_advance_by(s, prefix, rows as u64) {
                    a.absorb_slices(s, layout, rows as u64);
                    taken += rows * length;
                    points = &points[rows * length..];
                }
            }
            taken += length;
            points = &points[length..];
        }
    }

    /// Slice after slice, row after row; `take` takes points of the current slice.
    #[inline(always)]
    fn follow_rows(
        &mut self,
        level: &mut Level,
        s: usize,
        layout: &Layout,
        points: &[i64],
        take: impl Fn(&mut Self, &[i64]) -> usize,
    ) -> usize {
        let width = layout.width();
        let mut taken = 0;
        loop {
            taken += self.repeated_rows(level, s, layout, points, taken);
            let (more, stays) = self.follow_slice(level, s, layout, &points[taken * width..], &take);
            taken += more;
            if stays {
                return taken;
            }
        }
    }

    /// The rest of the current slice, or the first one of the next row. Returns how many points, and whether the template stays there: the
    /// points are at their end, or depart from it.
    #[inline(always)]
    fn follow_slice(
        &mut self,
        level: &mut Level,
        s: usize,
        layout: &Layout,
        points: &[i64],
        take: impl Fn(&mut Self, &[i64]) -> usize,
    ) -> (usize, bool) {
        if self.is_complete() && (points.is_empty() || !self.next_row(level, s, layout, points)) {
            return (0, true);
        }
        let taken = take(self, points);
        let stays = self.left > 0;
        if !stays {
            self.load(level, self.slice + 1, s, layout);
        }
        (taken, stays)
    }

    /// A template of several slices that all move together, followed to its end by the last of the `taken` points: take the rows
    /// after it that are this row moved. The template stays complete; the last row taken is the one to be absorbed.
    fn repeated_rows(
        &mut self,
        level: &mut Level,
        s: usize,
        layout: &Layout,
        points: &[i64],
        taken: usize,
    ) -> usize {
        if self.wide || !self.is_complete() || self.order.len() < 2 {
            return 0;
        }
        let (width, prefix, count) = (layout.width(), layout.prefix(s), layout.count(0));
        let slices = || self.order.iter().map(|i| &level.absorbers[*i]);
        let row: usize = slices().map(|a| a.next()[count] as usize + 1).sum();
        // Every grown absorber takes part, so none falls due in between or dies.
        let grown = level.absorbers.iter().filter(|a| a.is_grown(s)).count();
        if taken < row || points.len() < (taken + row) * width || grown != self.order.len() {
            return 0;
        }
        let delta = level.absorbers[self.order[0]].delta(s);
        let rows = repetitions_of(&points[(taken - row) * width..], width, row, delta) as u64;
        if rows == 0
            || !move_together(slices(), s, layout)
            || !slices().all(|a| a.can_advance_by(s, prefix, rows))
        {
            return 0;
        }
        for &i in &self.order {
            level.absorbers[i].absorb_slices(s, layout, rows);
        }
        rows as usize * row
    }

    /// The row is complete and more points follow. If they begin the next row of the same template, absorb this row
    /// and expect that one; otherwise leave everything as it is.
    #[inline(always)]
    fn next_row(&mut self, level: &mut Level, s: usize, layout: &Layout, points: &[i64]) -> bool {
        let d = layout.dim_of(s);
        let due = |i: &usize| {
            let a = &level.absorbers[*i];
            let next = a.next();
            points[..d] == next[..d] && next[d].checked_add(a.delta(s)[d]) == Some(points[d])
        };
        // Every grown absorber takes part, so none falls due in between or dies.
        let grown = level.absorbers.iter().filter(|a| a.is_grown(s)).count();
        if grown != self.order.len() || !self.order.iter().all(due) {
            return false;
        }
        self.absorb_row(level, s, layout);
        if !self.is_sound(level, s, points[d], layout) {
            self.active = false;
            return false;
        }
        self.load(level, 0, s, layout);
        true
    }

    /// Let every absorber take its slice of the row that has been followed.
    pub fn absorb_row(&mut self, level: &mut Level, s: usize, layout: &Layout) {
        let (at, count, prefix) = (layout.count(s), layout.count(0), layout.prefix(s));
        let mut followed = self.followed.as_slice();
        for &i in &self.order {
            let a = &mut level.absorbers[i];
            let points = a.next()[count] as u64 + 1;
            if self.wide {
                let (slice, rest) = followed.split_at(numbers_kept(followed, points, layout.width()));
                record_labels(a, s, slice, layout);
                followed = rest;
            }
            a.points += points;
            a.anchor_mut()[at] += 1;
            a.advance(s, prefix);
        }
        self.followed.clear();
    }

    /// End the template: the parts of this row that were followed.
    pub fn unfollow(&mut self, level: &Level, layout: &Layout) -> Vec<Followed> {
        let width = layout.width();
        if self.wide {
            self.active = false;
            let line = |line: &[i64]| Followed {
                first: line[1..=width].to_vec(),
                step: line[1 + width..].to_vec(),
                points: line[0] as u64,
            };
            return std::mem::take(&mut self.followed).chunks_exact(1 + 2 * width).map(line).collect();
        }
        let part = |(n, &i): (usize, &usize)| {
            let a = &level.absorbers[i];
            let left = if n == self.slice { self.left } else { 0 };
            Followed {
                first: a.next()[..width].to_vec(),
                step: if a.is_grown(0) { a.delta(0)[..width].to_vec() } else { vec![0; width] },
                points: a.next()[layout.count(0)] as u64 + 1 - left,
            }
        };
        self.active = false;
        self.order.iter().enumerate().take(self.slice + 1).map(part).filter(|f| f.points > 0).collect()
    }

    #[inline(always)]
    fn take_fixed<const D: usize, const W: usize>(&mut self, points: &[i64]) -> usize {
        let (Some(&expected), Some(&step)) = (self.expected.first_chunk::<W>(), self.step.first_chunk::<W>())
        else {
            return 0;
        };
        let mut expected = expected;
        let mut taken = 0;
        let mut overflow = false;
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        for p in points.as_chunks::<W>().0.iter().take(limit) {
            let mut differs = i64::from(overflow);
            for k in 0..W {
                differs |= p[k] ^ expected[k];
            }
            if differs != 0 {
                break;
            }
            taken += 1;
            for k in D - 1..W {
                let (sum, o) = expected[k].overflowing_add(step[k]);
                expected[k] = sum;
                overflow |= o;
            }
        }
        self.expected.copy_from_slice(&expected);
        self.after(taken, overflow);
        taken
    }

    fn take_any(&mut self, points: &[i64], width: usize) -> usize {
        let mut taken = 0;
        let mut overflow = false;
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        for p in points.chunks_exact(width).take(limit) {
            if p != self.expected || overflow {
                break;
            }
            taken += 1;
            for (e, s) in self.expected.iter_mut().zip(&self.step) {
                let (sum, o) = e.overflowing_add(*s);
                *e = sum;
                overflow |= o;
            }
        }
        self.after(taken, overflow);
        taken
    }

    /// The points of this slice whose known numbers are as predicted; all are kept.
    #[inline(always)]
    fn take_wide(&mut self, points: &[i64], dim: usize, width: usize) -> usize {
        let mut taken = 0;
        let mut overflow = false;
        for p in points.chunks_exact(width).take(self.left as usize) {
            if self.expected.len() != width || overflow {
                break;
            }
            let known = if self.at_first { &self.known_first } else { &self.known_rest };
            let mut differs = 0;
            for k in 0..width {
                differs |= (p[k] ^ self.expected[k]) & known[k];
            }
            if differs != 0 {
                break;
            }
            self.know_labels(p, dim);
            taken += 1;
            for (e, s) in self.expected[dim - 1..].iter_mut().zip(&self.step[dim - 1..]) {
                let (sum, o) = e.overflowing_add(*s);
                *e = sum;
                overflow |= o;
            }
        }
        if self.is_line() && taken > 0 {
            self.keep_line(&points[..width], taken);
        } else {
            points[..taken * width].chunks_exact(width).for_each(|point| self.keep_line(point, 1));
        }
        self.after(taken, overflow);
        taken
    }

    /// Book `taken` points. A point that does not fit in `i64` is not in the stream: it can only be a departure.
    fn after(&mut self, taken: usize, overflow: bool) {
        self.left -= taken as u64;
        if overflow && self.left > 0 {
            // Nothing equals the empty list: the next point departs from the template.
            self.expected.clear();
        }
    }
}

/// How many numbers stand for the first `points` points that were kept.
fn numbers_kept(followed: &[i64], points: u64, width: usize) -> usize {
    let (kept, mut left) = (1 + 2 * width, points);
    let lines = followed.chunks_exact(kept).take_while(|line| {
        let more = left > 0;
        left -= (line[0] as u64).min(left);
        more
    });
    lines.count() * kept
}

/// Bring the widened labels of `a` up to date for the slice that it absorbs along `s` (as [`crate::widen`] does for
/// slices that are polyhedra; a label that is top along `s` stays so, and fits anything).
///
/// `slice` is its points as [`Template`] keeps them.
fn record_labels(a: &mut Poly, s: usize, slice: &[i64], layout: &Layout) {
    let rows = a.anchor()[layout.count(s)] as u64 + 1;
    let inner = if a.is_grown(0) { a.tops[0] } else { 0 };
    let kept = 1 + 2 * layout.width();
    for l in members(a.any_top) {
        let at = layout.dim + l;
        let origin = a.anchor()[at];
        // Along the slice the label is known from its first value on, or not at all; then each point was kept.
        let numbers = if inner >> l & 1 == 1 { slice.len() } else { kept };
        let (mut min, mut max, mut hash) = (i64::MAX, i64::MIN, 0u64);
        for (k, p) in slice[..numbers].chunks_exact(kept).enumerate() {
            let label = p[1 + at];
            min = min.min(label);
            max = max.max(label);
            hash = hash.wrapping_add(mix(k as u64, label.wrapping_sub(origin) as u64, WIDE));
        }
        let r = &mut a.residual[l];
        r.min = r.min.min(i128::from(min) - i128::from(origin));
        r.max = r.max.max(i128::from(max) - i128::from(origin));
        r.hash = r.hash.wrapping_add(mix(rows, hash, WIDE));
    }
}

/// Whether the points are `first`, `first + step`, and so on, without overflow.
#[inline(always)]
pub(crate) fn is_row<const D: usize, const W: usize>(
    points: &[[i64; W]],
    first: [i64; W],
    step: &[i64; W],
) -> bool {
    let mut expected = first;
    let mut overflow = false;
    for p in points {
        let mut differs = i64::from(overflow);
        for k in 0..W {
            differs |= p[k] ^ expected[k];
        }
        if differs != 0 {
            return false;
        }
        for k in D - 1..W {
            let (sum, o) = expected[k].overflowing_add(step[k]);
            expected[k] = sum;
            overflow |= o;
        }
    }
    true
}

/// The levels between the run and the loop around it are empty.
pub(crate) fn nothing_between(levels: &[Level], s: usize) -> bool {
    levels[1..s].iter().all(|l| l.absorbers.is_empty())
}
