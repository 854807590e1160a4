//! A version that is a copy of the nest itself: its own loops, block by block, and nothing new but what the check found out.
//!
//! Where no other order pays, that arrays do not overlap may still be worth knowing: LLVM keeps cells in registers, and values from
//! one iteration to the next ([`assume::gain_from_check`]). The same order written anew would be other code, of which LLVM makes other
//! things; a copy with alias scopes is what it makes of `restrict`. Nests that leave to several places are written anew.

use super::emit::{Emitter, Version};
use crate::pass::{Block, Inst, Value};
use llvm_sys::LLVMOpcode::LLVMPHI;
use std::collections::HashMap;

/// The blocks of a region and their copies.
struct Copies<'p> {
    blocks: HashMap<Block<'p>, Block<'p>>,
    values: HashMap<Value<'p>, Value<'p>>,
}

impl<'p> Copies<'p> {
    /// What stands for a value in the copy.
    fn of(&self, value: Value<'p>) -> Value<'p> {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

impl<'p> Emitter<'_, 'p> {
    /// The copy; `None`: there is none.
    pub(super) fn write_copy(&mut self) -> Option<Version<'p>> {
        let exit = self.exit()?;
        let leaves_to_exit = |block: &Block<'p>| {
            block.successors().into_iter().all(|next| next == exit || self.is_inside(next))
        };
        if !self.prepared.blocks.iter().all(leaves_to_exit) {
            return None;
        }
        let b = self.builder();
        let (start, end) = (b.block(c"orthant.start"), b.block(c"orthant.end"));
        let copies = self.copy_region((self.prepared.entering, start), (exit, end));
        b.at_end(start);
        b.jump(*copies.blocks.get(&self.lifted.region.entry)?);
        for (inst, touched) in &self.lifted.memory {
            self.facts.annotate(copies.of(inst.value()), *touched);
        }
        b.at_end(end);
        let phis = exit.insts().take_while(|inst| inst.opcode() == LLVMPHI);
        let phis = phis.map(|phi| (phi, self.merged(phi, &copies))).collect();
        let live = self.escaping(exit).into_iter().map(|inst| (inst, copies.of(inst.value()))).collect();
        Some(Version { start, end, phis, live })
    }

    fn copy_region(&self, entry: (Block<'p>, Block<'p>), exit: (Block<'p>, Block<'p>)) -> Copies<'p> {
        let own = &self.prepared.blocks;
        let made = self.pass.copy_blocks(own, entry, exit);
        self.builder().adopt(&made);
        let mut values = HashMap::new();
        for (block, copy) in own.iter().zip(&made) {
            let pairs = block.insts().zip(copy.insts());
            values.extend(pairs.map(|(inst, copy)| (inst.value(), copy.value())));
        }
        Copies { blocks: own.iter().copied().zip(made).collect(), values }
    }

    /// What a phi of the exit gets from the copy.
    fn merged(&self, phi: Inst<'p>, copies: &Copies<'p>) -> Value<'p> {
        let b = self.builder();
        let merged = b.phi(b.type_of(phi.value()));
        for (value, from) in phi.incoming() {
            if let Some(from) = copies.blocks.get(&from) {
                b.add_incoming(merged, copies.of(value), *from);
            }
        }
        merged
    }
}
