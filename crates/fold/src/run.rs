//! The innermost loop level: a run of points, one comparison per point (Section 5.2.1 for `d = 1`).
//!
//! At level 0 the paper's worklists hold one absorber, the segment that ends at the last point. It is kept apart from
//! the other polyhedra so that the usual step (the next point is the predicted one) touches a dozen numbers and
//! allocates nothing:
//!
//! - `next` is the whole predicted point (outer coordinates, inner coordinate, labels), `step` what to add for the one
//!   after it. While the stream equals `next` the run grows.
//! - A run starts with one point. A second point 1 further on merges at once, as in the paper. A second point further
//!   away makes a *pair*: it becomes a strided run if the third point continues it, or if the row ends and the level
//!   above expects just these two; otherwise it falls apart.
//! - With widening, a label that leaves its line becomes top; from then on its range and fingerprint
//!   ([`crate::label`]) are updated for each point.
//!
//! Overflow: if the predicted point has a coordinate or label outside `i64` there is no such point, the run is closed
//! and the next point starts another.

use crate::label::{Residual, affine_prefix, mix};
use crate::layout::Layout;
use crate::polyhedron::Poly;

/// Salt of the fingerprint of a run's labels.
const RUN: u64 = 0x52;

/// What the run is at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// No point.
    Empty,
    /// One point.
    One,
    /// Two points more than 1 apart, not merged.
    Pair,
    /// Merged points.
    Line,
}

/// How a point was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is part of the run now.
    Yes,
    /// It is, and the first point of the pair was let go: promote it as a single point.
    DropFirst,
    /// The run cannot take it: close the run and start again.
    No,
}

/// The growing segment along the innermost dimension.
#[derive(Debug)]
pub(crate) struct Run {
    dim: usize,
    width: usize,
    pub state: State,
    /// Number of points.
    pub len: u64,
    first: Vec<i64>,
    /// The last point of the stream.
    pub last: Vec<i64>,
    pub next: Vec<i64>,
    step: Vec<i64>,
    /// Whether `next` exists (no overflow).
    open: bool,
    /// Labels that are top.
    tops: u64,
    /// Absolute range and fingerprint of each top label.
    top: Vec<Top>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Top {
    min: i64,
    max: i64,
    hash: u64,
}

impl Top {
    /// Enter the label of the point at `position`; `first` is the label of the run's first point.
    #[inline(always)]
    fn record(&mut self, label: i64, first: i64, position: u64) {
        self.min = self.min.min(label);
        self.max = self.max.max(label);
        let relative = label.wrapping_sub(first);
        self.hash = self.hash.wrapping_add(mix(position, relative as u64, RUN));
    }
}

impl Run {
    pub fn new(layout: &Layout) -> Run {
        let zeros = vec![0; layout.width()];
        Run {
            dim: layout.dim,
            width: layout.width(),
            state: State::Empty,
            len: 0,
            first: zeros.clone(),
            last: zeros.clone(),
            next: zeros.clone(),
            step: zeros,
            open: false,
            tops: 0,
            top: vec![Top::default(); layout.labels],
        }
    }

    /// Start again with one point.
    pub fn start(&mut self, point: &[i64]) {
        self.first.copy_from_slice(point);
        self.last.copy_from_slice(point);
        self.state = State::One;
        self.len = 1;
        self.open = false;
        self.tops = 0;
    }

    /// Whether the fast path applies.
    #[inline]
    pub fn is_plain_line(&self) -> bool {
        self.open && self.state == State::Line && self.tops == 0
    }

    /// Whether the run is the line of `count` steps from `first`, all labels known.
    #[inline]
    pub fn is_slice(&self, first: &[i64], count: i64, step: &[i64]) -> bool {
        self.state == State::Line
            && self.tops == 0
            && self.len.wrapping_sub(1) == count as u64
            && self.first == first
            && self.step == step
    }

    /// Become the line from `first` to `last`.
    #[inline]
    pub fn set_line(&mut self, first: &[i64], last: &[i64], step: &[i64], len: u64) {
        self.first.copy_from_slice(first);
        self.last.copy_from_slice(last);
        self.next.copy_from_slice(last);
        self.step.copy_from_slice(step);
        self.state = State::Line;
        self.len = len;
        self.predict();
    }

    /// Extend a plain line by `points` more points of its own, `step` apart, that are known to follow; false (and
    /// nothing done) if the run is not such a line.
    pub fn extend_by(&mut self, points: u64, step: &[i64]) -> bool {
        if !self.is_plain_line() || self.step != step {
            return false;
        }
        for (last, s) in self.last.iter_mut().zip(step) {
            // The last point is one of the stream; only the way there may leave `i64`.
            *last = last.wrapping_add(s.wrapping_mul(points as i64));
        }
        self.len += points;
        self.next.copy_from_slice(&self.last);
        self.predict();
        true
    }

    /// Whether the path for widened lines applies.
    pub fn is_widened_line(&self) -> bool {
        self.open && self.state == State::Line && self.tops != 0
    }

    /// Take points from the front of `points` as long as they are the predicted ones; returns how many.
    #[inline]
    pub fn advance(&mut self, points: &[i64]) -> usize {
        match (self.dim, self.width) {
            (1, 1) => self.advance_fixed::<1, 1>(points),
            (1, 2) => self.advance_fixed::<1, 2>(points),
            (1, 3) => self.advance_fixed::<1, 3>(points),
            (1, 4) => self.advance_fixed::<1, 4>(points),
            (2, 2) => self.advance_fixed::<2, 2>(points),
            (2, 3) => self.advance_fixed::<2, 3>(points),
            (2, 4) => self.advance_fixed::<2, 4>(points),
            (2, 5) => self.advance_fixed::<2, 5>(points),
            (3, 3) => self.advance_fixed::<3, 3>(points),
            (3, 4) => self.advance_fixed::<3, 4>(points),
            (3, 5) => self.advance_fixed::<3, 5>(points),
            (3, 6) => self.advance_fixed::<3, 6>(points),
            (4, 4) => self.advance_fixed::<4, 4>(points),
            (4, 5) => self.advance_fixed::<4, 5>(points),
            (4, 6) => self.advance_fixed::<4, 6>(points),
            (4, 8) => self.advance_fixed::<4, 8>(points),
            _ => self.advance_any(points),
        }
    }

    /// [`Run::advance`] for a fixed number of dimensions `D` and of numbers per point `W`.
    #[inline]
    fn advance_fixed<const D: usize, const W: usize>(&mut self, points: &[i64]) -> usize {
        let (Some(&next), Some(&step)) = (self.next.first_chunk::<W>(), self.step.first_chunk::<W>()) else {
            return 0;
        };
        let mut next = next;
        let mut taken = 0;
        let mut overflow = false;
        for p in points.as_chunks::<W>().0 {
            // Word by word: comparing whole arrays may end in a call to memcmp.
            let mut differs = i64::from(overflow);
            for k in 0..W {
                differs |= p[k] ^ next[k];
            }
            if differs != 0 {
                break;
            }
            taken += 1;
            for k in D - 1..W {
                let (sum, o) = next[k].overflowing_add(step[k]);
                next[k] = sum;
                overflow |= o;
            }
        }
        self.next.copy_from_slice(&next);
        self.took(points, taken, overflow);
        taken
    }

    /// [`Run::advance`] for any size.
    fn advance_any(&mut self, points: &[i64]) -> usize {
        let mut taken = 0;
        let mut overflow = false;
        for p in points.chunks_exact(self.width) {
            if p != self.next || overflow {
                break;
            }
            taken += 1;
            for (n, s) in self.next.iter_mut().zip(&self.step) {
                let (sum, o) = n.overflowing_add(*s);
                *n = sum;
                overflow |= o;
            }
        }
        self.took(points, taken, overflow);
        taken
    }

    fn took(&mut self, points: &[i64], taken: usize, overflow: bool) {
        if taken > 0 {
            self.last.copy_from_slice(&points[(taken - 1) * self.width..taken * self.width]);
            self.len += taken as u64;
        }
        self.open = !overflow;
    }

    /// [`Run::advance`] for a line with widened labels: the known ones must fit, the others are recorded.
    pub fn advance_widened(&mut self, points: &[i64]) -> usize {
        match (self.dim, self.width) {
            (1, 2) => self.advance_widened_fixed::<1, 2, 1>(points),
            (1, 3) => self.advance_widened_fixed::<1, 3, 2>(points),
            (2, 3) => self.advance_widened_fixed::<2, 3, 1>(points),
            (2, 4) => self.advance_widened_fixed::<2, 4, 2>(points),
            (3, 4) => self.advance_widened_fixed::<3, 4, 1>(points),
            (3, 5) => self.advance_widened_fixed::<3, 5, 2>(points),
            (3, 6) => self.advance_widened_fixed::<3, 6, 3>(points),
            (4, 5) => self.advance_widened_fixed::<4, 5, 1>(points),
            _ => self.advance_widened_any(points),
        }
    }

    /// [`Run::advance_widened`] for `D` dimensions, `W` numbers per point and `L = W - D` labels.
    fn advance_widened_fixed<const D: usize, const W: usize, const L: usize>(
        &mut self,
        points: &[i64],
    ) -> usize {
        let (Some(&next), Some(&step), Some(&first), Some(&top)) = (
            self.next.first_chunk::<W>(),
            self.step.first_chunk::<W>(),
            self.first.first_chunk::<W>(),
            self.top.first_chunk::<L>(),
        ) else {
            return 0;
        };
        // All ones where a number has to be as predicted, 0 for a top label.
        let known: [i64; W] =
            std::array::from_fn(|k| if k >= D && self.tops >> (k - D) & 1 == 1 { 0 } else { -1 });
        let (mut next, mut top, mut len) = (next, top, self.len);
        let mut overflow = false;
        for p in points.as_chunks::<W>().0 {
            let mut differs = i64::from(overflow);
            for k in 0..W {
                differs |= (p[k] ^ next[k]) & known[k];
            }
            if differs != 0 {
                break;
            }
            for l in 0..L {
                // Harmless for a known label: its entry is not used.
                top[l].record(p[D + l], first[D + l], len);
            }
            len += 1;
            for k in D - 1..W {
                let (sum, o) = next[k].overflowing_add(step[k]);
                next[k] = sum;
                overflow |= o;
            }
        }
        let taken = (len - self.len) as usize;
        self.len = len;
        self.next.copy_from_slice(&next);
        self.top.copy_from_slice(&top);
        self.open = !overflow;
        if taken > 0 {
            self.last.copy_from_slice(&points[(taken - 1) * W..taken * W]);
        }
        taken
    }

    /// [`Run::advance_widened`] for any size.
    fn advance_widened_any(&mut self, points: &[i64]) -> usize {
        let mut taken = 0;
        for p in points.chunks_exact(self.width) {
            if p[..self.dim] != self.next[..self.dim] || !self.fits_known(p) {
                break;
            }
            self.record(p);
            taken += 1;
            self.len += 1;
            if !self.predict() {
                break;
            }
        }
        if taken > 0 {
            self.last.copy_from_slice(&points[(taken - 1) * self.width..taken * self.width]);
        }
        taken
    }

    fn fits_known(&self, p: &[i64]) -> bool {
        (self.dim..self.width).all(|k| self.tops >> (k - self.dim) & 1 == 1 || p[k] == self.next[k])
    }

    /// Enter the labels of point number `len` into the ranges and fingerprints of the top ones.
    #[inline]
    fn record(&mut self, p: &[i64]) {
        for (l, t) in self.top.iter_mut().enumerate() {
            if self.tops >> l & 1 == 1 {
                t.record(p[self.dim + l], self.first[self.dim + l], self.len);
            }
        }
    }

    /// Advance `next`; false (and closed) on overflow.
    fn predict(&mut self) -> bool {
        let mut overflow = false;
        for (n, s) in self.next[self.dim - 1..].iter_mut().zip(&self.step[self.dim - 1..]) {
            let (sum, o) = n.overflowing_add(*s);
            *n = sum;
            overflow |= o;
        }
        self.open = !overflow;
        self.open
    }

    /// Take a point of the same row that the fast paths did not take.
    pub fn take(&mut self, p: &[i64], strides: bool, widen: bool) -> Taken {
        match self.state {
            State::Empty => Taken::No,
            State::One => self.take_second(p, strides),
            State::Pair => self.take_third(p, widen),
            State::Line => self.take_misfit(p, widen),
        }
    }

    /// Set `step` to the way from the last point to `p`; false if it does not fit in `i64`.
    fn measure(&mut self, p: &[i64]) -> bool {
        let mut fits = true;
        let from = self.dim - 1;
        for ((step, &new), &old) in self.step[from..].iter_mut().zip(&p[from..]).zip(&self.last[from..]) {
            let (d, o) = new.overflowing_sub(old);
            *step = d;
            fits &= !o;
        }
        self.step[..self.dim - 1].fill(0);
        fits
    }

    fn take_second(&mut self, p: &[i64], strides: bool) -> Taken {
        let unit = p[self.dim - 1].checked_sub(self.last[self.dim - 1]) == Some(1);
        if !unit && !strides || !self.measure(p) {
            return Taken::No;
        }
        self.last.copy_from_slice(p);
        self.next.copy_from_slice(p);
        self.predict();
        self.len = 2;
        self.state = if unit { State::Line } else { State::Pair };
        Taken::Yes
    }

    fn take_third(&mut self, p: &[i64], widen: bool) -> Taken {
        let continues = self.open && p[..self.dim] == self.next[..self.dim];
        if continues && self.fits_known(p) {
            self.state = State::Line;
            self.len = 3;
            self.last.copy_from_slice(p);
            self.predict();
            return Taken::Yes;
        }
        if continues && widen {
            self.state = State::Line;
            return self.take_misfit(p, widen);
        }
        Taken::DropFirst
    }

    /// The first point of a pair is gone: the second one is now a run of its own.
    pub fn drop_first(&mut self) {
        let last = std::mem::take(&mut self.last);
        self.first.copy_from_slice(&last);
        self.last = last;
        self.state = State::One;
        self.len = 1;
        self.open = false;
    }

    /// A line meets a point with the right coordinate and a wrong label: widen, if allowed.
    fn take_misfit(&mut self, p: &[i64], widen: bool) -> Taken {
        if !widen || !self.open || p[..self.dim] != self.next[..self.dim] {
            return Taken::No;
        }
        for l in 0..self.top.len() {
            let k = self.dim + l;
            if self.tops >> l & 1 == 0 && p[k] != self.next[k] {
                self.tops |= 1 << l;
                self.top[l] = Top {
                    min: self.first[k].min(self.last[k]),
                    max: self.first[k].max(self.last[k]),
                    hash: affine_prefix(self.len, self.step[k], RUN),
                };
                self.step[k] = 0;
            }
        }
        self.record(p);
        self.len += 1;
        self.last.copy_from_slice(p);
        self.predict();
        Taken::Yes
    }

    /// The first point, as a 0-dimensional polyhedron.
    pub fn first_point(&self, poly: &mut Poly) {
        poly.reset(&self.first);
    }

    /// The last point, as a 0-dimensional polyhedron.
    pub fn last_point(&self, poly: &mut Poly) {
        poly.reset(&self.last);
    }

    /// The line as a polyhedron grown along level 0.
    pub fn line(&self, poly: &mut Poly, layout: &Layout) {
        poly.reset(&self.first);
        poly.points = self.len;
        poly.grown = 1;
        poly.anchor_mut()[layout.count(0)] = (self.len - 1) as i64;
        let delta = poly.delta_mut(0);
        delta[..self.width].copy_from_slice(&self.step);
        delta[self.width..].fill(0);
        if self.tops != 0 {
            self.line_tops(poly);
        }
    }

    fn line_tops(&self, poly: &mut Poly) {
        poly.any_top = self.tops;
        poly.tops[0] = self.tops;
        poly.residual.clear();
        poly.residual.extend(self.top.iter().enumerate().map(|(l, t)| {
            if self.tops >> l & 1 == 0 {
                return Residual::default();
            }
            let origin = i128::from(self.first[self.dim + l]);
            Residual {
                min: i128::from(t.min) - origin,
                max: i128::from(t.max) - origin,
                hash: t.hash,
                slice: 0,
            }
        }));
    }
}
