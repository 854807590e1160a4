//! `orthant dataflow`: the analysis of a whole program, and its results in the user's terms.
//!
//! The analysis works on rounds ([`crate::reach`]). Results are given in the *counters* of the iteration vectors
//! (`s3[k0, k1]`), in the *program's own variables* (`s3[i]`), or both. The bridge to the latter is the paper's
//! `convert` (Section 5.1): for every loop around a statement one variable is chosen, the counter of a `for`, or for a
//! `while` a scalar that the loop changes, such that rounds and chosen variables determine each other in the
//! statement's whole domain. Where a reach is not exact, or no scalar qualifies, the loop's counter `k` takes the
//! variable's place.
//!
//! Every relation says whether it is exact; if not, why and in which line. See [`crate::flow`] for what is claimed of each.

use crate::affine::{StateVar, safe_name};
use crate::diag::line_column;
use crate::flow::{Dependence, Flow, Input, Sink, flow};
use crate::format::{expression, format};
use crate::parser;
use crate::reach::{Budget, Reaches, Why, reaches};
use crate::resolve::*;
use crate::trace::Kind;
use isl::{DimType, Map, Set};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Write as _;

/// What to compute and how to show it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Show relations over the counters of the iteration vectors.
    pub counters: bool,
    /// Show relations over the program's own variables.
    pub variables: bool,
    /// Only these variables (all, if there are none).
    pub only: Vec<String>,
    /// Output dependences as well.
    pub output: bool,
    /// How much work to do.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            counters: false,
            variables: true,
            only: Vec::new(),
            output: false,
            budget: Budget::default(),
        }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The options name something that the program does not have.
    #[error("the program has no variable `{name}`; it has {known}")]
    NoSuchVariable {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The options name a statement that the program does not have.
    #[error("the program has no statement `{name}`; it has {known}")]
    NoSuchStatement {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The program has no exact model.
    #[error("the program has no exact model: {reason} (line {line})")]
    NotRegular {
        /// Why.
        reason: String,
        /// Where.
        line: usize,
    },
    /// The model that was built breaks its own rules: a defect of ours.
    #[error("internal error: {0}; please report it with the program")]
    Model(#[from] model::verify::Invalid),
    /// The program cannot be run.
    #[error("{0}")]
    Run(#[from] crate::diag::Diagnostic),
    /// The set library failed: a defect of ours.
    #[error("internal error: {0}; please report it with the program")]
    Isl(#[from] isl::Error),
}

/// The result of the analysis.
pub struct Dataflow<'p> {
    /// The program.
    pub program: &'p Program,
    /// What was asked.
    pub options: Options,
    /// Which operations happen.
    pub reaches: Reaches<'p>,
    /// The dependences.
    pub flow: Flow,
    bridges: Vec<Bridge>,
}

/// The ways to write the rounds of one statement.
struct Bridge {
    /// `{ [t] -> name[k0, ...] }`.
    counters: Map,
    /// `{ [t] -> name[i, ...] }`.
    variables: Map,
    /// The variables' names.
    names: Vec<String>,
}

/// Analyses a program.
pub fn dataflow<'p>(program: &'p Program, options: &Options) -> Result<Dataflow<'p>, Error> {
    for name in &options.only {
        if !program.vars.iter().any(|var| var.name == *name) {
            let known: Vec<&str> = program.vars.iter().map(|var| var.name.as_str()).collect();
            return Err(Error::NoSuchVariable { name: name.clone(), known: known.join(", ") });
        }
    }
    let reaches = reaches(program, options.budget)?;
    let wanted =
        |var: VarId| options.only.is_empty() || options.only.contains(&program.vars[var.index()].name);
    let flow = flow(&reaches, options.budget, options.output, &wanted)?;
    let mut bridges = Vec::new();
    for (id, _) in program.ops_with_ids() {
        bridges.push(bridge(&reaches, id)?);
    }
    Ok(Dataflow { program, options: options.clone(), reaches, flow, bridges })
}

/// How many isl operations the search for a statement's variables may take, and the tidying of one relation.
const BRIDGE: u64 = 100_000;

fn bridge(reaches: &Reaches<'_>, id: OpId) -> isl::Result<Bridge> {
    let op = &reaches.program.ops[id.index()];
    let taken: Vec<&str> = reaches.layout.all_params().collect();
    let name = safe_name(&op.name, &[]);
    let rounds: Vec<String> =
        (0..op.loops().count()).map(|k| reaches.layout.fresh(&format!("t{k}"))).collect();
    let mut level = 0;
    let mut components = Vec::new();
    for dim in &op.dims {
        match dim.of {
            None => components.push(dim.position.to_string()),
            Some(_) => {
                components.push(format!("{} + {}*{}", dim.position, dim.stride, rounds[level]));
                level += 1;
            }
        }
    }
    let text = format!(
        "{}{{ [{}] -> [{}] }}",
        reaches.layout.param_tuple(),
        rounds.join(", "),
        components.join(", ")
    );
    let mut counters: Map = reaches.ctx.parse(&text)?;
    for (at, dim) in op.dims.iter().enumerate() {
        counters = counters.set_dim_name(DimType::Out, at, &unused(format!("k{}", dim.kappa), &taken))?;
    }
    let counters = counters.set_tuple_name(DimType::Out, &name)?;
    let found = reaches.ctx.with_budget(BRIDGE, || own_variables(reaches, id, true, &rounds, &taken));
    let (variables, names) = match found {
        Err(error) if error.is_budget() => own_variables(reaches, id, false, &rounds, &taken)?,
        found => found?,
    };
    Ok(Bridge { counters, variables: variables.set_tuple_name(DimType::Out, &name)?, names })
}

fn unused(mut name: String, taken: &[&str]) -> String {
    while taken.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The paper's `convert`, inverted: `{ [t] -> [i, j, ...] }`, and the names.
fn own_variables(
    reaches: &Reaches<'_>,
    id: OpId,
    search: bool,
    rounds: &[String],
    taken: &[&str],
) -> isl::Result<(Map, Vec<String>)> {
    let op = &reaches.program.ops[id.index()];
    let levels: Vec<&Dim> = op.dims.iter().filter(|dim| dim.of.is_some()).collect();
    let mut choice: Vec<Option<usize>> = vec![None; levels.len()];
    if search && reaches.of[id.index()].why.is_none() {
        for level in 0..levels.len() {
            for candidate in candidates(reaches, levels[level], id) {
                let already = choice.contains(&Some(candidate));
                choice[level] = Some(candidate);
                if !already && chosen(reaches, id, &levels, &choice, rounds)?.is_bijective()? {
                    break;
                }
                choice[level] = None;
            }
        }
    }
    let mut map = if search {
        chosen(reaches, id, &levels, &choice, rounds)?
    } else {
        counters_only(reaches, &levels, rounds)?
    };
    let mut names = Vec::new();
    for (at, (dim, choice)) in levels.iter().zip(&choice).enumerate() {
        let name = match choice.map(|k| reaches.layout.vars[k]) {
            Some(StateVar::Scalar(var)) => reaches.program.vars[var.index()].name.clone(),
            Some(StateVar::Counter(counter)) => reaches.program.counters[counter.index()].name.clone(),
            _ => format!("k{}", dim.kappa),
        };
        let name = unused(safe_name(&name, taken), taken);
        map = map.set_dim_name(DimType::Out, at, &name)?;
        names.push(name);
    }
    Ok((map, names))
}

/// State variables that may stand for a loop's counter, the likeliest first.
fn candidates(reaches: &Reaches<'_>, dim: &Dim, id: OpId) -> Vec<usize> {
    let Some(of) = dim.of else { return Vec::new() };
    let unknown = reaches.of[id.index()].unknown | reaches.of[id.index()].dead;
    let info = &reaches.program.loops[of.index()];
    if let Some(counter) = info.counter {
        return reaches.layout.counter(counter).into_iter().collect();
    }
    let mut found = Vec::new();
    let tested =
        reaches.program.ops[info.op.index()].reads.iter().filter_map(|read| reaches.layout.scalar(read.var));
    let others = (0..reaches.layout.len()).filter(|k| matches!(reaches.layout.vars[*k], StateVar::Scalar(_)));
    for k in tested.chain(others) {
        if !found.contains(&k) && unknown & (1 << k) == 0 {
            found.push(k);
        }
    }
    found
}

/// `{ [t] -> [chosen variable, or counter] }` on the statement's domain.
fn chosen(
    reaches: &Reaches<'_>,
    id: OpId,
    levels: &[&Dim],
    choice: &[Option<usize>],
    rounds: &[String],
) -> isl::Result<Map> {
    let layout = &reaches.layout;
    let components: Vec<String> = levels
        .iter()
        .zip(choice)
        .zip(rounds)
        .map(|((dim, choice), t)| match choice {
            Some(k) => layout.name(*k),
            None => format!("{} + {}*{t}", dim.position, dim.stride),
        })
        .collect();
    // { [t, x] -> [component] }, joined with the graph of the reach.
    let state: Vec<String> =
        rounds.iter().cloned().chain((0..layout.len()).map(|k| layout.name(k))).collect();
    let text = format!("{}{{ [{}] -> [{}] }}", layout.param_tuple(), state.join(", "), components.join(", "));
    let read: Map = reaches.ctx.parse(&text)?;
    let graph = reaches.of[id.index()].map.clone().wrap()?.flatten()?;
    read.intersect_domain(graph)?.project_out(DimType::In, rounds.len(), layout.len())?.coalesce()
}

/// The counters of the loops, without looking at the domain.
fn counters_only(reaches: &Reaches<'_>, levels: &[&Dim], rounds: &[String]) -> isl::Result<Map> {
    let component = |(dim, t): (&&Dim, &String)| format!("{} + {}*{t}", dim.position, dim.stride);
    let components: Vec<String> = levels.iter().zip(rounds).map(component).collect();
    let params = reaches.layout.param_tuple();
    reaches.ctx.parse(&format!("{params}{{ [{}] -> [{}] }}", rounds.join(", "), components.join(", ")))
}

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
    /// Whether every relation is exact.
    pub fn is_exact(&self) -> bool {
        self.reaches.of.iter().all(|reach| reach.why.is_none())
            && self.flow.dependences.iter().all(|d| d.direct_why.is_none())
            && self.flow.inputs.iter().all(|i| i.why.is_none())
    }

    fn op(&self, id: OpId) -> &Op {
        &self.program.ops[id.index()]
    }

    /// `{ [t] }` in the notations asked for.
    fn show_set(&self, op: OpId, set: &Set) -> isl::Result<Shown> {
        let bridge = &self.bridges[op.index()];
        let through = |map: &Map| -> isl::Result<String> {
            tidy_set(set.clone().apply(map.clone())?, &self.reaches.context)
        };
        Ok(Shown {
            counters: self.options.counters.then(|| through(&bridge.counters)).transpose()?,
            variables: self.options.variables.then(|| through(&bridge.variables)).transpose()?,
        })
    }

    /// `{ [t2] -> [t1] }` over the program's variables (or the counters), with names.
    pub fn translate(&self, sink: OpId, source: OpId, map: &Map, variables: bool) -> isl::Result<Map> {
        let pick = |op: OpId| {
            let bridge = &self.bridges[op.index()];
            if variables { bridge.variables.clone() } else { bridge.counters.clone() }
        };
        map.clone().apply_domain(pick(sink))?.apply_range(pick(source))
    }

    fn show_map(&self, sink: OpId, source: OpId, map: &Map) -> isl::Result<Shown> {
        let through =
            |variables: bool| tidy_map(self.translate(sink, source, map, variables)?, &self.reaches.context);
        Ok(Shown {
            counters: self.options.counters.then(|| through(false)).transpose()?,
            variables: self.options.variables.then(|| through(true)).transpose()?,
        })
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
        let bridge = &self.bridges[id.index()];
        let domain = reach.map.clone().domain()?;
        let differs = reach.why.is_none() && op.dims.iter().any(|dim| dim.of.is_some());
        let convert = if differs && self.options.variables {
            let map = bridge.counters.clone().intersect_domain(domain.clone())?.reverse()?;
            Some(tidy_map(map.apply_range(bridge.variables.clone())?, &self.reaches.context)?)
        } else {
            None
        };
        Ok(StatementReport {
            name: op.name.clone(),
            text: statement_text(&self.program.source, op),
            line: line_column(&self.program.source, op.span.start).0,
            vector: op.dims.iter().map(|dim| format!("k{}", dim.kappa)).collect(),
            variables: bridge.names.clone(),
            domain: self.show_set(id, &domain)?,
            convert,
            status: self.status(&reach.why),
        })
    }

    fn dependence(&self, d: &Dependence) -> isl::Result<DependenceReport> {
        Ok(DependenceReport {
            sink: self.op(d.sink).name.clone(),
            access: self.access_text(d.sink, d.access),
            kind: if d.access.kind() == Kind::Flow { "flow" } else { "output" },
            source: self.op(d.source).name.clone(),
            q: self.show_map(d.sink, d.source, &d.q)?,
            q_status: self.status(&d.q_why),
            k: d.k.as_ref().map(|k| self.show_map(d.sink, d.source, k)).transpose()?,
            direct: self.show_map(d.sink, d.source, &d.direct)?,
            direct_status: self.status(&d.direct_why),
            direct_is_empty: d.direct.is_empty()?,
        })
    }

    fn input(&self, input: &Input) -> isl::Result<InputReport> {
        Ok(InputReport {
            sink: self.op(input.sink).name.clone(),
            access: self.access_text(input.sink, input.access),
            rounds: self.show_set(input.sink, &input.rounds)?,
            status: self.status(&input.why),
        })
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

    /// Why each read of a statement has the sources it has: every writing statement of the variable, and what became of it.
    pub fn explain(&self, statement: &str) -> Result<String, Error> {
        let Some(id) = self.program.op(statement) else {
            let known: Vec<&str> = self.program.ops.iter().map(|op| op.name.as_str()).collect();
            return Err(Error::NoSuchStatement { name: statement.to_string(), known: known.join(", ") });
        };
        let report = self.report()?;
        let mut out = format!("{statement}: {}\n", statement_text(&self.program.source, self.op(id)));
        for (at, read) in self.op(id).reads.iter().enumerate() {
            let access = self.access_text(id, Sink::Read(at as u32));
            let _ = writeln!(out, "reads {access}");
            let found: Vec<_> = report
                .dependences
                .iter()
                .filter(|d| d.sink == statement && d.access == access && d.kind == "flow")
                .collect();
            let writers = self
                .program
                .ops
                .iter()
                .filter(|op| op.write.as_ref().is_some_and(|(var, _)| *var == read.var));
            for op in writers {
                let line = match found.iter().find(|d| d.source == op.name) {
                    None => "never writes this cell before the read".to_string(),
                    Some(d) if d.direct_is_empty => {
                        format!(
                            "writes it earlier, {}, but never last: another write always comes between",
                            d.q.first()
                        )
                    }
                    Some(d) => format!("writes it last, {}; {}", d.direct.first(), d.direct_status.text()),
                };
                let _ = writeln!(out, "  {}: {line}", op.name);
            }
            for input in report.inputs.iter().filter(|i| i.sink == statement && i.access == access) {
                let _ = writeln!(
                    out,
                    "  before the program: the value is an input, {}; {}",
                    input.rounds.first(),
                    input.status.text()
                );
            }
        }
        Ok(out)
    }

    /// The statement-level graph for Graphviz: an edge for every direct dependence, dashed where it is over-approximated.
    pub fn to_dot(&self) -> Result<String, Error> {
        let report = self.report()?;
        let mut out = String::from("digraph dataflow {\n  node [shape=box, fontname=\"monospace\"];\n");
        for s in &report.statements {
            let _ = writeln!(out, "  {:?} [label={:?}];", s.name, format!("{}: {}", s.name, s.text));
        }
        for d in report.dependences.iter().filter(|d| !d.direct_is_empty) {
            let style = if d.direct_status.exact { "solid" } else { "dashed" };
            let _ = writeln!(out, "  {:?} -> {:?} [label={:?}, style={style}];", d.source, d.sink, d.access);
        }
        out.push_str("}\n");
        Ok(out)
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

/// The shortest text isl has for it, given what is assumed of the parameters.
fn tidy_map(map: Map, context: &Set) -> isl::Result<String> {
    let tidy = |map: Map| map.coalesce()?.gist_params(context.clone())?.coalesce()?.drop_unused_params();
    let short = map.ctx().with_budget(BRIDGE, || tidy(map.clone()));
    short.or_else(|error| if error.is_budget() { Ok(map) } else { Err(error) })?.to_str()
}

fn tidy_set(set: Set, context: &Set) -> isl::Result<String> {
    let tidy = |set: Set| set.coalesce()?.gist_params(context.clone())?.coalesce()?.drop_unused_params();
    let short = set.ctx().with_budget(BRIDGE, || tidy(set.clone()));
    short.or_else(|error| if error.is_budget() { Ok(set) } else { Err(error) })?.to_str()
}

/// The operations of a run and their direct dependences for Graphviz; for small runs.
pub fn instance_graph(program: &Program, trace: &crate::trace::Trace) -> String {
    let name = |k: u32| {
        let vector: Vec<String> = trace.vector(k).iter().map(i64::to_string).collect();
        format!("{}({})", program.ops[trace.op(k).index()].name, vector.join(","))
    };
    let mut out = String::from("digraph operations {\n  node [shape=ellipse, fontname=\"monospace\"];\n");
    for k in 0..trace.len() as u32 {
        let _ = writeln!(out, "  o{k} [label={:?}];", name(k));
        for direct in trace.direct(k) {
            let style = if direct.kind == Kind::Flow { "solid" } else { "dotted" };
            let _ = writeln!(out, "  o{} -> o{k} [style={style}];", direct.source);
        }
    }
    out.push_str("}\n");
    out
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
        out.push_str(if self.exact {
            "all relations are exact\n"
        } else {
            "some relations are over-approximated\n"
        });
        out
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
