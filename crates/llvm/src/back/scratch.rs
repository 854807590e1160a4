//! Scratch memory: the arrays that scalars of a changed model became.
//!
//! Each array starts at a multiple of [`ALIGNMENT`].
//! - On the stack: variables in the function's entry block, one for each array, so that threads can have copies of some
//!   (`super::threads`); their sizes are numbers. Where the arrays' sizes are not, each has the same room, and that this is enough
//!   is one of the assumptions.
//! - On the heap: one piece of memory for all, `malloc` where all assumptions hold, and `free` behind the new loops. Without memory
//!   the original runs. That the size is moderate is one of the assumptions, so it does not overflow here.
//!
//! ```text
//!     before:    run-time check
//!       |   \
//!       |    alloc: pointer = malloc(size)
//!       |   /
//!     entering:  pointer != null
//!       |   \
//!     region  start: new loops; free(pointer)
//! ```

use super::emit::Emitter;
use super::rewrite::{Rewrite, Scratch, ScratchPlace};
use crate::pass::Value;
use astgen::Expr;
use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMOpcode::*;
use model::ArrayId;
use std::collections::HashMap;

/// Where each array starts: a multiple of so many bytes.
pub const ALIGNMENT: i64 = 64;

/// The alignment of all that `malloc` gives.
const HEAP_ALIGNMENT: u32 = 16;

/// The scratch memory of the new loops, as far as it is written.
#[derive(Default)]
pub(super) struct Memory<'p> {
    /// On the heap: a stack slot with its address, or null.
    slot: Option<Value<'p>>,
    /// Where arrays start.
    bases: HashMap<ArrayId, Value<'p>>,
}

impl<'p> Memory<'p> {
    /// The slot, which becomes a value in the end.
    pub fn slots(&self) -> impl Iterator<Item = Value<'p>> {
        self.slot.into_iter()
    }

    /// The variable on the stack that a scratch array is.
    pub fn variable(&self, array: ArrayId) -> Option<Value<'p>> {
        if self.slot.is_some() { None } else { self.base(array) }
    }

    /// All variables on the stack.
    pub fn variables(&self) -> impl Iterator<Item = Value<'p>> {
        self.bases.values().copied().filter(|_| self.slot.is_none())
    }

    /// Where a scratch array starts.
    pub fn base(&self, array: ArrayId) -> Option<Value<'p>> {
        self.bases.get(&array).copied()
    }
}

/// Whether the rewritten model needs memory from the heap.
pub fn needs_heap(rewrite: Option<&Rewrite>) -> bool {
    let scratch = rewrite.and_then(|rewrite| rewrite.scratch.as_ref());
    scratch.is_some_and(|scratch| matches!(scratch.place, ScratchPlace::Heap(_)))
}

impl<'p> Emitter<'_, 'p> {
    fn wanted_scratch(&self) -> Option<&Scratch> {
        self.rewrite.and_then(|rewrite| rewrite.scratch.as_ref())
    }

    /// Makes the variables; the builder must be in the function's entry block.
    pub(super) fn make_scratch(&mut self) -> Option<()> {
        let Some(scratch) = self.wanted_scratch() else { return Some(()) };
        if needs_heap(self.rewrite) {
            self.scratch.slot = Some(self.builder().slot(self.builder().pointer()));
            return Some(());
        }
        let mut bases = HashMap::new();
        for (array, sizes) in &scratch.arrays {
            let bytes = match scratch.place {
                ScratchPlace::Room(bytes) => bytes,
                _ => sizes.iter().try_fold(1i64, |product, size| match size {
                    Expr::Int(size) => product.checked_mul(*size),
                    _ => None,
                })?,
            };
            let base = self.builder().array_slot(u64::try_from(bytes).ok()?, ALIGNMENT as u32);
            bases.insert(*array, base);
        }
        self.scratch.bases = bases;
        Some(())
    }

    /// At the end of a check that `holds`: where memory is asked for if it does, and whether there is some. The first part is
    /// written where the builder is, the last one in the block `entering`.
    pub(super) fn allocate(&self) -> Option<(crate::pass::Block<'p>, Value<'p>)> {
        let (b, slot) = (self.builder(), self.scratch.slot?);
        b.store(b.null(), slot);
        let block = b.block(c"orthant.alloc");
        b.at_end(block);
        let mut end = b.index(0);
        for (_, sizes) in &self.wanted_scratch()?.arrays {
            end = b.binary(LLVMAdd, end, self.bytes(sizes)?);
        }
        b.store(b.allocate(end)?, slot);
        b.jump(self.prepared.entering);
        b.before(self.prepared.entering.terminator()?);
        let memory = b.load(b.pointer(), slot);
        Some((block, b.compare(LLVMIntNE, memory, b.null())))
    }

    /// Rounded up.
    fn bytes(&self, sizes: &[Expr]) -> Option<Value<'p>> {
        let b = self.builder();
        let mut bytes = b.index(1);
        for size in sizes {
            bytes = b.binary(LLVMMul, bytes, self.expr(size)?);
        }
        let up = b.binary(LLVMAdd, bytes, b.index(ALIGNMENT - 1));
        Some(b.binary(LLVMAnd, up, b.index(-ALIGNMENT)))
    }

    /// Finds the arrays in memory from the heap; at the beginning of the new code.
    pub(super) fn place_scratch(&mut self) -> Option<()> {
        let (Some(slot), Some(scratch)) = (self.scratch.slot, self.wanted_scratch()) else { return Some(()) };
        let b = self.builder();
        let (memory, mut start, mut bases) = (b.load(b.pointer(), slot), b.index(0), HashMap::new());
        for (array, sizes) in &scratch.arrays {
            bases.insert(*array, b.displace(memory, start, true));
            start = b.binary(LLVMAdd, start, self.bytes(sizes)?);
        }
        self.scratch.bases = bases;
        Some(())
    }

    /// Gives memory from the heap back.
    pub(super) fn free_scratch(&self) {
        if let Some(slot) = self.scratch.slot {
            self.builder().free(self.builder().load(self.builder().pointer(), slot));
        }
    }

    /// The alignment of a cell of a scratch array.
    pub(super) fn scratch_alignment(&self, cell_bytes: i64) -> u32 {
        let own = 1 << cell_bytes.unsigned_abs().trailing_zeros().min(6);
        if self.scratch.slot.is_some() { HEAP_ALIGNMENT.min(own) } else { own }
    }
}
