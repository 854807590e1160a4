//! Distances of a dependence: target minus source, per common loop, as boxes of integers.
//!
//! A [`Distance`] has one interval per common loop. [`distances`] turns a folded dependence into a list of them that
//! together contain every distance that was observed:
//!
//! - A piece at a constant distance is read off its labels. The others are left to isl: the least and the greatest
//!   value of `x_d - label_d(x)`, for each loop that can carry it.
//! - Where isl fails (the budget is spent, or the text is no map), the same over the box around the piece; a component
//!   with an unknown coefficient (the paper's top) can be anything. So can all of a relation that lost points.
//! - A producer runs before its consumer, so only distances that are lexicographically not negative remain. This is the
//!   over-approximation of Section 4.3, applied to the whole vector: imposing the order on the unknown components alone
//!   would lose `(1, top)` with a negative second component, which a run can well have.
//!
//! **Invariant**: in each result the components before its [`Distance::level`] are 0 and the one at it is at least 1;
//! without a level all are 0.
//!
//! Example: `(0, top)` gives `(0, 0)` and `(0, [1, ..])`, the paper's `cj' = cj and ck' <= ck`; `(1, top)` stays
//! `(1, [.., ..])`.

use isl::{Ctx, Map, Set};
use trace::profile::{Dependence, Piece};

/// All integers from `low` to `high`; the extreme values of the type stand for no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { low: i64::MIN, high: i64::MAX };
    /// Only 0.
    pub const ZERO: Interval = Interval { low: 0, high: 0 };

    fn contains_zero(self) -> bool {
        self.low <= 0 && self.high >= 0
    }

    fn text(self) -> String {
        match (self.low, self.high) {
            (low, high) if low == high => low.to_string(),
            (i64::MIN, i64::MAX) => "*".to_owned(),
            (low, i64::MAX) => format!("{low}.."),
            (i64::MIN, high) => format!("..{high}"),
            (low, high) => format!("{low}..{high}"),
        }
    }
}

/// A box of distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distance {
    /// Per common loop, outermost first.
    pub components: Vec<Interval>,
    /// The loop that carries it: the first whose component is not 0.
    pub level: Option<usize>,
    /// Whether its bounds are those of distances that were observed.
    pub exact: bool,
}

impl Distance {
    /// Whether the loops outside dimension `d` leave it to `d` and the loops inside.
    pub fn reaches(&self, d: usize) -> bool {
        self.level.is_none_or(|level| level >= d)
    }

    /// Whether source still comes before target, or in the same iteration, if the loops are nested in this order.
    pub fn survives(&self, order: &[usize]) -> bool {
        for component in order.iter().filter_map(|d| self.components.get(*d)) {
            match component.low {
                1.. => return true,
                0 => {}
                _ => return false,
            }
        }
        true
    }

    /// Whether loop `d` would carry it if `d` were the innermost loop.
    pub fn carried_innermost(&self, d: usize) -> bool {
        let others = self.components.iter().enumerate().filter(|(k, _)| *k != d);
        let stays = others.map(|(_, c)| *c).all(Interval::contains_zero);
        stays && self.components.get(d).is_some_and(|c| *c != Interval::ZERO)
    }

    /// For people: `(0, 1..)`.
    pub fn text(&self) -> String {
        let components: Vec<String> = self.components.iter().map(|c| c.text()).collect();
        format!("({})", components.join(", "))
    }
}

/// Boxes that contain all distances of a dependence between statements with this many common loops.
pub fn distances(dependence: &Dependence, common: usize) -> Vec<Distance> {
    let relation = &dependence.relation;
    let known: u64 = relation.pieces.iter().map(|p| p.points).sum();
    let mut out = Vec::new();
    let lost = known < relation.points || relation.pieces.is_empty();
    let free = lost.then(|| in_order(&vec![Interval::ALL; common], false));
    for distance in relation.pieces.iter().map(|p| of_piece(p, common)).chain(free).flatten() {
        if !out.contains(&distance) {
            out.push(distance);
        }
    }
    out
}

fn of_piece(piece: &Piece, common: usize) -> Vec<Distance> {
    let components: Vec<Interval> = (0..common).map(|d| component(piece, d)).collect();
    if components.iter().all(|c| c.low == c.high) {
        // Wherever exactly the instances are, this is their distance.
        return in_order(&components, true);
    }
    by_isl(piece, common).unwrap_or_else(|_| in_order(&components, false))
}

/// The distances of a piece, split by the loop that carries them, with the bounds that isl finds.
fn by_isl(piece: &Piece, common: usize) -> isl::Result<Vec<Distance>> {
    let ctx = Ctx::of_thread();
    let names =
        |letter: char, n: usize| (0..n).map(|d| format!("{letter}{d}")).collect::<Vec<_>>().join(", ");
    let (x, y) = (names('x', piece.low.len()), names('y', piece.labels.len()));
    let difference = (0..common).map(|d| format!("x{d} - y{d}")).collect::<Vec<_>>().join(", ");
    let relation: Map = ctx.parse(&piece.isl)?;
    let all = relation.wrap()?.apply(ctx.parse(&format!("{{ [[{x}] -> [{y}]] -> [{difference}] }}"))?)?;
    let mut out = Vec::new();
    for level in (0..common).map(Some).chain([None]) {
        let component =
            |d: usize| if level.is_some_and(|l| d >= l) { format!("d{d}") } else { "0".to_owned() };
        let tuple = (0..common).map(component).collect::<Vec<_>>().join(", ");
        let condition = level.map_or_else(String::new, |l| format!(": d{l} >= 1"));
        let part = all.clone().intersect(ctx.parse(&format!("{{ [{tuple}] {condition} }}"))?)?;
        if !part.is_empty()? {
            let components = (0..common).map(|d| bounds(&part, d)).collect::<isl::Result<_>>()?;
            out.push(Distance { components, level, exact: piece.exact });
        }
    }
    Ok(out)
}

/// The least and the greatest value of a dimension.
fn bounds(set: &Set, d: usize) -> isl::Result<Interval> {
    let number = |value: isl::Val, unbounded: i64| -> isl::Result<i64> {
        Ok(if value.is_int()? { value.to_str()?.parse().unwrap_or(unbounded) } else { unbounded })
    };
    let low = number(set.clone().dim_min_val(d)?, i64::MIN)?;
    let high = number(set.clone().dim_max_val(d)?, i64::MAX)?;
    Ok(Interval { low, high })
}

/// The range of `x_d - label_d(x)` over the box around a piece.
fn component(piece: &Piece, d: usize) -> Interval {
    let range = || {
        let label = piece.labels.get(d).filter(|label| label.exact)?;
        let start = label.constant?.checked_neg()?;
        let mut range = Interval { low: start, high: start };
        for (k, coefficient) in label.coefficients.iter().enumerate() {
            let factor = i64::from(k == d).checked_sub((*coefficient)?)?;
            let ends = [piece.low.get(k)?.checked_mul(factor)?, piece.high.get(k)?.checked_mul(factor)?];
            range.low = range.low.checked_add(ends[0].min(ends[1]))?;
            range.high = range.high.checked_add(ends[0].max(ends[1]))?;
        }
        Some(range)
    };
    range().unwrap_or(Interval::ALL)
}

/// The part of a box that is lexicographically not negative, split by the loop that carries it.
fn in_order(components: &[Interval], exact: bool) -> Vec<Distance> {
    let mut out = Vec::new();
    for (level, component) in components.iter().enumerate() {
        if component.high >= 1 {
            let mut carried = components.to_vec();
            carried[..level].fill(Interval::ZERO);
            carried[level].low = component.low.max(1);
            out.push(Distance { components: carried, level: Some(level), exact });
        }
        if !component.contains_zero() {
            return out;
        }
    }
    out.push(Distance { components: vec![Interval::ZERO; components.len()], level: None, exact });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::profile::{Folded, Label};

    /// A dependence over `[0, 9]^n` with these labels: the constant and the coefficients.
    fn dependence(labels: &[(i64, &[Option<i64>])]) -> Dependence {
        let n = labels.len();
        let label = |(constant, coefficients): &(i64, &[Option<i64>])| {
            let exact = coefficients.iter().all(Option::is_some);
            Label { constant: exact.then_some(*constant), coefficients: coefficients.to_vec(), exact }
        };
        let labels: Vec<Label> = labels.iter().map(label).collect();
        let exact = labels.iter().all(|l| l.exact);
        let piece = Piece { exact, points: 1, low: vec![0; n], high: vec![9; n], labels, ..Piece::default() };
        let relation = Folded { exact, points: 1, pieces: vec![piece], ..Folded::default() };
        Dependence { relation, distance: vec![None; n], ..Dependence::default() }
    }

    fn texts(dependence: &Dependence) -> Vec<String> {
        distances(dependence, dependence.distance.len()).iter().map(Distance::text).collect()
    }

    #[test]
    fn the_example_of_section_4_3() {
        let d = dependence(&[(0, &[Some(1), Some(0)]), (0, &[Some(0), None])]);
        assert_eq!(texts(&d), ["(0, 1..)", "(0, 0)"]);
        assert!(distances(&d, d.distance.len()).iter().all(|d| !d.exact));
    }

    #[test]
    fn behind_a_carried_component_the_unknown_is_free() {
        let d = dependence(&[(-1, &[Some(1), Some(0)]), (0, &[Some(0), None])]);
        assert_eq!(texts(&d), ["(1, *)"]);
    }

    #[test]
    fn a_constant_distance_is_exact() {
        let found = distances(&dependence(&[(-1, &[Some(1), Some(0)]), (2, &[Some(0), Some(1)])]), 2);
        assert_eq!((found[0].text().as_str(), found[0].level, found[0].exact), ("(1, -2)", Some(0), true));
        // Also if the domain is not.
        let mut somewhere = dependence(&[(-1, &[Some(1), Some(0)]), (2, &[Some(0), Some(1)])]);
        (somewhere.relation.exact, somewhere.relation.pieces[0].exact) = (false, false);
        assert_eq!(distances(&somewhere, 2), found);
    }

    #[test]
    fn a_varying_distance_is_a_range() {
        // The producer is always iteration 0: 0 to 9 iterations before.
        let mut d = dependence(&[(0, &[Some(0)])]);
        assert_eq!(texts(&d), ["(1..9)", "(0)"]);
        // isl knows more than the box around it: here it is never iteration 0 that asks.
        d.relation.pieces[0].isl = "{ [i0] -> [0] : 2 <= i0 <= 9 }".to_owned();
        let found = distances(&d, 1);
        assert_eq!((found[0].text().as_str(), found[0].exact, found.len()), ("(2..9)", true, 1));
    }

    #[test]
    fn triangles_are_no_boxes() {
        // As in an LU factorization: the producer is in an earlier iteration of the outermost loop, always.
        let mut d = dependence(&[(0, &[Some(0), Some(1)]), (0, &[Some(1), Some(-1)])]);
        d.relation.pieces[0].isl = "{ [i0, i1] -> [i1, i0 - i1] : 1 <= i0 <= 9 and 0 <= i1 < i0 }".to_owned();
        let found = distances(&d, 2);
        assert_eq!(found.iter().map(|d| d.level).collect::<Vec<_>>(), [Some(0)]);
        assert_eq!(found[0].text(), "(1..9, -9..7)");
        d.relation.pieces[0].isl = "no map".to_owned();
        assert!(distances(&d, 2).len() > 1);
    }

    #[test]
    fn lost_points_could_be_anywhere() {
        let mut d = dependence(&[(-1, &[Some(1)])]);
        d.relation.points = 2;
        assert_eq!(texts(&d), ["(1)", "(1..)", "(0)"]);
    }

    #[test]
    fn orders_that_keep_a_distance() {
        let found = distances(&dependence(&[(-1, &[Some(1), Some(0)]), (1, &[Some(0), Some(1)])]), 2);
        assert!(found[0].survives(&[0, 1]) && !found[0].survives(&[1, 0]));
        assert!(!found[0].carried_innermost(1) && !found[0].carried_innermost(0));
    }
}
