//! The independent check: whether a model with copies of arrays does what the old one does.
//!
//! It knows nothing of how loops and arrays were chosen; it is told which loop is in strips and which array stands for which
//! ([`Copies`]), and believes none of it:
//!
//! 1. The statements are the old ones, with the same bodies. Those in the loop have one counter more, and exactly the instances that the
//!    strip map leads to instances of theirs. The loop is two loops, and nothing else of the order is new but the nests of
//!    returns. Since the map keeps the order of instances, and all statements of the loop go through it, the
//!    old instances run in the old order.
//! 2. What they touch is what their old instances touch; of some arrays the scratch array that has their copies, one
//!    cell instead of one, within its bounds.
//! 3. A return reads one cell and stores it in one cell, and does nothing else.
//! 4. Of these arrays each read sees the same writes as before, and each cell ends with the same writes, where a write of a return
//!    stands for those that it sees; nothing is read from a scratch array that was not written. The flow of both models is computed anew.
//!
//! By induction over time all instances then see the values that they saw: through other arrays because accesses and order are the
//! same, through these because of 4.

use dataflow::content::Flows;
use dataflow::zones::left_in;
use isl::{DimType, Map, Set, UnionMap};
use model::scop::stmts_below;
use model::{Access, AccessId, AccessKind, ArrayId, ArrayKind, Layout, Operand, Order, Scop, Stmt, StmtId};
use std::collections::BTreeMap;

use crate::check::Verdict;
use crate::copies::{Copies, Strip};

/// Whether the model with copies does what `before` does.
pub fn check_copies(before: &Scop, copies: &Copies) -> isl::Result<Verdict> {
    let checker = Checker { before, after: &copies.scop, copies };
    Ok(match checker.difference()? {
        Some(difference) => Verdict::Different(difference),
        None => Verdict::Same,
    })
}

/// What differs.
type Difference = Option<String>;

struct Checker<'a> {
    before: &'a Scop,
    after: &'a Scop,
    copies: &'a Copies,
}

impl Checker<'_> {
    fn difference(&self) -> isl::Result<Difference> {
        if !self.has_same_frame()? || !self.is_same_order(&self.before.order, &self.after.order, 0) {
            return Ok(Some("the order, the arrays or the context differ".into()));
        }
        for id in self.before.stmt_ids() {
            if !self.is_same_stmt(id)? {
                return Ok(Some(format!("{} does something else", self.before.stmt(id).name)));
            }
        }
        for stmt in self.returns() {
            if !is_copy(self.after, stmt)? {
                return Ok(Some(format!("{} does more than to copy", stmt.name)));
            }
        }
        for (array, copy) in &self.copies.arrays {
            if !self.has_room(*copy)? {
                return Ok(Some(format!("{} is too small", self.after.array(*copy).name)));
            }
            if !self.has_same_flow(*array, *copy)? {
                return Ok(Some(format!("other values go through {}", self.before.array(*array).name)));
            }
        }
        Ok(None)
    }

    /// The statements that are new.
    fn returns(&self) -> impl Iterator<Item = &Stmt> {
        self.after.stmts.iter().skip(self.before.stmts.len())
    }

    fn has_same_frame(&self) -> isl::Result<bool> {
        let (before, after) = (self.before, self.after);
        let (known, new) = after.arrays.split_at(before.arrays.len().min(after.arrays.len()));
        let are_new = |(array, copy): &(ArrayId, ArrayId)| {
            array.index() < known.len() && (known.len()..after.arrays.len()).contains(&copy.index())
        };
        let mut copied: Vec<_> = self.copies.arrays.iter().map(|(_, copy)| *copy).collect();
        copied.sort_unstable();
        copied.dedup();
        Ok(before.arrays == known
            && new.iter().all(|array| array.kind == ArrayKind::Scratch && array.layout == Layout::Even)
            && self.copies.arrays.iter().all(are_new)
            && copied.len() == self.copies.arrays.len()
            && before.params == after.params
            && before.context.is_equal(&after.context)?
            && before.stmts.len() <= after.stmts.len()
            && self.copies.strip.size > 0)
    }

    /// Whether the order is the old one, but for the loop in strips and for returns.
    fn is_same_order(&self, before: &[Order], after: &[Order], depth: usize) -> bool {
        let is_old = |part: &&Order| {
            let stmts = stmts_below(std::slice::from_ref(*part));
            !stmts.iter().all(|stmt| stmt.index() >= self.before.stmts.len())
        };
        let after: Vec<_> = after.iter().filter(is_old).collect();
        before.len() == after.len()
            && before.iter().zip(after).all(|(before, after)| self.is_same_part(before, after, depth))
    }

    fn is_same_part(&self, before: &Order, after: &Order, depth: usize) -> bool {
        let Strip { at, .. } = self.copies.strip;
        match (before, after) {
            (Order::Stmt(before), Order::Stmt(after)) => before == after,
            (Order::Loop(old), Order::Loop(new)) => match &new[..] {
                [Order::Loop(inner)] if depth == at && stmts_below(old) == self.copies.stmts => old == inner,
                _ => self.is_same_order(old, new, depth + 1),
            },
            _ => false,
        }
    }

    /// `{ new -> old }` for the instances of a statement.
    fn old_instances(&self, id: StmtId) -> isl::Result<Map> {
        let domain = &self.before.stmt(id).domain;
        match self.copies.stmts.contains(&id) {
            true => in_strips(domain, self.copies.strip),
            false => Map::identity(domain.get_space()?.map_from_set()?),
        }
    }

    fn is_same_stmt(&self, id: StmtId) -> isl::Result<bool> {
        let (old, new) = (self.before.stmt(id), self.after.stmt(id));
        let map = self.old_instances(id)?;
        let is_alike = (&old.name, &old.body, &old.reductions) == (&new.name, &new.body, &new.reductions)
            && old.accesses.len() == new.accesses.len()
            && new.domain.is_equal(&old.domain.clone().apply(map.clone().reverse()?)?)?;
        if !is_alike {
            return Ok(false);
        }
        for (old, new) in old.accesses.iter().zip(&new.accesses) {
            if (old.id, old.kind) != (new.id, new.kind) || !self.is_same_access(id, &map, old, new)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_same_access(&self, id: StmtId, map: &Map, old: &Access, new: &Access) -> isl::Result<bool> {
        let was = map.clone().apply_range(self.before.cells(self.before.stmt(id), old)?)?;
        let is = self.after.cells(self.after.stmt(id), new)?;
        if old.array == new.array {
            return was.is_equal(&is);
        }
        let is_moved = self.copies.arrays.contains(&(old.array, new.array));
        let is_one = was.is_single_valued()? && is.is_single_valued()?;
        Ok(is_moved && is_one && was.domain()?.is_equal(&is.domain()?)?)
    }

    /// Whether all cells of a scratch array that are touched lie within its shape.
    fn has_room(&self, copy: ArrayId) -> isl::Result<bool> {
        let array = self.after.array(copy);
        let params: Vec<_> = self.after.params.iter().map(|param| param.name.as_str()).collect();
        let subscripts: Vec<_> = (0..array.shape.len()).map(|at| format!("x{at}")).collect();
        let mut bounds = vec!["true".to_owned()];
        for (subscript, size) in subscripts.iter().zip(&array.shape) {
            let Some(size) = size else { return Ok(false) };
            bounds.push(format!("0 <= {subscript} < {size}"));
        }
        let (params, subscripts, bounds) = (params.join(", "), subscripts.join(", "), bounds.join(" and "));
        let text = format!("[{params}] -> {{ {}[{subscripts}] : {bounds} }}", array.name);
        let room = Set::read_from_str(&self.after.ctx, &text)?;
        for stmt in &self.after.stmts {
            for access in stmt.accesses.iter().filter(|access| access.array == copy) {
                if !self.after.cells(stmt, access)?.range()?.is_subset(&room)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn has_same_flow(&self, array: ArrayId, copy: ArrayId) -> isl::Result<bool> {
        let old = Flows::through(self.before, &[array])?;
        let new = Flows::through(self.after, &[array, copy])?;
        for stmt in &self.after.stmts {
            for read in stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
                if read.array == copy && !new.live_in(read)?.is_empty()? {
                    return Ok(false);
                }
            }
        }
        for id in self.before.stmt_ids() {
            let reads = self.before.stmt(id).accesses.iter();
            for read in reads.filter(|access| access.kind == AccessKind::Read && access.array == array) {
                if !self.sees_the_same((id, read), (array, &old), &new)? {
                    return Ok(false);
                }
            }
        }
        self.ends_with_the_same(array, &new)
    }

    /// Whether a read of an array sees the writes that it saw.
    fn sees_the_same(
        &self,
        (id, read): (StmtId, &Access),
        (array, old): (ArrayId, &Flows),
        new: &Flows,
    ) -> isl::Result<bool> {
        let Some(now) = self.after.stmt(id).access(read.id) else { return Ok(false) };
        let (mut was, mut is) = (Sources::default(), Sources::default());
        for (write, relation) in old.sources(array, read.id) {
            was.add(*write, relation.clone())?;
        }
        let names = self.old_instances(id)?;
        for (write, relation) in new.sources(now.array, read.id) {
            self.add_old(&mut is, *write, relation.clone().apply_domain(names.clone())?, new)?;
        }
        // What was there before the nest is read from the array itself, in both.
        let first = |read: &Access, flows: &Flows| -> isl::Result<UnionMap> { flows.live_in(read) };
        let (first_was, first_is) = (first(read, old)?, first(now, new)?);
        let is_same_first = match now.array == array {
            true => first_was.is_equal(&UnionMap::from_map(names.reverse()?)?.apply_range(first_is)?)?,
            false => first_was.is_empty()?,
        };
        Ok(is_same_first && was.are(&is)?)
    }

    /// Whether the cells of an array end with the writes that they ended with.
    fn ends_with_the_same(&self, array: ArrayId, new: &Flows) -> isl::Result<bool> {
        let (before, after) = (left_in(self.before, array)?, left_in(self.after, array)?);
        let (mut was, mut is) = (Sources::default(), Sources::default());
        for (write, cells) in before.by_access {
            was.add(write, cells.reverse()?)?;
        }
        for (write, cells) in after.by_access {
            self.add_old(&mut is, write, cells.reverse()?, new)?;
        }
        Ok(before.overwritten.is_equal(&after.overwritten)? && was.are(&is)?)
    }

    /// Adds `{ .. -> W[j] }` with W's old instances; for a write of a return those that it sees.
    fn add_old(&self, all: &mut Sources, write: AccessId, to: Map, new: &Flows) -> isl::Result<()> {
        let Some((id, _)) = self.after.access(write) else { return Err(isl::Error::other("no such access")) };
        if id.index() < self.before.stmts.len() {
            return all.add(write, to.apply_range(self.old_instances(id)?)?);
        }
        let reads = self.after.stmt(id).accesses.iter().filter(|access| access.kind == AccessKind::Read);
        for read in reads {
            for (source, relation) in new.sources(read.array, read.id) {
                let Some((from, _)) = self.after.access(*source) else { continue };
                if from.index() >= self.before.stmts.len() {
                    return Err(isl::Error::other("a return of a return"));
                }
                let to = to.clone().apply_range(relation.clone())?;
                all.add(*source, to.apply_range(self.old_instances(from)?)?)?;
            }
        }
        Ok(())
    }
}

/// `{ S[r, t, u, p] -> S[r, 8 t + u, p] : 0 <= u < 8 }`.
fn in_strips(domain: &Set, strip: Strip) -> isl::Result<Map> {
    let space = domain.get_space()?;
    let (dims, name) = (domain.dim(DimType::Set)?, domain.get_tuple_name()?.unwrap_or_default());
    let old: Vec<_> = (0..dims).map(|at| format!("i{at}")).collect();
    let mut new = old.clone();
    new.splice(strip.at..=strip.at, ["t".into(), "u".into()]);
    let Strip { at, size } = strip;
    let text = format!(
        "{{ {name}[{}] -> {name}[{}] : i{at} = {size}t + u and 0 <= u < {size} }}",
        new.join(", "),
        old.join(", ")
    );
    Map::read_from_str(domain.ctx(), &text)?.align_params(space)
}

/// Whether a statement copies one cell to one cell and does nothing else.
fn is_copy(scop: &Scop, stmt: &Stmt) -> isl::Result<bool> {
    let [read, write] = &stmt.accesses[..] else { return Ok(false) };
    let kinds = (read.kind, write.kind) == (AccessKind::Read, AccessKind::MustWrite);
    let is_plain = stmt.body.ops.is_empty()
        && stmt.reductions.is_empty()
        && stmt.body.stored == [(write.id, Operand::Read(read.id))];
    let (from, to) = (scop.cells(stmt, read)?, scop.cells(stmt, write)?);
    let is_one = from.is_single_valued()? && to.is_single_valued()?;
    let is_total = from.domain()?.is_equal(&to.clone().domain()?)? && to.is_injective()?;
    let is_alike = scop.array(read.array).elem_bytes == scop.array(write.array).elem_bytes;
    Ok(kinds && is_plain && is_one && is_total && is_alike)
}

/// `{ .. -> W[j] }` for each write.
#[derive(Default)]
struct Sources {
    of: BTreeMap<AccessId, Map>,
}

impl Sources {
    fn add(&mut self, write: AccessId, relation: Map) -> isl::Result<()> {
        if !relation.is_empty()? {
            let all = match self.of.remove(&write) {
                Some(known) => known.union(relation)?,
                None => relation,
            };
            self.of.insert(write, all);
        }
        Ok(())
    }

    fn are(&self, others: &Sources) -> isl::Result<bool> {
        if !self.of.keys().eq(others.of.keys()) {
            return Ok(false);
        }
        for (relation, other) in self.of.values().zip(others.of.values()) {
            if !relation.is_equal(other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::{copies, wanted};
    use isl::Ctx;

    const LINES: &str = "scop lines
        param n [0, 100]
        array A [*, n] 8
        array C [*, n] 8
        array x [*] 8
        stmt Z { Z[q, p] : 0 <= q < n and 0 <= p < n }
          write 0 { Z[q, p] -> x[p] }
        stmt S { S[q, p, s] : 0 <= q < n and 0 <= p < n and 0 <= s < n }
          read l { S[q, p, s] -> x[p] }
          read a { S[q, p, s] -> A[q, s] }
          read c { S[q, p, s] -> C[s, p] }
          let y = add l a c
          write y { S[q, p, s] -> x[p] }
        stmt W { W[q, p] : 0 <= q < n and 0 <= p < n }
          read l { W[q, p] -> x[p] }
          write l { W[q, p] -> A[q, p] }
        order { for { for { Z for { S } } for { W } } }";

    /// What the check says of copies that something was done to.
    fn verdict(change: impl Fn(&mut Copies)) -> Verdict {
        let before = Scop::parse(&Ctx::new(), LINES).unwrap();
        let dependences = dataflow::dependences(&before, &Default::default()).unwrap();
        let wanted = wanted(&before).unwrap();
        let mut copies = copies(&before, &dependences, wanted[0], 4).unwrap().unwrap();
        change(&mut copies);
        copies.scop.known = Default::default();
        check_copies(&before, &copies).unwrap()
    }

    /// Replaces a relation of a statement.
    fn with(copies: &mut Copies, stmt: usize, access: usize, relation: &str) {
        let relation = Map::read_from_str(&copies.scop.ctx, relation).unwrap();
        copies.scop.stmts[stmt].accesses[access].relation = relation;
    }

    #[test]
    fn what_copies_makes_is_the_same() {
        assert_eq!(verdict(|_| {}), Verdict::Same);
    }

    #[test]
    fn what_is_not_the_same_is_found() {
        type Change = fn(&mut Copies);
        let changes: [Change; 10] = [
            // Another copy: of the iteration before, or of none.
            |copies| with(copies, 2, 0, "{ W[t, u, p] -> x_x[0, p] }"),
            |copies| with(copies, 1, 0, "{ S[t, u, p, s] -> x_x[u, s] }"),
            |copies| with(copies, 1, 1, "{ S[t, u, p, s] -> A[4t, s] }"),
            // Too little memory.
            |copies| copies.scop.arrays[3].shape[0] = Some("3".into()),
            |copies| copies.scop.arrays[3].shape[1] = Some("n - 1".into()),
            // Nothing returns, or something else.
            |copies| drop(copies.scop.order.pop()),
            |copies| with(copies, 3, 0, "[n] -> { x_last[p] -> x_x[0, p] }"),
            |copies| copies.scop.order.rotate_right(1),
            // Other strips.
            |copies| copies.strip.size = 3,
            |copies| copies.scop.stmts[0].body.stored.clear(),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert_ne!(verdict(change), Verdict::Same, "change {at}");
        }
    }
}
