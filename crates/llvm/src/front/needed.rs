//! Which instructions of a region have to be executed at all.
//!
//! Needed are the instructions that write memory, the conditions of branches that are copied, and the values that leave
//! the region; and what any of these needs. What is synthesizable where it is used is not needed there, so that an
//! instruction can be needed in an outer loop only: the value a counter had at the end of an inner loop whose number of
//! iterations is not known, say.

use super::statements::Synthesis;
use crate::pass::{Block, Inst, Loop, Value};
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};

/// The search for needed instructions.
pub struct Needed<'a, 'p> {
    synthesis: &'a Synthesis<'a, 'p>,
    chains: &'a HashMap<Block<'p>, Vec<Loop<'p>>>,
    found: HashSet<Inst<'p>>,
    work: Vec<Inst<'p>>,
}

impl<'a, 'p> Needed<'a, 'p> {
    /// Nothing is needed yet.
    pub fn new(synthesis: &'a Synthesis<'a, 'p>, chains: &'a HashMap<Block<'p>, Vec<Loop<'p>>>) -> Self {
        Self { synthesis, chains, found: HashSet::new(), work: Vec::new() }
    }

    /// The instruction is executed.
    pub fn execute(&mut self, inst: Inst<'p>) {
        if self.found.insert(inst) {
            self.work.push(inst);
        }
    }

    /// The value is used at the end of a block.
    pub fn use_at(&mut self, value: Value<'p>, block: Block<'p>) {
        let Some(inst) = value.inst().filter(|inst| self.synthesis.scope.contains(&inst.block())) else {
            return;
        };
        let is_computed =
            self.chains.get(&block).is_some_and(|chain| self.synthesis.is_synthesizable(inst, chain));
        if !is_computed {
            self.execute(inst);
        }
    }

    /// All that is needed.
    pub fn all(mut self) -> HashSet<Inst<'p>> {
        while let Some(inst) = self.work.pop() {
            if inst.opcode() == LLVMOpcode::LLVMPHI {
                for (value, from) in inst.incoming() {
                    if self.synthesis.scope.contains(&from) {
                        self.use_at(value, from);
                    }
                }
            } else {
                inst.operands().into_iter().for_each(|operand| self.use_at(operand, inst.block()));
            }
        }
        self.found
    }
}
