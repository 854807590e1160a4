//! Row operands in parts: computed as vectors, shortly before they are used.
//!
//! The terms of a block come in *parts* of as many terms as a vector has lanes. There are two rooms for the row operands of a
//! part ([`super::panel`]): while the terms of one part are added, the operands of the next one are computed and stored,
//! which hides behind the additions. A vector has the values of a row along the terms (`alpha * A[i, k]`), or those of a term along
//! the rows (`alpha * A[k, i]`), whichever lie behind each other in memory.
//! ```text
//!   compute the first part
//!   for each part:
//!     compute the next part, as far as there are terms
//!     for each term of the part: load, spread, multiply and add
//! ```
//!
//! # Own pointers
//! A value that is loaded for one instruction is spread over the vector by that instruction. For several it is spread by an
//! instruction of its own, which wants, on some processors, the units that multiply and add. If products are rounded before they are
//! added, these are all busy: on a Zen 4 the 24 products of a block of 8 rows and 3 vectors take 31 cycles instead of 24. So there each
//! vector of a row loads the value itself, also those of row operands for which nothing is computed. It does so through a pointer of
//! its own, or LLVM would see that the loads are the same. The pointers move from term to term, each by itself, because code generation
//! forgets what was hidden from it before. (A copy for each vector does it, too, with three times the stores.)
//!
//! Other processors spread what they load for nothing, and loads are what there are too many of then: on a Zen 5, which multiplies
//! and adds two vectors and loads two in a cycle, the 24 products take 13.9 cycles with own pointers and 12.2 without. Nobody can be
//! asked which processors are which; where the function does not say what it is compiled for, own pointers lose less if they are wrong.

use super::block::{At, Block, Kernel, MASKED_BITS, Moving};
use super::builder::{Builder, Type};
use super::emit::Emitter;
use super::panel::{Panel, aligned};
use crate::pass::{Inst, Pass, Value};
use llvm_sys::LLVMIntPredicate::LLVMIntSLE;
use llvm_sys::LLVMOpcode::*;
use model::Operand;
use std::iter::repeat_n;

/// Rooms for parts.
const ROOMS: i64 = 2;

/// From this size on, instructions can spread a value that they load.
const SPREADING_BITS: u32 = 512;

/// Processors with vectors of that size that spread a loaded value without the units that multiply and add.
const SPREAD_FOR_NOTHING: [&str; 1] = ["znver5"];

/// How the row operands of a block are computed.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// Of a vector in memory, and from one room to the other.
    pub(super) bytes: i64,
    /// How many vectors of a row have their own pointers; 0: none.
    pointers: i64,
}

/// Whether the processor that a function is compiled for is one of those.
pub(super) fn spreads_for_nothing(pass: Pass<'_>) -> bool {
    pass.target_cpu().is_some_and(|name| SPREAD_FOR_NOTHING.contains(&name.as_str()))
}

impl Parts {
    /// What one operand wants.
    pub(super) fn panel_bytes(self, block: &Block<'_, '_>) -> i64 {
        block.height.max(block.lanes) * self.vector_bytes()
    }

    /// From one vector to the next.
    fn vector_bytes(self) -> i64 {
        ROOMS * self.bytes
    }
}

/// The part that is used.
#[derive(Clone, Copy)]
pub(super) struct Part<'p> {
    /// Its first step.
    pub(super) first: Value<'p>,
    /// How far its room is from the first one.
    pub(super) room: Value<'p>,
}

/// What a vector's values are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    /// The terms of one row.
    Terms,
    /// The rows of one term.
    Rows,
}

/// Which vector is computed.
#[derive(Clone, Copy)]
struct Vector<'p> {
    along: Along,
    lanes: i64,
    /// The row, or the first one.
    row: i64,
    /// The step, or the first one.
    steps: Value<'p>,
    /// What is computed: that step's values, under a mask of the steps that there are; or those of the last step that there is.
    from: Value<'p>,
    mask: Option<Value<'p>>,
}

impl<'a, 'p> Emitter<'a, 'p> {
    /// The parts, if all these row operands can be computed as vectors.
    pub(super) fn parts(&self, block: &Block<'_, 'p>, rows: &[(Operand, Type<'p>)]) -> Option<Parts> {
        let is_wide = |(operand, _): &(Operand, Type<'p>)| self.along(block, operand).is_some();
        let most = block.lanes.max(block.height);
        let bytes = rows.iter().map(|(_, ty)| self.value_bytes(*ty) * most).max()?;
        let pointers = if self.wants_pointers(block) { block.vectors } else { 0 };
        let may = self.widest_bits >= MASKED_BITS && rows.iter().all(is_wide);
        may.then_some(Parts { bytes: aligned(bytes), pointers })
    }

    /// Whether each vector of a row loads what it is multiplied with itself.
    fn wants_pointers(&self, block: &Block<'_, 'p>) -> bool {
        let Operand::Op(at) = block.stored.0 else { return false };
        let sum = self.op_inst(block.id, &block.stmt.body.ops[*at].name);
        let is_rounded = |sum: Inst<'p>| matches!(sum.opcode(), LLVMFAdd | LLVMFSub) && !sum.may_contract();
        block.vectors > 1
            && self.widest_bits >= SPREADING_BITS
            && !self.spreads_for_nothing
            && sum.is_some_and(is_rounded)
    }

    /// Whether an operand for which nothing is computed is to be stored, so that it can be loaded like that. If its values are those of
    /// rows, they come from one line of the cache as it is, and nothing is gained (`trmm`, `covariance`); nor is it by few terms.
    pub(super) fn wants_room(&self, block: &Block<'_, 'p>, operand: &Operand) -> bool {
        block.is_long && self.wants_pointers(block) && self.along(block, operand) == Some(Along::Terms)
    }

    /// Along what an operand's values can be computed as a vector.
    fn along(&self, block: &Block<'_, 'p>, operand: &Operand) -> Option<Along> {
        let rows = block.height.count_ones() == 1;
        let choices = [(Along::Terms, true), (Along::Rows, rows)];
        let fits = |along: &Along| self.is_wide(block, operand, *along);
        choices.into_iter().filter(|(_, may)| *may).map(|(along, _)| along).find(fits)
    }

    fn is_wide(&self, block: &Block<'_, 'p>, operand: &Operand, along: Along) -> bool {
        match operand {
            Operand::Outside(_) => true,
            Operand::Read(access) => along
                .steps(&block.accesses[access])
                .split_last()
                .is_none_or(|(last, outer)| (0..=1).contains(last) && outer.iter().all(|step| *step == 0)),
            Operand::Op(at) => {
                let op = &block.stmt.body.ops[*at];
                self.op_inst(block.id, &op.name).is_some_and(Builder::can_widen)
                    && op.operands.iter().all(|operand| self.is_wide(block, operand, along))
            }
        }
    }

    /// Computes the row operands of the part that begins with the kernel's step, but none behind the `last`.
    pub(super) fn fill_part(&self, kernel: &Kernel<'_, 'p>, room: Value<'p>, last: Value<'p>) -> Option<()> {
        let (b, panels) = (self.builder(), kernel.panels?);
        let part = Part { first: kernel.steps, room };
        for panel in &panels.rows {
            for vector in self.vectors(kernel, &panel.operand, last)? {
                let value = self.along_vector(&panel.operand, panel.ty, (vector, kernel))?;
                let address = self.part_address(panel, kernel, (part, vector.steps), vector.row)?;
                b.store_at(value, address, panel.bytes as u32);
            }
        }
        Some(())
    }

    /// The vectors of a part.
    fn vectors(
        &self,
        kernel: &Kernel<'_, 'p>,
        operand: &Operand,
        last: Value<'p>,
    ) -> Option<Vec<Vector<'p>>> {
        let (b, block) = (self.builder(), kernel.block);
        let along = self.along(block, operand)?;
        Some(match along {
            Along::Terms => {
                let (lanes, steps) = (block.lanes, kernel.steps);
                let mask = b.compare(LLVMIntSLE, b.counting(steps, lanes), b.spread(last, lanes));
                let of = |row| Vector { along, lanes, row, steps, from: steps, mask: Some(mask) };
                (0..block.height).map(of).collect()
            }
            Along::Rows => {
                let lanes = block.height;
                let of = |term: i64| {
                    let steps = b.exact(LLVMAdd, kernel.steps, b.index(term));
                    let from = b.select(b.compare(LLVMIntSLE, steps, last), steps, last);
                    Vector { along, lanes, row: 0, steps, from, mask: None }
                };
                (0..block.lanes).map(of).collect()
            }
        })
    }

    /// Values of an operand.
    fn along_vector(
        &self,
        operand: &Operand,
        ty: Type<'p>,
        (vector, kernel): (Vector<'p>, &Kernel<'_, 'p>),
    ) -> Option<Value<'p>> {
        let b = self.builder();
        match operand {
            Operand::Outside(name) => Some(b.spread(self.lifted.outside.find(name)?, vector.lanes)),
            Operand::Read(access) => {
                let moving = &kernel.block.accesses[access];
                let here = self.term_address(kernel, *access, (vector.row, vector.from))?;
                if vector.along.steps(moving).last().is_none_or(|step| *step == 0) {
                    return Some(b.spread(self.load_cells(moving.place, ty, here, (1, None)), vector.lanes));
                }
                Some(self.load_cells(moving.place, ty, here, (vector.lanes, vector.mask)))
            }
            Operand::Op(at) => {
                let op = &kernel.block.stmt.body.ops[*at];
                let inst = self.op_inst(kernel.block.id, &op.name)?;
                let count = inst.operands().len() - usize::from(inst.is_call());
                let originals = inst.operands().into_iter().take(count);
                let wide = |(operand, original): (&Operand, Value<'p>)| {
                    self.along_vector(operand, b.type_of(original), (vector, kernel))
                };
                let operands = op.operands.iter().zip(originals).map(wide).collect::<Option<Vec<_>>>()?;
                b.widen(inst, &operands, vector.lanes)
            }
        }
    }

    /// How far the values of an operand are from each other: those of rows, and those of terms.
    fn strides(&self, panel: &Panel<'p>, kernel: &Kernel<'_, 'p>) -> Option<(i64, i64)> {
        let vector = kernel.panels?.parts?.vector_bytes();
        Some(match self.along(kernel.block, &panel.operand)? {
            Along::Terms => (vector, panel.bytes),
            Along::Rows => (panel.bytes, vector),
        })
    }

    /// Where a row's value is in a part.
    fn part_address(
        &self,
        panel: &Panel<'p>,
        kernel: &Kernel<'_, 'p>,
        (part, steps): (Part<'p>, Value<'p>),
        row: i64,
    ) -> Option<Value<'p>> {
        let (b, (row_bytes, term_bytes)) = (self.builder(), self.strides(panel, kernel)?);
        let room = b.displace(panel.start, part.room, true);
        let here = b.displace(room, b.index(row * row_bytes), true);
        let steps = b.exact(LLVMSub, steps, part.first);
        Some(b.displace(here, b.binary(LLVMMul, steps, b.index(term_bytes)), true))
    }

    /// The pointers of a part's first term: of each row operand those of the vectors of a row. What is hidden differs from one to
    /// the next.
    pub(super) fn first_pointers(&self, kernel: &Kernel<'_, 'p>) -> Option<Vec<Value<'p>>> {
        let (b, mut pointers) = (self.builder(), Vec::new());
        let Some(((panels, parts), part)) = kernel.panels.zip(kernel.parts()).zip(kernel.part) else {
            return Some(pointers);
        };
        for panel in &panels.rows {
            let first = self.part_address(panel, kernel, (part, part.first), 0)?;
            let own = |vector: i64| b.hidden(b.displace(first, b.index(vector * parts.bytes), false));
            pointers.extend((0..parts.pointers).map(own));
        }
        Some(pointers)
    }

    /// Those of the next term.
    pub(super) fn next_pointers(&self, kernel: &Kernel<'_, 'p>) -> Option<Vec<Value<'p>>> {
        let (b, mut next) = (self.builder(), Vec::new());
        let Some((panels, parts)) = kernel.panels.zip(kernel.parts()) else { return Some(next) };
        let of_vectors = |panel| repeat_n(panel, parts.pointers as usize);
        for (pointer, panel) in kernel.pointers.iter().zip(panels.rows.iter().flat_map(of_vectors)) {
            let (_, term_bytes) = self.strides(panel, kernel)?;
            next.push(b.displace(*pointer, b.index(term_bytes), false));
        }
        Some(next)
    }

    /// A row's value, if there are row operands in parts.
    pub(super) fn part_value(
        &self,
        operand: &Operand,
        row: i64,
        kernel: &Kernel<'_, 'p>,
    ) -> Option<Value<'p>> {
        let panel = Panel::find(&kernel.panels?.rows, operand)?;
        let address = self.part_address(panel, kernel, (kernel.part?, kernel.steps), row)?;
        Some(self.builder().load_at(panel.ty, address, panel.bytes as u32))
    }

    /// The same through the pointer of one vector, if it has its own.
    pub(super) fn own_value(&self, operand: &Operand, at: At, kernel: &Kernel<'_, 'p>) -> Option<Value<'p>> {
        let (b, parts, (row, vector)) = (self.builder(), kernel.parts()?, at);
        let number = kernel.panels?.rows.iter().position(|panel| panel.operand == *operand)?;
        let panel = &kernel.panels?.rows[number];
        let pointer = kernel.pointers.get(number * parts.pointers as usize + vector as usize)?;
        let bytes = row * self.strides(panel, kernel)?.0 - vector * parts.bytes;
        Some(b.load_at(panel.ty, b.displace(*pointer, b.index(bytes), false), panel.bytes as u32))
    }
}

impl Along {
    /// How much each subscript grows from one value to the next.
    fn steps<'m>(self, moving: &'m Moving<'_>) -> &'m [i64] {
        match self {
            Along::Terms => &moving.summed,
            Along::Rows => &moving.row,
        }
    }
}
