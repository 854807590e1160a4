//! Known content: which value an access reads or writes, by a name that equal values share.
//!
//! # Values
//! A value is named by what made it, so that one name never stands for two values; that two names stand for one value
//! is possible and only means that it is not known.
//!
//! - `[S[i] -> x[]]`: the result of operation `x` in instance S\[i\] (a value of SSA form in one iteration);
//! - `A[x]`: what the cell held before the nest;
//! - `=%alpha[]`, `=0[]`: a value that does not change in the nest;
//! - `[S[i] -> write 3[]]`: what access 3 writes, where the body does not tell;
//! - `[S[i] -> read 3[]]`: what access 3 reads, where the flow does not tell.
//!
//! A read has the value of the write that reaches it; a write of a value that was read has the value of that read. So
//! content is followed through copies, scalars and phis, instance by instance: a phi has the value of the first
//! incoming write in some instances and of the second one in others.
//!
//! # What is not followed
//! May-writes, accesses to several cells at once, several writes of one cell by one instance, and copies that go round
//! in a circle; there the access has a name of its own.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use isl::{DimType, Map, Set, UnionMap, UnionSet};
use model::{Access, AccessId, AccessKind, ArrayId, Operand, Scop, Stmt, StmtId};

use crate::access::Table;
use crate::value;

/// The flow of values through each array; reductions are reads and writes like others.
#[derive(Clone, Debug)]
pub struct Flows {
    of: HashMap<ArrayId, Rc<Flow>>,
}

/// The flow of values through an array.
#[derive(Clone, Debug)]
struct Flow {
    /// For each read the writes that may reach it: `{ R[k] -> W[j] }`.
    sources: HashMap<AccessId, Vec<(AccessId, Map)>>,
    /// `{ R[k] -> A[x] }`: reads, also of other arrays, that may see what was there before the nest.
    live_in: UnionMap,
}

impl Flows {
    /// The flow through all arrays.
    pub fn new(scop: &Scop) -> isl::Result<Flows> {
        let all: Vec<_> = (0..scop.arrays.len() as u32).map(ArrayId).collect();
        Flows::through(scop, &all)
    }

    /// The flow through these arrays.
    pub fn through(scop: &Scop, arrays: &[ArrayId]) -> isl::Result<Flows> {
        let mut flows = Flows { of: HashMap::new() };
        flows.update(scop, arrays)?;
        Ok(flows)
    }

    /// The writes that may reach a read of an array: `{ R[k] -> W[j] }` for each.
    pub fn sources(&self, array: ArrayId, read: AccessId) -> &[(AccessId, Map)] {
        let sources = self.of.get(&array).and_then(|flow| flow.sources.get(&read));
        sources.map_or(&[], Vec::as_slice)
    }

    /// `{ R[k] -> A[x] }`: instances of a read that may see what was there before the nest.
    pub fn live_in(&self, read: &Access) -> isl::Result<UnionMap> {
        let cells = UnionMap::from_map(read.relation.clone())?;
        match self.of.get(&read.array) {
            Some(flow) => flow.live_in.clone().intersect(cells),
            None => UnionMap::empty_ctx(cells.ctx()),
        }
    }

    /// The flow in a changed model, `self` being that of the old one, which had the same order.
    pub fn after(&self, old: &Scop, new: &Scop) -> isl::Result<Flows> {
        let mut flows = self.clone();
        let (mut changed, mut reads) = (Vec::new(), HashSet::new());
        for array in (0..new.arrays.len() as u32).map(ArrayId) {
            let writes = |access: &Access| access.array == array && access.kind != AccessKind::Read;
            match has_same_accesses(old, new, writes)? {
                true => reads.extend(self.other_reads(old, new, array)?),
                false => changed.push(array),
            }
        }
        if !changed.is_empty() {
            flows.update(new, &changed)?;
        }
        if !reads.is_empty() {
            flows.add_reads(new, &reads)?;
        }
        Ok(flows)
    }

    /// The flow in a model that has the same instances in the same order, but in other statements: `parts` are its
    /// statements with their instances by the old names, `{ S[i] }`, and the old numbers of their accesses.
    pub fn in_parts(&self, parts: &[Part]) -> isl::Result<Flows> {
        let mut flows = Flows { of: HashMap::new() };
        for (array, flow) in &self.of {
            flows.of.insert(*array, Rc::new(flow.in_parts(parts)?));
        }
        Ok(flows)
    }

    /// The reads of an array that the old model does not have, or not like that.
    fn other_reads(&self, old: &Scop, new: &Scop, array: ArrayId) -> isl::Result<Vec<AccessId>> {
        let mut other = Vec::new();
        let accesses = new.stmts.iter().flat_map(|stmt| &stmt.accesses);
        for read in accesses.filter(|access| access.array == array && access.kind == AccessKind::Read) {
            let known = old.access(read.id).filter(|(_, known)| known.array == array);
            let is_same = match known {
                Some((_, known)) => known.relation.is_equal(&read.relation)?,
                None => false,
            };
            if !is_same {
                other.push(read.id);
            }
        }
        Ok(other)
    }

    /// The flow to reads of arrays whose writes are what they were. No read changes what another one sees.
    fn add_reads(&mut self, scop: &Scop, reads: &HashSet<AccessId>) -> isl::Result<()> {
        let arrays: HashSet<_> =
            reads.iter().filter_map(|read| scop.access(*read)).map(|(_, access)| access.array).collect();
        let mut table = Table::of(scop, &arrays.iter().copied().collect::<Vec<_>>())?;
        table.entries.retain(|entry| !entry.reads() || reads.contains(&entry.id));
        let (pairs, live_in) = value::flow(scop, &table)?;
        for array in arrays {
            if let Some(flow) = self.of.get_mut(&array) {
                let flow = Rc::make_mut(flow);
                flow.sources.retain(|read, _| !reads.contains(read));
                flow.live_in = flow.live_in.clone().union(live_in.clone())?;
            }
        }
        for pair in pairs {
            if let Some(flow) = self.of.get_mut(&pair.array) {
                let sources = Rc::make_mut(flow).sources.entry(pair.sink).or_default();
                sources.push((pair.source, pair.relation.reverse()?));
            }
        }
        Ok(())
    }

    /// The flow after all accesses of `from` went to cells of `to`, if each read still sees the value it saw: as source it
    /// may have an earlier write of the value than the one it sees. Nothing in `from` may come from before the nest.
    pub fn merge(&mut self, from: ArrayId, to: ArrayId) {
        let Some(moved) = self.of.remove(&from) else { return };
        match self.of.get_mut(&to) {
            Some(flow) => {
                let sources = moved.sources.iter().map(|(read, writes)| (*read, writes.clone()));
                Rc::make_mut(flow).sources.extend(sources);
            }
            None => drop(self.of.insert(to, moved)),
        }
    }

    /// The flow through arrays whose accesses are not what they were.
    pub fn update(&mut self, scop: &Scop, changed: &[ArrayId]) -> isl::Result<()> {
        let table = Table::of(scop, changed)?;
        let (pairs, live_in) = value::flow(scop, &table)?;
        let flow = Flow { sources: HashMap::new(), live_in };
        let mut flows: HashMap<_, _> = changed.iter().map(|array| (*array, flow.clone())).collect();
        for pair in pairs {
            if let Some(flow) = flows.get_mut(&pair.array) {
                flow.sources.entry(pair.sink).or_default().push((pair.source, pair.relation.reverse()?));
            }
        }
        self.of.extend(flows.into_iter().map(|(array, flow)| (array, Rc::new(flow))));
        Ok(())
    }
}

impl Flow {
    fn in_parts(&self, parts: &[Part]) -> isl::Result<Flow> {
        let mut sources: HashMap<_, Vec<_>> = HashMap::new();
        let each =
            self.sources.iter().flat_map(|(read, writes)| writes.iter().map(move |write| (read, write)));
        for (read, (write, relation)) in each {
            for ((sink, reader), (source, writer)) in pairs(parts, *read, *write) {
                let some = reader.restrict(relation.clone())?.reverse()?;
                let some = writer.restrict(some)?.reverse()?;
                if !some.is_empty()? {
                    sources.entry(sink).or_default().push((source, some));
                }
            }
        }
        let mut live_in = UnionMap::empty_ctx(self.live_in.ctx())?;
        for map in self.live_in.get_map_list()?.to_vec()? {
            let name = map.get_tuple_name(DimType::In)?;
            for part in parts.iter().filter(|part| name.as_deref() == Some(part.of.as_str())) {
                live_in = live_in.union(UnionMap::from_map(part.restrict(map.clone())?)?)?;
            }
        }
        Ok(Flow { sources, live_in })
    }
}

/// A statement of a model that is a part of one of another model.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The name of what it is a part of.
    pub of: String,
    /// Its instances, by that name: `{ S[i] }`.
    pub instances: Set,
    /// The numbers of its accesses, and those of the accesses that they are.
    pub numbers: Vec<(AccessId, AccessId)>,
}

impl Part {
    /// `{ P[i] -> .. }` of `{ S[i] -> .. }`.
    fn restrict(&self, relation: Map) -> isl::Result<Map> {
        relation.intersect_domain(self.instances.clone())?.set_tuple_name(DimType::In, &self.name)
    }
}

/// An access of a part.
type PartAccess<'a> = (AccessId, &'a Part);

/// The accesses of parts that are one of two accesses, in pairs.
fn pairs(parts: &[Part], first: AccessId, second: AccessId) -> Vec<(PartAccess<'_>, PartAccess<'_>)> {
    let find = |wanted: AccessId| {
        let own =
            move |part| move |(new, old): &(AccessId, AccessId)| (*old == wanted).then_some((*new, part));
        parts.iter().flat_map(move |part: &Part| part.numbers.iter().filter_map(own(part)))
    };
    find(first).flat_map(|first| find(second).map(move |second| (first, second))).collect()
}

/// The content of a scop's accesses.
pub struct Contents<'s> {
    scop: &'s Scop,
    flows: Flows,
    /// Writes whose value one cannot tell by the access.
    unclear: HashSet<AccessId>,
    known: RefCell<HashMap<AccessId, UnionMap>>,
    /// What writes store, as far as it was asked for.
    stored: RefCell<HashMap<AccessId, UnionMap>>,
    /// Which instances store a value, likewise.
    writers: RefCell<HashMap<AccessId, UnionMap>>,
    /// The results of operations, likewise, by statement and position.
    results: RefCell<HashMap<(StmtId, usize), UnionMap>>,
    /// Reads that are being followed.
    active: RefCell<HashSet<AccessId>>,
    /// Whether following led to one of those.
    is_circle: Cell<bool>,
}

/// How many copies in a row are followed.
const DEEPEST: usize = 16;

impl<'s> Contents<'s> {
    /// Analyses the flow of values.
    pub fn new(scop: &'s Scop) -> isl::Result<Contents<'s>> {
        Contents::with(scop, &Flows::new(scop)?)
    }

    /// With the flow of values, which must be up to date.
    pub fn with(scop: &'s Scop, flows: &Flows) -> isl::Result<Contents<'s>> {
        let mut unclear = HashSet::new();
        for stmt in &scop.stmts {
            unclear.extend(unclear_writes(stmt)?);
        }
        let (known, stored, writers, results, active, is_circle) = Default::default();
        Ok(Contents {
            scop,
            flows: flows.clone(),
            unclear,
            known,
            stored,
            writers,
            results,
            active,
            is_circle,
        })
    }

    /// The model.
    pub fn scop(&self) -> &'s Scop {
        self.scop
    }

    /// The flow of values in it.
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// The writes that may reach a read: `{ R[k] -> W[j] }` for each.
    pub fn sources(&self, read: AccessId) -> &[(AccessId, Map)] {
        self.scop.access(read).map_or(&[], |(_, access)| self.flows.sources(access.array, read))
    }

    /// `{ R[k] -> A[x] }`: instances of a read that may see what was there before the nest.
    pub fn live_in(&self, read: &Access) -> isl::Result<UnionMap> {
        self.flows.live_in(read)
    }

    /// The value of an operand of a statement: `{ S[i] -> value }`.
    pub fn operand(&self, stmt: StmtId, operand: &Operand) -> isl::Result<UnionMap> {
        let stmt_ = self.scop.stmt(stmt);
        match operand {
            Operand::Op(index) => self.result(stmt, *index),
            Operand::Outside(name) => {
                // isl takes no number for a name.
                let name = format!("={name}");
                let value = Set::from_params(self.scop.context.clone())?.set_tuple_name(&name)?;
                constant(&self.scop.instances(stmt_)?, value)
            }
            Operand::Read(id) => self.read(*id),
        }
    }

    /// The result of an operation: `{ S[i] -> [S[i] -> x[]] }`.
    fn result(&self, stmt: StmtId, op: usize) -> isl::Result<UnionMap> {
        if let Some(known) = self.results.borrow().get(&(stmt, op)) {
            return Ok(known.clone());
        }
        let body = self.scop.stmt(stmt);
        let result = named(self.scop, body, &body.body.ops[op].name)?;
        self.results.borrow_mut().insert((stmt, op), result.clone());
        Ok(result)
    }

    /// What a write stores: `{ W[j] -> value }`, `None` if that cannot be told.
    pub fn written(&self, write: AccessId) -> isl::Result<Option<UnionMap>> {
        let Some((stmt, access)) = self.scop.access(write) else { return Ok(None) };
        if access.kind != AccessKind::MustWrite || self.unclear.contains(&write) {
            return Ok(None);
        }
        // On the way around a circle a value can be less known than from outside.
        let is_lasting = self.active.borrow().is_empty();
        if let Some(known) = self.stored.borrow().get(&write).filter(|_| is_lasting) {
            return Ok(Some(known.clone()));
        }
        let stmt_ = self.scop.stmt(stmt);
        let value = match stmt_.body.stored(write) {
            Some(operand) => self.operand(stmt, operand)?,
            None => named(self.scop, stmt_, &format!("write {}", write.0))?,
        };
        let here = UnionSet::from_set(access.relation.clone().domain()?)?;
        let value = value.intersect_domain_union_set(here)?;
        if is_lasting {
            self.stored.borrow_mut().insert(write, value.clone());
        }
        Ok(Some(value))
    }

    /// The instances of a write that store one of these values: `{ S[i] -> W[j] }` of `{ S[i] -> value }`; `None` if that cannot
    /// be told.
    pub fn storing(&self, values: &UnionMap, write: AccessId) -> isl::Result<Option<UnionMap>> {
        let known = self.writers.borrow().get(&write).cloned();
        let writers = match (known, self.written(write)?) {
            (_, None) => return Ok(None),
            (Some(known), _) => known,
            (None, Some(written)) => {
                let writers = written.reverse()?;
                if self.active.borrow().is_empty() {
                    self.writers.borrow_mut().insert(write, writers.clone());
                }
                writers
            }
        };
        values.clone().apply_range(writers).map(Some)
    }

    /// What a read sees: `{ R[k] -> value }`, for all instances that read.
    pub fn read(&self, read: AccessId) -> isl::Result<UnionMap> {
        if let Some(known) = self.known.borrow().get(&read) {
            return Ok(known.clone());
        }
        let Some((stmt, access)) = self.scop.access(read) else {
            return UnionMap::empty_ctx(&self.scop.ctx);
        };
        let here = access.relation.clone().domain()?;
        let own = || -> isl::Result<UnionMap> {
            let own = named(self.scop, self.scop.stmt(stmt), &format!("read {}", read.0))?;
            own.intersect_domain_union_set(UnionSet::from_set(here.clone())?)
        };
        if self.active.borrow().len() >= DEEPEST || !self.active.borrow_mut().insert(read) {
            self.is_circle.set(true);
            return own();
        }
        let outer = self.is_circle.replace(false);
        let followed = self.follow(access);
        self.active.borrow_mut().remove(&read);
        // Inside of a circle the result depends on where one entered it.
        let is_lasting = !self.is_circle.get() || self.active.borrow().is_empty();
        self.is_circle.set(outer || !is_lasting);
        let followed = followed?;
        let all = self.scop.instances(self.scop.stmt(stmt))?.intersect(here.clone())?;
        let value = match is_total(&followed, &all)? {
            true => followed,
            false => {
                let told = followed.clone().domain()?;
                followed.union(own()?.subtract_domain(told)?)?
            }
        };
        let value = crate::tidy_union(value)?;
        if is_lasting {
            self.known.borrow_mut().insert(read, value.clone());
        }
        Ok(value)
    }

    /// `{ R[k] -> value }` where exactly one value can be meant.
    fn follow(&self, read: &Access) -> isl::Result<UnionMap> {
        let nothing = UnionMap::empty_ctx(&self.scop.ctx)?;
        if !read.relation.is_single_valued()? {
            return Ok(nothing);
        }
        let mut values = self.live_in(read)?;
        let mut unknown = UnionSet::empty_ctx(&self.scop.ctx)?;
        for (write, relation) in self.sources(read.id) {
            let relation = UnionMap::from_map(relation.clone())?;
            match self.written(*write)? {
                Some(written) => values = values.union(relation.apply_range(written)?)?,
                None => unknown = unknown.union(relation.domain()?)?,
            }
        }
        let values = values.subtract_domain(unknown)?;
        Ok(if values.is_single_valued()? { values } else { nothing })
    }

    /// `{ S[i] -> T[j] }`: instances for which the two relations `{ S[i] -> value }` and `{ T[j] -> value }` name the
    /// same value.
    pub fn same(first: &UnionMap, second: &UnionMap) -> isl::Result<UnionMap> {
        first.clone().apply_range(second.clone().reverse()?)
    }
}

/// Whether a relation relates each of the instances to something.
pub fn is_total(relation: &UnionMap, instances: &Set) -> isl::Result<bool> {
    // Mostly there is one relation.
    if let [one] = &relation.get_map_list()?.to_vec()?[..] {
        let domain = one.clone().domain()?;
        if domain.get_space()?.has_equal_tuples(&instances.get_space()?)? {
            return instances.is_subset(&domain);
        }
    }
    UnionSet::from_set(instances.clone())?.is_subset(&relation.clone().domain()?)
}

/// Whether the accesses that are wanted are the same in two models.
pub fn has_same_accesses(old: &Scop, new: &Scop, wanted: impl Fn(&Access) -> bool) -> isl::Result<bool> {
    let by_number = |scop: &Scop| -> Vec<Access> {
        let all = scop.stmts.iter().flat_map(|stmt| &stmt.accesses);
        let mut some: Vec<_> = all.filter(|access| wanted(access)).cloned().collect();
        some.sort_by_key(|access| access.id);
        some
    };
    let (old, new) = (by_number(old), by_number(new));
    let mut is_same = old.len() == new.len();
    for (old, new) in old.iter().zip(&new) {
        is_same =
            is_same && (old.id, old.kind) == (new.id, new.kind) && old.relation.is_equal(&new.relation)?;
    }
    Ok(is_same)
}

/// Must-writes of several cells, and those of which another write of the same instance may touch the cell.
fn unclear_writes(stmt: &Stmt) -> isl::Result<HashSet<AccessId>> {
    let mut unclear = HashSet::new();
    let writes: Vec<_> = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read).collect();
    for write in &writes {
        let mut is_clear = write.relation.is_single_valued()?;
        for other in writes.iter().filter(|other| other.id != write.id && other.array == write.array) {
            let stored = stmt.body.stored(write.id);
            let is_same = stored.is_some()
                && stored == stmt.body.stored(other.id)
                && other.kind == AccessKind::MustWrite;
            is_clear &= is_same || write.relation.is_disjoint(&other.relation)?;
        }
        if !is_clear {
            unclear.insert(write.id);
        }
    }
    Ok(unclear)
}

/// `{ S[i] -> [S[i] -> name[]] }`.
fn named(scop: &Scop, stmt: &Stmt, name: &str) -> isl::Result<UnionMap> {
    let domain = scop.instances(stmt)?;
    let tag = Set::from_params(scop.context.clone())?.set_tuple_name(name)?;
    let identity = Map::identity(domain.get_space()?.map_from_set()?)?.intersect_domain(domain.clone())?;
    let tag = Map::from_domain_and_range(domain, tag)?;
    UnionMap::from_map(identity.range_product(tag)?)
}

/// `{ S[i] -> value }` for all instances of a domain.
fn constant(domain: &Set, value: Set) -> isl::Result<UnionMap> {
    UnionMap::from_map(Map::from_domain_and_range(domain.clone(), value)?)
}
