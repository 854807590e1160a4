//! Finished polyhedra with their label functions: the pieces of the result (Section 4.2).
//!
//! A [`Piece`] is what a retired polyhedron is: an anchor, the levels it has grown along, innermost first, and a
//! label function in the levels' own coordinates `q` (see `polyhedron`):
//!
//! ```text
//! x     = anchor + sum of q_s * step_s,   0 <= q_s <= count_s(q_{s+1}, ...)
//! label = constant + sum of coeff_s * q_s  [ + U(q_s : coeff_s is None),  low <= U <= high ]
//! ```
//!
//! `q` is determined by `x` (the folder never puts one point into a piece twice), so a piece is a function of `x`.
//! [`Piece::exact_domain`] says whether its points are exactly points of the stream; [`LabelFunction::is_exact`]
//! whether a label component is. Enumeration ([`Piece::for_each`]) and membership ([`Piece::contains`]) are
//! implemented independently of the folding, and of the isl text, so that they can check it.

use serde::Serialize;

use crate::layout::Layout;
use crate::polyhedron::Poly;

/// An affine function of the coordinates of the outer levels of a piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Value where all outer coordinates are 0.
    pub constant: i64,
    /// One coefficient per level of the piece; 0 for the level itself and those inside it.
    pub coeffs: Vec<i64>,
}

/// One level of a piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PieceLevel {
    /// The iteration dimension it runs along, counted from the outermost.
    pub dim: usize,
    /// Whether it is an extra level that the program does not have (Section 7).
    pub extra: bool,
    /// What one step adds to the iteration vector.
    pub step: Vec<i64>,
    /// The greatest value of its coordinate, as a function of the outer ones.
    pub count: Count,
}

/// One component of a label function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelFunction {
    /// The label at the anchor.
    pub constant: i64,
    /// One coefficient per level of the piece; `None` is the paper's top.
    pub coeffs: Vec<Option<i64>>,
    /// For a widened label the least and greatest value of its unknown part; `None`: not bounded.
    pub unknown: Option<[Option<i64>; 2]>,
}

impl LabelFunction {
    /// Whether it gives exactly the labels of the stream.
    pub fn is_exact(&self) -> bool {
        self.unknown.is_none()
    }
}

/// A piece of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// Whether its points are exactly points of the stream. If not, it contains them and possibly more.
    pub exact_domain: bool,
    /// The lexicographically smallest vertex.
    pub anchor: Vec<i64>,
    /// The levels, innermost first.
    pub levels: Vec<PieceLevel>,
    /// One function per label component.
    pub labels: Vec<LabelFunction>,
    /// Number of stream points inside.
    pub points: u64,
}

impl Piece {
    /// Freeze a polyhedron.
    pub(crate) fn from_poly(p: &Poly, layout: &Layout) -> Piece {
        let grown: Vec<usize> = (0..layout.levels()).filter(|&s| p.is_grown(s)).collect();
        let level = |(i, &s): (usize, &usize)| {
            let at = layout.count(s);
            let coeffs = grown.iter().enumerate().map(|(k, &t)| if k > i { p.delta(t)[at] } else { 0 });
            PieceLevel {
                dim: layout.dim_of(s),
                extra: !layout.is_loop(s),
                step: p.delta(s)[..layout.dim].to_vec(),
                count: Count { constant: p.anchor()[at], coeffs: coeffs.collect() },
            }
        };
        Piece {
            exact_domain: true,
            anchor: p.anchor()[..layout.dim].to_vec(),
            levels: grown.iter().enumerate().map(level).collect(),
            labels: (0..layout.labels).map(|l| label_function(p, l, &grown, layout)).collect(),
            points: p.points,
        }
    }

    /// Whether the piece reproduces its part of the stream exactly.
    pub fn is_exact(&self) -> bool {
        self.exact_domain && self.labels.iter().all(LabelFunction::is_exact)
    }

    /// The greatest coordinate along level `i` where the outer levels have the coordinates `q`.
    fn count_at(&self, i: usize, q: &[i128]) -> i128 {
        let c = &self.levels[i].count;
        let outer = (i + 1..self.levels.len()).map(|k| i128::from(c.coeffs[k]) * q[k]);
        i128::from(c.constant) + outer.sum::<i128>()
    }

    /// The known part of label `l` at `q`.
    fn known_label(&self, l: usize, q: &[i128]) -> i128 {
        let f = &self.labels[l];
        let terms = f.coeffs.iter().zip(q).map(|(c, q)| i128::from(c.unwrap_or(0)) * q);
        i128::from(f.constant) + terms.sum::<i128>()
    }

    /// Call `f` with each point of the piece and the known part of its labels, outer levels first; stops and returns
    /// false when `f` returns false.
    pub fn for_each(&self, f: &mut dyn FnMut(&[i128], &[i128]) -> bool) -> bool {
        let mut q = vec![0i128; self.levels.len()];
        self.walk(self.levels.len(), &mut q, f)
    }

    fn walk(&self, below: usize, q: &mut Vec<i128>, f: &mut dyn FnMut(&[i128], &[i128]) -> bool) -> bool {
        let Some(i) = below.checked_sub(1) else {
            let x: Vec<i128> = (0..self.anchor.len()).map(|d| self.coordinate(d, q, 0)).collect();
            let labels: Vec<i128> = (0..self.labels.len()).map(|l| self.known_label(l, q)).collect();
            return f(&x, &labels);
        };
        for v in 0..=self.count_at(i, q) {
            q[i] = v;
            if !self.walk(i, q, f) {
                return false;
            }
        }
        q[i] = 0;
        true
    }

    /// Coordinate `d` from the levels at or outside `from`.
    fn coordinate(&self, d: usize, q: &[i128], from: usize) -> i128 {
        let moved = (from..q.len()).map(|k| i128::from(self.levels[k].step[d]) * q[k]);
        i128::from(self.anchor[d]) + moved.sum::<i128>()
    }

    /// The local coordinates of `x`, if the piece contains it.
    pub fn locate(&self, x: &[i64]) -> Option<Vec<i128>> {
        let mut q = vec![0i128; self.levels.len()];
        let found = x.len() == self.anchor.len() && self.solve(0, self.levels.len(), x, &mut q);
        found.then_some(q)
    }

    /// Solve for dimensions `d..`, given the coordinates of the levels at or outside `below`.
    fn solve(&self, d: usize, below: usize, x: &[i64], q: &mut Vec<i128>) -> bool {
        if d == x.len() {
            return true;
        }
        let rest = i128::from(x[d]) - self.coordinate(d, q, below);
        let level = below.checked_sub(1).filter(|&i| self.levels[i].dim == d);
        let Some(i) = level else {
            return rest == 0 && self.solve(d + 1, below, x, q);
        };
        let t = i128::from(self.levels[i].step[d]);
        if t <= 0 {
            return false;
        }
        let last = i == 0 || self.levels[i - 1].dim != d;
        let reach = if last { 0 } else { self.reach(d, i, q) };
        let high = rest.div_euclid(t).min(self.count_at(i, q));
        let low = (rest - reach).max(0);
        let mut v = low.div_euclid(t) + i128::from(low.rem_euclid(t) != 0);
        while v <= high {
            q[i] = v;
            if self.solve(d, i, x, q) {
                return true;
            }
            v += 1;
        }
        q[i] = 0;
        false
    }

    /// How far the levels of dimension `d` inside level `i` can move coordinate `d`, at most.
    fn reach(&self, d: usize, i: usize, q: &[i128]) -> i128 {
        let mut max: Vec<i128> = q.to_vec();
        max[i] = self.count_at(i, q).max(0);
        let mut sum = 0i128;
        for j in (0..i).rev().filter(|&j| self.levels[j].dim == d) {
            let c = &self.levels[j].count;
            let n = (j + 1..self.levels.len())
                .map(|k| {
                    i128::from(if k <= i { c.coeffs[k].max(0) } else { c.coeffs[k] }).saturating_mul(max[k])
                })
                .fold(i128::from(c.constant), i128::saturating_add);
            max[j] = n.max(0);
            sum = sum.saturating_add(max[j].saturating_mul(i128::from(self.levels[j].step[d])));
        }
        sum
    }

    /// Whether the piece holds the point `x` with these labels (within the bounds of what is unknown).
    pub fn contains(&self, x: &[i64], labels: &[i64]) -> bool {
        let Some(q) = self.locate(x) else { return false };
        labels.len() == self.labels.len()
            && labels.iter().enumerate().all(|(l, &v)| {
                let unknown = i128::from(v) - self.known_label(l, &q);
                match self.labels[l].unknown {
                    None => unknown == 0,
                    Some([low, high]) => {
                        low.is_none_or(|b| i128::from(b) <= unknown)
                            && high.is_none_or(|b| unknown <= i128::from(b))
                    }
                }
            })
    }
}

fn label_function(p: &Poly, l: usize, grown: &[usize], layout: &Layout) -> LabelFunction {
    let at = layout.dim + l;
    let coeffs: Vec<Option<i64>> =
        grown.iter().map(|&s| (p.tops[s] >> l & 1 == 0).then(|| p.delta(s)[at])).collect();
    let unknown = coeffs.iter().any(Option::is_none).then(|| {
        let r = p.residual.get(l).copied().unwrap_or_default();
        [i64::try_from(r.min).ok(), i64::try_from(r.max).ok()]
    });
    LabelFunction { constant: p.anchor()[at], coeffs, unknown }
}
