//! The independent check: whether a changed model does what the old one does.
//!
//! It knows nothing of the transformations, only what they may leave behind: fewer statements, accesses and operations,
//! accesses to other cells, new reads, copies of operations, and scratch arrays. Values have names (`dataflow::content`) that are the same in
//! both models as long as accesses keep their numbers and operations their names, so that two models can be compared:
//!
//! 1. The statements that are left have the same instances, in the same order.
//! 2. Each copy of an operation is the operation: the same operator, pure, with operands of the same values in each
//!    instance. Then its result may be called by the other's name.
//! 3. Each operation and each write that is left has operands of the same values. Where the body does not tell what a write
//!    stores, all reads of the statement must be there and see the same.
//! 4. At the end all memory and all fixed scalars hold the same values.
//!
//! By induction over time: if all instances before saw the same values, the names stand for the same values, and so do the
//! next ones. A read whose value has no other name than its own must read the same cells as before, and these must hold
//! the same values, or what the same writes left.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use dataflow::content::{Contents, has_same_accesses, is_total};
use dataflow::zones::{left_in, reaching};
use isl::{DimType, Map, Set, UnionMap, UnionSet};
use model::scop::ordered;
use model::{Access, AccessId, AccessKind, ArrayId, ArrayKind, Op, Operand, Order, Scop, Stmt, StmtId};

use crate::forward::Copied;
use crate::relations::{is_plainly_equal, only_map};
use crate::split::{Split, renamed, with_numbers};

/// Whether two models do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They do.
    Same,
    /// They do not, or it cannot be told; with the first reason found.
    Different(String),
}

/// Whether `after` does what the model with the contents `old` does. `copies` are the claims about operations that are new;
/// each is checked.
pub fn check(old: &Contents<'_>, after: &Scop, copies: &[Copied]) -> isl::Result<Verdict> {
    let before = old.scop();
    if let Some(difference) = statements(before, after)? {
        return Ok(Verdict::Different(difference));
    }
    let mut claims = HashMap::new();
    for copy in copies {
        let claim = Claim { copy, renaming: OnceCell::new() };
        if claims.insert((copy.stmt.clone(), copy.op.clone()), claim).is_some() {
            return Ok(Verdict::Different(format!("{} of {} is claimed twice", copy.op, copy.stmt)));
        }
    }
    // That the order is the same was just seen, so arrays with the same accesses have the same flow.
    let checker = Checker {
        before,
        after,
        old,
        new: Contents::with(after, &old.flows().after(before, after)?)?,
        claims,
        functions: RefCell::default(),
        unchanged: unchanged(before, after)?,
    };
    Ok(match checker.difference()? {
        Some(difference) => Verdict::Different(difference),
        None => Verdict::Same,
    })
}

/// Whether `split` is the same program with statements in parts: the parts of a statement have its instances, each once, do
/// what it does, and stand in its place. Then the instances run in the same order, and the flow of values is the same.
pub fn check_split(before: &Scop, split: &Split) -> isl::Result<Verdict> {
    let after = &split.scop;
    let is_same = merged(&after.order, &split.of) == before.order
        && before.arrays == after.arrays
        && before.context.is_equal(&after.context)?
        && after.stmts.len() == split.of.len();
    if !is_same {
        return Ok(Verdict::Different("the order, the arrays or the context differ".into()));
    }
    let mut left = before.stmts.iter().map(|stmt| before.instances(stmt)).collect::<isl::Result<Vec<_>>>()?;
    for (part, of) in after.stmts.iter().zip(&split.of) {
        let (Some(old), Some(left)) = (before.stmts.get(of.index()), left.get_mut(of.index())) else {
            return Ok(Verdict::Different(format!("{} is a part of nothing", part.name)));
        };
        let instances = after.instances(part)?.set_tuple_name(&old.name)?;
        if !is_part(part, old, split)? || !instances.is_subset(left)? {
            return Ok(Verdict::Different(format!("{} is no part of {}", part.name, old.name)));
        }
        *left = left.clone().subtract(instances)?;
    }
    for (left, stmt) in left.iter().zip(&before.stmts) {
        if !left.is_empty()? {
            return Ok(Verdict::Different(format!("instances of {} are missing", stmt.name)));
        }
    }
    Ok(Verdict::Same)
}

/// Whether a part does what its statement does.
fn is_part(part: &Stmt, old: &Stmt, split: &Split) -> isl::Result<bool> {
    let mut part = renamed(part, &old.name)?;
    with_numbers(&mut part, &split.numbers);
    let mut is_same = (&part.body, &part.reductions) == (&old.body, &old.reductions)
        && part.accesses.len() == old.accesses.len();
    for (new, old) in part.accesses.iter().zip(&old.accesses) {
        is_same = is_same
            && (new.id, new.kind, new.array) == (old.id, old.kind, old.array)
            && new.relation.is_equal(&old.relation)?;
    }
    Ok(is_same)
}

/// The order in which neighbouring parts of a statement are that statement.
fn merged(order: &[Order], of: &[StmtId]) -> Vec<Order> {
    let mut whole: Vec<Order> = Vec::new();
    for part in order {
        let part = match part {
            Order::Stmt(id) => Order::Stmt(of.get(id.index()).copied().unwrap_or(*id)),
            Order::Loop(body) => Order::Loop(merged(body, of)),
        };
        let is_next_part = matches!(part, Order::Stmt(_)) && whole.last() == Some(&part);
        if !is_next_part {
            whole.push(part);
        }
    }
    whole
}

/// What differs in the statements and their order.
fn statements(before: &Scop, after: &Scop) -> isl::Result<Difference> {
    let mut kept = Vec::new();
    for stmt in &after.stmts {
        let Some(id) = before.stmt_named(&stmt.name) else {
            return Ok(Some(format!("{} is new", stmt.name)));
        };
        if !before.stmt(id).domain.is_equal(&stmt.domain)? {
            return Ok(Some(format!("{} has other instances", stmt.name)));
        }
        kept.push(id);
    }
    // Scratch arrays may be new: nobody saw them before, and nobody looks at them in the end.
    let (known, new) = after.arrays.split_at(before.arrays.len().min(after.arrays.len()));
    let is_same = ordered(&before.order, &kept) == after.order
        && before.arrays == known
        && new.iter().all(|array| array.kind == ArrayKind::Scratch)
        && before.context.is_equal(&after.context)?;
    Ok((!is_same).then(|| "the order, the arrays or the context differ".into()))
}

struct Checker<'a> {
    before: &'a Scop,
    after: &'a Scop,
    old: &'a Contents<'a>,
    new: Contents<'a>,
    /// What is claimed about copies, by their statements and operations.
    claims: HashMap<(String, String), Claim<'a>>,
    /// What was found to be a function: the statements, the relation that is claimed, and what of it leads to instances.
    functions: RefCell<Vec<Function>>,
    /// The arrays that have the same writes in both models.
    unchanged: HashSet<ArrayId>,
}

type Function = ((StmtId, StmtId), UnionMap, UnionMap);

/// That an operation is the copy of another.
struct Claim<'a> {
    copy: &'a Copied,
    /// `{ [S[i] -> copy[]] -> [T[j] -> op[]] }`, once it was asked for.
    renaming: OnceCell<Renaming>,
}

/// What a copy's results are called.
#[derive(Clone)]
struct Renaming {
    names: Map,
    /// Whether that is all of its results.
    is_total: bool,
}

/// What differs.
type Difference = Option<String>;

impl<'a> Checker<'a> {
    fn difference(&self) -> isl::Result<Difference> {
        for stmt in self.after.stmt_ids() {
            if let Some(difference) = self.statement(stmt)? {
                return Ok(Some(difference));
            }
        }
        let (old, new) =
            (self.final_content(self.before, self.old)?, self.final_content(self.after, &self.new)?);
        Ok((!self.by_old_names(new)?.is_equal(&old)?).then(|| "memory ends with other values".into()))
    }

    fn claim(&self, stmt: &str, op: &str) -> Option<&Claim<'a>> {
        self.claims.get(&(stmt.to_owned(), op.to_owned()))
    }

    /// `{ [S[i] -> copy[]] -> [T[j] -> op[]] }`: a copy's results by the names of the original's, as is claimed.
    fn renaming(&self, claim: &Claim<'_>) -> isl::Result<Option<Renaming>> {
        if let Some(known) = claim.renaming.get() {
            return Ok(Some(known.clone()));
        }
        let copy = claim.copy;
        // { S[i] -> [S[i] -> copy[]] } and { T[j] -> [T[j] -> op[]] }
        let (Some(new), Some(old)) = (
            named_op(self.after, &copy.stmt, &copy.op).zip(self.after.stmt_named(&copy.stmt)),
            named_op(self.before, &copy.from, &copy.from_op).zip(self.before.stmt_named(&copy.from)),
        ) else {
            return Ok(None);
        };
        let here = self.new.operand(new.1, &Operand::Op(new.0))?;
        let there = self.old.operand(old.1, &Operand::Op(old.0))?;
        let names = here.clone().reverse()?.apply_range(copy.at.clone())?.apply_range(there)?;
        let is_total = here.range()?.is_subset(&names.clone().domain()?)?;
        let Some(names) = only_map(&names)? else { return Ok(None) };
        Ok(Some(claim.renaming.get_or_init(|| Renaming { names, is_total }).clone()))
    }

    /// `{ .. -> value }` with the names that copies' originals have.
    fn by_old_names(&self, values: UnionMap) -> isl::Result<UnionMap> {
        if self.claims.is_empty() {
            return Ok(values);
        }
        let mut all = UnionMap::empty_ctx(&self.after.ctx)?;
        for part in values.get_map_list()?.to_vec()? {
            for named in self.part_by_old_names(part)? {
                all = all.union(UnionMap::from_map(named)?)?;
            }
        }
        Ok(all)
    }

    /// The same for values of one kind, the results of one operation for example.
    fn part_by_old_names(&self, values: Map) -> isl::Result<Vec<Map>> {
        let name = values.get_space()?.range()?;
        let claim = match name.is_wrapping()? {
            true => {
                let name = name.unwrap()?;
                let part = |side| -> isl::Result<_> { Ok(name.get_tuple_name(side)?.unwrap_or_default()) };
                self.claim(&part(DimType::In)?, &part(DimType::Out)?)
            }
            false => None,
        };
        let renaming = match claim {
            Some(claim) => self.renaming(claim)?,
            None => None,
        };
        let Some(Renaming { names, is_total }) = renaming else { return Ok(vec![values]) };
        let renamed = values.clone().apply_range(names.clone())?;
        Ok(match is_total {
            true => vec![renamed],
            false => vec![renamed, values.subtract_range(names.domain()?)?],
        })
    }

    fn statement(&self, id: StmtId) -> isl::Result<Difference> {
        let stmt = self.after.stmt(id);
        let Some(old_id) = self.before.stmt_named(&stmt.name) else { return Ok(None) };
        let old = self.before.stmt(old_id);
        for op in &stmt.body.ops {
            let is_same = match self.claim(&stmt.name, &op.name) {
                Some(claim) => self.is_copy(id, op, claim.copy)?,
                None => self.is_same_op(id, op, old_id)?,
            };
            if !is_same {
                return Ok(Some(format!("{} of {} computes something else", op.name, stmt.name)));
            }
        }
        for write in stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
            if !self.is_same_write(id, write, old_id)? {
                return Ok(Some(format!("access {} of {} writes something else", write.id.0, stmt.name)));
            }
        }
        let reads = stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read);
        for read in reads {
            if let Some(known) = old.access(read.id)
                && !self.is_same_read(known, read)?
            {
                return Ok(Some(format!("access {} of {} reads something else", read.id.0, stmt.name)));
            }
        }
        let has_all_reads = || {
            let mut reads = old.accesses.iter().filter(|access| access.kind == AccessKind::Read);
            reads.all(|read| stmt.access(read.id).is_some())
        };
        Ok((!stmt.is_transparent() && !has_all_reads()).then(|| format!("{} reads less", stmt.name)))
    }

    fn is_copy(&self, stmt: StmtId, op: &Op, copy: &Copied) -> isl::Result<bool> {
        let Some(original) = named_op(self.before, &copy.from, &copy.from_op) else { return Ok(false) };
        let Some(from) = self.before.stmt_named(&copy.from) else { return Ok(false) };
        let original = &self.before.stmt(from).body.ops[original];
        let is_alike = op.operator == original.operator
            && op.is_pure
            && original.is_pure
            && !op.operands.is_empty()
            && op.operands.len() == original.operands.len();
        let at = match is_alike {
            true => self.function(stmt, from, &copy.at)?,
            false => None,
        };
        let Some(at) = at else { return Ok(false) };
        let instances = self.after.instances(self.after.stmt(stmt))?;
        for (new, old) in op.operands.iter().zip(&original.operands) {
            if self.is_plainly_copied((stmt, new), (from, old), copy)? {
                continue;
            }
            let old = at.clone().apply_range(self.old.operand(from, old)?)?;
            if !self.is_same_value(self.new.operand(stmt, new)?, old, &instances)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Of `{ S[i] -> T[j] }` what leads to instances of T, if that is one for each instance of S. Copies of one tree have the
    /// same.
    fn function(&self, stmt: StmtId, from: StmtId, at: &UnionMap) -> isl::Result<Option<UnionMap>> {
        for (known, claimed, function) in &*self.functions.borrow() {
            if *known == (stmt, from) && is_plainly_equal(claimed, at)? {
                return Ok(Some(function.clone()));
            }
        }
        let instances = self.after.instances(self.after.stmt(stmt))?;
        let there = UnionSet::from_set(self.before.instances(self.before.stmt(from))?)?;
        let function = at.clone().intersect_range_union_set(there)?;
        if !is_total(&function, &instances)? || !function.is_single_valued()? {
            return Ok(None);
        }
        self.functions.borrow_mut().push(((stmt, from), at.clone(), function.clone()));
        Ok(Some(function))
    }

    /// Whether an operand of a copy plainly is the original's: a value from outside, or what is claimed to be a copy of it, made
    /// from the same instances.
    fn is_plainly_copied(
        &self,
        (stmt, new): (StmtId, &Operand),
        (from, old): (StmtId, &Operand),
        copy: &Copied,
    ) -> isl::Result<bool> {
        match (new, old) {
            (Operand::Outside(new), Operand::Outside(old)) => Ok(new == old),
            (Operand::Op(new), Operand::Op(old)) => {
                let (stmt, from) = (self.after.stmt(stmt), self.before.stmt(from));
                let Some(claim) = self.claim(&stmt.name, &stmt.body.ops[*new].name) else { return Ok(false) };
                let (from_op, operand) = (&from.body.ops[*old].name, claim.copy);
                let is_it = (&operand.from, &operand.from_op) == (&from.name, from_op);
                Ok(is_it && is_plainly_equal(&operand.at, &copy.at)?)
            }
            _ => Ok(false),
        }
    }

    fn is_same_op(&self, stmt: StmtId, op: &Op, old_id: StmtId) -> isl::Result<bool> {
        let old = self.before.stmt(old_id).body.ops.iter().find(|old| old.name == op.name);
        let Some(old) = old else { return Ok(false) };
        let is_alike = (&op.operator, op.is_pure) == (&old.operator, old.is_pure);
        Ok(is_alike && self.are_same(stmt, &op.operands, old_id, &old.operands)?)
    }

    fn is_same_write(&self, stmt: StmtId, write: &Access, old_id: StmtId) -> isl::Result<bool> {
        let Some(old) = self.before.stmt(old_id).access(write.id) else { return Ok(false) };
        let values = |scop: &Scop, stmt: StmtId| scop.stmt(stmt).body.stored(write.id).cloned();
        match (values(self.after, stmt), values(self.before, old_id)) {
            (Some(new), Some(old_value)) => {
                Ok(write.kind == old.kind && self.are_same(stmt, &[new], old_id, &[old_value])?)
            }
            (None, None) => Ok(write.kind == old.kind),
            _ => Ok(false),
        }
    }

    fn are_same(&self, stmt: StmtId, new: &[Operand], old_id: StmtId, old: &[Operand]) -> isl::Result<bool> {
        let instances = self.after.instances(self.after.stmt(stmt))?;
        for (new, old) in new.iter().zip(old) {
            if self.has_same_name(stmt, new, old_id, old)? {
                continue;
            }
            let (new, old) = (self.new.operand(stmt, new)?, self.old.operand(old_id, old)?);
            if !self.is_same_value(new, old, &instances)? {
                return Ok(false);
            }
        }
        Ok(new.len() == old.len())
    }

    /// Whether two operands are plainly the same: a value from outside, the result of an operation that is no copy, or what
    /// both read where the same writes come before.
    fn has_same_name(&self, stmt: StmtId, new: &Operand, old_id: StmtId, old: &Operand) -> isl::Result<bool> {
        let (after, before) = (self.after.stmt(stmt), self.before.stmt(old_id));
        match (new, old) {
            (Operand::Outside(new), Operand::Outside(old)) => Ok(new == old),
            (Operand::Op(new), Operand::Op(old)) => {
                let (new, old) = (&after.body.ops[*new].name, &before.body.ops[*old].name);
                Ok(after.name == before.name && new == old && self.claim(&after.name, new).is_none())
            }
            (Operand::Read(new), Operand::Read(old)) => match (after.access(*new), before.access(*old)) {
                (Some(new), Some(old)) => self.sees_the_same(old, new),
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Whether two reads of one instance plainly see the same: the same cells of an array that has the same writes in both
    /// models. These run in the same order and write the same, each of which is checked.
    fn sees_the_same(&self, old: &Access, new: &Access) -> isl::Result<bool> {
        let is_one = old.array == new.array && self.unchanged.contains(&old.array);
        Ok(is_one && old.relation.is_equal(&new.relation)?)
    }

    /// Whether two `{ S[i] -> value }` are the same in all these instances.
    fn is_same_value(&self, new: UnionMap, old: UnionMap, instances: &Set) -> isl::Result<bool> {
        let instances = UnionSet::from_set(instances.clone())?;
        let new = self.by_old_names(new.intersect_domain_union_set(instances.clone())?)?;
        new.is_equal(&old.intersect_domain_union_set(instances)?)
    }

    /// Whether a read that is in both models sees the same.
    fn is_same_read(&self, old: &Access, new: &Access) -> isl::Result<bool> {
        if self.sees_the_same(old, new)? {
            return Ok(true);
        }
        let (was, is) = (self.old.read(old.id)?, self.by_old_names(self.new.read(new.id)?)?);
        if !was.is_equal(&is)? {
            return Ok(false);
        }
        // Where it goes by its own name, equal names say nothing.
        let own = was.intersect_range_union_set(own_names(self.before, old.id)?)?.domain()?;
        if own.is_empty()? {
            return Ok(true);
        }
        let probes = |read: &Access| -> isl::Result<UnionMap> {
            UnionMap::from_map(read.relation.clone())?.intersect_domain_union_set(own.clone())
        };
        let was = possible(self.before, self.old, &probes(old)?)?;
        let is = possible(self.after, &self.new, &probes(new)?)?;
        Ok(old.array == new.array && self.by_old_names(is)?.is_equal(&was)?)
    }

    /// `{ A[x] -> value }`: all values that may be there at the end, for all cells that one of the models touches and somebody
    /// can see afterwards. Where a write's value is not known, the write stands for it. Arrays that have the same writes in both
    /// are left out: the values they store are compared anyway.
    fn final_content(&self, scop: &Scop, contents: &Contents<'_>) -> isl::Result<UnionMap> {
        let mut content = UnionMap::empty_ctx(&scop.ctx)?;
        let ids = self.before.arrays.iter().enumerate().map(|(index, array)| (ArrayId(index as u32), array));
        let seen = ids.filter(|(_, array)| array.kind == ArrayKind::Memory || array.is_fixed);
        for (array, _) in seen.filter(|(id, _)| !self.unchanged.contains(id)) {
            let touched = |scop: &Scop| scop.accesses(|_, access| access.array == array)?.range();
            let left = left_in(scop, array)?;
            let initial = touched(self.before)?.union(touched(self.after)?)?.subtract(left.overwritten)?;
            content = content.union(initial.identity()?)?;
            for (write, last) in left.by_access {
                let held = UnionMap::from_map(last.reverse()?)?;
                content = content.union(values(scop, contents, write, held)?)?;
            }
        }
        Ok(content)
    }
}

/// The arrays of the first model that have the same writes in both.
fn unchanged(before: &Scop, after: &Scop) -> isl::Result<HashSet<ArrayId>> {
    let mut unchanged = HashSet::new();
    for id in (0..before.arrays.len() as u32).map(ArrayId) {
        let writes = |access: &Access| access.array == id && access.kind != AccessKind::Read;
        if has_same_accesses(before, after, writes)? {
            unchanged.insert(id);
        }
    }
    Ok(unchanged)
}

/// `{ [S[i] -> A[x]] -> value }`: all values that the probed cells may hold. Where a write's value is not known, the write
/// stands for it. One must-write is behind all the others, which are may-writes, so the set tells what is there.
fn possible(scop: &Scop, contents: &Contents<'_>, probes: &UnionMap) -> isl::Result<UnionMap> {
    let reached = reaching(scop, probes)?;
    // { [S[i] -> A[x]] -> A[x] }: what was there before.
    let mut content = reached.initial.range_map()?;
    for (write, held) in reached.by_access {
        content = content.union(values(scop, contents, write, held)?)?;
    }
    Ok(content)
}

/// `{ .. -> value }` from `{ .. -> W[j] }`.
fn values(scop: &Scop, contents: &Contents<'_>, write: AccessId, held: UnionMap) -> isl::Result<UnionMap> {
    match contents.written(write)? {
        Some(values) => held.apply_range(values),
        None => tag(&held, &scop.context, write),
    }
}

fn named_op(scop: &Scop, stmt: &str, op: &str) -> Option<usize> {
    let stmt: &Stmt = scop.stmt(scop.stmt_named(stmt)?);
    stmt.body.ops.iter().position(|other| other.name == op)
}

/// `{ .. -> [W[j] -> by 3[]] }` from `{ .. -> W[j] }`.
fn tag(relation: &UnionMap, context: &Set, write: AccessId) -> isl::Result<UnionMap> {
    let tag = Set::from_params(context.clone())?.set_tuple_name(&format!("by {}", write.0))?;
    let tagged = UnionMap::from_domain_and_range(relation.clone().domain()?, UnionSet::from_set(tag)?)?;
    relation.clone().range_product(tagged)
}

/// `{ [R[k] -> read 3[]] }`.
fn own_names(scop: &Scop, read: AccessId) -> isl::Result<UnionSet> {
    let Some((stmt, access)) = scop.access(read) else { return UnionSet::empty_ctx(&scop.ctx) };
    let name = Set::from_params(scop.context.clone())?.set_tuple_name(&format!("read {}", read.0))?;
    let instances = scop.cells(scop.stmt(stmt), access)?.domain()?;
    UnionSet::from_set(Map::from_domain_and_range(instances, name)?.wrap()?)
}
