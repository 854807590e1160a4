//! Elementary polyhedra while they grow (Section 5.2.1).
//!
//! The paper stores the `2^d` vertices of an elementary polyhedron. Its shape restriction (each loop variable lies
//! between two hyperplanes in the outer ones, and corresponding edges are parallel) says the same as the following,
//! which needs `O(d^2)` numbers instead of `d 2^d`, all integers:
//!
//! ```text
//! { (x, label) = v + sum over levels s of q_s * delta_s  :  0 <= q_s <= count_s(q_{s+1}, ...) }
//! ```
//!
//! - `v` is the *anchor* state: the lexicographically smallest vertex, its label, and the counts there
//!   (see [`crate::layout`]);
//! - `delta_s` is what changes from one slice along level `s` to the next: the slope vector of the lower edge, the
//!   label coefficients, and how the counts of the levels below grow or shrink (the other edge);
//! - `q_s` counts slices along level `s`: a *local* coordinate that is 0 at the anchor.
//!
//! A level is *grown* once a slice has been absorbed along it; otherwise the polyhedron is *degenerate* there and
//! `delta_s` is the paper's bottom: unknown, free to be adopted from a partner. Because `q_s` is 0 on all of a
//! degenerate polyhedron, adopting does not change the anchor's label: the paper's "remaining value" bookkeeping
//! (Algorithms 3 and 4) has nothing left to do.
//!
//! Example: the triangle `0 <= j <= i <= 9` with label `10 i + j` is the anchor `(0, 0 | 0 | count_0 = 0)`, level 0
//! with `delta_0 = (0, 1 | 1)`, level 1 with `delta_1 = (1, 0 | 10 | count_0 + 1)` and `count_1 = 9`.
//!
//! `next` is the state that the slice after the last one must have; it is kept up to date so that the common check is
//! one comparison of two slices of integers. All arithmetic is checked: where a number would leave `i64` the
//! polyhedron stops growing (`open` is false) and the result stays exact.

use crate::label::Residual;
use crate::layout::Layout;

/// A polyhedron that may still absorb or be absorbed.
#[derive(Debug, Clone)]
pub(crate) struct Poly {
    /// `[v | next | delta_0 | delta_1 ...]`, each of the layout's length.
    data: Vec<i64>,
    len: usize,
    /// The set of grown levels.
    pub grown: u64,
    /// Whether `next` is valid: false for a degenerate polyhedron and after an overflow.
    pub open: bool,
    /// Labels that are widened along some level.
    pub any_top: u64,
    /// For each level the set of labels whose coefficient is top.
    pub tops: Vec<u64>,
    /// For each label what is known of its widened part; empty while no label is widened.
    pub residual: Vec<Residual>,
    /// Number of stream points inside.
    pub points: u64,
    /// The row in which it last absorbed something or was created, by the level's own count of rows.
    pub stamp: u64,
}

/// Points in so many rows, of which the first has `first` points and each following one `longer` more.
pub(crate) fn points_in_rows(first: u64, longer: i64, rows: u64) -> u64 {
    let pairs = i128::from(rows) * (i128::from(rows) - 1) / 2;
    (i128::from(rows) * i128::from(first) + pairs * i128::from(longer)) as u64
}

impl Poly {
    /// Room for one polyhedron of this layout.
    pub fn new(layout: &Layout) -> Poly {
        let len = layout.len();
        Poly {
            data: vec![0; len * (2 + layout.levels())],
            len,
            grown: 0,
            open: false,
            any_top: 0,
            tops: vec![0; layout.levels()],
            residual: Vec::new(),
            points: 0,
            stamp: 0,
        }
    }

    /// Make it the 0-dimensional polyhedron of `point` (coordinates, then labels).
    pub fn reset(&mut self, point: &[i64]) {
        self.data[..point.len()].copy_from_slice(point);
        self.data[point.len()..self.len].fill(0);
        self.grown = 0;
        self.open = false;
        if self.any_top != 0 {
            self.any_top = 0;
            self.tops.fill(0);
            self.residual.clear();
        }
        self.points = 1;
        self.stamp = 0;
    }

    /// The anchor's state.
    pub fn anchor(&self) -> &[i64] {
        &self.data[..self.len]
    }

    /// The anchor's state, to change.
    pub fn anchor_mut(&mut self) -> &mut [i64] {
        &mut self.data[..self.len]
    }

    /// The state expected of the next slice; meaningful while `open`.
    pub fn next(&self) -> &[i64] {
        &self.data[self.len..2 * self.len]
    }

    /// The change from slice to slice along level `s`.
    pub fn delta(&self, s: usize) -> &[i64] {
        &self.data[(2 + s) * self.len..(3 + s) * self.len]
    }

    /// The change along level `s`, to fill in.
    pub fn delta_mut(&mut self, s: usize) -> &mut [i64] {
        &mut self.data[(2 + s) * self.len..(3 + s) * self.len]
    }

    /// Whether level `s` is grown.
    pub fn is_grown(&self, s: usize) -> bool {
        self.grown >> s & 1 == 1
    }

    /// Set `next` to the slice after `last` along `s`, or close the polyhedron where a number does not fit.
    /// `last` is the anchor of the last slice absorbed.
    pub fn expect_after(&mut self, last: &[i64], s: usize, prefix: usize) {
        self.open = true;
        for (k, &l) in last.iter().enumerate().take(prefix) {
            match l.checked_add(self.data[(2 + s) * self.len + k]) {
                Some(n) => self.data[self.len + k] = n,
                None => self.open = false,
            }
        }
    }

    /// Advance `next` by one slice along `s`, or close the polyhedron.
    pub fn advance(&mut self, s: usize, prefix: usize) {
        let (head, deltas) = self.data.split_at_mut(2 * self.len);
        let next = &mut head[self.len..self.len + prefix];
        let delta = &deltas[s * self.len..s * self.len + prefix];
        let mut overflow = false;
        for (n, d) in next.iter_mut().zip(delta) {
            let (sum, o) = n.overflowing_add(*d);
            *n = sum;
            overflow |= o;
        }
        self.open = !overflow;
    }

    /// Whether `next` still fits in 64 bits after so many slices along `s`.
    pub fn can_advance_by(&self, s: usize, prefix: usize, slices: u64) -> bool {
        let fits = |(n, d): (&i64, &i64)| {
            i64::try_from(slices).ok().and_then(|c| d.checked_mul(c)).and_then(|m| n.checked_add(m)).is_some()
        };
        self.next()[..prefix].iter().zip(&self.delta(s)[..prefix]).all(fits)
    }

    /// Take so many slices along `s` that are points or lines, after [`Poly::can_advance_by`].
    pub fn absorb_slices(&mut self, s: usize, layout: &Layout, slices: u64) {
        let (first, longer) = (self.next()[layout.count(0)] + 1, self.delta(s)[layout.count(0)]);
        self.points += points_in_rows(first as u64, longer, slices);
        self.anchor_mut()[layout.count(s)] += slices as i64;
        let (head, deltas) = self.data.split_at_mut(2 * self.len);
        let prefix = layout.prefix(s);
        let next = &mut head[self.len..self.len + prefix];
        for (n, d) in next.iter_mut().zip(&deltas[s * self.len..]) {
            *n += d * slices as i64;
        }
    }

    /// Upper bounds of the counts of all levels up to `top`, over all of the polyhedron.
    pub fn max_counts(&self, layout: &Layout, top: usize) -> Vec<i128> {
        let mut max = vec![0i128; top + 1];
        for j in (0..=top).rev() {
            if !self.is_grown(j) {
                continue;
            }
            let at = layout.count(j);
            let mut n = i128::from(self.anchor()[at]);
            for k in (j + 1..=top).filter(|&k| self.is_grown(k)) {
                n = n.saturating_add(i128::from(self.delta(k)[at].max(0)).saturating_mul(max[k]));
            }
            max[j] = n;
        }
        max
    }
}
