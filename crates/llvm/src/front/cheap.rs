//! Cheap values, which every statement that uses them computes for itself.
//!
//! A value that two statements of a block use would tie them together, or have to be passed on. Where it takes no more than
//! a few instructions, and no store of the block disturbs its loads, doing the work twice is better: the
//! statements stay independent, and LLVM merges the copies if they end up in one loop.

use super::statements::Body;
use crate::pass::Inst;
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};

/// Adds the cheap values that a statement uses, each in its place.
pub fn add_cheap<'p>(body: &mut Body<'p>, insts: &[Inst<'p>], cheap: &HashSet<Inst<'p>>) {
    let mut wanted: HashSet<Inst<'p>> = body.insts().collect();
    let mut work: Vec<_> = body.uses().collect();
    while let Some(value) = work.pop() {
        if let Some(inst) = value.inst().filter(|inst| cheap.contains(inst))
            && wanted.insert(inst)
        {
            work.extend(inst.operands());
        }
    }
    body.parts[0].insts = insts.iter().copied().filter(|inst| wanted.contains(inst)).collect();
}

/// The search for values that are computed in each statement that uses them.
pub struct Cheap<'a, 'p, F> {
    /// The instructions of a block.
    pub insts: &'a [Inst<'p>],
    /// What may write memory.
    pub writes: Vec<Inst<'p>>,
    /// Whether the order of two memory instructions matters.
    pub may_conflict: &'a F,
}

impl<'p, F: Fn(Inst<'p>, Inst<'p>) -> bool> Cheap<'_, 'p, F> {
    /// How many instructions a value may take.
    const MOST: usize = 3;

    /// All of them.
    pub fn all(&self) -> HashSet<Inst<'p>> {
        let mut sizes: HashMap<Inst<'p>, usize> = HashMap::new();
        let here: HashSet<_> = self.insts.iter().copied().collect();
        // Operands come before their users.
        for &inst in self.insts.iter().filter(|inst| self.is_plain(**inst)) {
            let mut size = 1;
            for operand in inst.operands().into_iter().filter_map(|value| value.inst()) {
                match sizes.get(&operand) {
                    Some(smaller) => size += smaller,
                    None if here.contains(&operand) => size += Self::MOST,
                    None => {}
                }
            }
            if size <= Self::MOST {
                sizes.insert(inst, size);
            }
        }
        let mut cheap: HashSet<_> = sizes.into_keys().collect();
        // Users come after their operands: a value whose users are all elsewhere in the block stays.
        for inst in self.insts.iter().rev() {
            let stays = |user: &Inst<'p>| here.contains(user) && user.opcode() != LLVMOpcode::LLVMPHI;
            if !inst.users().iter().all(stays) {
                cheap.remove(inst);
            }
        }
        self.closed(cheap)
    }

    /// A cheap value needs cheap operands.
    fn closed(&self, cheap: HashSet<Inst<'p>>) -> HashSet<Inst<'p>> {
        let here: HashSet<_> = self.insts.iter().copied().collect();
        let mut closed = HashSet::new();
        for &inst in self.insts.iter().filter(|inst| cheap.contains(inst)) {
            let operands = inst.operands().into_iter().filter_map(|value| value.inst());
            if operands.filter(|operand| here.contains(operand)).all(|operand| closed.contains(&operand)) {
                closed.insert(inst);
            }
        }
        closed
    }

    /// A load that no store of the block disturbs, or arithmetic of one cycle or a few.
    fn is_plain(&self, inst: Inst<'p>) -> bool {
        use LLVMOpcode::*;
        match inst.opcode() {
            LLVMLoad => !self.writes.iter().any(|&write| (self.may_conflict)(inst, write)),
            LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr
            | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg | LLVMSExt | LLVMZExt | LLVMTrunc | LLVMSIToFP
            | LLVMUIToFP | LLVMFPExt | LLVMFPTrunc | LLVMICmp | LLVMFCmp | LLVMSelect | LLVMGetElementPtr => {
                true
            }
            _ => false,
        }
    }
}
