//! The result of an analysis for people and for programs: a table, the full relations, JSON, explanations.
//!
//! A [`Report`] holds plain strings. The *table* has one row for each read and each statement that wrote what it sees;
//! reasons for over-approximations are numbered notes below it. The *text* has every relation: domains, `convert`, Q, K
//! and the direct dependences.
//!
//! ```text
//! read             from  when
//! s3: c[i - 1]     s1    [n] -> { s3[i = 1] -> s1[] : n > 0 }
//! s3: c[i - 1]     s3    [n] -> { s3[i] -> s3[i' = -1 + i] : 2 <= i <= n }
//! ```

use crate::affine::safe_name;
use crate::dataflow::{BRIDGE, Dataflow, Error};
use crate::diag::line_column;
use crate::flow::{Dependence, Input, Sink};
use crate::format::{expression, format};
use crate::parser;
use crate::reach::Why;
use crate::resolve::*;
use crate::trace::Kind;
use isl::{Map, Set};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// A relation or a set in both notations; the ones not asked for are absent.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Over the counters of the iteration vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<String>,
    /// Over the program's own variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<String>,
}

/// Whether a relation is exact, and if not why.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// It is exact.
    pub exact: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The line that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// One statement in the report.
#[derive(Clone, Debug, Serialize)]
pub struct StatementReport {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// The components of its iteration vector.
    pub vector: Vec<String>,
    /// The program's variables that stand for the rounds.
    pub variables: Vec<String>,
    /// The operations that happen.
    pub domain: Shown,
    /// The paper's `convert`, where the variables are not the counters themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convert: Option<String>,
    /// Whether the domain is exact.
    #[serde(flatten)]
    pub status: Status,
}

/// One dependence in the report.
#[derive(Clone, Debug, Serialize)]
pub struct DependenceReport {
    /// The statement that depends.
    pub sink: String,
    /// What it reads or overwrites.
    pub access: String,
    /// `flow` or `output`.
    pub kind: &'static str,
    /// The statement it depends on.
    pub source: String,
    /// All earlier writes of the cell.
    pub q: Shown,
    /// Whether Q is exact.
    pub q_status: Status,
    /// The last of them, where Q is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<Shown>,
    /// The last writer among all statements.
    pub direct: Shown,
    /// Whether that is exact.
    pub direct_status: Status,
    /// Whether there is no such pair at all.
    #[serde(skip)]
    pub direct_is_empty: bool,
    /// Whether it runs through a scalar that only counts: its value is known everywhere.
    #[serde(skip)]
    pub counts: bool,
}

/// Reads of values from before the program.
#[derive(Clone, Debug, Serialize)]
pub struct InputReport {
    /// The statement that reads.
    pub sink: String,
    /// What it reads.
    pub access: String,
    /// When.
    pub rounds: Shown,
    /// Whether it is a scalar that only counts: its value is known everywhere.
    #[serde(skip)]
    pub counts: bool,
    /// Whether that is exact.
    #[serde(flatten)]
    pub status: Status,
}

/// The whole result, ready to be printed.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The parameters, and the scalars whose first value matters (`i_in` is the first value of `i`).
    pub parameters: Vec<String>,
    /// The statements in text order.
    pub statements: Vec<StatementReport>,
    /// The dependences.
    pub dependences: Vec<DependenceReport>,
    /// The reads of inputs.
    pub inputs: Vec<InputReport>,
    /// Everything in the report is exact.
    pub exact: bool,
}

impl Dataflow<'_> {
    /// `{ [t] }` in the notations asked for.
    fn show_set(&self, op: OpId, set: &Set, exact: bool) -> isl::Result<Shown> {
        let through = |variables: bool| {
            let bridge = self.bridge(op)?;
            let map = if variables { &bridge.variables } else { &bridge.counters };
            set.clone().apply(map.clone())
        };
        let context = &self.reaches.context;
        let tidy = |set: Set| set.coalesce()?.gist_params(context.clone())?.coalesce()?.drop_unused_params();
        self.shown(&[op], exact, |variables| {
            let set = through(variables)?;
            self.tidied(&set, || tidy(set.clone()))?.to_str()
        })
    }

    /// `{ [t2] -> [t1] }` in the notations asked for.
    fn show_map(&self, sink: OpId, source: OpId, map: &Map, exact: bool) -> isl::Result<Shown> {
        let context = &self.reaches.context;
        let tidy = |map: Map| map.coalesce()?.gist_params(context.clone())?.coalesce()?.drop_unused_params();
        self.shown(&[sink, source], exact, |variables| {
            let map = self.translate(sink, source, map, variables)?;
            self.tidied(&map, || tidy(map.clone()))?.to_str()
        })
    }

    /// The shortest form that isl finds with little work, or the one there is.
    fn tidied<T: Clone>(&self, value: &T, tidy: impl FnOnce() -> isl::Result<T>) -> isl::Result<T> {
        let short = self.reaches.ctx.with_budget(BRIDGE, tidy);
        short.or_else(|error| if error.is_budget() { Ok(value.clone()) } else { Err(error) })
    }

    /// A relation between operations of these statements in the notations asked for. What is over-approximated anyway
    /// becomes "any of them" when there is no work left for finding words.
    fn shown(
        &self,
        ops: &[OpId],
        exact: bool,
        text: impl Fn(bool) -> isl::Result<String>,
    ) -> isl::Result<Shown> {
        let one = |variables: bool| match self.words.within(&self.reaches.ctx, 2 * BRIDGE, || text(variables))
        {
            Err(error) if error.is_budget() && exact => text(variables),
            Err(error) if error.is_budget() => Ok(self.any_of(ops, variables)),
            shown => shown,
        };
        Ok(Shown {
            counters: self.options.counters.then(|| one(false)).transpose()?,
            variables: self.options.variables.then(|| one(true)).transpose()?,
        })
    }

    /// `{ s[k1] -> t[k1', k2'] }`.
    fn any_of(&self, ops: &[OpId], variables: bool) -> String {
        let tuple = |(at, op): (usize, &OpId)| {
            let op = self.op(*op);
            let dims = op.dims.iter().filter(|dim| dim.of.is_some() || !variables);
            let prime = if at == 0 { "" } else { "'" };
            let names: Vec<String> = dims.map(|dim| format!("k{}{prime}", dim.kappa)).collect();
            format!("{}[{}]", op.name, names.join(", "))
        };
        format!("{{ {} }}", ops.iter().enumerate().map(tuple).collect::<Vec<_>>().join(" -> "))
    }

    fn status(&self, why: &Option<Why>) -> Status {
        match why {
            None => Status { exact: true, why: None, line: None },
            Some(why) => {
                let line = line_column(&self.program.source, why.span.start).0;
                Status { exact: false, why: Some(why.reason.clone()), line: Some(line) }
            }
        }
    }

    /// What the access reads or writes, as the user wrote it.
    fn access_text(&self, op: OpId, access: Sink) -> String {
        let source = &self.program.source;
        match access {
            Sink::Read(at) => {
                let span = self.op(op).reads[at as usize].span;
                canonical(source.get(span.start..span.end).unwrap_or(""))
            }
            Sink::Write => {
                let text = statement_text(source, self.op(op));
                text.split(":=").next().unwrap_or("").trim().to_string()
            }
        }
    }

    /// The report.
    pub fn report(&self) -> Result<Report, Error> {
        self.words.renew(self.reaches.budget.words);
        let mut parameters: Vec<String> = self.program.params.iter().map(|p| p.name.clone()).collect();
        parameters.extend(self.reaches.layout.inputs.iter().map(|(_, name)| name.clone()));
        let statements =
            self.program.ops_with_ids().map(|(id, _)| self.statement(id)).collect::<isl::Result<Vec<_>>>()?;
        let dependences =
            self.flow.dependences.iter().map(|d| self.dependence(d)).collect::<isl::Result<Vec<_>>>()?;
        let inputs = self.flow.inputs.iter().map(|i| self.input(i)).collect::<isl::Result<Vec<_>>>()?;
        // A statement may read the same thing twice; once is enough for a reader.
        let mut seen = HashSet::new();
        let dependences = dependences.into_iter().filter(|d| seen.insert(d.identity())).collect();
        let inputs = inputs.into_iter().filter(|i| seen.insert(i.identity())).collect();
        Ok(Report { parameters, statements, dependences, inputs, exact: self.is_exact() })
    }

    fn statement(&self, id: OpId) -> isl::Result<StatementReport> {
        let op = self.op(id);
        let reach = &self.reaches.of[id.index()];
        let domain = reach.map.clone().domain()?;
        let exact = reach.why.is_none();
        let differs = exact && op.dims.iter().any(|dim| dim.of.is_some());
        let convert = if differs && self.options.variables { Some(self.convert(id, &domain)?) } else { None };
        let loops = op.dims.iter().filter(|dim| dim.of.is_some());
        let variables = match exact {
            true => self.bridge(id)?.names.clone(),
            false => loops.map(|dim| format!("k{}", dim.kappa)).collect(),
        };
        Ok(StatementReport {
            name: op.name.clone(),
            text: statement_text(&self.program.source, op),
            line: line_column(&self.program.source, op.span.start).0,
            vector: op.dims.iter().map(|dim| format!("k{}", dim.kappa)).collect(),
            variables,
            domain: self.show_set(id, &domain, exact)?,
            convert,
            status: self.status(&reach.why),
        })
    }

    /// A statement's text, and what its variables are in the rounds that a model counts: `{ s[i0] -> [i = 1 + i0] }`.
    pub fn meaning(&self, id: OpId) -> isl::Result<(String, String)> {
        let domain = self.reaches.of[id.index()].map.clone().domain()?;
        let map = self.bridge(id)?.variables.clone().gist_domain(domain)?;
        let name = safe_name(&self.op(id).name, &[]);
        let mut map = map.set_tuple_name(isl::DimType::In, &name)?.reset_tuple_id(isl::DimType::Out)?;
        for at in 0..map.dim(isl::DimType::In)? {
            map = map.set_dim_name(isl::DimType::In, at, &format!("i{at}"))?;
        }
        let text = self.tidied(&map, || map.clone().coalesce()?.drop_unused_params())?.to_str()?;
        Ok((statement_text(&self.program.source, self.op(id)), text))
    }

    /// The paper's `convert`: `{ s[k0, k1] -> s[i] }`.
    fn convert(&self, id: OpId, domain: &Set) -> isl::Result<String> {
        let bridge = self.bridge(id)?;
        let map = bridge.counters.clone().intersect_domain(domain.clone())?.reverse()?;
        let map = map.apply_range(bridge.variables.clone())?;
        let context = self.reaches.context.clone();
        let tidy = || map.clone().coalesce()?.gist_params(context)?.coalesce()?.drop_unused_params();
        self.tidied(&map, tidy)?.to_str()
    }

    fn dependence(&self, d: &Dependence) -> isl::Result<DependenceReport> {
        let (q_exact, exact) = (d.q_why.is_none(), d.direct_why.is_none());
        let empty = self.words.within(&self.reaches.ctx, BRIDGE, || d.direct.is_empty());
        Ok(DependenceReport {
            sink: self.op(d.sink).name.clone(),
            access: self.access_text(d.sink, d.access),
            kind: if d.access.kind() == Kind::Flow { "flow" } else { "output" },
            source: self.op(d.source).name.clone(),
            q: self.show_map(d.sink, d.source, &d.q, q_exact)?,
            q_status: self.status(&d.q_why),
            k: d.k.as_ref().map(|k| self.show_map(d.sink, d.source, k, true)).transpose()?,
            direct: self.show_map(d.sink, d.source, &d.direct, exact)?,
            direct_status: self.status(&d.direct_why),
            direct_is_empty: empty.or_else(|error| if error.is_budget() { Ok(false) } else { Err(error) })?,
            counts: self.counts(d.sink, d.access),
        })
    }

    fn input(&self, input: &Input) -> isl::Result<InputReport> {
        Ok(InputReport {
            sink: self.op(input.sink).name.clone(),
            access: self.access_text(input.sink, input.access),
            rounds: self.show_set(input.sink, &input.rounds, input.why.is_none())?,
            status: self.status(&input.why),
            counts: self.counts(input.sink, input.access),
        })
    }

    /// Whether the access is to a scalar that only counts.
    fn counts(&self, op: OpId, access: Sink) -> bool {
        let var = match access {
            Sink::Read(at) => Some(self.op(op).reads[at as usize].var),
            Sink::Write => self.op(op).write.as_ref().map(|(var, _)| *var),
        };
        var.is_some_and(|var| self.counting[var.index()])
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Result<String, Error> {
        let report = self.report()?;
        // Strings, numbers and lists only: this cannot fail.
        Ok(serde_json::to_string_pretty(&report).unwrap_or_default() + "\n")
    }

    /// The report as text.
    pub fn to_text(&self) -> Result<String, Error> {
        Ok(self.report()?.to_text())
    }

    /// Why the reads of a statement have the sources they have: every writing statement of the variable, and what became
    /// of it. `what` is a statement, `s3`, or one variable in it, `s3:c`.
    pub fn explain(&self, what: &str) -> Result<String, Error> {
        let (statement, variable) = match what.split_once(':') {
            Some((statement, variable)) => (statement.trim(), Some(variable.trim())),
            None => (what.trim(), None),
        };
        let id = self.program.op(statement).ok_or_else(|| self.no_statement(statement))?;
        let named = |read: &Read| self.program.vars[read.var.index()].name.as_str();
        let reads = &self.op(id).reads;
        if let Some(name) = variable.filter(|name| !reads.iter().any(|read| named(read) == *name)) {
            let known: BTreeSet<&str> = reads.iter().map(named).collect();
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Error::NotRead { statement: statement.into(), name: name.into(), known });
        }
        let mut out = format!("{statement}: {}\n", statement_text(&self.program.source, self.op(id)));
        let mut seen = HashSet::new();
        for (at, read) in reads.iter().enumerate() {
            let access = self.access_text(id, Sink::Read(at as u32));
            if variable.is_none_or(|name| named(read) == name) && seen.insert(access.clone()) {
                let _ = writeln!(out, "reads {access}");
                self.explain_read(&mut out, id, at as u32, read.var)?;
            }
        }
        if seen.is_empty() {
            out.push_str("reads nothing\n");
        }
        Ok(out)
    }

    fn no_statement(&self, name: &str) -> Error {
        let known: Vec<&str> = self.program.ops.iter().map(|op| op.name.as_str()).collect();
        Error::NoSuchStatement { name: name.to_string(), known: known.join(", ") }
    }

    fn explain_read(&self, out: &mut String, sink: OpId, at: u32, var: VarId) -> Result<(), Error> {
        let access = Sink::Read(at);
        let found: Vec<&Dependence> =
            self.flow.dependences.iter().filter(|d| d.sink == sink && d.access == access).collect();
        let writers =
            self.program.ops_with_ids().filter(|(_, op)| op.write.as_ref().is_some_and(|w| w.0 == var));
        for (id, op) in writers {
            let fate = match found.iter().find(|d| d.source == id) {
                None => "never writes this cell before the read".to_string(),
                Some(d) => self.fate(d, &found)?,
            };
            let _ = writeln!(out, "  {}: {fate}", op.name);
        }
        for input in self.flow.inputs.iter().filter(|i| i.sink == sink && i.access == access) {
            let rounds = self.show_set(sink, &input.rounds, input.why.is_none())?;
            let status = self.status(&input.why);
            let _ = writeln!(
                out,
                "  before the program: the value is an input, {}; {}",
                rounds.first(),
                status.text()
            );
        }
        Ok(())
    }

    /// What becomes of the earlier writes of one statement, and who overwrites them.
    fn fate(&self, d: &Dependence, all: &[&Dependence]) -> Result<String, Error> {
        let lost = d.q.clone().subtract(d.direct.clone())?;
        let when = lost.clone().domain()?;
        let mut later = Vec::new();
        for other in all {
            if !other.direct.clone().domain()?.is_disjoint(&when)? {
                later.push(self.op(other.source).name.as_str());
            }
        }
        let who = if later.is_empty() { "another write".to_string() } else { later.join(" or ") };
        let direct = self.show_map(d.sink, d.source, &d.direct, d.direct_why.is_none())?;
        let status = self.status(&d.direct_why).text();
        Ok(if d.direct.is_empty()? {
            let q = self.show_map(d.sink, d.source, &d.q, d.q_why.is_none())?;
            format!("writes it earlier, {}, but never last: {who} always comes between", q.first())
        } else if lost.is_empty()? {
            format!("writes it last, {}; {status}", direct.first())
        } else {
            format!(
                "writes it last, {}; {status}; its other earlier writes are overwritten by {who}",
                direct.first()
            )
        })
    }
}

/// The statement's first line without its body.
fn statement_text(source: &str, op: &Op) -> String {
    let whole = source.get(op.span.start..op.span.end).unwrap_or("");
    let words = match op.kind {
        OpKind::IfTest => Some(crate::lexer::Word::Then),
        OpKind::WhileTest | OpKind::ForBounds => Some(crate::lexer::Word::Do),
        OpKind::Assign | OpKind::Assume => None,
    };
    let Ok(lexed) = crate::lexer::lex(whole) else { return whole.to_string() };
    let labelled = matches!(lexed.tokens.get(1).map(|t| &t.tok), Some(crate::lexer::Tok::Sym(":")));
    let start = if labelled { lexed.tokens.get(2).map_or(0, |t| t.span.start) } else { 0 };
    let end = words.and_then(|word| lexed.tokens.iter().find(|t| t.tok == crate::lexer::Tok::Word(word)));
    let end = end.map_or(whole.len(), |t| t.span.start);
    canonical_statement(whole.get(start..end).unwrap_or(whole), op.kind)
}

/// The text as the formatter writes it, in one line.
fn canonical_statement(text: &str, kind: OpKind) -> String {
    let closed = match kind {
        OpKind::IfTest => format!("{text} then skip fi"),
        OpKind::WhileTest | OpKind::ForBounds => format!("{text} do skip done"),
        OpKind::Assign | OpKind::Assume => text.to_string(),
    };
    let Ok(formatted) = format(&closed) else {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    };
    let line = formatted.lines().find(|line| !line.starts_with('#') && !line.starts_with("(*")).unwrap_or("");
    line.trim_end_matches(" then").trim_end_matches(" do").to_string()
}

/// An expression as the formatter writes it.
fn canonical(text: &str) -> String {
    let wrapped = format!("x := {text}");
    match parser::parse(&wrapped).ok().and_then(|ast| ast.body.into_iter().next()).map(|stmt| stmt.kind) {
        Some(crate::ast::StmtKind::Assign { value, .. }) => expression(&value),
        _ => text.to_string(),
    }
}

impl Shown {
    fn first(&self) -> &str {
        self.lines().next().map_or("", String::as_str)
    }

    fn lines(&self) -> impl Iterator<Item = &String> {
        self.variables.iter().chain(&self.counters)
    }
}

impl Status {
    fn text(&self) -> String {
        match (&self.why, self.line) {
            (Some(why), Some(line)) => format!("over-approximated: {why} (line {line})"),
            _ => "exact".to_string(),
        }
    }
}

impl Report {
    /// The dependences as a table, with notes. Scalars that only count are in it if `all` is asked for.
    pub fn to_table(&self, all: bool) -> String {
        let mut notes = Vec::new();
        let mut rows = vec![["read", "from", "when"].map(str::to_string)];
        let (dependences, inputs) = (self.dependences.iter(), self.inputs.iter());
        for d in dependences.filter(|d| !d.direct_is_empty && (all || !d.counts)) {
            let verb = if d.kind == "flow" { "" } else { " (overwritten)" };
            let read = format!("{}: {}{verb}", d.sink, d.access);
            row(&mut rows, read, &d.source, &d.direct, note(&mut notes, &d.direct_status));
        }
        for i in inputs.filter(|i| all || !i.counts) {
            let read = format!("{}: {}", i.sink, i.access);
            row(&mut rows, read, "input", &i.rounds, note(&mut notes, &i.status));
        }
        let mut out = columns(&rows);
        if rows.len() == 1 {
            out = "no statement reads what another wrote, nor an input\n".to_string();
        }
        for (at, (why, line)) in notes.iter().enumerate() {
            let _ = writeln!(out, "[{}] over-approximated: {why} (line {line})", at + 1);
        }
        if !all && self.has_counting() {
            out += "scalars that only count are left out; --all shows them\n";
        }
        out + self.summary()
    }

    fn has_counting(&self) -> bool {
        self.dependences.iter().any(|d| d.counts) || self.inputs.iter().any(|i| i.counts)
    }

    fn summary(&self) -> &'static str {
        if self.exact { "all relations are exact\n" } else { "some relations are over-approximated\n" }
    }

    /// The report as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        if !self.parameters.is_empty() {
            let _ = writeln!(out, "parameters: {}", self.parameters.join(", "));
        }
        out.push_str("statements\n");
        for s in &self.statements {
            self.statement_lines(&mut out, s);
        }
        out.push_str("dependences\n");
        if self.dependences.is_empty() && self.inputs.is_empty() {
            out.push_str("  none\n");
        }
        self.dependence_lines(&mut out);
        out + self.summary()
    }

    fn statement_lines(&self, out: &mut String, s: &StatementReport) {
        let _ = writeln!(out, "  {}: {}  ({})", s.name, s.text, s.vector.join(", "));
        for line in s.domain.lines() {
            let _ = writeln!(out, "    domain   {line}");
        }
        if let Some(convert) = &s.convert {
            let _ = writeln!(out, "    convert  {convert}");
        }
        if !s.status.exact {
            let _ = writeln!(out, "    {}", s.status.text());
        }
    }

    fn dependence_lines(&self, out: &mut String) {
        let mut last = None;
        let heading = |out: &mut String, sink: &str, access: &str, kind: &str| {
            let verb = if kind == "flow" { "reads" } else { "overwrites" };
            let _ = writeln!(out, "  {sink} {verb} {access}");
        };
        for d in &self.dependences {
            let this = (d.sink.clone(), d.access.clone(), d.kind);
            if last.as_ref() != Some(&this) {
                heading(out, &d.sink, &d.access, d.kind);
                last = Some(this);
            }
            d.lines(out);
        }
        for input in &self.inputs {
            for line in input.rounds.lines() {
                let _ =
                    writeln!(out, "  {} reads {} from before the program: {line}", input.sink, input.access);
            }
            if !input.status.exact {
                let _ = writeln!(out, "    {}", input.status.text());
            }
        }
    }
}

/// The mark of a note; equal reasons are one note.
fn note(notes: &mut Vec<(String, usize)>, status: &Status) -> String {
    let Some(why) = status.why.clone().zip(status.line) else { return String::new() };
    let at = notes.iter().position(|known| *known == why).unwrap_or_else(|| {
        notes.push(why);
        notes.len() - 1
    });
    format!("  [{}]", at + 1)
}

/// One row of the table; a second notation is a second line of it.
fn row(rows: &mut Vec<[String; 3]>, read: String, from: &str, when: &Shown, note: String) {
    let mut read = Some((read, from.to_string(), note));
    for line in when.lines() {
        let (read, from, note) = read.take().unwrap_or_default();
        rows.push([read, from, format!("{line}{note}")]);
    }
}

/// Rows with aligned columns.
fn columns(rows: &[[String; 3]]) -> String {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let (one, two) = (width(0), width(1));
    let line = |[a, b, c]: &[String; 3]| format!("{a:one$}  {b:two$}  {c}").trim_end().to_string() + "\n";
    rows.iter().map(line).collect()
}

impl InputReport {
    fn identity(&self) -> String {
        format!("{}|{}|{:?}", self.sink, self.access, self.rounds.lines().collect::<Vec<_>>())
    }
}

impl DependenceReport {
    fn identity(&self) -> String {
        let shown = [&self.q, &self.direct].map(|s| s.lines().cloned().collect::<Vec<_>>().join("|"));
        format!("{}|{}|{}|{}|{shown:?}", self.sink, self.access, self.kind, self.source)
    }

    fn lines(&self, out: &mut String) {
        let _ = writeln!(out, "    from {}", self.source);
        for line in self.q.lines() {
            let _ = writeln!(out, "      Q       {line}");
        }
        if !self.q_status.exact {
            let _ = writeln!(out, "              {}", self.q_status.text());
        }
        for line in self.k.iter().flat_map(Shown::lines) {
            let _ = writeln!(out, "      K       {line}");
        }
        if self.direct_is_empty {
            let _ = writeln!(out, "      direct  none");
            return;
        }
        for line in self.direct.lines() {
            let _ = writeln!(out, "      direct  {line}");
        }
        if !self.direct_status.exact {
            let _ = writeln!(out, "              {}", self.direct_status.text());
        }
    }
}
