//! Small arrays that each iteration of a loop fills before it reads them: one copy for each iteration of a strip.
//!
//! In
//! ```text
//! for q                                        for t, for u < 8, where q = 8 t + u
//!   for p {                                      for p {
//!     Z: x[p] = 0                                  Z: y[u][p] = 0
//!     for s                                        for s
//!       S: x[p] += A[q][s] * C[s][p] }               S: y[u][p] += A[q][s] * C[s][p] }
//!   for p                                        for p
//!     W: A[q][p] = x[p]                            W: A[q][p] = y[u][p]
//!                                              O: x[p] = y[u][p] for the last q and all p
//! ```
//! all iterations of `q` use the same cells, so they run one after the other, and no cell of `C` that is loaded serves two of
//! them. With a copy of `x` for each iteration of a strip, the iterations of a strip do not depend on each other: what is summed
//! is a product of matrices with as many rows as the strip has iterations, and all that is known about those holds.
//!
//! # Terms
//! - The loop `q` is cut into *strips* of a fixed number of iterations: one loop more around the statements in it, whose
//!   instances keep their order.
//! - An array is *private* in the loop if each value that an iteration reads from it was written by the same iteration, the
//!   iterations of the loops around included.
//! - `O` is a *return*: it copies what the last iteration left, which the program may look at, and only if there is one.
//!
//! # What gets copies
//! With the loops around at their values, all arrays through which iterations of the loop depend on each other. Each must
//! 1. be private: the flow of values is exact enough to say so (not memory-based), none of it joins two iterations, none comes
//!    from before the loop;
//! 2. end with the last iteration: what any iteration writes, the last one must write, too. Then only its copy returns;
//! 3. be read and written by statements that say what they do with its values, so that each access is a load or a store;
//! 4. lie in memory, row behind row, be touched only in the loop or outside of all loops around it, and have a last cell that is
//!    one affine expression of the parameters.
//!
//! If an array that is in the way is not like that, none gets copies: the iterations would wait all the same.
//!
//! # Which loops are looked at
//! [`wanted`] looks for sums for which a block of cells in registers (`schedule::block`) has no second row: updates of an array in two
//! loops inside of one along which the cell stands still, with an operand that stands still there, too. Whether copies pay is the
//! scheduler's business; [`crate::check_copies`] proves that they change nothing.
//!
//! # Reference
//! P. Feautrier, "Array expansion", 1988; the strip bounds the memory as in V. Lefebvre, P. Feautrier, "Automatic storage
//! management for parallel programs", 1998, section 3.

use dataflow::{Basis, Dependences, Kind};
use isl::{Ctx, DimType, Map, Set};
use model::scop::stmts_below;
use model::{
    Access, AccessKind, Array, ArrayId, ArrayKind, Body, Known, Layout, Operand, Order, Scop, Stmt, StmtId,
};

use crate::expand::{end_of, free_name};

/// A loop whose iterations might gain from copies of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// A statement in it that sums.
    pub stmt: StmtId,
    /// The array of its sums.
    pub array: ArrayId,
    /// How many loops are around the loop.
    pub at: usize,
}

/// A model with copies of arrays.
#[derive(Clone, Debug)]
pub struct Copies {
    /// The new model: the statements of the old one under their numbers, and behind them those that return copies.
    pub scop: Scop,
    /// The arrays, and what has their copies.
    pub arrays: Vec<(ArrayId, ArrayId)>,
    /// The statements in the loop that is cut.
    pub stmts: Vec<StmtId>,
    /// How it is cut.
    pub strip: Strip,
}

/// A loop in strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// How many loops are around it: the old counter of that number is `size` times the new one, plus the new one behind that.
    pub at: usize,
    /// How many iterations a strip has.
    pub size: i64,
}

/// The loops that might gain, innermost first.
pub fn wanted(scop: &Scop) -> isl::Result<Vec<Wanted>> {
    let mut found = Vec::new();
    for id in scop.stmt_ids() {
        let stmt = scop.stmt(id);
        let depth = stmt.domain.dim(DimType::Set)?;
        let Some(update) = update(scop, stmt)?.filter(|_| depth >= 3) else { continue };
        let (mut cell, mut operands) = (None, Vec::new());
        for access in &stmt.accesses {
            let relation = access.relation.clone().gist_domain(stmt.domain.clone())?;
            match access.id == update.id {
                true => cell = Some(relation),
                false if access.array != update.array => operands.push(relation),
                false => {}
            }
        }
        let Some(cell) = cell.filter(|cell| moving_loops(cell, depth).is_ok_and(|count| count == 1)) else {
            continue;
        };
        for at in (0..depth - 2).rev() {
            if is_shared(&cell, &operands, at, depth)? {
                found.push(Wanted { stmt: id, array: update.array, at });
            }
        }
    }
    Ok(found)
}

/// Along how many loops a cell moves. Along two: the sums have rows and columns already.
fn moving_loops(cell: &Map, depth: usize) -> isl::Result<usize> {
    let mut count = 0;
    for at in 0..depth {
        count += usize::from(cell.involves_dims(DimType::In, at, 1)?);
    }
    Ok(count)
}

/// Whether a cell stands still along the loop with `at` loops around it and along one inside, along which an operand moves that
/// stands still along the outer one, too.
fn is_shared(cell: &Map, operands: &[Map], at: usize, depth: usize) -> isl::Result<bool> {
    let stays = |of: &Map, at| Ok::<_, isl::Error>(!of.involves_dims(DimType::In, at, 1)?);
    if !stays(cell, at)? {
        return Ok(false);
    }
    for summed in at + 1..depth {
        for operand in operands {
            if stays(cell, summed)? && stays(operand, at)? && !stays(operand, summed)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The write of `x += ..` in an array that could have copies, if the statement is that.
fn update<'s>(scop: &Scop, stmt: &'s Stmt) -> isl::Result<Option<&'s Access>> {
    let mut writes = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read);
    let (Some(write), None) = (writes.next(), writes.next()) else { return Ok(None) };
    if write.kind != AccessKind::MustWrite || !may_have_copies(scop.array(write.array)) {
        return Ok(None);
    }
    for read in stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
        if read.array == write.array && read.relation.is_equal(&write.relation)? {
            return Ok(Some(write));
        }
    }
    Ok(None)
}

fn may_have_copies(array: &Array) -> bool {
    array.kind == ArrayKind::Memory && array.layout == Layout::Even && !array.shape.is_empty()
}

/// The model with copies for each iteration of strips of so many. `None`: they cannot be had, or do not help.
pub fn copies(
    scop: &Scop,
    dependences: &Dependences,
    wanted: Wanted,
    size: i64,
) -> isl::Result<Option<Copies>> {
    let Some(stmts) = loop_around(&scop.order, wanted.stmt, wanted.at) else { return Ok(None) };
    let of = Loop { scop, dependences, stmts, at: wanted.at };
    let arrays = of.in_the_way()?;
    if dependences.flow_basis != Basis::Value || !arrays.contains(&wanted.array) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for array in arrays {
        match of.private(array)? {
            Some(private) => all.push(private),
            None => return Ok(None),
        }
    }
    of.with_copies(&all, size).map(Some)
}

/// The statements in the loop with `at` loops around it that is around a statement.
fn loop_around(parts: &[Order], stmt: StmtId, at: usize) -> Option<Vec<StmtId>> {
    let around = parts.iter().find_map(|part| match part {
        Order::Loop(body) => stmts_below(body).contains(&stmt).then_some(body),
        Order::Stmt(_) => None,
    })?;
    match at {
        0 => Some(stmts_below(around)),
        _ => loop_around(around, stmt, at - 1),
    }
}

/// A loop of a model.
struct Loop<'a> {
    scop: &'a Scop,
    dependences: &'a Dependences,
    /// The statements in it.
    stmts: Vec<StmtId>,
    /// How many loops are around it.
    at: usize,
}

/// An array that is private in a loop.
struct Private {
    array: ArrayId,
    /// The cells that are written: `{ [x] }`.
    cells: Set,
    /// The counters of the last iteration that writes some, those of the loops around included: `{ [r, q] }`.
    last: Set,
    /// The sizes of what has a copy.
    shape: Vec<Option<String>>,
}

impl Loop<'_> {
    fn has(&self, stmt: StmtId) -> bool {
        self.stmts.contains(&stmt)
    }

    /// The arrays through which iterations depend on each other, the loops around being at their values.
    fn in_the_way(&self) -> isl::Result<Vec<ArrayId>> {
        let mut found = Vec::new();
        for dependence in &self.dependences.by_access {
            let Some((source, sink)) = self.scop.stmts_of(&dependence.relation)? else { continue };
            if found.contains(&dependence.array) || !self.has(source) || !self.has(sink) {
                continue;
            }
            let carried = agreeing(dependence.relation.clone(), self.at)?;
            let carried = carried.order_lt(DimType::In, self.at, DimType::Out, self.at)?;
            if !carried.is_empty()? {
                found.push(dependence.array);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The array as one that can have copies, if it can.
    fn private(&self, array: ArrayId) -> isl::Result<Option<Private>> {
        let is_fit = may_have_copies(self.scop.array(array)) && self.is_by_itself(array);
        if !is_fit || !self.reads_its_own(array)? {
            return Ok(None);
        }
        let Some((last, cells)) = self.last(array)? else { return Ok(None) };
        let mut shape = Vec::new();
        for at in 0..self.scop.array(array).shape.len() {
            shape.push(end_of(self.scop, dim(cells.clone(), at)?)?);
        }
        Ok(shape.iter().all(Option::is_some).then_some(Private { array, cells, last, shape }))
    }

    /// Whether whoever touches the array is in the loop or outside of the loops around.
    fn is_by_itself(&self, array: ArrayId) -> bool {
        let touches = |stmt: &StmtId| self.scop.stmt(*stmt).accesses.iter().any(|a| a.array == array);
        let is_near = |stmt: StmtId| dataflow::shared_loops(self.scop, self.stmts[0], stmt) > 0;
        self.scop.stmt_ids().filter(touches).all(|stmt| match self.has(stmt) {
            true => knows_values(self.scop.stmt(stmt), array),
            false => !is_near(stmt),
        })
    }

    /// The first condition.
    fn reads_its_own(&self, array: ArrayId) -> isl::Result<bool> {
        for dependence in &self.dependences.by_access {
            let is_flow = matches!(dependence.kind, Kind::Flow | Kind::Reduction);
            if dependence.array != array || !is_flow {
                continue;
            }
            let Some((source, sink)) = self.scop.stmts_of(&dependence.relation)? else { return Ok(false) };
            let is_own = match (self.has(source), self.has(sink)) {
                (true, true) => {
                    let own = agreeing(dependence.relation.clone(), self.at + 1)?;
                    dependence.relation.is_subset(&own)?
                }
                (false, true) => dependence.relation.is_empty()?,
                _ => true,
            };
            if !is_own {
                return Ok(false);
            }
        }
        let name = &self.scop.array(array).name;
        for map in self.dependences.live_in.get_map_list()?.to_vec()? {
            let stmt = self.scop.stmt_named(&map.get_tuple_name(DimType::In)?.unwrap_or_default());
            let is_it = map.get_tuple_name(DimType::Out)?.as_ref() == Some(name);
            if is_it && stmt.is_some_and(|stmt| self.has(stmt)) && !map.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The second condition: the last iteration that writes, and the cells that it and all others write.
    fn last(&self, array: ArrayId) -> isl::Result<Option<(Set, Set)>> {
        let (mut prefixes, mut written, mut surely) = (None, None, Vec::new());
        for &stmt in &self.stmts {
            let stmt = self.scop.stmt(stmt);
            let dims = stmt.domain.dim(DimType::Set)?;
            let writes = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read);
            for write in writes.filter(|access| access.array == array) {
                // { [r, q] -> [x] }
                let cells = self.scop.cells(stmt, write)?.reset_tuple_id(DimType::In)?;
                let cells = cells.reset_tuple_id(DimType::Out)?;
                let cells = cells.project_out(DimType::In, self.at + 1, dims - self.at - 1)?;
                prefixes = union(prefixes, cells.clone().domain()?)?;
                written = union(written, cells.clone().range()?)?;
                if write.kind == AccessKind::MustWrite {
                    surely.push(cells);
                }
            }
        }
        let (Some(prefixes), Some(written)) = (prefixes, written) else { return Ok(None) };
        let last = prefixes.lexmax()?;
        let mut left = written.clone();
        for cells in surely {
            left = left.subtract(cells.intersect_domain(last.clone())?.range()?)?;
        }
        Ok(left.is_empty()?.then_some((last, written.coalesce()?)))
    }

    fn with_copies(&self, all: &[Private], size: i64) -> isl::Result<Copies> {
        let strip = Strip { at: self.at, size };
        let mut scop = Scop { known: Known::default(), ..self.scop.clone() };
        for stmt in &self.stmts {
            scop.stmts[stmt.index()] = strip.stmt(self.scop.stmt(*stmt))?;
        }
        scop.order = strip.order(&self.scop.order, &self.stmts, 0);
        let mut arrays = Vec::new();
        for private in all {
            let old = scop.array(private.array).clone();
            let (name, copy) = (free_name(&scop, &old.name), ArrayId(scop.arrays.len() as u32));
            for stmt in &self.stmts {
                strip.move_accesses(&mut scop.stmts[stmt.index()], private.array, (copy, &name))?;
            }
            let rows = Some(size.to_string());
            let shape = std::iter::once(rows).chain(private.shape.iter().cloned()).collect();
            arrays.push((private.array, copy));
            scop.arrays.push(Array { name, shape, kind: ArrayKind::Scratch, ..old });
        }
        for (private, (_, copy)) in all.iter().zip(&arrays).rev() {
            self.add_return(&mut scop, private, *copy, strip)?;
        }
        Ok(Copies { scop, arrays, stmts: self.stmts.clone(), strip })
    }

    /// Adds the statement that copies what the last iteration left, behind the loops around.
    fn add_return(&self, scop: &mut Scop, private: &Private, copy: ArrayId, strip: Strip) -> isl::Result<()> {
        let (array, copied) = (scop.array(private.array).name.clone(), scop.array(copy).name.clone());
        let mut name = format!("{array}_last");
        while scop.stmt_named(&name).is_some() {
            name.push('_');
        }
        // { [u] }: which copy the last iteration has.
        let last = private.last.clone().apply(strip.map(&scop.ctx, "", self.at + 1)?.reverse()?)?;
        let copy_of_last = dim(last, self.at + 1)?.coalesce()?;
        let domain = private.cells.clone().intersect_params(copy_of_last.clone().params()?)?;
        let domain = domain.set_tuple_name(&name)?;
        let (dims, to) = (domain.dim(DimType::Set)?, Map::identity(domain.get_space()?.map_from_set()?)?);
        let from = Map::from_domain_and_range(domain.clone(), copy_of_last)?
            .flat_range_product(to.clone().reset_tuple_id(DimType::Out)?)?
            .set_tuple_name(DimType::Out, &copied)?;
        let to = to.set_tuple_name(DimType::Out, &array)?;
        let read = scop.next_access();
        let write = model::AccessId(read.0 + 1);
        let access = |id, kind, array, relation| Access { id, kind, array, relation };
        let accesses = vec![
            access(read, AccessKind::Read, copy, from),
            access(write, AccessKind::MustWrite, private.array, to),
        ];
        let body = Body { stored: vec![(write, Operand::Read(read))], ..Body::default() };
        let id = StmtId(scop.stmts.len() as u32);
        scop.stmts.push(Stmt { name, domain, accesses, reductions: Vec::new(), body, loc: None });
        let nest = (0..dims).fold(Order::Stmt(id), |inner, _| Order::Loop(vec![inner]));
        let is_it = |part: &Order| stmts_below(std::slice::from_ref(part)).contains(&self.stmts[0]);
        let at = scop.order.iter().position(is_it).map_or(scop.order.len(), |at| at + 1);
        scop.order.insert(at, nest);
        Ok(())
    }
}

impl Strip {
    /// `{ S[r, t, u, p] -> S[r, 8 t + u, p] : t >= 0 and 0 <= u < 8 }` for statements with so many counters before they are cut.
    pub(crate) fn map(&self, ctx: &Ctx, name: &str, dims: usize) -> isl::Result<Map> {
        let new: Vec<_> = (0..=dims).map(|at| format!("i{at}")).collect();
        let mut old = new.clone();
        let inner = old.remove(self.at + 1);
        old[self.at] = format!("{}{} + {inner}", self.size, old[self.at]);
        let bounds = format!("{} >= 0 and 0 <= {inner} < {}", new[self.at], self.size);
        let text = format!("{{ {name}[{}] -> {name}[{}] : {bounds} }}", new.join(", "), old.join(", "));
        Map::read_from_str(ctx, &text)
    }

    /// A statement in the loop that is cut.
    fn stmt(&self, old: &Stmt) -> isl::Result<Stmt> {
        let map = self.map(old.domain.ctx(), &old.name, old.domain.dim(DimType::Set)?)?;
        let domain = old.domain.clone().apply(map.clone().reverse()?)?.remove_redundancies()?;
        let mut stmt = Stmt { domain, ..old.clone() };
        for access in &mut stmt.accesses {
            let relation = map.clone().apply_range(access.relation.clone())?;
            access.relation = relation.gist_domain(stmt.domain.clone())?;
        }
        Ok(stmt)
    }

    /// The order in which the loop around these statements is two loops.
    fn order(&self, parts: &[Order], stmts: &[StmtId], depth: usize) -> Vec<Order> {
        let cut = |part: &Order| match part {
            Order::Loop(body) if stmts_below(body).contains(&stmts[0]) => match depth == self.at {
                true => Order::Loop(vec![part.clone()]),
                false => Order::Loop(self.order(body, stmts, depth + 1)),
            },
            other => other.clone(),
        };
        parts.iter().map(cut).collect()
    }

    /// Has a statement touch the copy of its iteration instead of an array.
    fn move_accesses(&self, stmt: &mut Stmt, array: ArrayId, to: (ArrayId, &str)) -> isl::Result<()> {
        let counters = Map::identity(stmt.domain.get_space()?.map_from_set()?)?;
        let behind = stmt.domain.dim(DimType::Set)? - self.at - 2;
        let copy = counters
            .project_out(DimType::Out, self.at + 2, behind)?
            .project_out(DimType::Out, 0, self.at + 1)?
            .reset_tuple_id(DimType::Out)?;
        for access in stmt.accesses.iter_mut().filter(|access| access.array == array) {
            let cells = access.relation.clone().reset_tuple_id(DimType::Out)?;
            access.relation = copy.clone().flat_range_product(cells)?.set_tuple_name(DimType::Out, to.1)?;
            access.array = to.0;
        }
        Ok(())
    }
}

/// Whether a statement says what it does with each value of an array: then it loads and stores single cells. Copies of whole rows, for
/// which the program has one instruction, do so as statements over cells only ([`crate::cells`]).
fn knows_values(stmt: &Stmt, array: ArrayId) -> bool {
    stmt.accesses.iter().filter(|access| access.array == array).all(|access| match access.kind {
        AccessKind::Read => stmt.body.operands().any(|operand| *operand == Operand::Read(access.id)),
        _ => stmt.body.stored(access.id).is_some(),
    })
}

/// Those pairs of a relation that agree on the first `count` counters.
fn agreeing(mut relation: Map, count: usize) -> isl::Result<Map> {
    for at in 0..count {
        relation = relation.equate(DimType::In, at, DimType::Out, at)?;
    }
    Ok(relation)
}

fn union(all: Option<Set>, more: Set) -> isl::Result<Option<Set>> {
    Ok(Some(match all {
        Some(all) => all.union(more)?,
        None => more,
    }))
}

/// The values of one dimension.
fn dim(all: Set, at: usize) -> isl::Result<Set> {
    let dims = all.dim(DimType::Set)?;
    all.project_out(DimType::Set, at + 1, dims - at - 1)?.project_out(DimType::Set, 0, at)
}
