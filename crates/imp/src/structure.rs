//! Putting structure back: covertly regular programs (Section 5.2).
//!
//! A nest that was flattened into one `while` with resets has rounds without a closed form: the round number is a
//! product of the inner extent and the outer counter. The way out is not a cleverer closure but another program,
//! in which the rounds are numbered by two loops. Two rewritings do it, both of a `while` whose body has an `if`:
//!
//! ```text
//! while c do P; if g then A else B fi; Q done
//! ```
//!
//! * **Split.** Rounds that take the same branch are gathered in a loop of their own:
//!   `while c do  while c and g do P; A; Q done;  if c then P; B; Q fi  done`.
//!   This is the same program whenever `P` does not change what `g` looks at; `c` is left out of the inner loop where
//!   `A`, `P` and `Q` do not change what it looks at. The roles of the branches may be exchanged.
//! * **Rotate.** If `A` is a step `j := j + d`, `B` starts by resetting `j`, and `g` is a bound on `j`, then the last
//!   round of the inner loop needs no copy of its own:
//!   `while c do  while j <= e do P; j := j + d done;  B  done` for `g` = `j < e`.
//!   This is the same program if the inner loop is never skipped, which is *proved* on the rewritten program: in no state
//!   that reaches it from outside is its condition false.
//!
//! Where `P` itself moves what `g` looks at (`P; j := j + 1; if j == m then ...`), the test is taken after `P`:
//! `while c do  P; while !g do B; Q; P done;  A; Q  done` if nothing but `A` changes what `c` looks at, and with `B` and
//! `Q` empty the rotation `while c do  while !g do P done;  A  done`, again if the inner loop is never skipped.
//!
//! Rewritings are searched, depth first and with a limit, until every loop has an exact closure. Nothing is changed if
//! that fails. The result is a program like any other; [`equivalent`] compares it with the original by running both.
//!
//! Splitting never goes wrong, so it also gathers the phases of state machines; skewed and swapped counters need no
//! rewriting of subscripts, because the closure of a round takes any affine step.
//!
//! Example: `i := 0; j := 0; while i < n do a[i, j] := 0; if j < m then j := j + 1 else j := 0; i := i + 1 fi done`
//! becomes `... while i < n do while j <= m do a[i, j] := 0; j := j + 1 done; j := 0; i := i + 1 done` (if `m >= 0`).

use crate::ast::*;
use crate::dataflow::Error;
use crate::diag::{Diagnostic, Span};
use crate::format;
use crate::interp::{Ending, Inputs, run};
use crate::parser::parse;
use crate::reach::{Budget, reaches};
use crate::resolve::{OpKind, Program};
use isl::DimType;
use std::collections::{BTreeMap, BTreeSet};

/// How many rewritten programs are looked at.
const MAX_TRIALS: usize = 40;
/// How many rewritings are done one after the other.
const MAX_STEPS: usize = 4;

/// A program with its structure put back.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The structured program, in canonical form.
    pub source: String,
    /// What was done, in order.
    pub steps: Vec<String>,
}

/// Puts structure back until every loop has an exact closure: `None` if the program has it already, or if it cannot be done.
pub fn recover(source: &str, budget: Budget) -> Result<Option<Recovered>, Error> {
    let mut search = Search { budget, trials: 0 };
    let ast = parse(source)?;
    match search.inexact(source)? {
        Some(spans) if spans.is_empty() => Ok(None),
        Some(spans) => search.deepen(&ast, &spans, &mut Vec::new()),
        None => Ok(None),
    }
}

struct Search {
    budget: Budget,
    trials: usize,
}

/// A rewritten program and how to check it.
struct Rewritten {
    ast: Ast,
    step: String,
    /// The condition of the inner loop that must hold whenever it is reached (after a rotation).
    never_skipped: bool,
    /// The condition of the new inner loop, as text: how it is found again.
    inner: String,
}

impl Search {
    /// Where the loops without an exact closure stand; `None` if the program cannot be analysed.
    fn inexact(&mut self, source: &str) -> Result<Option<Vec<Span>>, Error> {
        let program = Program::parse(source)?;
        let reaches = reaches(&program, self.budget)?;
        let bad = reaches.loops.iter().zip(&program.loops).filter(|(why, _)| why.is_some());
        Ok(Some(bad.map(|(_, info)| program.ops[info.op.index()].span).collect()))
    }

    fn deepen(
        &mut self,
        ast: &Ast,
        bad: &[Span],
        steps: &mut Vec<String>,
    ) -> Result<Option<Recovered>, Error> {
        if steps.len() >= MAX_STEPS {
            return Ok(None);
        }
        for rewritten in rewritings(ast, bad) {
            self.trials += 1;
            if self.trials > MAX_TRIALS {
                return Ok(None);
            }
            let Some((source, still_bad)) = self.acceptable(&rewritten)? else { continue };
            steps.push(rewritten.step.clone());
            if still_bad.is_empty() {
                return Ok(Some(Recovered { source, steps: steps.clone() }));
            }
            // Work on what was printed, so that spans are those of its text.
            let next = parse(&source)?;
            if let Some(found) = self.deepen(&next, &still_bad, steps)? {
                return Ok(Some(found));
            }
            steps.pop();
        }
        Ok(None)
    }

    /// The program's text and the loops that still have no closure, if the new inner loop has one.
    fn acceptable(&mut self, rewritten: &Rewritten) -> Result<Option<(String, Vec<Span>)>, Error> {
        let Ok(source) = format::program(&rewritten.ast) else { return Ok(None) };
        let Ok(program) = Program::parse(&source) else { return Ok(None) };
        let reaches = reaches(&program, self.budget)?;
        let heads = |op: &crate::resolve::Op| {
            op.kind == OpKind::WhileTest && while_condition(&source, op.span) == rewritten.inner
        };
        for (id, op) in program.ops_with_ids().filter(|(_, op)| heads(op)) {
            let of = op.loops().last();
            if of.is_none_or(|of| reaches.loops[of.index()].is_some()) {
                return Ok(None);
            }
            if rewritten.never_skipped && !never_skipped(&reaches, id)? {
                return Ok(None);
            }
        }
        let bad = reaches.loops.iter().zip(&program.loops).filter(|(why, _)| why.is_some());
        let bad = bad.map(|(_, info)| program.ops[info.op.index()].span).collect();
        Ok(Some((source, bad)))
    }
}

/// Whether the loop's condition holds in every state that reaches it from outside. The reach contains all those states,
/// so this is a proof even where it is not exact.
fn never_skipped(reaches: &crate::reach::Reaches<'_>, test: crate::resolve::OpId) -> isl::Result<bool> {
    let reach = &reaches.of[test.index()];
    let depth = reach.map.dim(DimType::In)?;
    let first = reach.map.clone().fix_si(DimType::In, depth - 1, 0)?;
    let crate::resolve::Node::While { cond, .. } =
        node_of(&reaches.program.body, test).ok_or_else(missing)?
    else {
        return Ok(false);
    };
    let fails = reaches.layout.condition(cond, false);
    if fails.why.is_some() {
        return Ok(false);
    }
    let layout = &reaches.layout;
    let text = format!("{}{{ [{}] : {} }}", layout.param_tuple(), layout.tuple(), fails.text);
    first.intersect_range(reaches.ctx.parse(&text)?)?.is_empty()
}

fn missing() -> isl::Error {
    isl::Error::other("the loop of a test was not found")
}

fn node_of(nodes: &[crate::resolve::Node], test: crate::resolve::OpId) -> Option<&crate::resolve::Node> {
    use crate::resolve::Node;
    nodes.iter().find_map(|node| match node {
        Node::While { op, body, .. } => {
            if *op == test {
                Some(node)
            } else {
                node_of(body, test)
            }
        }
        Node::For { body, .. } => node_of(body, test),
        Node::If { then, els, .. } => node_of(then, test).or_else(|| node_of(els, test)),
        Node::Assign { .. } | Node::Assume { .. } => None,
    })
}

/// The condition of the `while` at this place.
fn while_condition(source: &str, span: Span) -> String {
    let text = source.get(span.start..span.end).unwrap_or("");
    match parse(text).ok().and_then(|ast| ast.body.into_iter().next()).map(|stmt| stmt.kind) {
        Some(StmtKind::While { cond, .. }) => format::expression(&cond),
        _ => String::new(),
    }
}

/// All rewritings of the loops that stand at these places, the likeliest first.
fn rewritings(ast: &Ast, bad: &[Span]) -> Vec<Rewritten> {
    let mut found = Vec::new();
    // Inner loops first: what is wrong with an outer one may only be that.
    let mut bad = bad.to_vec();
    bad.sort_by_key(|span| span.end - span.start);
    for span in &bad {
        let Some(Stmt { kind: StmtKind::While { cond, body, .. }, .. }) = find(&ast.body, *span) else {
            continue;
        };
        let ifs = body.iter().enumerate().filter(|(_, stmt)| matches!(stmt.kind, StmtKind::If { .. }));
        for (at, _) in ifs {
            let Some(parts) = Parts::of(cond, body, at) else { continue };
            let (rotated, split) = match parts.early() {
                true => (parts.rotated(), parts.split()),
                false => (parts.late_rotated(), parts.late()),
            };
            let rotated = rotated.into_iter().map(|(stmts, inner)| (stmts, inner, "rotated", true));
            let split = split.into_iter().map(|(stmts, inner)| (stmts, inner, "split", false));
            for (stmts, inner, how, never_skipped) in rotated.chain(split) {
                let mut next = ast.clone();
                replace(&mut next.body, *span, &mut Some(stmts));
                distinct_labels(&mut next.body, &mut BTreeSet::new());
                let inner = format::expression(&inner);
                let step = format!(
                    "{how} the loop `while {}`: inner loop `while {inner}`",
                    format::expression(cond)
                );
                found.push(Rewritten { ast: next, step, never_skipped, inner });
            }
        }
    }
    found.sort_by_key(|rewritten| !rewritten.never_skipped);
    found
}

/// `while c do P; if g then A else B fi; Q done`, taken apart.
struct Parts<'a> {
    c: &'a Expr,
    p: &'a [Stmt],
    g: &'a Expr,
    a: &'a [Stmt],
    b: &'a [Stmt],
    q: &'a [Stmt],
}

impl<'a> Parts<'a> {
    fn of(c: &'a Expr, body: &'a [Stmt], at: usize) -> Option<Parts<'a>> {
        let StmtKind::If { cond, then, els, .. } = &body[at].kind else { return None };
        let b = els.as_ref().map_or(&[][..], |(_, els)| els.as_slice());
        let parts = Parts { c, p: &body[..at], g: cond, a: then, b, q: &body[at + 1..] };
        body[at].label.is_none().then_some(parts)
    }

    /// Whether `g` means the same before `P` as after it.
    fn early(&self) -> bool {
        disjoint(&assigned(self.p), &names(self.g))
    }

    fn negated(&self) -> Expr {
        Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(self.g.clone())), span: self.g.span }
    }

    /// The test after `P`: `P; while !g do B; Q; P done; A; Q`, with either branch in the inner loop.
    fn late(&self) -> Vec<(Vec<Stmt>, Expr)> {
        let sides = [(self.negated(), self.b, self.a), (self.g.clone(), self.a, self.b)];
        let settled =
            |inside: &[Stmt]| disjoint(&assigned(&joined(&[self.p, inside, self.q])), &names(self.c));
        sides
            .into_iter()
            .filter(|(_, inside, _)| settled(inside))
            .map(|(g, inside, rest)| {
                let inner = looped(g.clone(), joined(&[inside, self.q, self.p]));
                (joined(&[self.p, &[inner], rest, self.q]), g)
            })
            .collect()
    }

    /// The same without a copy of `P`, if one branch does nothing.
    fn late_rotated(&self) -> Vec<(Vec<Stmt>, Expr)> {
        let sides = [(self.negated(), self.b, self.a), (self.g.clone(), self.a, self.b)];
        let quiet = disjoint(&assigned(self.p), &names(self.c)) && self.q.is_empty();
        let idle = sides.into_iter().filter(|(_, inside, _)| quiet && inside.is_empty());
        idle.map(|(g, _, rest)| (joined(&[&[looped(g.clone(), self.p.to_vec())], rest]), g)).collect()
    }

    /// The body of the new outer loop and the inner loop's condition, with either branch in the inner loop.
    fn split(&self) -> Vec<(Vec<Stmt>, Expr)> {
        let not = self.negated();
        [(self.g.clone(), self.a, self.b), (not, self.b, self.a)]
            .into_iter()
            .map(|(g, inside, rest)| {
                let inside = joined(&[self.p, inside, self.q]);
                let rest = joined(&[self.p, rest, self.q]);
                let settled = disjoint(&assigned(&inside), &names(self.c));
                let condition = if settled { g } else { both(self.c.clone(), g) };
                let inner = looped(condition.clone(), inside);
                let rest = if settled { rest } else { vec![guarded(self.c.clone(), rest)] };
                (joined(&[&[inner], &rest]), condition)
            })
            .collect()
    }

    /// The same without a copy of `P` for the last round, where the `if` only moves or resets one variable.
    fn rotated(&self) -> Vec<(Vec<Stmt>, Expr)> {
        let not = self.negated();
        let sides = [(self.g, self.a, self.b), (&not, self.b, self.a)];
        sides.into_iter().filter_map(|(g, step, reset)| self.rotation(g, step, reset)).collect()
    }

    fn rotation(&self, g: &Expr, step: &[Stmt], reset: &[Stmt]) -> Option<(Vec<Stmt>, Expr)> {
        let [Stmt { kind: StmtKind::Assign { target, subscripts, value }, label: None, .. }] = step else {
            return None;
        };
        if !subscripts.is_empty() || !self.q.is_empty() {
            return None;
        }
        let j = &target.name;
        let distance = moved_by(j, value)?;
        let resets = matches!(&reset.first()?.kind, StmtKind::Assign { target, subscripts, value }
            if target.name == *j && subscripts.is_empty() && !names(value).contains(j));
        let inner = loosened(g, j, distance)?;
        let quiet = !assigned(self.p).contains(j)
            && disjoint(&assigned(self.p), &names(g))
            && !names(self.c).contains(j);
        if !resets || !quiet || !disjoint(&assigned(self.p), &names(self.c)) {
            return None;
        }
        let body = joined(&[self.p, step]);
        Some((joined(&[&[looped(inner.clone(), body)], reset]), inner))
    }
}

/// `d` if the value is `j + d` or `j - d`.
fn moved_by(j: &str, value: &Expr) -> Option<i64> {
    let ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), left, right) = &value.kind else { return None };
    match (&left.kind, &right.kind) {
        (ExprKind::Var(name), ExprKind::Int(d)) if name == j => Some(if *op == BinOp::Add { *d } else { -d }),
        (ExprKind::Int(d), ExprKind::Var(name)) if name == j && *op == BinOp::Add => Some(*d),
        _ => None,
    }
}

/// The bound on `j` before the step that holds after it: `j < e` becomes `j < e + d`.
fn loosened(g: &Expr, j: &str, distance: i64) -> Option<Expr> {
    let (op, left, right, negated) = match &g.kind {
        ExprKind::Binary(op, left, right) => (*op, left, right, false),
        ExprKind::Unary(UnOp::Not, inner) => match &inner.kind {
            ExprKind::Binary(op, left, right) => (*op, left, right, true),
            _ => return None,
        },
        _ => return None,
    };
    let op = if negated { opposite(op)? } else { op };
    let is_j = |e: &Expr| matches!(&e.kind, ExprKind::Var(name) if name == j);
    // Bring it to `j op e`.
    let (op, bound) = if is_j(left) {
        (op, right)
    } else if is_j(right) {
        (mirrored(op)?, left)
    } else {
        return None;
    };
    let upward = matches!(op, BinOp::Lt | BinOp::Le) && distance > 0;
    let downward = matches!(op, BinOp::Gt | BinOp::Ge) && distance < 0;
    if !(upward || downward) || names(bound).contains(j) {
        return None;
    }
    // j < e and a step of 1 reads better as j <= e.
    let (op, shift) = match (op, distance) {
        (BinOp::Lt, 1) => (BinOp::Le, 0),
        (BinOp::Gt, -1) => (BinOp::Ge, 0),
        (op, distance) => (op, distance),
    };
    let bound = if shift == 0 { (**bound).clone() } else { shifted(bound, shift) };
    let var = Expr { kind: ExprKind::Var(j.to_string()), span: g.span };
    Some(Expr { kind: ExprKind::Binary(op, Box::new(var), Box::new(bound)), span: g.span })
}

fn shifted(bound: &Expr, by: i64) -> Expr {
    let (op, size) = if by < 0 { (BinOp::Sub, -by) } else { (BinOp::Add, by) };
    let size = Expr { kind: ExprKind::Int(size), span: bound.span };
    Expr { kind: ExprKind::Binary(op, Box::new(bound.clone()), Box::new(size)), span: bound.span }
}

fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        _ => return None,
    })
}

fn mirrored(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        BinOp::Eq | BinOp::Ne => op,
        _ => return None,
    })
}

fn joined(parts: &[&[Stmt]]) -> Vec<Stmt> {
    parts.concat()
}

fn both(left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr { kind: ExprKind::Binary(BinOp::And, Box::new(left), Box::new(right)), span }
}

fn looped(cond: Expr, body: Vec<Stmt>) -> Stmt {
    let none = Span::default();
    Stmt { label: None, kind: StmtKind::While { cond, do_word: none, body, end: none }, span: none }
}

fn guarded(cond: Expr, then: Vec<Stmt>) -> Stmt {
    let none = Span::default();
    Stmt { label: None, kind: StmtKind::If { cond, then_word: none, then, els: None, end: none }, span: none }
}

fn find(block: &[Stmt], span: Span) -> Option<&Stmt> {
    block.iter().find_map(|stmt| {
        if stmt.span == span {
            return Some(stmt);
        }
        match &stmt.kind {
            StmtKind::If { then, els, .. } => {
                find(then, span).or_else(|| els.as_ref().and_then(|(_, els)| find(els, span)))
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => find(body, span),
            _ => None,
        }
    })
}

/// Gives the loop at this place another body.
fn replace(block: &mut [Stmt], span: Span, body: &mut Option<Vec<Stmt>>) {
    for stmt in block {
        let here = stmt.span == span;
        match &mut stmt.kind {
            StmtKind::While { body: old, .. } if here => {
                if let Some(body) = body.take() {
                    *old = body;
                }
                return;
            }
            StmtKind::If { then, els, .. } => {
                replace(then, span, body);
                if let Some((_, els)) = els {
                    replace(els, span, body);
                }
            }
            StmtKind::While { body: inner, .. } | StmtKind::For { body: inner, .. } => {
                replace(inner, span, body)
            }
            _ => {}
        }
    }
}

/// A copy of a labelled statement gets a label of its own: `s`, `s_2`, `s_3`.
fn distinct_labels(block: &mut [Stmt], seen: &mut BTreeSet<String>) {
    for stmt in block {
        if let Some(label) = &mut stmt.label {
            let stem = label.name.clone();
            let mut copy = 2;
            while !seen.insert(label.name.clone()) {
                label.name = format!("{stem}_{copy}");
                copy += 1;
            }
        }
        match &mut stmt.kind {
            StmtKind::If { then, els, .. } => {
                distinct_labels(then, seen);
                if let Some((_, els)) = els {
                    distinct_labels(els, seen);
                }
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => distinct_labels(body, seen),
            _ => {}
        }
    }
}

/// The names in an expression, arrays included.
fn names(expr: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(expr, &mut found);
    found
}

fn collect(expr: &Expr, found: &mut BTreeSet<String>) {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) => {}
        ExprKind::Var(name) => {
            found.insert(name.clone());
        }
        ExprKind::Index(name, subscripts) => {
            found.insert(name.name.clone());
            subscripts.iter().for_each(|s| collect(s, found));
        }
        ExprKind::Unary(_, operand) => collect(operand, found),
        ExprKind::Binary(_, left, right) => {
            collect(left, found);
            collect(right, found);
        }
    }
}

/// The variables that statements assign, arrays included.
fn assigned(block: &[Stmt]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for stmt in block {
        match &stmt.kind {
            StmtKind::Assign { target, .. } => {
                found.insert(target.name.clone());
            }
            StmtKind::If { then, els, .. } => {
                found.extend(assigned(then));
                found.extend(els.iter().flat_map(|(_, els)| assigned(els)));
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => found.extend(assigned(body)),
            StmtKind::Skip | StmtKind::Assume(_) => {}
        }
    }
    found
}

fn disjoint(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    one.is_disjoint(other)
}

/// How many operations a comparison runs.
const COMPARED: usize = 3_000;

/// Runs both programs on small parameter values within their ranges: on how many they do the same, or the first values
/// on which they do not.
pub fn same_on_small_values(one: &Program, other: &Program) -> Result<usize, String> {
    let mut compared = 0;
    for (start, step) in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (1, 1), (5, -1), (2, 3), (-1, 0)] {
        let value = |at: usize| start + step * at as i64;
        let values = one.params.iter().enumerate().map(|(at, param)| (param.name.clone(), value(at)));
        let inputs = Inputs { values: values.collect(), seed: Some(1) };
        match equivalent(one, other, &inputs, COMPARED) {
            Ok(true) => compared += 1,
            Ok(false) => {
                let shown = inputs.values.iter().map(|(name, value)| format!("{name}={value}"));
                return Err(shown.collect::<Vec<_>>().join(","));
            }
            // Not within the ranges.
            Err(_) => {}
        }
    }
    Ok(compared)
}

/// Runs both programs and compares what they do with arrays: the same accesses in the same order, the same values at the
/// end. Of a run that reaches the limit, which it does not in both programs at the same place, the accesses so far count.
pub fn equivalent(one: &Program, other: &Program, inputs: &Inputs, limit: usize) -> Result<bool, Diagnostic> {
    let (one, other) = (behaviour(one, inputs, limit)?, behaviour(other, inputs, limit)?);
    if one.ended && other.ended {
        return Ok(one.events == other.events && one.contents == other.contents);
    }
    let known = one.events.len().min(other.events.len());
    Ok(one.events[..known] == other.events[..known])
}

/// An access: whether it writes, the array, the subscripts.
type Event = (bool, String, Vec<i64>);
/// The values of array cells.
type Contents = BTreeMap<(String, Vec<i64>), i64>;

/// What a run did with arrays.
struct Behaviour {
    events: Vec<Event>,
    contents: Contents,
    ended: bool,
}

fn behaviour(program: &Program, inputs: &Inputs, limit: usize) -> Result<Behaviour, Diagnostic> {
    let outcome = run(program, inputs, limit)?;
    let trace = &outcome.trace;
    let named = |cell| {
        let (var, index) = trace.cell(cell);
        (program.vars[var.index()].name.clone(), index.to_vec())
    };
    let is_array = |cell| program.vars[trace.cell(cell).0.index()].arity > 0;
    let mut events = Vec::new();
    let mut contents = BTreeMap::new();
    for now in 0..trace.len() as u32 {
        let reads = trace.reads(now).iter().map(|read| (false, read.cell));
        let accesses = reads.chain(trace.write(now).map(|write| (true, write.cell)));
        for (writes, cell) in accesses.filter(|(_, cell)| is_array(*cell)) {
            let (name, index) = named(cell);
            events.push((writes, name.clone(), index.clone()));
            contents.insert((name, index), outcome.values[cell.index()]);
        }
    }
    Ok(Behaviour { events, contents, ended: outcome.ending != Ending::Limit })
}
