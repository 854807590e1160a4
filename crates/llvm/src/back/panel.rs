//! Panels: operands of the terms of blocks, kept on the stack in the order in which they are used.
//!
//! In `C[i, j] += alpha * A[i, k] * B[k, j]` the blocks below each other want the same `depth` times `width` values of
//! `B[k, j]`, whose rows are pages apart, and each block wants `height` times `depth` values `alpha * A[i, k]`, each for all its
//! columns.
//! - A *column operand* is the greatest part of a term that stands still along the rows. Before the first whole block of a loop over
//!   blocks its values are stored, one term behind the other; all blocks load them, one vector behind the other. Cells that are far
//!   apart are gathered once for all blocks. (If the first block did so while it uses them, there would be two micro-kernels to
//!   compile, and nothing is faster.)
//! - A *row operand* is the greatest part of a term that stands still along the columns, if something is computed for it or
//!   each vector is to load it itself. It is computed for some terms before the first of them (module `part`), or for all before
//!   the first one.
//!
//! Values are stored and loaded as they are: the results are the same, to the bit.
//!
//! # When
//! - Nothing is in the loop over blocks but blocks of one statement, which writes its cells only, the column operands are not
//!   from the array that these are in, and no arrays may overlap: so the operands' values stay.
//! - The terms of a block and the column operands do not depend on the loop over blocks.
//! - Several blocks of rows use the column operands: where the loop over blocks is known to be short they are loaded from where they are, but
//!   for those that are gathered.
//! - A block has a known number of terms at most, unless there are only row operands in parts, and the function may have so much
//!   on the stack: it cannot be called again before it returns.
//! - Threads have panels of their own.
//! - Blocks that are cut compute their operands themselves: what they may touch differs.

use super::block::{At, Block, Kernel};
use super::builder::Type;
use super::emit::Emitter;
use super::part::Parts;
use super::scratch::ALIGNMENT;
use crate::pass::{self, Value};
use astgen::{For, Node, Variable, stmts_in};
use llvm_sys::LLVMIntPredicate::LLVMIntSLE;
use llvm_sys::LLVMOpcode::*;
use model::{Operand, StmtId};
use std::cell::Cell;

/// So many blocks of rows must use a column operand. To store it takes about as long as an eighth of the terms of one block (products of 32 x 32
/// matrices on a Zen 5, in four blocks of rows).
const BLOCKS: i64 = 8;

/// The memory for panels of a function, which its nests share: never do two of them run at once.
pub struct PanelMemory<'p> {
    /// How many bytes there may be; 0: no panels.
    most: u64,
    /// What there is, and its size.
    made: Cell<Option<(Value<'p>, i64)>>,
}

impl PanelMemory<'_> {
    /// Of at most so many bytes.
    pub fn new(most: u64) -> Self {
        PanelMemory { most, made: Cell::new(None) }
    }
}

/// The panels of a nest.
#[derive(Default)]
pub(super) struct Panels<'p> {
    memory: Option<Value<'p>>,
    /// Bytes of it, and how many there may be.
    size: i64,
    most: i64,
    /// A slot: whether column operands are stored since the loop over blocks began.
    filled: Option<Value<'p>>,
}

impl<'p> Panels<'p> {
    /// The memory.
    pub fn memory(&self) -> Option<Value<'p>> {
        self.memory
    }

    /// The slot, which becomes a value in the end.
    pub fn slots(&self) -> impl Iterator<Item = Value<'p>> {
        self.filled.into_iter()
    }
}

/// The loop around what is written.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Its variable.
    pub variable: Variable,
    /// The only statement in it, if there is one.
    only: Option<StmtId>,
    /// How often it runs, if that is known.
    runs: Option<i64>,
}

impl Around {
    pub fn of(each: &For) -> Self {
        let stmts = stmts_in(&each.body);
        let only = stmts.first().copied().filter(|_| stmts.len() == 1);
        let runs = each.extent().map(|extent| (extent + each.step - 1) / each.step);
        Around { variable: each.variable, only, runs }
    }
}

/// An operand's values: those of columns lie in the order of terms, each with all its columns; those of rows in the order of rows,
/// each with all its terms, which can be computed as vectors.
pub(super) struct Panel<'p> {
    pub(super) operand: Operand,
    pub(super) ty: Type<'p>,
    /// Bytes of a value.
    pub(super) bytes: i64,
    /// From one term to the next.
    pub(super) term: i64,
    /// From one row or column to the next.
    pub(super) cell: i64,
    pub(super) start: Value<'p>,
}

impl<'p> Panel<'p> {
    pub(super) fn find<'a>(panels: &'a [Self], operand: &Operand) -> Option<&'a Self> {
        panels.iter().find(|panel| panel.operand == *operand)
    }
}

/// The panels of one block.
pub(super) struct BlockPanels<'p> {
    columns: Vec<Panel<'p>>,
    pub(super) rows: Vec<Panel<'p>>,
    /// If row operands are computed in parts, one after the other.
    pub(super) parts: Option<Parts>,
}

/// The operands of a block that may have panels, and the number of its terms at most.
struct Wanted<'p> {
    columns: Vec<(Operand, Type<'p>)>,
    rows: Vec<(Operand, Type<'p>)>,
    /// How many terms there are, if that is known.
    depth: Option<i64>,
    parts: Option<Parts>,
}

impl<'a, 'p> Emitter<'a, 'p> {
    /// Makes the memory; the builder must be in the function's entry block.
    pub(super) fn make_panels(&mut self, nodes: &[Node], memory: &PanelMemory<'p>) {
        self.panels.most = i64::try_from(memory.most).unwrap_or(i64::MAX);
        let size = self.panel_bytes(nodes, None);
        if size <= 0 || size > self.panels.most {
            return;
        }
        let b = self.builder();
        let make = || (b.array_slot(size.unsigned_abs(), ALIGNMENT as u32), size);
        let (start, size) = memory.made.get().filter(|(_, made)| *made >= size).unwrap_or_else(make);
        memory.made.set(Some((start, size)));
        self.panels =
            Panels { memory: Some(start), size, most: self.panels.most, filled: Some(b.slot(b.int(1))) };
    }

    /// Memory of its own for a loop that runs in threads, which has it once for each thread; what there was before.
    pub(super) fn private_panels(&mut self, l: &For) -> Option<Panels<'p>> {
        let mut private = Panels { filled: self.panels.filled, most: self.panels.most, ..Panels::default() };
        private.size = self.panel_bytes(&l.body, Some(Around::of(l))).min(self.panels.size);
        if private.size > 0 {
            let (b, here) = (self.builder(), self.builder().here());
            b.before(self.pass.blocks().first()?.insts().next()?);
            private.memory = Some(b.array_slot(private.size.unsigned_abs(), ALIGNMENT as u32));
            b.at_end(here);
        }
        Some(std::mem::replace(&mut self.panels, private))
    }

    /// The most that any block wants.
    fn panel_bytes(&self, nodes: &[Node], around: Option<Around>) -> i64 {
        let of = |node: &Node| match node {
            Node::For(each) if each.block.is_some() => {
                self.block_of(each).map_or(0, |block| self.wanted(each, &block, around).bytes(self, &block))
            }
            Node::For(each) if each.runs_once => self.panel_bytes(&each.body, around),
            Node::For(each) => self.panel_bytes(&each.body, Some(Around::of(each))),
            Node::If { then, otherwise, .. } => {
                self.panel_bytes(then, around).max(self.panel_bytes(otherwise, around))
            }
            Node::Stmt { .. } => 0,
        };
        nodes.iter().map(of).max().unwrap_or(0)
    }

    /// A loop begins: what was stored before is not what its blocks want.
    pub(super) fn forget_panels(&self) {
        if let Some(filled) = self.panels.filled {
            self.builder().store(self.builder().constant(self.builder().int(1), 0), filled);
        }
    }

    /// The panels of a block; `None` without any.
    pub(super) fn panels_of(&self, summed: &For, block: &Block<'_, 'p>) -> Option<BlockPanels<'p>> {
        let memory = self.panels.memory?;
        let wanted = self.wanted(summed, block, self.innermost);
        if wanted.bytes(self, block) > self.panels.size {
            return None;
        }
        let b = self.builder();
        let mut start = 0;
        let mut place = |operands: &[(Operand, Type<'p>)], layout: &dyn Fn(i64) -> Layout| {
            let each = |(operand, ty): &(Operand, Type<'p>)| {
                let bytes = self.value_bytes(*ty);
                let Layout { term, cell, size } = layout(bytes);
                let at = b.displace(memory, b.index(start), true);
                start += size;
                Panel { operand: operand.clone(), ty: *ty, bytes, term, cell, start: at }
            };
            operands.iter().map(each).collect::<Vec<_>>()
        };
        let columns = place(&wanted.columns, &|bytes| wanted.column_layout(block, bytes));
        let rows = place(&wanted.rows, &|bytes| wanted.row_layout(block, bytes));
        let is_any = !columns.is_empty() || !rows.is_empty();
        is_any.then_some(BlockPanels { columns, rows, parts: wanted.parts })
    }

    fn wanted(&self, summed: &For, block: &Block<'_, 'p>, around: Option<Around>) -> Wanted<'p> {
        let mut wanted = Wanted { columns: Vec::new(), rows: Vec::new(), depth: None, parts: None };
        let Some((size, around)) = summed.block.as_ref().zip(around) else { return wanted };
        if !size.is_whole || !self.may_have_panels {
            return wanted;
        }
        self.add_operands(block, block.stored.0, block.stored.1, &mut wanted);
        let is_known = |(_, ty): &(Operand, Type<'p>)| self.value_bytes(*ty) > 0;
        wanted.columns.retain(is_known);
        wanted.rows.retain(is_known);
        wanted.depth = size.depth;
        wanted.parts = self.parts(block, &wanted.rows);
        if size.depth.is_none() {
            wanted.columns.clear();
        }
        if wanted.parts.is_none() {
            wanted.rows.retain(|(operand, _)| size.depth.is_some() && matches!(operand, Operand::Op(_)));
        }
        if wanted.bytes(self, block) > self.panels.most {
            wanted.rows.clear();
        }
        let moves = [&summed.first, &summed.last, &size.column];
        let is_still = !moves.iter().any(|bound| bound.mentions(around.variable));
        let stays = |operand: &Operand| {
            self.stands_still(block, operand, around.variable) && !block.is_in_place(operand)
        };
        if around.only != Some(block.id) || !is_still || !wanted.columns.iter().all(|(each, _)| stays(each)) {
            wanted.columns.clear();
        }
        if around.runs.is_some_and(|runs| runs < BLOCKS) {
            wanted.columns.retain(|(each, _)| block.gathers(each));
        }
        wanted
    }

    /// Adds the greatest parts of a value that stand still along rows or columns.
    fn add_operands(&self, block: &Block<'_, 'p>, operand: &Operand, ty: Type<'p>, wanted: &mut Wanted<'p>) {
        let varies = block.varies(operand);
        let list = match (varies.row, varies.column, operand) {
            (false, true, _) => &mut wanted.columns,
            (true, false, Operand::Op(_)) => &mut wanted.rows,
            (true, false, Operand::Read(_)) if self.wants_room(block, operand) => &mut wanted.rows,
            (true, true, Operand::Op(at)) => {
                let op = &block.stmt.body.ops[*at];
                let originals = self.op_inst(block.id, &op.name).map_or(Vec::new(), |inst| inst.operands());
                for (operand, original) in op.operands.iter().zip(originals) {
                    self.add_operands(block, operand, self.builder().type_of(original), wanted);
                }
                return;
            }
            _ => return,
        };
        if !list.iter().any(|(known, _)| known == operand) {
            list.push((operand.clone(), ty));
        }
    }

    /// Whether no access of a value moves along a loop outside of the block.
    fn stands_still(&self, block: &Block<'_, 'p>, operand: &Operand, variable: Variable) -> bool {
        match operand {
            Operand::Outside(_) => true,
            Operand::Read(access) => {
                let moving = &block.accesses[access];
                self.growth(moving.place, block.counters, variable)
                    .is_some_and(|steps| steps.iter().all(|step| *step == 0))
            }
            Operand::Op(at) => {
                let operands = &block.stmt.body.ops[*at].operands;
                operands.iter().all(|operand| self.stands_still(block, operand, variable))
            }
        }
    }

    pub(super) fn value_bytes(&self, ty: Type<'p>) -> i64 {
        self.builder().bits(ty).map_or(0, |bits| i64::from(bits / 8))
    }

    /// Writes the loop that computes the column operands of all terms up to the `last`, unless a block before did so.
    pub(super) fn fill_columns(
        &self,
        panels: &BlockPanels<'p>,
        kernel: &mut Kernel<'_, 'p>,
        last: Value<'p>,
    ) -> Option<()> {
        let Some(filled) = self.panels.filled.filter(|_| !panels.columns.is_empty()) else { return Some(()) };
        let (b, vectors, lanes) = (self.builder(), kernel.block.vectors, kernel.block.lanes);
        let [fill, after] = [c"orthant.fill", c"orthant.filled"].map(|name| b.block(name));
        b.branch(b.load(b.int(1), filled), after, fill);
        b.at_end(fill);
        let latch = self.ahead(kernel, last, &|kernel| {
            for panel in &panels.columns {
                for vector in 0..vectors {
                    let value = self.computed(&panel.operand, panel.ty, (0, vector), kernel)?;
                    let (address, alignment) = self.panel_vector(panel, vector, lanes, kernel.steps);
                    b.store_at(value, address, alignment);
                }
            }
            Some(())
        })?;
        // It is vector code, and the time is in memory.
        self.facts.rows(latch, false);
        b.store(b.constant(b.int(1), 1), filled);
        b.jump(after);
        b.at_end(after);
        Some(())
    }

    /// Writes the loop that computes the row operands of all terms up to the `last`, if these are not computed as vectors
    /// between the terms.
    pub(super) fn fill_rows(
        &self,
        panels: &BlockPanels<'p>,
        kernel: &mut Kernel<'_, 'p>,
        last: Value<'p>,
    ) -> Option<()> {
        if panels.rows.is_empty() || panels.parts.is_some() {
            return Some(());
        }
        let (b, height) = (self.builder(), kernel.block.height);
        self.ahead(kernel, last, &|kernel| {
            for panel in &panels.rows {
                for row in 0..height {
                    let value = self.computed(&panel.operand, panel.ty, (row, 0), kernel)?;
                    b.store_at(value, self.panel_address(panel, kernel.steps, row), panel.bytes as u32);
                }
            }
            Some(())
        })?;
        Some(())
    }

    /// A loop over all terms up to the `last`, whose latch this gives; the builder goes on behind it.
    fn ahead<'k>(
        &self,
        kernel: &mut Kernel<'k, 'p>,
        last: Value<'p>,
        write: &dyn Fn(&mut Kernel<'k, 'p>) -> Option<()>,
    ) -> Option<pass::Block<'p>> {
        let b = self.builder();
        let [head, after] = [c"orthant.ahead", c"orthant.terms"].map(|name| b.block(name));
        let before = b.here();
        b.jump(head);
        b.at_end(head);
        kernel.steps = b.phi(b.int(64));
        b.add_incoming(kernel.steps, b.index(0), before);
        write(kernel)?;
        let next = b.exact(LLVMAdd, kernel.steps, b.index(1));
        let latch = b.here();
        b.branch(b.compare(LLVMIntSLE, next, last), head, after);
        b.add_incoming(kernel.steps, next, latch);
        b.at_end(after);
        Some(latch)
    }

    /// An operand's value, if it is in a panel.
    pub(super) fn panel_value(
        &self,
        operand: &Operand,
        at: At,
        kernel: &Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        let (b, panels) = (self.builder(), kernel.panels?);
        if let Some(panel) = Panel::find(&panels.rows, operand) {
            if panels.parts.is_some() {
                return self.part_value(operand, at.0, kernel);
            }
            let address = self.panel_address(panel, kernel.steps, at.0);
            return Some(b.load_at(panel.ty, address, panel.bytes as u32));
        }
        let (panel, lanes) = (Panel::find(&panels.columns, operand)?, kernel.block.lanes);
        let (address, alignment) = self.panel_vector(panel, at.1, lanes, kernel.steps);
        Some(b.load_at(b.vector(panel.ty, lanes), address, alignment))
    }

    /// Where a vector of a column operand is, and its alignment.
    fn panel_vector(&self, panel: &Panel<'p>, vector: i64, lanes: i64, steps: Value<'p>) -> (Value<'p>, u32) {
        let alignment = ALIGNMENT.min(lanes * panel.bytes) as u32;
        (self.panel_address(panel, steps, vector * lanes), alignment)
    }

    fn panel_address(&self, panel: &Panel<'p>, steps: Value<'p>, cell: i64) -> Value<'p> {
        let b = self.builder();
        let term = b.displace(panel.start, b.binary(LLVMMul, steps, b.index(panel.term)), true);
        if cell == 0 { term } else { b.displace(term, b.index(cell * panel.cell), true) }
    }
}

/// How the values of an operand lie, and how many bytes they have.
struct Layout {
    term: i64,
    cell: i64,
    size: i64,
}

impl<'p> Wanted<'p> {
    fn bytes(&self, emitter: &Emitter<'_, 'p>, block: &Block<'_, 'p>) -> i64 {
        let columns = self.columns.iter().map(|(_, ty)| self.column_layout(block, emitter.value_bytes(*ty)));
        let rows = self.rows.iter().map(|(_, ty)| self.row_layout(block, emitter.value_bytes(*ty)));
        columns.chain(rows).map(|layout| layout.size).sum()
    }

    fn column_layout(&self, block: &Block<'_, 'p>, bytes: i64) -> Layout {
        let term = block.lanes * block.vectors * bytes;
        Layout { term, cell: bytes, size: aligned(self.depth.unwrap_or(0) * term) }
    }

    fn row_layout(&self, block: &Block<'_, 'p>, bytes: i64) -> Layout {
        match &self.parts {
            // A value's place depends on how it is computed.
            Some(parts) => Layout { term: 0, cell: 0, size: parts.panel_bytes(block) },
            None => self.all_rows_layout(block, bytes),
        }
    }

    /// The first values of rows do not want the same lines of a cache. Behind the last one there is room for a vector.
    fn all_rows_layout(&self, block: &Block<'_, 'p>, bytes: i64) -> Layout {
        let cell = aligned(self.depth.unwrap_or(0) * bytes) + ALIGNMENT;
        Layout { term: bytes, cell, size: block.height * cell }
    }
}

pub(super) fn aligned(bytes: i64) -> i64 {
    (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT
}
