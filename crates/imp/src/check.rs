//! `--check`: the analysis against a run (Propositions 3 and 7, on one input).
//!
//! The program is run, and every pair of operations that the trace shows is compared with the relations at these
//! parameter values:
//!
//! * a relation called exact must hold exactly the pairs of the trace, no more and no fewer;
//! * any other must hold all of them. What it holds beyond that, between operations that did happen, is counted: the ratio
//!   of such *extra* pairs to the real ones is the precision that `docs/status.md` reports.
//!
//! The domains are compared in the same way. A run that ended by a fault or by the limit is a prefix of what is
//! described, so then only containment is checked.

use crate::dataflow::{Dataflow, Error};
use crate::flow::Sink;
use crate::interp::{Ending, Inputs, run};
use crate::member::Member;
use crate::resolve::{Op, OpId};
use crate::trace::{NO_OP, Trace};
use isl::{DimType, Map, Set};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The operations of the run.
    pub operations: usize,
    /// Pairs of the trace, over all relations of direct dependences.
    pub real: usize,
    /// Pairs that the direct dependences hold beyond those, between operations that happened.
    pub extra: usize,
    /// What is wrong. Empty means that the analysis passed.
    pub errors: Vec<String>,
    /// The run did not come to its end: only containment was checked.
    pub prefix: bool,
}

/// The most pairs of operations that are compared.
const MOST_PAIRS: usize = 4_000_000;

type Rounds = Vec<i64>;
/// By (sink, access, source): the pairs of rounds.
type Pairs = HashMap<(OpId, Sink, OpId), HashSet<(Rounds, Rounds)>>;

/// Runs the program on the inputs and compares.
pub fn check(dataflow: &Dataflow<'_>, inputs: &Inputs, limit: usize) -> Result<Verdict, Error> {
    let outcome = run(dataflow.program, inputs, limit)?;
    let trace = &outcome.trace;
    let prefix = matches!(outcome.ending, Ending::Limit | Ending::Fault(_));
    let seen = Observed::of(dataflow, trace)?;
    let mut checker = Checker {
        dataflow,
        values: parameter_values(dataflow, inputs),
        seen: &seen,
        verdict: Verdict::default(),
    };
    checker.verdict = Verdict { operations: trace.len(), prefix, ..Verdict::default() };
    checker.domains()?;
    checker.dependences()?;
    checker.inputs()?;
    Ok(checker.verdict)
}

/// The values of all parameters of the relations by their names there, inputs included.
pub fn parameter_values(dataflow: &Dataflow<'_>, inputs: &Inputs) -> BTreeMap<String, i64> {
    let layout = &dataflow.reaches.layout;
    let named = |name: &str| inputs.values.get(name).copied().unwrap_or(0);
    let mut values = BTreeMap::new();
    for (param, name) in dataflow.program.params.iter().zip(&layout.params) {
        values.insert(name.clone(), named(&param.name));
    }
    for (var, name) in &layout.inputs {
        values.insert(name.clone(), inputs.first_value(dataflow.program, *var));
    }
    values
}

/// What the trace shows.
struct Observed {
    /// By statement: the rounds in which it ran.
    ran: HashMap<OpId, HashSet<Rounds>>,
    /// Earlier writes of the same cell.
    q: Pairs,
    /// The last of them, by source statement.
    k: Pairs,
    /// The last writer.
    direct: Pairs,
    /// Accesses that found the value from before the program.
    inputs: HashMap<(OpId, Sink), HashSet<Rounds>>,
}

impl Observed {
    fn of(dataflow: &Dataflow<'_>, trace: &Trace) -> Result<Observed, Error> {
        let ops = &dataflow.program.ops;
        let mut seen = Observed {
            ran: HashMap::new(),
            q: HashMap::new(),
            k: HashMap::new(),
            direct: HashMap::new(),
            inputs: HashMap::new(),
        };
        let mut pairs = 0;
        // By cell: its writers so far, the last one last.
        let mut writers: HashMap<u32, Vec<u32>> = HashMap::new();
        for now in 0..trace.len() as u32 {
            let op = trace.op(now);
            let at = rounds(&ops[op.index()], trace.vector(now));
            seen.ran.entry(op).or_default().insert(at.clone());
            let reads = trace.reads(now).iter().map(|read| (Sink::Read(read.access), read.cell, read.source));
            let write = trace.write(now);
            let accesses = reads.chain(write.map(|write| (Sink::Write, write.cell, write.source)));
            for (access, cell, source) in accesses {
                let writers = writers.get(&cell.0).map_or(&[][..], Vec::as_slice);
                pairs += writers.len();
                if pairs > MOST_PAIRS {
                    return Err(Error::TooManyPairs);
                }
                seen.access((op, access), &at, writers, source, ops, trace);
            }
            if let Some(write) = write {
                writers.entry(write.cell.0).or_default().push(now);
            }
        }
        Ok(seen)
    }

    fn access(
        &mut self,
        (op, access): (OpId, Sink),
        at: &Rounds,
        writers: &[u32],
        source: u32,
        ops: &[Op],
        trace: &Trace,
    ) {
        if source == NO_OP {
            self.inputs.entry((op, access)).or_default().insert(at.clone());
            return;
        }
        let mut last: HashMap<OpId, Rounds> = HashMap::new();
        for writer in writers {
            let from = trace.op(*writer);
            let when = rounds(&ops[from.index()], trace.vector(*writer));
            self.q.entry((op, access, from)).or_default().insert((at.clone(), when.clone()));
            last.insert(from, when);
        }
        for (from, when) in last {
            self.k.entry((op, access, from)).or_default().insert((at.clone(), when));
        }
        let from = trace.op(source);
        let when = rounds(&ops[from.index()], trace.vector(source));
        self.direct.entry((op, access, from)).or_default().insert((at.clone(), when));
    }
}

/// The rounds in an iteration vector.
fn rounds(op: &Op, vector: &[i64]) -> Rounds {
    let components = op.dims.iter().zip(vector).filter(|(dim, _)| dim.of.is_some());
    components.map(|(dim, value)| (value - dim.position) / dim.stride).collect()
}

struct Checker<'a> {
    dataflow: &'a Dataflow<'a>,
    values: BTreeMap<String, i64>,
    seen: &'a Observed,
    verdict: Verdict,
}

impl Checker<'_> {
    fn name(&self, op: OpId) -> &str {
        &self.dataflow.program.ops[op.index()].name
    }

    /// The set at these parameter values.
    fn at_values(&self, set: Set) -> isl::Result<Set> {
        let mut set = set;
        for (name, value) in &self.values {
            if let Some(at) = set.find_dim_by_name(DimType::Param, name)? {
                let value = isl::Val::int_from_si(set.ctx(), *value)?;
                set = set.fix_val(DimType::Param, at, value)?;
            }
        }
        set.project_out_all_params()
    }

    /// The rounds that could be meant: all that ran, and one more on each side to catch those that did not.
    fn box_of(&self, op: OpId) -> String {
        let ran = self.seen.ran.get(&op);
        let count = self.dataflow.program.ops[op.index()].loops().count();
        let bound = |k: usize| ran.map_or(0, |ran| ran.iter().map(|t| t[k]).max().unwrap_or(0)) + 1;
        (0..count).map(|k| format!("-1 <= {}{k} <= {}", "%", bound(k))).collect::<Vec<_>>().join(" and ")
    }

    /// The points of a set without parameters within the box of these statements, and whether there are points outside it.
    fn points(&self, set: Set, ops: &[OpId]) -> isl::Result<(HashSet<Rounds>, bool)> {
        let mut names = Vec::new();
        let mut bounds = Vec::new();
        for (at, op) in ops.iter().enumerate() {
            let count = self.dataflow.program.ops[op.index()].loops().count();
            names.extend((0..count).map(|k| format!("x{at}_{k}")));
            let text = self.box_of(*op).replace('%', &format!("x{at}_"));
            if !text.is_empty() {
                bounds.push(text);
            }
        }
        let condition = if bounds.is_empty() { "0 = 0".to_string() } else { bounds.join(" and ") };
        let within: Set = set.ctx().parse(&format!("{{ [{}] : {condition} }}", names.join(", ")))?;
        let outside = !set.is_subset(&within)?;
        let mut points = HashSet::new();
        let count = names.len();
        set.intersect(within)?.foreach_point(|point| {
            let mut coordinates = Vec::with_capacity(count);
            for k in 0..count {
                let value = point.get_coordinate_val(DimType::Out, k)?;
                coordinates.push(value.get_num_si()?);
            }
            points.insert(coordinates);
            Ok(())
        })?;
        Ok((points, outside))
    }

    fn domains(&mut self) -> Result<(), Error> {
        for (id, _) in self.dataflow.program.ops_with_ids() {
            let reach = &self.dataflow.reaches.of[id.index()];
            let real = self.seen.ran.get(&id).cloned().unwrap_or_default();
            let what = format!("the domain of {}", self.name(id));
            self.compare(&what, reach.map.clone().domain()?, &[id], &real, reach.why.is_none())?;
        }
        Ok(())
    }

    /// Records what is missing, and what is too much in an exact relation.
    fn compare(
        &mut self,
        what: &str,
        set: Set,
        ops: &[OpId],
        real: &HashSet<Rounds>,
        exact: bool,
    ) -> isl::Result<()> {
        let set = self.at_values(set)?;
        if exact && !self.verdict.prefix {
            return self.compare_all(what, set, ops, real);
        }
        let missing = match Member::of(&set)? {
            Some(member) => real.iter().find(|point| !member.contains(point)).cloned(),
            None => {
                let (found, _) = self.points(set, ops)?;
                real.difference(&found).next().cloned()
            }
        };
        if let Some(missing) = missing {
            self.verdict.errors.push(format!("{what} lacks {missing:?}"));
        }
        Ok(())
    }

    /// The same for a relation that is called exact, and a whole run.
    fn compare_all(&mut self, what: &str, set: Set, ops: &[OpId], real: &HashSet<Rounds>) -> isl::Result<()> {
        let (found, outside) = self.points(set, ops)?;
        if let Some(missing) = real.difference(&found).next() {
            self.verdict.errors.push(format!("{what} lacks {missing:?}"));
        }
        if let Some(extra) = found.difference(real).next() {
            let error = format!("{what} is called exact and holds {extra:?}, which does not happen");
            self.verdict.errors.push(error);
        } else if outside {
            self.verdict.errors.push(format!("{what} is called exact and holds more than what happens"));
        }
        Ok(())
    }

    fn dependences(&mut self) -> Result<(), Error> {
        let flow = &self.dataflow.flow;
        let joined = |pairs: &Pairs, key: &(OpId, Sink, OpId)| -> HashSet<Rounds> {
            let pairs = pairs.get(key).into_iter().flatten();
            pairs.map(|(sink, source)| sink.iter().chain(source).copied().collect()).collect()
        };
        let mut claimed = HashSet::new();
        for d in &flow.dependences {
            let key = (d.sink, d.access, d.source);
            claimed.insert(key);
            let what = |kind: &str| {
                format!("{kind} of {} ({:?}) from {}", self.name(d.sink), d.access, self.name(d.source))
            };
            let (q, k, direct) = (what("Q"), what("K"), what("the direct dependence"));
            let ops = [d.sink, d.source];
            let flat = |map: &Map| map.clone().wrap()?.flatten();
            self.compare(&q, flat(&d.q)?, &ops, &joined(&self.seen.q, &key), d.q_why.is_none())?;
            if let Some(map) = &d.k {
                self.compare(&k, flat(map)?, &ops, &joined(&self.seen.k, &key), true)?;
            }
            let real = joined(&self.seen.direct, &key);
            let exact = d.direct_why.is_none();
            self.compare(&direct, flat(&d.direct)?, &ops, &real, exact)?;
            self.verdict.real += real.len();
            if !exact || self.verdict.prefix {
                self.verdict.extra += self.extra(flat(&d.direct)?, &real, d.sink, d.source)?;
            }
        }
        self.unclaimed(&claimed);
        Ok(())
    }

    /// The pairs between operations that happened which are no dependences.
    fn extra(&self, set: Set, real: &HashSet<Rounds>, sink: OpId, source: OpId) -> Result<usize, Error> {
        let (Some(sinks), Some(sources)) = (self.seen.ran.get(&sink), self.seen.ran.get(&source)) else {
            return Ok(0);
        };
        let set = self.at_values(set)?;
        let depth = self.dataflow.program.ops[sink.index()].loops().count();
        let Some(member) = Member::of(&set)? else {
            let (found, _) = self.points(set, &[sink, source])?;
            let happened =
                |pair: &&Rounds| sinks.contains(&pair[..depth]) && sources.contains(&pair[depth..]);
            return Ok(found.difference(real).filter(happened).count());
        };
        if sinks.len().saturating_mul(sources.len()) > MOST_PAIRS {
            return Err(Error::TooManyPairs);
        }
        let mut extra = 0;
        let mut pair = Rounds::new();
        for (sink, source) in sinks.iter().flat_map(|sink| sources.iter().map(move |source| (sink, source))) {
            pair.clear();
            pair.extend(sink.iter().chain(source));
            extra += usize::from(member.contains(&pair) && !real.contains(&pair));
        }
        Ok(extra)
    }

    /// Dependences of the trace between statements for which the analysis has no relation at all.
    fn unclaimed(&mut self, claimed: &HashSet<(OpId, Sink, OpId)>) {
        let options = &self.dataflow.options;
        let program = self.dataflow.program;
        let asked = |key: &(OpId, Sink, OpId)| {
            let var = match key.1 {
                Sink::Read(at) => program.ops[key.0.index()].reads[at as usize].var,
                Sink::Write if !options.output => return false,
                Sink::Write => match &program.ops[key.0.index()].write {
                    Some((var, _)) => *var,
                    None => return false,
                },
            };
            options.only.is_empty() || options.only.contains(&program.vars[var.index()].name)
        };
        let missing: Vec<String> = (self.seen.q.keys().filter(|key| asked(key) && !claimed.contains(*key)))
            .map(|key| {
                format!(
                    "{} ({:?}) depends on {}, and no relation says so",
                    self.name(key.0),
                    key.1,
                    self.name(key.2)
                )
            })
            .collect();
        self.verdict.errors.extend(missing);
    }

    fn inputs(&mut self) -> Result<(), Error> {
        for input in &self.dataflow.flow.inputs {
            let real = self.seen.inputs.get(&(input.sink, input.access)).cloned().unwrap_or_default();
            let what = format!("the input of {} ({:?})", self.name(input.sink), input.access);
            self.compare(&what, input.rounds.clone(), &[input.sink], &real, input.why.is_none())?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let passed = if self.errors.is_empty() { "agrees" } else { "DISAGREES" };
        write!(
            f,
            "{passed} ({} operations, {} direct dependences, {} extra",
            self.operations, self.real, self.extra
        )?;
        f.write_str(if self.prefix { ", the run did not end)" } else { ")" })?;
        self.errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}
