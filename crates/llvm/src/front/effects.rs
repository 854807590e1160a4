//! What an instruction does that a model cannot express: side effects, exceptions, odd types.
//!
//! Plain loads and stores are fine, whatever their subscripts. A call is fine if it only reads memory,
//! returns, and does not throw, or if it is one of LLVM's memory or bookkeeping intrinsics.

use super::Obstacle;
use crate::pass::{Anchor, Block, CallEffects, Inst, demangle};
use llvm_sys::LLVMOpcode::*;
use model::Reason;

/// Everything in the block that a model cannot express.
pub fn obstacles(block: Block<'_>) -> Vec<Obstacle<'_>> {
    let obstacle = |inst| Some(Obstacle { reason: reason(inst)?, at: Anchor::Inst(inst) });
    block.insts().filter_map(obstacle).collect()
}

fn reason(inst: Inst<'_>) -> Option<Reason> {
    match inst.opcode() {
        LLVMCall => call(inst),
        LLVMInvoke => Some(Reason::PossibleException { callee: callee(inst) }),
        LLVMLandingPad | LLVMResume | LLVMCatchPad | LLVMCleanupPad | LLVMCatchSwitch | LLVMCatchRet
        | LLVMCleanupRet => Some(Reason::PossibleException { callee: None }),
        LLVMIndirectBr | LLVMCallBr => Some(Reason::IndirectBranch),
        LLVMAlloca => Some(Reason::DynamicAlloca),
        LLVMVAArg => Some(Reason::CallWithSideEffects { callee: "va_arg".into() }),
        _ if inst.is_volatile() => Some(Reason::VolatileAccess),
        _ if inst.is_atomic() => Some(Reason::AtomicAccess),
        _ => inst.unsupported_type().map(|ty| Reason::UnsupportedType { ty }),
    }
}

fn call(inst: Inst<'_>) -> Option<Reason> {
    let effects = inst.call_effects()?;
    if effects.is_harmless {
        return None;
    }
    if inst.is_volatile() {
        return Some(Reason::VolatileAccess);
    }
    if effects.is_inline_asm {
        return Some(Reason::InlineAssembly);
    }
    call_to(inst, effects).or_else(|| inst.unsupported_type().map(|ty| Reason::UnsupportedType { ty }))
}

fn call_to(inst: Inst<'_>, effects: CallEffects) -> Option<Reason> {
    if effects.is_memory_intrinsic {
        return None;
    }
    let name = || callee(inst).unwrap_or_else(|| "an unnamed function".into());
    let stays = !effects.may_write && !effects.may_not_return && !effects.is_convergent;
    match (effects.is_indirect, stays) {
        (true, false) => Some(Reason::IndirectCall),
        (_, true) if effects.may_throw => Some(Reason::PossibleException { callee: callee(inst) }),
        (_, true) => None,
        (false, false) if effects.writes_errno_only => Some(Reason::SetsErrno { callee: name() }),
        (false, false) => Some(Reason::CallWithSideEffects { callee: name() }),
    }
}

fn callee(inst: Inst<'_>) -> Option<String> {
    inst.callee().map(|symbol| demangle(&symbol))
}
