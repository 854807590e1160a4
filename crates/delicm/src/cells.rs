//! Statements that copy or fill a whole range of cells, as statements that do so with one cell.
//!
//! Where a program has a loop that copies a row, LLVM makes `memcpy` of it, and `memset` of one that clears it, before anybody can look
//! at the loop. In
//! ```text
//! Z: x[0 <= p < n] filled with 0          Z: for p  x[p] = 0
//! for p, for s                            for p, for s
//!   S: x[p] += A[q][s] * C[s][p]            S: x[p] += A[q][s] * C[s][p]
//! W: A[q][0 <= p < n] = x[0 <= p < n]     W: for p  A[q][p] = x[p]
//! ```
//! nothing is known of what is in a single cell on the left, so [`crate::copies`] cannot give `x` copies. On the right it is.
//!
//! # Which statements
//! Those that say that this is all they do ([`model::Whole`]), with one write that surely happens, of zeros or of what is read once, if
//! 1. in each instance all cells of an access lie in one row, without gaps, and there are as many to read as to write;
//! 2. cells of both arrays have the same number of bytes, 1, 2, 4 or 8: so many the machine moves at once, which is what LLVM makes of
//!    such a copy, too;
//! 3. no cell is written before the same instance reads it as a later one. (`memcpy` promises that nothing overlaps, `memmove` does not;
//!    different arrays of a model do not, which is checked before new loops run.)
//!
//! The statement has one counter more then, behind all others: the cell's place in the range. It keeps its name, and its accesses their
//! numbers. [`crate::check_cells`] proves that the program does the same.

use isl::{DimType, Map};
use model::{Access, AccessKind, Body, Known, Operand, Order, Scop, Stmt, StmtId, Whole};

/// A model in which some statements move single cells.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The model.
    pub scop: Scop,
    /// Those statements.
    pub stmts: Vec<StmtId>,
}

/// The model with as many such statements as can be. `None`: there are none.
pub fn cells(scop: &Scop) -> isl::Result<Option<Cells>> {
    let mut result = Cells { scop: Scop { known: Known::default(), ..scop.clone() }, stmts: Vec::new() };
    for id in scop.stmt_ids() {
        if let Some(whole) = scop.stmt(id).body.whole
            && let Some(stmt) = of_cells(scop, scop.stmt(id), whole)?
        {
            result.scop.stmts[id.index()] = stmt;
            result.stmts.push(id);
        }
    }
    result.scop.order = order(&scop.order, &result.stmts);
    Ok((!result.stmts.is_empty()).then_some(result))
}

/// With a loop around each of these statements.
fn order(parts: &[Order], stmts: &[StmtId]) -> Vec<Order> {
    let changed = |part: &Order| match part {
        Order::Stmt(id) if stmts.contains(id) => Order::Loop(vec![part.clone()]),
        Order::Stmt(_) => part.clone(),
        Order::Loop(body) => Order::Loop(order(body, stmts)),
    };
    parts.iter().map(changed).collect()
}

fn of_cells(scop: &Scop, stmt: &Stmt, whole: Whole) -> isl::Result<Option<Stmt>> {
    let (read, write) = match (whole, &stmt.accesses[..]) {
        (Whole::Fill(0), [write]) => (None, write),
        (Whole::Copy, [read, write] | [write, read]) if read.kind == AccessKind::Read => (Some(read), write),
        _ => return Ok(None),
    };
    let bytes = |access: &Access| scop.array(access.array).elem_bytes;
    let is_fit = write.kind == AccessKind::MustWrite
        && matches!(bytes(write), 1 | 2 | 4 | 8)
        && read.is_none_or(|read| bytes(read) == bytes(write));
    let Some(to) = Range::of(stmt, write)?.filter(|_| is_fit) else { return Ok(None) };
    let from = match read.map(|read| Range::of(stmt, read)).transpose()? {
        Some(Some(from)) if from.places.is_equal(&to.places)? => Some(from),
        Some(_) => return Ok(None),
        None => None,
    };
    let domain = to.places.clone().wrap()?.flatten()?.set_tuple_name(&stmt.name)?.coalesce()?;
    let mut new = Stmt { domain: domain.remove_redundancies()?, ..stmt.clone() };
    for access in &mut new.accesses {
        let range = from.as_ref().filter(|_| access.kind == AccessKind::Read).unwrap_or(&to);
        access.relation = range.cell(access)?.gist_domain(new.domain.clone())?;
    }
    let value = match read {
        Some(read) => Operand::Read(read.id),
        None => Operand::Outside(Whole::ZERO.into()),
    };
    new.body = Body { stored: vec![(write.id, value)], ..Body::default() };
    Ok((!overtakes(&new)?).then_some(new))
}

/// The cells of an access: in each instance a range of one row.
struct Range {
    /// `{ S[i] -> [k] }`: their places in the range, from 0.
    places: Map,
    /// `{ S[i] -> [[a] -> A[x, y]] }`: all of them, each with the last subscript of the first one.
    cells: Map,
}

impl Range {
    /// `None`: there are gaps, or several rows.
    fn of(stmt: &Stmt, access: &Access) -> isl::Result<Option<Range>> {
        let cells = access.relation.clone().intersect_domain(stmt.domain.clone())?;
        let Some(last) = cells.dim(DimType::Out)?.checked_sub(1) else { return Ok(None) };
        let row = cells.clone().project_out(DimType::Out, last, 1)?;
        let line = cells.clone().project_out(DimType::Out, 0, last)?;
        let first = line.clone().lexmin()?;
        let behind = Map::read_from_str(line.ctx(), "{ [[a] -> [b]] -> [b - a] }")?;
        let places = first.clone().range_product(line)?.apply_range(behind)?;
        let before = Map::read_from_str(places.ctx(), "{ [k] -> [k - 1] : k >= 1 }")?;
        let is_whole = row.is_single_valued()? && places.clone().apply_range(before)?.is_subset(&places)?;
        Ok(is_whole.then_some(Range { places, cells: first.range_product(cells)? }))
    }

    /// `{ S[i, k] -> A[x, y] }`: the cell at a place.
    fn cell(&self, access: &Access) -> isl::Result<Map> {
        let dims = access.relation.dim(DimType::Out)?;
        let name = access.relation.get_tuple_name(DimType::Out)?.unwrap_or_default();
        let stmt = access.relation.get_tuple_name(DimType::In)?.unwrap_or_default();
        let cell: Vec<_> = (0..dims).map(|at| format!("x{at}")).collect();
        let (cell, last) = (cell.join(", "), dims - 1);
        let text = format!("{{ [[a] -> {name}[{cell}]] -> [[x{last} - a] -> {name}[{cell}]] }}");
        let numbered = self.cells.clone().apply_range(Map::read_from_str(access.relation.ctx(), &text)?)?;
        numbered.uncurry()?.flatten_domain()?.set_tuple_name(DimType::In, &stmt)
    }
}

/// Whether some place is written before the same range reads it as a later one.
fn overtakes(stmt: &Stmt) -> isl::Result<bool> {
    let last = stmt.domain.dim(DimType::Set)? - 1;
    for write in stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
        for read in stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if read.array != write.array {
                continue;
            }
            let mut same = write.relation.clone().apply_range(read.relation.clone().reverse()?)?;
            same = same.intersect_domain(stmt.domain.clone())?.intersect_range(stmt.domain.clone())?;
            for at in 0..last {
                same = same.equate(DimType::In, at, DimType::Out, at)?;
            }
            if !same.order_lt(DimType::In, last, DimType::Out, last)?.is_empty()? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
