//! Strips that a thread runs through as one.
//!
//! Threads get strips of a loop that stands inside of others:
//! ```text
//! for (t = 0; t <= n - 1; t += 32)    // in threads
//!   for (i = 0; i <= m - 1; i += 1)
//!     for (j = t; j <= min(n - 1, t + 31); j += 1)
//! ```
//! A strip by itself is short, and how long it should be depends on how many threads there are. But what a thread has to do
//! are strips side by side, and nothing that is done in one of them depends on another. So it can do them together, in the order of the
//! loops inside: from the first value `t` to the end `e` of its last strip,
//! ```text
//!   for (i = 0; i <= m - 1; i += 1)
//!     for (j = t; j <= min(n - 1, e); j += 1)
//! ```
//! In which order instances of one strip run stays the same.
//!
//! This is done where the loop's variable is nothing but the two ends of loops like the one over `j`, every statement is in such a
//! loop, and threads have no copies of arrays, which strips would then share. And only where all strips have as much to do: others are
//! dealt out one by one. Nor where strips are to stay in a cache until all in them has run ([`model::STRIPS`]).

use crate::full::leaves;
use crate::{Expr, For, Node, Op, Variable};

/// The loop with its strips together, up to a variable `end`; `None` if it is not of that kind.
pub(crate) fn together(strips: &For, end: Variable) -> Option<For> {
    let is_meant = strips.is_threads && strips.step > 1 && !strips.runs_once && strips.copies.is_empty();
    let ends = Ends {
        first: Expr::Variable(strips.variable),
        last: Expr::Op(Op::Add, vec![Expr::Variable(strips.variable), Expr::Int(strips.step - 1)]),
        variable: strips.variable,
        end,
    };
    let body = if is_meant { ends.nodes(&strips.body, &Inside::default())? } else { return None };
    Some(For { together: Some(end), body, ..strips.clone() })
}

struct Ends {
    /// Where a strip begins.
    first: Expr,
    /// Where it ends.
    last: Expr,
    variable: Variable,
    end: Variable,
}

/// The loops between those over strips and a node.
#[derive(Clone, Default)]
struct Inside {
    /// Their variables.
    variables: Vec<Variable>,
    /// The one that runs over a strip, if it is among them.
    along: Option<Variable>,
}

impl Inside {
    fn and(&self, variable: Variable) -> Inside {
        let variables = self.variables.iter().copied().chain([variable]).collect();
        Inside { variables, along: self.along }
    }
}

impl Ends {
    /// The nodes with other ends.
    fn nodes(&self, nodes: &[Node], inside: &Inside) -> Option<Vec<Node>> {
        nodes.iter().map(|node| self.node(node, inside)).collect()
    }

    fn node(&self, node: &Node, inside: &Inside) -> Option<Node> {
        let is_free = |expr: &Expr| !expr.mentions(self.variable);
        // As much to do for each value along a strip.
        let is_even = |expr: &Expr| is_free(expr) && !inside.along.is_some_and(|along| expr.mentions(along));
        match node {
            Node::Stmt { counters, .. } => {
                (inside.along.is_some() && counters.iter().all(is_free)).then(|| node.clone())
            }
            Node::If { condition, then, otherwise } if is_even(condition) => {
                let (then, otherwise) = (self.nodes(then, inside)?, self.nodes(otherwise, inside)?);
                Some(Node::If { condition: condition.clone(), then, otherwise })
            }
            Node::For(each) if each.block.is_none() && is_even(&each.first) && is_even(&each.last) => {
                let body = self.nodes(&each.body, &inside.and(each.variable))?;
                Some(Node::For(For { body, ..each.clone() }))
            }
            Node::For(each) if inside.along.is_none() => self.over_strip(each, inside).map(Node::For),
            Node::If { .. } | Node::For(_) => None,
        }
    }

    /// A loop over a strip, with the other end.
    fn over_strip(&self, each: &For, inside: &Inside) -> Option<For> {
        let is_outside = |expr: &Expr| !inside.variables.iter().any(|inner| expr.mentions(*inner));
        let is_fit = |expr: &Expr, op: Op, end: &Expr| {
            let parts = leaves(expr, op);
            let is_other = |part: &Expr| !part.mentions(self.variable) && is_outside(part);
            parts.contains(&end) && parts.iter().all(|part| *part == end || is_other(part))
        };
        let is_strip = is_fit(&each.first, Op::Max, &self.first) && is_fit(&each.last, Op::Min, &self.last);
        let is_plain = each.step == 1 && !each.runs_once && each.strip.is_none() && each.block.is_none();
        if !(is_strip && is_plain) {
            return None;
        }
        let along = Inside { along: Some(each.variable), ..inside.and(each.variable) };
        let body = self.nodes(&each.body, &along)?;
        Some(For { last: self.with_end(&each.last), body, ..each.clone() })
    }

    fn with_end(&self, last: &Expr) -> Expr {
        match last {
            _ if *last == self.last => Expr::Variable(self.end),
            Expr::Op(Op::Min, parts) => {
                Expr::Op(Op::Min, parts.iter().map(|part| self.with_end(part)).collect())
            }
            other => other.clone(),
        }
    }
}
