//! Reductions: `cell = cell op something`, where the order of the updates does not matter for the result.
//!
//! A store is a reduction if its value is the old content of the very same cells, combined with something by an operation
//! that may be reassociated: of integers always, of floating-point numbers where the flags say so. The chain from the load
//! to the store has no other users, and nothing else in the statement touches the array. A chain `a + x + y` of equal
//! operations counts as one update. Overflow that the program rules out can occur in another order, so new code must
//! not carry the promise that it does not ([`Found::operations`]).

use super::memory::Memory;
use super::statements::Body;
use crate::pass::{Inst, Value};
use llvm_sys::LLVMOpcode;
use model::{Access, AccessId, Reduction, ReductionOp};

/// The reductions of a statement.
#[derive(Default)]
pub struct Found<'p> {
    /// For the model.
    pub reductions: Vec<Reduction>,
    /// For each the instructions that combine old and new, the last one first.
    pub operations: Vec<Vec<Inst<'p>>>,
}

/// Looks for reductions in a statement. `ids` are the numbers of its instructions' accesses.
pub fn reductions<'p>(
    body: &Body<'p>,
    memory: &Memory<'p>,
    accesses: &[Access],
    ids: &[(Inst<'p>, AccessId)],
) -> isl::Result<Found<'p>> {
    let mut found = Found::default();
    if body.join.is_some() {
        return Ok(found);
    }
    let id_of = |inst: Inst<'p>| ids.iter().find(|(other, _)| *other == inst).map(|(_, id)| *id);
    for store in body.insts().filter(|inst| inst.opcode() == LLVMOpcode::LLVMStore) {
        let is_exact = memory.of(store).iter().all(|access| access.extent.is_some());
        let Some(update) = store.operands().first().and_then(|value| update(*value)).filter(|_| is_exact)
        else {
            continue;
        };
        let (Some(read), Some(write)) = (id_of(update.load), id_of(store)) else { continue };
        if is_alone(accesses, read, write)? {
            found.reductions.push(Reduction { read, write, op: update.op });
            found.operations.push(update.operations);
        }
    }
    Ok(found)
}

/// Whether both accesses touch the same cell of an array that no other access of the statement touches. (One cell: updates
/// that overlap in part do not commute.)
fn is_alone(accesses: &[Access], read: AccessId, write: AccessId) -> isl::Result<bool> {
    let find = |id| accesses.iter().find(|access| access.id == id);
    let (Some(read), Some(write)) = (find(read), find(write)) else { return Ok(false) };
    let touches = accesses.iter().filter(|access| access.array == write.array).count();
    Ok(read.array == write.array
        && touches == 2
        && write.relation.is_single_valued()?
        && read.relation.is_equal(&write.relation)?)
}

/// The old content of a cell, combined with something.
struct Update<'p> {
    op: ReductionOp,
    load: Inst<'p>,
    operations: Vec<Inst<'p>>,
}

/// Follows a chain of one operation down to a load. Each of its values has one user.
fn update(value: Value<'_>) -> Option<Update<'_>> {
    let mut operations = vec![value.inst()?];
    let op = operation(operations[0])?;
    loop {
        let last = *operations.last()?;
        if last.users().len() != 1 || operation(last) != Some(op) || operations.len() > 8 {
            return None;
        }
        let (load, next) = step(last, op);
        match (load, next) {
            (Some(load), _) => return Some(Update { op, load, operations }),
            (None, next) => operations.push(next?),
        }
    }
}

/// The operand of an operation that is the load, or that continues the chain.
fn step(inst: Inst<'_>, op: ReductionOp) -> (Option<Inst<'_>>, Option<Inst<'_>>) {
    let is_difference = matches!(inst.opcode(), LLVMOpcode::LLVMSub | LLVMOpcode::LLVMFSub);
    let operands = inst.operands().into_iter().take(if is_difference { 1 } else { 2 });
    let insts: Vec<_> =
        operands.filter_map(|operand| operand.inst()).filter(|inst| inst.users().len() == 1).collect();
    let load = insts.iter().copied().find(|inst| inst.opcode() == LLVMOpcode::LLVMLoad);
    (load, insts.into_iter().find(|inst| operation(*inst) == Some(op)))
}

/// The associative and commutative operation that an instruction is.
fn operation(inst: Inst<'_>) -> Option<ReductionOp> {
    use LLVMOpcode::*;
    let is_free = || inst.may_reassociate();
    match inst.opcode() {
        LLVMAdd | LLVMSub => Some(ReductionOp::Add),
        LLVMMul => Some(ReductionOp::Mul),
        LLVMAnd => Some(ReductionOp::And),
        LLVMOr => Some(ReductionOp::Or),
        LLVMXor => Some(ReductionOp::Xor),
        LLVMFAdd | LLVMFSub if is_free() => Some(ReductionOp::Add),
        LLVMFMul if is_free() => Some(ReductionOp::Mul),
        LLVMCall => extremum(&inst.callee()?),
        _ => None,
    }
}

/// Minimum and maximum of signed integers. Those of unsigned integers are other operations, which the model cannot tell
/// from these; updates of one cell by both do not commute.
fn extremum(callee: &str) -> Option<ReductionOp> {
    let is = |name: &str| callee.starts_with(name);
    match () {
        () if is("llvm.smin.") => Some(ReductionOp::Min),
        () if is("llvm.smax.") => Some(ReductionOp::Max),
        () => None,
    }
}
