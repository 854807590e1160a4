//! The text form of a [`Scop`], `.scop`: a person can write it, it prints, and it round-trips.
//!
//! ```text
//! # C = A * B
//! scop gemm
//! param n [1, 1000]              # least and greatest value; `*` or no bracket: not known
//! context { : n >= 2 }           # optional
//! repeats                        # optional: loops around the nest run it again and again
//! array A [*, n] 8               # sizes, outermost first (`*`: not known), and bytes per cell
//! array B [n, n] 8
//! array C [n, n] 8
//! array L [*, *] 8 packed 1, 1   # row x starts at the cell (1*x + 1)*x/2
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
//! What statements compute may be told, too:
//!
//! ```text
//! stmt Sum { Sum[i, j, k] : 0 <= i, j, k < n }
//!   read a { Sum[i, j, k] -> A[i, k] }         # what it reads is called `a`
//!   read c { Sum[i, j, k] -> t[] }
//!   let p = mul a %alpha                       # a pure operation; `%alpha` does not change in the nest
//!   let q = add c p
//!   let! r = rand q 2                          # an operation that is not pure; constants start with a digit or `-`
//!   write q { Sum[i, j, k] -> t[] }            # what is written
//! ```
//!
//! A statement that moves a whole range of cells and does nothing else says `whole copy`, or `whole fill 0` with the byte that it fills all
//! with, behind its accesses.
//!
//! The names of reads are not kept: they are printed as `r0`, `r1`, ... by their place among the accesses.
//!
//! Sets and relations are in isl's notation and may be continued over lines until their braces close; the
//! prefix `[n] ->` may be left out. `maywrite`, `phi` and `scratch` are written like `write`, `scalar` and `array`. `fixed` behind a scalar
//! or phi says that something outside of the nest reads it afterwards. `#` starts a comment. Assumptions are not part of the text: they come from the front end that took them.

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
    /// What the statement being read calls its reads, and what it does with names.
    names: Names,
}

/// The names in a statement's body, and the places that use them: they are resolved when the statement is complete.
#[derive(Default)]
struct Names {
    reads: Vec<(String, AccessId)>,
    ops: Vec<(Op, Vec<String>)>,
    stored: Vec<(AccessId, String)>,
    whole: Option<Whole>,
}

impl Names {
    fn resolve(&self, name: &str) -> Result<Operand, String> {
        if name.starts_with(|c: char| c == '%' || c == '-' || c.is_ascii_digit()) {
            return Ok(Operand::Outside(name.to_owned()));
        }
        let read = self.reads.iter().find(|(known, _)| known == name).map(|(_, id)| Operand::Read(*id));
        let op = || self.ops.iter().position(|(op, _)| op.name == name).map(Operand::Op);
        read.or_else(op).ok_or(format!("there is no value `{name}` in the statement"))
    }

    fn body(self) -> Result<Body, String> {
        let stored = self.stored.iter().map(|(id, name)| Ok((*id, self.resolve(name)?)));
        let stored = stored.collect::<Result<_, String>>()?;
        let mut ops = Vec::new();
        for (op, operands) in &self.ops {
            let operands = operands.iter().map(|name| self.resolve(name)).collect::<Result<_, _>>()?;
            ops.push(Op { operands, ..op.clone() });
        }
        Ok(Body { ops, stored, whole: self.whole })
    }
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
            repeats: false,
            known: Default::default(),
        };
        Ok(Self { scop, prefix, has_order: false, names: Names::default() })
    }

    fn finish(mut self) -> Result<Scop, String> {
        self.finish_body()?;
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
            "repeats" if rest.is_empty() => self.scop.repeats = true,
            "array" => self.array(rest, ArrayKind::Memory)?,
            "scratch" => self.array(rest, ArrayKind::Scratch)?,
            "scalar" => self.scalar(rest, ArrayKind::Scalar)?,
            "phi" => self.scalar(rest, ArrayKind::Phi)?,
            "stmt" => self.stmt(rest)?,
            "read" => drop(self.access(rest, AccessKind::Read)?),
            "write" => drop(self.access(rest, AccessKind::MustWrite)?),
            "maywrite" => drop(self.access(rest, AccessKind::MayWrite)?),
            "reduce" => self.reduce(rest)?,
            "let" => self.op(rest, true)?,
            "let!" => self.op(rest, false)?,
            "whole" => self.names.whole = Some(whole(rest)?),
            "order" => self.order(rest)?,
            _ => {
                return Err(format!(
                    "`{word}` is none of scop, param, context, repeats, array, scratch, scalar, phi, stmt, read, write, \
                     maywrite, reduce, let, let!, whole, order"
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

    fn array(&mut self, rest: &str, kind: ArrayKind) -> Result<(), String> {
        let usage = || {
            format!(
                "expected `array NAME [SIZES] BYTES [packed GROWTH, SLOPE | anywhere]`, found `array {rest}`"
            )
        };
        let (name, rest) = rest.split_once('[').ok_or_else(usage)?;
        let (sizes, bytes) = rest.rsplit_once(']').ok_or_else(usage)?;
        let size = |text: &str| (text.trim() != "*").then(|| text.trim().to_owned());
        let shape = if sizes.trim().is_empty() { Vec::new() } else { sizes.split(',').map(size).collect() };
        let (bytes, layout) = match bytes.split_once("packed") {
            Some((bytes, layout)) => {
                let (growth, slope) = layout.split_once(',').ok_or_else(usage)?;
                let growth = growth.trim().parse().map_err(|_| usage())?;
                (bytes, Layout::Packed { growth, slope: slope.trim().to_owned() })
            }
            None => match bytes.trim_end().strip_suffix("anywhere") {
                Some(bytes) => (bytes, Layout::Anywhere),
                None => (bytes, Layout::Even),
            },
        };
        self.push_array(name.trim(), (shape, layout), bytes.trim(), kind, false)
    }

    fn scalar(&mut self, rest: &str, kind: ArrayKind) -> Result<(), String> {
        let (name, bytes) = rest.split_once(char::is_whitespace).ok_or("expected a name and its bytes")?;
        let (bytes, is_fixed) = match bytes.trim().strip_suffix("fixed") {
            Some(bytes) => (bytes, true),
            None => (bytes, false),
        };
        self.push_array(name, (Vec::new(), Layout::Even), bytes.trim(), kind, is_fixed)
    }

    fn push_array(
        &mut self,
        name: &str,
        (shape, layout): (Vec<Option<String>>, Layout),
        bytes: &str,
        kind: ArrayKind,
        is_fixed: bool,
    ) -> Result<(), String> {
        let elem_bytes =
            bytes.parse().map_err(|_| format!("expected the bytes per cell, found `{bytes}`"))?;
        self.scop.arrays.push(Array { name: name.to_owned(), elem_bytes, shape, layout, kind, is_fixed });
        Ok(())
    }

    fn stmt(&mut self, rest: &str) -> Result<(), String> {
        let (name, domain) = rest.split_once(char::is_whitespace).ok_or("expected a name and a domain")?;
        let domain = self.set(domain.trim())?;
        self.finish_body()?;
        self.scop.stmts.push(Stmt {
            name: name.to_owned(),
            domain,
            accesses: Vec::new(),
            reductions: Vec::new(),
            body: Body::default(),
            loc: None,
        });
        Ok(())
    }

    /// Resolves the names of the last statement.
    fn finish_body(&mut self) -> Result<(), String> {
        let mut names = std::mem::take(&mut self.names);
        if let Some(stmt) = self.scop.stmts.last_mut() {
            // As it is printed.
            let places = stmt.accesses.iter().enumerate().map(|(place, read)| (format!("r{place}"), read.id));
            names.reads.extend(places);
            stmt.body = names.body()?;
        }
        Ok(())
    }

    fn op(&mut self, rest: &str, is_pure: bool) -> Result<(), String> {
        let (name, rest) = rest.split_once('=').ok_or("expected `let NAME = OPERATOR VALUES`")?;
        let mut words = rest.split_whitespace().map(str::to_owned);
        let operator = words.next().ok_or("expected an operator after `=`")?;
        if self.scop.stmts.is_empty() {
            return Err("an operation stands before the first statement".into());
        }
        let op = Op { name: name.trim().to_owned(), operator, operands: Vec::new(), is_pure };
        self.names.ops.push((op, words.collect()));
        Ok(())
    }

    fn access(&mut self, rest: &str, kind: AccessKind) -> Result<AccessId, String> {
        let (value, relation) = match rest.split_once(char::is_whitespace) {
            Some((value, relation)) if !value.starts_with(['{', '[']) => (Some(value), relation.trim()),
            _ => (None, rest),
        };
        let relation: Map = self.isl(relation)?;
        let name = relation.get_tuple_name(isl::DimType::Out).map_err(|error| error.to_string())?;
        let name = name.ok_or("the access leads to tuples without a name")?;
        let array = self.scop.array_named(&name).ok_or(format!("there is no array `{name}`"))?;
        let id = AccessId(self.scop.stmts.iter().map(|stmt| stmt.accesses.len() as u32).sum());
        let stmt = self.scop.stmts.last_mut().ok_or("an access stands before the first statement")?;
        stmt.accesses.push(Access { id, kind, array, relation });
        match (value, kind) {
            (None, _) => {}
            (Some(value), AccessKind::Read) => self.names.reads.push((value.to_owned(), id)),
            (Some(value), _) => self.names.stored.push((id, value.to_owned())),
        }
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

const REDUCTIONS: [(ReductionOp, &str); 9] = [
    (ReductionOp::Add, "add"),
    (ReductionOp::Mul, "mul"),
    (ReductionOp::Min, "min"),
    (ReductionOp::Max, "max"),
    (ReductionOp::UnsignedMin, "umin"),
    (ReductionOp::UnsignedMax, "umax"),
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
        if self.repeats {
            writeln!(f, "repeats")?;
        }
        self.arrays.iter().try_for_each(|array| write_array(f, array))?;
        self.stmts.iter().try_for_each(|stmt| self.write_stmt(f, stmt))?;
        f.write_str("order {")?;
        self.write_order(f, &self.order)?;
        f.write_str(" }\n")
    }
}

/// `copy` or `fill BYTE`.
fn whole(text: &str) -> Result<Whole, String> {
    let byte = || text.strip_prefix("fill ")?.trim().parse().ok();
    match text {
        "copy" => Ok(Whole::Copy),
        _ => byte().map(Whole::Fill).ok_or_else(|| "expected `whole copy` or `whole fill BYTE`".into()),
    }
}

fn write_array(f: &mut fmt::Formatter<'_>, array: &Array) -> fmt::Result {
    let sizes: Vec<_> = array.shape.iter().map(|size| size.as_deref().unwrap_or("*")).collect();
    let fixed = if array.is_fixed { " fixed" } else { "" };
    match array.kind {
        ArrayKind::Memory | ArrayKind::Scratch => {
            let word = if array.kind == ArrayKind::Memory { "array" } else { "scratch" };
            write!(f, "{word} {} [{}] {}", array.name, sizes.join(", "), array.elem_bytes)?;
            match &array.layout {
                Layout::Even => writeln!(f),
                Layout::Packed { growth, slope } => writeln!(f, " packed {growth}, {slope}"),
                Layout::Anywhere => writeln!(f, " anywhere"),
            }
        }
        ArrayKind::Scalar => writeln!(f, "scalar {} {}{fixed}", array.name, array.elem_bytes),
        ArrayKind::Phi => writeln!(f, "phi {} {}{fixed}", array.name, array.elem_bytes),
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::MustWrite => "write",
        AccessKind::MayWrite => "maywrite",
    }
}

impl Stmt {
    /// What a body calls the value that an access reads or writes, with a space before it.
    fn value_text(&self, access: &Access) -> String {
        let is_used = || self.body.operands().any(|operand| *operand == Operand::Read(access.id));
        match self.body.stored(access.id) {
            Some(value) => format!(" {}", self.operand_text(value)),
            None if access.kind == AccessKind::Read && is_used() => {
                format!(" {}", self.operand_text(&Operand::Read(access.id)))
            }
            None => String::new(),
        }
    }

    fn operand_text(&self, operand: &Operand) -> String {
        match operand {
            Operand::Read(id) => {
                let place = self.accesses.iter().position(|access| access.id == *id);
                format!("r{}", place.unwrap_or_default())
            }
            Operand::Op(index) => {
                self.body.ops.get(*index).map_or_else(|| format!("op{index}"), |op| op.name.clone())
            }
            Operand::Outside(name) => name.clone(),
        }
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
                (None, kind) => {
                    writeln!(f, "  {}{} {}", verb(kind), stmt.value_text(access), access.relation)?
                }
            }
        }
        for op in &stmt.body.ops {
            write!(f, "  let{} {} = {}", if op.is_pure { "" } else { "!" }, op.name, op.operator)?;
            op.operands.iter().try_for_each(|operand| write!(f, " {}", stmt.operand_text(operand)))?;
            writeln!(f)?;
        }
        match stmt.body.whole {
            Some(Whole::Copy) => writeln!(f, "  whole copy"),
            Some(Whole::Fill(byte)) => writeln!(f, "  whole fill {byte}"),
            None => Ok(()),
        }
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
