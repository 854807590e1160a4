//! A block of cells in registers: the micro-kernel of a contraction, as vector code.
//!
//! The loop tree has a loop over the terms of sums around one over `height` rows and one over `width` columns with one
//! statement ([`astgen::Block`]). What is written is one loop over the terms:
//! ```text
//!   before:  a vector for each `lanes` cells of each row of the block, loaded
//!   loop:    each operand of the term once for all rows or columns along which it stands still, as a vector or
//!            spread over one; the statement's operations on vectors
//!   after:   the vectors are stored
//! ```
//! A block that the bounds of the loops cut is written likewise: rows beyond the last one repeat that, with the same result, and
//! vectors are loaded and stored under a mask of the columns that take part in the row. What the terms load has the columns
//! between the first and the last of all rows, and a row without columns loads what another one loads: nothing is touched that
//! does not lie between cells that the program touches. Such a block is written as a loop over strips of a few of its rows: rows with
//! masks of their own are a lot of code, which LLVM takes long to compile, and a few have enough sums to add at once.
//!
//! This is legal because of the proof behind the mark ([`model::REGISTERS`]), and gives the same bits: each cell gets the same
//! terms in the same order, and every operation that is made wider here rounds each element as the original does.
//!
//! The statement is taken from the model: its accesses as [`Place`]s, its operations from its body. What has another form
//! (an operation that cannot be made wider, a value computed from counters) is written
//! as plain loops.

use super::builder::{Builder, Type};
use super::emit::Emitter;
use super::near::{Near, few_apart};
use super::panel::BlockPanels;
use super::part::{Part, Parts};
use super::rewrite::{Place, op_named};
use crate::front::lift::Touched;
use crate::pass::{self, Inst, Value};
use assume::Rows;
use astgen::{Expr, For, Node, Variable};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use model::{Access, AccessId, AccessKind, Operand, Scop, Stmt, StmtId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The cells of all accesses of statements that are in blocks.
pub type Places = HashMap<StmtId, HashMap<AccessId, Place>>;

/// From this size on there are loads and stores under masks on every machine that has such vectors.
pub(super) const MASKED_BITS: u32 = 256;

/// How many terms take as long as a line from memory.
const DEEP: i64 = 32;

/// How many terms hide that row operands are stored for the first of them (products of n x n matrices on a Zen 5: without, 1.3 times the speed for
/// n = 32, 1.2 for n = 48).
const LONG: i64 = 64;

/// A block that is cut has so many rows at once, if its height is a multiple of them.
const CUT_ROWS: i64 = 4;

/// A schedule from a file could ask for any block.
const MOST_VECTORS: i64 = 64;

/// A block that can be written.
pub(super) struct Block<'a, 'p> {
    /// How many rows are written at once.
    pub(super) height: i64,
    /// How many vectors a row has.
    pub(super) vectors: i64,
    pub(super) lanes: i64,
    is_whole: bool,
    /// There are enough terms to fetch something meanwhile.
    is_deep: bool,
    /// There are enough of them to store what is used only once, in another order.
    pub(super) is_long: bool,
    pub(super) id: StmtId,
    pub(super) stmt: &'a Stmt,
    pub(super) counters: &'a [Expr],
    update: AccessId,
    /// The accesses to the cells in registers.
    cells: BTreeSet<AccessId>,
    /// What it stores, and the type of that.
    pub(super) stored: (&'a Operand, Type<'p>),
    pub(super) accesses: BTreeMap<AccessId, Moving<'a>>,
}

/// How an access moves along the three loops: how much each subscript grows in one step.
pub(super) struct Moving<'a> {
    pub(super) place: &'a Place,
    pub(super) summed: Vec<i64>,
    pub(super) row: Vec<i64>,
    column: Vec<i64>,
    next: Next,
}

/// Where the cell of the next column is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It is the same.
    Same,
    /// Behind the cell.
    Behind,
    /// A few cells further.
    Near(i64),
    /// Elsewhere: such cells are gathered.
    Elsewhere,
}

impl Next {
    /// Of cells of so many bytes, if that is known.
    fn of(place: &Place, column: &[i64], bytes: Option<i64>) -> Self {
        match column.split_last() {
            Some((1, outer)) if outer.iter().all(|step| *step == 0) => Next::Behind,
            _ if column.iter().all(|step| *step == 0) => Next::Same,
            _ => bytes.and_then(|bytes| few_apart(place, column, bytes)).map_or(Next::Elsewhere, Next::Near),
        }
    }

    /// How many cells further it is, if it is not elsewhere.
    fn step(self) -> i64 {
        match self {
            Next::Near(step) => step,
            _ => 1,
        }
    }
}

impl Moving<'_> {
    fn varies(&self) -> Varies {
        Varies { row: self.row.iter().any(|step| *step != 0), column: self.next != Next::Same }
    }
}

/// Along which loops of the block a value changes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Varies {
    pub(super) row: bool,
    pub(super) column: bool,
}

/// Where in the block a value is wanted: the row, and which vector of it; 0 along what it does not vary with.
pub(super) type At = (i64, i64);

/// An access's first cell.
pub(super) struct Base<'p> {
    address: Value<'p>,
    /// The bytes to the next row, if that is another cell.
    row: Option<Value<'p>>,
    /// The bytes to the next term.
    term: Value<'p>,
    /// The bytes to each column of each vector, if these are not one behind the other.
    columns: Vec<Value<'p>>,
}

/// The rows of a block.
struct BlockRows<'p> {
    is_whole: bool,
    /// The last one that there is, counted from the first.
    last: Value<'p>,
    /// Of each row of a whole block the one that stands for it.
    steps: Vec<Value<'p>>,
}

/// The columns of a block of which not all take part.
pub(super) struct Cut<'p> {
    /// Of each row the one whose operands it loads: one that takes part, if there is one.
    rows: Vec<Value<'p>>,
    /// Whether there is one.
    has_cells: Value<'p>,
    /// Which cells of each vector take part.
    cells: HashMap<At, Value<'p>>,
    /// Which columns are between those that take part in some row.
    columns: Vec<Value<'p>>,
}

/// The block while it is written.
pub(super) struct Kernel<'a, 'p> {
    bases: &'a HashMap<AccessId, Base<'p>>,
    rows: &'a [Value<'p>],
    cut: Option<&'a Cut<'p>>,
    /// Operands that were computed before.
    pub(super) panels: Option<&'a BlockPanels<'p>>,
    /// The cells in registers.
    cells: HashMap<At, Value<'p>>,
    /// What was computed in this step.
    pub(super) known: HashMap<(Operand, At), Value<'p>>,
    /// The same, spread over a vector.
    spread: HashMap<(Operand, At), Value<'p>>,
    /// How many steps were done.
    pub(super) steps: Value<'p>,
    /// The part of the terms whose row operands are in their panels; `None`: those of all terms are.
    pub(super) part: Option<Part<'p>>,
    /// Where the row operands of this step are in that part, if each vector of a row loads them itself.
    pub(super) pointers: Vec<Value<'p>>,
    pub(super) block: &'a Block<'a, 'p>,
}

impl Kernel<'_, '_> {
    pub(super) fn parts(&self) -> Option<Parts> {
        self.panels.and_then(|panels| panels.parts)
    }

    /// Another step begins.
    fn forget_step(&mut self) {
        self.known.clear();
        self.spread.clear();
    }
}

/// How many steps were done, and the sums after them, in the order of the block's vectors.
struct Terms<'p> {
    steps: Value<'p>,
    sums: Vec<Value<'p>>,
    /// Those of [`Kernel::pointers`].
    pointers: Vec<Value<'p>>,
}

impl<'a, 'p> Emitter<'a, 'p> {
    /// What is to be written, if it can be.
    pub(super) fn block_of<'b>(&self, summed: &'b For) -> Option<Block<'b, 'p>>
    where
        'a: 'b,
    {
        let size = summed.block.as_ref()?;
        let (row, column) = rows_and_columns(summed)?;
        let [Node::Stmt { id, counters }] = &column.body[..] else { return None };
        let stmt = self.scop().stmt(*id);
        let places = self.places.get(id)?;
        let mut writes = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(update), None) = (writes.next(), writes.next()) else { return None };
        let stored = stmt.body.stored(update.id)?;
        let ty = self.stored_type(*id, update.id)?;
        let mut types = HashMap::from([(update.id, ty)]);
        self.add_types((*id, stmt), stored, ty, &mut types);
        let moving = |access: &Access| {
            let place = places.get(&access.id)?;
            let along = |each: &For| self.growth(place, counters, each.variable);
            let (summed, row, column) = (along(summed)?, along(row)?, along(column)?);
            let next = Next::of(place, &column, types.get(&access.id).map(|ty| self.value_bytes(*ty)));
            Some((access.id, Moving { place, summed, row, column, next }))
        };
        let accesses: BTreeMap<_, _> = stmt.accesses.iter().map(moving).collect::<Option<_>>()?;
        let lanes = i64::from(self.widest_bits / self.builder().bits(ty)?);
        // What is gathered would be gathered again for each strip (syr2k takes an eighth longer).
        let gathers = accesses.values().any(|moving| moving.next == Next::Elsewhere);
        let is_in_strips = !size.is_whole && !gathers && size.height % CUT_ROWS == 0;
        let block = Block {
            height: if is_in_strips { CUT_ROWS } else { size.height },
            vectors: size.width / lanes.max(1),
            lanes,
            is_whole: size.is_whole,
            is_deep: size.depth.is_none_or(|depth| depth >= DEEP),
            is_long: size.depth.is_none_or(|depth| depth >= LONG),
            id: *id,
            stmt,
            counters,
            update: update.id,
            cells: self.cells_of(stmt, update)?,
            stored: (stored, ty),
            accesses,
        };
        let is_even = lanes > 1 && size.width % lanes == 0 && size.height * block.vectors <= MOST_VECTORS;
        let has_masks = size.is_whole || self.widest_bits >= MASKED_BITS;
        (is_even && has_masks && block.is_regular() && self.is_computable(&block, stored)).then_some(block)
    }

    /// Adds the types of all that is read for a value of this type.
    fn add_types(
        &self,
        (id, stmt): (StmtId, &Stmt),
        operand: &Operand,
        ty: Type<'p>,
        types: &mut HashMap<AccessId, Type<'p>>,
    ) {
        match operand {
            Operand::Outside(_) => {}
            Operand::Read(access) => {
                types.insert(*access, ty);
            }
            Operand::Op(at) => {
                let op = &stmt.body.ops[*at];
                let originals = self.op_inst(id, &op.name).map_or(Vec::new(), |inst| inst.operands());
                for (operand, original) in op.operands.iter().zip(originals) {
                    self.add_types((id, stmt), operand, self.builder().type_of(original), types);
                }
            }
        }
    }

    /// The accesses that touch what the update does. The proof behind the mark says of others to the same array that they touch
    /// other cells, and asks isl in the same way which are which.
    fn cells_of(&self, stmt: &Stmt, update: &Access) -> Option<BTreeSet<AccessId>> {
        let cells = |access: &Access| self.scop().cells(stmt, access).ok();
        let (updated, mut found) = (cells(update)?, BTreeSet::new());
        for access in stmt.accesses.iter().filter(|access| access.array == update.array) {
            if cells(access)?.is_equal(&updated).ok()? {
                found.insert(access.id);
            }
        }
        Some(found)
    }

    pub(super) fn scop(&self) -> &'a Scop {
        self.rewrite.map_or(&self.lifted.scop, |rewrite| &rewrite.scop)
    }

    /// How much each subscript grows with one step of a loop. `None`: not evenly.
    pub(super) fn growth(&self, place: &Place, counters: &[Expr], variable: Variable) -> Option<Vec<i64>> {
        let cell = self.cell_of(place, counters)?;
        Some(cell.iter().map(|subscript| subscript.times(&Expr::Variable(variable))).collect())
    }

    /// The type of the value that a write stores.
    pub(super) fn stored_type(&self, id: StmtId, write: AccessId) -> Option<Type<'p>> {
        let links = self.links.get(id.index())?;
        let store =
            links.memory.iter().find(|(_, access)| **access == write).map(|(inst, _)| inst.operands()[0]);
        let other = links.scalar_writes.iter().chain(&links.phi_writes).find(|(_, access)| **access == write);
        Some(self.builder().type_of(store.or(other.map(|(inst, _)| inst.value()))?))
    }

    /// The instruction of an operation of the statement.
    pub(super) fn op_inst(&self, id: StmtId, name: &str) -> Option<Inst<'p>> {
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
    pub(super) fn write_block(&mut self, summed: &For, block: &Block<'_, 'p>) -> Option<()> {
        let (row, column) = rows_and_columns(summed)?;
        // Where the block begins.
        let start = [(row, &row.first), (column, &summed.block.as_ref()?.column), (summed, &summed.first)];
        for (each, first) in start {
            let first = self.expr(first)?;
            self.variables.insert(each.variable, first);
        }
        match summed.block.as_ref()?.height > block.height {
            true => self.write_strips(summed, block)?,
            false => self.write_rows(summed, block)?,
        }
        // Saying so where LLVM has such vectors anyway makes it describe the processor to itself once more, for this function alone.
        if self.widest_bits > self.preferred_bits {
            self.builder().allow_vectors(self.widest_bits);
        }
        Some(())
    }

    /// Writes a block as a loop over strips of its rows.
    fn write_strips(&mut self, summed: &For, block: &Block<'_, 'p>) -> Option<()> {
        let (row, _) = rows_and_columns(summed)?;
        let (first, last) = (self.variables[&row.variable], self.expr(&row.last)?);
        let b = self.builder();
        let [head, after] = [c"orthant.strip", c"orthant.strips"].map(|name| b.block(name));
        let before = b.here();
        b.jump(head);
        b.at_end(head);
        let start = b.phi(b.int(64));
        b.add_incoming(start, first, before);
        self.variables.insert(row.variable, start);
        self.write_rows(summed, block)?;
        let b = self.builder();
        let next = b.exact(LLVMAdd, start, b.index(block.height));
        let latch = b.here();
        b.branch(b.compare(LLVMIntSLE, next, last), head, after);
        self.facts.rows(latch, false);
        b.add_incoming(start, next, latch);
        b.at_end(after);
        Some(())
    }

    /// Writes the rows of a block from where its row variable stands on, as many as are written at once.
    fn write_rows(&mut self, summed: &For, block: &Block<'_, 'p>) -> Option<()> {
        let (first, last) = (self.variables[&summed.variable], self.expr(&summed.last)?);
        let rows = self.rows(summed, block)?;
        let cut = if rows.is_whole { None } else { Some(self.cut(summed, &rows, block)?) };
        let b = self.builder();
        let [preheader, after] = [c"orthant.block", c"orthant.after"].map(|name| b.block(name));
        let mut runs = b.compare(LLVMIntSLE, first, last);
        if let Some(cut) = &cut {
            let has_rows = b.compare(LLVMIntSGE, rows.last, b.index(0));
            runs = b.binary(LLVMAnd, runs, b.binary(LLVMAnd, has_rows, cut.has_cells));
        }
        b.branch(runs, preheader, after);
        b.at_end(preheader);
        let (bases, panels) = (self.bases(block)?, self.panels_of(summed, block));
        let rows = cut.as_ref().map_or(&rows.steps, |cut| &cut.rows);
        let kernel = |panels| Kernel {
            bases: &bases,
            rows,
            cut: cut.as_ref(),
            panels,
            cells: HashMap::new(),
            known: HashMap::new(),
            spread: HashMap::new(),
            steps: b.index(0),
            part: None,
            pointers: Vec::new(),
            block,
        };
        let steps = b.exact(LLVMSub, last, first);
        if let Some(panels) = &panels {
            // Without panels: nothing is to be loaded that is not stored yet.
            self.fill_columns(panels, &mut kernel(None), steps)?;
            self.fill_rows(panels, &mut kernel(None), steps)?;
        }
        self.terms(kernel(panels.as_ref()), steps)?;
        b.jump(after);
        b.at_end(after);
        Some(())
    }

    /// The loop over the terms, with what is before and behind it; `last` is the number of the last step.
    fn terms(&self, mut kernel: Kernel<'_, 'p>, last: Value<'p>) -> Option<()> {
        let block = kernel.block;
        let at: Vec<At> =
            (0..block.height).flat_map(|row| (0..block.vectors).map(move |at| (row, at))).collect();
        let addresses: Vec<_> =
            at.iter().map(|at| self.cell_address(&kernel, block.update, *at)).collect::<Option<_>>()?;
        let Moving { place, next, .. } = block.accesses[&block.update];
        let mask = |at: &At| kernel.cut.map(|cut| cut.cells[at]);
        let load = |(at, address): (&At, &Value<'p>)| match next {
            Next::Near(step) => {
                let near = Near::of(&kernel, step, mask(at));
                self.load_near(place, block.stored.1, *address, near)
            }
            _ => self.load_cells(place, block.stored.1, *address, (block.lanes, mask(at))),
        };
        let loaded: Vec<_> = at.iter().zip(&addresses).map(load).collect();
        self.announce_next(&kernel, &addresses);
        let first = Terms { steps: kernel.steps, sums: loaded, pointers: Vec::new() };
        let sums = match kernel.parts().is_some() {
            true => self.terms_in_parts(&mut kernel, &at, first, last)?,
            false => self.add_terms(&mut kernel, &at, first, last)?.sums,
        };
        let mask = |at: &At| kernel.cut.map(|cut| cut.cells[at]);
        for ((at, address), sum) in at.iter().zip(&addresses).zip(&sums) {
            match next {
                Next::Near(step) => {
                    self.store_near(place, *sum, *address, Near::of(&kernel, step, mask(at)));
                }
                _ => self.store_cells(place, *sum, *address, mask(at)),
            }
        }
        Some(())
    }

    /// Adds the terms of one step after the other, up to the `last`; the builder goes on behind the loop.
    fn add_terms(
        &self,
        kernel: &mut Kernel<'_, 'p>,
        at: &[At],
        first: Terms<'p>,
        last: Value<'p>,
    ) -> Option<Terms<'p>> {
        let (b, block) = (self.builder(), kernel.block);
        let [head, after] = [c"orthant.terms", c"orthant.added"].map(|name| b.block(name));
        let phis = self.begin_terms(head, Terms { pointers: self.first_pointers(kernel)?, ..first });
        kernel.forget_step();
        (kernel.steps, kernel.cells) =
            (phis.steps, at.iter().copied().zip(phis.sums.iter().copied()).collect());
        kernel.pointers.clone_from(&phis.pointers);
        let mut sums = Vec::new();
        for at in at {
            sums.push(self.wide(block.stored.0, block.stored.1, *at, kernel)?);
        }
        let steps = b.exact(LLVMAdd, phis.steps, b.index(1));
        let next = Terms { steps, sums, pointers: self.next_pointers(kernel)? };
        b.branch(b.compare(LLVMIntSLE, next.steps, last), head, after);
        // It is vector code, and one step is long enough.
        self.facts.rows(head, false);
        self.repeat_terms(&phis, &next, head);
        b.at_end(after);
        Some(next)
    }

    /// The same, where the row operands of as many steps as a vector has lanes are computed before those steps: while their
    /// products are added, the processor computes the next ones.
    fn terms_in_parts(
        &self,
        kernel: &mut Kernel<'_, 'p>,
        at: &[At],
        first: Terms<'p>,
        last: Value<'p>,
    ) -> Option<Vec<Value<'p>>> {
        let (b, lanes) = (self.builder(), kernel.block.lanes);
        let [head, after] = [c"orthant.part", c"orthant.parts"].map(|name| b.block(name));
        let bytes = kernel.parts()?.bytes;
        self.fill_part(kernel, b.index(0), last)?;
        let before = b.here();
        let phis = self.begin_terms(head, first);
        let room = b.phi(b.int(64));
        b.add_incoming(room, b.index(0), before);
        let other = b.exact(LLVMSub, b.index(bytes), room);
        kernel.forget_step();
        kernel.steps = b.exact(LLVMAdd, phis.steps, b.index(lanes));
        self.fill_part(kernel, other, last)?;
        (kernel.steps, kernel.part) = (phis.steps, Some(Part { first: phis.steps, room }));
        let end = b.exact(LLVMAdd, phis.steps, b.index(lanes - 1));
        let end = b.select(b.compare(LLVMIntSLT, end, last), end, last);
        let (steps, sums) = (phis.steps, phis.sums.clone());
        let next = self.add_terms(kernel, at, Terms { steps, sums, pointers: Vec::new() }, end)?;
        let latch = b.here();
        b.branch(b.compare(LLVMIntSLE, next.steps, last), head, after);
        b.add_incoming(room, other, latch);
        self.repeat_terms(&phis, &next, latch);
        b.at_end(after);
        Some(next.sums)
    }

    /// Begins a loop over terms.
    fn begin_terms(&self, head: pass::Block<'p>, first: Terms<'p>) -> Terms<'p> {
        let b = self.builder();
        let before = b.here();
        b.jump(head);
        b.at_end(head);
        let phi = |first: Value<'p>| {
            let phi = b.phi(b.type_of(first));
            b.add_incoming(phi, first, before);
            phi
        };
        let all = |values: Vec<Value<'p>>| values.into_iter().map(phi).collect();
        Terms { steps: phi(first.steps), sums: all(first.sums), pointers: all(first.pointers) }
    }

    /// What a loop over terms goes on with.
    fn repeat_terms(&self, phis: &Terms<'p>, next: &Terms<'p>, latch: pass::Block<'p>) {
        let all = |terms: &Terms<'p>| [&[terms.steps], &terms.sums[..], &terms.pointers[..]].concat();
        for (phi, value) in all(phis).into_iter().zip(all(next)) {
            self.builder().add_incoming(phi, value, latch);
        }
    }

    /// Has the cells of the next rows fetched meanwhile, if there are many terms.
    fn announce_next(&self, kernel: &Kernel<'_, 'p>, addresses: &[Value<'p>]) {
        let (b, block) = (self.builder(), kernel.block);
        let row = kernel.bases[&block.update].row.filter(|_| kernel.cut.is_none() && block.is_deep);
        if let Some(row) = row {
            let next = b.binary(LLVMMul, row, b.index(block.height));
            let Moving { place, next: column, .. } = block.accesses[&block.update];
            for address in addresses {
                let address = b.displace(*address, next, false);
                for vector in 0..column.step() {
                    let bytes = vector * block.lanes * place.cell_bytes;
                    b.prefetch(if bytes == 0 { address } else { b.displace(address, b.index(bytes), false) });
                }
            }
        }
    }

    /// The rows that there are from where the row variable stands on.
    fn rows(&self, summed: &For, block: &Block<'_, 'p>) -> Option<BlockRows<'p>> {
        let b = self.builder();
        let (row, _) = rows_and_columns(summed)?;
        let all = 0..block.height;
        if block.is_whole {
            let last = b.index(block.height - 1);
            return Some(BlockRows { is_whole: true, last, steps: all.map(|row| b.index(row)).collect() });
        }
        let last = b.exact(LLVMSub, self.expr(&row.last)?, self.variables[&row.variable]);
        let least = |row: i64| match row {
            0 => b.index(0),
            _ => b.select(b.compare(LLVMIntSLT, last, b.index(row)), last, b.index(row)),
        };
        Some(BlockRows { is_whole: false, last, steps: all.map(least).collect() })
    }

    /// Which columns take part.
    fn cut(&mut self, summed: &For, rows: &BlockRows<'p>, block: &Block<'_, 'p>) -> Option<Cut<'p>> {
        let (row, column) = rows_and_columns(summed)?;
        let start = self.variables[&row.variable];
        let (lanes, vectors) = (block.lanes, block.vectors);
        let mut ends = Vec::new();
        for step in &rows.steps {
            let here = self.builder().exact(LLVMAdd, start, *step);
            self.variables.insert(row.variable, here);
            ends.push((self.expr(&column.first)?, self.expr(&column.last)?));
        }
        self.variables.insert(row.variable, start);
        let (b, first) = (self.builder(), self.variables[&column.variable]);
        let mask = |(low, high): (Value<'p>, Value<'p>), vector: i64| {
            let columns = b.counting(b.exact(LLVMAdd, first, b.index(vector * lanes)), lanes);
            let is_low_enough = b.compare(LLVMIntSLE, columns, b.spread(high, lanes));
            if low == first {
                return is_low_enough;
            }
            b.binary(LLVMAnd, b.compare(LLVMIntSGE, columns, b.spread(low, lanes)), is_low_enough)
        };
        let filled: Vec<_> = ends.iter().map(|(low, high)| b.compare(LLVMIntSLE, *low, *high)).collect();
        let rows_and_filled = || rows.steps.iter().zip(&filled);
        let one = rows_and_filled().rev().fold(b.index(0), |one, (row, filled)| b.select(*filled, *row, one));
        let rows = rows_and_filled().map(|(row, filled)| b.select(*filled, *row, one)).collect();
        let has_cells = filled.iter().copied().reduce(|a, c| b.binary(LLVMOr, a, c))?;
        let mut cut = Cut { rows, has_cells, cells: HashMap::new(), columns: Vec::new() };
        for (row, ends) in ends.iter().enumerate() {
            (0..vectors).for_each(|at| {
                cut.cells.insert((row as i64, at), mask(*ends, at));
            });
        }
        // Any row may have the least or the greatest (the columns of a diamond), but one without columns has none.
        let least = |a, c| b.select(b.compare(LLVMIntSLT, a, c), a, c);
        let greatest = |a, c| b.select(b.compare(LLVMIntSGT, a, c), a, c);
        let all = || ends.iter().zip(&filled);
        let low = all().map(|((low, _), filled)| b.select(*filled, *low, b.index(i64::MAX))).reduce(least)?;
        let high =
            all().map(|((_, high), filled)| b.select(*filled, *high, b.index(i64::MIN))).reduce(greatest)?;
        cut.columns = (0..vectors).map(|at| mask((low, high), at)).collect();
        Some(cut)
    }

    pub(super) fn load_cells(
        &self,
        place: &Place,
        ty: Type<'p>,
        address: Value<'p>,
        (lanes, mask): (i64, Option<Value<'p>>),
    ) -> Value<'p> {
        let (b, (is_exact, alignment)) = (self.builder(), self.facts_of(place));
        let ty = if lanes > 1 { b.vector(ty, lanes) } else { ty };
        let load = match mask {
            Some(mask) => b.load_masked(ty, address, alignment, mask),
            None => b.load_at(ty, address, alignment),
        };
        self.facts.annotate(load, Touched { array: place.array, is_exact });
        load
    }

    fn store_cells(&self, place: &Place, value: Value<'p>, address: Value<'p>, mask: Option<Value<'p>>) {
        let (b, (is_exact, alignment)) = (self.builder(), self.facts_of(place));
        let store = match mask {
            Some(mask) => b.store_masked(value, address, alignment, mask),
            None => b.store_at(value, address, alignment),
        };
        self.facts.annotate(store, Touched { array: place.array, is_exact });
    }

    /// Each access's cell where all three loops are at their first value.
    fn bases(&self, block: &Block<'_, 'p>) -> Option<HashMap<AccessId, Base<'p>>> {
        let counters = block.counters.iter().map(|counter| self.expr(counter)).collect::<Option<Vec<_>>>()?;
        let (b, mut bases) = (self.builder(), HashMap::new());
        for (id, moving) in &block.accesses {
            let (address, ..) = self.address(moving.place, &counters, block.is_whole)?;
            // It is made from the bounds of all loops around, and LLVM would look at all ways to add these up for each row.
            let address = b.hidden(address);
            let row = match moving.varies().row {
                true => Some(self.step_bytes(moving.place, &moving.row)?),
                false => None,
            };
            let mut columns = Vec::new();
            if moving.next == Next::Elsewhere {
                let step = b.spread(self.step_bytes(moving.place, &moving.column)?, block.lanes);
                let number = |vector: i64| b.counting(b.index(vector * block.lanes), block.lanes);
                columns.extend((0..block.vectors).map(|vector| b.binary(LLVMMul, number(vector), step)));
            }
            let term = self.step_bytes(moving.place, &moving.summed)?;
            bases.insert(*id, Base { address, row, term, columns });
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
    pub(super) fn cell_address(
        &self,
        kernel: &Kernel<'_, 'p>,
        access: AccessId,
        (row, vector): At,
    ) -> Option<Value<'p>> {
        let (b, base) = (self.builder(), kernel.bases.get(&access)?);
        let address = match base.row {
            // In a cut block also the first row may stand for another one.
            Some(bytes) if row > 0 || kernel.cut.is_some() => {
                b.displace(base.address, b.binary(LLVMMul, bytes, kernel.rows[row as usize]), false)
            }
            _ => base.address,
        };
        let Moving { place, next, .. } = kernel.block.accesses[&access];
        let columns = vector * kernel.block.lanes * next.step() * place.cell_bytes;
        Some(if columns == 0 { address } else { b.displace(address, b.index(columns), false) })
    }

    /// The address of the first cell of a row after some steps.
    pub(super) fn term_address(
        &self,
        kernel: &Kernel<'_, 'p>,
        access: AccessId,
        (row, steps): (i64, Value<'p>),
    ) -> Option<Value<'p>> {
        let b = self.builder();
        // The row's part first: it does not change in the loop.
        let row = self.cell_address(kernel, access, (row, 0))?;
        Some(b.displace(row, b.binary(LLVMMul, steps, kernel.bases[&access].term), false))
    }

    /// The vector of a value.
    fn wide(
        &self,
        operand: &Operand,
        ty: Type<'p>,
        at: At,
        kernel: &mut Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        if let Some(value) = self.own_value(operand, at, kernel) {
            return Some(self.builder().spread(value, kernel.block.lanes));
        }
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
            Operand::Read(access) if kernel.block.is_cell(*access) => *kernel.cells.get(&at)?,
            _ => match self.panel_value(operand, at, kernel) {
                Some(value) => value,
                None => self.computed(operand, ty, at, kernel)?,
            },
        };
        kernel.known.insert(key, value);
        Some((value, at))
    }

    /// A value that is not known yet, from memory or from others.
    pub(super) fn computed(
        &self,
        operand: &Operand,
        ty: Type<'p>,
        at: At,
        kernel: &mut Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        match operand {
            Operand::Outside(name) => self.lifted.outside.find(name),
            Operand::Read(access) => self.load_operand(*access, ty, at, kernel),
            Operand::Op(number) => self.operation(*number, kernel.block.varies(operand), at, kernel),
        }
    }

    fn load_operand(
        &self,
        access: AccessId,
        ty: Type<'p>,
        at: At,
        kernel: &Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        let (b, moving) = (self.builder(), &kernel.block.accesses[&access]);
        let here = self.term_address(kernel, access, (at.0, kernel.steps))?;
        let (lanes, mask) = (kernel.block.lanes, kernel.cut.map(|cut| cut.columns[at.1 as usize]));
        Some(match moving.next {
            Next::Same => self.load_cells(moving.place, ty, here, (1, None)),
            Next::Behind => {
                let columns = at.1 * lanes * moving.place.cell_bytes;
                let address = if columns == 0 { here } else { b.displace(here, b.index(columns), false) };
                self.load_cells(moving.place, ty, address, (lanes, mask))
            }
            Next::Near(step) => {
                let columns = at.1 * lanes * step * moving.place.cell_bytes;
                let address = if columns == 0 { here } else { b.displace(here, b.index(columns), false) };
                self.load_near(moving.place, ty, address, Near::of(kernel, step, mask))
            }
            Next::Elsewhere => {
                let offsets = kernel.bases[&access].columns[at.1 as usize];
                let (is_exact, alignment) = self.facts_of(moving.place);
                let load = b.gather(b.vector(ty, lanes), b.displace(here, offsets, false), alignment, mask);
                self.facts.annotate(load, Touched { array: moving.place.array, is_exact });
                load
            }
        })
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
        // The last operand of a call is whom it calls: a copy keeps it, a vector calls another.
        let count = inst.operands().len() - usize::from(varies.column && inst.is_call());
        for (operand, original) in op.operands.iter().zip(inst.operands()).take(count) {
            let ty = self.builder().type_of(original);
            operands.push(match varies.column {
                true => self.wide(operand, ty, at, kernel)?,
                false => self.narrow_or_wide(operand, ty, at, kernel)?.0,
            });
        }
        if varies.column {
            return self.builder().widen(inst, &operands, kernel.block.lanes);
        }
        Some(self.copy(inst, &operands))
    }
}

impl Block<'_, '_> {
    /// Whether the access is one to the cells in registers.
    fn is_cell(&self, access: AccessId) -> bool {
        self.cells.contains(&access)
    }

    /// Whether a value is computed from the array whose cells are in registers, otherwise than by the update.
    pub(super) fn is_in_place(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Outside(_) => false,
            Operand::Read(access) => {
                let array = self.accesses[&self.update].place.array;
                self.accesses[access].place.array == array && !self.is_cell(*access)
            }
            Operand::Op(at) => {
                self.stmt.body.ops[*at].operands.iter().any(|operand| self.is_in_place(operand))
            }
        }
    }

    /// Whether a value is computed from cells that are far apart along the columns.
    pub(super) fn gathers(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Outside(_) => false,
            Operand::Read(access) => self.accesses[access].next == Next::Elsewhere,
            Operand::Op(at) => self.stmt.body.ops[*at].operands.iter().any(|operand| self.gathers(operand)),
        }
    }

    /// Cells that are written are next to each other along the columns, or a few apart, and stay where they are along the terms.
    fn is_regular(&self) -> bool {
        let update = &self.accesses[&self.update];
        let stands = update.summed.iter().all(|step| *step == 0);
        // What is loaded for a row must take part in that row.
        let is_shared = |(access, moving): (&AccessId, &Moving<'_>)| {
            let Varies { row, column } = moving.varies();
            self.is_whole || self.is_cell(*access) || !(row && column)
        };
        stands && matches!(update.next, Next::Behind | Next::Near(_)) && self.accesses.iter().all(is_shared)
    }

    pub(super) fn varies(&self, operand: &Operand) -> Varies {
        match operand {
            Operand::Outside(_) => Varies::default(),
            Operand::Read(access) => self.accesses[access].varies(),
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
