//! Assumptions and checks for people.

use crate::check::{Apart, Check, Conjunct, Extent, Rows, Test, apart_text};
use crate::simplify::{Assumed, Fate};
use astgen::{Expr, Op, print_expr};
use isl::Set;
use model::{ArrayId, Condition, Kind, Scop};
use std::fmt::Write as _;

/// What was assumed and what is left of it: a line for each.
pub fn print_assumed(scop: &Scop, assumed: &Assumed) -> String {
    let mut text = String::new();
    for taken in &assumed.taken {
        let entry = &taken.assumption;
        let _ = writeln!(text, "{}: {}", entry.kind, entry.why);
        let _ = writeln!(text, "  assumed {}", holds(scop, &entry.holds, &assumed.context));
        let left = match &taken.fate {
            Fate::Implied => "implied".to_owned(),
            Fate::Positive(set) => set.to_string(),
            Fate::Restriction(set) => format!("never {set}"),
            Fate::ByValue => continue,
        };
        let _ = writeln!(text, "  left    {left}");
    }
    text
}

/// Without what the types of the parameters say.
fn plain(set: &Set, context: &Set) -> String {
    set.clone().gist(context.clone()).unwrap_or_else(|_| set.clone()).to_string()
}

fn holds(scop: &Scop, condition: &Condition, context: &Set) -> String {
    let name = |array: &ArrayId| scop.array(*array).name.clone();
    match condition {
        Condition::Params(set) => plain(set, context),
        Condition::Never(set) => format!("never {}", plain(set, context)),
        Condition::NoOverlap(a, b) => format!("{} apart from {}", name(a), name(b)),
        Condition::Rows(a) => format!("{} in rows that are apart", name(a)),
        Condition::Near(a) => format!("{} within 2^62 bytes", name(a)),
        Condition::Below(below) => {
            format!("{} in rows of {} below {}", below.cells, below.sizes.join(" x "), below.limit)
        }
    }
}

/// The check as code, a line for each conjunct.
pub fn print(scop: &Scop, check: &Check) -> String {
    let lines: Vec<_> = check.conjuncts.iter().map(|conjunct| conjunct.code(scop)).collect();
    if lines.is_empty() { "true\n".into() } else { lines.join("\n  && ") + "\n" }
}

impl Conjunct {
    /// The kind in words.
    pub fn kind_name(&self) -> &'static str {
        self.kind.map_or("something to do", Kind::name)
    }

    /// The test in a few words.
    pub fn text(&self, scop: &Scop) -> String {
        let name = |extent: &Extent| &scop.arrays[extent.array].name;
        match &self.test {
            Test::Holds(_) | Test::Below(_) if self.kind == Some(Kind::ModerateSize) => self.why.clone(),
            Test::Holds(_) | Test::Fails(_) => self.code(scop),
            Test::Near(near) => format!("{} is of moderate size", name(&near.extent)),
            Test::Below(below) => {
                format!("all indices that are tested are below {}", print_expr(&below.limit, Some(scop)))
            }
            Test::Rows(rows) => {
                format!("the rows of {} follow each other and do not overlap", scop.arrays[rows.array].name)
            }
            Test::Apart(apart) => {
                let [a, b] = [0, 1].map(|at| ArrayId(apart.extents[at].array as u32));
                apart_text(scop, a, b)
            }
        }
    }

    /// The test as C.
    pub fn code(&self, scop: &Scop) -> String {
        let show = |expr: &Expr| print_expr(expr, Some(scop));
        match &self.test {
            Test::Holds(expr) => show(expr),
            Test::Fails(expr) => format!("!({})", show(expr)),
            Test::Near(near) => unless(
                scop,
                &near.touched,
                format!("is_near({})", rows(scop, &near.extent, &near.extent.end)),
            ),
            Test::Below(below) => {
                let mut number = show(&below.last[0]);
                for (size, subscript) in below.sizes.iter().zip(&below.last[1..]) {
                    number = format!("({number}) * {} + {}", factor(scop, size), show(subscript));
                }
                unless(scop, &below.tested, format!("{number} < {}", show(&below.limit)))
            }
            Test::Rows(rows) => {
                let [first, end] = &rows.rows;
                let rows_of =
                    format!("rows_apart({}, {}, {})", scop.arrays[rows.array].name, show(first), show(end));
                unless(scop, &rows.touched, rows_of)
            }
            Test::Apart(apart) => unless(scop, &apart.touched, between(scop, apart)),
        }
    }
}

/// `&a[n] <= &b[0] || &b[n] <= &a[0]`.
fn between(scop: &Scop, apart: &Apart) -> String {
    let [a, b] = &apart.extents;
    let before = |a: &Extent, b: &Extent| format!("{} <= {}", rows(scop, a, &a.end), rows(scop, b, &b.first));
    format!("({} || {})", before(a, b), before(b, a))
}

/// The address of a row: `&a[n]`, or `&a[n][0]` if rows have cells.
fn rows(scop: &Scop, extent: &Extent, row: &Expr) -> String {
    let cells = match &extent.rows {
        Rows::Even(sizes) => "[0]".repeat(sizes.len()),
        Rows::Packed { .. } | Rows::Anywhere => "[0]".into(),
    };
    format!("&{}[{}]{cells}", scop.arrays[extent.array].name, print_expr(row, Some(scop)))
}

fn factor(scop: &Scop, expr: &Expr) -> String {
    match expr {
        Expr::Op(..) => format!("({})", print_expr(expr, Some(scop))),
        _ => print_expr(expr, Some(scop)),
    }
}

/// A test that matters only under a condition.
fn unless(scop: &Scop, matters: &Expr, test: String) -> String {
    match matters {
        Expr::Int(1) => test,
        Expr::Op(Op::Eq, parts) if parts[0] == parts[1] => test,
        _ => format!("(!({}) || {test})", print_expr(matters, Some(scop))),
    }
}
