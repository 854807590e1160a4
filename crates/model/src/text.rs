//! The text form of a [`Scop`], `.scop`: a person can write it, it prints, and it round-trips.
//!
//! ```text
//! # C = A * B
//! scop gemm
//! param n [1, 1000]              # least and greatest value; `*` or no bracket: not known
//! context { : n >= 2 }           # optional
//! array A [*, n] 8               # sizes, outermost first (`*`: not known), and bytes per cell
//! array B [n, n] 8
//! array C [n, n] 8
//! scalar t 8
//! stmt Init { Init[i, j] : 0 <= i, j < n }
//!   write { Init[i, j] -> C[i, j] }
//! stmt Sum { Sum[i, j, k] : 0 <= i, j, k < n }
//!   read { Sum[i, j, k] -> A[i, k] }
//!   read { Sum[i, j, k] -> B[k, j] }
//!   reduce add { Sum[i, j, k] -> C[i, j] }     # a read and a must-write of the same cell
//! order { for { for { Init for { Sum } } } }
//! ```
//!
//! Sets and relations are in isl's notation and may be continued over lines until their braces close; the
//! prefix `[n] ->` may be left out. `maywrite` and `phi` are written like `write` and `scalar`. `#` starts a
//! comment. Assumptions are not part of the text: they come from the front end that took them.

use crate::scop::*;
use crate::verify::Invalid;
use isl::{Ctx, Map, Set};
use std::fmt;

/// Why a text is no scop.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The text is malformed.
    #[error("line {line}: {message}")]
    Syntax {
        /// 1-based.
        line: usize,
        /// What was found and what was expected.
        message: String,
    },
    /// The text is well-formed, but what it describes is no model.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

impl Scop {
    /// Reads the text form and verifies the result.
    pub fn parse(ctx: &Ctx, text: &str) -> Result<Scop, ParseError> {
        let mut parser = Parser::new(ctx, text)?;
        for (line, item) in items(text)? {
            parser.item(&item).map_err(|message| syntax(line, &message))?;
        }
        let scop = parser.finish().map_err(|message| syntax(text.lines().count(), &message))?;
        scop.verify()?;
        Ok(scop)
    }
}

/// Messages quote the text: its control characters must not reach the terminal.
fn syntax(line: usize, message: &str) -> ParseError {
    ParseError::Syntax { line, message: message.replace(char::is_control, "\u{fffd}") }
}

/// The text without comments, cut into items: each starts on its own line, at its number, and ends where a
/// line ends and all braces are closed.
fn items(text: &str) -> Result<Vec<(usize, String)>, ParseError> {
    let mut items: Vec<(usize, String)> = Vec::new();
    let (mut open, mut depth) = (false, 0i64);
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        depth += line.chars().map(|c| i64::from(c == '{') - i64::from(c == '}')).sum::<i64>();
        if depth < 0 {
            return Err(ParseError::Syntax { line: index + 1, message: "`}` without `{`".into() });
        }
        match items.last_mut() {
            Some((_, item)) if open => *item += &format!(" {line}"),
            _ if line.is_empty() => {}
            _ => items.push((index + 1, line.to_owned())),
        }
        open = depth > 0;
    }
    match items.last() {
        Some((line, _)) if open => {
            Err(ParseError::Syntax { line: *line, message: "`{` is never closed".into() })
        }
        _ => Ok(items),
    }
}

struct Parser {
    scop: Scop,
    prefix: String,
    has_order: bool,
}

impl Parser {
    fn new(ctx: &Ctx, text: &str) -> Result<Self, ParseError> {
        // Parameters may be declared after they are used, so their names are gathered first.
        let all = items(text)?;
        let params: Vec<_> = all.iter().filter_map(|(_, item)| item.strip_prefix("param ")).collect();
        let names: Vec<_> = params.iter().filter_map(|rest| rest.split_whitespace().next()).collect();
        let prefix = format!("[{}] -> ", names.join(", "));
        let context = ctx
            .parse::<Set>(&format!("{prefix}{{ : }}"))
            .map_err(|error| syntax(1, &format!("bad parameter names: {error}")))?;
        let scop = Scop {
            name: "scop".into(),
            ctx: ctx.clone(),
            params: Vec::new(),
            context,
            arrays: Vec::new(),
            stmts: Vec::new(),
            order: Vec::new(),
            ledger: Default::default(),
        };
        Ok(Self { scop, prefix, has_order: false })
    }

    fn finish(mut self) -> Result<Scop, String> {
        if !self.has_order {
            return Err("there is no `order`".into());
        }
        for param in &self.scop.params {
            let bound = |value: Option<i64>, op| value.map(|v| format!("{} {op} {v}", param.name));
            let bounds: Vec<_> =
                [bound(param.range.0, ">="), bound(param.range.1, "<=")].into_iter().flatten().collect();
            if !bounds.is_empty() {
                let range = format!("{}{{ : {} }}", self.prefix, bounds.join(" and "));
                let range: Set = self.scop.ctx.parse(&range).map_err(|error| error.to_string())?;
                self.scop.context = self.scop.context.intersect(range).map_err(|error| error.to_string())?;
            }
        }
        Ok(self.scop)
    }

    fn item(&mut self, item: &str) -> Result<(), String> {
        let (word, rest) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
        let rest = rest.trim();
        match word {
            "scop" => self.scop.name = rest.to_owned(),
            "param" => self.param(rest)?,
            "context" => self.scop.context = self.set(rest)?,
            "array" => self.array(rest)?,
            "scalar" => self.scalar(rest, ArrayKind::Scalar)?,
            "phi" => self.scalar(rest, ArrayKind::Phi)?,
            "stmt" => self.stmt(rest)?,
            "read" => drop(self.access(rest, AccessKind::Read)?),
            "write" => drop(self.access(rest, AccessKind::MustWrite)?),
            "maywrite" => drop(self.access(rest, AccessKind::MayWrite)?),
            "reduce" => self.reduce(rest)?,
            "order" => self.order(rest)?,
            _ => {
                return Err(format!(
                    "`{word}` is none of scop, param, context, array, scalar, phi, stmt, read, write, maywrite, \
                     reduce, order"
                ));
            }
        }
        Ok(())
    }

    fn isl<T: isl::Read>(&self, text: &str) -> Result<T, String> {
        let whole = if text.starts_with('{') { format!("{}{text}", self.prefix) } else { text.to_owned() };
        self.scop.ctx.parse(&whole).map_err(|error| format!("`{text}` is not in isl's notation: {error}"))
    }

    fn set(&self, text: &str) -> Result<Set, String> {
        self.isl(text)
    }

    fn param(&mut self, rest: &str) -> Result<(), String> {
        let (name, range) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let range = match range.trim() {
            "" => (None, None),
            range => parse_range(range)
                .ok_or(format!("expected a range like [1, 100] or [0, *], found `{range}`"))?,
        };
        self.scop.params.push(Param { name: name.to_owned(), range });
        Ok(())
    }

    fn array(&mut self, rest: &str) -> Result<(), String> {
        let usage = || format!("expected `array NAME [SIZES] BYTES`, found `array {rest}`");
        let (name, rest) = rest.split_once('[').ok_or_else(usage)?;
        let (sizes, bytes) = rest.rsplit_once(']').ok_or_else(usage)?;
        let size = |text: &str| (text.trim() != "*").then(|| text.trim().to_owned());
        let shape = if sizes.trim().is_empty() { Vec::new() } else { sizes.split(',').map(size).collect() };
        self.push_array(name.trim(), shape, bytes.trim(), ArrayKind::Memory)
    }

    fn scalar(&mut self, rest: &str, kind: ArrayKind) -> Result<(), String> {
        let (name, bytes) = rest.split_once(char::is_whitespace).ok_or("expected a name and its bytes")?;
        self.push_array(name, Vec::new(), bytes.trim(), kind)
    }

    fn push_array(
        &mut self,
        name: &str,
        shape: Vec<Option<String>>,
        bytes: &str,
        kind: ArrayKind,
    ) -> Result<(), String> {
        let elem_bytes =
            bytes.parse().map_err(|_| format!("expected the bytes per cell, found `{bytes}`"))?;
        self.scop.arrays.push(Array { name: name.to_owned(), elem_bytes, shape, kind });
        Ok(())
    }

    fn stmt(&mut self, rest: &str) -> Result<(), String> {
        let (name, domain) = rest.split_once(char::is_whitespace).ok_or("expected a name and a domain")?;
        let domain = self.set(domain.trim())?;
        let stmt =
            Stmt { name: name.to_owned(), domain, accesses: Vec::new(), reductions: Vec::new(), loc: None };
        self.scop.stmts.push(stmt);
        Ok(())
    }

    fn access(&mut self, rest: &str, kind: AccessKind) -> Result<AccessId, String> {
        let relation: Map = self.isl(rest)?;
        let name = relation.get_tuple_name(isl::DimType::Out).map_err(|error| error.to_string())?;
        let name = name.ok_or("the access leads to tuples without a name")?;
        let array = self.scop.array_named(&name).ok_or(format!("there is no array `{name}`"))?;
        let id = AccessId(self.scop.stmts.iter().map(|stmt| stmt.accesses.len() as u32).sum());
        let stmt = self.scop.stmts.last_mut().ok_or("an access stands before the first statement")?;
        stmt.accesses.push(Access { id, kind, array, relation });
        Ok(id)
    }

    fn reduce(&mut self, rest: &str) -> Result<(), String> {
        let (op, relation) =
            rest.split_once(char::is_whitespace).ok_or("expected an operation and a relation")?;
        let op = REDUCTIONS.iter().find(|(_, name)| *name == op).map(|(op, _)| *op);
        let op = op.ok_or("expected one of add, mul, min, max, and, or, xor")?;
        let read = self.access(relation.trim(), AccessKind::Read)?;
        let write = self.access(relation.trim(), AccessKind::MustWrite)?;
        if let Some(stmt) = self.scop.stmts.last_mut() {
            stmt.reductions.push(Reduction { read, write, op });
        }
        Ok(())
    }

    fn order(&mut self, rest: &str) -> Result<(), String> {
        let spaced = rest.replace('{', " { ").replace('}', " } ");
        let mut words = spaced.split_whitespace().peekable();
        if words.next() != Some("{") {
            return Err("expected `order { ... }`".into());
        }
        self.scop.order = self.body(&mut words, 0)?;
        match words.next() {
            None => self.has_order = true,
            Some(word) => return Err(format!("expected the end of the order, found `{word}`")),
        }
        Ok(())
    }

    fn body<'a>(
        &self,
        words: &mut impl Iterator<Item = &'a str>,
        depth: usize,
    ) -> Result<Vec<Order>, String> {
        if depth > 64 {
            return Err("the order is nested too deeply".into());
        }
        let mut parts = Vec::new();
        loop {
            match words.next() {
                None => return Err("the order ends before its braces are closed".into()),
                Some("}") => return Ok(parts),
                Some("for") => match words.next() {
                    Some("{") => parts.push(Order::Loop(self.body(words, depth + 1)?)),
                    other => return Err(format!("expected `{{` after `for`, found {other:?}")),
                },
                Some(name) => {
                    let id = self.scop.stmt_named(name).ok_or(format!("there is no statement `{name}`"))?;
                    parts.push(Order::Stmt(id));
                }
            }
        }
    }
}

fn parse_range(text: &str) -> Option<(Option<i64>, Option<i64>)> {
    let (low, high) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
    let bound = |text: &str| match text.trim() {
        "*" => Some(None),
        number => number.parse().ok().map(Some),
    };
    Some((bound(low)?, bound(high)?))
}

const REDUCTIONS: [(ReductionOp, &str); 7] = [
    (ReductionOp::Add, "add"),
    (ReductionOp::Mul, "mul"),
    (ReductionOp::Min, "min"),
    (ReductionOp::Max, "max"),
    (ReductionOp::And, "and"),
    (ReductionOp::Or, "or"),
    (ReductionOp::Xor, "xor"),
];

impl fmt::Display for Scop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "scop {}", self.name)?;
        for param in &self.params {
            let bound = |value: Option<i64>| value.map_or("*".to_owned(), |value| value.to_string());
            match param.range {
                (None, None) => writeln!(f, "param {}", param.name)?,
                (low, high) => writeln!(f, "param {} [{}, {}]", param.name, bound(low), bound(high))?,
            }
        }
        writeln!(f, "context {}", self.context)?;
        self.arrays.iter().try_for_each(|array| write_array(f, array))?;
        self.stmts.iter().try_for_each(|stmt| self.write_stmt(f, stmt))?;
        f.write_str("order {")?;
        self.write_order(f, &self.order)?;
        f.write_str(" }\n")
    }
}

fn write_array(f: &mut fmt::Formatter<'_>, array: &Array) -> fmt::Result {
    let sizes: Vec<_> = array.shape.iter().map(|size| size.as_deref().unwrap_or("*")).collect();
    match array.kind {
        ArrayKind::Memory => writeln!(f, "array {} [{}] {}", array.name, sizes.join(", "), array.elem_bytes),
        ArrayKind::Scalar => writeln!(f, "scalar {} {}", array.name, array.elem_bytes),
        ArrayKind::Phi => writeln!(f, "phi {} {}", array.name, array.elem_bytes),
    }
}

impl Scop {
    fn write_stmt(&self, f: &mut fmt::Formatter<'_>, stmt: &Stmt) -> fmt::Result {
        writeln!(f, "stmt {} {}", stmt.name, stmt.domain)?;
        for access in &stmt.accesses {
            let reduction = |id| stmt.reductions.iter().find(|r| r.read == id || r.write == id);
            match (reduction(access.id), access.kind) {
                // Printed with its read.
                (Some(_), AccessKind::MustWrite) => {}
                (Some(r), _) => {
                    let name = REDUCTIONS.iter().find(|(op, _)| *op == r.op).map_or("add", |(_, name)| name);
                    writeln!(f, "  reduce {name} {}", access.relation)?;
                }
                (None, AccessKind::Read) => writeln!(f, "  read {}", access.relation)?,
                (None, AccessKind::MustWrite) => writeln!(f, "  write {}", access.relation)?,
                (None, AccessKind::MayWrite) => writeln!(f, "  maywrite {}", access.relation)?,
            }
        }
        Ok(())
    }

    fn write_order(&self, f: &mut fmt::Formatter<'_>, parts: &[Order]) -> fmt::Result {
        for part in parts {
            match part {
                Order::Stmt(id) => write!(f, " {}", self.stmt(*id).name)?,
                Order::Loop(body) => {
                    f.write_str(" for {")?;
                    self.write_order(f, body)?;
                    f.write_str(" }")?;
                }
            }
        }
        Ok(())
    }
}
