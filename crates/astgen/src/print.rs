//! The loop tree as C that people can read.

use crate::{Expr, For, Node, Op, Strip, Variable};
use model::Scop;
use std::fmt::Write as _;

/// The program as C. Statements look like calls; `floord`, `min` and `max` are what their names say.
pub fn print_c(scop: &Scop, nodes: &[Node]) -> String {
    let mut text = String::new();
    body(scop, nodes, 0, &mut text);
    text
}

fn body(scop: &Scop, nodes: &[Node], depth: usize, text: &mut String) {
    nodes.iter().for_each(|part| node(scop, part, depth, text));
}

fn node(scop: &Scop, node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let show = |value: &Expr| expr(value, Some(scop));
    match node {
        Node::Stmt { id, counters } => {
            let counters: Vec<_> = counters.iter().map(show).collect();
            let _ = writeln!(text, "{indent}{}({});", scop.stmt(*id).name, counters.join(", "));
        }
        Node::If { condition, then, otherwise } => {
            let _ = writeln!(text, "{indent}if ({}) {{", show(condition));
            body(scop, then, depth + 1, text);
            if !otherwise.is_empty() {
                let _ = writeln!(text, "{indent}}} else {{");
                body(scop, otherwise, depth + 1, text);
            }
            let _ = writeln!(text, "{indent}}}");
        }
        Node::For(l) if l.runs_once => {
            let _ = writeln!(text, "{indent}{{ {} = {};", variable(l.variable), show(&l.first));
            body(scop, &l.body, depth + 1, text);
            let _ = writeln!(text, "{indent}}}");
        }
        Node::For(l) => {
            if l.block.is_some() {
                let _ = writeln!(text, "{indent}// the cells of the block stay in registers");
            }
            if l.is_threads {
                let names = l.copies.iter().map(|copied| scop.array(copied.array).name.as_str());
                let names = names.collect::<Vec<_>>().join(", ");
                let copies = if names.is_empty() { names } else { format!(", each with a copy of {names}") };
                let _ = writeln!(text, "{indent}// iterations run in threads{copies}");
            }
            if let Some(end) = l.together {
                let end = variable(end);
                let _ = writeln!(
                    text,
                    "{indent}// each thread does its iterations at once, to the end {end} of the last"
                );
            }
            if l.is_vector {
                let _ = writeln!(text, "{indent}// iterations are independent");
            }
            if l.strip == Some(Strip::Whole) && l.extent().is_some() {
                let _ = writeln!(text, "{indent}// iterations are written out");
            }
            let _ = writeln!(text, "{indent}{} {{", head(scop, l));
            body(scop, &l.body, depth + 1, text);
            let _ = writeln!(text, "{indent}}}");
        }
    }
}

/// The first line of a loop.
pub fn head(scop: &Scop, l: &For) -> String {
    let (name, first, last) = (variable(l.variable), expr(&l.first, Some(scop)), expr(&l.last, Some(scop)));
    format!("for ({name} = {first}; {name} <= {last}; {name} += {})", l.step)
}

fn variable(variable: Variable) -> String {
    format!("c{}", variable.0)
}

/// An expression; without a model, parameters are shown by their numbers.
pub fn expr(value: &Expr, scop: Option<&Scop>) -> String {
    let show = |operand: &Expr| match operand {
        Expr::Op(op, _) if infix(*op).is_some() => format!("({})", expr(operand, scop)),
        _ => expr(operand, scop),
    };
    match value {
        Expr::Int(number) => number.to_string(),
        Expr::Variable(v) => variable(*v),
        Expr::Param(index) => {
            let name = scop.and_then(|scop| scop.params.get(*index)).map(|param| param.name.clone());
            name.unwrap_or_else(|| format!("parameter {index}"))
        }
        Expr::Op(op, operands) => {
            let shown: Vec<_> = operands.iter().map(show).collect();
            match (op, infix(*op), &shown[..]) {
                (Op::Neg, _, [a]) => format!("-{a}"),
                (Op::Select, _, [a, b, c]) => format!("({a} ? {b} : {c})"),
                (_, Some(sign), [a, b]) => format!("{a} {sign} {b}"),
                (Op::FloorDiv, ..) => format!("floord({})", shown.join(", ")),
                (Op::Min, ..) => format!("min({})", shown.join(", ")),
                (Op::Max, ..) => format!("max({})", shown.join(", ")),
                _ => format!("{op:?}({})", shown.join(", ")),
            }
        }
    }
}

fn infix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem | Op::RemIsZero => "%",
        Op::And => "&&",
        Op::Or => "||",
        Op::Eq => "==",
        Op::Le => "<=",
        Op::Lt => "<",
        Op::Ge => ">=",
        Op::Gt => ">",
        Op::Neg | Op::FloorDiv | Op::Min | Op::Max | Op::Select => return None,
    })
}
