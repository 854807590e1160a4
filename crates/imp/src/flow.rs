//! Dependences between statements: Q, K and the direct dependences (Sections 2.2, 5.1 and 6.1).
//!
//! All relations go from the rounds of the *sink* (the reading statement) to those of the *source* (the
//! writing one): `{ [t2] -> [t1] }`. For one read of the sink and one writing statement:
//!
//! * **Q** is the set of earlier operations that wrote the cell: C1 (same cell), C2 (happens before) and C3 (both
//!   operations happen, by their reach). Exact if both reaches and both subscripts are; otherwise it is Q-sharp
//!   (Definition 6.1) and contains Q.
//! * **K** is the lexicographic maximum of Q, only where Q is exact: the maximum of an over-approximation may be
//!   an operation that does not happen.
//! * **Direct**: the source is the last writer among *all* statements (Definitions 4.3 and 4.4). A pair of Q is removed if
//!   a write that certainly happens (exact reach, exact subscript: a *must-write*) lies between its ends and covers the
//!   same cell. A write whose rounds are not known still kills what control passed through before it reached the sink: the
//!   earlier rounds of a loop that both are in (if no `if` stands between), the same round if it stands before the sink;
//!   so does an `if` that writes a scalar in both branches. So kills are taken from writes that certainly happen only, and what remains contains the direct dependences. It is
//!   exact if Q is, and no statement that is not a must-write can lie between the ends of a remaining pair.
//!
//! To kill cell by cell, the relations are computed as `{ [t2, cell] -> [t1] }` and the cell is projected out last.
//!
//! Happens-before on rounds: with the common loops of the two statements, the source's rounds are lexicographically
//! smaller, or equal and the source stands before the sink in the text.
//!
//! Example (Figure 1, `s2` reads `c[i, j]`): Q from `s2` is `{ [i,j,k] -> [i,j,k'] : k' < k }`, K is `k' = k - 1`,
//! and the direct dependence on `s1` is `k = 1`.

use crate::affine::Layout;
use crate::allowance::Allowance;
use crate::diag::Span;
use crate::reach::{Budget, Reach, Reaches, Why};
use crate::resolve::*;
use crate::trace::Kind;
use isl::{DimType, Map, Result, Set};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// One access of a statement: `{ [t] -> [cell] }`, and why it is not exact.
#[derive(Clone)]
struct Access {
    op: OpId,
    map: Map,
    why: Option<Why>,
}

/// Which access of the sink depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// The read at this position of [`Op::reads`].
    Read(u32),
    /// The write: the dependence is an output dependence.
    Write,
}

impl Sink {
    /// Flow for a read, output for a write.
    pub fn kind(self) -> Kind {
        match self {
            Sink::Read(_) => Kind::Flow,
            Sink::Write => Kind::Output,
        }
    }
}

/// What one access of one statement takes from one writing statement.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// The statement that reads (or overwrites).
    pub sink: OpId,
    /// Which access of it.
    pub access: Sink,
    /// The statement that writes.
    pub source: OpId,
    /// Q, or Q-sharp: `{ [t2] -> [t1] }`.
    pub q: Map,
    /// Why Q is not exact.
    pub q_why: Option<Why>,
    /// K, where Q is exact.
    pub k: Option<Map>,
    /// The direct dependence.
    pub direct: Map,
    /// Why the direct dependence is not exact.
    pub direct_why: Option<Why>,
}

/// The rounds in which an access finds the value from before the program.
#[derive(Clone, Debug)]
pub struct Input {
    /// The statement that reads.
    pub sink: OpId,
    /// Which access of it.
    pub access: Sink,
    /// `{ [t2] }`.
    pub rounds: Set,
    /// Why it is not exact.
    pub why: Option<Why>,
}

/// All dependences of a program.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// By sink in text order, then by access, then by source. Empty relations are left out.
    pub dependences: Vec<Dependence>,
    /// By sink and access. Empty sets are left out.
    pub inputs: Vec<Input>,
}

/// Computes the dependences through the variables that `wanted` accepts; output dependences only on request.
pub fn flow(
    reaches: &Reaches<'_>,
    budget: Budget,
    output: bool,
    wanted: &dyn Fn(VarId) -> bool,
) -> Result<Flow> {
    let mut joint = Vec::new();
    joints(&reaches.program.body, &mut joint);
    let left = Allowance::new(budget.flow);
    let solver =
        Solver { reaches, layout: &reaches.layout, joints: joint, budget, left, read: RefCell::default() };
    let mut writes: Vec<Vec<Access>> = vec![Vec::new(); reaches.program.vars.len()];
    for (id, op) in reaches.program.ops_with_ids() {
        if let Some((var, subscripts)) = op.write.as_ref().filter(|(var, _)| wanted(*var)) {
            writes[var.index()].push(solver.access(id, subscripts, &[], op.span)?);
        }
    }
    let mut flow = Flow::default();
    for (id, op) in reaches.program.ops_with_ids() {
        for (at, read) in op.reads.iter().enumerate().filter(|(_, read)| wanted(read.var)) {
            let access = solver.access(id, &read.subscripts, &read.guards, read.span)?;
            solver.sink(&mut flow, &access, Sink::Read(at as u32), read.var, &writes[read.var.index()])?;
        }
        if let Some((var, subscripts)) = op.write.as_ref().filter(|(var, _)| output && wanted(*var)) {
            let access = solver.access(id, subscripts, &[], op.span)?;
            solver.sink(&mut flow, &access, Sink::Write, *var, &writes[var.index()])?;
        }
    }
    Ok(flow)
}

/// How many pairs of an access and a statement that writes its variable there are.
pub fn pairs(program: &Program, output: bool, wanted: &dyn Fn(VarId) -> bool) -> usize {
    let mut writers = vec![0; program.vars.len()];
    for (var, _) in program.ops.iter().filter_map(|op| op.write.as_ref()) {
        writers[var.index()] += 1;
    }
    let of = |var: VarId| if wanted(var) { writers[var.index()] } else { 0 };
    let reads = program.ops.iter().flat_map(|op| op.reads.iter().map(|read| of(read.var)));
    let writes = program.ops.iter().filter_map(|op| op.write.as_ref()).map(|(var, _)| of(*var));
    reads.sum::<usize>() + if output { writes.sum() } else { 0 }
}

/// An access as the model wants it: whose, of what, where, and why that is not exact.
#[derive(Clone, Debug)]
pub struct OpAccess {
    /// The statement.
    pub op: OpId,
    /// Which access of it.
    pub access: Sink,
    /// The variable.
    pub var: VarId,
    /// `{ [t] -> [cell] }`.
    pub map: Map,
    /// Why the cells or the rounds are not exact.
    pub why: Option<Why>,
}

/// All accesses of the program, in text order, the reads of a statement before its write.
pub fn accesses(reaches: &Reaches<'_>, budget: Budget) -> Result<Vec<OpAccess>> {
    let left = Allowance::new(budget.flow);
    let solver = Solver {
        reaches,
        layout: &reaches.layout,
        joints: Vec::new(),
        budget,
        left,
        read: RefCell::default(),
    };
    let mut found = Vec::new();
    for (op, info) in reaches.program.ops_with_ids() {
        for (at, read) in info.reads.iter().enumerate() {
            let Access { map, why, .. } = solver.access(op, &read.subscripts, &read.guards, read.span)?;
            found.push(OpAccess { op, access: Sink::Read(at as u32), var: read.var, map, why });
        }
        if let Some((var, subscripts)) = &info.write {
            let Access { map, why, .. } = solver.access(op, subscripts, &[], info.span)?;
            found.push(OpAccess { op, access: Sink::Write, var: *var, map, why });
        }
    }
    Ok(found)
}

struct Solver<'a> {
    reaches: &'a Reaches<'a>,
    layout: &'a Layout,
    joints: Vec<Joint>,
    budget: Budget,
    /// What is left for all dependences together.
    left: Allowance,
    /// Relations that were read from text before.
    read: RefCell<HashMap<String, Map>>,
}

/// The largest common multiple of the divisors in two accesses for which the last writer is asked for. isl finds it by
/// reducing lattice bases, which takes time that its operations do not measure: where `i mod 101` and `(79 j) mod 71`
/// meet, already seconds.
const MOST_DIVISIONS: u64 = 2_000;

/// The least common multiple of the divisors in a relation, as far as they are written in it.
fn divisions(map: &Map) -> Result<u64> {
    let mut multiple = 1u64;
    map.clone().wrap()?.flatten()?.foreach_basic_set(|basic| {
        for at in 0..basic.dim(DimType::Div)? {
            let divisor = basic.get_div(at)?.get_denominator_val()?.to_str()?;
            multiple = common_multiple(multiple, divisor.parse().unwrap_or(1).max(1));
        }
        Ok(())
    })?;
    Ok(multiple)
}

fn common_multiple(a: u64, b: u64) -> u64 {
    (a / common_divisor(a, b)).saturating_mul(b)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// One access of the sink, with its cells: everything below is seen from it.
struct View<'a> {
    access: &'a Access,
    which: Sink,
    /// `{ [t2, cell] -> [cell] }`.
    cells: Map,
    depth: usize,
    arity: usize,
}

/// One writing statement seen from one access: `{ [t2, cell] -> [t1] }`.
struct Candidate<'a> {
    write: &'a Access,
    all: Map,
    /// Only the last, and only if the write is a must-write.
    last: Option<Map>,
}

/// A write that certainly happens before the sink does: `{ [t2, cell] -> [t1] }`, the last one for each cell.
struct Kill {
    /// The statement; for a joint write the test of the `if`.
    op: OpId,
    last: Map,
}

/// An `if` both of whose branches write these scalars.
struct Joint {
    op: OpId,
    /// The last statement inside it.
    end: OpId,
    scalars: BTreeSet<VarId>,
}

impl Solver<'_> {
    /// The relation written so. The same ones are needed for many pairs of statements, and reading text takes time.
    fn map(&self, text: &str) -> Result<Map> {
        if let Some(map) = self.read.borrow().get(text) {
            return Ok(map.clone());
        }
        let map: Map = self.reaches.ctx.parse(&format!("{}{{ {text} }}", self.layout.param_tuple()))?;
        self.read.borrow_mut().insert(text.to_string(), map.clone());
        Ok(map)
    }

    /// `{ [t] -> [cell] }`: the reach, restricted by the guards, and then the subscripts.
    fn access(&self, op: OpId, subscripts: &[RExpr], guards: &[(RExpr, bool)], span: Span) -> Result<Access> {
        let Reach { map, unknown, why, .. } = &self.reaches.of[op.index()];
        let mut why = why.clone();
        let mut doubt = |reason: String| {
            why.get_or_insert(Why { reason, span });
        };
        let (mut cell, mut constraints) = (Vec::new(), Vec::new());
        for (at, subscript) in subscripts.iter().enumerate() {
            match self.layout.integer(subscript) {
                Ok(affine) => {
                    if affine.used & unknown != 0 {
                        doubt("the subscript depends on a scalar whose value is not affine".into());
                    }
                    cell.push(affine.text);
                }
                Err(reason) => {
                    doubt(format!("the subscript depends on {reason}"));
                    let name = self.layout.fresh(&format!("s{at}"));
                    constraints.extend(crate::relax::bounds(self.layout, subscript, &name));
                    cell.push(name);
                }
            }
        }
        for (guard, value) in guards {
            let formula = self.layout.condition(guard, *value);
            if formula.why.is_some() || formula.used & unknown != 0 {
                doubt("whether it is evaluated depends on data".into());
            }
            constraints.push(format!("({})", formula.text));
        }
        let constraints =
            if constraints.is_empty() { String::new() } else { format!(" : {}", constraints.join(" and ")) };
        let subscripts =
            self.map(&format!("[{}] -> [{}]{constraints}", self.layout.tuple(), cell.join(", ")))?;
        let applied = self.within_budget(|| map.clone().apply_range(subscripts)?.coalesce());
        match applied {
            Ok(map) => Ok(Access { op, map, why }),
            Err(error) if error.is_budget() => {
                let (t, c) = (self.rounds(op, "t"), cell.len());
                let any: Vec<String> = (0..c).map(|k| self.layout.fresh(&format!("c{k}"))).collect();
                let map = self.map(&format!("[{}] -> [{}]", t.join(", "), any.join(", ")))?;
                let budget = Why { reason: "the work budget for this access was spent".into(), span };
                Ok(Access { op, map, why: Some(why.unwrap_or(budget)) })
            }
            Err(error) => Err(error),
        }
    }

    /// Runs `work` within what is left of the budget.
    fn within_budget<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.left.within(&self.reaches.ctx, self.budget.dependence, work)
    }

    fn sink(
        &self,
        flow: &mut Flow,
        access: &Access,
        which: Sink,
        var: VarId,
        writes: &[Access],
    ) -> Result<()> {
        let solved = self.within_budget(|| self.solve(access, which, var, writes));
        let error = match solved {
            Ok((dependences, input)) => {
                flow.dependences.extend(dependences);
                flow.inputs.extend(input);
                return Ok(());
            }
            Err(error) => error,
        };
        let reason = match error.is_budget() {
            true => "the work budget for this dependence was spent".to_string(),
            false => format!("the dependence could not be computed ({error})"),
        };
        for write in writes {
            let plain = self.within_budget(|| self.plain(access, which, write, &reason));
            let dependence = plain.or_else(|_| self.anything(access, which, write, &reason))?;
            if !dependence.q.plain_is_empty()? {
                flow.dependences.push(dependence);
            }
        }
        let span = self.reaches.program.ops[access.op.index()].span;
        let rounds = self.map(&format!("[{}] -> []", self.rounds(access.op, "t").join(", ")))?.domain()?;
        flow.inputs.push(Input { sink: access.op, access: which, rounds, why: Some(Why { reason, span }) });
        Ok(())
    }

    /// Q-sharp alone, from the hulls of the accesses: cheap.
    fn plain(&self, access: &Access, which: Sink, write: &Access, reason: &str) -> Result<Dependence> {
        let hull = |map: &Map| -> Result<Map> { Map::from_basic_map(map.clone().simple_hull()?) };
        let cells = hull(&access.map)?.apply_range(hull(&write.map)?.reverse()?)?;
        let q = cells.intersect(self.before(write.op, access.op)?)?;
        Ok(Dependence { q: q.clone(), direct: q, ..self.anything(access, which, write, reason)? })
    }

    /// When isl gives up: any operation of the source may be meant.
    fn anything(&self, access: &Access, which: Sink, write: &Access, reason: &str) -> Result<Dependence> {
        let (t2, t1) = (self.rounds(access.op, "t"), self.rounds(write.op, "u"));
        let all = self.map(&format!("[{}] -> [{}]", t2.join(", "), t1.join(", ")))?;
        let span = self.reaches.program.ops[access.op.index()].span;
        let why = Some(Why { reason: reason.to_string(), span });
        Ok(Dependence {
            sink: access.op,
            access: which,
            source: write.op,
            q: all.clone(),
            q_why: why.clone(),
            k: None,
            direct: all,
            direct_why: why,
        })
    }

    fn solve(
        &self,
        access: &Access,
        which: Sink,
        var: VarId,
        writes: &[Access],
    ) -> Result<(Vec<Dependence>, Option<Input>)> {
        let depth = access.map.dim(DimType::In)?;
        let arity = access.map.dim(DimType::Out)?;
        let view = View { access, which, cells: self.cells(access)?, depth, arity };
        let mut candidates = Vec::new();
        for write in writes {
            candidates.push(self.candidate(&view, write)?);
        }
        let mut kills = Vec::new();
        for candidate in &candidates {
            kills.extend(self.kill(&view, candidate)?);
        }
        if arity == 0 {
            for joint in self.joints.iter().filter(|joint| joint.scalars.contains(&var)) {
                kills.extend(self.joint_kill(&view, joint)?);
            }
        }
        let mut dependences = Vec::new();
        for candidate in &candidates {
            if !candidate.all.is_empty()? {
                dependences.push(self.dependence(&view, &candidates, candidate, &kills)?);
            }
        }
        let input = self.input(&view, &candidates, &kills)?;
        Ok((dependences, input))
    }

    /// `{ [t2, cell] }` as a relation to the cell: `{ [t2, cell] -> [cell] }`.
    fn cells(&self, access: &Access) -> Result<Map> {
        let depth = access.map.dim(DimType::In)?;
        let arity = access.map.dim(DimType::Out)?;
        let t = self.rounds(access.op, "t");
        debug_assert_eq!(t.len(), depth);
        let c: Vec<String> = (0..arity).map(|k| self.layout.fresh(&format!("c{k}"))).collect();
        let both: Vec<&str> = t.iter().chain(&c).map(String::as_str).collect();
        let project = self.map(&format!("[{}] -> [{}]", both.join(", "), c.join(", ")))?;
        let pairs = access.map.clone().wrap()?.flatten()?;
        project.intersect_domain(pairs)
    }

    /// Names for the rounds of a statement.
    fn rounds(&self, op: OpId, letter: &str) -> Vec<String> {
        let count = self.reaches.program.ops[op.index()].loops().count();
        (0..count).map(|k| self.layout.fresh(&format!("{letter}{k}"))).collect()
    }

    fn candidate<'a>(&self, view: &View<'_>, write: &'a Access) -> Result<Candidate<'a>> {
        let before =
            self.before(write.op, view.access.op)?.insert_dims(DimType::In, view.depth, view.arity)?;
        let all = view.cells.clone().apply_range(write.map.clone().reverse()?)?.intersect(before)?;
        if common_multiple(divisions(&view.access.map)?, divisions(&write.map)?) > MOST_DIVISIONS {
            return Err(isl::Error::other("divisions by large numbers meet in it"));
        }
        let all = all.coalesce()?;
        let last = if write.why.is_none() { Some(all.clone().lexmax()?) } else { None };
        Ok(Candidate { write, all, last })
    }

    /// What the writing statement certainly overwrites.
    fn kill(&self, view: &View<'_>, candidate: &Candidate<'_>) -> Result<Option<Kill>> {
        let op = candidate.write.op;
        if let Some(last) = &candidate.last {
            return Ok(Some(Kill { op, last: last.clone() }));
        }
        // Its rounds are not known, but before the sink it has run in those that control passed through;
        // and if its cell is a function of the rounds, that cell it has written.
        let Some(passed) = self.passed(op, op, view.access.op)? else { return Ok(None) };
        if !candidate.write.map.is_single_valued()? {
            return Ok(None);
        }
        let passed = passed.insert_dims(DimType::In, view.depth, view.arity)?;
        Ok(Some(Kill { op, last: candidate.all.clone().intersect(passed)?.lexmax()? }))
    }

    /// The same for an `if` that writes a scalar in both branches.
    fn joint_kill(&self, view: &View<'_>, joint: &Joint) -> Result<Option<Kill>> {
        let Some(passed) = self.passed(joint.op, joint.end, view.access.op)? else { return Ok(None) };
        let rounds = self.reaches.of[joint.op.index()].map.clone().domain()?;
        let sinks = view.cells.clone().domain()?;
        let last = passed.intersect_range(rounds)?.intersect_domain(sinks)?.lexmax()?;
        Ok(Some(Kill { op: joint.op, last }))
    }

    /// `{ [t2] -> [t1] }`: when the sink runs in `t2`, the statement has certainly run (to its last inner statement `end`)
    /// in `t1`, because control passed through it. That is so in the earlier rounds of its innermost loop, if the sink is
    /// in this loop too and no `if` stands between, and in the same round if it stands before the sink in the same branches.
    fn passed(&self, op: OpId, end: OpId, sink: OpId) -> Result<Option<Map>> {
        let ops = &self.reaches.program.ops;
        let (inner, outer) = (&ops[op.index()].dims, &ops[sink.index()].dims);
        let around = |dims: &[Dim]| -> Vec<u32> { dims.iter().map(|dim| dim.kappa).collect() };
        if !around(outer).starts_with(&around(inner)) {
            return Ok(None);
        }
        let same_branch = inner
            .iter()
            .zip(outer)
            .all(|(a, b)| a.kappa == 0 || a.of.is_some() || (a.position < 0) == (b.position < 0));
        let (t2, t1) = (self.rounds(sink, "t"), self.rounds(op, "u"));
        let equal = |count: usize| (0..count).map(|k| format!("{} = {}", t1[k], t2[k])).collect::<Vec<_>>();
        let mut cases = Vec::new();
        if let Some(last) =
            t1.len().checked_sub(1).filter(|_| inner.last().is_some_and(|dim| dim.of.is_some()))
        {
            let mut case = equal(last);
            case.push(format!("0 <= {} < {}", t1[last], t2[last]));
            cases.push(case.join(" and "));
        }
        if same_branch && end < sink {
            let mut case = equal(t1.len());
            case.push("0 = 0".into());
            cases.push(case.join(" and "));
        }
        if cases.is_empty() {
            return Ok(None);
        }
        let text = cases.iter().map(|case| format!("({case})")).collect::<Vec<_>>().join(" or ");
        self.map(&format!("[{}] -> [{}] : {text}", t2.join(", "), t1.join(", "))).map(Some)
    }

    /// `{ [t2] -> [t1] }`: operation `t1` of `first` happens before operation `t2` of `second`.
    fn before(&self, first: OpId, second: OpId) -> Result<Map> {
        let ops = &self.reaches.program.ops;
        let common =
            ops[first.index()].loops().zip(ops[second.index()].loops()).take_while(|(a, b)| a == b).count();
        let (t2, t1) = (self.rounds(second, "t"), self.rounds(first, "u"));
        let mut cases = Vec::new();
        let mut equal = Vec::new();
        for k in 0..common {
            let mut case = equal.clone();
            case.push(format!("{} < {}", t1[k], t2[k]));
            cases.push(format!("({})", case.join(" and ")));
            equal.push(format!("{} = {}", t1[k], t2[k]));
        }
        if first < second {
            equal.push("0 = 0".into());
            cases.push(format!("({})", equal.join(" and ")));
        }
        let text = if cases.is_empty() { "0 = 1".to_string() } else { cases.join(" or ") };
        self.map(&format!("[{}] -> [{}] : {text}", t2.join(", "), t1.join(", ")))
    }

    fn dependence(
        &self,
        view: &View<'_>,
        candidates: &[Candidate<'_>],
        candidate: &Candidate<'_>,
        kills: &[Kill],
    ) -> Result<Dependence> {
        let flat =
            |map: Map| -> Result<Map> { map.project_out(DimType::In, view.depth, view.arity)?.coalesce() };
        let source = candidate.write.op;
        let q = flat(candidate.all.clone())?;
        let q_why = view.access.why.clone().or_else(|| candidate.write.why.clone());
        let k = if q_why.is_none() { Some(q.clone().lexmax()?) } else { None };
        let mut direct = candidate.last.clone().unwrap_or_else(|| candidate.all.clone());
        for kill in kills.iter().filter(|kill| kill.op != source || candidate.last.is_none()) {
            let before = self.before(source, kill.op)?;
            direct = direct.subtract(kill.last.clone().apply_range(before)?)?;
        }
        let mut doubt = None;
        for other in candidates.iter().filter(|other| other.last.is_none()) {
            let before = self.before(source, other.write.op)?;
            doubt = doubt.or(self.may_intervene(&direct, other, before)?);
        }
        let direct_why = q_why.clone().or(doubt);
        Ok(Dependence {
            sink: view.access.op,
            access: view.which,
            source,
            q,
            q_why,
            k,
            direct: flat(direct)?,
            direct_why,
        })
    }

    /// The reason why a remaining pair may be killed by a write that is not certain.
    fn may_intervene(&self, direct: &Map, killer: &Candidate<'_>, before: Map) -> Result<Option<Why>> {
        let between = killer.all.clone().apply_range(before)?;
        Ok(if between.is_disjoint(direct)? { None } else { killer.write.why.clone() })
    }

    fn input(&self, view: &View<'_>, candidates: &[Candidate<'_>], kills: &[Kill]) -> Result<Option<Input>> {
        let mut open = view.cells.clone().domain()?;
        for kill in kills {
            open = open.subtract(kill.last.clone().domain()?)?;
        }
        let mut why = view.access.why.clone();
        for candidate in candidates.iter().filter(|c| c.last.is_none()) {
            if !candidate.all.clone().domain()?.is_disjoint(&open)? {
                why = why.or_else(|| candidate.write.why.clone());
            }
        }
        let rounds = open.project_out(DimType::Out, view.depth, view.arity)?.coalesce()?;
        if rounds.is_empty()? {
            return Ok(None);
        }
        Ok(Some(Input { sink: view.access.op, access: view.which, rounds, why }))
    }
}

/// The `if`s that write scalars in both branches.
fn joints(nodes: &[Node], found: &mut Vec<Joint>) {
    for node in nodes {
        match node {
            Node::If { op, then, els, .. } => {
                let scalars: BTreeSet<VarId> = certain(then).intersection(&certain(els)).copied().collect();
                if !scalars.is_empty() {
                    found.push(Joint {
                        op: *op,
                        end: last_op(els).or(last_op(then)).unwrap_or(*op),
                        scalars,
                    });
                }
                joints(then, found);
                joints(els, found);
            }
            Node::While { body, .. } | Node::For { body, .. } => joints(body, found),
            Node::Assign { .. } | Node::Assume { .. } => {}
        }
    }
}

/// The scalars that are written when control passes through the nodes.
fn certain(nodes: &[Node]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for node in nodes {
        match node {
            Node::Assign { var, subscripts, .. } if subscripts.is_empty() => drop(found.insert(*var)),
            Node::If { then, els, .. } => found.extend(certain(then).intersection(&certain(els)).copied()),
            _ => {}
        }
    }
    found
}

/// The last statement in text order.
fn last_op(nodes: &[Node]) -> Option<OpId> {
    Some(match nodes.last()? {
        Node::Assign { op, .. } | Node::Assume { op, .. } => *op,
        Node::If { op, then, els, .. } => last_op(els).or(last_op(then)).unwrap_or(*op),
        Node::While { op, body, .. } | Node::For { op, body, .. } => last_op(body).unwrap_or(*op),
    })
}
