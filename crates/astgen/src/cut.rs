//! A loop cut where conditions begin and cease to hold.
//!
//! A condition `rest + v >= 0` holds from `-rest` on, `rest - v >= 0` up to `rest`, where `v` is the loop's variable. So a loop has
//! three parts, in its order: before all conditions hold, while they do, and behind:
//! ```text
//! for (v = first; v <= min(last, low - 1); ...)    for (v = low; v <= high; ...)    for (v = max(low, high + 1); v <= last; ...)
//! ```
//! Each value is in one of them, also if the conditions hold for none: then all are in the first.

use crate::linear::Linear;
use crate::{Expr, For, Op};

/// Where a loop is cut.
pub(crate) struct Cut {
    /// What the loop does not change must hold, too: at least zero, each.
    pub outside: Vec<Expr>,
    /// The first value for which the conditions hold, if there is one.
    pub first: Expr,
    /// The last one.
    pub last: Expr,
    /// The last value before them.
    pub before: Expr,
    /// The first value behind them.
    pub behind: Expr,
    /// Whether a condition begins to hold somewhere; if not, there is nothing before.
    pub begins: bool,
    /// Whether one ceases to; if not, there is nothing behind.
    pub ends: bool,
}

impl Cut {
    /// `differences`: what must be at least zero. `None`: the loop's variable is in one of them more than once.
    pub fn of(each: &For, differences: impl IntoIterator<Item = Linear>) -> Option<Cut> {
        let (mut outside, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new());
        for difference in differences {
            match difference.times(&Expr::Variable(each.variable)) {
                0 => outside.push(Expr::Op(Op::Ge, vec![difference.expr(), Expr::Int(0)])),
                1 => firsts.push(difference.without(each.variable).negated()?.expr()),
                -1 => lasts.push(difference.without(each.variable).expr()),
                _ => return None,
            }
        }
        let (begins, ends) = (!firsts.is_empty(), !lasts.is_empty());
        let bound = |own: &Expr, others: Vec<Expr>, op: Op| {
            others.into_iter().fold(own.clone(), |all, other| Expr::Op(op, vec![all, other]))
        };
        let (first, last) = (bound(&each.first, firsts, Op::Max), bound(&each.last, lasts, Op::Min));
        let before = Expr::Op(Op::Sub, vec![first.clone(), Expr::Int(1)]);
        let behind = Expr::Op(Op::Add, vec![last.clone(), Expr::Int(1)]);
        Some(Cut {
            outside,
            before: Expr::Op(Op::Min, vec![each.last.clone(), before]),
            behind: Expr::Op(Op::Max, vec![first.clone(), behind]),
            first,
            last,
            begins,
            ends,
        })
    }
}
