//! Strips of rows apart from their edges.
//!
//! Under a mark [`model::JAM`] is a loop over the rows of a strip, inside of a loop along them. Where the rows are skewed against
//! each other, not all of them have begun in the first iterations along them, and not all have more in the last ones. So these
//! come apart:
//! ```text
//! for (c = 2; c <= n + 12; c += 1)                 for (c = 2; c <= min(n + 12, 15); c += 1) ...as before
//!   for (r = max(s, ...c...); r <= min(s + 7,      for (c = 16; c <= n - 2; c += 1)
//!        ...c...); r += 1)                           for (r = s; r <= s + 7; r += 1)  // written out
//!     S(r, c - 2r);                                    S(r, c - 2r);
//!                                                  for (c = max(16, n - 1); c <= n + 12; c += 1) ...as before
//! ```
//! Bounds without `c` stay, and come apart as those of tiles do (module `full`).

use crate::cut::Cut;
use crate::full::{leaves, whole};
use crate::interval::Ranges;
use crate::linear::Linear;
use crate::registers::stmts_of_loops;
use crate::{Expr, For, Node, Op, Strip};
use model::StmtId;
use std::collections::BTreeSet;

/// The statements that have whole strips of rows together with others.
pub fn stmts_sharing_rows(nodes: &[Node]) -> BTreeSet<StmtId> {
    stmts_of_loops(nodes, &|each| each.strip == Some(Strip::Whole) && each.body.len() > 1)
}

/// The loop along rows with its edges apart; as it is if it does not have that form.
pub(crate) fn whole_rows(along: For, ranges: &Ranges<'_>) -> Vec<Node> {
    match split(&along, ranges) {
        Some(nodes) => nodes,
        None => vec![Node::For(along)],
    }
}

fn split(along: &For, ranges: &Ranges<'_>) -> Option<Vec<Node>> {
    let [Node::For(rows)] = &along.body[..] else { return None };
    let (tests, ..) = whole(rows).filter(|_| rows.strip.is_some() && along.step == 1 && !along.runs_once)?;
    let tests = tests.iter().filter(|test| test.mentions(along.variable));
    let differences: Vec<Linear> = tests.map(difference).collect::<Option<_>>()?;
    let Cut { outside, first, last, before, behind, begins, ends } = Cut::of(along, differences)?;
    if !outside.is_empty() || !begins && !ends {
        return None;
    }
    let stays = |bound: &Expr, op: Op| {
        let others = leaves(bound, op).into_iter().filter(|leaf| !leaf.mentions(along.variable)).cloned();
        others.reduce(|a, b| Expr::Op(op, vec![a, b]))
    };
    let plain =
        For { first: stays(&rows.first, Op::Max)?, last: stays(&rows.last, Op::Min)?, ..rows.clone() };
    let edge = For { strip: Some(Strip::Edge), ..rows.clone() };
    let part = |first: Expr, last: Expr, rows: &For| {
        Node::For(For { first, last, body: vec![Node::For(rows.clone())], ..along.clone() })
    };
    let is_proved = |expr: &Expr| ranges.of(expr).is_ok();
    if ![&first, &last, &before, &behind].into_iter().all(is_proved) {
        return None;
    }
    Some(vec![
        part(along.first.clone(), before, &edge),
        part(first, last, &plain),
        part(behind, along.last.clone(), &edge),
    ])
}

/// What is at least zero exactly if the test holds.
fn difference(test: &Expr) -> Option<Linear> {
    let Expr::Op(op, sides) = test else { return None };
    let (low, high) = match op {
        Op::Le => (&sides[0], &sides[1]),
        Op::Ge => (&sides[1], &sides[0]),
        _ => return None,
    };
    let mut sum = Sum::default();
    sum.add(high, 1)?;
    sum.add(low, -1)?;
    let rest = sum.rest;
    match sum.quotient {
        None => Some(rest),
        // rest + floor(a / k) >= 0: a >= -k rest.
        Some((a, k, 1)) => a.minus(rest.scaled(k)?.negated()?),
        // rest - floor(a / k) >= 0: a <= k rest + k - 1.
        Some((a, k, _)) => {
            let mut most = rest.scaled(k)?;
            most.constant = most.constant.checked_add(k - 1)?;
            most.minus(a)
        }
    }
}

/// A sum with at most one quotient in it: `rest + sign * floor(a / k)`.
#[derive(Default)]
struct Sum {
    rest: Linear,
    /// `a`, `k` and the sign.
    quotient: Option<(Linear, i64, i64)>,
}

impl Sum {
    fn add(&mut self, expr: &Expr, sign: i64) -> Option<()> {
        match expr {
            Expr::Op(Op::Neg, inside) => self.add(&inside[0], -sign),
            Expr::Op(Op::Add, sides) => self.add(&sides[0], sign).and_then(|()| self.add(&sides[1], sign)),
            Expr::Op(Op::Sub, sides) => self.add(&sides[0], sign).and_then(|()| self.add(&sides[1], -sign)),
            // Where it is not said to round down, it has no rest or nothing to round.
            Expr::Op(Op::FloorDiv | Op::Div, sides) => match (&sides[1], &self.quotient) {
                (Expr::Int(k), None) if *k > 0 => {
                    self.quotient = Some((Linear::of(&sides[0])?, *k, sign));
                    Some(())
                }
                _ => None,
            },
            other => {
                let more = Linear::of(other)?.scaled(-sign)?;
                self.rest = std::mem::take(&mut self.rest).minus(more)?;
                Some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;

    /// Whether the difference says of each value of a variable what the test says.
    fn agrees(test: &Expr, holds: impl Fn(i64) -> bool) {
        let found = difference(test).unwrap_or_else(|| panic!("{test:?}"));
        let by = found.times(&Expr::Variable(Variable(0)));
        for value in -20..20 {
            assert_eq!(by * value + found.constant >= 0, holds(value), "{test:?} at {value}");
        }
    }

    #[test]
    fn quotients_become_products() {
        let c = || Expr::Variable(Variable(0));
        let half = || Expr::Op(Op::FloorDiv, vec![c(), Expr::Int(2)]);
        let more = |by: i64| Expr::Op(Op::Add, vec![half(), Expr::Int(by)]);
        let minus = |expr: Expr| Expr::Op(Op::Neg, vec![expr]);
        agrees(&Expr::Op(Op::Ge, vec![more(1), Expr::Int(5)]), |c| c.div_euclid(2) + 1 >= 5);
        agrees(&Expr::Op(Op::Le, vec![more(-3), Expr::Int(2)]), |c| c.div_euclid(2) - 3 <= 2);
        agrees(&Expr::Op(Op::Le, vec![minus(half()), Expr::Int(2)]), |c| -c.div_euclid(2) <= 2);
        agrees(&Expr::Op(Op::Ge, vec![minus(half()), Expr::Int(2)]), |c| -c.div_euclid(2) >= 2);
        agrees(&Expr::Op(Op::Ge, vec![Expr::Int(4), c()]), |c| 4 >= c);
        let two = Expr::Op(Op::Ge, vec![half(), Expr::Op(Op::FloorDiv, vec![c(), Expr::Int(3)])]);
        assert!(difference(&two).is_none());
    }
}
