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

use dataflow::content::{Contents, Flows};
use isl::{Map, Set, UnionMap, UnionSet};
use model::{Access, AccessId, AccessKind, ArrayKind, Op, Operand, Scop, Stmt, StmtId};

use crate::relations::{cells, content_of, domain, is_total, only_map};

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
}

/// How high a tree may be, and how many operations a target may get for one scalar.
const HIGHEST: usize = 12;
const MOST: usize = 16;

/// Forwards whatever can be forwarded.
pub fn forward(scop: &Scop, flows: &Flows) -> isl::Result<Forwarded> {
    let contents = Contents::with(scop, flows)?;
    let mut result = Forwarded { scop: scop.clone(), copies: Vec::new(), replaced: Vec::new(), reloads: 0 };
    for id in scop.stmt_ids().filter(|id| scop.stmt(*id).is_transparent()) {
        let stmt = scop.stmt(id).clone();
        let (domain, first) = (domain(scop, &stmt)?, result.scop.next_access());
        let mut target = Target {
            scop,
            contents: &contents,
            domain,
            stmt,
            first,
            next: first,
            done: Vec::new(),
            copies: Vec::new(),
            replaced: Vec::new(),
            reloads: 0,
        };
        target.forward_all(id)?;
        result.reloads += target.reloads;
        result.copies.extend(target.copies);
        result.replaced.extend(target.replaced);
        result.scop.stmts[id.index()] = target.stmt;
    }
    Ok(result)
}

/// A statement that gets operand trees.
struct Target<'a> {
    scop: &'a Scop,
    contents: &'a Contents<'a>,
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
                None => self.back_to(before),
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
        if let Some(loaded) = self.reload(from, access, at)? {
            return Ok(Some(loaded));
        }
        if self.scop.array(access.array).kind == ArrayKind::Memory {
            return Ok(None);
        }
        let mut writes = Vec::new();
        for (write, source) in self.contents.sources(read) {
            let reached = at.clone().apply_range(UnionMap::from_map(source.clone())?)?;
            if !reached.is_empty()? {
                writes.push((*write, reached));
            }
        }
        let [(write, reached)] = &writes[..] else { return Ok(None) };
        let Some((writer, write)) = self.scop.access(*write) else { return Ok(None) };
        let is_it = write.kind == AccessKind::MustWrite
            && reached.is_single_valued()?
            && is_total(reached, &self.domain)?;
        match self.scop.stmt(writer).body.stored(write.id) {
            Some(value) if is_it => self.tree(writer, value, reached, path),
            _ => Ok(None),
        }
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
        let mut candidates = self.holders(&value)?;
        if array.kind == ArrayKind::Memory {
            let cells = UnionMap::from_map(cells(self.scop, self.scop.stmt(from), read)?)?;
            candidates.push(at.clone().apply_range(cells)?);
        }
        for candidate in candidates {
            if let Some(cell) = self.holding(&candidate, &value, array.elem_bytes)? {
                return Ok(Some(self.load(cell)));
            }
        }
        Ok(None)
    }

    /// Cells that hold the value at some time: for each array those that held it before the nest, those that some write
    /// puts it into, and all of them together, because it may be one in some instances and the other in others. A constant
    /// may be in many cells: then the one to take is where the cells of the other instances lead to.
    fn holders(&self, value: &UnionMap) -> isl::Result<Vec<UnionMap>> {
        let mut found = Vec::new();
        let arrays = self.scop.arrays.iter().enumerate();
        for (index, array) in arrays.filter(|(_, array)| array.kind == ArrayKind::Memory) {
            let mut parts = Vec::new();
            for map in value.get_map_list()?.to_vec()? {
                if map.get_tuple_name(isl::DimType::Out)?.as_deref() == Some(array.name.as_str()) {
                    parts.push(UnionMap::from_map(map)?);
                }
            }
            for write in self.writes_of(index) {
                let Some(written) = self.contents.written(write.id)? else { continue };
                let there = Contents::same(value, &written)?;
                let cells = there.apply_range(UnionMap::from_map(write.relation.clone())?)?;
                if !cells.is_empty()? {
                    parts.push(cells);
                }
            }
            if parts.len() > 1 {
                let all =
                    parts.iter().cloned().try_fold(UnionMap::empty_ctx(&self.scop.ctx)?, UnionMap::union)?;
                found.push(all);
            }
            for part in &parts {
                found.extend(self.continued(part)?);
            }
            found.extend(parts);
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

    fn writes_of(&self, array: usize) -> impl Iterator<Item = &Access> {
        let accesses = self.scop.stmts.iter().flat_map(|stmt| &stmt.accesses);
        accesses.filter(move |access| access.kind == AccessKind::MustWrite && access.array.index() == array)
    }

    /// The candidate `{ target -> A[x] }`, if each of the cells is one of an array, of that size, and holds the value.
    fn holding(&self, candidate: &UnionMap, value: &UnionMap, bytes: u32) -> isl::Result<Option<Map>> {
        let Some(map) = only_map(candidate)? else { return Ok(None) };
        let Some(array) =
            map.get_tuple_name(isl::DimType::Out)?.and_then(|name| self.scop.array_named(&name))
        else {
            return Ok(None);
        };
        let array = self.scop.array(array);
        let fits = array.kind == ArrayKind::Memory
            && array.elem_bytes == bytes
            && is_total(candidate, &self.domain)?
            && candidate.is_single_valued()?;
        if !fits {
            return Ok(None);
        }
        let content = content_of(self.scop, self.contents, candidate)?;
        let holds = match content {
            Some(content) => content.is_equal(value)?,
            None => false,
        };
        match holds {
            true => map.gist_domain(self.domain.clone())?.intersect_domain(self.domain.clone()).map(Some),
            false => Ok(None),
        }
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
