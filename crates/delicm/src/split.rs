//! Splits statements by which write reaches them, so that each part can compute for itself what it would read.
//!
//! A phi that gets its value from different statements in different instances cannot be forwarded as a whole. If the writes
//! reach disjoint sets of instances, the statement is as good as several ones with these sets as domains, and in each of
//! them the value has one origin:
//!
//! ```text
//! for i {                          for i {
//!   T: if (i == 0) p = 0             S: if (i == 0) B[i] = f(0)
//!   S: B[i] = f(p)                   S_1: if (i >= 1) B[i] = f(A[i - 1])
//!   U: p = A[i] }                  }
//! ```
//!
//! The *origin* of what a read sees is the first value behind it that is not just read from another scalar: `x2 = x1; x1 = A[i]`
//! leads from `x2` to `A[i - 2]`, to what `x1` was at first, and to what `x2` was. A statement is split only where
//! each part can then be forwarded; a part that sees what was there before the nest may stay as it is, because nothing
//! writes the scalar any more when all other reads are gone.
//!
//! # What stays the same
//! The parts stand where the statement stood, one after the other. Instances with the same counters are in one part only, so
//! the order of all instances is the same. One part keeps the statement's name and the numbers of its accesses; the others
//! have new ones ([`Split::numbers`]).

use std::collections::{HashMap, HashSet};

use dataflow::content::{Contents, Flows, Part};
use isl::{Map, Set};
use model::{AccessId, AccessKind, ArrayId, ArrayKind, Operand, Order, Scop, Stmt, StmtId};

use crate::forward::can_forward;

/// A model with split statements.
#[derive(Clone, Debug)]
pub struct Split {
    /// The new model.
    pub scop: Scop,
    /// For each of its statements the one it is a part of.
    pub of: Vec<StmtId>,
    /// For each access with a new number the one it had.
    pub numbers: HashMap<AccessId, AccessId>,
}

/// In how many parts a statement may be split.
const MOST_PARTS: usize = 6;

/// How many scalars in a row are followed to an origin.
const DEEPEST: usize = 8;

/// Splits statements with these reads of scalars, where that makes it possible to forward them. `None`: there are none.
pub fn split(contents: &Contents<'_>, reads: &[(StmtId, AccessId)]) -> isl::Result<Option<Split>> {
    let scop = contents.scop();
    let mut parts = Vec::new();
    for id in scop.stmt_ids() {
        let reads = reads.iter().filter(|(stmt, _)| *stmt == id);
        parts.push(parts_of(scop, contents, id, reads.map(|(_, read)| *read))?);
    }
    match parts.iter().all(|parts| parts.len() < 2) {
        true => Ok(None),
        false => apply(scop, &parts).map(Some),
    }
}

/// The sets of instances into which a statement is to be split: `{ S[i] }`.
fn parts_of(
    scop: &Scop,
    contents: &Contents<'_>,
    id: StmtId,
    reads: impl Iterator<Item = AccessId>,
) -> isl::Result<Vec<Set>> {
    let mut parts = vec![scop.instances(scop.stmt(id))?];
    for read in reads {
        let Some(pieces) = pieces(scop, contents, (id, read))? else { continue };
        let finer = refined(&parts, &pieces)?;
        if finer.len() <= MOST_PARTS {
            parts = finer;
        }
    }
    Ok(parts)
}

/// All intersections that are not empty.
fn refined(parts: &[Set], pieces: &[Set]) -> isl::Result<Vec<Set>> {
    let mut all = Vec::new();
    for part in parts {
        for piece in pieces {
            let both = part.clone().intersect(piece.clone())?.coalesce()?;
            if !both.is_empty()? {
                all.push(both);
            }
        }
    }
    Ok(all)
}

/// The instances of a read by the origin of what they see, if there are several origins and all can be forwarded.
fn pieces(scop: &Scop, contents: &Contents<'_>, read: (StmtId, AccessId)) -> isl::Result<Option<Vec<Set>>> {
    if has_one_origin(scop, contents, read.1) || !is_promising(scop, contents, read.1) {
        return Ok(None);
    }
    let instances = scop.instances(scop.stmt(read.0))?;
    let here = Map::identity(instances.get_space()?.map_from_set()?)?.intersect_domain(instances.clone())?;
    let mut origins = Origins { scop, contents, found: Vec::new() };
    if !origins.follow(read.1, &here, 0)? || origins.found.len() < 2 {
        return Ok(None);
    }
    let mut rest = instances;
    for (_, piece) in &origins.found {
        if !piece.is_subset(&rest)? {
            return Ok(None);
        }
        rest = rest.subtract(piece.clone())?;
    }
    if !rest.is_empty()? {
        return Ok(None);
    }
    for (origin, piece) in &origins.found {
        if origin.is_some() && !can_forward(scop, contents, read, piece)? {
            return Ok(None);
        }
    }
    Ok(Some(origins.found.into_iter().map(|(_, piece)| piece).collect()))
}

/// Whether it is plain that there is nothing to tell apart.
fn has_one_origin(scop: &Scop, contents: &Contents<'_>, read: AccessId) -> bool {
    let [(write, _)] = contents.sources(read) else { return false };
    let Some((stmt, _)) = scop.access(*write) else { return true };
    let stmt = scop.stmt(stmt);
    !matches!(stmt.body.stored(*write), Some(Operand::Read(next)) if is_scalar(scop, stmt, *next))
}

/// Whether it is not plain that what a read sees cannot be computed without the scalar itself: `c = c + A[i]` cannot, unless
/// the sum is in memory, too.
fn is_promising(scop: &Scop, contents: &Contents<'_>, read: AccessId) -> bool {
    let Some((_, access)) = scop.access(read) else { return false };
    let mut search = Search { scop, goal: access.array, seen: HashSet::new() };
    !contents.sources(read).iter().any(|(write, _)| search.write_needs(*write))
}

/// A search for ways from a value to a scalar that it is computed from.
struct Search<'a> {
    scop: &'a Scop,
    goal: ArrayId,
    /// The other scalars that were followed.
    seen: HashSet<ArrayId>,
}

impl Search<'_> {
    /// Whether what a write stores has to be computed from the goal. Copies of the goal do not count.
    fn write_needs(&mut self, write: AccessId) -> bool {
        let Some((stmt, _)) = self.scop.access(write) else { return false };
        let stmt = self.scop.stmt(stmt);
        match stmt.body.stored(write) {
            Some(Operand::Op(index)) => self.op_needs(stmt, *index),
            Some(Operand::Read(read)) => stmt.access(*read).is_some_and(|read| self.array_needs(read.array)),
            _ => false,
        }
    }

    fn op_needs(&mut self, stmt: &Stmt, index: usize) -> bool {
        let is_memory = |id| stmt.access(id).is_some_and(|access| !is_scalar(self.scop, stmt, access.id));
        let mut stored = stmt.body.stored.iter().filter(|(_, value)| *value == Operand::Op(index));
        if stored.any(|(id, _)| is_memory(*id)) {
            return false;
        }
        stmt.body.ops[index].operands.iter().any(|operand| match operand {
            Operand::Op(index) => self.op_needs(stmt, *index),
            Operand::Read(read) => {
                stmt.access(*read).is_some_and(|read| read.array == self.goal || self.array_needs(read.array))
            }
            Operand::Outside(_) => false,
        })
    }

    fn array_needs(&mut self, array: ArrayId) -> bool {
        if self.scop.array(array).kind == ArrayKind::Memory || array == self.goal || !self.seen.insert(array)
        {
            return false;
        }
        let accesses = self.scop.stmts.iter().flat_map(|stmt| &stmt.accesses);
        let writes = accesses.filter(|access| access.array == array && access.kind != AccessKind::Read);
        writes.map(|write| write.id).any(|write| self.write_needs(write))
    }
}

/// Where the values that a read sees come from.
struct Origins<'a> {
    scop: &'a Scop,
    contents: &'a Contents<'a>,
    /// The write, `None` for what was there before the nest, and the instances that see it.
    found: Vec<(Option<AccessId>, Set)>,
}

impl Origins<'_> {
    /// Adds the origins of a read in the instances `{ S[i] -> R[k] }`. False: they cannot be told.
    fn follow(&mut self, read: AccessId, at: &Map, depth: usize) -> isl::Result<bool> {
        let Some((stmt, access)) = self.scop.access(read) else { return Ok(false) };
        for (write, source) in self.contents.sources(read) {
            let reached = at.clone().apply_range(source.clone())?;
            if !reached.is_empty()? && !self.follow_write(*write, &reached, depth)? {
                return Ok(false);
            }
        }
        let initial = self.contents.live_in(access)?.domain()?;
        let own = self.scop.cells(self.scop.stmt(stmt), access)?.domain()?;
        let initial = initial.intersect(isl::UnionSet::from_set(own)?)?;
        for set in initial.get_set_list()?.to_vec()? {
            self.add(None, at.clone().intersect_range(set)?.domain()?)?;
        }
        Ok(true)
    }

    /// The same for what a write stored in the instances `{ S[i] -> W[j] }`.
    fn follow_write(&mut self, write: AccessId, at: &Map, depth: usize) -> isl::Result<bool> {
        let Some((stmt, access)) = self.scop.access(write) else { return Ok(false) };
        if access.kind != AccessKind::MustWrite {
            return Ok(false);
        }
        let stmt = self.scop.stmt(stmt);
        match stmt.body.stored(write) {
            Some(Operand::Read(read)) if is_scalar(self.scop, stmt, *read) => {
                Ok(depth < DEEPEST && self.follow(*read, at, depth + 1)?)
            }
            Some(_) => self.add(Some(write), at.clone().domain()?).map(|()| true),
            None => Ok(false),
        }
    }

    fn add(&mut self, origin: Option<AccessId>, instances: Set) -> isl::Result<()> {
        if instances.is_empty()? {
            return Ok(());
        }
        match self.found.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, known)) => *known = known.clone().union(instances)?.coalesce()?,
            None => self.found.push((origin, instances)),
        }
        Ok(())
    }
}

fn is_scalar(scop: &Scop, stmt: &Stmt, read: AccessId) -> bool {
    let array = stmt.access(read).map(|access| scop.array(access.array));
    array.is_some_and(|array| matches!(array.kind, ArrayKind::Scalar | ArrayKind::Phi))
}

/// The model with these parts of its statements.
fn apply(scop: &Scop, parts: &[Vec<Set>]) -> isl::Result<Split> {
    let mut result =
        Split { scop: Scop { stmts: Vec::new(), ..scop.clone() }, of: Vec::new(), numbers: HashMap::new() };
    let mut next = scop.next_access();
    for (id, parts) in scop.stmt_ids().zip(parts) {
        let stmt = scop.stmt(id);
        result.push(stmt.clone(), id);
        if let [first, others @ ..] = &parts[..]
            && !others.is_empty()
        {
            if let Some(kept) = result.scop.stmts.last_mut() {
                restrict(kept, first.clone(), &scop.context)?;
            }
            for (number, instances) in others.iter().enumerate() {
                let name = new_name(scop, &result.scop, &format!("{}_{}", stmt.name, number + 1));
                let mut part = renamed(stmt, &name)?;
                restrict(&mut part, instances.clone().set_tuple_name(&name)?, &scop.context)?;
                renumber(&mut part, &mut next, &mut result.numbers);
                result.push(part, id);
            }
        }
    }
    result.scop.order = ordered(&scop.order, &result.of);
    Ok(result)
}

impl Split {
    /// The flow of values, given that of the old model.
    pub fn flows(&self, old: &Scop, flows: &Flows) -> isl::Result<Flows> {
        let mut parts = Vec::new();
        for (stmt, of) in self.scop.stmts.iter().zip(&self.of) {
            let of = old.stmt(*of).name.clone();
            let instances = self.scop.instances(stmt)?.set_tuple_name(&of)?;
            let number = |id: AccessId| (id, self.numbers.get(&id).copied().unwrap_or(id));
            let numbers = stmt.accesses.iter().map(|access| number(access.id)).collect();
            parts.push(Part { name: stmt.name.clone(), of, instances, numbers });
        }
        flows.in_parts(&parts)
    }

    fn push(&mut self, stmt: Stmt, of: StmtId) {
        self.scop.stmts.push(stmt);
        self.of.push(of);
    }
}

fn new_name(old: &Scop, new: &Scop, wanted: &str) -> String {
    let is_free = |name: &String| old.stmt_named(name).is_none() && new.stmt_named(name).is_none();
    let longer = (0..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned()).chain(longer).find(is_free).unwrap_or_default()
}

/// Leaves these instances, which are of the statement for parameters in `context`.
fn restrict(stmt: &mut Stmt, instances: Set, context: &Set) -> isl::Result<()> {
    let instances = instances.gist_params(context.clone())?;
    stmt.domain = stmt.domain.clone().intersect(instances)?.coalesce()?;
    Ok(())
}

/// A statement with another name.
pub(crate) fn renamed(stmt: &Stmt, name: &str) -> isl::Result<Stmt> {
    let mut new = Stmt { name: name.to_owned(), ..stmt.clone() };
    new.domain = new.domain.set_tuple_name(name)?;
    for access in &mut new.accesses {
        access.relation = access.relation.clone().set_tuple_name(isl::DimType::In, name)?;
    }
    Ok(new)
}

/// Gives all accesses new numbers, from `next` on.
fn renumber(stmt: &mut Stmt, next: &mut AccessId, numbers: &mut HashMap<AccessId, AccessId>) {
    let mut new = HashMap::new();
    for access in &stmt.accesses {
        new.insert(access.id, *next);
        numbers.insert(*next, access.id);
        *next = AccessId(next.0 + 1);
    }
    with_numbers(stmt, &new);
}

/// Replaces the numbers of accesses that have another one in the table.
pub(crate) fn with_numbers(stmt: &mut Stmt, numbers: &HashMap<AccessId, AccessId>) {
    let change = |id: &mut AccessId| *id = numbers.get(id).copied().unwrap_or(*id);
    stmt.accesses.iter_mut().for_each(|access| change(&mut access.id));
    for reduction in &mut stmt.reductions {
        change(&mut reduction.read);
        change(&mut reduction.write);
    }
    let operands = stmt.body.ops.iter_mut().flat_map(|op| &mut op.operands);
    for (id, _) in &mut stmt.body.stored {
        change(id);
    }
    for operand in operands.chain(stmt.body.stored.iter_mut().map(|(_, value)| value)) {
        if let Operand::Read(id) = operand {
            change(id);
        }
    }
}

/// The order in which each statement is replaced by its parts.
fn ordered(order: &[Order], of: &[StmtId]) -> Vec<Order> {
    let mut parts = Vec::new();
    for part in order {
        match part {
            Order::Stmt(id) => {
                let own = of.iter().enumerate().filter(|(_, old)| *old == id);
                parts.extend(own.map(|(new, _)| Order::Stmt(StmtId(new as u32))));
            }
            Order::Loop(body) => parts.push(Order::Loop(ordered(body, of))),
        }
    }
    parts
}
