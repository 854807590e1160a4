//! The independent check: whether statements over single cells do what those over whole ranges did.
//!
//! It is told which statements are new ([`Cells`]) and believes nothing else of it:
//!
//! 1. The models differ in these statements only; in the order each stands in a loop of its own, where it stood.
//! 2. A new statement says that it stores what it reads, or zero where the old one fills all with zeros, and nothing else.
//! 3. An access has exactly the old cells in the instances that are the old one's, each in one of them, and a greater counter goes with a
//!    cell that comes later in the row, which is the same for all. So the cells are numbered by their addresses, in what is read as in what is written:
//!    with the same number of bytes each, what went from one byte to another still does.
//! 4. Instances of the old statement that are gone touched no cell.
//! 5. What an instance writes none reads that runs after it for the same old one. So each reads what was there before the old one ran.

use isl::{DimType, Map};
use model::{Access, AccessKind, Operand, Order, Scop, Stmt, StmtId, Whole};

use crate::cells::Cells;
use crate::check::Verdict;

/// Whether the model over cells does what `before` does.
pub fn check_cells(before: &Scop, cells: &Cells) -> isl::Result<Verdict> {
    let after = &cells.scop;
    let is_same_frame = before.arrays == after.arrays
        && before.params == after.params
        && before.context.is_equal(&after.context)?
        && before.stmts.len() == after.stmts.len()
        && is_same_order(&before.order, &after.order, &cells.stmts);
    if !is_same_frame {
        return Ok(Verdict::Different("the order, the arrays or the context differ".into()));
    }
    for id in before.stmt_ids() {
        let (old, new) = (before.stmt(id), after.stmt(id));
        let is_good = match cells.stmts.contains(&id) {
            true => moves_the_same(before, old, new)?,
            false => is_untouched(old, new)?,
        };
        if !is_good {
            return Ok(Verdict::Different(format!("{} does something else", old.name)));
        }
    }
    Ok(Verdict::Same)
}

fn is_same_order(before: &[Order], after: &[Order], new: &[StmtId]) -> bool {
    let is_same = |(before, after): (&Order, &Order)| match (before, after) {
        (Order::Stmt(old), Order::Loop(body)) => new.contains(old) && body[..] == [Order::Stmt(*old)],
        (Order::Stmt(old), Order::Stmt(after)) => old == after && !new.contains(old),
        (Order::Loop(before), Order::Loop(after)) => is_same_order(before, after, new),
        _ => false,
    };
    before.len() == after.len() && before.iter().zip(after).all(is_same)
}

fn has_same_accesses(old: &Stmt, new: &Stmt) -> bool {
    let what = |access: &Access| (access.id, access.kind, access.array);
    old.name == new.name && old.accesses.iter().map(what).eq(new.accesses.iter().map(what))
}

fn is_untouched(old: &Stmt, new: &Stmt) -> isl::Result<bool> {
    if !has_same_accesses(old, new)
        || (&old.body, &old.reductions) != (&new.body, &new.reductions)
        || !old.domain.is_equal(&new.domain)?
    {
        return Ok(false);
    }
    for (old, new) in old.accesses.iter().zip(&new.accesses) {
        if !old.relation.is_equal(&new.relation)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn moves_the_same(scop: &Scop, old: &Stmt, new: &Stmt) -> isl::Result<bool> {
    let mut reads = new.accesses.iter().filter(|access| access.kind == AccessKind::Read);
    let mut writes = new.accesses.iter().filter(|access| access.kind != AccessKind::Read);
    let (Some(write), None) = (writes.next(), writes.next()) else { return Ok(false) };
    let stored = match (old.body.whole, reads.next(), reads.next()) {
        (Some(Whole::Copy), Some(read), None) => Operand::Read(read.id),
        (Some(Whole::Fill(0)), None, None) => Operand::Outside(Whole::ZERO.into()),
        _ => return Ok(false),
    };
    let says_so = new.body.whole.is_none()
        && new.body.ops.is_empty()
        && new.body.stored == [(write.id, stored)]
        && new.reductions.is_empty()
        && old.reductions.is_empty();
    let bytes = |access: &Access| scop.array(access.array).elem_bytes;
    let is_alike = write.kind == AccessKind::MustWrite
        && has_same_accesses(old, new)
        && new.accesses.iter().all(|access| bytes(access) == bytes(write));
    let dims = old.domain.dim(DimType::Set)?;
    if !says_so || !is_alike || new.domain.dim(DimType::Set)? != dims + 1 {
        return Ok(false);
    }
    // { S[i, k] -> S[i] }
    let was = Map::identity(new.domain.get_space()?.map_from_set()?)?
        .project_out(DimType::Out, dims, 1)?
        .set_tuple_name(DimType::Out, &old.name)?
        .intersect_domain(new.domain.clone())?;
    let left = old.domain.clone().subtract(was.clone().range()?)?;
    let has_more = !was.clone().range()?.is_subset(&old.domain)?;
    for (old, new) in old.accesses.iter().zip(&new.accesses) {
        let touched_elsewhere = old.relation.clone().intersect_domain(left.clone())?;
        if has_more || !touched_elsewhere.is_empty()? || !has_same_cells(old, new, &was)? {
            return Ok(false);
        }
    }
    reads_what_was_there(new, &was)
}

/// The third condition.
fn has_same_cells(old: &Access, new: &Access, was: &Map) -> isl::Result<bool> {
    let instances = was.clone().domain()?;
    let cell = new.relation.clone().intersect_domain(instances.clone())?;
    let all = was.clone().reverse()?.apply_range(cell.clone())?;
    let old = old.relation.clone().intersect_domain(was.clone().range()?)?;
    let is_one = cell.is_single_valued()? && cell.clone().domain()?.is_equal(&instances)?;
    if !is_one || !all.is_equal(&old)? {
        return Ok(false);
    }
    let dims = cell.dim(DimType::Out)?;
    let (Some(last), counter) = (dims.checked_sub(1), cell.dim(DimType::In)? - 1) else { return Ok(false) };
    // { S[i, k] -> S[i, l] : k < l }, and of those the ones that do not go on in the row.
    let later = was.clone().apply_range(was.clone().reverse()?)?;
    let later = later.order_lt(DimType::In, counter, DimType::Out, counter)?;
    let pairs = later.apply_range(cell.clone())?.apply_domain(cell)?;
    let mut onwards = pairs.clone().order_lt(DimType::In, last, DimType::Out, last)?;
    for at in 0..last {
        onwards = onwards.equate(DimType::In, at, DimType::Out, at)?;
    }
    pairs.is_subset(&onwards)
}

/// The fifth condition.
fn reads_what_was_there(new: &Stmt, was: &Map) -> isl::Result<bool> {
    let counter = new.domain.dim(DimType::Set)? - 1;
    for write in new.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
        for read in new.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if read.array != write.array {
                continue;
            }
            let later = was.clone().apply_range(was.clone().reverse()?)?;
            let later = later.order_lt(DimType::In, counter, DimType::Out, counter)?;
            let seen = write.relation.clone().apply_range(read.relation.clone().reverse()?)?;
            if !later.is_disjoint(&seen)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use isl::{Ctx, Set};

    const ROWS: &str = "scop rows
        param n [0, 100]
        array A [*, n] 8
        array x [*] 8
        stmt Z { Z[q] : 0 <= q < n }
          write { Z[q] -> x[p] : 0 <= p < n }
          whole fill 0
        stmt W { W[q] : 0 <= q < n }
          read { W[q] -> x[p] : q <= p < n }
          write { W[q] -> A[q, p] : 0 <= p < n - q }
          whole copy
        stmt M { M[q] : 0 <= q < n }
          read { M[q] -> A[0, p] : 1 <= p < n }
          write { M[q] -> A[0, p] : 0 <= p < n - 1 }
          whole copy
        order { for { Z W M } }";

    fn changed(change: impl Fn(&mut Cells)) -> Verdict {
        let before = Scop::parse(&Ctx::new(), ROWS).unwrap();
        let mut cells = cells(&before).unwrap().unwrap();
        assert_eq!(cells.stmts.len(), 3);
        cells.scop.verify().unwrap();
        change(&mut cells);
        check_cells(&before, &cells).unwrap()
    }

    fn with(cells: &mut Cells, stmt: usize, access: usize, relation: &str) {
        let relation = Map::read_from_str(&cells.scop.ctx, relation).unwrap();
        cells.scop.stmts[stmt].accesses[access].relation = relation;
    }

    #[test]
    fn what_cells_makes_is_the_same() {
        assert_eq!(changed(|_| {}), Verdict::Same);
    }

    #[test]
    fn what_is_not_the_same_is_found() {
        type Change = fn(&mut Cells);
        let changes: [Change; 11] = [
            // Other cells, in another order, or in another row.
            |cells| with(cells, 0, 0, "{ Z[q, p] -> x[p + 1] }"),
            |cells| with(cells, 0, 0, "[n] -> { Z[q, p] -> x[n - 1 - p] }"),
            |cells| with(cells, 1, 0, "[n] -> { W[q, p] -> x[n - 1 - p] }"),
            |cells| with(cells, 1, 0, "{ W[q, p] -> x[p] }"),
            |cells| with(cells, 1, 1, "{ W[q, p] -> A[q + 1, p] }"),
            |cells| with(cells, 1, 1, "{ W[q, p] -> A[q, 0] }"),
            // Not all of them.
            |cells| {
                let few =
                    Set::read_from_str(&cells.scop.ctx, "[n] -> { Z[q, p] : 0 <= q < n and 0 <= p < n - 1 }");
                cells.scop.stmts[0].domain = few.unwrap();
            },
            // Another value.
            |cells| cells.scop.stmts[0].body.stored[0].1 = Operand::Outside("%k0".into()),
            |cells| cells.scop.stmts[1].body.stored.clear(),
            // Another order, and an old statement that is not what it says.
            |cells| {
                if let Order::Loop(body) = &mut cells.scop.order[0] {
                    body.reverse();
                }
            },
            |cells| {
                cells.stmts.pop();
            },
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert_ne!(changed(change), Verdict::Same, "change {at}");
        }
    }

    /// What must stay whole.
    #[test]
    fn what_is_no_range_or_overtakes_itself_stays() {
        let stays = |read: &str, write: &str, bytes: &str| {
            let text = format!(
                "scop s
                 param n [0, 100]
                 array A [*, n] 8
                 array B [*, n] {bytes}
                 stmt W {{ W[q] : 0 <= q < n }}
                   read {{ W[q] -> {read} }}
                   write {{ W[q] -> {write} }}
                   whole copy
                 order {{ for {{ W }} }}"
            );
            cells(&Scop::parse(&Ctx::new(), &text).unwrap()).unwrap().is_none()
        };
        assert!(!stays("A[q, p] : 0 <= p < 7", "B[q, p] : 3 <= p < 10", "8"));
        // Upwards within a row: the second cell would get the first one's value, and so on.
        assert!(stays("A[q, p] : 0 <= p < 7", "A[q, p] : 3 <= p < 10", "8"));
        assert!(!stays("A[q, p] : 0 <= p < 7", "A[q, p] : 7 <= p < 14", "8"));
        assert!(!stays("A[q, p] : 3 <= p < 10", "A[q, p] : 0 <= p < 7", "8"));
        // Other cells, gaps, several rows, other numbers.
        assert!(stays("A[q, p] : 0 <= p < 7", "B[q, p] : 0 <= p < 14", "4"));
        assert!(stays("A[q, p] : 0 <= p < 7", "B[q, p] : 0 <= p < 14 and p mod 2 = 0", "8"));
        assert!(stays("A[i, p] : 0 <= p < 7 and 0 <= i < 2", "B[i, p] : 0 <= p < 7 and 0 <= i < 2", "8"));
        assert!(stays("A[q, p] : 0 <= p < 7", "B[q, p] : 0 <= p < 8", "8"));
    }
}
