//! The model of a loop nest: statements, their instances, what each instance touches, and in which order.
//!
//! # Terms
//! - A *statement* is a piece of code that is executed as a whole. Its *domain* `{ S[i,j] : ... }` is the set of
//!   its *instances*, one dimension per enclosing loop, outermost first. Counters ascend by one.
//! - An *array* is a set of cells of equal size. A *scalar* (an SSA value) and a *phi* are arrays without
//!   dimensions: one cell each.
//! - An *access* `{ S[i,j] -> A[x,y] }` relates an instance to the cells it touches. All reads of an instance
//!   happen before its writes. A *must-write* writes all related cells in every instance of the relation's
//!   domain; a *may-write* writes some of them or none; a read may read some of them or none.
//! - The *order* is the tree of loops and statements as the program has it; [`Scop::schedule`] turns it into
//!   an isl schedule tree.
//! - *Parameters* are values that do not change in the nest; the *context* is what is known about them.
//! - The [`Ledger`] lists what was assumed and must be checked at run time.
//!
//! - A statement's *body* says, as far as it is known, what the statement computes: which [operation](Op) has which
//!   operands, and which value each write stores. Operations are opaque: two of one name with equal operands have
//!   equal results if they are pure, and that is all. Whoever built the model knows by [`StmtId`], [`AccessId`] and the
//!   operations' names what they stand for.
//!
//! # Invariant
//! What [`Scop::verify`] says. A `Scop` is built, verified, and then not changed; later facts (dependences, new
//! schedules) are values of their own.

use crate::{Known, Ledger, SourceLoc};
use isl::{Ctx, DimType, Map, MultiUnionPwAff, Schedule, Set, UnionMap, UnionSet, UnionSetList};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the list it numbers.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// The index of a statement in [`Scop::stmts`].
    StmtId
);
id!(
    /// The index of an array in [`Scop::arrays`].
    ArrayId
);
id!(
    /// The number of an access, given by whoever built the model; unique in a scop.
    AccessId
);

/// A loop nest.
#[derive(Clone, Debug)]
pub struct Scop {
    /// A name for messages.
    pub name: String,
    /// The context in which all sets live.
    pub ctx: Ctx,
    /// The parameters.
    pub params: Vec<Param>,
    /// What is known about the parameters' values: `{ : ... }`.
    pub context: Set,
    /// The arrays, scalars and phis.
    pub arrays: Vec<Array>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The order of execution; each statement occurs once.
    pub order: Vec<Order>,
    /// What was assumed.
    pub ledger: Ledger,
    /// Whether loops around the nest run it again and again: what one run leaves in a cache, the next one finds there.
    pub repeats: bool,
    /// What was asked before.
    pub known: Known,
}

/// A value that does not change in the nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name in all sets.
    pub name: String,
    /// The least and the greatest value it can have, as far as known.
    pub range: (Option<i64>, Option<i64>),
}

/// Cells of equal size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name of its tuples.
    pub name: String,
    /// Bytes per cell.
    pub elem_bytes: u32,
    /// The size of each dimension, outermost first, in isl's notation for an affine expression of
    /// the parameters; `None` where it is not known.
    pub shape: Vec<Option<String>>,
    /// How rows follow each other.
    pub layout: Layout,
    /// What kind of cells.
    pub kind: ArrayKind,
    /// For scalars and phis: whether the cell must stay and keep its last value, because something outside of the
    /// model reads it.
    pub is_fixed: bool,
}

/// Where the rows of an array start, a row being all cells with the same first subscript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One after the other, each of the product of the inner sizes.
    #[default]
    Even,
    /// One after the other, with two dimensions: row `x` at the cell `(growth * x + slope) * x / 2`. Rows that are touched and
    /// those between them have at least one cell.
    Packed {
        /// By how many cells a row is longer than the one before.
        growth: i64,
        /// In isl's notation for an affine expression of the parameters.
        slope: String,
    },
    /// Each somewhere, with two dimensions; those that are touched share no byte.
    Anywhere,
}

/// Where the cells of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayKind {
    /// In memory, alive before and after the nest.
    Memory,
    /// An SSA value: written by the statement that defines it.
    Scalar,
    /// A phi: written at the end of each incoming block, read by the phi.
    Phi,
    /// In memory that the new loops have for themselves: nothing is there before the nest, and nobody looks afterwards.
    Scratch,
}

impl ArrayKind {
    /// Whether it is one cell that is no memory.
    pub fn is_scalar(self) -> bool {
        matches!(self, ArrayKind::Scalar | ArrayKind::Phi)
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The name of its tuples.
    pub name: String,
    /// `{ S[i,j] : ... }`.
    pub domain: Set,
    /// What its instances touch.
    pub accesses: Vec<Access>,
    /// Pairs of a read and a write that together are a reduction.
    pub reductions: Vec<Reduction>,
    /// What is known of what it computes.
    pub body: Body,
    /// Where it stands in the source.
    pub loc: Option<SourceLoc>,
}

/// What a statement computes, as far as it is known. Empty: nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The operations; each is executed in every instance, after those it uses.
    pub ops: Vec<Op>,
    /// The values that writes store. A write that is not listed stores something that depends on the instance and on
    /// all that it reads.
    pub stored: Vec<(AccessId, Operand)>,
    /// What a statement does that moves whole ranges of cells and does nothing else.
    pub whole: Option<Whole>,
}

/// What a statement with one write, and at most one read, does with all cells that it touches: they are a range without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// What it reads goes to what it writes, byte by byte in the order of addresses.
    Copy,
    /// Each byte that it writes becomes this one.
    Fill(u8),
}

impl Whole {
    /// The name of the value of a cell whose bytes are all zero.
    pub const ZERO: &str = "0";
}

/// An operation of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// The name of its result, unique in the statement.
    pub name: String,
    /// What is computed.
    pub operator: String,
    /// Of what. Without operands, the result depends on the instance.
    pub operands: Vec<Operand>,
    /// Whether the result depends on nothing but the operands, and computing it again has no effect. It may still
    /// trap for some operands: division is pure.
    pub is_pure: bool,
}

/// A value in a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// What the access reads; it touches one cell.
    Read(AccessId),
    /// The result of the statement's operation of that index.
    Op(usize),
    /// A value that does not change in the nest: a constant (`0`) or something computed before (`%alpha`).
    Outside(String),
}

impl Body {
    /// The value that a write stores, if it is known.
    pub fn stored(&self, write: AccessId) -> Option<&Operand> {
        self.stored.iter().find(|(id, _)| *id == write).map(|(_, value)| value)
    }

    /// All operands of operations and writes.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let stored = self.stored.iter().map(|(_, value)| value);
        self.ops.iter().flat_map(|op| &op.operands).chain(stored)
    }
}

impl Stmt {
    /// The statement with what is left of its domain for parameter values of the context.
    fn within(&self, domain: Set, context: &Set) -> isl::Result<Stmt> {
        let mut stmt = Stmt { domain, ..self.clone() };
        let is_same = stmt.domain.plain_is_equal(&self.domain)?;
        for access in &mut stmt.accesses {
            // Where the context says nothing about the domain, it says nothing about what is a function of it.
            let is_whole = || access.relation.clone().domain()?.plain_is_equal(&self.domain);
            access.relation = match is_same && access.relation.n_basic_map()? == 1 && is_whole()? {
                true => access.relation.clone().remove_redundancies()?,
                false => {
                    let relation = access.relation.clone().intersect_params(context.clone())?.coalesce()?;
                    relation.gist_params(context.clone())?
                }
            };
        }
        Ok(stmt)
    }

    /// The access of that number, if it is the statement's.
    pub fn access(&self, id: AccessId) -> Option<&Access> {
        self.accesses.iter().find(|access| access.id == id)
    }

    /// Whether the body tells the value of every write.
    pub fn is_transparent(&self) -> bool {
        let mut writes = self.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        writes.all(|write| self.body.stored(write.id).is_some())
    }
}

/// The context without bounds that are far away: no loop ends there, and each would be a constraint more in every set and
/// relation that is made from the model.
fn without_far_bounds(context: &Set) -> isl::Result<Set> {
    let pieces = context.get_basic_set_list()?.to_vec()?;
    let [piece] = &pieces[..] else { return Ok(context.clone()) };
    if piece.dim(DimType::Div)? > 0 {
        return Ok(context.clone());
    }
    let mut near = Set::universe(context.get_space()?)?;
    for constraint in piece.get_constraint_list()?.to_vec()? {
        let constant = constraint.get_constant_val()?.abs()?;
        let is_far =
            !constraint.is_equality()? && constant.cmp_si(FAR.start)? >= 0 && constant.cmp_si(FAR.end)? < 0;
        if !is_far {
            near = near.add_constraint(constraint)?;
        }
    }
    Ok(near)
}

/// Bounds of this size are those of a type of 32 bits. What is assumed of numbers of 64 bits is further away; without that, numbers that
/// go with them need not fit, and some order is no longer legal.
const FAR: std::ops::Range<i64> = 1 << 30..1 << 34;

/// What is left of a domain for parameter values of the context, without what that says. `None`: nothing.
fn left_in(domain: &Set, context: &Set) -> isl::Result<Option<Set>> {
    let left = domain.clone().intersect_params(context.clone())?.coalesce()?;
    Ok(if left.is_empty()? { None } else { Some(left.gist_params(context.clone())?) })
}

/// What the instances of a statement do to an array.
#[derive(Clone, Debug)]
pub struct Access {
    /// Its number.
    pub id: AccessId,
    /// Reading or writing.
    pub kind: AccessKind,
    /// The array.
    pub array: ArrayId,
    /// `{ S[i,j] -> A[x,y] }`.
    pub relation: Map,
}

/// Reading or writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads the related cells, or some of them.
    Read,
    /// Writes all related cells.
    MustWrite,
    /// Writes some of the related cells, or none.
    MayWrite,
}

/// `cell = cell op something`, where nothing else of the instance reads or writes the cell, and where the
/// operation may be reassociated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The access that reads the old value.
    pub read: AccessId,
    /// The access that writes the new one; its relation equals that of `read`.
    pub write: AccessId,
    /// The operation.
    pub op: ReductionOp,
}

/// An associative and commutative operation. Updates of one cell by different ones do not commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ReductionOp {
    Add,
    Mul,
    Min,
    Max,
    UnsignedMin,
    UnsignedMax,
    And,
    Or,
    Xor,
}

/// A part of the program's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// All instances of the statement with the counters of the loops around.
    Stmt(StmtId),
    /// A loop: its body for each value of the next counter, ascending.
    Loop(Vec<Order>),
}

impl Scop {
    /// The statement of that number.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// The array of that number.
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.index()]
    }

    /// The numbers of all statements.
    pub fn stmt_ids(&self) -> impl Iterator<Item = StmtId> + use<> {
        (0..self.stmts.len() as u32).map(StmtId)
    }

    /// The statement whose tuples have this name.
    pub fn stmt_named(&self, name: &str) -> Option<StmtId> {
        self.stmt_ids().find(|&id| self.stmt(id).name == name)
    }

    /// The statements that a relation between instances, `{ S[i] -> T[j] }`, leads from and to.
    pub fn stmts_of(&self, relation: &Map) -> isl::Result<Option<(StmtId, StmtId)>> {
        let stmt = |name: Option<String>| self.stmt_named(&name.unwrap_or_default());
        let source = stmt(relation.get_tuple_name(DimType::In)?);
        Ok(source.zip(stmt(relation.get_tuple_name(DimType::Out)?)))
    }

    /// The array whose tuples have this name.
    pub fn array_named(&self, name: &str) -> Option<ArrayId> {
        self.arrays.iter().position(|array| array.name == name).map(|index| ArrayId(index as u32))
    }

    /// The statement that an access belongs to, and the access.
    pub fn access(&self, id: AccessId) -> Option<(StmtId, &Access)> {
        self.stmt_ids().find_map(|stmt| Some((stmt, self.stmt(stmt).access(id)?)))
    }

    /// A number that no access has.
    pub fn next_access(&self) -> AccessId {
        let ids = self.stmts.iter().flat_map(|stmt| &stmt.accesses).map(|access| access.id.0 + 1);
        AccessId(ids.max().unwrap_or(0))
    }

    /// All instances: `{ S[i,j]; T[i] }`, restricted to parameter values of the context.
    pub fn domain(&self) -> isl::Result<UnionSet> {
        let mut all = UnionSet::empty_ctx(&self.ctx)?;
        for stmt in &self.stmts {
            all = all.union(UnionSet::from_set(stmt.domain.clone())?)?;
        }
        all.intersect_params(self.context.clone())
    }

    /// The instances of one of its statements, for parameter values of the context: `{ S[i,j] }`.
    pub fn instances(&self, stmt: &Stmt) -> isl::Result<Set> {
        self.known.instances(&stmt.domain, &self.context)
    }

    /// What these instances touch by an access of the statement: `{ S[i,j] -> A[x,y] }`.
    pub fn cells(&self, stmt: &Stmt, access: &Access) -> isl::Result<Map> {
        self.known.cells(&access.relation, &self.instances(stmt)?)
    }

    /// The accesses of the kinds that `wanted` picks, restricted to the domains: `{ S[i,j] -> A[x,y] }`.
    pub fn accesses(&self, wanted: impl Fn(&Stmt, &Access) -> bool) -> isl::Result<UnionMap> {
        let mut all = UnionMap::empty_ctx(&self.ctx)?;
        for stmt in &self.stmts {
            for access in stmt.accesses.iter().filter(|access| wanted(stmt, access)) {
                let relation = access.relation.clone().intersect_domain(stmt.domain.clone())?;
                all = all.union(UnionMap::from_map(relation)?)?;
            }
        }
        all.intersect_params(self.context.clone())
    }

    /// The model for these parameter values only: those of its statements that then are executed, and their old numbers. What the
    /// context says no set repeats. More values than these do no harm and may keep it simple: what holds for them holds for those, and
    /// who must know that numbers fit asks the run-time check's parameters, not the model's.
    pub fn within(&self, valid: &Set) -> isl::Result<(Scop, Vec<StmtId>)> {
        let valid = Set::from_basic_set(valid.clone().remove_divs()?.simple_hull()?)?;
        let valid = valid.align_params(self.context.get_space()?)?;
        if self.context.is_subset(&valid)? {
            let scop = Scop { context: without_far_bounds(&self.context)?, ..self.clone() };
            return Ok((scop, self.stmt_ids().collect()));
        }
        let context = without_far_bounds(&self.context.clone().intersect(valid)?)?;
        let mut scop = Scop { context: context.clone(), stmts: Vec::new(), ..self.clone() };
        let mut kept = Vec::new();
        // Statements in the same loops have the same domains.
        let mut known: Vec<(Set, Option<Set>)> = Vec::new();
        for (id, stmt) in self.stmt_ids().zip(&self.stmts) {
            let whole = stmt.domain.clone().reset_tuple_id()?;
            let same = known.iter().find(|(other, _)| other.plain_is_equal(&whole).unwrap_or(false));
            let left = match same {
                Some((_, left)) => left.clone(),
                None => {
                    let left = left_in(&whole, &context)?;
                    known.push((whole, left.clone()));
                    left
                }
            };
            if let Some(left) = left {
                scop.stmts.push(stmt.within(left.set_tuple_name(&stmt.name)?, &context)?);
                kept.push(id);
            }
        }
        scop.order = ordered(&self.order, &kept);
        Ok((scop, kept))
    }

    /// The accesses of one kind: `{ S[i,j] -> A[x,y] }`.
    pub fn accesses_of(&self, kind: AccessKind) -> isl::Result<UnionMap> {
        self.accesses(|_, access| access.kind == kind)
    }

    /// The program's own order as a schedule tree over [`Scop::domain`]: a band of one member for each loop, a
    /// sequence for each body with several parts.
    pub fn schedule(&self) -> isl::Result<Schedule> {
        match self.sequence(&self.order, 0)? {
            Some(schedule) => schedule.intersect_domain(self.domain()?),
            None => Schedule::from_domain(self.domain()?),
        }
    }

    fn sequence(&self, parts: &[Order], depth: usize) -> isl::Result<Option<Schedule>> {
        let mut whole: Option<Schedule> = None;
        for part in parts {
            let Some(next) = self.part(part, depth)? else { continue };
            whole = Some(match whole {
                Some(before) => before.sequence(next)?,
                None => next,
            });
        }
        Ok(whole)
    }

    fn part(&self, part: &Order, depth: usize) -> isl::Result<Option<Schedule>> {
        match part {
            Order::Stmt(id) => {
                let domain = UnionSet::from_set(self.stmt(*id).domain.clone())?;
                Schedule::from_domain(domain).map(Some)
            }
            Order::Loop(body) => {
                let Some(inner) = self.sequence(body, depth + 1)? else { return Ok(None) };
                let counters = self.counters(body, depth)?;
                inner.insert_partial_schedule(counters).map(Some)
            }
        }
    }

    /// `{ S[i,j] -> [(i)] }` for all statements below, where `i` is the counter at `depth`.
    fn counters(&self, body: &[Order], depth: usize) -> isl::Result<MultiUnionPwAff> {
        let mut counters = UnionMap::empty_ctx(&self.ctx)?;
        for id in stmts_below(body) {
            let domain = &self.stmt(id).domain;
            let dims = domain.dim(DimType::Set)?;
            let all = Map::identity(domain.get_space()?.map_from_set()?)?;
            let keep = all
                .project_out(DimType::Out, depth + 1, dims - depth - 1)?
                .project_out(DimType::Out, 0, depth)?
                .reset_tuple_id(DimType::Out)?;
            counters = counters.union(UnionMap::from_map(keep)?)?;
        }
        MultiUnionPwAff::from_union_map(counters)
    }

    /// The filters of a sequence, for those who build schedule trees by hand.
    pub fn filters(&self, groups: &[Vec<StmtId>]) -> isl::Result<UnionSetList> {
        let mut list = UnionSetList::alloc(&self.ctx, groups.len())?;
        for group in groups {
            let mut filter = UnionSet::empty_ctx(&self.ctx)?;
            for &id in group {
                filter = filter.union(UnionSet::from_set(self.stmt(id).domain.clone())?)?;
            }
            list = list.add(filter.universe()?)?;
        }
        Ok(list)
    }
}

/// The statements in a part of the order, in that order.
pub fn stmts_below(parts: &[Order]) -> Vec<StmtId> {
    let mut found = Vec::new();
    for part in parts {
        match part {
            Order::Stmt(id) => found.push(*id),
            Order::Loop(body) => found.extend(stmts_below(body)),
        }
    }
    found
}

/// The order of the kept statements, by their new numbers.
pub fn ordered(order: &[Order], kept: &[StmtId]) -> Vec<Order> {
    let mut parts = Vec::new();
    for part in order {
        match part {
            Order::Stmt(id) => {
                let new = kept.iter().position(|known| known == id);
                parts.extend(new.map(|new| Order::Stmt(StmtId(new as u32))));
            }
            Order::Loop(body) => {
                let body = ordered(body, kept);
                if !body.is_empty() {
                    parts.push(Order::Loop(body));
                }
            }
        }
    }
    parts
}
