//! Full tiles apart from partial ones.
//!
//! The innermost loop of a tile that starts at `t` and is 32 long runs from `t` to `min(t + 31, n - 1)`. For almost all
//! tiles the first bound counts, but the host compiler does not know that and prepares for every length. So there are
//! two copies, and a test, as far out as its variables allow:
//! ```text
//! for (t = 0; t <= n - 1; t += 32)            for (t = 0; t <= n - 1; t += 32)
//!   for (i = ...)                               if (n - 1 >= t + 31)
//!     for (j = t; j <= min(t + 31, n - 1); ...)   for (i = ...)
//!       S(i, j);                                    for (j = t; j <= t + 31; ...)
//!                                                     S(i, j);
//!                                               else ...as before
//! ```
//! isl can do the same (its option `isolate`), more thoroughly, and takes longer for it than for all the rest.
//!
//! A bound `max(t, ...)` is treated likewise. Nothing is computed that was not there before, so all values fit.

use crate::idle::has_loop;
use crate::{Expr, For, Node, Op, Strip};

/// The same program with full tiles apart.
pub(crate) fn separate(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().map(|node| separate_node(node).into_node()).collect()
}

/// A part of the program, as it is or in two versions.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
enum Separated {
    Plain(Node),
    Full { test: Vec<Expr>, full: Node, any: Node },
}

impl Separated {
    /// With the test at this place.
    fn into_node(self) -> Node {
        match self {
            Separated::Plain(node) => node,
            Separated::Full { test, full, any } => Node::If {
                condition: test.into_iter().reduce(both).unwrap_or(Expr::Int(1)),
                then: vec![full],
                otherwise: vec![any],
            },
        }
    }
}

pub(crate) fn both(a: Expr, b: Expr) -> Expr {
    Expr::Op(Op::And, vec![a, b])
}

fn separate_node(node: Node) -> Separated {
    match node {
        Node::Stmt { .. } => Separated::Plain(node),
        Node::If { condition, then, otherwise } => {
            Separated::Plain(Node::If { condition, then: separate(then), otherwise: separate(otherwise) })
        }
        // Whole already, or never.
        Node::For(each) if each.block.is_some() || each.strip == Some(Strip::Edge) => {
            Separated::Plain(Node::For(each))
        }
        Node::For(each) if !has_loop(&each.body) => innermost(each),
        Node::For(each) => outer(each),
    }
}

/// A test inside goes on outwards if the loop does not change it and there is nothing else in the loop.
fn outer(mut each: For) -> Separated {
    let only = match <[Node; 1]>::try_from(std::mem::take(&mut each.body)) {
        Ok([only]) => only,
        Err(body) => return Separated::Plain(Node::For(For { body: separate(body), ..each })),
    };
    let around = |node: Node| Node::For(For { body: vec![node], ..each.clone() });
    match separate_node(only) {
        Separated::Full { test, full, any } if !test.iter().any(|test| test.mentions(each.variable)) => {
            Separated::Full { test, full: around(full), any: around(any) }
        }
        inside => Separated::Plain(around(inside.into_node())),
    }
}

fn innermost(each: For) -> Separated {
    let any = Node::For(each.clone());
    match full(&each) {
        Some((test, first, last)) => {
            let full = Node::For(For { first, last, ..each });
            Separated::Full { test, full, any }
        }
        None => Separated::Plain(any),
    }
}

/// When the loop runs over a full tile, and its bounds then; `None` also if it always does.
fn full(each: &For) -> Option<(Vec<Expr>, Expr, Expr)> {
    whole(each).filter(|(tests, ..)| !tests.is_empty())
}

/// When the loop runs over a full tile, and its bounds then.
pub(crate) fn whole(each: &For) -> Option<(Vec<Expr>, Expr, Expr)> {
    let (firsts, lasts) = (leaves(&each.first, Op::Max), leaves(&each.last, Op::Min));
    if each.runs_once {
        return None;
    }
    // Of a tile in a tile the inner one.
    let tiles = firsts.iter().flat_map(|first| {
        let ends = lasts.iter().filter_map(|last| Some((tile_size(last, first)?, *first, *last)));
        ends.collect::<Vec<_>>()
    });
    let (_, first, last) = tiles.min_by_key(|(size, ..)| *size)?;
    let tests = |bounds: &[&Expr], op: Op, bound: &Expr| {
        let others = bounds.iter().filter(|other| **other != bound);
        others.map(|other| Expr::Op(op, vec![(*other).clone(), bound.clone()])).collect::<Vec<_>>()
    };
    let mut all = tests(&firsts, Op::Le, first);
    all.extend(tests(&lasts, Op::Ge, last));
    Some((all, first.clone(), last.clone()))
}

/// How many values there are from `t` to `t + 31`, if the expressions are that.
fn tile_size(last: &Expr, first: &Expr) -> Option<i64> {
    match (last, first) {
        (Expr::Op(Op::Add, sum), Expr::Variable(_)) if sum.len() == 2 && sum[0] == *first => match sum[1] {
            Expr::Int(more) if more > 0 => more.checked_add(1),
            _ => None,
        },
        _ => None,
    }
}

/// How many values there are from the first to the last, if that is known.
pub(crate) fn extent(first: &Expr, last: &Expr) -> Option<i64> {
    match (first, last) {
        (Expr::Int(first), Expr::Int(last)) => last.checked_sub(*first)?.checked_add(1),
        _ => tile_size(last, first),
    }
}

/// The operands of nested minima or maxima.
pub(crate) fn leaves(expr: &Expr, wanted: Op) -> Vec<&Expr> {
    match expr {
        Expr::Op(op, operands) if *op == wanted => {
            operands.iter().flat_map(|operand| leaves(operand, wanted)).collect()
        }
        _ => vec![expr],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;

    fn each(variable: u32, first: Expr, last: Expr, body: Vec<Node>) -> Node {
        let variable = Variable(variable);
        Node::For(For {
            variable,
            first,
            last,
            step: 1,
            runs_once: false,
            is_vector: false,
            is_threads: false,
            copies: Vec::new(),
            block: None,
            strip: None,
            together: None,
            body,
        })
    }

    fn tile_loop(first: Expr, last: Expr) -> Node {
        let stmt = Node::Stmt { id: model::StmtId(0), counters: vec![Expr::Variable(Variable(2))] };
        each(2, first, last, vec![stmt])
    }

    fn end(start: Expr) -> Expr {
        Expr::Op(Op::Add, vec![start, Expr::Int(31)])
    }

    #[test]
    fn the_test_goes_out_to_the_loop_over_tiles() {
        let (tile, other) = (Expr::Variable(Variable(0)), Expr::Param(0));
        let min = Expr::Op(Op::Min, vec![other.clone(), end(tile.clone())]);
        let point = each(1, Expr::Int(0), Expr::Int(9), vec![tile_loop(tile.clone(), min)]);
        let found = separate(vec![each(0, Expr::Int(0), other.clone(), vec![point.clone()])]);
        let [Node::For(tiles)] = &found[..] else { panic!("{found:?}") };
        let [Node::If { condition, then, otherwise }] = &tiles.body[..] else { panic!("{tiles:?}") };
        assert_eq!(*condition, Expr::Op(Op::Ge, vec![other, end(tile.clone())]));
        assert_eq!(otherwise[..], [point]);
        assert_eq!(then[..], [each(1, Expr::Int(0), Expr::Int(9), vec![tile_loop(tile.clone(), end(tile))])]);
    }

    #[test]
    fn both_bounds_are_tested_where_a_loop_changes_them() {
        let (tile, point) = (Expr::Variable(Variable(0)), Expr::Variable(Variable(1)));
        let first = Expr::Op(Op::Max, vec![tile.clone(), point.clone()]);
        let last = Expr::Op(Op::Min, vec![end(tile.clone()), point.clone()]);
        let loops = each(1, Expr::Int(0), Expr::Int(9), vec![tile_loop(first, last)]);
        let found = separate(vec![each(0, Expr::Int(0), Expr::Int(99), vec![loops])]);
        let [Node::For(tiles)] = &found[..] else { panic!("{found:?}") };
        let [Node::For(points)] = &tiles.body[..] else { panic!("{tiles:?}") };
        let [Node::If { condition, .. }] = &points.body[..] else { panic!("{points:?}") };
        let tests = [(Op::Le, tile.clone()), (Op::Ge, end(tile))];
        let tests = tests.map(|(op, bound)| Expr::Op(op, vec![point.clone(), bound]));
        assert_eq!(*condition, Expr::Op(Op::And, tests.to_vec()));
    }

    #[test]
    fn other_loops_stay() {
        let loops = vec![tile_loop(Expr::Int(0), Expr::Op(Op::Min, vec![Expr::Param(0), Expr::Param(1)]))];
        assert_eq!(separate(loops.clone()), loops);
    }
}
