//! Cells that stay in registers while rows are written out.
//!
//! In `for (r = i; r < i + 8; r++) { U(k - 1, j, r); V(k, j, r); }` all rows may use the same cells `R[k - 1][j]` and `R[k][j]`. Where sizes
//! are known at run time only, LLVM cannot tell these two apart, and would load and store them for each row. So they are loaded before
//! the rows and stored behind them, and are on the stack in between, in slots that become SSA values.
//!
//! # When it is right
//! The rows are those of a whole strip, so each of them runs; nothing is in them but statements without branches, each once. So what
//! is loaded and stored is touched by the program, too, and nothing else runs meanwhile. A cell is kept if
//! - it is the same for all rows;
//! - each access of the rows to its array has the same subscripts, and is to the cell, or has one that is away from it by a
//!   number, and is to another cell. That an array has its shape is what the run-time check is for;
//! - its array is apart from all others of the rows.

use super::builder::Type;
use super::emit::Emitter;
use super::rewrite::{Place, Source};
use crate::front::lift::{ArraySource, Touched};
use crate::pass::Value;
use assume::Rows;
use astgen::{Expr, For, Linear, Node};
use llvm_sys::LLVMOpcode::*;
use model::{Access, AccessId, AccessKind, ArrayId, StmtId};
use std::collections::HashSet;

/// A cell in a register.
pub(super) struct Kept<'p> {
    accesses: Vec<(StmtId, AccessId)>,
    pub(super) slot: Value<'p>,
    pub(super) ty: Type<'p>,
    /// Where it is stored behind the rows, if they change it.
    stored: Option<(Value<'p>, Touched, u32)>,
}

/// An access of the rows to memory.
struct Use<'a> {
    stmt: StmtId,
    access: &'a Access,
    counters: &'a [Expr],
    place: &'a Place,
    /// The subscripts; `None`: they are of another kind.
    cell: Option<Vec<Linear>>,
}

impl Use<'_> {
    fn id(&self) -> (StmtId, AccessId) {
        (self.stmt, self.access.id)
    }
}

/// How two cells of an array are to each other.
#[derive(PartialEq)]
enum Relation {
    Same,
    Apart,
    Unknown,
}

impl<'a, 'p> Emitter<'a, 'p> {
    /// The cell of this access, if it is in a register.
    pub(super) fn kept(&self, stmt: StmtId, access: AccessId) -> Option<&Kept<'p>> {
        self.in_registers.iter().find(|kept| kept.accesses.contains(&(stmt, access)))
    }

    /// Loads the cells that can be kept while these rows run, before the first.
    pub(super) fn keep_cells(&mut self, rows: &For, first: Value<'p>) -> Option<()> {
        let Some(uses) = self.uses(rows) else { return Some(()) };
        let mut seen = HashSet::new();
        for one in &uses {
            if seen.contains(&one.id()) {
                continue;
            }
            let Some(group) = self.group(one, &uses, rows) else { continue };
            seen.extend(group.iter().map(|each| each.id()));
            if let Some(ty) = self.common_type(&group) {
                self.variables.insert(rows.variable, first);
                let kept = self.load_kept(&group, ty)?;
                self.in_registers.push(kept);
            }
        }
        Some(())
    }

    /// Stores the cells that were kept and changed.
    pub(super) fn store_kept(&mut self) {
        for kept in std::mem::take(&mut self.in_registers) {
            if let Some((address, touched, alignment)) = kept.stored {
                let value = self.builder().load(kept.ty, kept.slot);
                let store = self.builder().store_at(value, address, alignment);
                self.facts.annotate(store, touched);
            }
        }
    }

    /// All accesses to memory of rows with several statements; `None` if they have not the form for this.
    fn uses(&self, rows: &'a For) -> Option<Vec<Use<'a>>> {
        if rows.body.len() < 2 {
            return None;
        }
        let (mut uses, mut stmts) = (Vec::new(), HashSet::new());
        for node in &rows.body {
            let Node::Stmt { id, counters } = node else { return None };
            let (stmt, places) = (self.scop().stmt(*id), self.places.get(id)?);
            if stmt.body.stored.is_empty() || !stmts.insert(*id) {
                return None;
            }
            for access in stmt.accesses.iter().filter(|access| self.is_memory(access.array)) {
                let place = places.get(&access.id)?;
                uses.push(Use { stmt: *id, access, counters, place, cell: self.cell_of(place, counters) });
            }
        }
        Some(uses)
    }

    fn is_memory(&self, array: ArrayId) -> bool {
        let source = self.lifted.arrays.get(array.index());
        source.is_none_or(|source| matches!(source, ArraySource::Base(_) | ArraySource::Rows(_)))
    }

    /// The accesses to the same cell, if it can be kept and LLVM would not do so itself.
    fn group<'b>(&self, one: &Use<'_>, uses: &'b [Use<'b>], rows: &For) -> Option<Vec<&'b Use<'b>>> {
        let moves = |subscript: &Linear| subscript.times(&Expr::Variable(rows.variable)) != 0;
        if one.cell.as_ref()?.iter().any(moves) {
            return None;
        }
        let (mut same, mut others, mut is_changed) = (Vec::new(), false, false);
        for other in uses {
            if other.access.array != one.access.array {
                if self.facts.may_overlap(one.access.array, other.access.array) {
                    return None;
                }
                continue;
            }
            is_changed |= other.access.kind != AccessKind::Read;
            match relation(one, other) {
                Relation::Same if other.access.kind == AccessKind::MayWrite => return None,
                Relation::Same => same.push(other),
                Relation::Apart => others = true,
                Relation::Unknown => return None,
            }
        }
        (is_changed && others).then_some(same)
    }

    /// The type that all of them have.
    fn common_type(&self, group: &[&Use<'_>]) -> Option<Type<'p>> {
        let mut types = group.iter().map(|each| self.type_of_access(each.stmt, each.access));
        let first = types.next()??;
        let has_size = i64::from(self.builder().bits(first)?) == 8 * group[0].place.cell_bytes;
        (has_size && types.all(|ty| ty == Some(first))).then_some(first)
    }

    fn type_of_access(&self, stmt: StmtId, access: &Access) -> Option<Type<'p>> {
        if access.kind != AccessKind::Read {
            return self.stored_type(stmt, access.id);
        }
        let links = self.links.get(stmt.index())?;
        let load = links.memory.iter().find(|(_, id)| **id == access.id).map(|(inst, _)| *inst);
        let load = load.filter(|inst| inst.opcode() == LLVMLoad).or_else(|| links.read(access.id));
        let replaced = || {
            let replaced = &self.rewrite?.stmts[stmt.index()].replaced;
            let is_it = |source: &Source| matches!(source, Source::Load(id) if *id == access.id);
            links.read(replaced.iter().find(|(_, source)| is_it(source))?.0)
        };
        Some(self.builder().type_of(load.or_else(replaced)?.value()))
    }

    fn load_kept(&self, group: &[&Use<'_>], ty: Type<'p>) -> Option<Kept<'p>> {
        let one = group.first()?;
        let counters = one.counters.iter().map(|counter| self.expr(counter)).collect::<Option<Vec<_>>>()?;
        let (address, touched, alignment) = self.address(one.place, &counters, true)?;
        let slot = self.new_slot(ty)?;
        if group.iter().any(|each| each.access.kind == AccessKind::Read) {
            let value = self.builder().load_at(ty, address, alignment);
            self.facts.annotate(value, touched);
            self.builder().store(value, slot);
        }
        let is_written = group.iter().any(|each| each.access.kind != AccessKind::Read);
        let accesses = group.iter().map(|each| each.id()).collect();
        Some(Kept { accesses, slot, ty, stored: is_written.then_some((address, touched, alignment)) })
    }

    /// The subscripts of an access with these counters as sums of variables and parameters.
    pub(super) fn cell_of(&self, place: &Place, counters: &[Expr]) -> Option<Vec<Linear>> {
        if !matches!(place.rows, Rows::Even(_)) {
            return None;
        }
        let counters = counters.iter().map(Linear::of).collect::<Option<Vec<_>>>()?;
        let first = self.prepared.params.len();
        let of = |subscript: &Expr| Linear::of(subscript)?.with_params_from(first, &counters);
        place.subscripts.iter().map(of).collect()
    }
}

fn relation(one: &Use<'_>, other: &Use<'_>) -> Relation {
    let (Some(a), Some(b)) = (&one.cell, &other.cell) else { return Relation::Unknown };
    let distances = a.iter().zip(b).map(|(a, b)| a.clone().minus(b.clone())?.number());
    let distances: Vec<_> = distances.collect();
    match &distances[..] {
        all if all.iter().any(|distance| distance.is_some_and(|distance| distance != 0)) => Relation::Apart,
        all if all.iter().all(|distance| *distance == Some(0)) => Relation::Same,
        _ => Relation::Unknown,
    }
}
