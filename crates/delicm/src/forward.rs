//! Operand tree forwarding: a statement computes for itself what it would read from a scalar.
//!
//! A read of a scalar is followed to the one write it comes from, and the value written there is made available in
//! the reading statement (the *target*):
//!
//! - if an array cell is known to hold the value when the target runs, the target loads it (`findSameContent` of the
//!   paper); the cell need not be the one that was loaded before, nor the value have been loaded at all;
//! - a value from outside of the nest is used as it is;
//! - a pure operation is copied, if its operands can be made available.
//!
//! That the flow leads from an instance of the operation to the target's proves that the operation was executed with
//! the same operands, so it need not be speculatable: a division by what was divided by before does not trap.
//!
//! Trees are forwarded as a whole or not at all. What a target has once, it does not compute again: results shared in the tree
//! are copied once. Only statements whose body tells all that is done with the read are targets.
//!
//! Listings 9 and 10 of the paper; the answer and the change are found in one walk here, which is undone on failure.

use dataflow::before;
use dataflow::content::{Contents, is_total};
use dataflow::zones::before_or_same;
use isl::{Map, Set, UnionMap, UnionSet};
use model::{Access, AccessId, AccessKind, ArrayId, ArrayKind, Op, Operand, Scop, Stmt, StmtId};

use crate::relations::{content_of, in_one_piece, only_map};

/// An operation that was copied into another statement.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The name of the statement that got it.
    pub stmt: String,
    /// Its name there.
    pub op: String,
    /// The name of the statement it is from.
    pub from: String,
    /// Its name there.
    pub from_op: String,
    /// `{ S[i] -> T[j] }`: S\[i\] computes what T\[j\] computed.
    pub at: UnionMap,
}

/// A read of a scalar that is no longer needed.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The name of the statement.
    pub stmt: String,
    /// The read.
    pub read: AccessId,
    /// What took its place.
    pub by: Source,
}

/// A value in a statement, by names that last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What the access reads.
    Load(AccessId),
    /// The result of the operation of that name.
    Op(String),
    /// A value from outside of the nest.
    Outside(String),
}

/// What forwarding did.
#[derive(Clone, Debug)]
pub struct Forwarded {
    /// The new model.
    pub scop: Scop,
    /// The operations copied.
    pub copies: Vec<Copied>,
    /// The reads that are gone.
    pub replaced: Vec<Replaced>,
    /// How many loads there are that were not there before.
    pub reloads: usize,
    /// Reads of scalars that are left.
    pub stuck: Vec<(StmtId, AccessId)>,
}

/// How high a tree may be, and how many operations a target may get for one scalar.
const HIGHEST: usize = 12;
const MOST: usize = 16;

/// Forwards whatever can be forwarded.
pub fn forward(contents: &Contents<'_>) -> isl::Result<Forwarded> {
    let scop = contents.scop();
    let (copies, replaced, stuck) = Default::default();
    let mut result = Forwarded { scop: scop.clone(), copies, replaced, reloads: 0, stuck };
    for id in scop.stmt_ids().filter(|id| scop.stmt(*id).is_transparent()) {
        let instances = scop.instances(scop.stmt(id))?;
        let mut target = Target::new(scop, contents, id, instances, result.scop.next_access());
        target.forward_all(id)?;
        result.reloads += target.reloads;
        result.copies.extend(target.copies);
        result.replaced.extend(target.replaced);
        result.stuck.extend(target.stuck.into_iter().map(|read| (id, read)));
        result.scop.stmts[id.index()] = target.stmt;
    }
    Ok(result)
}

/// Whether what a read sees can be made available in some of its statement's instances.
pub(crate) fn can_forward(
    scop: &Scop,
    contents: &Contents<'_>,
    (stmt, read): (StmtId, AccessId),
    instances: &Set,
) -> isl::Result<bool> {
    let mut target = Target::new(scop, contents, stmt, instances.clone(), scop.next_access());
    let identity = UnionSet::from_set(instances.clone())?.identity()?;
    Ok(target.tree(stmt, &Operand::Read(read), &identity, &mut Vec::new())?.is_some())
}

/// Cells that may hold a value: `{ target -> A[x] }`.
struct Holder {
    cells: UnionMap,
    /// For each cell, or for none of them, a time at which it is known to hold the value.
    known: Vec<(UnionMap, When)>,
}

impl Holder {
    fn new(cells: UnionMap, when: When) -> Holder {
        Holder { cells: cells.clone(), known: vec![(cells, when)] }
    }
}

/// A time at which a value is in a cell.
#[derive(Clone)]
enum When {
    /// Before the nest.
    AtFirst,
    /// Right before these instances of the statement: `{ target -> S[i] }`.
    Before(StmtId, UnionMap),
    /// Right after them.
    After(StmtId, UnionMap),
}

/// A statement that gets operand trees.
struct Target<'a> {
    id: StmtId,
    scop: &'a Scop,
    contents: &'a Contents<'a>,
    /// The instances in which they are needed.
    domain: Set,
    /// What becomes of it.
    stmt: Stmt,
    /// The first number for new reads, and the next one.
    first: AccessId,
    next: AccessId,
    /// What is available: the operand of a statement in the instances `{ target -> T[j] }`, and its name here.
    done: Vec<(StmtId, Operand, UnionMap, Operand)>,
    copies: Vec<Copied>,
    replaced: Vec<Replaced>,
    reloads: usize,
    stuck: Vec<AccessId>,
}

impl<'a> Target<'a> {
    fn new(
        scop: &'a Scop,
        contents: &'a Contents<'a>,
        id: StmtId,
        instances: Set,
        first: AccessId,
    ) -> Target<'a> {
        let (done, copies, replaced, stuck) = Default::default();
        let (stmt, next, domain) = (scop.stmt(id).clone(), first, instances);
        Target { id, scop, contents, domain, stmt, first, next, done, copies, replaced, reloads: 0, stuck }
    }
}

impl Target<'_> {
    fn forward_all(&mut self, id: StmtId) -> isl::Result<()> {
        let identity = UnionSet::from_set(self.domain.clone())?.identity()?;
        for read in &self.scop.stmt(id).accesses {
            let is_scalar = self.scop.array(read.array).kind != ArrayKind::Memory;
            let is_update = self.stmt.reductions.iter().any(|reduction| reduction.read == read.id);
            if read.kind != AccessKind::Read || !is_scalar || is_update {
                continue;
            }
            let before = self.mark();
            match self.tree(id, &Operand::Read(read.id), &identity, &mut Vec::new())? {
                Some(value) => self.replace(read.id, &value),
                None => {
                    self.back_to(before);
                    self.stuck.push(read.id);
                }
            }
        }
        sort_ops(&mut self.stmt);
        Ok(())
    }

    fn mark(&self) -> [usize; 5] {
        [self.stmt.accesses.len(), self.stmt.body.ops.len(), self.done.len(), self.copies.len(), self.reloads]
    }

    fn back_to(&mut self, [accesses, ops, done, copies, reloads]: [usize; 5]) {
        self.stmt.accesses.truncate(accesses);
        self.stmt.body.ops.truncate(ops);
        self.done.truncate(done);
        self.copies.truncate(copies);
        self.reloads = reloads;
    }

    /// Uses a value in the place of a read, and drops the read.
    fn replace(&mut self, read: AccessId, value: &Operand) {
        let body = &mut self.stmt.body;
        let operands = body.ops.iter_mut().flat_map(|op| &mut op.operands);
        for operand in operands.chain(body.stored.iter_mut().map(|(_, stored)| stored)) {
            if *operand == Operand::Read(read) {
                *operand = value.clone();
            }
        }
        self.stmt.accesses.retain(|access| access.id != read);
        let by = match value {
            Operand::Read(id) => Source::Load(*id),
            Operand::Op(index) => Source::Op(self.stmt.body.ops[*index].name.clone()),
            Operand::Outside(name) => Source::Outside(name.clone()),
        };
        self.replaced.push(Replaced { stmt: self.stmt.name.clone(), read, by });
    }

    /// Makes an operand of statement `from` available here, where `at` is `{ target -> from[j] }`. Its name here.
    fn tree(
        &mut self,
        from: StmtId,
        operand: &Operand,
        at: &UnionMap,
        path: &mut Vec<(StmtId, Operand)>,
    ) -> isl::Result<Option<Operand>> {
        if let Operand::Outside(_) = operand {
            return Ok(Some(operand.clone()));
        }
        let here = (from, operand.clone());
        if path.len() >= HIGHEST || path.contains(&here) {
            return Ok(None);
        }
        for (known, value, instances, name) in &self.done {
            if (*known, value) == (from, operand) && instances.is_equal(at)? {
                return Ok(Some(name.clone()));
            }
        }
        path.push(here);
        let found = match operand {
            Operand::Read(id) => self.read(from, *id, at, path)?,
            Operand::Op(index) => self.op(from, *index, at, path)?,
            Operand::Outside(_) => None,
        };
        path.pop();
        if let Some(name) = &found {
            self.done.push((from, operand.clone(), at.clone(), name.clone()));
        }
        Ok(found)
    }

    fn read(
        &mut self,
        from: StmtId,
        read: AccessId,
        at: &UnionMap,
        path: &mut Vec<(StmtId, Operand)>,
    ) -> isl::Result<Option<Operand>> {
        let Some(access) = self.scop.stmt(from).access(read) else { return Ok(None) };
        let is_scalar = self.scop.array(access.array).kind != ArrayKind::Memory;
        let origin = if is_scalar { self.origin(read, at)? } else { None };
        // What is only passed on is found where it comes from.
        if let Some((writer, value, reached)) = &origin
            && !matches!(value, Operand::Op(_))
        {
            return self.tree(*writer, value, reached, path);
        }
        if let Some(loaded) = self.reload(from, access, at)? {
            return Ok(Some(loaded));
        }
        match origin {
            Some((writer, value, reached)) => self.tree(writer, &value, &reached, path),
            None => Ok(None),
        }
    }

    /// What a read of a scalar sees, if it always comes from one write: the statement, the value that it stores there, and the
    /// instances `{ target -> W[j] }`.
    fn origin(&self, read: AccessId, at: &UnionMap) -> isl::Result<Option<(StmtId, Operand, UnionMap)>> {
        let mut writes = Vec::new();
        for (write, source) in self.contents.sources(read) {
            let reached = at.clone().apply_range(UnionMap::from_map(source.clone())?)?;
            if !reached.is_empty()? {
                writes.push((*write, reached));
            }
        }
        let Some((write, reached)) = writes.pop().filter(|_| writes.is_empty()) else { return Ok(None) };
        let Some((writer, write)) = self.scop.access(write) else { return Ok(None) };
        let value = self.scop.stmt(writer).body.stored(write.id).cloned();
        let is_it = write.kind == AccessKind::MustWrite
            && reached.is_single_valued()?
            && is_total(&reached, &self.domain)?;
        Ok(value.filter(|_| is_it).map(|value| (writer, value, reached)))
    }

    fn op(
        &mut self,
        from: StmtId,
        index: usize,
        at: &UnionMap,
        path: &mut Vec<(StmtId, Operand)>,
    ) -> isl::Result<Option<Operand>> {
        let source = self.scop.stmt(from);
        let op = &source.body.ops[index];
        if !op.is_pure || op.operands.is_empty() || self.copies.len() >= MOST {
            return Ok(None);
        }
        let mut operands = Vec::new();
        for operand in &op.operands {
            match self.tree(from, operand, at, path)? {
                Some(name) => operands.push(name),
                None => return Ok(None),
            }
        }
        let name = self.new_name(&format!("{}_{}", source.name, op.name));
        self.copies.push(Copied {
            stmt: self.stmt.name.clone(),
            op: name.clone(),
            from: source.name.clone(),
            from_op: op.name.clone(),
            at: at.clone(),
        });
        self.stmt.body.ops.push(Op { name, operator: op.operator.clone(), operands, is_pure: true });
        Ok(Some(Operand::Op(self.stmt.body.ops.len() - 1)))
    }

    fn new_name(&self, wanted: &str) -> String {
        let is_free = |name: &String| self.stmt.body.ops.iter().all(|op| op.name != *name);
        let numbered = (1..).map(|number| format!("{wanted}_{number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    /// Loads what a read of `from` sees, if some cell is known to hold it.
    fn reload(&mut self, from: StmtId, read: &Access, at: &UnionMap) -> isl::Result<Option<Operand>> {
        let value = at.clone().apply_range(self.contents.read(read.id)?)?;
        let value = value.intersect_domain_union_set(UnionSet::from_set(self.domain.clone())?)?;
        if !is_total(&value, &self.domain)? || !value.is_single_valued()? {
            return Ok(None);
        }
        let array = self.scop.array(read.array);
        if array.kind == ArrayKind::Memory {
            let cells = UnionMap::from_map(self.scop.cells(self.scop.stmt(from), read)?)?;
            let cells = at.clone().apply_range(cells)?;
            let own = match is_found(&value)? {
                true => Holder::new(cells, When::Before(from, at.clone())),
                false => Holder { cells, known: Vec::new() },
            };
            if let Some(cell) = self.holding(&own, &value, array.elem_bytes)? {
                return Ok(Some(self.load(cell)));
            }
        }
        for candidate in self.holders(&value)? {
            if let Some(cell) = self.holding(&candidate, &value, array.elem_bytes)? {
                return Ok(Some(self.load(cell)));
            }
        }
        Ok(None)
    }

    /// Cells that hold the value at some time: for each array those that held it before the nest, those that some write
    /// puts it into, and all of them together, because it may be one in some instances and the other in others. A constant
    /// may be in many cells: then the one to take is where the cells of the other instances lead to.
    fn holders(&self, value: &UnionMap) -> isl::Result<Vec<Holder>> {
        let mut found = Vec::new();
        let arrays = self.scop.arrays.iter().enumerate();
        for (index, array) in arrays.filter(|(_, array)| array.kind == ArrayKind::Memory) {
            let mut parts = Vec::new();
            for map in value.get_map_list()?.to_vec()? {
                if map.get_tuple_name(isl::DimType::Out)?.as_deref() == Some(array.name.as_str()) {
                    parts.push(Holder::new(UnionMap::from_map(map)?, When::AtFirst));
                }
            }
            for (stmt, write) in self.writes_of(index) {
                let Some(there) = self.contents.storing(value, write.id)? else { continue };
                if there.plain_is_empty()? {
                    continue;
                }
                let cells = there.clone().apply_range(UnionMap::from_map(write.relation.clone())?)?;
                if !cells.is_empty()? {
                    parts.push(Holder::new(cells, When::After(stmt, there)));
                }
            }
            let mut other = Vec::new();
            if parts.len() > 1 {
                let mut cells = parts.iter().map(|part| part.cells.clone());
                let cells = cells.try_fold(UnionMap::empty_ctx(&self.scop.ctx)?, UnionMap::union)?;
                let known = parts.iter().flat_map(|part| part.known.clone()).collect();
                other.push(Holder { cells, known });
            }
            for part in &parts {
                let continued = self.continued(&part.cells)?;
                other.extend(continued.map(|cells| Holder { cells, known: Vec::new() }));
            }
            found.extend(parts);
            found.extend(other);
        }
        Ok(found)
    }

    /// The cells of some instances, by the same function in all instances.
    fn continued(&self, part: &UnionMap) -> isl::Result<Option<UnionMap>> {
        let Some(map) = only_map(part)? else { return Ok(None) };
        if is_total(part, &self.domain)? || !map.is_single_valued()? {
            return Ok(None);
        }
        let instances = map.clone().domain()?;
        let whole = map.gist_domain(instances)?.intersect_domain(self.domain.clone())?;
        UnionMap::from_map(whole).map(Some)
    }

    fn writes_of(&self, array: usize) -> impl Iterator<Item = (StmtId, &Access)> {
        let accesses = |id| self.scop.stmt(id).accesses.iter().map(move |access| (id, access));
        let all = self.scop.stmt_ids().flat_map(accesses);
        all.filter(move |(_, access)| access.kind == AccessKind::MustWrite && access.array.index() == array)
    }

    /// The candidate `{ target -> A[x] }`, if each of the cells is one of an array, of that size, and holds the value.
    fn holding(&self, candidate: &Holder, value: &UnionMap, bytes: u32) -> isl::Result<Option<Map>> {
        let Holder { cells: candidate, known } = candidate;
        let Some(map) = only_map(candidate)? else { return Ok(None) };
        let Some(id) = map.get_tuple_name(isl::DimType::Out)?.and_then(|name| self.scop.array_named(&name))
        else {
            return Ok(None);
        };
        let array = self.scop.array(id);
        let fits = array.kind == ArrayKind::Memory
            && array.elem_bytes == bytes
            && is_total(candidate, &self.domain)?
            && candidate.is_single_valued()?;
        if !fits {
            return Ok(None);
        }
        let holds = self.all_undisturbed(id, known)?
            || match content_of(self.scop, self.contents, candidate)? {
                Some(content) => content.is_equal(value)?,
                None => false,
            };
        match holds {
            true => in_one_piece(map.intersect_domain(self.domain.clone())?, &self.domain).map(Some),
            false => Ok(None),
        }
    }

    fn all_undisturbed(&self, array: ArrayId, known: &[(UnionMap, When)]) -> isl::Result<bool> {
        for (cells, when) in known {
            match only_map(cells)? {
                Some(cells) if self.is_undisturbed(array, &cells, when)? => {}
                _ => return Ok(false),
            }
        }
        Ok(!known.is_empty())
    }

    /// Whether nothing writes the cells between the time at which they are known to hold the value and the target.
    fn is_undisturbed(&self, array: ArrayId, cells: &Map, when: &When) -> isl::Result<bool> {
        let since = match when {
            When::AtFirst => None,
            When::Before(stmt, at) | When::After(stmt, at) => match only_map(at)? {
                Some(at) => Some((*stmt, at)),
                None => return Ok(false),
            },
        };
        if let Some((stmt, at)) = &since {
            let earlier = match when {
                When::Before(..) => before_or_same(self.scop, *stmt, self.id)?,
                _ => before(self.scop, *stmt, self.id)?,
            };
            if !at.is_subset(&earlier.reverse()?)? {
                return Ok(false);
            }
        }
        for id in self.scop.stmt_ids() {
            let stmt = self.scop.stmt(id);
            let writes = |access: &&Access| access.array == array && access.kind != AccessKind::Read;
            for write in stmt.accesses.iter().filter(writes) {
                // { target -> W[j] }: W[j] writes the cell before the target reads it.
                let written = self.scop.cells(stmt, write)?;
                let mut hit = cells.clone().apply_range(written.reverse()?)?;
                hit = hit.intersect(before(self.scop, id, self.id)?.reverse()?)?;
                if let Some((known, at)) = &since {
                    let later = match when {
                        When::Before(..) => before_or_same(self.scop, *known, id)?,
                        _ => before(self.scop, *known, id)?,
                    };
                    hit = hit.intersect(at.clone().apply_range(later)?)?;
                }
                if !hit.is_empty()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn load(&mut self, relation: Map) -> Operand {
        let name = relation.get_tuple_name(isl::DimType::Out).ok().flatten().unwrap_or_default();
        // Only among the new ones: who emits the statement has the operands of copies before all else.
        let new = self.stmt.accesses.iter().filter(|access| access.id >= self.first);
        let mut same = new.filter(|access| access.relation.is_equal(&relation).unwrap_or(false));
        if let Some(known) = same.next() {
            return Operand::Read(known.id);
        }
        let (id, array) = (self.next, self.scop.array_named(&name));
        self.next = AccessId(id.0 + 1);
        self.reloads += 1;
        // `holding` found the array.
        self.stmt.accesses.extend(array.map(|array| Access { id, kind: AccessKind::Read, array, relation }));
        Operand::Read(id)
    }
}

/// Whether all values have names by which another read of them can be recognized, and not those of reads.
fn is_found(value: &UnionMap) -> isl::Result<bool> {
    for map in value.get_map_list()?.to_vec()? {
        let values = map.range()?;
        if values.is_wrapping()? {
            let name = values.unwrap()?.get_tuple_name(isl::DimType::Out)?;
            if name.is_some_and(|name| name.starts_with("read ")) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Puts each operation behind those it uses.
fn sort_ops(stmt: &mut Stmt) {
    let mut order: Vec<usize> = Vec::new();
    fn visit(ops: &[Op], index: usize, order: &mut Vec<usize>) {
        if order.contains(&index) {
            return;
        }
        for operand in &ops[index].operands {
            if let Operand::Op(used) = operand {
                visit(ops, *used, order);
            }
        }
        order.push(index);
    }
    (0..stmt.body.ops.len()).for_each(|index| visit(&stmt.body.ops, index, &mut order));
    let place = |old: usize| order.iter().position(|index| *index == old).unwrap_or(old);
    let renumber = |operand: &mut Operand| {
        if let Operand::Op(index) = operand {
            *index = place(*index);
        }
    };
    let mut ops: Vec<Op> = order.iter().map(|index| stmt.body.ops[*index].clone()).collect();
    ops.iter_mut().flat_map(|op| &mut op.operands).for_each(renumber);
    stmt.body.ops = ops;
    stmt.body.stored.iter_mut().for_each(|(_, value)| renumber(value));
}
