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
//! # Copies
//! A value that is loaded for one instruction is spread over the vector by that instruction. For several it is spread by an
//! instruction of its own, which wants (Zen 4) the units that multiply and add. If products are rounded before they are added,
//! these are all busy: the 24 products of a block of 8 rows and 3 vectors take 31 cycles instead of 24. So each vector of a row then has
//! its own copy, also of row operands for which nothing is computed. LLVM does not see that the copies are the same, because
//! they were stored as vectors. The block that stores column operands computes its row operands term by term: that is less code.

use super::block::{At, Block, Kernel, MASKED_BITS, Moving};
use super::builder::{Builder, Type};
use super::emit::Emitter;
use super::panel::{Panel, aligned};
use crate::pass::{Inst, Value};
use llvm_sys::LLVMIntPredicate::LLVMIntSLE;
use llvm_sys::LLVMOpcode::*;
use model::Operand;

/// Rooms for parts.
const ROOMS: i64 = 2;

/// From this size on, instructions can spread a value that they load.
const SPREADING_BITS: u32 = 512;

/// How the row operands of a block are computed.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// Of a vector in memory, and from one room to the other.
    pub(super) bytes: i64,
    /// How often each value is there.
    copies: i64,
}

impl Parts {
    /// What one operand wants.
    pub(super) fn panel_bytes(self, block: &Block<'_, '_>) -> i64 {
        block.height.max(block.lanes) * self.vector_bytes()
    }

    /// From one vector to the next.
    fn vector_bytes(self) -> i64 {
        ROOMS * self.copies * self.bytes
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
        let copies = if self.wants_copies(block) { block.vectors } else { 1 };
        let may = self.widest_bits >= MASKED_BITS && rows.iter().all(is_wide);
        may.then_some(Parts { bytes: aligned(bytes), copies })
    }

    /// Whether each vector of a row has its own copy of what it is multiplied with.
    pub(super) fn wants_copies(&self, block: &Block<'_, 'p>) -> bool {
        let Operand::Op(at) = block.stored.0 else { return false };
        let sum = self.op_inst(block.id, &block.stmt.body.ops[*at].name);
        let is_rounded = |sum: Inst<'p>| matches!(sum.opcode(), LLVMFAdd | LLVMFSub) && !sum.may_contract();
        block.vectors > 1 && self.widest_bits >= SPREADING_BITS && sum.is_some_and(is_rounded)
    }

    /// Whether there are to be copies of an operand for which nothing is computed. If its values are those of rows, they come from
    /// one line of the cache as it is, and copies gain nothing (`trmm`, `covariance`).
    pub(super) fn wants_copy(&self, block: &Block<'_, 'p>, operand: &Operand) -> bool {
        self.wants_copies(block) && self.along(block, operand) == Some(Along::Terms)
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
                for copy in 0..panels.parts?.copies {
                    let at = (vector.row, copy);
                    let address = self.part_address(panel, kernel, (part, vector.steps), at)?;
                    b.store_at(value, address, panel.bytes as u32);
                }
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

    /// Where a row's value is in a part.
    fn part_address(
        &self,
        panel: &Panel<'p>,
        kernel: &Kernel<'_, 'p>,
        (part, steps): (Part<'p>, Value<'p>),
        (row, copy): At,
    ) -> Option<Value<'p>> {
        let (b, parts) = (self.builder(), kernel.panels?.parts?);
        let (row_bytes, term_bytes) = match self.along(kernel.block, &panel.operand)? {
            Along::Terms => (parts.vector_bytes(), panel.bytes),
            Along::Rows => (panel.bytes, parts.vector_bytes()),
        };
        let room = b.displace(panel.start, part.room, true);
        let here = b.displace(room, b.index(row * row_bytes + copy * ROOMS * parts.bytes), true);
        let steps = b.exact(LLVMSub, steps, part.first);
        Some(b.displace(here, b.binary(LLVMMul, steps, b.index(term_bytes)), true))
    }

    /// A row's value for one vector of it, if there are row operands in parts.
    pub(super) fn part_value(&self, operand: &Operand, at: At, kernel: &Kernel<'_, 'p>) -> Option<Value<'p>> {
        let panel = Panel::find(&kernel.panels?.rows, operand)?;
        let address = self.part_address(panel, kernel, (kernel.part?, kernel.steps), at)?;
        Some(self.builder().load_at(panel.ty, address, panel.bytes as u32))
    }

    /// The same, if each vector has its own copy.
    pub(super) fn own_copy(&self, operand: &Operand, at: At, kernel: &Kernel<'_, 'p>) -> Option<Value<'p>> {
        kernel.panels?.parts.filter(|parts| parts.copies > 1)?;
        self.part_value(operand, at, kernel)
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
