//! Whole blocks of cells apart from those at the edges.
//!
//! Under a mark [`model::REGISTERS`] is a loop over the terms of sums, then one over the rows and one over the columns of a
//! block. Where a block is whole and all its cells take part, the back end keeps them in registers; so such blocks, and such
//! terms, come apart:
//! ```text
//! for (k = 0; k <= n - 1; k += 1)                 if (n - 1 >= r + 7)
//!   for (i = r; i <= min(n - 1, r + 7); i += 1)     for (k = 0; k <= n - 1; k += 1)  // in registers
//!     for (j = c; j <= c + 23; j += 1)                for (i = r; i <= r + 7; i += 1)
//!       S(i, j, k);                                     for (j = c; j <= c + 23; j += 1)
//!                                                         S(i, j, k);
//!                                                 else ...as before
//! ```
//! The others, too, are blocks, of which some cells do not take part.
//!
//! A condition with `k` in it, as in `k <= i`, splits the terms of both: those before and behind the ones for which it holds in
//! the whole block are added as before, in their order. A condition with `i` in it must hold for the first and the last row; conditions are
//! affine, so it holds in between.

use crate::cut::Cut;
use crate::full::{both, extent, leaves, whole};
use crate::idle::stmts_in;
use crate::interval::Ranges;
use crate::linear::Linear;
use crate::{Block, Expr, For, Node, Op, Variable};
use model::StmtId;
use std::collections::BTreeSet;

/// The statements that are in blocks.
pub fn block_stmts(nodes: &[Node]) -> BTreeSet<StmtId> {
    stmts_of_loops(nodes, &|each| each.block.is_some())
}

/// The statements below loops like that.
pub(crate) fn stmts_of_loops(nodes: &[Node], wanted: &impl Fn(&For) -> bool) -> BTreeSet<StmtId> {
    let mut found = BTreeSet::new();
    for node in nodes {
        match node {
            Node::For(each) if wanted(each) => found.append(&mut stmts_in(&each.body)),
            Node::For(each) => found.append(&mut stmts_of_loops(&each.body, wanted)),
            Node::If { then, otherwise, .. } => {
                found.append(&mut stmts_of_loops(then, wanted));
                found.append(&mut stmts_of_loops(otherwise, wanted));
            }
            Node::Stmt { .. } => {}
        }
    }
    found
}

/// The loops with whole blocks apart; as they are if they do not have that form.
pub(crate) fn whole_blocks(summed: For, ranges: &Ranges<'_>) -> Vec<Node> {
    match split(&summed, ranges) {
        Some(nodes) => nodes,
        None => vec![Node::For(summed)],
    }
}

fn split(summed: &For, ranges: &Ranges<'_>) -> Option<Vec<Node>> {
    let block = Whole::of(summed)?;
    let difference = |(low, high): &(Expr, Expr)| Linear::of(high)?.minus(Linear::of(low)?);
    let differences: Vec<Linear> = block.tests.iter().map(difference).collect::<Option<_>>()?;
    let Cut { outside, first, last, before, behind, begins, ends } = Cut::of(summed, differences)?;
    let part = |first: Expr, last: Expr| Node::For(For { first, last, ..summed.clone() });
    // The terms before the first that counts for the whole block (if there is none such, these are all), those that do, and the
    // others behind them.
    let parts = |size: Block, body: Vec<Node>| {
        let mut parts = Vec::new();
        if begins {
            parts.push(part(summed.first.clone(), before.clone()));
        }
        let (first, last) = (first.clone(), last.clone());
        parts.push(Node::For(For { first, last, block: Some(size), body, ..summed.clone() }));
        if ends {
            parts.push(part(behind.clone(), summed.last.clone()));
        }
        parts
    };
    let cut = match block.cut(summed.variable) {
        Some(body) => parts(Block { is_whole: false, ..block.size.clone() }, body),
        None => vec![Node::For(summed.clone())],
    };
    let whole = parts(block.size, block.body);
    let is_proved = |expr: &Expr| ranges.of(expr).is_ok();
    let bounds = whole.iter().flat_map(|node| match node {
        Node::For(each) => vec![&each.first, &each.last],
        _ => Vec::new(),
    });
    if !outside.iter().chain(bounds).all(is_proved) {
        return None;
    }
    Some(match outside.into_iter().reduce(both) {
        None => whole,
        Some(condition) => vec![Node::If { condition, then: whole, otherwise: cut }],
    })
}

/// A block, where it is whole.
struct Whole<'a> {
    size: Block,
    /// The loops over rows and columns, also where it is not.
    loops: [&'a For; 2],
    /// Whole: in each pair the first expression is at most the second.
    tests: Vec<(Expr, Expr)>,
    /// The loops over rows and columns then.
    body: Vec<Node>,
}

impl<'a> Whole<'a> {
    fn of(summed: &'a For) -> Option<Self> {
        let [Node::For(row)] = &summed.body[..] else { return None };
        let [Node::For(column)] = &row.body[..] else { return None };
        let [Node::Stmt { .. }] = &column.body[..] else { return None };
        let (mut tests, row_first, row_last) = bounds(row)?;
        let (column_tests, first, last) = bounds(column)?;
        for (low, high) in column_tests {
            for end in [&row_first, &row_last] {
                let at = |expr: &Expr| substituted(expr, row.variable, end);
                tests.push((at(&low), at(&high)));
            }
        }
        tests.dedup();
        let ends = [&row_first, &row_last, &first, &last];
        let stands = |end: &&Expr| !end.mentions(summed.variable) && !end.mentions(row.variable);
        let all_plain = summed.step == 1 && row.step == 1 && column.step == 1 && column.is_vector;
        if !ends.iter().all(stands) || !all_plain || summed.runs_once {
            return None;
        }
        let size = Block {
            height: extent(&row_first, &row_last)?,
            width: extent(&first, &last)?,
            depth: bounds(summed).and_then(|(_, first, last)| extent(&first, &last)),
            column: first.clone(),
            is_whole: true,
        };
        let whole_column = Node::For(For { first, last, ..column.clone() });
        let whole_row = For { first: row_first, last: row_last, body: vec![whole_column], ..row.clone() };
        Some(Whole { size, loops: [row, column], tests, body: vec![Node::For(whole_row)] })
    }
}

impl Whole<'_> {
    /// The loops over rows and columns for those terms to which the bounds with their number in them do not matter, because others
    /// are reached first; `None` if such bounds have another form.
    fn cut(&self, term: Variable) -> Option<Vec<Node>> {
        let stands =
            |leaf: &&Expr| Linear::of(leaf).is_some_and(|leaf| leaf.times(&Expr::Variable(term)) == 0);
        let bound = |bound: &Expr, op: Op| {
            let others = leaves(bound, op).into_iter().filter(stands).cloned();
            others.reduce(|all, other| Expr::Op(op, vec![all, other])).filter(|all| !all.mentions(term))
        };
        let cut = |each: &For, body: Vec<Node>| {
            let (first, last) = (bound(&each.first, Op::Max)?, bound(&each.last, Op::Min)?);
            Some(vec![Node::For(For { first, last, body, ..each.clone() })])
        };
        let [row, column] = self.loops;
        cut(row, cut(column, column.body.clone())?)
    }
}

type Bounds = (Vec<(Expr, Expr)>, Expr, Expr);

/// The bounds of a loop over a whole tile, and what must not be greater than what.
fn bounds(each: &For) -> Option<Bounds> {
    // There is only one block.
    if let (Expr::Int(_), Expr::Int(_), false) = (&each.first, &each.last, each.runs_once) {
        return Some((Vec::new(), each.first.clone(), each.last.clone()));
    }
    let (tests, first, last) = whole(each).or_else(|| constant_strip(each))?;
    let pair = |test: Expr| match test {
        Expr::Op(Op::Le, sides) => Some((sides[0].clone(), sides[1].clone())),
        Expr::Op(Op::Ge, sides) => Some((sides[1].clone(), sides[0].clone())),
        _ => None,
    };
    Some((tests.into_iter().map(pair).collect::<Option<_>>()?, first, last))
}

/// The same for a loop that is a strip of constant length, but where the loops around it end: from 0 to `min(7, n - 8 * c - 1)`.
fn constant_strip(each: &For) -> Option<(Vec<Expr>, Expr, Expr)> {
    let lasts = leaves(&each.last, Op::Min);
    let end = lasts.iter().position(|last| matches!(last, Expr::Int(_)))?;
    if each.runs_once || extent(&each.first, lasts[end])? < 2 {
        return None;
    }
    let others = lasts.iter().enumerate().filter(|(at, _)| *at != end);
    let tests = others.map(|(_, other)| Expr::Op(Op::Ge, vec![(*other).clone(), lasts[end].clone()]));
    Some((tests.collect(), each.first.clone(), lasts[end].clone()))
}

fn substituted(expr: &Expr, variable: Variable, by: &Expr) -> Expr {
    match expr {
        Expr::Variable(other) if *other == variable => by.clone(),
        Expr::Op(op, operands) => {
            Expr::Op(*op, operands.iter().map(|operand| substituted(operand, variable, by)).collect())
        }
        other => other.clone(),
    }
}
