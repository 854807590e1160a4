//! A block of cells in registers: the micro-kernel of a contraction, as vector code.
//!
//! The loop tree has a loop over the terms of sums around one over `height` rows and one over `width` columns with one
//! statement ([`astgen::For::is_block`]). What is written is one loop over the terms:
//! ```text
//!   before:  a vector for each `lanes` cells of each row of the block, loaded
//!   loop:    each operand of the term once for all rows or columns along which it stands still, as a vector or
//!            spread over one; the statement's operations on vectors
//!   after:   the vectors are stored
//! ```
//! This is legal because of the proof behind the mark ([`model::REGISTERS`]), and gives the same bits: each cell gets the same
//! terms in the same order, and every operation that is made wider here rounds each element as the original does.
//!
//! The statement is taken from the model: its accesses as [`Place`]s, its operations from its body. What has another form
//! (an operation that cannot be made wider, a value computed from counters, cells that are not next to each other) is written
//! as plain loops.

use super::builder::{Builder, Type};
use super::emit::Emitter;
use super::rewrite::{Place, cell_facts, op_named};
use crate::front::lift::Touched;
use crate::pass::{Inst, Value};
use assume::Rows;
use astgen::{Expr, For, Linear, Node, Op, Variable};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use model::{Access, AccessId, AccessKind, Operand, Scop, Stmt, StmtId};
use std::collections::HashMap;

/// The cells of all accesses of statements that are in blocks.
pub type Places = HashMap<StmtId, HashMap<AccessId, Place>>;

/// A block that can be written.
pub(super) struct Block<'a, 'p> {
    height: i64,
    /// How many vectors a row has.
    vectors: i64,
    lanes: i64,
    id: StmtId,
    stmt: &'a Stmt,
    counters: &'a [Expr],
    update: AccessId,
    /// What it stores, and the type of that.
    stored: (&'a Operand, Type<'p>),
    accesses: HashMap<AccessId, Moving<'a>>,
}

/// How an access moves along the three loops: how much each subscript grows in one step.
struct Moving<'a> {
    place: &'a Place,
    summed: Vec<i64>,
    row: Vec<i64>,
    column: Vec<i64>,
}

impl Moving<'_> {
    /// Whether the next column is the next cell; otherwise it is the same one.
    fn is_contiguous(&self) -> bool {
        self.column.last() == Some(&1)
    }
}

/// Along which loops of the block a value changes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Varies {
    row: bool,
    column: bool,
}

/// Where in the block a value is wanted: the row, and which vector of it; 0 along what it does not vary with.
type At = (i64, i64);

/// The block while it is written.
struct Kernel<'a, 'p> {
    /// Each access's first cell, and the bytes to the next row and to the next term.
    bases: HashMap<AccessId, (Value<'p>, Option<Value<'p>>, Value<'p>)>,
    /// The cells in registers.
    cells: HashMap<At, Value<'p>>,
    /// What was computed in this step.
    known: HashMap<(Operand, At), Value<'p>>,
    /// The same, spread over a vector.
    spread: HashMap<(Operand, At), Value<'p>>,
    /// How many steps were done.
    steps: Value<'p>,
    block: &'a Block<'a, 'p>,
}

impl<'p> Emitter<'_, 'p> {
    /// What is to be written, if it can be.
    pub(super) fn block_of<'b>(&'b self, summed: &'b For) -> Option<Block<'b, 'p>> {
        let [Node::For(row)] = &summed.body[..] else { return None };
        let [Node::For(column)] = &row.body[..] else { return None };
        let [Node::Stmt { id, counters }] = &column.body[..] else { return None };
        let stmt = self.scop().stmt(*id);
        let places = self.places.get(id)?;
        let mut writes = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(update), None) = (writes.next(), writes.next()) else { return None };
        let moving = |access: &Access| {
            let place = places.get(&access.id)?;
            let along = |each: &For| self.growth(place, counters, each.variable);
            let (summed, row, column) = (along(summed)?, along(row)?, along(column)?);
            Some((access.id, Moving { place, summed, row, column }))
        };
        let accesses: HashMap<_, _> = stmt.accesses.iter().map(moving).collect::<Option<_>>()?;
        let stored = stmt.body.stored(update.id)?;
        let ty = self.stored_type(*id, update.id)?;
        let lanes = i64::from(self.widest_bits) / i64::from(self.builder().bits(ty)?);
        let (height, width) = (extent(row)?, extent(column)?);
        let block = Block {
            height,
            vectors: width / lanes.max(1),
            lanes,
            id: *id,
            stmt,
            counters,
            update: update.id,
            stored: (stored, ty),
            accesses,
        };
        (lanes > 1 && width % lanes == 0 && block.is_regular() && self.is_computable(&block, stored))
            .then_some(block)
    }

    fn scop(&self) -> &Scop {
        self.rewrite.map_or(&self.lifted.scop, |rewrite| &rewrite.scop)
    }

    /// How much each subscript grows with one step of a loop. `None`: not evenly.
    fn growth(&self, place: &Place, counters: &[Expr], variable: Variable) -> Option<Vec<i64>> {
        if !matches!(place.rows, Rows::Even(_)) {
            return None;
        }
        let steps =
            counters.iter().map(|counter| Some(Linear::of(counter)?.times(&Expr::Variable(variable))));
        let steps = steps.collect::<Option<Vec<_>>>()?;
        let first = self.prepared.params.len();
        let grown = |subscript: &Expr| {
            let linear = Linear::of(subscript)?;
            let of = |(at, step): (usize, &i64)| linear.times(&Expr::Param(first + at)).checked_mul(*step);
            steps.iter().enumerate().map(of).try_fold(0i64, |sum, part| sum.checked_add(part?))
        };
        place.subscripts.iter().map(grown).collect()
    }

    /// The type of the value that a write stores.
    fn stored_type(&self, id: StmtId, write: AccessId) -> Option<Type<'p>> {
        let links = &self.lifted.links[self.old(id)?.index()];
        let store =
            links.memory.iter().find(|(_, access)| **access == write).map(|(inst, _)| inst.operands()[0]);
        let other = links.scalar_writes.iter().chain(&links.phi_writes).find(|(_, access)| **access == write);
        Some(self.builder().type_of(store.or(other.map(|(inst, _)| inst.value()))?))
    }

    /// The statement of the lifted model.
    fn old(&self, id: StmtId) -> Option<StmtId> {
        match self.rewrite {
            Some(rewrite) => rewrite.stmts[id.index()].old,
            None => Some(id),
        }
    }

    /// The instruction of an operation of the statement.
    fn op_inst(&self, id: StmtId, name: &str) -> Option<Inst<'p>> {
        let copied = self.rewrite.and_then(|rewrite| rewrite.stmts[id.index()].copies.get(name));
        let (from, name) = copied.map_or((self.old(id)?, name), |(from, name)| (*from, name.as_str()));
        self.lifted.links[from.index()].ops.get(name).copied()
    }

    /// Whether all that the value needs can be written, once for each row and vector or for fewer.
    fn is_computable(&self, block: &Block<'_, 'p>, operand: &Operand) -> bool {
        match operand {
            Operand::Read(access) => block.accesses.contains_key(access),
            Operand::Outside(name) => self.lifted.outside.find(name).is_some(),
            Operand::Op(at) => {
                let op = &block.stmt.body.ops[*at];
                let varies = block.varies(operand);
                self.op_inst(block.id, &op.name).is_some_and(|inst| {
                    op.is_pure
                        && op.operands.len() == inst.operands().len()
                        && (!varies.column || Builder::can_widen(inst))
                        && op.operands.iter().all(|operand| self.is_computable(block, operand))
                })
            }
        }
    }

    /// Writes a block that [`Emitter::block_of`] gave.
    pub(super) fn write_block(&mut self, summed: &For) -> Option<()> {
        let (first, last) = (self.expr(&summed.first)?, self.expr(&summed.last)?);
        let (row, column) = rows_and_columns(summed)?;
        // Where the block begins.
        for (each, value) in [(row, self.expr(&row.first)?), (column, self.expr(&column.first)?)] {
            self.variables.insert(each.variable, value);
        }
        self.variables.insert(summed.variable, first);
        let block = self.block_of(summed)?;
        let b = self.builder();
        let [preheader, head, store, after] =
            [c"orthant.block", c"orthant.terms", c"orthant.stored", c"orthant.after"]
                .map(|name| b.block(name));
        b.branch(b.compare(LLVMIntSLE, first, last), preheader, after);
        b.at_end(preheader);
        let bases = self.bases(&block)?;
        let count = b.exact(LLVMSub, last, first);
        let (update, ty) = (&block.accesses[&block.update], b.vector(block.stored.1, block.lanes));
        let at: Vec<At> =
            (0..block.height).flat_map(|row| (0..block.vectors).map(move |at| (row, at))).collect();
        let zero = b.index(0);
        let mut kernel = Kernel {
            bases,
            cells: HashMap::new(),
            known: HashMap::new(),
            spread: HashMap::new(),
            steps: zero,
            block: &block,
        };
        let cell = |at: &At| self.cell_address(&kernel, block.update, *at);
        let addresses = at.iter().map(cell).collect::<Option<Vec<_>>>()?;
        let (is_exact, alignment) = cell_facts(self.lifted, update.place.array, update.place.cell_bytes);
        let touched = Touched { array: update.place.array, is_exact };
        let load = |address: &Value<'p>| {
            let load = b.load_at(ty, *address, alignment);
            self.facts.annotate(load, touched);
            load
        };
        let loaded: Vec<_> = addresses.iter().map(load).collect();
        b.jump(head);
        b.at_end(head);
        let steps = b.phi(b.int(64));
        b.add_incoming(steps, zero, preheader);
        kernel.steps = steps;
        let phis: Vec<_> = loaded
            .iter()
            .map(|loaded| {
                let phi = b.phi(ty);
                b.add_incoming(phi, *loaded, preheader);
                phi
            })
            .collect();
        kernel.cells = at.iter().copied().zip(phis.iter().copied()).collect();
        let mut sums = Vec::new();
        for at in &at {
            sums.push(self.wide(block.stored.0, block.stored.1, *at, &mut kernel)?);
        }
        let next = b.exact(LLVMAdd, steps, b.index(1));
        b.branch(b.compare(LLVMIntSLE, next, count), head, store);
        b.add_incoming(steps, next, head);
        for (phi, sum) in phis.iter().zip(&sums) {
            b.add_incoming(*phi, *sum, head);
        }
        b.at_end(store);
        for (address, sum) in addresses.iter().zip(&sums) {
            self.facts.annotate(b.store_at(*sum, *address, alignment), touched);
        }
        b.jump(after);
        b.at_end(after);
        b.allow_vectors(self.widest_bits);
        Some(())
    }

    /// Each access's cell where all three loops are at their first value.
    fn bases(
        &self,
        block: &Block<'_, 'p>,
    ) -> Option<HashMap<AccessId, (Value<'p>, Option<Value<'p>>, Value<'p>)>> {
        let counters = block.counters.iter().map(|counter| self.expr(counter)).collect::<Option<Vec<_>>>()?;
        let mut bases = HashMap::new();
        for (id, moving) in &block.accesses {
            let (address, ..) = self.address(moving.place, &counters)?;
            let is_moved = moving.row.iter().any(|step| *step != 0);
            let row = if is_moved { Some(self.step_bytes(moving.place, &moving.row)?) } else { None };
            bases.insert(*id, (address, row, self.step_bytes(moving.place, &moving.summed)?));
        }
        Some(bases)
    }

    /// How many bytes further the cell is whose subscripts are greater by these numbers.
    fn step_bytes(&self, place: &Place, steps: &[i64]) -> Option<Value<'p>> {
        let (b, Rows::Even(sizes)) = (self.builder(), &place.rows) else { return None };
        let mut steps = steps.iter();
        let mut cells = b.index(steps.next().copied().unwrap_or(0));
        for (size, step) in sizes.iter().zip(steps) {
            let size = self.values.expr(size, &HashMap::new(), &self.prepared.params)?;
            cells = b.binary(LLVMAdd, b.binary(LLVMMul, cells, size), b.index(*step));
        }
        Some(b.binary(LLVMMul, cells, b.index(place.cell_bytes)))
    }

    /// The address of the cell of the first step at this place of the block.
    fn cell_address(
        &self,
        kernel: &Kernel<'_, 'p>,
        access: AccessId,
        (row, vector): At,
    ) -> Option<Value<'p>> {
        let b = self.builder();
        let (base, row_bytes, _) = kernel.bases.get(&access)?;
        let address = match row_bytes {
            Some(bytes) if row > 0 => b.displace(*base, b.binary(LLVMMul, *bytes, b.index(row)), false),
            _ => *base,
        };
        let bytes = kernel.block.accesses[&access].place.cell_bytes;
        let columns = vector * kernel.block.lanes * bytes;
        Some(if columns == 0 { address } else { b.displace(address, b.index(columns), false) })
    }

    /// The vector of a value.
    fn wide(
        &self,
        operand: &Operand,
        ty: Type<'p>,
        at: At,
        kernel: &mut Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        let (value, at) = self.narrow_or_wide(operand, ty, at, kernel)?;
        if kernel.block.varies(operand).column {
            return Some(value);
        }
        let key = (operand.clone(), at);
        if let Some(&spread) = kernel.spread.get(&key) {
            return Some(spread);
        }
        let spread = self.builder().spread(value, kernel.block.lanes);
        kernel.spread.insert(key, spread);
        Some(spread)
    }

    /// A value, as a vector if it varies along the columns; and where it was computed.
    fn narrow_or_wide(
        &self,
        operand: &Operand,
        ty: Type<'p>,
        at: At,
        kernel: &mut Kernel<'_, 'p>,
    ) -> Option<(Value<'p>, At)> {
        let varies = kernel.block.varies(operand);
        let at = (if varies.row { at.0 } else { 0 }, if varies.column { at.1 } else { 0 });
        let key = (operand.clone(), at);
        if let Some(&known) = kernel.known.get(&key) {
            return Some((known, at));
        }
        let value = match operand {
            Operand::Outside(name) => self.lifted.outside.find(name)?,
            Operand::Read(access) if kernel.block.is_cell(*access) => *kernel.cells.get(&at)?,
            Operand::Read(access) => self.load_operand(*access, ty, at, kernel)?,
            Operand::Op(number) => self.operation(*number, varies, at, kernel)?,
        };
        kernel.known.insert(key, value);
        Some((value, at))
    }

    fn load_operand(
        &self,
        access: AccessId,
        ty: Type<'p>,
        at: At,
        kernel: &mut Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        let (b, moving) = (self.builder(), &kernel.block.accesses[&access]);
        let (_, _, step) = kernel.bases.get(&access)?;
        // The row's part first: it does not change in the loop.
        let row = self.cell_address(kernel, access, (at.0, 0))?;
        let here = b.displace(row, b.binary(LLVMMul, kernel.steps, *step), false);
        let columns = at.1 * kernel.block.lanes * moving.place.cell_bytes;
        let address = if columns == 0 { here } else { b.displace(here, b.index(columns), false) };
        let ty = if moving.is_contiguous() { b.vector(ty, kernel.block.lanes) } else { ty };
        let (is_exact, alignment) = cell_facts(self.lifted, moving.place.array, moving.place.cell_bytes);
        let load = b.load_at(ty, address, alignment);
        self.facts.annotate(load, Touched { array: moving.place.array, is_exact });
        Some(load)
    }

    fn operation(
        &self,
        number: usize,
        varies: Varies,
        at: At,
        kernel: &mut Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        let op = op_named(kernel.block.stmt, &kernel.block.stmt.body.ops[number].name)?;
        let inst = self.op_inst(kernel.block.id, &op.name)?;
        let mut operands = Vec::new();
        for (operand, original) in op.operands.iter().zip(inst.operands()) {
            let ty = self.builder().type_of(original);
            operands.push(match varies.column {
                true => self.wide(operand, ty, at, kernel)?,
                false => self.narrow_or_wide(operand, ty, at, kernel)?.0,
            });
        }
        if varies.column {
            return self.builder().widen(inst, &operands, kernel.block.lanes);
        }
        let copy = self.builder().copy(inst, &operands);
        if self.lifted.reduced.contains(&inst) {
            self.builder().may_overflow(copy);
        }
        Some(copy.value())
    }
}

impl Block<'_, '_> {
    /// Whether the access is one to the cells in registers.
    fn is_cell(&self, access: AccessId) -> bool {
        self.accesses[&access].place.array == self.accesses[&self.update].place.array
    }

    /// Cells are next to each other along the columns or the same; those that are written stay where they are.
    fn is_regular(&self) -> bool {
        let is_even = |moving: &Moving<'_>| match moving.column.split_last() {
            Some((last, outer)) => (*last == 0 || *last == 1) && outer.iter().all(|step| *step == 0),
            None => true,
        };
        let update = &self.accesses[&self.update];
        let stands = update.summed.iter().all(|step| *step == 0);
        // One access function: the proof behind the mark has it so, and this would be wrong without.
        let is_same = |moving: &Moving<'_>| {
            moving.place.array != update.place.array || moving.place.subscripts == update.place.subscripts
        };
        stands
            && update.is_contiguous()
            && self.accesses.values().all(|moving| is_even(moving) && is_same(moving))
    }

    fn varies(&self, operand: &Operand) -> Varies {
        match operand {
            Operand::Outside(_) => Varies::default(),
            Operand::Read(access) => {
                let moving = &self.accesses[access];
                Varies { row: moving.row.iter().any(|step| *step != 0), column: moving.is_contiguous() }
            }
            Operand::Op(at) => {
                let parts = self.stmt.body.ops[*at].operands.iter().map(|operand| self.varies(operand));
                parts.fold(Varies::default(), |all, part| Varies {
                    row: all.row || part.row,
                    column: all.column || part.column,
                })
            }
        }
    }
}

fn rows_and_columns(summed: &For) -> Option<(&For, &For)> {
    let [Node::For(row)] = &summed.body[..] else { return None };
    let [Node::For(column)] = &row.body[..] else { return None };
    Some((row, column))
}

/// How many values a loop from `t` to `t + 7` has.
fn extent(each: &For) -> Option<i64> {
    match &each.last {
        Expr::Op(Op::Add, sum) if sum[0] == each.first => match sum[1] {
            Expr::Int(more) => more.checked_add(1).filter(|_| each.step == 1),
            _ => None,
        },
        _ => None,
    }
}
