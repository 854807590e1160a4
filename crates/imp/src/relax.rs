//! Linear bounds on values that are not affine (Section 6.2).
//!
//! A product of two variables, a division by one or a value read from an array has no affine formula, but often
//! affine bounds: `x mod m` lies between 0 and `m - 1`; `x * x` is not negative and at least `2 x - 1`; a product of
//! two factors whose signs are known keeps one sign; `min` is below both operands. [`bounds`] gives such constraints on a name that
//! stands for the value; none at all is always right.
//!
//! Every rule holds for all integers, whatever the state: that is what makes Q-sharp contain Q.

use crate::affine::{Layout, constant};
use crate::ast::BinOp;
use crate::resolve::RExpr;

/// Constraints that hold between the value of `expr` and the state if `name` is that value.
pub fn bounds(layout: &Layout, expr: &RExpr, name: &str) -> Vec<String> {
    if let Ok(affine) = layout.integer(expr) {
        return vec![format!("{name} = {}", affine.text)];
    }
    match expr {
        RExpr::Bin(BinOp::Mod, _, divisor) => remainder(layout, divisor, name),
        RExpr::Bin(BinOp::Mul, left, right) => product(layout, left, right, name),
        RExpr::Bin(op @ (BinOp::Min | BinOp::Max), left, right) => {
            let comparison = if *op == BinOp::Min { "<=" } else { ">=" };
            let sides = [left, right].into_iter().filter_map(|side| layout.integer(side).ok());
            sides.map(|side| format!("{name} {comparison} {}", side.text)).collect()
        }
        _ => Vec::new(),
    }
}

/// The sign of the divisor is the sign of the remainder.
fn remainder(layout: &Layout, divisor: &RExpr, name: &str) -> Vec<String> {
    match constant(divisor) {
        Some(m) if m > 0 => return vec![format!("0 <= {name} <= {}", m - 1)],
        Some(m) if m < 0 => return vec![format!("{} <= {name} <= 0", m + 1)],
        _ => {}
    }
    match layout.integer(divisor) {
        Ok(m) => vec![format!("((0 <= {name} and {name} < {0}) or ({0} < {name} and {name} <= 0))", m.text)],
        Err(_) => Vec::new(),
    }
}

fn product(layout: &Layout, left: &RExpr, right: &RExpr, name: &str) -> Vec<String> {
    let (Ok(a), Ok(b)) = (layout.integer(left), layout.integer(right)) else { return Vec::new() };
    let (a, b) = (a.text, b.text);
    if a == b {
        // (x - 1)^2 >= 0 and (x + 1)^2 >= 0, and for integers x^2 >= |x|.
        return vec![format!(
            "{name} >= 2*{a} - 1 and {name} >= -2*{a} - 1 and {name} >= {a} and {name} >= -{a}"
        )];
    }
    // For integers a, b >= 1: ab >= a + b - 1, from (a - 1)(b - 1) >= 0; the other quadrants by symmetry.
    vec![format!(
        "(({a} = 0 and {name} = 0) or ({b} = 0 and {name} = 0) \
          or ({a} >= 1 and {b} >= 1 and {name} >= {a} + {b} - 1) \
          or ({a} <= -1 and {b} <= -1 and {name} >= -{a} - {b} - 1) \
          or ({a} >= 1 and {b} <= -1 and {name} <= -{a} + {b} + 1) \
          or ({a} <= -1 and {b} >= 1 and {name} <= {a} - {b} + 1))"
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::StateVar;
    use crate::resolve::{Node, Program, VarId};
    use isl::{Ctx, Set};

    /// The bounds hold for every value the interpreter's arithmetic gives.
    #[test]
    fn bounds_contain_the_values() {
        let ctx = Ctx::new();
        type Operation = fn(i64, i64) -> Option<i64>;
        let cases: [(&str, Operation); 4] = [
            ("x * y", |x, y| Some(x * y)),
            ("x * x", |x, _| Some(x * x)),
            ("(x * y) mod 3", |x, y| Some((x * y).rem_euclid(3))),
            ("x mod y", |x, y| {
                (y != 0).then(|| {
                    let r = x.rem_euclid(y);
                    if r != 0 && y < 0 { r + y } else { r }
                })
            }),
        ];
        for (text, value) in cases {
            let program = Program::parse(&format!("z := x + y; z := {text}")).unwrap();
            let Node::Assign { value: expr, .. } = &program.body[1] else { panic!() };
            let id = |name: &str| VarId(program.vars.iter().position(|v| v.name == name).unwrap() as u32);
            let layout =
                Layout::new(&program, vec![StateVar::Scalar(id("x")), StateVar::Scalar(id("y"))], &[]);
            let bounds = bounds(&layout, expr, "w");
            assert!(!bounds.is_empty(), "{text}");
            let set: Set =
                ctx.parse(&format!("{{ [{}, w] : {} }}", layout.tuple(), bounds.join(" and "))).unwrap();
            for x in -4..=4i64 {
                for y in -4..=4i64 {
                    let Some(w) = value(x, y) else { continue };
                    let point: Set = ctx.parse(&format!("{{ [{x}, {y}, {w}] }}")).unwrap();
                    assert!(point.is_subset(&set).unwrap(), "{text} at {x}, {y}");
                }
            }
        }
    }
}
