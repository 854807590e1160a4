//! Is a schedule legal? Derived from the dependences alone, without a look at how the schedule was made.
//!
//! # Terms
//! A schedule gives each instance a *time*, a vector of integers, and runs instances in lexicographic order of their
//! times: `{ S[i] -> [t0, t1, ...] }`. It is *legal* if
//! 1. it runs every instance of the scop once, and nothing else;
//! 2. it gives the source of each dependence an earlier time than the sink, not the same one;
//! 3. no dependence goes between two children of a *set* node, whose order is left open.
//!
//! Dependences between updates of one reduction ([`Dependences::reduction`]) bind only those who may not reassociate
//! ([`Reductions::Kept`]). A band member is *parallel* if no dependence, reductions included, joins two instances that
//! agree on everything outside of the member and differ in it: only then can its iterations run side by side. It goes
//! *forward* if no dependence between instances that agree on everything outside of the band runs against it. Where two
//! members do, whose values are numbers of tiles, no dependence joins two tiles of one diagonal: the number of one of them
//! would have to fall.
//!
//! # How it is decided
//! By a walk down the schedule tree (module `walk`), which decides almost all that is legal. What it does not call legal is decided
//! by times, which also tell why not: for each dependence relation D, outermost time first: D must have no pair whose sink is earlier at this
//! position; then D is cut down to the pairs that are equal there. What is left after the last position has equal
//! times. Each question is whether a relation is empty, which isl decides exactly; a pair from a relation
//! that is not empty, with values for the parameters, is the counter-example.
//!
//! # Example
//! The prefix sum `S: A[i] += A[i - 1]` run backwards:
//! ```text
//! with n = 3: S[1] writes A[1], then S[2] reads it (flow); the schedule runs S[2] at [-2] before S[1] at [-1]
//! ```

use std::cell::OnceCell;
use std::fmt;

use dataflow::{Dependences, Kind};
use isl::{DimType, Map, Schedule, ScheduleNode, ScheduleNodeType, Set, UnionMap, UnionSet, Val};
use model::{Access, AccessId, AccessKind, Scop, StmtId};

use crate::walk::{self, Bond};

/// Whether the order of updates of one reduction may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reductions {
    /// It may.
    #[default]
    Relaxed,
    /// It may not.
    Kept,
}

impl Reductions {
    fn kinds(self) -> &'static [Kind] {
        match self {
            Reductions::Relaxed => &[Kind::Flow, Kind::Anti, Kind::Output],
            Reductions::Kept => &Kind::ALL,
        }
    }
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No rule is broken.
    Legal,
    /// A rule is broken, and this is where.
    Illegal(Box<Violation>),
}

impl Verdict {
    /// Whether no rule is broken.
    pub fn is_legal(&self) -> bool {
        *self == Verdict::Legal
    }

    /// Where a rule is broken.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Verdict::Legal => None,
            Verdict::Illegal(violation) => Some(violation),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Legal => f.write_str("legal"),
            Verdict::Illegal(violation) => write!(f, "illegal: {violation}"),
        }
    }
}

/// Each parameter and its value.
pub type Params = Vec<(String, i64)>;

/// Where a rule is broken, at these values of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Each parameter and its value.
    pub params: Params,
    /// Which rule.
    pub rule: Rule,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The instance is never run.
    NeverRun(Instance),
    /// The instance has more than one time.
    RunTwice(Instance),
    /// The schedule runs something that the scop does not have.
    NotThere(String),
    /// Two dependent instances are not kept in order.
    Broken(CounterExample),
}

/// One execution of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// The statement.
    pub stmt: StmtId,
    /// Its name.
    pub name: String,
    /// The counters of the loops around, outermost first.
    pub counters: Vec<i64>,
}

/// Two dependent instances and what becomes of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterExample {
    /// Runs first in the program.
    pub source: Instance,
    /// Runs later in the program.
    pub sink: Instance,
    /// How the second depends on the first.
    pub kind: Kind,
    /// A cell that both touch, and the accesses that touch it.
    pub conflict: Option<Conflict>,
    /// What the schedule does to them.
    pub fate: Fate,
}

/// A cell that two instances touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The array's name.
    pub array: String,
    /// The subscripts, outermost first.
    pub subscripts: Vec<i64>,
    /// The access of the source.
    pub source: AccessId,
    /// The access of the sink.
    pub sink: AccessId,
    /// Whether the source writes.
    pub source_writes: bool,
    /// Whether the sink writes.
    pub sink_writes: bool,
}

/// What a schedule does to two dependent instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The sink does not come after the source: their times.
    NotAfter {
        /// The time of the source.
        source: Vec<i64>,
        /// The time of the sink.
        sink: Vec<i64>,
    },
    /// They are in different children of a set node.
    LeftOpen,
    /// They are in different iterations of a loop that is to be parallel.
    SideBySide {
        /// The iteration of the source.
        source: i64,
        /// The iteration of the sink.
        sink: i64,
    },
}

/// Why there is no verdict. A schedule without a verdict must not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// isl failed or its budget is spent.
    #[error("cannot decide whether the schedule is legal: {0}")]
    Isl(#[from] isl::Error),
    /// The question makes no sense.
    #[error("cannot decide whether the schedule is legal: {0}")]
    Malformed(String),
}

impl Error {
    /// Whether the budget is spent.
    pub fn is_budget(&self) -> bool {
        matches!(self, Error::Isl(error) if error.is_budget())
    }
}

/// Whether the schedule is legal for those who may reassociate reductions.
pub fn check(scop: &Scop, dependences: &Dependences, schedule: &Schedule) -> Result<Verdict, Error> {
    check_with(scop, dependences, schedule, Reductions::Relaxed)
}

/// Whether the schedule is legal.
pub fn check_with(
    scop: &Scop,
    dependences: &Dependences,
    schedule: &Schedule,
    reductions: Reductions,
) -> Result<Verdict, Error> {
    Prover::new(scop, dependences).check_with(schedule, reductions)
}

/// Whether a schedule given as `{ S[i] -> [t0, t1, ...] }` is legal; times of what is no instance do not count.
/// Shorter times are filled up with zeros.
pub fn check_map(
    scop: &Scop,
    dependences: &Dependences,
    schedule: &UnionMap,
    reductions: Reductions,
) -> Result<Verdict, Error> {
    Prover::new(scop, dependences).checker(reductions).check_map(schedule)
}

/// Whether the iterations of a band's member can run side by side, everything outside of it in sequence.
pub fn parallel_is_legal(
    scop: &Scop,
    dependences: &Dependences,
    band: &ScheduleNode,
    member: usize,
) -> Result<Verdict, Error> {
    Prover::new(scop, dependences).parallel_is_legal(band, member)
}

/// See [`Prover::registers_are_legal`].
pub fn registers_are_legal(
    scop: &Scop,
    dependences: &Dependences,
    band: &ScheduleNode,
) -> Result<bool, Error> {
    Prover::new(scop, dependences).registers_are_legal(band)
}

/// All that can be asked about the schedules of one scop. Its dependences are read once.
pub struct Prover<'a> {
    /// The scop.
    pub scop: &'a Scop,
    /// Its dependences.
    pub dependences: &'a Dependences,
    relations: OnceCell<Vec<Dependence>>,
    /// Those that bind if the order of updates may be changed, and if not.
    bonds: [OnceCell<Vec<Bond>>; 2],
}

impl<'a> Prover<'a> {
    /// Nothing is asked yet.
    pub fn new(scop: &'a Scop, dependences: &'a Dependences) -> Self {
        Prover { scop, dependences, relations: OnceCell::new(), bonds: Default::default() }
    }

    fn checker(&self, reductions: Reductions) -> Checker<'_> {
        Checker { scop: self.scop, prover: self, reductions }
    }

    /// Whether the schedule is legal.
    pub fn check_with(&self, schedule: &Schedule, reductions: Reductions) -> Result<Verdict, Error> {
        let checker = self.checker(reductions);
        if walk::keeps(self.scop, schedule, checker.together()?)? == Some(true) {
            return Ok(Verdict::Legal);
        }
        let found = match checker.not_there(&schedule.get_domain()?)? {
            None => checker.sets(schedule)?,
            found => found,
        };
        match found {
            None => checker.check_map(&schedule.get_map()?),
            Some(violation) => Ok(Verdict::Illegal(Box::new(violation))),
        }
    }

    /// Whether the iterations of a band's member can run side by side, everything outside of it in sequence.
    pub fn parallel_is_legal(&self, band: &ScheduleNode, member: usize) -> Result<Verdict, Error> {
        match self.walked(band, member)? {
            Some(true) => Ok(Verdict::Legal),
            _ => self.side_by_side(band, member),
        }
    }

    /// The same without a reason.
    pub fn is_parallel(&self, band: &ScheduleNode, member: usize) -> Result<bool, Error> {
        match self.walked(band, member)? {
            Some(found) => Ok(found),
            None => Ok(self.side_by_side(band, member)?.is_legal()),
        }
    }

    fn walked(&self, band: &ScheduleNode, member: usize) -> Result<Option<bool>, Error> {
        if !is_band_with(band, member)? {
            return Ok(None);
        }
        Ok(walk::is_parallel(self.scop, band, member, self.checker(Reductions::Kept).together()?)?)
    }

    fn side_by_side(&self, band: &ScheduleNode, member: usize) -> Result<Verdict, Error> {
        let (outside, own) = around(self.scop, band, member)?;
        let found = self.checker(Reductions::Kept).side_by_side(&outside, &own, member)?;
        Ok(found.map_or(Verdict::Legal, |violation| Verdict::Illegal(Box::new(violation))))
    }

    /// Whether no dependence goes backwards in a band's member, reductions included, whatever it does in the members before.
    pub fn forward_is_legal(&self, band: &ScheduleNode, member: usize) -> Result<bool, Error> {
        let (outside, own) = around(self.scop, band, member)?;
        let checker = self.checker(Reductions::Kept);
        for (source, sink, relation) in checker.together()? {
            let (first, second) = (own.part(source.index(), member)?, own.part(sink.index(), member)?);
            if first.plain_is_empty()? || second.plain_is_empty()? {
                continue;
            }
            let backwards = first.clone().lex_gt_map(second.clone())?.intersect(relation)?;
            if !backwards.is_empty()? && !checker.agreeing(&outside, source, sink, backwards)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the cells that one statement updates can stay in registers while the first of the three loops below a node
    /// runs, for a block that the other two go through. They can if, with everything outside equal, two instances touch one of
    /// these cells only where they are of the same row and column, and by the update itself; derived from the accesses. Nor may
    /// any dependence join two rows or columns: there are more where arrays may overlap.
    ///
    /// Cells are in registers only for terms that all cells of the block have which take part: instances count that both have
    /// a term of the other's number. So in `A[i, j] -= A[i, k] * A[k, j]` for `k < i, j` the terms read sums of the same block, but
    /// such that have no term of this number any more.
    pub fn registers_are_legal(&self, band: &ScheduleNode) -> Result<bool, Error> {
        let scop = self.scop;
        let [stmt] = crate::tree::stmts_below(scop, band)?[..] else { return Ok(false) };
        let accesses = &scop.stmts[stmt].accesses;
        let mut writes = accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(update), None) = (writes.next(), writes.next()) else { return Ok(false) };
        let is_memory = |access: &Access| !scop.array(access.array).kind.is_scalar();
        if update.kind != AccessKind::MustWrite || !accesses.iter().all(is_memory) {
            return Ok(false);
        }
        let own = band.get_subtree_schedule_union_map()?.intersect_domain(band.get_domain()?)?;
        let own = Times::new(scop, &own)?;
        if own.length != 3 {
            return Ok(false);
        }
        let own = &own.parts(stmt)?[..];
        let block = own[1].clone().flat_range_product(own[2].clone())?;
        let apart = block.clone().lex_lt_map(block.clone())?.union(block.clone().lex_gt_map(block)?)?;
        let blocks = Blocks { scop, stmt, band, own, together: OnceCell::new(), terms: OnceCell::new() };
        for (source, sink, relation) in self.checker(Reductions::Kept).together()? {
            let is_inside = source.index() == stmt && sink.index() == stmt;
            // Most relations are between instances of one cell: nothing is left of them that blocks would have to be looked at for.
            if is_inside && blocks.have(relation.intersect(apart.clone())?)? {
                return Ok(false);
            }
        }
        let updated = scop.cells(&scop.stmts[stmt], update)?;
        for access in accesses.iter().filter(|access| access.array == update.array) {
            let touched = scop.cells(&scop.stmts[stmt], access)?;
            let mut shared = updated.clone().apply_range(touched.clone().reverse()?)?;
            if touched.is_equal(&updated)? {
                shared = shared.intersect(apart.clone())?;
            }
            if blocks.have(shared)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn is_band_with(node: &ScheduleNode, member: usize) -> isl::Result<bool> {
    Ok(node.get_type()? == ScheduleNodeType::Band && member < node.band_n_member()?)
}

/// The times outside of a band, and those of the band itself, which must have the member.
pub(crate) fn around(scop: &Scop, band: &ScheduleNode, member: usize) -> Result<(Times, Times), Error> {
    if !is_band_with(band, member)? {
        return Err(Error::Malformed(format!("the node is no band with a member {member}")));
    }
    let outside = band.get_prefix_schedule_relation()?;
    let own = band.band_get_partial_schedule_union_map()?.intersect_domain(band.get_domain()?)?;
    Ok((Times::new(scop, &outside)?, Times::new(scop, &own)?))
}

/// Blocks of cells. What is asked about them most often needs no look at them.
struct Blocks<'a> {
    scop: &'a Scop,
    stmt: usize,
    band: &'a ScheduleNode,
    /// The number of the term, the row and the column.
    own: &'a [Map],
    /// The instances of one block.
    together: OnceCell<Map>,
    /// Those that both have a term of the other's number.
    terms: OnceCell<Map>,
}

impl Blocks<'_> {
    /// Whether two instances that are related are of one block and both have a term of the other's number.
    fn have(&self, related: Map) -> Result<bool, Error> {
        if related.is_empty()? {
            return Ok(false);
        }
        let related = related.intersect(self.together()?.clone())?;
        Ok(!related.is_empty()? && !related.intersect(self.terms()?.clone())?.is_empty()?)
    }

    fn together(&self) -> Result<&Map, Error> {
        if let Some(known) = self.together.get() {
            return Ok(known);
        }
        let outside = Times::new(self.scop, &self.band.get_prefix_schedule_relation()?)?;
        let outside = &outside.whole[self.stmt];
        let together = outside.clone().apply_range(outside.clone().reverse()?)?;
        let together = together.intersect_params(self.scop.context.clone())?;
        Ok(self.together.get_or_init(|| together))
    }

    fn terms(&self) -> Result<&Map, Error> {
        if let Some(known) = self.terms.get() {
            return Ok(known);
        }
        let together = self.together()?;
        let same = |of: &Map| together.clone().intersect(of.clone().apply_range(of.clone().reverse()?)?);
        let cell = self.own[1].clone().flat_range_product(self.own[2].clone())?;
        // From an instance to one of the same term, and on to all of that one's cell.
        let has_term = same(&self.own[0])?.apply_range(same(&cell)?)?;
        let terms = has_term.clone().intersect(has_term.reverse()?)?;
        Ok(self.terms.get_or_init(|| terms))
    }
}

/// The time of each statement's instances.
pub(crate) struct Times {
    /// For each statement `{ S[i] -> [t0, ...] }`, restricted to the scop's instances.
    pub(crate) whole: Vec<Map>,
    /// How many positions they have.
    pub(crate) length: usize,
    /// For each statement and position k: `{ S[i] -> [tk] }`, once it was asked for.
    parts: Vec<Vec<OnceCell<Map>>>,
}

impl Times {
    fn new(scop: &Scop, schedule: &UnionMap) -> Result<Times, Error> {
        let mut found = Vec::new();
        for map in schedule.get_map_list()?.to_vec()? {
            if let Some(stmt) = map.get_tuple_name(DimType::In)?.and_then(|name| scop.stmt_named(&name)) {
                found.push((stmt, map.flatten_range()?.reset_tuple_id(DimType::Out)?));
            }
        }
        let mut length = 0;
        for (_, map) in &found {
            length = length.max(map.dim(DimType::Out)?);
        }
        let mut whole = Vec::new();
        for id in scop.stmt_ids() {
            let domain = scop.instances(scop.stmt(id))?;
            let range = domain.get_space()?.params()?.set_from_params()?.add_dims(DimType::Set, length)?;
            let mut all = Map::empty(domain.get_space()?.map_from_domain_and_range(range)?)?;
            for (_, map) in found.iter().filter(|(stmt, _)| *stmt == id) {
                all = all.union(filled_up(map.clone(), length)?)?;
            }
            whole.push(all.intersect_domain(domain)?);
        }
        let parts = whole.iter().map(|_| (0..length).map(|_| OnceCell::new()).collect()).collect();
        Ok(Times { whole, length, parts })
    }

    /// `{ S[i] -> [tk] }` of a statement.
    pub(crate) fn part(&self, stmt: usize, k: usize) -> isl::Result<&Map> {
        if let Some(known) = self.parts[stmt][k].get() {
            return Ok(known);
        }
        let (before, after) = (self.whole[stmt].clone(), self.length - k - 1);
        let only = before.project_out(DimType::Out, k + 1, after)?.project_out(DimType::Out, 0, k)?;
        // Parts of a statement have the same loops around them.
        let only = only.coalesce()?;
        Ok(self.parts[stmt][k].get_or_init(|| only))
    }

    /// `{ S[i] -> [tk] }` of a statement, for each k.
    fn parts(&self, stmt: usize) -> isl::Result<Vec<Map>> {
        (0..self.length).map(|k| self.part(stmt, k).cloned()).collect()
    }
}

/// Whether nothing has more than one time. Where each piece has one and no two pieces are about the same instance, which a
/// schedule tree's pieces are not, that is found without comparing their times.
fn has_one_each(times: &Map) -> isl::Result<bool> {
    let mut domains: Vec<isl::BasicSet> = Vec::new();
    for piece in times.get_basic_map_list()?.to_vec()? {
        let domain = piece.clone().domain()?;
        for other in &domains {
            if !domain.is_disjoint(other)? {
                return times.is_single_valued();
            }
        }
        if !piece.is_single_valued()? {
            return Ok(false);
        }
        domains.push(domain);
    }
    Ok(true)
}

/// `map` with zeros up to `length` outputs.
fn filled_up(map: Map, length: usize) -> isl::Result<Map> {
    let own = map.dim(DimType::Out)?;
    let map = map.add_dims(DimType::Out, length - own)?;
    (own..length).try_fold(map, |map, position| map.fix_si(DimType::Out, position, 0))
}

/// A dependence of that kind from instances of one statement to those of another: `{ S[i] -> T[j] }`.
type Dependence = (Kind, StmtId, StmtId, Map);

struct Checker<'a> {
    scop: &'a Scop,
    prover: &'a Prover<'a>,
    reductions: Reductions,
}

impl Checker<'_> {
    /// Rules 1 and 2, by times.
    fn check_map(&self, schedule: &UnionMap) -> Result<Verdict, Error> {
        let times = Times::new(self.scop, schedule)?;
        let found = match self.run_once(&times)? {
            None => self.not_after(&times)?,
            found => found,
        };
        Ok(found.map_or(Verdict::Legal, |violation| Verdict::Illegal(Box::new(violation))))
    }

    /// Something that the schedule runs but the scop does not have.
    fn not_there(&self, scheduled: &UnionSet) -> Result<Option<Violation>, Error> {
        let scheduled = scheduled.clone().intersect_params(self.scop.context.clone())?;
        let extra = scheduled.subtract(self.scop.domain()?)?;
        for set in extra.get_set_list()?.to_vec()? {
            if !set.is_empty()? {
                let name = set.get_tuple_name()?.unwrap_or_default();
                let (params, counters) = self.point(set)?;
                return Ok(Some(Violation { params, rule: Rule::NotThere(tuple(&name, &counters)) }));
            }
        }
        Ok(None)
    }

    /// Rule 1: an instance that has no time, or more than one.
    fn run_once(&self, times: &Times) -> Result<Option<Violation>, Error> {
        for id in self.scop.stmt_ids() {
            let times = &times.whole[id.index()];
            let domain = self.scop.instances(self.scop.stmt(id))?;
            let without = domain.subtract(times.clone().domain()?)?;
            if !without.is_empty()? {
                let (params, instance) = self.instance(id, without)?;
                return Ok(Some(Violation { params, rule: Rule::NeverRun(instance) }));
            }
            if !has_one_each(times)? {
                let more = times.clone().subtract(times.clone().lexmin()?)?.domain()?;
                let (params, instance) = self.instance(id, more)?;
                return Ok(Some(Violation { params, rule: Rule::RunTwice(instance) }));
            }
        }
        Ok(None)
    }

    /// Rule 2: a dependence whose sink does not come after its source.
    fn not_after(&self, times: &Times) -> Result<Option<Violation>, Error> {
        let found = self.first_broken(|source, sink, relation| {
            let mut equal = relation;
            for k in 0..times.length {
                let (first, second) = (times.part(source.index(), k)?, times.part(sink.index(), k)?);
                let earlier = first.clone().lex_gt_map(second.clone())?.intersect(equal.clone())?;
                if !earlier.is_empty()? {
                    return Ok(Some(earlier));
                }
                equal = equal.intersect(first.clone().apply_range(second.clone().reverse()?)?)?;
                if equal.is_empty()? {
                    return Ok(None);
                }
            }
            Ok(if equal.is_empty()? { None } else { Some(equal) })
        })?;
        found.map(|broken| self.explain(broken, Some(times))).transpose()
    }

    /// Rule 3: a dependence between two children of a set node.
    fn sets(&self, schedule: &Schedule) -> Result<Option<Violation>, Error> {
        let mut nodes = Vec::new();
        schedule.foreach_schedule_node_top_down(|node| {
            if node.get_type()? == ScheduleNodeType::Set {
                nodes.push(node.clone());
            }
            Ok(true)
        })?;
        for node in nodes {
            let prefix = Times::new(self.scop, &node.get_prefix_schedule_relation()?)?;
            let children = (0..node.n_children()?)
                .map(|at| node.get_child(at)?.filter_get_filter())
                .collect::<isl::Result<Vec<_>>>()?;
            for (kind, source, sink, relation) in self.relations()? {
                let together = self.agreeing(&prefix, source, sink, relation)?;
                for (at, first) in children.iter().enumerate() {
                    let rest = children.iter().enumerate().filter(|(other, _)| *other != at);
                    for (_, second) in rest {
                        let open = UnionMap::from_map(together.clone())?
                            .intersect_domain_union_set(first.clone())?
                            .intersect_range_union_set(second.clone())?;
                        for open in open.get_map_list()?.to_vec()? {
                            if !open.is_empty()? {
                                return self.explain((kind, source, sink, open), None).map(Some);
                            }
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// A dependence between two iterations of a parallel member.
    fn side_by_side(&self, outside: &Times, own: &Times, member: usize) -> Result<Option<Violation>, Error> {
        let found = self.first_broken(|source, sink, relation| {
            let parts =
                |k| -> isl::Result<_> { Ok((own.part(source.index(), k)?, own.part(sink.index(), k)?)) };
            let (first, second) = parts(member)?;
            if first.plain_is_empty()? || second.plain_is_empty()? {
                // One of them is not in the loop.
                return Ok(None);
            }
            let mut together = self.agreeing(outside, source, sink, relation)?;
            for k in 0..member {
                let (first, second) = parts(k)?;
                together = together.intersect(first.clone().apply_range(second.clone().reverse()?)?)?;
            }
            let before = first.clone().lex_lt_map(second.clone())?;
            let apart = before.union(first.clone().lex_gt_map(second.clone())?)?.intersect(together)?;
            Ok(if apart.is_empty()? { None } else { Some(apart) })
        })?;
        let Some(broken) = found else { return Ok(None) };
        let mut violation = self.explain(broken, Some(own))?;
        if let Rule::Broken(CounterExample { fate, .. }) = &mut violation.rule
            && let Fate::NotAfter { source, sink } = fate
        {
            *fate = Fate::SideBySide { source: source[member], sink: sink[member] };
        }
        Ok(Some(violation))
    }

    /// The first pairs that `broken` finds in a dependence. The kinds of dependences between two statements have many pairs in
    /// common, so they are looked at together; one by one only if there is something to find.
    fn first_broken(
        &self,
        broken: impl Fn(StmtId, StmtId, Map) -> isl::Result<Option<Map>>,
    ) -> Result<Option<Dependence>, Error> {
        for (source, sink, relation) in self.together()? {
            if let Some(pairs) = broken(source, sink, relation)? {
                for (kind, source, sink, relation) in self.relations()? {
                    if let Some(pairs) = broken(source, sink, relation)? {
                        return Ok(Some((kind, source, sink, pairs)));
                    }
                }
                return Ok(Some((self.reductions.kinds()[0], source, sink, pairs)));
            }
        }
        Ok(None)
    }

    /// The pairs of the relation that have the same time and both have one.
    fn agreeing(&self, times: &Times, source: StmtId, sink: StmtId, relation: Map) -> isl::Result<Map> {
        let (first, second) = (&times.whole[source.index()], &times.whole[sink.index()]);
        relation.intersect(first.clone().apply_range(second.clone().reverse()?)?)
    }

    /// The dependences that bind, of all kinds together.
    fn together(&self) -> Result<Vec<Bond>, Error> {
        let known = &self.prover.bonds[usize::from(self.reductions == Reductions::Kept)];
        if let Some(known) = known.get() {
            return Ok(known.clone());
        }
        let mut all: Vec<Bond> = Vec::new();
        for (_, source, sink, relation) in self.relations()? {
            match all.iter_mut().find(|(from, to, _)| (*from, *to) == (source, sink)) {
                Some((_, _, known)) => *known = known.clone().union(relation)?,
                None => all.push((source, sink, relation)),
            }
        }
        Ok(known.get_or_init(|| all).clone())
    }

    /// The dependences that bind, by kinds and pairs of statements.
    fn relations(&self) -> Result<Vec<Dependence>, Error> {
        let known = &self.prover.relations;
        let all = match known.get() {
            Some(all) => all,
            None => {
                let all = self.all_relations()?;
                known.get_or_init(|| all)
            }
        };
        let kinds = self.reductions.kinds();
        Ok(all.iter().filter(|(kind, ..)| kinds.contains(kind)).cloned().collect())
    }

    fn all_relations(&self) -> Result<Vec<Dependence>, Error> {
        let mut relations = Vec::new();
        for kind in Kind::ALL {
            for map in self.prover.dependences.of_kind(kind).get_map_list()?.to_vec()? {
                let name = |side| map.get_tuple_name(side).map(Option::unwrap_or_default);
                let (source, sink) = (name(DimType::In)?, name(DimType::Out)?);
                let (Some(from), Some(to)) = (self.scop.stmt_named(&source), self.scop.stmt_named(&sink))
                else {
                    return Err(Error::Malformed(format!(
                        "a dependence from {source} to {sink} is not one of the scop's"
                    )));
                };
                relations.push((kind, from, to, map.intersect_params(self.scop.context.clone())?));
            }
        }
        Ok(relations)
    }

    // ---- counter-examples ----

    /// A pair of the relation, which is not empty, and what the times make of it; without times, nothing.
    fn explain(
        &self,
        (kind, source, sink, relation): Dependence,
        times: Option<&Times>,
    ) -> Result<Violation, Error> {
        let depth = self.scop.stmt(source).domain.dim(DimType::Set)?;
        let (params, counters) = self.point(relation.wrap()?)?;
        let (first, second) = counters.split_at(depth);
        let fate = match times {
            None => Fate::LeftOpen,
            Some(times) => Fate::NotAfter {
                source: self.image(&times.whole[source.index()], &params, first)?.unwrap_or_default(),
                sink: self.image(&times.whole[sink.index()], &params, second)?.unwrap_or_default(),
            },
        };
        let instance = |stmt: StmtId, counters: &[i64]| Instance {
            stmt,
            name: self.scop.stmt(stmt).name.clone(),
            counters: counters.to_vec(),
        };
        let (source, sink) = (instance(source, first), instance(sink, second));
        let conflict = self.conflict(kind, &source, &sink, &params)?;
        let example = CounterExample { source, sink, kind, conflict, fate };
        Ok(Violation { params, rule: Rule::Broken(example) })
    }

    /// A cell that both instances touch in the way that the kind says.
    fn conflict(
        &self,
        kind: Kind,
        source: &Instance,
        sink: &Instance,
        params: &[(String, i64)],
    ) -> isl::Result<Option<Conflict>> {
        let writes = |access: &Access| access.kind != AccessKind::Read;
        for first in &self.scop.stmt(source.stmt).accesses {
            for second in &self.scop.stmt(sink.stmt).accesses {
                let fits = match kind {
                    Kind::Flow => writes(first) && !writes(second),
                    Kind::Anti => !writes(first) && writes(second),
                    Kind::Output => writes(first) && writes(second),
                    Kind::Reduction => writes(first) || writes(second),
                };
                if !fits || first.array != second.array {
                    continue;
                }
                let cells = fixed(first.relation.clone(), params, &source.counters)?.range()?;
                let cells =
                    cells.intersect(fixed(second.relation.clone(), params, &sink.counters)?.range()?)?;
                if cells.is_empty()? {
                    continue;
                }
                let (_, subscripts) = self.point(cells)?;
                return Ok(Some(Conflict {
                    array: self.scop.array(first.array).name.clone(),
                    subscripts,
                    source: first.id,
                    sink: second.id,
                    source_writes: writes(first),
                    sink_writes: writes(second),
                }));
            }
        }
        Ok(None)
    }

    /// The time of an instance.
    fn image(
        &self,
        times: &Map,
        params: &[(String, i64)],
        counters: &[i64],
    ) -> isl::Result<Option<Vec<i64>>> {
        let image = fixed(times.clone(), params, counters)?.range()?;
        if image.is_empty()? { Ok(None) } else { self.point(image).map(|(_, time)| Some(time)) }
    }

    fn instance(&self, stmt: StmtId, set: Set) -> isl::Result<(Params, Instance)> {
        let (params, counters) = self.point(set)?;
        Ok((params, Instance { stmt, name: self.scop.stmt(stmt).name.clone(), counters }))
    }

    /// The parameters and coordinates of a point of a set that is not empty, with small numbers if there are such.
    fn point(&self, set: Set) -> isl::Result<(Params, Vec<i64>)> {
        let names: Vec<_> = self.scop.params.iter().map(|param| param.name.as_str()).collect();
        let all: Set = self.scop.ctx.parse(&format!("[{}] -> {{ : }}", names.join(", ")))?;
        let set = set.intersect_params(all)?.intersect_params(self.scop.context.clone())?;
        let count = set.dim(DimType::Param)?;
        let mut params = Vec::new();
        for at in 0..count {
            params.push(set.get_dim_name(DimType::Param, at)?.unwrap_or_default());
        }
        // Parameters first, so that the lexicographically least point has small ones.
        let set = set.flatten()?.move_dims(DimType::Set, 0, DimType::Param, 0, count)?;
        let mut numbers = least(set)?;
        let coordinates = numbers.split_off(count);
        Ok((params.into_iter().zip(numbers).collect(), coordinates))
    }
}

/// A point of a set that is not empty: the lexicographically least one with small numbers, if there are such.
fn least(set: Set) -> isl::Result<Vec<i64>> {
    for (low, high) in [(0, 3), (0, 10), (-100, 100)] {
        let mut small = set.clone();
        for at in 0..set.dim(DimType::Set)? {
            small = small.lower_bound_si(DimType::Set, at, low)?.upper_bound_si(DimType::Set, at, high)?;
        }
        if !small.is_empty()? {
            return coordinates(small.lexmin()?);
        }
    }
    coordinates(set)
}

fn coordinates(set: Set) -> isl::Result<Vec<i64>> {
    let point = set.sample_point()?;
    (0..point.get_space()?.dim(DimType::Set)?)
        .map(|at| point.get_coordinate_val(DimType::Set, at)?.get_num_si())
        .collect()
}

/// The map at these values of the parameters and inputs.
fn fixed(mut map: Map, params: &[(String, i64)], inputs: &[i64]) -> isl::Result<Map> {
    let ctx = map.ctx().clone();
    for (name, value) in params {
        if let Some(at) = map.find_dim_by_name(DimType::Param, name)? {
            map = map.fix_val(DimType::Param, at, Val::int_from_si(&ctx, *value)?)?;
        }
    }
    for (at, value) in inputs.iter().enumerate() {
        map = map.fix_val(DimType::In, at, Val::int_from_si(&ctx, *value)?)?;
    }
    Ok(map)
}

// ---- text ----

fn tuple(name: &str, numbers: &[i64]) -> String {
    let numbers: Vec<_> = numbers.iter().map(i64::to_string).collect();
    format!("{name}[{}]", numbers.join(", "))
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tuple(&self.name, &self.counters))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.params.is_empty() {
            let values: Vec<_> =
                self.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            write!(f, "with {}: ", values.join(", "))?;
        }
        match &self.rule {
            Rule::NeverRun(instance) => write!(f, "the schedule never runs {instance}"),
            Rule::RunTwice(instance) => write!(f, "the schedule runs {instance} more than once"),
            Rule::NotThere(what) => write!(f, "the schedule runs {what}, which the program does not"),
            Rule::Broken(example) => example.fmt(f),
        }
    }
}

impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, sink) = (&self.source, &self.sink);
        let verb = |writes| if writes { "writes" } else { "reads" };
        match &self.conflict {
            Some(c) if self.kind == Kind::Reduction => {
                write!(f, "{source} and then {sink} update {}", tuple(&c.array, &c.subscripts))?;
            }
            Some(c) => {
                let cell = tuple(&c.array, &c.subscripts);
                let (first, then) = (verb(c.source_writes), verb(c.sink_writes));
                write!(f, "{source} {first} {cell}, then {sink} {then} it")?;
            }
            None => write!(f, "{sink} depends on {source}")?,
        }
        write!(f, " ({}); the schedule ", self.kind)?;
        match &self.fate {
            Fate::LeftOpen => write!(f, "leaves their order open"),
            Fate::SideBySide { source: first, sink: second } => {
                write!(
                    f,
                    "runs {source} in iteration {first} and {sink} in iteration {second} of a parallel loop"
                )
            }
            Fate::NotAfter { source: first, sink: second } if first == second => {
                write!(f, "runs both at {}", tuple("", first))
            }
            Fate::NotAfter { source: first, sink: second } => {
                write!(f, "runs {sink} at {} before {source} at {}", tuple("", second), tuple("", first))
            }
        }
    }
}
