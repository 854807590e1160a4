//! No overlap: what a nest touches of an array, as a range (paper 002, Section 4.6).
//!
//! Two arrays do not overlap if one range ends before the other begins. A range is the least and the greatest row that is
//! touched, as affine functions of the parameters. Steps that are not uniform make those complicated: `5 * floor((n - 1) / 5) + 4`.
//! What is checked need not be exact, as long as the range contains what is touched: existentials are dropped, which is
//! how the check of Figure 14b becomes that of Figure 14c.
//!
//! Even in its own order a nest may gain from the check ([`gain_from_check`]): a cell that an innermost loop updates again and again
//! can stay in a register only if nothing else that the loop touches overlaps it, and so can one that the next iteration reads again,
//! `A[i + 1]` in `B[i] = A[i] + A[i + 1]`. A sum of floating-point numbers waits for each addition anyway: LLVM has what it stored at hand
//! for the next one unless something else is stored meanwhile, and the stores themselves cost nothing.

use isl::{Constraint, DimType, LocalSpace, Map, PwAff, Set, Val};
use model::{Access, AccessKind, ArrayId, ArrayKind, Condition, Scop, Stmt};

/// The first row that is touched and the end of the last: `{ [] -> [row] }`.
pub struct Range {
    /// The first row.
    pub first: PwAff,
    /// One past the last row.
    pub end: PwAff,
}

/// `{ A[x] }`: the cells of an array that the nest touches, for parameters in `valid`.
pub fn cells(scop: &Scop, array: ArrayId, valid: &Set) -> isl::Result<Set> {
    let mut all: Option<Set> = None;
    for stmt in &scop.stmts {
        for access in stmt.accesses.iter().filter(|access| access.array == array) {
            let cells = access.relation.clone().intersect_domain(stmt.domain.clone())?.range()?;
            all = Some(match all {
                Some(before) => before.union(cells)?,
                None => cells,
            });
        }
    }
    match all {
        Some(cells) => cells.intersect_params(valid.clone())?.coalesce(),
        None => Set::empty(scop.context.get_space()?),
    }
}

/// The first and the last row in which a cell is touched.
pub fn exact_range(cells: &Set) -> isl::Result<Range> {
    ends(&rows(cells)?)
}

fn rows(cells: &Set) -> isl::Result<Set> {
    let more = cells.dim(DimType::Set)?.saturating_sub(1);
    cells.clone().project_out(DimType::Set, 1, more)
}

/// The rows of an array in which cells are touched, perhaps a few more; of cells, if it has one dimension.
pub fn range(cells: &Set) -> isl::Result<Range> {
    let rows = rows(cells)?;
    let exact = ends(&rows)?;
    if !rows.involves_locals()? {
        return Ok(exact);
    }
    let hull = Set::from_basic_set(rows.clone().remove_divs()?.simple_hull()?)?;
    let hull = hull.intersect_params(rows.params()?)?.coalesce()?;
    if !hull.dim_is_bounded(DimType::Set, 0)? {
        return Ok(exact);
    }
    let simple = ends(&hull)?;
    let is_tight =
        is_at_most(&simple.end, &exact.end, SLACK)? && is_at_most(&exact.first, &simple.first, SLACK)?;
    Ok(if is_tight { simple } else { exact })
}

/// How many rows more a simple range may have.
const SLACK: i64 = 64;

fn ends(rows: &Set) -> isl::Result<Range> {
    let one = Val::int_from_si(rows.ctx(), 1)?;
    let (first, last) = (rows.clone().lexmin_pw_multi_aff()?, rows.clone().lexmax_pw_multi_aff()?);
    Ok(Range { first: first.get_at(0)?, end: last.get_at(0)?.add_constant_val(one)? })
}

/// Whether one number exceeds another by no more than that, for all parameters.
fn is_at_most(number: &PwAff, other: &PwAff, slack: i64) -> isl::Result<bool> {
    let most = other.clone().add_constant_val(Val::int_from_si(other.ctx(), slack)?)?;
    number.clone().gt_set(most)?.is_empty()
}

/// The pairs of arrays that are tested for overlap.
fn pairs(scop: &Scop) -> impl Iterator<Item = (ArrayId, ArrayId)> {
    scop.ledger.entries().iter().filter_map(|entry| match entry.holds {
        Condition::NoOverlap(a, b) => Some((a, b)),
        _ => None,
    })
}

/// What a nest in its own order gains from a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// A cell that stays in a register.
    Cell,
    /// Values that go from one iteration to the next.
    NextIteration,
}

/// Whether, of two loops or more, an innermost one writes one cell all the time, or reads what it will read again in its next
/// iteration, and what is tested is that nothing else that the same statement writes or reads overlaps that.
pub fn gain_from_check(scop: &Scop) -> isl::Result<Option<Gain>> {
    let pairs: Vec<_> = pairs(scop).collect();
    let mut gain = None;
    for stmt in &scop.stmts {
        for write in stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
            let is_tested = |other: &&Access| {
                pairs.contains(&(write.array, other.array)) || pairs.contains(&(other.array, write.array))
            };
            let tested: Vec<_> = stmt.accesses.iter().filter(is_tested).collect();
            let is_free = || !adds_in_order(stmt) || is_stored_beside(scop, stmt, write.array, &pairs);
            if !tested.is_empty() && is_free() && is_one_cell(scop, stmt, write)? {
                return Ok(Some(Gain::Cell));
            }
            if gain.is_none() && reads_again(scop, stmt, &tested)? {
                gain = Some(Gain::NextIteration);
            }
        }
    }
    Ok(gain)
}

/// Whether a statement adds floating-point numbers.
fn adds_in_order(stmt: &Stmt) -> bool {
    let adds = ["fadd", "fsub", "fma", "fmuladd"];
    stmt.body.ops.iter().any(|op| adds.iter().any(|name| op.operator.starts_with(name)))
}

/// Whether a statement as deep as this one stores something that may overlap the array.
fn is_stored_beside(scop: &Scop, stmt: &Stmt, array: ArrayId, pairs: &[(ArrayId, ArrayId)]) -> bool {
    let depth = |stmt: &Stmt| stmt.domain.dim(DimType::Set).unwrap_or(0);
    let may_overlap = |other: ArrayId| pairs.contains(&(array, other)) || pairs.contains(&(other, array));
    let stores = |other: &Stmt| {
        let mut writes = other.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        depth(other) == depth(stmt) && writes.any(|write| may_overlap(write.array))
    };
    scop.stmts.iter().any(stores)
}

/// Whether the next iteration of the innermost loop, which is inside of another, reads by one access what this one reads by
/// another. To hand many values on, or small ones, takes vectors longer than to load them again: nine bytes of an image
/// have half of the speed.
fn reads_again(scop: &Scop, stmt: &Stmt, accesses: &[&Access]) -> isl::Result<bool> {
    let depth = stmt.domain.dim(DimType::Set)?;
    let is_small = |access: &&Access| scop.array(access.array).elem_bytes < LEAST_BYTES;
    if depth < 2 || accesses.len() > MOST_READS || accesses.iter().any(is_small) {
        return Ok(false);
    }
    let next = next_iteration(&stmt.domain, depth)?;
    let reads = || accesses.iter().filter(|access| access.kind == AccessKind::Read);
    for now in reads() {
        for then in reads().filter(|then| then.id != now.id && then.array == now.array) {
            let again = next.clone().apply_range(then.relation.clone())?;
            if now.relation.is_single_valued()? && !again.is_empty()? && again.is_subset(&now.relation)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// How many values a statement reads at most, and how large they are at least, if some are to be handed on.
const MOST_READS: usize = 5;
const LEAST_BYTES: u32 = 8;

/// `{ S[i, j] -> S[i, j + 1] }`, both in the domain.
fn next_iteration(domain: &Set, depth: usize) -> isl::Result<Map> {
    let ids = domain.clone().identity()?;
    let space = ids.get_space()?;
    let mut next = Map::universe(space.clone())?;
    for at in 0..depth {
        let one = if at + 1 == depth { 1 } else { 0 };
        let step = Constraint::alloc_equality(LocalSpace::from_space(space.clone())?)?;
        let step = step.set_coefficient_si(DimType::In, at, 1)?.set_coefficient_si(DimType::Out, at, -1)?;
        next = next.add_constraint(step.set_constant_si(one)?)?;
    }
    next.intersect_domain(domain.clone())?.intersect_range(domain.clone())
}

/// Whether an access to memory touches one cell in all iterations of the innermost loop, which is inside of another.
fn is_one_cell(scop: &Scop, stmt: &Stmt, access: &Access) -> isl::Result<bool> {
    let depth = stmt.domain.dim(DimType::Set)?;
    if depth < 2 || scop.array(access.array).kind != ArrayKind::Memory {
        return Ok(false);
    }
    access.relation.clone().project_out(DimType::In, depth - 1, 1)?.is_single_valued()
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    /// Figure 14: rows `5c` to `5c + 4` for `5c < N`.
    #[test]
    fn figure_14() {
        let ctx = Ctx::new();
        let cells = "[N] -> { A[x] : exists (c : 0 <= c and 5c < N and 5c <= x <= 5c + 4) }";
        let cells = Set::read_from_str(&ctx, cells).unwrap();
        let found = range(&cells).unwrap();
        assert_eq!(found.first.to_string(), "[N] -> { [(0)] : N > 0 }");
        assert_eq!(found.end.to_string(), "[N] -> { [(4 + N)] : N > 0 }");
    }
}
