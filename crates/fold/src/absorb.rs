//! Absorption: when one polyhedron may take in another, and how (Section 5.2.2, Algorithm 2).
//!
//! Polyhedron `a` absorbs slice `b` along level `s`; `b` is degenerate along `s`. On every level below `s` that both
//! have grown they must have the same `delta`: corresponding edges are parallel. A level that only one has grown is
//! adopted from it. Three ways:
//!
//! - **Extension** (`a` grown along `s`): the anchor state of `b` is the `next` of `a`. One comparison says that all
//!   vertices lie where the growing directions lead.
//! - **Merge** (`a` degenerate along `s`, a loop level): every vertex of `b` is one search vector away from its
//!   counterpart in `a`: 1 along the dimension of `s` and -1, 0 or 1 along the inner ones. The paper's second check,
//!   that each side face lies in a hyperplane (Figure 7), is the equality of the deltas below `s`: both say that
//!   corresponding edges of the two slices are parallel. In Figure 7 a square meets a triangle: the counts along the
//!   inner level change by 0 per row in one and by -1 in the other.
//! - **Progression** (beyond the paper; any level, three slices `a`, `b`, `c`): the anchor states of `a`, `b` and `c`
//!   are in arithmetic progression. No limit on the step or the slopes: strides, non-unit edges, repeated tiles. The
//!   third slice is the evidence that two arbitrary ones do not give.
//!
//! Every absorption is exact in geometry: the points of the result are the points of its parts. Whether it is exact
//! in the labels is [`crate::widen`]'s business.

use crate::layout::Layout;
use crate::polyhedron::Poly;
use crate::widen::{join_labels, labels_compatible, members};

/// Most inner levels for which the vertices of a merge are enumerated.
const MAX_MERGE_LEVELS: u32 = 10;

/// Which label functions an absorption may join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labels {
    /// Only compatible ones.
    Compatible,
    /// Any: those that do not fit are widened.
    Any,
}

/// Whether the deltas of the levels below `s` that both have grown agree, labels aside or included.
fn parallel_below(a: &Poly, b: &Poly, s: usize, layout: &Layout, with_labels: bool) -> bool {
    members(a.grown & b.grown & ((1u64 << s) - 1)).all(|j| {
        let (da, db, end) = (a.delta(j), b.delta(j), layout.prefix(j));
        if with_labels {
            da[..end] == db[..end]
        } else {
            da[..layout.dim] == db[..layout.dim] && da[layout.width()..end] == db[layout.width()..end]
        }
    })
}

/// Whether two states agree up to `prefix`, labels aside.
fn same_place(a: &[i64], b: &[i64], prefix: usize, layout: &Layout) -> bool {
    a[..layout.dim] == b[..layout.dim] && a[layout.width()..prefix] == b[layout.width()..prefix]
}

/// Whether `a`, grown along `s`, can be extended by `b`.
pub(crate) fn can_extend(a: &Poly, b: &Poly, s: usize, layout: &Layout, labels: Labels) -> bool {
    let prefix = layout.prefix(s);
    if !a.open {
        return false;
    }
    if labels == Labels::Compatible && a.any_top | b.any_top == 0 {
        return a.next()[..prefix] == b.anchor()[..prefix] && parallel_below(a, b, s, layout, true);
    }
    same_place(a.next(), b.anchor(), prefix, layout)
        && parallel_below(a, b, s, layout, false)
        && (labels == Labels::Any || labels_compatible(a, b, s, layout))
}

/// Whether `a` and `b`, both degenerate along the loop level `s`, can merge.
pub(crate) fn can_merge(a: &Poly, b: &Poly, s: usize, layout: &Layout, labels: Labels) -> bool {
    let d = layout.dim_of(s);
    let (va, vb) = (a.anchor(), b.anchor());
    let near = |k: usize| vb[k].checked_sub(va[k]).is_some_and(|t| (-1..=1).contains(&t));
    va[..d] == vb[..d]
        && vb[d].checked_sub(va[d]) == Some(1)
        && (d + 1..layout.dim).all(near)
        && parallel_below(a, b, s, layout, false)
        && vertices_touch(a, b, s, layout)
        && (labels == Labels::Any || labels_compatible(a, b, s, layout))
}

/// Whether every vertex of `b` is one search vector away from the corresponding vertex of `a`.
fn vertices_touch(a: &Poly, b: &Poly, s: usize, layout: &Layout) -> bool {
    let inner = (a.grown | b.grown) & ((1u64 << s) - 1);
    if inner.count_ones() > MAX_MERGE_LEVELS {
        return false;
    }
    let mut levels = [0usize; MAX_MERGE_LEVELS as usize];
    let count = levels.iter_mut().zip(members(inner)).map(|(level, s)| *level = s).count();
    let levels = &levels[..count];
    let delta = |j: usize| if a.is_grown(j) { a.delta(j) } else { b.delta(j) };
    // How far the far end of level `levels[i]` moves, for the far ends of the outer levels chosen in `far`.
    (0..1u32 << levels.len()).all(|far| {
        let mut moved = [0i64; MAX_MERGE_LEVELS as usize];
        for i in (0..levels.len()).rev().filter(|i| far >> i & 1 == 1) {
            let at = layout.count(levels[i]);
            let mut m = b.anchor()[at].checked_sub(a.anchor()[at]);
            for k in i + 1..levels.len() {
                m = m.and_then(|m| delta(levels[k])[at].checked_mul(moved[k]).and_then(|x| m.checked_add(x)));
            }
            match m {
                Some(m) => moved[i] = m,
                None => return false,
            }
        }
        (layout.dim_of(s) + 1..layout.dim).all(|x| {
            let mut m = b.anchor()[x].checked_sub(a.anchor()[x]);
            for (i, &j) in levels.iter().enumerate() {
                m = m.and_then(|m| delta(j)[x].checked_mul(moved[i]).and_then(|y| m.checked_add(y)));
            }
            m.is_some_and(|m| (-1..=1).contains(&m))
        })
    })
}

/// Whether the anchor states of `a`, `b`, `c` are in arithmetic progression and their inner deltas agree.
pub(crate) fn in_progression(
    a: &Poly,
    b: &Poly,
    c: &Poly,
    s: usize,
    layout: &Layout,
    labels: Labels,
) -> bool {
    let d = layout.dim_of(s);
    let (va, vb, vc) = (a.anchor(), b.anchor(), c.anchor());
    let step = |k: usize| match (vb[k].checked_sub(va[k]), vc[k].checked_sub(vb[k])) {
        (Some(ab), Some(bc)) => ab == bc,
        _ => false,
    };
    let exact = labels == Labels::Compatible;
    if exact && a.any_top | b.any_top | c.any_top != 0 {
        return false;
    }
    va[..d] == vc[..d]
        && va[d] < vb[d]
        && (d..layout.dim).all(step)
        && (layout.width()..layout.prefix(s)).all(step)
        && (!exact || (layout.dim..layout.width()).all(step))
        && parallel_below(a, b, s, layout, exact)
        && parallel_below(a, c, s, layout, exact)
        && parallel_below(b, c, s, layout, exact)
}

/// Let `a` absorb `b` along `s`, after one of the checks above.
pub(crate) fn absorb(a: &mut Poly, b: &Poly, s: usize, layout: &Layout) {
    let prefix = layout.prefix(s);
    let extension = a.is_grown(s);
    let plain = a.any_top | b.any_top == 0;
    if !(plain && labels_compatible(a, b, s, layout)) {
        join_labels(a, b, s, layout);
    }
    let adopted = b.grown & !a.grown;
    for j in members(adopted) {
        a.tops[j] |= b.tops[j];
        a.delta_mut(j).copy_from_slice(b.delta(j));
    }
    a.grown |= adopted;
    a.points += b.points;
    if extension {
        a.anchor_mut()[layout.count(s)] += 1;
        a.advance(s, prefix);
    } else {
        let tops = a.tops[s];
        for k in 0..prefix {
            let top = (layout.dim..layout.width()).contains(&k) && tops >> (k - layout.dim) & 1 == 1;
            // The checks made sure that the difference fits; for a top label it is of no interest.
            let step = if top { 0 } else { b.anchor()[k].wrapping_sub(a.anchor()[k]) };
            a.delta_mut(s)[k] = step;
        }
        a.delta_mut(s)[prefix..].fill(0);
        a.grown |= 1 << s;
        a.anchor_mut()[layout.count(s)] = 1;
        a.expect_after(b.anchor(), s, prefix);
    }
}
