//! The values that leave a region.
//!
//! Either a phi of the exit block takes them, or some instruction after the region uses them directly.

use super::flow::Blocks;
use super::statements::Synthesis;
use crate::pass::{Block, Inst, Region, Value};
use llvm_sys::LLVMOpcode;

/// A value that leaves the region.
#[derive(Clone, Copy, Debug)]
pub struct Exit<'p> {
    /// The phi of the exit block, or the instruction whose value is used.
    pub inst: Inst<'p>,
    /// Where the new code finds it.
    pub value: ExitValue<'p>,
}

/// Where the value at the end is found.
#[derive(Clone, Copy, Debug)]
pub enum ExitValue<'p> {
    /// It comes from outside the region.
    Outside(Value<'p>),
    /// It follows from parameters: the final value of a counter.
    Expression(Value<'p>),
    /// In the scalar or in the phi's cell.
    Cell,
}

/// What leaves a region.
pub struct Exits<'p> {
    /// The phis of the exit block, in order, with the value they get from the region.
    pub phis: Vec<Exit<'p>>,
    /// Values of the region that are used after it, other than by those phis.
    pub live_out: Vec<Exit<'p>>,
}

/// What leaves the region that the synthesis is about. What blocks that do not return (`errors`) use, the new code
/// need not compute.
pub fn exits<'p>(synthesis: &Synthesis<'_, 'p>, region: Region<'p>, errors: &Blocks<'p>) -> Exits<'p> {
    let phis = region.exit.insts().take_while(|inst| inst.opcode() == LLVMOpcode::LLVMPHI);
    let phis = phis.map(|inst| Exit { inst, value: exit_phi(synthesis, inst) }).collect();
    Exits { phis, live_out: live_out(synthesis, region, errors) }
}

/// The value that a phi of the exit block gets from the region.
fn exit_phi<'p>(synthesis: &Synthesis<'_, 'p>, phi: Inst<'p>) -> ExitValue<'p> {
    let scope = synthesis.scope;
    let mut values: Vec<_> = phi.incoming().into_iter().filter(|(_, from)| scope.contains(from)).collect();
    values.dedup_by_key(|(value, _)| *value);
    match values[..] {
        [(value, _)] => exit_value(synthesis, value),
        _ => ExitValue::Cell,
    }
}

fn exit_value<'p>(synthesis: &Synthesis<'_, 'p>, value: Value<'p>) -> ExitValue<'p> {
    match value.inst().filter(|inst| synthesis.scope.contains(&inst.block())) {
        None => ExitValue::Outside(value),
        Some(inst) if synthesis.is_synthesizable(inst, &[]) => ExitValue::Expression(value),
        Some(_) => ExitValue::Cell,
    }
}

/// The region's values that are used after it, other than by phis of the exit block.
fn live_out<'p>(synthesis: &Synthesis<'_, 'p>, region: Region<'p>, errors: &Blocks<'p>) -> Vec<Exit<'p>> {
    let scope = synthesis.scope;
    let is_outside = |block: Block<'p>| !scope.contains(&block) && !errors.contains(&block);
    let is_exit_phi = |user: &Inst<'p>| user.opcode() == LLVMOpcode::LLVMPHI && user.block() == region.exit;
    let escapes =
        |inst: &Inst<'p>| inst.users().iter().any(|user| is_outside(user.block()) && !is_exit_phi(user));
    let mut blocks: Vec<_> = scope.iter().copied().collect();
    blocks.sort();
    let found = blocks.into_iter().flat_map(|block| block.insts().filter(escapes).collect::<Vec<_>>());
    found.map(|inst| Exit { inst, value: exit_value(synthesis, inst.value()) }).collect()
}
