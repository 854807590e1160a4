//! Runs generated loops.

use astgen::{Expr, Node, Op, Variable};
use std::collections::HashMap;

/// The value of an expression.
fn value(expr: &Expr, params: &[i64], variables: &HashMap<Variable, i64>) -> i64 {
    let all = |operands: &[Expr]| operands.iter().map(|e| value(e, params, variables)).collect::<Vec<_>>();
    match expr {
        Expr::Int(number) => *number,
        Expr::Variable(variable) => variables[variable],
        Expr::Param(index) => params[*index],
        Expr::Op(op, operands) => match (op, &all(operands)[..]) {
            (Op::Neg, [a]) => -a,
            (Op::Add, [a, b]) => a + b,
            (Op::Sub, [a, b]) => a - b,
            (Op::Mul, [a, b]) => a * b,
            (Op::FloorDiv, [a, b]) => a.div_euclid(*b),
            (Op::Div, [a, b]) => {
                assert!(*a >= 0 || a % b == 0, "{expr:?}: {a} / {b}");
                a / b
            }
            (Op::Rem | Op::RemIsZero, [a, b]) => a.rem_euclid(*b),
            (Op::Min, [a, b]) => *a.min(b),
            (Op::Max, [a, b]) => *a.max(b),
            (Op::And, [a, b]) => i64::from(*a != 0 && *b != 0),
            (Op::Or, [a, b]) => i64::from(*a != 0 || *b != 0),
            (Op::Eq, [a, b]) => i64::from(a == b),
            (Op::Le, [a, b]) => i64::from(a <= b),
            (Op::Lt, [a, b]) => i64::from(a < b),
            (Op::Ge, [a, b]) => i64::from(a >= b),
            (Op::Gt, [a, b]) => i64::from(a > b),
            (Op::Select, [a, b, c]) => *if *a != 0 { b } else { c },
            other => panic!("{other:?}"),
        },
    }
}

/// Runs the loops: each instance, and in which kind of loop over terms it is (none, a cut block, a whole one).
pub struct Run<'a> {
    params: &'a [i64],
    variables: HashMap<Variable, i64>,
    pub instances: Vec<(Vec<i64>, Option<bool>)>,
    /// The statement of each.
    pub stmts: Vec<usize>,
}

impl<'a> Run<'a> {
    pub fn new(params: &'a [i64]) -> Self {
        Run { params, variables: HashMap::new(), instances: Vec::new(), stmts: Vec::new() }
    }

    pub fn nodes(&mut self, nodes: &[Node], block: Option<bool>) {
        for node in nodes {
            match node {
                Node::Stmt { id, counters } => {
                    self.stmts.push(id.index());
                    let at = counters.iter().map(|each| value(each, self.params, &self.variables)).collect();
                    self.instances.push((at, block));
                }
                Node::If { condition, then, otherwise } => {
                    let holds = value(condition, self.params, &self.variables) != 0;
                    self.nodes(if holds { then } else { otherwise }, block);
                }
                Node::For(each) => {
                    let bound = |expr| value(expr, self.params, &self.variables);
                    let (first, last) = (bound(&each.first), bound(&each.last));
                    let block = each.block.as_ref().map(|block| block.is_whole).or(block);
                    if let Some(end) = each.together.filter(|_| first <= last) {
                        self.variables.insert(each.variable, first);
                        self.variables.insert(end, last - (last - first) % each.step + each.step - 1);
                        self.nodes(&each.body, block);
                        continue;
                    }
                    for at in (first..=last).step_by(each.step as usize) {
                        self.variables.insert(each.variable, at);
                        self.nodes(&each.body, block);
                    }
                }
            }
        }
    }
}
