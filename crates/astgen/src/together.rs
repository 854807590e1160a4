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
//! loop, and threads have no copies of arrays, which strips would then share.

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
    let body = if is_meant { ends.nodes(&strips.body, false)? } else { return None };
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

impl Ends {
    /// The nodes with other ends; `is_inside`: of a loop over a strip.
    fn nodes(&self, nodes: &[Node], is_inside: bool) -> Option<Vec<Node>> {
        nodes.iter().map(|node| self.node(node, is_inside)).collect()
    }

    fn node(&self, node: &Node, is_inside: bool) -> Option<Node> {
        let is_free = |expr: &Expr| !expr.mentions(self.variable);
        match node {
            Node::Stmt { counters, .. } => {
                (is_inside && counters.iter().all(is_free)).then(|| node.clone())
            }
            Node::If { condition, then, otherwise } => is_free(condition).then(|| {
                let (then, otherwise) = (self.nodes(then, is_inside)?, self.nodes(otherwise, is_inside)?);
                Some(Node::If { condition: condition.clone(), then, otherwise })
            })?,
            Node::For(each) if each.block.is_some() => None,
            Node::For(each) if is_free(&each.first) && is_free(&each.last) => {
                Some(Node::For(For { body: self.nodes(&each.body, is_inside)?, ..each.clone() }))
            }
            Node::For(each) => self.over_strip(each).map(Node::For),
        }
    }

    /// A loop over a strip, with the other end.
    fn over_strip(&self, each: &For) -> Option<For> {
        let is_fit = |expr: &Expr, op: Op, end: &Expr| {
            let parts = leaves(expr, op);
            parts.contains(&end) && parts.iter().all(|part| *part == end || !part.mentions(self.variable))
        };
        let is_strip = is_fit(&each.first, Op::Max, &self.first) && is_fit(&each.last, Op::Min, &self.last);
        let is_plain = each.step == 1 && !each.runs_once && each.strip.is_none();
        (is_strip && is_plain).then(|| {
            let body = self.nodes(&each.body, true)?;
            Some(For { last: self.with_end(&each.last), body, ..each.clone() })
        })?
    }

    fn with_end(&self, last: &Expr) -> Expr {
        match last {
            _ if *last == self.last => Expr::Variable(self.end),
            Expr::Op(Op::Min, parts) => Expr::Op(Op::Min, parts.iter().map(|part| self.with_end(part)).collect()),
            other => other.clone(),
        }
    }
}
