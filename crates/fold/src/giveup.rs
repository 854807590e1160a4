//! Geometric give-up (Section 5.2.4): the bounding box that stands for a stream without affine geometry.
//!
//! The paper's hyperrectangle starts at the origin; ours starts at the least coordinates seen, which is smaller and
//! also right for negative coordinates. A label keeps its coefficients if one affine function gives it for all points
//! ([`crate::law`]); others get the range of all values seen and a top for every coefficient. The box contains every point that
//! went into it; it is never called exact.
//!
//! Example: the points (2, 7), (3, 1), (9, 4) with labels 5, 1, 3 give `2 <= x <= 9, 1 <= y <= 7, 1 <= label <= 5`.

use crate::law::Law;
use crate::piece::{Count, LabelFunction, Piece, PieceLevel};

/// The bounds of everything given up on.
#[derive(Debug, Clone)]
pub(crate) struct Hull {
    dim: usize,
    /// Least coordinates, then least labels.
    min: Vec<i64>,
    /// Greatest coordinates, then greatest labels.
    max: Vec<i64>,
    points: u64,
    /// Labels, counted from 0, that are affine everywhere.
    laws: Vec<(usize, Law)>,
    /// Room for the end of a line.
    last: Vec<i64>,
}

impl Hull {
    /// An empty hull without laws.
    fn new(dim: usize, width: usize) -> Hull {
        let (min, max) = (vec![i64::MAX; width], vec![i64::MIN; width]);
        Hull { dim, min, max, points: 0, laws: Vec::new(), last: Vec::new() }
    }

    /// The hull of these pieces, with laws if they are wanted.
    pub fn of(dim: usize, width: usize, pieces: &[Piece], laws: bool) -> Hull {
        let mut hull = Hull::new(dim, width);
        pieces.iter().for_each(|piece| hull.add_piece(piece));
        let labels = if laws { 0..width - dim } else { 0..0 };
        hull.laws = labels.filter_map(|l| Some((l, Law::of(pieces, l)?))).collect();
        hull
    }

    /// Add one point (coordinates, then labels).
    #[inline]
    pub fn add(&mut self, point: &[i64]) {
        self.bound(point);
        self.check_laws(point);
        self.points += 1;
    }

    #[inline]
    fn check_laws(&mut self, point: &[i64]) {
        let (x, labels) = point.split_at(self.dim);
        self.laws.retain_mut(|(l, law)| law.takes(x, labels[*l]));
    }

    #[inline]
    fn bound(&mut self, point: &[i64]) {
        for ((lo, hi), &v) in self.min.iter_mut().zip(&mut self.max).zip(point) {
            *lo = (*lo).min(v);
            *hi = (*hi).max(v);
        }
    }

    /// Add the `count` points `first`, `first + step`, ...; returns how many.
    pub fn add_line(&mut self, first: &[i64], step: &[i64], count: u64) -> u64 {
        let end = |(f, s): (&i64, &i64)| f.wrapping_add(s.wrapping_mul(count as i64 - 1));
        let mut last = std::mem::take(&mut self.last);
        last.clear();
        last.extend(first.iter().zip(step).map(end));
        // Two points of a line speak for all.
        for point in [first, &last] {
            self.bound(point);
            self.check_laws(point);
        }
        self.last = last;
        self.points += count;
        count
    }

    /// Add points from the front of `points` while they are in strictly increasing order after `last`, which is
    /// updated; returns how many.
    pub fn add_sorted(&mut self, points: &[i64], last: &mut [i64]) -> usize {
        match (self.dim, last.len()) {
            _ if !self.laws.is_empty() => self.add_any(points, last),
            (1, 2) => self.add_fixed::<1, 2>(points, last),
            (2, 3) => self.add_fixed::<2, 3>(points, last),
            (3, 4) => self.add_fixed::<3, 4>(points, last),
            (2, 4) => self.add_fixed::<2, 4>(points, last),
            (3, 6) => self.add_fixed::<3, 6>(points, last),
            _ => self.add_any(points, last),
        }
    }

    fn add_fixed<const D: usize, const W: usize>(&mut self, points: &[i64], last: &mut [i64]) -> usize {
        let (Some(&min), Some(&max), Some(&before)) =
            (self.min.first_chunk::<W>(), self.max.first_chunk::<W>(), last.first_chunk::<W>())
        else {
            return 0;
        };
        let (mut min, mut max, mut before) = (min, max, before);
        let mut taken = 0;
        for p in points.as_chunks::<W>().0 {
            if !after::<D>(&before, p) {
                break;
            }
            for k in 0..W {
                min[k] = min[k].min(p[k]);
                max[k] = max[k].max(p[k]);
            }
            before = *p;
            taken += 1;
        }
        self.min.copy_from_slice(&min);
        self.max.copy_from_slice(&max);
        last.copy_from_slice(&before);
        self.points += taken as u64;
        taken
    }

    fn add_any(&mut self, points: &[i64], last: &mut [i64]) -> usize {
        let mut taken = 0;
        for p in points.chunks_exact(last.len().max(1)) {
            if p[..self.dim] <= last[..self.dim] {
                break;
            }
            self.add(p);
            last.copy_from_slice(p);
            taken += 1;
        }
        taken
    }

    /// Take in a whole piece; laws are not asked.
    fn add_piece(&mut self, piece: &Piece) {
        for (d, &a) in piece.anchor.iter().enumerate() {
            let terms = piece.levels.iter().map(|l| Some(l.step[d])).collect::<Vec<_>>();
            let (lo, hi) = bounds(piece, a, &terms);
            self.min[d] = self.min[d].min(lo);
            self.max[d] = self.max[d].max(hi);
        }
        for (l, f) in piece.labels.iter().enumerate() {
            let at = self.dim + l;
            let (lo, hi) = bounds(piece, f.constant, &f.coeffs);
            let [ulo, uhi] = f.unknown.unwrap_or([Some(0), Some(0)]);
            self.min[at] = self.min[at].min(ulo.map_or(i64::MIN, |u| lo.saturating_add(u)));
            self.max[at] = self.max[at].max(uhi.map_or(i64::MAX, |u| hi.saturating_add(u)));
        }
        self.points += piece.points;
    }

    /// The box as pieces of the result: none if nothing went into it, one as a rule. A dimension with more than 2^63
    /// values is cut at 0, because a piece counts its steps in `i64`.
    pub fn pieces(&self) -> Vec<Piece> {
        if self.points == 0 {
            return Vec::new();
        }
        let mut boxes = vec![(self.min[..self.dim].to_vec(), self.max[..self.dim].to_vec())];
        for d in (0..self.dim).filter(|&d| self.max[d].checked_sub(self.min[d]).is_none()) {
            for (lo, mut hi) in std::mem::take(&mut boxes) {
                let mut upper = (lo.clone(), hi.clone());
                upper.0[d] = 0;
                hi[d] = -1;
                boxes.extend([(lo, hi), upper]);
            }
        }
        let mut pieces: Vec<Piece> = boxes.iter().map(|(lo, hi)| self.box_piece(lo, hi)).collect();
        // Which half a point fell into is not recorded.
        pieces[0].points = self.points;
        pieces
    }

    fn box_piece(&self, lo: &[i64], hi: &[i64]) -> Piece {
        let wide: Vec<usize> = (0..self.dim).rev().filter(|&d| lo[d] < hi[d]).collect();
        let level = |&d: &usize| PieceLevel {
            dim: d,
            extra: false,
            step: (0..self.dim).map(|k| i64::from(k == d)).collect(),
            count: Count { constant: hi[d] - lo[d], coeffs: vec![0; wide.len()] },
        };
        let label = |l: usize| {
            let law = self.laws.iter().find(|law| law.0 == l);
            if let Some((constant, coeffs)) = law.and_then(|(_, law)| law.seen_from(lo, &wide)) {
                return LabelFunction { constant, coeffs, unknown: None };
            }
            let (lo, hi) = (self.min[self.dim + l], self.max[self.dim + l]);
            let unknown = Some([Some(0), hi.checked_sub(lo)]);
            LabelFunction { constant: lo, coeffs: vec![None; wide.len()], unknown }
        };
        Piece {
            exact_domain: false,
            anchor: lo.to_vec(),
            levels: wide.iter().map(level).collect(),
            labels: (0..self.min.len() - self.dim).map(label).collect(),
            points: 0,
        }
    }
}

/// Strictly after, in the lexicographic order of the first `D` numbers.
#[inline(always)]
fn after<const D: usize>(before: &[i64], p: &[i64]) -> bool {
    for d in 0..D {
        if p[d] != before[d] {
            return p[d] > before[d];
        }
    }
    false
}

/// Least and greatest value of `constant + sum of c_s * q_s` over the piece, clamped to `i64`. Terms without a
/// coefficient count as 0. The extremes of an affine function lie on vertices; each level is at 0 or at its count.
fn bounds(piece: &Piece, constant: i64, coeffs: &[Option<i64>]) -> (i64, i64) {
    let n = piece.levels.len();
    let clamp = |v: i128| v.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    let mut lo = i128::MAX;
    let mut hi = i128::MIN;
    if n > 12 {
        return interval(piece, constant, coeffs);
    }
    for corner in 0..1u32 << n {
        let mut q = vec![0i128; n];
        let mut v = i128::from(constant);
        for i in (0..n).rev().filter(|i| corner >> i & 1 == 1) {
            let c = &piece.levels[i].count;
            q[i] = (i + 1..n).map(|k| i128::from(c.coeffs[k]) * q[k]).sum::<i128>() + i128::from(c.constant);
            v = v.saturating_add(i128::from(coeffs[i].unwrap_or(0)).saturating_mul(q[i]));
        }
        lo = lo.min(v);
        hi = hi.max(v);
    }
    (clamp(lo), clamp(hi))
}

/// A coarser version of [`bounds`] for pieces with very many levels.
fn interval(piece: &Piece, constant: i64, coeffs: &[Option<i64>]) -> (i64, i64) {
    let n = piece.levels.len();
    let mut max = vec![0i128; n];
    let (mut lo, mut hi) = (i128::from(constant), i128::from(constant));
    for i in (0..n).rev() {
        let c = &piece.levels[i].count;
        max[i] = (i + 1..n)
            .map(|k| i128::from(c.coeffs[k].max(0)).saturating_mul(max[k]))
            .fold(i128::from(c.constant), i128::saturating_add);
        let reach = i128::from(coeffs[i].unwrap_or(0)).saturating_mul(max[i]);
        lo = lo.saturating_add(reach.min(0));
        hi = hi.saturating_add(reach.max(0));
    }
    let clamp = |v: i128| v.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    (clamp(lo), clamp(hi))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_holds_what_went_in() {
        let mut h = Hull::new(2, 3);
        for p in [[2, 7, 5], [3, 1, 1], [9, 4, 3]] {
            h.add(&p);
        }
        let b = &h.pieces()[0];
        assert!(!b.exact_domain && !b.is_exact());
        assert_eq!(b.anchor, [2, 1]);
        for p in [[2, 7, 5], [3, 1, 1], [9, 4, 3]] {
            assert!(b.contains(&p[..2], &p[2..]));
        }
        assert!(!b.contains(&[1, 1], &[1]) && !b.contains(&[2, 2], &[6]));
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert!(Hull::new(2, 3).pieces().is_empty());
    }

    #[test]
    fn a_box_wider_than_i64_is_cut() {
        let mut h = Hull::new(1, 2);
        h.add(&[i64::MIN, i64::MIN]);
        h.add(&[i64::MAX, i64::MAX]);
        let pieces = h.pieces();
        assert_eq!(pieces.len(), 2);
        for x in [i64::MIN, -1, 0, i64::MAX] {
            assert!(pieces.iter().any(|p| p.contains(&[x], &[x])), "{x}");
        }
    }
}
