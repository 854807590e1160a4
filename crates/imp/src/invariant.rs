//! Polyhedral loop invariants by abstract interpretation (Section 6.1).
//!
//! For a loop without an exact closure, [`invariant`] finds a convex set of states that holds at its head in every round:
//! it contains the states in which the loop is reached, and a round leads from it into itself. Both are *checked* at the
//! end, so neither a hull nor a widening has to be trusted.
//!
//! The iteration is the usual one. `S` starts as the hull of the first states; each step adds the hull of what one
//! round makes of it. After a few exact steps (*delay*), what a step adds is *widened*: of the constraints of `S` only those
//! are kept that the new states satisfy too. The *thresholds* are the constraints of all states that a round can end in: they
//! hold in the first states and after every round, so widening never goes beyond them. When `S` is stable, one step more
//! without widening *narrows* it.
//!
//! Example: `x := 0; while ... do if a[x] > 0 then x := x + 1 else x := x + 2 fi done`: from `x = 0` by `0 <= x <= 2` and
//! `0 <= x <= 4` to `x >= 0`.

use isl::{BasicSet, Constraint, Map, Result, Set};

/// Steps without widening.
const DELAY: usize = 2;
/// Steps in all.
const MAX_STEPS: usize = 8;

/// A convex set of states that contains `first` and is closed under `round: { [x] -> [x'] }`, or `None` if none was found.
pub fn invariant(first: &Set, round: &Map) -> Result<Option<Set>> {
    let thresholds = hull(first.clone().union(round.clone().range()?)?)?;
    let mut now = hull(first.clone())?;
    for step in 0..MAX_STEPS {
        let next = hull(now.clone().union(now.clone().apply(round.clone())?)?)?;
        if next.is_subset(&now)? {
            return narrowed(first, round, now);
        }
        now = if step < DELAY { next } else { widened(&now, &next)?.intersect(thresholds.clone())? };
    }
    narrowed(first, round, thresholds)
}

/// The convex hull.
fn hull(set: Set) -> Result<Set> {
    Set::from_basic_set(set.remove_divs()?.polyhedral_hull()?)
}

/// One step without widening, and the check.
fn narrowed(first: &Set, round: &Map, stable: Set) -> Result<Option<Set>> {
    let step = |set: &Set| hull(first.clone().union(set.clone().apply(round.clone())?)?);
    let holds = |set: &Set| -> Result<bool> {
        Ok(first.is_subset(set)? && set.clone().apply(round.clone())?.is_subset(set)?)
    };
    let better = step(&stable)?;
    if holds(&better)? {
        return Ok(Some(better));
    }
    Ok(if holds(&stable)? { Some(stable) } else { None })
}

/// The constraints of `now` that `next` satisfies.
fn widened(now: &Set, next: &Set) -> Result<Set> {
    let mut kept = Set::universe(now.get_space()?)?;
    for constraint in inequalities(now)? {
        let half: Set = Set::from_basic_set(BasicSet::from_constraint(constraint)?)?;
        if next.is_subset(&half)? {
            kept = kept.intersect(half)?;
        }
    }
    Ok(kept)
}

/// The constraints of a convex set; an equality counts as two.
fn inequalities(set: &Set) -> Result<Vec<Constraint>> {
    let mut found = Vec::new();
    set.clone().polyhedral_hull()?.foreach_constraint(|constraint| {
        if constraint.is_equality()? {
            let aff = constraint.get_aff()?;
            found.push(Constraint::inequality_from_aff(aff.clone())?);
            found.push(Constraint::inequality_from_aff(aff.neg()?)?);
        } else {
            found.push(constraint);
        }
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    fn check(first: &str, round: &str, expected: &str) {
        let ctx = Ctx::new();
        let parse = |text: &str| -> Set { ctx.parse(&format!("[n] -> {{ {text} }}")).unwrap() };
        let round: Map = ctx.parse(&format!("[n] -> {{ {round} }}")).unwrap();
        let found = invariant(&parse(first), &round).unwrap().expect("an invariant");
        assert!(found.is_equal(&parse(expected)).unwrap(), "{found:?}");
    }

    #[test]
    fn widening_keeps_what_is_stable() {
        check("[x] : x = 0", "[x] -> [y] : x + 1 <= y <= x + 2", "[x] : x >= 0");
        check(
            "[x, y] : x = 0 and y = 0",
            "[x, y] -> [a, b] : x <= a <= x + 1 and b = y + 1",
            "[x, y] : 0 <= x <= y",
        );
    }

    #[test]
    fn thresholds_and_narrowing_bound_it() {
        check("[x] : x = 0", "[x] -> [y] : x + 1 <= y <= x + 2 and x < 100", "[x] : 0 <= x <= 101");
        check("[x] : x = n and n >= 0", "[x] -> [x - 1] : x > 0", "[x] : 0 <= x <= n");
    }
}
