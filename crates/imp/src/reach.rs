//! Which operations happen, and in which state: the reach of every statement.
//!
//! The *state* is the tuple of scalars that steer the program (those in conditions, bounds and subscripts,
//! and those they are computed from) and of loop counters. The *reach* of a statement is the relation
//! `{ [t] -> [x] }` between the rounds `t` of the loops around it (outermost first; component `k` of the
//! iteration vector is `position + stride * t`, see [`crate::resolve`]) and the state `x` in which it runs.
//!
//! The program is walked once. Assignments, conditions and branches act on the state as in the semantics;
//! a loop applies the closure of its round ([`crate::closure`]), which adds one component to `t`. A loop's
//! round is found by walking its body from the identity relation.
//!
//! Where a loop has no exact closure, an invariant of its head ([`crate::invariant`]) bounds the states further.
//!
//! **What "exact" means.** `why` is `None` iff the domain of the relation is exactly the set of rounds in
//! which the statement runs, for all parameters, and the values of the *known* variables are exactly those
//! they have. A variable is *unknown* after it was given a value that is not affine, or under a condition that is
//! not; its dimension is then free (or bounded), and a condition that looks at it is not exact. A statement whose reach
//! is not exact may run in fewer rounds than the relation says, never in others: for all rounds in which it does
//! run, the state is in the relation. Both claims are for runs that end neither in a fault (overflow, division by zero)
//! nor by a limit: such a run is a prefix of what is described.
//!
//! Branches under a condition that is not affine do not spoil what follows them if they only assign and loop a known number of
//! times: the scalars they assign become unknown, the rest stays exact.
//!
//! Example (Figure 3): the state is `[i]`; the loop's round is `{ [i] -> [i + 1] : i <= n }`; the reach of
//! `c[i] := c[i - 1] + 1` is `{ [t] -> [i = 1 + t] : 0 <= t < n }`.

use crate::affine::{Layout, MAX_STATE, StateVar};
use crate::closure::Builder;
use crate::diag::Span;
use crate::resolve::*;
use isl::{Ctx, DimType, Map, Result, Set};
use std::collections::{BTreeSet, HashMap};

/// Why a relation is not exact, and where that comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The reason.
    pub reason: String,
    /// The place in the program.
    pub span: Span,
}

/// A relation `{ [t] -> [x] }`, how far its variables are known, and why it is not exact.
#[derive(Clone, Debug)]
pub struct Reach {
    /// `{ [t] -> [x] }`.
    pub map: Map,
    /// The state variables whose values are not known.
    pub unknown: u64,
    /// The state variables whose values nothing looks at any more: they stand at 0, whatever they are.
    pub dead: u64,
    /// Why the domain may be too large.
    pub why: Option<Why>,
}

/// The reach of every statement, and what is needed to speak about it.
pub struct Reaches<'p> {
    /// The program.
    pub program: &'p Program,
    /// The context of all relations.
    pub ctx: Ctx,
    /// The state.
    pub layout: Layout,
    /// By statement.
    pub of: Vec<Reach>,
    /// What is assumed of the parameters.
    pub context: Set,
    /// By loop: why its rounds have no exact closure (in some context in which it was needed).
    pub loops: Vec<Option<Why>>,
    /// How much work each step may do, for a program of this size.
    pub budget: Budget,
}

/// How much work an analysis may do, in isl operations. What does not fit is over-approximated, and says so.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// For one method of finding a loop's closure.
    pub closure: u64,
    /// For all reaches together.
    pub reach: u64,
    /// For the dependences of one access.
    pub dependence: u64,
    /// For all dependences together.
    pub flow: u64,
    /// For putting results into the user's words: all of them together.
    pub words: u64,
    /// The most disjuncts that an over-approximated relation keeps.
    pub disjuncts: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            closure: 100_000,
            reach: 2_000_000,
            dependence: 500_000,
            flow: 5_000_000,
            words: 5_000_000,
            disjuncts: 4,
        }
    }
}

impl Budget {
    /// The budget for a program of this size: one of isl's operations on many dimensions takes as long as many on few.
    fn sized(self, program: &Program, layout: &Layout) -> Budget {
        let depth = program.ops.iter().map(|op| op.loops().count()).max().unwrap_or(0);
        let dimensions = (layout.len() + depth + layout.all_params().count()) as u64;
        let share = |operations: u64| operations * FEW * FEW / dimensions.max(FEW).pow(2);
        Budget {
            closure: share(self.closure),
            reach: share(self.reach),
            dependence: share(self.dependence),
            flow: share(self.flow),
            words: share(self.words),
            disjuncts: self.disjuncts,
        }
    }
}

/// So many dimensions (state, rounds and parameters) are few.
const FEW: u64 = 24;

/// Computes the reach of every statement.
pub fn reaches<'p>(program: &'p Program, budget: Budget) -> Result<Reaches<'p>> {
    let ctx = Ctx::new();
    let layout = layout(program);
    let budget = budget.sized(program, &layout);
    let context = parameter_context(program, &layout, &ctx)?;
    let mut walker = Walker {
        program,
        layout: &layout,
        ctx: &ctx,
        params: layout.param_tuple(),
        prefix: layout.fresh("c"),
        budget,
        closures: HashMap::new(),
        of: vec![None; program.ops.len()],
        overflowing: too_many(program, &layout),
    };
    let outcome = ctx.with_budget(budget.reach, || walker.start(&context));
    match outcome {
        Ok(()) => {}
        // What was recorded so far is right; the rest is unknown.
        Err(error) if error.is_budget() => {}
        Err(error) => return Err(error),
    }
    let mut loops = vec![None; program.loops.len()];
    for ((of, _), closed) in &walker.closures {
        let why: &mut Option<Why> = &mut loops[of.index()];
        *why = why.take().or_else(|| closed.why.clone());
    }
    let mut of = walker.of;
    let mut whole = Vec::new();
    for (at, reach) in of.drain(..).enumerate() {
        whole.push(match reach {
            Some(reach) => reach,
            None => anything(program, &layout, &ctx, OpId(at as u32))?,
        });
    }
    Ok(Reaches { program, ctx, layout, of: whole, context, loops, budget })
}

/// What is known of a statement about which nothing is known: it may run in any round, in any state.
fn anything(program: &Program, layout: &Layout, ctx: &Ctx, op: OpId) -> Result<Reach> {
    let rounds: Vec<String> =
        (0..program.ops[op.index()].loops().count()).map(|k| layout.fresh(&format!("t{k}"))).collect();
    let bounds: Vec<String> = rounds.iter().map(|t| format!("{t} >= 0")).collect();
    let bounds = if bounds.is_empty() { "0 = 0".to_string() } else { bounds.join(" and ") };
    let text =
        format!("{}{{ [{}] -> [{}] : {bounds} }}", layout.param_tuple(), rounds.join(", "), layout.tuple());
    let why = Why {
        reason: "the work budget was spent before this statement".into(),
        span: program.ops[op.index()].span,
    };
    Ok(Reach { map: ctx.parse(&text)?, unknown: u64::MAX, dead: 0, why: Some(why) })
}

/// Whether there are more steering scalars than are followed.
fn too_many(program: &Program, layout: &Layout) -> bool {
    let followed = layout.vars.iter().filter(|var| matches!(var, StateVar::Scalar(_))).count();
    steering(program).len() > followed
}

/// The scalars in conditions, bounds and subscripts, and those they are computed from.
fn steering(program: &Program) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    seeds(&program.body, &mut found);
    loop {
        let before = found.len();
        sources(&program.body, &mut found);
        if found.len() == before {
            return found;
        }
    }
}

fn scalars(expr: &RExpr, found: &mut BTreeSet<VarId>) {
    match expr {
        RExpr::Scalar { var, .. } => {
            found.insert(*var);
        }
        RExpr::Cell { subscripts, .. } => subscripts.iter().for_each(|s| scalars(s, found)),
        RExpr::Neg(operand) | RExpr::Not(operand) => scalars(operand, found),
        RExpr::Bin(_, left, right) => {
            scalars(left, found);
            scalars(right, found);
        }
        RExpr::Int(_) | RExpr::Bool(_) | RExpr::Param(_) | RExpr::Counter(_) => {}
    }
}

/// The scalars in the subscripts of an expression.
fn subscript_scalars(expr: &RExpr, found: &mut BTreeSet<VarId>) {
    match expr {
        RExpr::Cell { subscripts, .. } => subscripts.iter().for_each(|s| scalars(s, found)),
        RExpr::Neg(operand) | RExpr::Not(operand) => subscript_scalars(operand, found),
        RExpr::Bin(_, left, right) => {
            subscript_scalars(left, found);
            subscript_scalars(right, found);
        }
        _ => {}
    }
}

fn seeds(nodes: &[Node], found: &mut BTreeSet<VarId>) {
    for node in nodes {
        match node {
            Node::Assign { subscripts, value, .. } => {
                subscripts.iter().for_each(|s| scalars(s, found));
                subscript_scalars(value, found);
            }
            Node::Assume { cond, .. } => scalars(cond, found),
            Node::If { cond, then, els, .. } => {
                scalars(cond, found);
                seeds(then, found);
                seeds(els, found);
            }
            Node::While { cond, body, .. } => {
                scalars(cond, found);
                seeds(body, found);
            }
            Node::For { from, to, body, .. } => {
                scalars(from, found);
                scalars(to, found);
                seeds(body, found);
            }
        }
    }
}

fn sources(nodes: &[Node], found: &mut BTreeSet<VarId>) {
    for node in nodes {
        match node {
            Node::Assign { var, subscripts, value, .. } => {
                if subscripts.is_empty() && found.contains(var) {
                    scalars(value, found);
                }
            }
            Node::Assume { .. } => {}
            Node::If { then, els, .. } => {
                sources(then, found);
                sources(els, found);
            }
            Node::While { body, .. } | Node::For { body, .. } => sources(body, found),
        }
    }
}

/// The scalars assigned somewhere in the nodes.
fn assigned(nodes: &[Node], found: &mut BTreeSet<VarId>) {
    for node in nodes {
        match node {
            Node::Assign { var, subscripts, .. } => {
                if subscripts.is_empty() {
                    found.insert(*var);
                }
            }
            Node::Assume { .. } => {}
            Node::If { then, els, .. } => {
                assigned(then, found);
                assigned(els, found);
            }
            Node::While { body, .. } | Node::For { body, .. } => assigned(body, found),
        }
    }
}

fn layout(program: &Program) -> Layout {
    let steering = steering(program);
    let mut vars: Vec<StateVar> = steering.iter().map(|var| StateVar::Scalar(*var)).collect();
    vars.extend((0..program.counters.len()).map(|k| StateVar::Counter(CounterId(k as u32))));
    moving_bounds(&program.body, &mut vars);
    vars.truncate(MAX_STATE);
    let mut observed = BTreeSet::new();
    first_reads(&program.body, &mut BTreeSet::new(), &mut observed);
    let inputs: Vec<VarId> = observed.intersection(&steering).copied().collect();
    Layout::new(program, vars, &inputs)
}

/// Loops whose bound is computed from scalars that the body changes need to remember it.
fn moving_bounds(nodes: &[Node], vars: &mut Vec<StateVar>) {
    for node in nodes {
        match node {
            Node::If { then, els, .. } => {
                moving_bounds(then, vars);
                moving_bounds(els, vars);
            }
            Node::While { body, .. } => moving_bounds(body, vars),
            Node::For { of, to, body, .. } => {
                if bound_moves(to, body) {
                    vars.push(StateVar::Bound(*of));
                }
                moving_bounds(body, vars);
            }
            Node::Assign { .. } | Node::Assume { .. } => {}
        }
    }
}

/// Whether the body assigns a scalar that the bound is computed from.
fn bound_moves(to: &RExpr, body: &[Node]) -> bool {
    let (mut used, mut changed) = (BTreeSet::new(), BTreeSet::new());
    scalars(to, &mut used);
    assigned(body, &mut changed);
    !used.is_disjoint(&changed)
}

/// The scalars that may be read before they are written. `written` are those certainly written so far.
fn first_reads(nodes: &[Node], written: &mut BTreeSet<VarId>, observed: &mut BTreeSet<VarId>) {
    let look = |expr: &RExpr, written: &BTreeSet<VarId>, observed: &mut BTreeSet<VarId>| {
        let mut used = BTreeSet::new();
        scalars(expr, &mut used);
        observed.extend(used.difference(written));
    };
    for node in nodes {
        match node {
            Node::Assign { var, subscripts, value, .. } => {
                subscripts.iter().for_each(|s| look(s, written, observed));
                look(value, written, observed);
                if subscripts.is_empty() {
                    written.insert(*var);
                }
            }
            Node::Assume { cond, .. } => look(cond, written, observed),
            Node::If { cond, then, els, .. } => {
                look(cond, written, observed);
                let (mut one, mut other) = (written.clone(), written.clone());
                first_reads(then, &mut one, observed);
                first_reads(els, &mut other, observed);
                *written = one.intersection(&other).copied().collect();
            }
            Node::While { cond, body, .. } => {
                look(cond, written, observed);
                first_reads(body, &mut written.clone(), observed);
            }
            Node::For { from, to, body, .. } => {
                look(from, written, observed);
                look(to, written, observed);
                first_reads(body, &mut written.clone(), observed);
            }
        }
    }
}

fn parameter_context(program: &Program, layout: &Layout, ctx: &Ctx) -> Result<Set> {
    let conditions: Vec<String> =
        program.assumptions.iter().map(|a| format!("({})", layout.condition(a, true).text)).collect();
    let text = if conditions.is_empty() { "0 = 0".to_string() } else { conditions.join(" and ") };
    ctx.parse(&format!("{}{{ : {text} }}", layout.param_tuple()))
}

struct Walker<'p, 'a> {
    program: &'p Program,
    layout: &'a Layout,
    ctx: &'a Ctx,
    params: String,
    prefix: String,
    budget: Budget,
    /// By loop and by the variables unknown at its head.
    closures: HashMap<(LoopId, u64), Closed>,
    of: Vec<Option<Reach>>,
    overflowing: bool,
}

/// The closure of a loop.
#[derive(Clone)]
struct Closed {
    /// `{ [x] -> [k, x'] }`.
    map: Map,
    /// `{ [x] -> [x'] }`: one round.
    round: Map,
    why: Option<Why>,
}

/// What the walk is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Record the reach of every statement; the domain is `[t]`.
    Record,
    /// Only find the effect; the domain is the state at the start.
    Effect,
}

/// A loop, `for` or `while`, with its condition over the state.
struct LoopParts<'p> {
    of: LoopId,
    body: &'p [Node],
    holds: crate::affine::Formula,
    fails: crate::affine::Formula,
    span: Span,
    /// The counter's dimension and step.
    counter: Option<(usize, i64)>,
    /// The scalars whose values matter at its head.
    live: u64,
}

impl<'p> Walker<'p, '_> {
    fn start(&mut self, context: &Set) -> Result<()> {
        let initial: Vec<String> = self.layout.vars.iter().map(|var| self.first_value(var)).collect();
        let map = self.map(&format!("[] -> [{}]", initial.join(", ")))?.intersect_params(context.clone())?;
        let why = self.context_why();
        self.block(&self.program.body, Reach { map, unknown: 0, dead: 0, why }, Mode::Record, 0)?;
        Ok(())
    }

    /// Assumptions on parameters that are not affine were dropped; a scalar too many is not followed.
    fn context_why(&self) -> Option<Why> {
        let span = Span::default();
        let dropped = self.program.assumptions.iter().find_map(|a| self.layout.condition(a, true).why);
        let dropped = dropped.map(|reason| Why { reason: format!("a parameter's range has {reason}"), span });
        let limit = || Why { reason: format!("more than {MAX_STATE} scalars steer the program"), span };
        dropped.or_else(|| self.overflowing.then(limit))
    }

    /// The value of a state variable before the program starts; any constant will do if nobody sees it.
    fn first_value(&self, var: &StateVar) -> String {
        match var {
            StateVar::Scalar(id) => {
                let input = self.layout.inputs.iter().find(|(input, _)| input == id);
                input.map_or_else(|| "0".to_string(), |(_, name)| name.clone())
            }
            _ => "0".to_string(),
        }
    }

    fn map(&self, text: &str) -> Result<Map> {
        self.ctx.parse(&format!("{}{{ {text} }}", self.params))
    }

    fn states(&self, formula: &str) -> Result<Set> {
        self.ctx.parse(&format!("{}{{ [{}] : {formula} }}", self.params, self.layout.tuple()))
    }

    fn span(&self, op: OpId) -> Span {
        self.program.ops[op.index()].span
    }

    fn record(&mut self, op: OpId, reach: &Reach, mode: Mode) {
        if mode == Mode::Record {
            self.of[op.index()] = Some(reach.clone());
        }
    }

    /// An over-approximation need not be precise to the last disjunct: beyond a few, their hull is taken.
    fn trimmed(&self, reach: Reach) -> Result<Reach> {
        if reach.why.is_none() || reach.map.n_basic_map()? <= self.budget.disjuncts {
            return Ok(reach);
        }
        Ok(Reach { map: Map::from_basic_map(reach.map.simple_hull()?)?, ..reach })
    }

    /// The nodes in turn; `live` are the scalars that what follows them looks at.
    fn block(&mut self, nodes: &'p [Node], mut reach: Reach, mode: Mode, live: u64) -> Result<Reach> {
        let mut after = vec![live];
        for node in nodes.iter().rev() {
            let last = after.last().copied().unwrap_or(live);
            after.push(self.live_before(node, last));
        }
        after.pop();
        for node in nodes {
            let live = after.pop().unwrap_or(live);
            reach = self.node(node, reach, mode, live)?;
            reach = self.buried(reach, live)?;
            reach = self.trimmed(reach)?;
        }
        Ok(reach)
    }

    /// Puts the scalars that nothing looks at any more to 0: what an inner loop left behind would otherwise
    /// be carried through every round of the outer one.
    fn buried(&self, reach: Reach, live: u64) -> Result<Reach> {
        let dead = self.scalar_mask() & !live;
        if dead & !reach.dead == 0 {
            return Ok(reach);
        }
        let after = |k: usize| if dead & (1 << k) != 0 { "0".to_string() } else { self.layout.name(k) };
        let after: Vec<String> = (0..self.layout.len()).map(after).collect();
        let update = self.map(&format!("[{}] -> [{}]", self.layout.tuple(), after.join(", ")))?;
        Ok(Reach { map: reach.map.apply_range(update)?.coalesce()?, dead, ..reach })
    }

    fn scalar_mask(&self) -> u64 {
        let scalar = |(_, var): &(usize, &StateVar)| matches!(var, StateVar::Scalar(_));
        self.layout.vars.iter().enumerate().filter(scalar).fold(0, |mask, (k, _)| mask | 1 << k)
    }

    fn mask(&self, scalars: &BTreeSet<VarId>) -> u64 {
        scalars.iter().filter_map(|var| self.layout.scalar(*var)).fold(0, |mask, k| mask | 1 << k)
    }

    fn looks_at(&self, expr: &RExpr) -> u64 {
        let mut found = BTreeSet::new();
        scalars(expr, &mut found);
        self.mask(&found)
    }

    /// The scalars whose values matter before the nodes, if `live` matter after them.
    fn live_block(&self, nodes: &[Node], live: u64) -> u64 {
        nodes.iter().rev().fold(live, |live, node| self.live_before(node, live))
    }

    fn live_before(&self, node: &Node, live: u64) -> u64 {
        match node {
            Node::Assign { var, subscripts, value, .. } => {
                let mut found = BTreeSet::new();
                subscripts.iter().for_each(|s| scalars(s, &mut found));
                let target = self.layout.scalar(*var).filter(|_| subscripts.is_empty());
                match target {
                    Some(_) => scalars(value, &mut found),
                    None => subscript_scalars(value, &mut found),
                }
                target.map_or(live, |at| live & !(1 << at)) | self.mask(&found)
            }
            Node::Assume { cond, .. } => live | self.looks_at(cond),
            Node::If { cond, then, els, .. } => {
                self.looks_at(cond) | self.live_block(then, live) | self.live_block(els, live)
            }
            Node::While { cond, body, .. } => self.live_at_head(self.looks_at(cond), body, live),
            Node::For { from, to, body, .. } => {
                self.looks_at(from) | self.live_at_head(self.looks_at(to), body, live)
            }
        }
    }

    /// The scalars whose values matter at the head of a loop.
    fn live_at_head(&self, condition: u64, body: &[Node], after: u64) -> u64 {
        let mut live = condition | after;
        loop {
            let next = live | self.live_block(body, live);
            if next == live {
                return live;
            }
            live = next;
        }
    }

    fn node(&mut self, node: &'p Node, reach: Reach, mode: Mode, live: u64) -> Result<Reach> {
        match node {
            Node::Assign { op, var, subscripts, value } => {
                self.record(*op, &reach, mode);
                match self.layout.scalar(*var).filter(|_| subscripts.is_empty()) {
                    Some(at) => self.assign(reach, at, value),
                    None => Ok(reach),
                }
            }
            Node::Assume { op, cond } => {
                self.record(*op, &reach, mode);
                self.restrict(reach, cond, true, self.span(*op))
            }
            Node::If { op, cond, then, els } => {
                self.record(*op, &reach, mode);
                self.branches(reach, *op, cond, (then, els), mode, live)
            }
            Node::While { op, of, cond, body } => {
                let holds = self.layout.condition(cond, true);
                let fails = self.layout.condition(cond, false);
                let head = self.live_at_head(self.looks_at(cond), body, live);
                let parts = LoopParts {
                    of: *of,
                    body,
                    holds,
                    fails,
                    span: self.span(*op),
                    counter: None,
                    live: head,
                };
                let after = self.run_loop(reach.clone(), &parts, Some(*op), mode)?;
                self.simplest(after, reach, self.assigned_mask(body), live)
            }
            Node::For { op, of, counter, from, to, step, body } => {
                self.record(*op, &reach, mode);
                self.for_loop(reach, (*op, *of, *counter), (from, to, *step), body, (mode, live))
            }
        }
    }

    /// The state after `x := value`.
    fn assign(&self, reach: Reach, at: usize, value: &RExpr) -> Result<Reach> {
        let affine = self.layout.integer(value).ok();
        let known = affine.as_ref().is_some_and(|a| a.used & reach.unknown == 0);
        let (result, bounds) = match affine {
            Some(affine) => (affine.text, String::new()),
            None => self.any_value(value),
        };
        let mut after: Vec<String> = (0..self.layout.len()).map(|k| self.layout.name(k)).collect();
        after[at] = result;
        let update = self.map(&format!("[{}] -> [{}]{bounds}", self.layout.tuple(), after.join(", ")))?;
        let bit = 1u64 << at;
        let unknown = if known { reach.unknown & !bit } else { reach.unknown | bit };
        Ok(Reach { map: reach.map.apply_range(update)?, unknown, dead: reach.dead & !bit, why: reach.why })
    }

    /// A fresh name for a value that is not affine, and what can be said about it.
    fn any_value(&self, value: &RExpr) -> (String, String) {
        let name = self.layout.fresh("w");
        let bounds = crate::relax::bounds(self.layout, value, &name);
        let text = if bounds.is_empty() { String::new() } else { format!(" : {}", bounds.join(" and ")) };
        (name, text)
    }

    /// The states in which the condition has the value `wanted`.
    fn restrict(&self, reach: Reach, cond: &RExpr, wanted: bool, span: Span) -> Result<Reach> {
        let formula = self.layout.condition(cond, wanted);
        let why = reach.why.clone().or_else(|| self.doubt(&formula, reach.unknown, span));
        let map = reach.map.clone().intersect_range(self.states(&formula.text)?)?;
        Ok(Reach { map, why, ..reach })
    }

    /// Why a formula does not decide what it stands for.
    fn doubt(&self, formula: &crate::affine::Formula, unknown: u64, span: Span) -> Option<Why> {
        if let Some(reason) = &formula.why {
            return Some(Why { reason: format!("the condition depends on {reason}"), span });
        }
        let names = (0..self.layout.len())
            .filter(|k| formula.used & unknown & (1 << k) != 0)
            .map(|k| self.var_name(k));
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| Why {
            reason: format!("the condition depends on {}, whose value is not affine", names.join(", ")),
            span,
        })
    }

    /// What the user calls a state variable.
    fn var_name(&self, at: usize) -> String {
        match self.layout.vars[at] {
            StateVar::Scalar(id) => format!("`{}`", self.program.vars[id.index()].name),
            StateVar::Counter(id) => format!("`{}`", self.program.counters[id.index()].name),
            StateVar::Bound(_) => "a loop bound".to_string(),
        }
    }

    fn branches(
        &mut self,
        reach: Reach,
        op: OpId,
        cond: &RExpr,
        (then, els): (&'p [Node], &'p [Node]),
        mode: Mode,
        live: u64,
    ) -> Result<Reach> {
        let span = self.span(op);
        let (before_unknown, before_why) = (reach.unknown, reach.why.clone());
        let yes = self.restrict(reach.clone(), cond, true, span)?;
        let no = self.restrict(reach.clone(), cond, false, span)?;
        let doubtful = before_why.is_none() && (yes.why.is_some() || no.why.is_some());
        let yes = self.block(then, yes, mode, live)?;
        let no = self.block(els, no, mode, live)?;
        let (yes, no) = (self.buried(yes, live)?, self.buried(no, live)?);
        let dead = yes.dead & no.dead;
        let map = yes.map.union(no.map)?.coalesce()?;
        let mut unknown = yes.unknown | no.unknown;
        let mut why = yes.why.or(no.why);
        let mut map = map;
        if doubtful && self.always_ends(then, before_unknown) && self.always_ends(els, before_unknown) {
            // Either branch runs through: only what it assigns is in doubt. The rounds and all other values are those
            // from before the branches, whatever was made of them inside.
            let touched = self.assigned_mask(then) | self.assigned_mask(els);
            let before = self.buried(self.freed(reach, touched)?, live)?;
            map = map.intersect(before.map)?;
            unknown |= touched | before_unknown;
            why = None;
        } else {
            let touched = self.assigned_mask(then) | self.assigned_mask(els);
            return self.simplest(Reach { map, unknown, dead, why }, reach, touched, live);
        }
        Ok(Reach { map, unknown, dead, why })
    }

    /// What was before, if nothing that matters has changed since: a union of branches or of numbers of rounds may
    /// describe the same in a hundred pieces.
    fn simplest(&self, after: Reach, before: Reach, touched: u64, live: u64) -> Result<Reach> {
        if touched & live != 0 || after.why.is_some() || before.why.is_some() {
            return Ok(after);
        }
        let (after, before) = (self.buried(after, live)?, self.buried(before, live)?);
        let same = after.map.is_equal(&before.map)?;
        Ok(if same { Reach { map: before.map, ..after } } else { after })
    }

    /// The same with any values for these variables.
    fn freed(&self, reach: Reach, vars: u64) -> Result<Reach> {
        let after = |k: usize| {
            if vars & (1 << k) != 0 { self.layout.fresh(&format!("f{k}")) } else { self.layout.name(k) }
        };
        let after: Vec<String> = (0..self.layout.len()).map(after).collect();
        let update = self.map(&format!("[{}] -> [{}]", self.layout.tuple(), after.join(", ")))?;
        Ok(Reach { map: reach.map.apply_range(update)?, dead: reach.dead & !vars, ..reach })
    }

    /// Whether the nodes run to their end whatever happens: no `while`, no `assume`, and `for` loops only with bounds
    /// that are known.
    fn always_ends(&self, nodes: &[Node], unknown: u64) -> bool {
        let unknown = unknown | self.assigned_mask(nodes);
        nodes.iter().all(|node| match node {
            Node::Assign { .. } => true,
            Node::Assume { .. } | Node::While { .. } => false,
            Node::If { then, els, .. } => self.always_ends(then, unknown) && self.always_ends(els, unknown),
            Node::For { from, to, body, .. } => {
                let known = |e: &RExpr| self.layout.integer(e).is_ok_and(|a| a.used & unknown == 0);
                known(from) && known(to) && self.always_ends(body, unknown)
            }
        })
    }

    fn assigned_mask(&self, nodes: &[Node]) -> u64 {
        let mut found = BTreeSet::new();
        assigned(nodes, &mut found);
        found.iter().filter_map(|var| self.layout.scalar(*var)).fold(0, |mask, k| mask | 1 << k)
    }

    /// The counters and remembered bounds of the loops in the nodes.
    fn inner_mask(&self, nodes: &[Node]) -> u64 {
        nodes.iter().fold(0, |mask, node| match node {
            Node::Assign { .. } | Node::Assume { .. } => mask,
            Node::If { then, els, .. } => mask | self.inner_mask(then) | self.inner_mask(els),
            Node::While { body, .. } => mask | self.inner_mask(body),
            Node::For { of, counter, body, .. } => {
                let own = [self.layout.counter(*counter), self.layout.bound(*of)];
                own.into_iter().flatten().fold(mask | self.inner_mask(body), |mask, at| mask | 1 << at)
            }
        })
    }

    fn for_loop(
        &mut self,
        reach: Reach,
        (op, of, counter): (OpId, LoopId, CounterId),
        (from, to, step): (&RExpr, &RExpr, i64),
        body: &'p [Node],
        (mode, live): (Mode, u64),
    ) -> Result<Reach> {
        let (before, live_after) = (reach.clone(), live);
        let live = self.live_at_head(self.looks_at(to), body, live);
        let Some(at) = self.layout.counter(counter) else {
            // More counters than are followed: nothing is known of the rounds.
            let anything = crate::affine::Formula {
                text: "0 = 0".into(),
                used: 0,
                why: Some("a counter that is not followed".into()),
            };
            let parts = LoopParts {
                of,
                body,
                holds: anything.clone(),
                fails: anything,
                span: self.span(op),
                counter: None,
                live,
            };
            return self.run_loop(reach, &parts, None, mode);
        };
        let mut reach = reach;
        if let Some(bound) = self.layout.bound(of) {
            reach = self.assign(reach, bound, to)?;
        }
        reach = self.assign(reach, at, from)?;
        let (holds, fails) = self.for_condition(at, of, (to, step), bound_moves(to, body));
        let parts =
            LoopParts { of, body, holds, fails, span: self.span(op), counter: Some((at, step)), live };
        let mut after = self.run_loop(reach, &parts, None, mode)?;
        for gone in [Some(at), self.layout.bound(of)].into_iter().flatten() {
            after = self.assign(after, gone, &RExpr::Int(0))?;
        }
        self.simplest(after, before, self.assigned_mask(body), live_after)
    }

    /// `counter <= to` (or `>=`) and its opposite.
    fn for_condition(
        &self,
        at: usize,
        of: LoopId,
        (to, step): (&RExpr, i64),
        moves: bool,
    ) -> (crate::affine::Formula, crate::affine::Formula) {
        let limit = match self.layout.bound(of) {
            None if moves => Err("a bound that is not followed".to_string()),
            Some(bound) => Ok(crate::affine::Affine { text: self.layout.name(bound), used: 1 << bound }),
            None => self.layout.integer(to),
        };
        let formula = |comparison: &str| match &limit {
            Ok(limit) => crate::affine::Formula {
                text: format!("{} {comparison} {}", self.layout.name(at), limit.text),
                used: limit.used | 1 << at,
                why: None,
            },
            Err(why) => {
                crate::affine::Formula { text: "0 = 0".into(), used: 1 << at, why: Some(why.clone()) }
            }
        };
        if step > 0 { (formula("<="), formula(">")) } else { (formula(">="), formula("<")) }
    }

    fn run_loop(
        &mut self,
        reach: Reach,
        parts: &LoopParts<'p>,
        test: Option<OpId>,
        mode: Mode,
    ) -> Result<Reach> {
        let reach = self.buried(reach, parts.live)?;
        let unknown = self.unknown_at_head(parts, reach.unknown);
        let dead = reach.dead;
        let closed = self.closed(parts, unknown)?;
        let why = reach.why.clone().or_else(|| closed.why.clone());
        // { [t] -> [k, x] }, and then k joins t.
        let mut map = reach.map.clone().apply_range(closed.map)?.coalesce()?;
        if why.is_some()
            && let Some(states) = self.invariant(&reach, &closed.round)?
        {
            map = map.intersect_range(states.insert_dims(DimType::Out, 0, 1)?)?;
        }
        let depth = map.dim(DimType::In)?;
        let map = map.move_dims(DimType::In, depth, DimType::Out, 0, 1)?;
        let head = self.trimmed(Reach { map, unknown, dead, why })?;
        if mode == Mode::Record {
            if let Some(test) = test {
                self.record(test, &head, mode);
            }
            let inside = self.loop_entered(head.clone(), parts)?;
            self.block(parts.body, inside, mode, parts.live)?;
        }
        let doubt = self.doubt(&parts.fails, unknown, parts.span);
        let left = head.map.intersect_range(self.states(&parts.fails.text)?)?;
        let left = left.project_out(DimType::In, depth, 1)?.coalesce()?;
        Ok(Reach { map: left, unknown, dead, why: head.why.or(doubt) })
    }

    /// States that the head is reached in, in every round; nothing if that takes too long.
    fn invariant(&self, reach: &Reach, round: &Map) -> Result<Option<Set>> {
        let first = reach.map.clone().range()?;
        let found = self.ctx.with_budget(self.budget.closure, || crate::invariant::invariant(&first, round));
        found.or_else(|error| if error.is_budget() { Ok(None) } else { Err(error) })
    }

    fn loop_entered(&self, head: Reach, parts: &LoopParts<'p>) -> Result<Reach> {
        let why = head.why.clone().or_else(|| self.doubt(&parts.holds, head.unknown, parts.span));
        let map = head.map.clone().intersect_range(self.states(&parts.holds.text)?)?;
        Ok(Reach { map, why, ..head })
    }

    /// The closure of a loop whose head is reached with these variables unknown.
    fn closed(&mut self, parts: &LoopParts<'p>, unknown: u64) -> Result<Closed> {
        if let Some(closed) = self.closures.get(&(parts.of, unknown)) {
            return Ok(closed.clone());
        }
        let tuple = self.layout.tuple();
        let dead = self.scalar_mask() & !parts.live;
        // Outside of its loop a counter stands at 0; without this, each round would seem to change it.
        let zero = dead | self.inner_mask(parts.body);
        let zeros = (0..self.layout.len())
            .filter(|k| zero & (1 << k) != 0)
            .map(|k| format!("{} = 0", self.layout.name(k)));
        let zeros = zeros.chain(["0 = 0".to_string()]).collect::<Vec<_>>().join(" and ");
        let map = self.map(&format!("[{tuple}] -> [{tuple}] : {zeros}"))?;
        let start = Reach { map, unknown, dead, why: None };
        let entered = self.loop_entered(start, parts)?;
        let round = self.block(parts.body, entered, Mode::Effect, parts.live)?;
        let mut round = self.buried(round, parts.live)?;
        if let Some((at, step)) = parts.counter {
            let mut after: Vec<String> = (0..self.layout.len()).map(|k| self.layout.name(k)).collect();
            after[at] = format!("{} + ({step})", after[at]);
            round.map = round.map.apply_range(self.map(&format!("[{tuple}] -> [{}]", after.join(", ")))?)?;
        }
        let builder = Builder {
            ctx: self.ctx,
            params: &self.params,
            size: self.layout.len(),
            prefix: &self.prefix,
            budget: self.budget.closure,
        };
        let closure = builder.closure(&round.map)?;
        let inexact =
            || Why { reason: "no closed form was found for the loop's rounds".into(), span: parts.span };
        let why = round.why.or_else(|| (!closure.exact).then(inexact));
        let closed = Closed { map: closure.map, round: round.map, why };
        self.closures.insert((parts.of, unknown), closed.clone());
        Ok(closed)
    }

    /// What is unknown at the head in some round, if `unknown` is when the loop is reached.
    fn unknown_at_head(&self, parts: &LoopParts<'p>, unknown: u64) -> u64 {
        let mut now = unknown;
        loop {
            let next = now | self.spread(parts.body, now);
            if next == now {
                return now;
            }
            now = next;
        }
    }

    /// What may be unknown after the nodes, if `unknown` is before them.
    fn spread(&self, nodes: &[Node], mut unknown: u64) -> u64 {
        for node in nodes {
            match node {
                Node::Assign { var, subscripts, value, .. } => {
                    if let Some(at) = self.layout.scalar(*var).filter(|_| subscripts.is_empty()) {
                        let known = self.layout.integer(value).is_ok_and(|a| a.used & unknown == 0);
                        unknown = if known { unknown & !(1 << at) } else { unknown | 1 << at };
                    }
                }
                Node::Assume { .. } => {}
                Node::If { cond, then, els, .. } => {
                    let formulas = [self.layout.condition(cond, true), self.layout.condition(cond, false)];
                    let doubtful = formulas.iter().any(|f| f.why.is_some() || f.used & unknown != 0);
                    let mut after = self.spread(then, unknown) | self.spread(els, unknown);
                    if doubtful {
                        after |= unknown | self.assigned_mask(then) | self.assigned_mask(els);
                    }
                    unknown = after;
                }
                Node::While { body, .. } => unknown |= self.spread_loop(body, unknown),
                Node::For { of, counter, from, to, body, .. } => {
                    let known = |e: &RExpr| self.layout.integer(e).is_ok_and(|a| a.used & unknown == 0);
                    let (first, last) = (known(from), known(to));
                    let mut inside = unknown;
                    if let Some(at) = self.layout.counter(*counter).filter(|_| !first) {
                        inside |= 1 << at;
                    }
                    if let Some(at) = self.layout.bound(*of).filter(|_| !last) {
                        inside |= 1 << at;
                    }
                    unknown |= self.spread_loop(body, inside);
                    for at in [self.layout.counter(*counter), self.layout.bound(*of)].into_iter().flatten() {
                        unknown &= !(1 << at);
                    }
                }
            }
        }
        unknown
    }

    fn spread_loop(&self, body: &[Node], mut unknown: u64) -> u64 {
        loop {
            let next = unknown | self.spread(body, unknown);
            if next == unknown {
                return unknown;
            }
            unknown = next;
        }
    }
}
