//! One level's worklist of intermediate polyhedra (Algorithm 1).
//!
//! A level holds *absorbers*. A polyhedron arriving from the level below is offered to them; it is absorbed or
//! becomes an absorber itself (the paper's steps 2 and 3, taken as soon as a polyhedron arrives instead of at the end
//! of the row). Preference: an exact extension, an exact merge, an exact progression; and only then, with widening on,
//! the same three with labels that do not fit.
//!
//! At a loop level a *tick* ends a row: absorbers that can never absorb again leave for the next level. That is the
//! paper's rule (what did not absorb in this row is promoted), with two refinements for strides: a grown polyhedron
//! with row step `t` waits until its next row is due, and up to [`WINDOW`] degenerate ones wait for a progression.
//! An extra level has no rows; it keeps the [`WINDOW`] most recently used absorbers.
//!
//! Lookup is by comparison while a level holds few absorbers and by a hash of the expected anchor beyond
//! [`INDEX_FROM`], so a row of `n` polyhedra costs `O(n)` (times the paper's `3^(d-1)` search vectors for merges).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::absorb::{Labels, absorb, can_extend, can_merge, in_progression};
use crate::label::mix;
use crate::layout::{Layout, MAX_LEVELS};
use crate::polyhedron::Poly;

/// How many degenerate polyhedra wait for a progression, and how many absorbers an extra level keeps.
pub(crate) const WINDOW: usize = 8;
/// From this many absorbers on, lookups go through the index.
const INDEX_FROM: usize = 24;
/// Most inner dimensions whose `3^n` search vectors are looked up one by one; beyond, merges compare linearly.
const MAX_SEARCH_DIMS: usize = 6;

/// Settings that hold for all levels of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Labels that do not fit are widened.
    pub widen: bool,
    /// Progressions at loop levels.
    pub strides: bool,
}

/// A level's absorbers.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub absorbers: Vec<Poly>,
    /// Counts rows (ticks) or, on an extra level, arrivals.
    clock: u64,
    /// Hash of an expected or own anchor -> the last entry of its chain; valid while `indexed`.
    index: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    /// Entries: a position in `absorbers`, and the entry before with the same hash.
    chain: Vec<(u32, Option<u32>)>,
    indexed: bool,
}

/// The keys of the index are hashes already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.0 = mix(u64::from(b), self.0, 1));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Hash of an anchor's coordinates moved back by a search vector.
fn place_hash(x: &[i64], back: &[i64]) -> u64 {
    x.iter().enumerate().fold(0, |h, (k, &v)| {
        let v = v.wrapping_sub(back.get(k).copied().unwrap_or(0));
        mix(k as u64, v as u64, h)
    })
}

impl Level {
    /// Offer `b` to the absorbers; if none absorbs it, it becomes one. Returns how many polyhedra were used up by
    /// absorption (0, 1 or 2); they are put into `spare` for reuse.
    pub fn offer(
        &mut self,
        mut b: Poly,
        s: usize,
        layout: &Layout,
        rules: Rules,
        spare: &mut Vec<Poly>,
    ) -> usize {
        self.refresh_index(layout);
        let clock = self.clock;
        if let Some(at) = self.find(&b, s, layout, rules) {
            let used = match at {
                Found::One(i) => {
                    absorb(&mut self.absorbers[i], &b, s, layout);
                    self.absorbers[i].stamp = clock;
                    self.reindex(i, layout);
                    1
                }
                Found::Two(i, j) => {
                    // Found without the index, and `i` is the older of the two: positions below `j` stay.
                    let second = self.absorbers.remove(j);
                    absorb(&mut self.absorbers[i], &second, s, layout);
                    absorb(&mut self.absorbers[i], &b, s, layout);
                    self.absorbers[i].stamp = clock;
                    spare.push(second);
                    2
                }
            };
            spare.push(b);
            return used;
        }
        b.stamp = clock;
        b.open = false;
        self.absorbers.push(b);
        self.reindex(self.absorbers.len() - 1, layout);
        0
    }

    /// Whether some absorber (of few) would be extended by `b`, labels included.
    pub fn expects(&self, b: &Poly, s: usize, layout: &Layout) -> bool {
        // In a crowd the answer is not worth the search.
        self.absorbers.len() <= INDEX_FROM
            && self.absorbers.iter().any(|a| a.is_grown(s) && can_extend(a, b, s, layout, Labels::Compatible))
    }

    /// Who absorbs `b`.
    fn find(&self, b: &Poly, s: usize, layout: &Layout, rules: Rules) -> Option<Found> {
        self.find_with(b, s, layout, rules, Labels::Compatible)
            .or_else(|| rules.widen.then(|| self.find_with(b, s, layout, rules, Labels::Any)).flatten())
    }

    fn find_with(&self, b: &Poly, s: usize, layout: &Layout, rules: Rules, labels: Labels) -> Option<Found> {
        let is_loop = layout.is_loop(s);
        let extends = |i: &usize| {
            let a = &self.absorbers[*i];
            a.is_grown(s) && can_extend(a, b, s, layout, labels)
        };
        let merges = |i: &usize| {
            let a = &self.absorbers[*i];
            !a.is_grown(s) && can_merge(a, b, s, layout, labels)
        };
        if self.indexed {
            let x = &b.anchor()[..layout.dim];
            if let Some(i) = self.at(place_hash(x, &[])).find(extends) {
                return Some(Found::One(i));
            }
            if is_loop && let Some(i) = self.search_vectors(x, s, layout, merges) {
                return Some(Found::One(i));
            }
            return None;
        }
        let n = self.absorbers.len();
        if let Some(i) = (0..n).find(extends) {
            return Some(Found::One(i));
        }
        if is_loop && let Some(i) = (0..n).find(merges) {
            return Some(Found::One(i));
        }
        if !is_loop || rules.strides { self.progression(b, s, layout, labels) } else { None }
    }

    /// Two degenerate absorbers that are in progression with `c`, the most recent first.
    fn progression(&self, c: &Poly, s: usize, layout: &Layout, labels: Labels) -> Option<Found> {
        let mut recent = [0usize; WINDOW];
        let mut found = 0;
        for i in (0..self.absorbers.len()).rev().filter(|&i| !self.absorbers[i].is_grown(s)).take(WINDOW) {
            recent[found] = i;
            found += 1;
        }
        let recent = &recent[..found];
        for (k, &j) in recent.iter().enumerate() {
            for &i in &recent[k + 1..] {
                if in_progression(&self.absorbers[i], &self.absorbers[j], c, s, layout, labels) {
                    return Some(Found::Two(i, j));
                }
            }
        }
        None
    }

    /// Try all search vectors of a merge along `s`: 1 along its dimension, -1, 0, 1 along the inner ones.
    fn search_vectors(
        &self,
        x: &[i64],
        s: usize,
        layout: &Layout,
        fits: impl Fn(&usize) -> bool,
    ) -> Option<usize> {
        let d = layout.dim_of(s);
        let inner = layout.dim - 1 - d;
        if inner > MAX_SEARCH_DIMS {
            return (0..self.absorbers.len()).find(fits);
        }
        let mut v = [0i64; MAX_LEVELS];
        let v = &mut v[..layout.dim];
        v[d] = 1;
        for code in 0..3usize.pow(inner as u32) {
            let mut rest = code;
            for slot in &mut v[d + 1..] {
                // 0 first: straight edges are the most frequent.
                *slot = [0, 1, -1][rest % 3];
                rest /= 3;
            }
            if let Some(i) = self.at(place_hash(x, v)).find(&fits) {
                return Some(i);
            }
        }
        None
    }

    fn at(&self, hash: u64) -> impl Iterator<Item = usize> + '_ {
        let mut entry = self.index.get(&hash).copied();
        std::iter::from_fn(move || {
            let (absorber, before) = self.chain[entry? as usize];
            entry = before;
            Some(absorber as usize)
        })
    }

    /// End the row: move everything that can no longer absorb here into `leave`, given the new row's coordinate.
    pub fn tick(&mut self, s: usize, new_row: i64, layout: &Layout, rules: Rules, leave: &mut Vec<Poly>) {
        let d = layout.dim_of(s);
        let this_row = self.clock;
        self.clock += 1;
        self.forget_index();
        let mut waiting = self.absorbers.iter().filter(|p| !p.is_grown(s)).count();
        let leaves = |p: &mut Poly| {
            if p.is_grown(s) {
                return !p.open || p.next()[d] < new_row;
            }
            // The youngest degenerate ones wait for a progression.
            let may_progress = rules.strides && waiting <= WINDOW;
            waiting -= 1;
            let touches = p.stamp == this_row && p.anchor()[d].checked_add(1) == Some(new_row);
            !touches && !may_progress
        };
        leave.extend(self.absorbers.extract_if(.., leaves));
    }

    /// All absorbers of an extra level take so many slices each, in turn ([`crate::cycle`]), as if they had been offered one by
    /// one; false (and nothing done) if a number does not fit.
    pub fn absorb_periods(&mut self, order: &[usize], periods: u64, layout: &Layout) -> bool {
        let prefix = layout.prefix(1);
        if !order.iter().all(|&i| self.absorbers[i].can_advance_by(1, prefix, periods)) {
            return false;
        }
        let last_turn = self.clock + (periods - 1) * order.len() as u64;
        for (turn, &i) in order.iter().enumerate() {
            let a = &mut self.absorbers[i];
            a.absorb_slices(1, layout, periods);
            a.stamp = last_turn + turn as u64;
        }
        self.clock = last_turn + order.len() as u64;
        true
    }

    /// Keep only the most recently used absorbers of an extra level; the others go to `leave`.
    pub fn trim(&mut self, leave: &mut Vec<Poly>) {
        self.clock += 1;
        while self.absorbers.len() > WINDOW {
            let oldest = (0..self.absorbers.len()).min_by_key(|&i| self.absorbers[i].stamp).unwrap_or(0);
            leave.push(self.absorbers.remove(oldest));
        }
    }

    /// Everything leaves: the loop around this level has advanced.
    pub fn flush(&mut self, leave: &mut Vec<Poly>) {
        self.clock += 1;
        self.forget_index();
        leave.append(&mut self.absorbers);
    }

    fn forget_index(&mut self) {
        if self.indexed {
            self.index.clear();
            self.chain.clear();
            self.indexed = false;
        }
    }

    fn refresh_index(&mut self, layout: &Layout) {
        if self.indexed || self.absorbers.len() < INDEX_FROM {
            return;
        }
        self.indexed = true;
        for i in 0..self.absorbers.len() {
            self.reindex(i, layout);
        }
    }

    /// Enter absorber `i` under the place it looks from. Old entries may stay: every hit is checked.
    fn reindex(&mut self, i: usize, layout: &Layout) {
        if !self.indexed {
            return;
        }
        let p = &self.absorbers[i];
        let x = if p.open { &p.next()[..layout.dim] } else { &p.anchor()[..layout.dim] };
        let before = self.index.insert(place_hash(x, &[]), self.chain.len() as u32);
        self.chain.push((i as u32, before));
    }
}

/// Who absorbs: one polyhedron, or the first of two in progression.
#[derive(Debug, Clone, Copy)]
enum Found {
    One(usize),
    Two(usize, usize),
}
