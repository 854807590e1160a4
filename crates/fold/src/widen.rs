//! Compatibility of label functions and label widening (Section 5.2.3, Algorithm 4).
//!
//! When polyhedron `a` absorbs slice `b` along level `s`, a label component stays *known* along `s` if all of these
//! hold, and the absorption is exact if they hold for every component:
//! - along every level below `s` that both have grown, the coefficients are the same integer, or both are top;
//! - if some of them is top, the unknown functions agree: same fingerprint over the same shape;
//! - the label at the anchor of `b` is the one that `a` predicts (an extension), or any (a merge, which then sets the
//!   coefficient along `s` to the difference).
//!
//! With widening on, a component that is not known does not stop the absorption: coefficients that differ become top,
//! and so does the coefficient along `s`. The range of the unknown function is extended to hold everything it held
//! before and all of `b`, and the fingerprint to cover `b`.

use crate::label::{Residual, affine_prefix, mix};
use crate::layout::Layout;
use crate::polyhedron::Poly;

/// Levels below `s`, as a set.
fn below(s: usize) -> u64 {
    (1u64 << s) - 1
}

/// The members of a set of levels, lowest first.
pub(crate) fn members(set: u64) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let s = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            s
        })
    })
}

/// The fingerprint of label `l` as a function of all grown levels' coordinates.
fn fingerprint(p: &Poly, l: usize) -> u64 {
    if p.any_top >> l & 1 == 1 { p.residual[l].hash } else { 0 }
}

/// Whether label `l` is the same function, up to a constant, on the common levels of both.
fn same_below(a: &Poly, b: &Poly, s: usize, l: usize, layout: &Layout) -> bool {
    let at = layout.dim + l;
    members(a.grown & b.grown & below(s)).all(|j| {
        (a.tops[j] ^ b.tops[j]) >> l & 1 == 0 && (a.tops[j] >> l & 1 == 1 || a.delta(j)[at] == b.delta(j)[at])
    })
}

/// Whether the unknown functions of label `l` agree (trivially, if there are none below `s`).
fn same_unknown(a: &Poly, b: &Poly, s: usize, l: usize, layout: &Layout) -> bool {
    let top_below = |p: &Poly| members(p.grown & below(s)).any(|j| p.tops[j] >> l & 1 == 1);
    if !top_below(a) && !top_below(b) {
        return true;
    }
    let slice = if a.is_grown(s) { a.residual.get(l).map_or(0, |r| r.slice) } else { fingerprint(a, l) };
    let counts = layout.width()..layout.prefix(s);
    slice == fingerprint(b, l) && a.grown & below(s) == b.grown & below(s) && {
        // All slices of `a` have the shape of its first one only if no count changes along `s`.
        a.anchor()[counts.clone()] == b.anchor()[counts]
    }
}

/// Whether label `l` stays known along `s` when `a` absorbs `b`.
fn stays_known(a: &Poly, b: &Poly, s: usize, l: usize, layout: &Layout) -> bool {
    let at = layout.dim + l;
    let predicted = if a.is_grown(s) {
        a.tops[s] >> l & 1 == 0 && a.open && a.next()[at] == b.anchor()[at]
    } else {
        b.anchor()[at].checked_sub(a.anchor()[at]).is_some()
    };
    predicted && same_below(a, b, s, l, layout) && same_unknown(a, b, s, l, layout)
}

/// Whether all labels stay known: the absorption adds no over-approximation.
pub(crate) fn labels_compatible(a: &Poly, b: &Poly, s: usize, layout: &Layout) -> bool {
    (0..layout.labels).all(|l| {
        // A label that is top along `s` already is beyond help: anything is compatible with it.
        a.is_grown(s) && a.tops[s] >> l & 1 == 1 && same_below(a, b, s, l, layout)
            || stays_known(a, b, s, l, layout)
    })
}

/// Join the label functions of `a` and `b`, which is about to be absorbed along `s`. Must run before the geometry of
/// `a` is changed. Label entries of `delta_s` are left to the caller for labels that stay known.
pub(crate) fn join_labels(a: &mut Poly, b: &Poly, s: usize, layout: &Layout) {
    for l in 0..layout.labels {
        if stays_known(a, b, s, l, layout) {
            if !a.is_grown(s) && (a.any_top | b.any_top) >> l & 1 == 1 {
                adopt_unknown(a, b, l, layout);
            }
        } else {
            make_top(a, b, s, l, layout);
        }
    }
}

/// `a` merges with `b`; their unknown functions agree. Remember the fingerprint of a slice.
fn adopt_unknown(a: &mut Poly, b: &Poly, l: usize, layout: &Layout) {
    let slice = fingerprint(b, l);
    ensure_residual(a, layout);
    let other = b.residual.get(l).copied().unwrap_or_default();
    let r = &mut a.residual[l];
    r.unite(&other, 0);
    r.slice = slice;
    r.hash = slice;
    a.any_top |= b.any_top & (1 << l);
}

/// Give up on label `l` along `s` and wherever the two differ.
fn make_top(a: &mut Poly, b: &Poly, s: usize, l: usize, layout: &Layout) {
    let at = layout.dim + l;
    ensure_residual(a, layout);
    let bit = 1u64 << l;
    let differ = |j: usize| {
        let (ga, gb) = (a.is_grown(j), b.is_grown(j));
        let top = ga && a.tops[j] & bit != 0 || gb && b.tops[j] & bit != 0;
        top || ga && gb && a.delta(j)[at] != b.delta(j)[at]
    };
    let tops: u64 =
        members((a.grown | b.grown) & below(s)).filter(|&j| differ(j)).fold(0, |set, j| set | 1 << j);
    let mut ra = a.residual[l];
    let mut rb = b.residual.get(l).copied().unwrap_or_default();
    spread_known(&mut ra, a, tops, s, l, layout);
    spread_known(&mut rb, b, tops, s, l, layout);
    let first_top = !a.is_grown(s) || a.tops[s] & bit == 0;
    let rows = if a.is_grown(s) { a.anchor()[layout.count(s)] as u64 + 1 } else { 1 };
    if first_top {
        let c = if a.is_grown(s) { a.delta(s)[at] } else { 0 };
        ra.spread(c, i128::from(rows) - 1);
        let slice = if a.is_grown(s) { ra.slice } else { fingerprint(a, l) };
        ra.hash = affine_prefix(rows, c, slice.wrapping_add(coefficients(a, s, l, layout)));
    }
    let by = i128::from(b.anchor()[at]) - i128::from(a.anchor()[at]);
    ra.unite(&rb, by);
    let shape = fingerprint(b, l).wrapping_add(coefficients(b, s, l, layout));
    ra.hash = ra.hash.wrapping_add(mix(rows, by as u64, shape));
    a.residual[l] = ra;
    a.any_top |= bit;
    for j in members(tops | 1 << s) {
        a.tops[j] |= bit;
        a.delta_mut(j)[at] = 0;
    }
}

/// Extend the range of `r` for the known coefficients of `p` on the levels that become top.
fn spread_known(r: &mut Residual, p: &Poly, tops: u64, s: usize, l: usize, layout: &Layout) {
    let known = |j: &usize| p.tops[*j] >> l & 1 == 0;
    if !members(tops & p.grown).any(|j| known(&j)) {
        return;
    }
    let max = p.max_counts(layout, s);
    for j in members(tops & p.grown).filter(known) {
        r.spread(p.delta(j)[layout.dim + l], max[j]);
    }
}

/// A fingerprint of the known coefficients of label `l` and of the shape below `s`.
fn coefficients(p: &Poly, s: usize, l: usize, layout: &Layout) -> u64 {
    members(p.grown & below(s)).fold(0, |h, j| {
        let count = p.anchor()[layout.count(j)] as u64;
        h.wrapping_add(mix(j as u64 + 1, p.delta(j)[layout.dim + l] as u64, count))
    })
}

fn ensure_residual(p: &mut Poly, layout: &Layout) {
    if p.residual.is_empty() {
        p.residual.resize(layout.labels, Residual::default());
    }
}
