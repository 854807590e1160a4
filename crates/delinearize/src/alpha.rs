//! Sizes `P + alpha` when no counter has a dimension for itself (paper 000, section 5, Algorithms 1 to 3).
//!
//! In `A[][P1 + a1]...[Pn + an]` with different parameters, the terms of an offset that contain exactly the parameters
//! of a set `K` add up to `g_K` times their product. Comparing with the expanded product gives for every `k > 1` and
//! every non-empty `S` of `[1, k-1]` and any set `R` of parameters after `k`
//!
//! ```text
//! g(S + R) = a_k * g(S + k + R)
//! ```
//!
//! so each `a_k` is found from the terms with all other parameters, and every other quotient must agree (the paper's
//! Algorithm 2 compares `S` itself, a slip). `a_1` is free: all values near those that the coefficients suggest
//! are candidates. The subscripts follow by dividing by the sizes, which is what Algorithm 3 spells out.

use crate::dimension::small;
use crate::poly::{Atom, Linear, Poly};
use crate::strides::Sizes;
use std::collections::BTreeSet;

/// More parameters than this are not tried: their orders and subsets are too many.
const MAX_PARAMS: usize = 5;

/// The shapes for all orders of the parameters that are multiplied with counters, and all `a_1` up to `alphas`.
pub fn shapes(offsets: &[Poly], accesses: &[Linear], alphas: u32) -> Vec<Sizes> {
    let params = size_params(accesses);
    if params.is_empty() || params.len() > MAX_PARAMS {
        return Vec::new();
    }
    let mut shapes = Vec::new();
    for order in permutations(&params) {
        if let Some(inner) = alphas_of(offsets, &order) {
            for first in small(alphas.into()).map(|alpha| -alpha) {
                let all = std::iter::once(first).chain(inner.iter().copied());
                shapes.push(order.iter().zip(all).map(|(param, alpha)| plus(param, alpha)).collect());
            }
        }
    }
    shapes
}

/// Parameters in products with counters.
fn size_params(accesses: &[Linear]) -> Vec<Atom> {
    let strides = accesses.iter().flat_map(|access| access.strides.values());
    strides.flat_map(Poly::atoms).collect::<BTreeSet<_>>().into_iter().collect()
}

/// `a_2, a_3, ...` for this order of the parameters, if all quotients of all accesses agree.
fn alphas_of(offsets: &[Poly], order: &[Atom]) -> Option<Vec<i128>> {
    (1..order.len()).map(|k| alpha(offsets, order, k)).collect()
}

fn alpha(offsets: &[Poly], order: &[Atom], k: usize) -> Option<i128> {
    let mut found = None;
    for offset in offsets {
        for with in subsets(order, k) {
            let without: Vec<_> = with.iter().filter(|atom| **atom != order[k]).cloned().collect();
            let (g_with, g_without) = (offset.part(order, &with)?, offset.part(order, &without)?);
            match (g_with.is_zero(), g_without.is_zero()) {
                (true, true) => continue,
                (true, false) => return None,
                _ => {}
            }
            let quotient = g_without.div_exact(&g_with).ok()??.as_constant()?;
            if *found.get_or_insert(quotient) != quotient {
                return None;
            }
        }
    }
    found
}

/// All subsets that contain the parameter at `k` and at least one before it.
fn subsets(order: &[Atom], k: usize) -> Vec<Vec<Atom>> {
    let before = (1u32 << k) - 1;
    let chosen = |set: u32| (0..order.len()).filter(move |at| set >> at & 1 == 1).map(|at| order[at].clone());
    let sets = (0..1u32 << order.len()).filter(|set| set >> k & 1 == 1 && set & before != 0);
    sets.map(|set| chosen(set).collect()).collect()
}

/// `P + alpha`; two different terms cannot overflow.
pub fn plus(param: &Atom, alpha: i128) -> Poly {
    Poly::atom(param.clone()).add(&Poly::constant(alpha)).unwrap_or_default()
}

/// All orders.
fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let item = rest.remove(first);
        for mut tail in permutations(&rest) {
            tail.insert(0, item.clone());
            all.push(tail);
        }
    }
    all
}
