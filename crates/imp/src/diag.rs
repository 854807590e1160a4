//! Diagnostics: what is wrong with a program text, where, and what would be right.
//!
//! A [`Span`] is a half-open range of byte offsets into the source. A [`Diagnostic`] is a message with a
//! span and, where there is one, a remedy. [`Diagnostic::render`] shows the line with a caret under the
//! offending text:
//!
//! ```text
//! error: expected `do`, found `x`
//!  --> prog.imp:3:14
//!   |
//! 3 | while i <= n x := 1
//!   |              ^
//!   = help: write `while CONDITION do ... done`
//! ```
//!
//! Offsets always lie on character boundaries of the source they were made from; `render` also accepts
//! foreign offsets (it clamps them), so that a message can never be the cause of a panic.

use std::fmt::Write as _;

/// A half-open range of byte offsets into the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The smallest range holding both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One thing wrong with a program, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What would help, if we know.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a remedy.
    pub fn new(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), span, help: None }
    }

    /// The same with a remedy.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The message with the source line and a caret, as in the module's example.
    pub fn render(&self, file: &str, source: &str) -> String {
        let (line, column) = line_column(source, self.span.start);
        let text = source.lines().nth(line - 1).unwrap_or("");
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let mut out = format!("error: {}\n{gutter}--> {file}:{line}:{column}\n{gutter} |\n", self.message);
        let shown: String = text.chars().map(printable).collect();
        let _ = writeln!(out, "{number} | {shown}");
        let room = shown.chars().count().saturating_sub(column - 1).max(1);
        let carets =
            source.get(self.span.start..self.span.end).map_or(1, |s| s.chars().count()).clamp(1, room);
        let _ = writeln!(out, "{gutter} | {}{}", " ".repeat(column - 1), "^".repeat(carets));
        if let Some(help) = &self.help {
            let _ = writeln!(out, "{gutter} = help: {help}");
        }
        out
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// One column per character: a tab or a control character is shown as a space.
fn printable(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// The 1-based line and column (in characters) of a byte offset; past the end means the end.
pub fn line_column(source: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let before = &source[..end];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_span() {
        let source = "a := 1\nwhile i <= n x := 1\n";
        let at = source.find("x :=").unwrap();
        let shown = Diagnostic::new(Span::new(at, at + 1), "expected `do`, found `x`")
            .help("write `do`")
            .render("p.imp", source);
        let expected = "error: expected `do`, found `x`\n --> p.imp:2:14\n  |\n2 | while i <= n x := 1\n  |              ^\n  = help: write `do`\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn foreign_offsets_are_clamped() {
        for start in 0..20 {
            let _ = Diagnostic::new(Span::new(start, start + 3), "x").render("f", "é\ta\nöö");
        }
    }
}
