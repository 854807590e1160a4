//! Conditions before loops that do nothing without them.
//!
//! isl leaves conditions that are different for each statement where the statements are, however many loops are around:
//! ```text
//! for (i = t; i <= t + 47; i += 1)          if (s == t || s == r)
//!   for (j = r; j <= r + 47; j += 1) {        for (i = t; i <= t + 47; i += 1)
//!     if (s == t) S(i, j);                      for (j = r; j <= r + 47; j += 1) {
//!     if (s == r) T(i, j);                        if (s == t) S(i, j);
//!   }                                             if (s == r) T(i, j);
//!                                               }
//! ```
//! The left one takes 48 times 48 steps for nothing in most tiles. Loops with other loops in them therefore stand under the
//! condition that one of those inside holds which do not depend on them. Nothing is computed that was not there before,
//! so all values fit.

use crate::idle::has_loop;
use crate::{Expr, For, Node, Op};

/// The most conditions of which one must hold: more are not worth a test each time.
const MOST: usize = 3;

/// The same program with such conditions outside.
pub(crate) fn hoist(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().map(hoist_node).collect()
}

fn hoist_node(node: Node) -> Node {
    match node {
        Node::Stmt { .. } => node,
        Node::If { condition, then, otherwise } => {
            Node::If { condition, then: hoist(then), otherwise: hoist(otherwise) }
        }
        Node::For(each) => {
            let wanted = needs(&each).filter(|wanted| has_loop(&each.body) && wanted.len() <= MOST);
            let inside = Node::For(For { body: hoist(each.body), ..each });
            match wanted.and_then(|wanted| wanted.into_iter().reduce(either)) {
                Some(condition) => Node::If { condition, then: vec![inside], otherwise: Vec::new() },
                None => inside,
            }
        }
    }
}

fn either(a: Expr, b: Expr) -> Expr {
    Expr::Op(Op::Or, vec![a, b])
}

/// The conditions of which one must hold for the loop to do something, if there are such and none depends on it.
fn needs(each: &For) -> Option<Vec<Expr>> {
    let all = needs_of(&each.body)?;
    (!all.iter().any(|condition| condition.mentions(each.variable))).then_some(all)
}

/// The same for what is in a loop.
fn needs_of(nodes: &[Node]) -> Option<Vec<Expr>> {
    let mut all: Vec<Expr> = Vec::new();
    for node in nodes {
        let more = match node {
            Node::Stmt { .. } => return None,
            Node::For(inner) => needs(inner)?,
            Node::If { condition, otherwise, .. } => {
                [vec![condition.clone()], of_otherwise(otherwise)?].concat()
            }
        };
        for condition in more {
            if !all.contains(&condition) {
                all.push(condition);
            }
        }
    }
    Some(all)
}

/// The same for what is done where a condition does not hold: what is computed there must fit where it holds as well.
fn of_otherwise(nodes: &[Node]) -> Option<Vec<Expr>> {
    let is_plain = |expr: &Expr| !matches!(expr, Expr::Op(..));
    let compares = |expr: &Expr| matches!(expr, Expr::Op(_, operands) if operands.iter().all(is_plain));
    needs_of(nodes).filter(|all| all.iter().all(compares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;
    use model::StmtId;

    fn each(variable: u32, body: Vec<Node>) -> Node {
        Node::For(For {
            variable: Variable(variable),
            first: Expr::Int(0),
            last: Expr::Int(9),
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

    fn stmt(id: u32) -> Node {
        Node::Stmt { id: StmtId(id), counters: Vec::new() }
    }

    fn given(condition: Expr, then: Node) -> Node {
        Node::If { condition, then: vec![then], otherwise: Vec::new() }
    }

    fn equal(variable: u32) -> Expr {
        Expr::Op(Op::Eq, vec![Expr::Variable(Variable(variable)), Expr::Param(0)])
    }

    #[test]
    fn one_of_several_must_hold() {
        let loops = each(1, vec![each(2, vec![given(equal(0), stmt(0)), given(Expr::Param(1), stmt(1))])]);
        let found = hoist(vec![each(0, vec![loops.clone()])]);
        assert_eq!(found, [each(0, vec![given(either(equal(0), Expr::Param(1)), loops)])]);
    }

    #[test]
    fn also_what_is_otherwise() {
        let choice =
            |condition, then, otherwise| Node::If { condition, then: vec![then], otherwise: vec![otherwise] };
        let loops = |other| each(1, vec![each(2, vec![choice(equal(0), stmt(0), given(other, stmt(1)))])]);
        let found = hoist(vec![each(0, vec![loops(equal(3))])]);
        assert_eq!(found, [each(0, vec![given(either(equal(0), equal(3)), loops(equal(3)))])]);
        let sum = Expr::Op(Op::Add, vec![Expr::Param(0), Expr::Param(1)]);
        let computed = each(0, vec![loops(Expr::Op(Op::Ge, vec![sum, Expr::Int(0)]))]);
        assert_eq!(hoist(vec![computed.clone()]), [computed]);
    }

    #[test]
    fn others_stay() {
        let own = each(1, vec![each(2, vec![given(equal(1), stmt(0)), given(equal(0), stmt(1))])]);
        let always = each(1, vec![each(2, vec![given(equal(0), stmt(0)), stmt(1)])]);
        let innermost = each(2, vec![given(equal(0), stmt(0))]);
        for stays in [own, always, innermost] {
            assert_eq!(hoist(vec![stays.clone()]), [stays]);
        }
    }
}
