//! Conditions that hold already.
//!
//! Whole blocks, rows and tiles come apart one by one, each under its own test, and the same test may then be in itself:
//! ```text
//! if (1976 - c >= 0) {                       if (1976 - c >= 0) {
//!   ...                                        ...
//!   if (1999 >= c + 23) A else B               A
//! } else {                                   } else {
//!   ...                                        ...
//!   if (1999 >= c + 23) A else B               B
//! }                                          }
//! ```
//! What bounds of loops and conditions around say is known inside, as far as they are linear; a comparison that is the sum of at
//! most two such facts and a constant is decided, and so is one of which that is true the other way round. The bound of a loop that
//! another one makes superfluous goes, too: outside of blocks in registers only if both differ by a constant, because `t + 7` at the end of a
//! loop from `t` says that it is short, which counts for those who come later. Nothing is computed that was not there before, so all values fit.

use crate::full::{both, leaves};
use crate::linear::Linear;
use crate::{Expr, For, Node, Op};

/// The same program without such conditions.
pub(crate) fn without_known(nodes: Vec<Node>) -> Vec<Node> {
    Known::default().nodes(nodes)
}

#[derive(Default)]
struct Known {
    /// Each at least zero.
    facts: Vec<Linear>,
    /// Conditions of other kinds that hold.
    others: Vec<Expr>,
    /// This is a block in registers, whose size is known otherwise.
    in_block: bool,
}

impl Known {
    fn nodes(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        nodes.into_iter().flat_map(|node| self.node(node)).collect()
    }

    fn node(&mut self, node: Node) -> Vec<Node> {
        match node {
            Node::Stmt { .. } => vec![node],
            Node::For(each) => vec![Node::For(self.loop_of(each))],
            Node::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
        }
    }

    fn branch(&mut self, condition: Expr, then: Vec<Node>, otherwise: Vec<Node>) -> Vec<Node> {
        let mut open: Vec<Expr> = Vec::new();
        for part in leaves(&condition, Op::And) {
            match self.decided(part) {
                Some(true) => {}
                Some(false) => return self.nodes(otherwise),
                None => open.push(part.clone()),
            }
        }
        // What is not the case otherwise.
        let only = if open.len() == 1 { difference(&open[0]) } else { None };
        let Some(condition) = open.iter().cloned().reduce(both) else { return self.nodes(then) };
        let then = self.inside(|known| known.learn_all(&open), then);
        let opposite = only.and_then(|only| opposite(&only));
        let otherwise = self.inside(|known| known.facts.extend(opposite), otherwise);
        vec![Node::If { condition, then, otherwise }]
    }

    fn loop_of(&mut self, each: For) -> For {
        let around = self.in_block;
        let (first, last) = (self.simpler(each.first), self.simpler(each.last));
        self.in_block |= each.block.is_some();
        let variable = Expr::Variable(each.variable);
        let learn = |known: &mut Known| {
            let lows = leaves(&first, Op::Max).into_iter().map(|low| (&variable, low));
            let highs = leaves(&last, Op::Min).into_iter().map(|high| (high, &variable));
            known.facts.extend(lows.chain(highs).filter_map(|(high, low)| distance(high, low)));
        };
        let body = self.inside(learn, each.body);
        self.in_block = around;
        For { first, last, body, ..each }
    }

    /// Nodes where more is known.
    fn inside(&mut self, learn: impl FnOnce(&mut Known), nodes: Vec<Node>) -> Vec<Node> {
        let (facts, others) = (self.facts.len(), self.others.len());
        learn(self);
        let nodes = self.nodes(nodes);
        self.facts.truncate(facts);
        self.others.truncate(others);
        nodes
    }

    fn learn_all(&mut self, conditions: &[Expr]) {
        for condition in conditions {
            match (difference(condition), condition) {
                (Some(difference), _) => self.facts.push(difference),
                (None, Expr::Op(Op::Eq, sides)) => {
                    self.facts.extend(distance(&sides[0], &sides[1]));
                    self.facts.extend(distance(&sides[1], &sides[0]));
                    self.others.push(condition.clone());
                }
                (None, other) => self.others.push(other.clone()),
            }
        }
    }

    /// Whether a condition holds, if that is known.
    fn decided(&self, condition: &Expr) -> Option<bool> {
        if self.others.contains(condition) {
            return Some(true);
        }
        let difference = difference(condition)?;
        if self.is_known(&difference) {
            return Some(true);
        }
        self.is_known(&opposite(&difference)?).then_some(false)
    }

    /// Whether a sum is at least zero because of what is known.
    fn is_known(&self, sum: &Linear) -> bool {
        let rests: Vec<Linear> =
            self.facts.iter().filter_map(|fact| sum.clone().minus(fact.clone())).collect();
        is_enough(sum)
            || rests.iter().any(is_enough)
            || rests.iter().any(|rest| {
                let second = |fact: &Linear| rest.clone().minus(fact.clone());
                self.facts.iter().filter_map(second).any(|rest| is_enough(&rest))
            })
    }

    /// The same value with fewer minima and maxima.
    fn simpler(&self, expr: Expr) -> Expr {
        match expr {
            Expr::Op(op @ (Op::Min | Op::Max), _) => self.bound(&expr, op),
            Expr::Op(op, operands) => {
                Expr::Op(op, operands.into_iter().map(|operand| self.simpler(operand)).collect())
            }
            other => other,
        }
    }

    /// A bound without those of its parts that another one exceeds anyway.
    fn bound(&self, bound: &Expr, op: Op) -> Expr {
        let counts_before = |one: &Expr, other: &Expr| {
            let (high, low) = if op == Op::Max { (one, other) } else { (other, one) };
            let distance = distance(high, low);
            distance.is_some_and(|distance| is_enough(&distance) || self.in_block && self.is_known(&distance))
        };
        let mut kept: Vec<Expr> = Vec::new();
        for part in leaves(bound, op) {
            let part = self.simpler(part.clone());
            if !kept.iter().any(|other| counts_before(other, &part)) {
                kept.retain(|other| !counts_before(&part, other));
                kept.push(part);
            }
        }
        let all = kept.into_iter().reduce(|a, b| Expr::Op(op, vec![a, b]));
        all.unwrap_or_else(|| bound.clone())
    }
}

/// A constant, and not negative.
fn is_enough(sum: &Linear) -> bool {
    sum.constant >= 0 && sum.terms.iter().all(|(_, times)| *times == 0)
}

/// What is at least zero exactly if the condition holds.
fn difference(condition: &Expr) -> Option<Linear> {
    let Expr::Op(op, sides) = condition else { return None };
    match op {
        Op::Ge => distance(&sides[0], &sides[1]),
        Op::Le => distance(&sides[1], &sides[0]),
        Op::Gt => less_one(distance(&sides[0], &sides[1])?),
        Op::Lt => less_one(distance(&sides[1], &sides[0])?),
        _ => None,
    }
}

fn distance(high: &Expr, low: &Expr) -> Option<Linear> {
    Linear::of(high)?.minus(Linear::of(low)?)
}

fn less_one(mut sum: Linear) -> Option<Linear> {
    sum.constant = sum.constant.checked_sub(1)?;
    Some(sum)
}

/// What is at least zero exactly if the sum is not.
fn opposite(sum: &Linear) -> Option<Linear> {
    less_one(sum.clone().negated()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;
    use model::StmtId;

    fn variable(at: u32) -> Expr {
        Expr::Variable(Variable(at))
    }

    fn more(expr: Expr, by: i64) -> Expr {
        Expr::Op(Op::Add, vec![expr, Expr::Int(by)])
    }

    fn stmt(id: u32) -> Node {
        Node::Stmt { id: StmtId(id), counters: Vec::new() }
    }

    fn choice(condition: &Expr, then: Vec<Node>, otherwise: Vec<Node>) -> Node {
        Node::If { condition: condition.clone(), then, otherwise }
    }

    fn compared(op: Op, a: Expr, b: Expr) -> Expr {
        Expr::Op(op, vec![a, b])
    }

    #[test]
    fn the_same_test_is_not_made_twice() {
        let whole = compared(Op::Ge, Expr::Int(1976), variable(0));
        let again = compared(Op::Lt, more(variable(0), 23), Expr::Int(2000));
        let inside = || vec![choice(&again, vec![stmt(0)], vec![stmt(1)])];
        let found = without_known(vec![choice(&whole, inside(), inside())]);
        assert_eq!(found, [choice(&whole, vec![stmt(0)], vec![stmt(1)])]);
        // Where the outer one fails, another one may still hold.
        let weaker = compared(Op::Ge, Expr::Int(1977), variable(0));
        let stays = || vec![choice(&weaker, vec![stmt(0)], vec![stmt(1)])];
        let found = without_known(vec![choice(&whole, stays(), stays())]);
        assert_eq!(found, [choice(&whole, vec![stmt(0)], stays())]);
        // And what is behind it knows nothing.
        let after = vec![choice(&whole, vec![stmt(0)], vec![stmt(1)]), inside().remove(0)];
        assert_eq!(without_known(after.clone()), after);
    }

    #[test]
    fn two_facts_are_enough_and_one_of_two_conditions_is_none() {
        let (a, b, c) = (variable(0), variable(1), variable(2));
        let first = compared(Op::Ge, a.clone(), more(b.clone(), 5));
        let second = compared(Op::Gt, b, c.clone());
        let sum = |least| compared(Op::Ge, a.clone(), more(c.clone(), least));
        let inside = |least| vec![choice(&sum(least), vec![stmt(0)], vec![stmt(1)])];
        let around = both(first, second);
        for (least, expected) in [(6, vec![stmt(0)]), (7, inside(7)), (-9, vec![stmt(0)])] {
            let found = without_known(vec![choice(&around, inside(least), inside(least))]);
            assert_eq!(found, [choice(&around, expected, inside(least))], "{least}");
        }
    }

    #[test]
    fn bounds_that_differ_by_a_constant_are_one() {
        let known = Known::default();
        let (a, b) = (variable(0), variable(1));
        let min = |parts: [Expr; 2]| Expr::Op(Op::Min, parts.to_vec());
        let all = min([min([more(a.clone(), 6), b.clone()]), more(a.clone(), -1)]);
        assert_eq!(known.simpler(all), min([b.clone(), more(a.clone(), -1)]));
        assert_eq!(known.simpler(min([a.clone(), b.clone()])), min([a, b]));
    }
}
