//! The formatter: one canonical text per program, comments kept.
//!
//! One statement a line, two spaces of indentation, `;` after every statement that another one follows in
//! the same block, one space around operators, no brackets that precedence makes needless, at most one
//! blank line in a row. Formatting twice changes nothing (tested), and the program stays the same program.
//!
//! Comments are put back by *anchors*. An anchor is a piece of text printed as a unit: a declaration, a
//! simple statement, the head of a compound one, `else`, `fi`, `done`. A comment that stands on the line
//! on which an anchor ends follows it on that line; any other comment has a line of its own before the
//! next anchor; a comment inside an anchor moves to a line of its own before it.

use crate::ast::*;
use crate::diag::{Diagnostic, Span};
use crate::parser::parse;

/// Formats a program.
pub fn format(source: &str) -> Result<String, Diagnostic> {
    let ast = parse(source)?;
    let mut printer =
        Printer { source, comments: &ast.comments, next: 0, indent: 0, out: String::new(), last_end: None };
    for decl in &ast.decls {
        printer.anchor(decl.span(), &format!("{};", declaration(decl)));
    }
    printer.block(&ast.body);
    printer.flush(source.len() + 1);
    Ok(printer.out)
}

struct Printer<'a> {
    source: &'a str,
    comments: &'a [Span],
    /// The first comment not yet printed.
    next: usize,
    indent: usize,
    out: String,
    /// Where in the source the last anchor or comment ended; `None` at the very start.
    last_end: Option<usize>,
}

impl Printer<'_> {
    /// Whether the source has a line break between two offsets.
    fn breaks_between(&self, from: usize, to: usize) -> usize {
        self.source.get(from..to).map_or(0, |text| text.bytes().filter(|&b| b == b'\n').count())
    }

    /// Prints one line for something that starts at `start` in the source, after a blank line if one was there.
    fn line(&mut self, start: usize, text: &str) {
        if self.last_end.is_some_and(|end| self.breaks_between(end, start) > 1) {
            self.out.push('\n');
        }
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Prints the comments that start before `limit`.
    fn flush(&mut self, limit: usize) {
        while let Some(&comment) = self.comments.get(self.next).filter(|c| c.start < limit) {
            self.next += 1;
            let text = &self.source[comment.start..comment.end];
            let trails = self.last_end.is_some_and(|end| self.breaks_between(end, comment.start) == 0);
            if trails {
                self.out.pop();
                self.out.push_str("  ");
                self.out.push_str(text);
                self.out.push('\n');
            } else {
                self.line(comment.start, text);
            }
            self.last_end = Some(comment.end);
        }
    }

    /// Prints the comments before and inside the anchor, then the anchor.
    fn anchor(&mut self, span: Span, text: &str) {
        self.flush(span.start);
        let inside = self.next;
        while self.comments.get(self.next).is_some_and(|c| c.start < span.end) {
            self.next += 1;
        }
        let mut start = span.start;
        for comment in &self.comments[inside..self.next] {
            self.line(start, &self.source[comment.start..comment.end]);
            // Only the first of these lines may have a blank line before it.
            self.last_end = Some(start);
            start = start.max(self.last_end.unwrap_or(start));
        }
        self.line(start, text);
        self.last_end = Some(span.end);
    }

    fn block(&mut self, block: &[Stmt]) {
        for (k, stmt) in block.iter().enumerate() {
            self.statement(stmt, k + 1 < block.len());
        }
    }

    fn nested(&mut self, block: &[Stmt]) {
        self.indent += 1;
        self.block(block);
        self.indent -= 1;
    }

    /// Comments before a closing word belong to the block it closes.
    fn closing(&mut self, span: Span, text: &str) {
        self.indent += 1;
        self.flush(span.start);
        self.indent -= 1;
        self.anchor(span, text);
    }

    fn statement(&mut self, stmt: &Stmt, followed: bool) {
        let semicolon = if followed { ";" } else { "" };
        let label = stmt.label.as_ref().map_or(String::new(), |l| format!("{}: ", l.name));
        let head = |word: &Span| Span::new(stmt.span.start, word.end);
        match &stmt.kind {
            StmtKind::Skip => self.anchor(stmt.span, &format!("{label}skip{semicolon}")),
            StmtKind::Assume(cond) => {
                self.anchor(stmt.span, &format!("{label}assume {}{semicolon}", expression(cond)))
            }
            StmtKind::Assign { target, subscripts, value } => {
                let cell = cell(&target.name, subscripts);
                self.anchor(stmt.span, &format!("{label}{cell} := {}{semicolon}", expression(value)));
            }
            StmtKind::If { cond, then_word, then, els, end } => {
                self.anchor(head(then_word), &format!("{label}if {} then", expression(cond)));
                self.nested(then);
                if let Some((else_word, els)) = els {
                    self.closing(*else_word, "else");
                    self.nested(els);
                }
                self.closing(*end, &format!("fi{semicolon}"));
            }
            StmtKind::While { cond, do_word, body, end } => {
                self.anchor(head(do_word), &format!("{label}while {} do", expression(cond)));
                self.nested(body);
                self.closing(*end, &format!("done{semicolon}"));
            }
            StmtKind::For { counter, from, to, by, do_word, body, end } => {
                let by = by.map_or(String::new(), |(step, _)| format!(" by {step}"));
                let text = format!(
                    "{label}for {} from {} to {}{by} do",
                    counter.name,
                    expression(from),
                    expression(to)
                );
                self.anchor(head(do_word), &text);
                self.nested(body);
                self.closing(*end, &format!("done{semicolon}"));
            }
        }
    }
}

fn declaration(decl: &Decl) -> String {
    match decl {
        Decl::Params(params, _) => format!("param {}", join(params, parameter)),
        Decl::Arrays(arrays, _) => format!("array {}", join(arrays, |a| cell(&a.name.name, &a.extents))),
    }
}

fn parameter(param: &ParamDecl) -> String {
    let name = &param.name.name;
    match &param.range {
        ParamRange::Any => name.clone(),
        ParamRange::Compare(op, bound) => format!("{name} {} {}", op.text(), expression(bound)),
        ParamRange::Between(low, high) => format!("{name} in {} .. {}", expression(low), expression(high)),
    }
}

fn join<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn cell(name: &str, subscripts: &[Expr]) -> String {
    if subscripts.is_empty() { name.to_string() } else { format!("{name}[{}]", join(subscripts, expression)) }
}

/// An expression in canonical form.
pub fn expression(expr: &Expr) -> String {
    shown(expr, 0)
}

/// The expression, in brackets if it binds less tightly than its place needs.
fn shown(expr: &Expr, least: u8) -> String {
    let (precedence, text) = match &expr.kind {
        ExprKind::Int(value) => (ATOM_PRECEDENCE, value.to_string()),
        ExprKind::Bool(value) => (ATOM_PRECEDENCE, value.to_string()),
        ExprKind::Var(name) => (ATOM_PRECEDENCE, name.clone()),
        ExprKind::Index(name, subscripts) => (ATOM_PRECEDENCE, cell(&name.name, subscripts)),
        ExprKind::Unary(UnOp::Neg, operand) => {
            (NEG_PRECEDENCE, format!("-{}", shown(operand, ATOM_PRECEDENCE)))
        }
        ExprKind::Unary(UnOp::Not, operand) => (NOT_PRECEDENCE, format!("!({})", shown(operand, 0))),
        ExprKind::Binary(op @ (BinOp::Min | BinOp::Max), a, b) => {
            (ATOM_PRECEDENCE, format!("{}({}, {})", op.text(), shown(a, 0), shown(b, 0)))
        }
        ExprKind::Binary(op, a, b) => {
            let p = op.precedence();
            (p, format!("{} {} {}", shown(a, p), op.text(), shown(b, p + 1)))
        }
    };
    if precedence < least { format!("({text})") } else { text }
}

/// Statements without a source of their own as text, one a line; [`format()`] makes it canonical.
pub fn statements(block: &[Stmt]) -> String {
    let mut out = String::new();
    for stmt in block {
        let label = stmt.label.as_ref().map_or(String::new(), |l| format!("{}: ", l.name));
        let text = match &stmt.kind {
            StmtKind::Skip => "skip".to_string(),
            StmtKind::Assume(cond) => format!("assume {}", expression(cond)),
            StmtKind::Assign { target, subscripts, value } => {
                format!("{} := {}", cell(&target.name, subscripts), expression(value))
            }
            StmtKind::If { cond, then, els, .. } => {
                let els = els.as_ref().map_or(String::new(), |(_, els)| format!("else\n{}", statements(els)));
                format!("if {} then\n{}{els}fi", expression(cond), statements(then))
            }
            StmtKind::While { cond, body, .. } => {
                format!("while {} do\n{}done", expression(cond), statements(body))
            }
            StmtKind::For { counter, from, to, by, body, .. } => {
                let by = by.map_or(String::new(), |(step, _)| format!(" by {step}"));
                let head =
                    format!("for {} from {} to {}{by}", counter.name, expression(from), expression(to));
                format!("{head} do\n{}done", statements(body))
            }
        };
        out.push_str(&format!("{label}{text};\n"));
    }
    out
}

/// A whole program without a source of its own, in canonical form.
pub fn program(ast: &Ast) -> Result<String, Diagnostic> {
    let decls: String = ast.decls.iter().map(|decl| format!("{};\n", declaration(decl))).collect();
    format(&format!("{decls}{}", statements(&ast.body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let once = format(source).unwrap();
        assert_eq!(once, expected);
        assert_eq!(format(&once).unwrap(), once, "not idempotent");
    }

    #[test]
    fn one_statement_a_line() {
        check(
            "param n>=1,m in 1..n array c[n+1]\nc[0]:=0;i:=1 while i<=n do s2:c[i]:=c[i-1]+1 ; i:=i+1 done",
            "param n >= 1, m in 1 .. n;\narray c[n + 1];\nc[0] := 0;\ni := 1;\nwhile i <= n do\n  s2: c[i] := c[i - 1] + 1;\n  i := i + 1\ndone\n",
        );
    }

    #[test]
    fn comments_stay() {
        check(
            "# head\n\n\n\na := 1 (* one *) # two\n# three\nif a < (* in *) 2 then # yes\n  b := 1\n  # last of then\nelse (* no *) b := 2 fi # end\n# tail",
            "# head\n\na := 1;  (* one *)  # two\n# three\n(* in *)\nif a < 2 then  # yes\n  b := 1\n  # last of then\nelse  (* no *)\n  b := 2\nfi  # end\n# tail\n",
        );
    }

    #[test]
    fn brackets_only_where_needed() {
        check("x := ((a - (b - c)) * (d)) - (-(-e)) mod 2", "x := (a - (b - c)) * d - -(-e) mod 2\n");
        check("if not (a < b) or !(c) = d then skip fi", "if !(a < b) or !(c) = d then\n  skip\nfi\n");
        check("x := min(1+2, max(a, b[i , j]))", "x := min(1 + 2, max(a, b[i, j]))\n");
    }
}
