//! Reductions: `cell = cell op something`, where the order of the updates does not matter for the result.
//!
//! A write to memory is a reduction if its value is the old content of the same cell, combined with something by an operation
//! that may be reassociated: of integers always, of floating-point numbers where the flags say so (so not what strict
//! floating point computes). The value that is read and those on its way to the write have no other users, and nothing else in
//! the instance touches the cell; other cells of the array may well be read. A chain `a + x + y` of equal operations counts as
//! one update. Updates commute only if they are of one operation and of values of one type: arrays for which that is not so
//! have no reductions of more than one type, and [`ReductionOp`] tells operations apart.
//!
//! Overflow that the program rules out can occur in another order, so new code must not carry the promise that it does not
//! for what [`mark_reductions`] returns.
//!
//! This is asked twice: of the lifted model, and of the model without scalars, where the sum that LLVM kept in a register is
//! in its cell again.
//!
//! # Example
//! ```text
//! for k: t[i][j] = max(t[i][j], t[i][k] + t[k + 1][j])     with i < k < j: an update of t[i][j]
//! for k: t[i][j] = max(t[i][j], t[i][k] + t[k][j])         for all k: none, with k = j the cell itself is added
//! ```

use crate::pass::Inst;
use isl::Map;
use llvm_sys::LLVMOpcode;
use model::{
    Access, AccessId, AccessKind, ArrayId, ArrayKind, Operand, Reduction, ReductionOp, Scop, Stmt, StmtId,
};
use std::collections::{HashMap, HashSet};

/// An update, and the instructions that combine old and new, the last one first.
struct Update<'p> {
    stmt: StmtId,
    array: ArrayId,
    reduction: Reduction,
    operations: Vec<Inst<'p>>,
}

/// Marks the reductions of a model. `inst` tells which instruction an operation of a statement stands for. The result:
/// instructions whose results can be others in another order.
pub fn mark_reductions<'p>(
    scop: &mut Scop,
    inst: impl Fn(StmtId, &str) -> Option<Inst<'p>>,
) -> isl::Result<HashSet<Inst<'p>>> {
    let mut found = Vec::new();
    for id in scop.stmt_ids() {
        let finder = Finder { scop, id, stmt: scop.stmt(id), inst: &inst };
        for write in &finder.stmt.accesses {
            found.extend(finder.update(write)?);
        }
    }
    let mut types: HashMap<ArrayId, Inst<'p>> = HashMap::new();
    for update in &found {
        types.entry(update.array).or_insert(update.operations[0]);
    }
    found.retain(|update| update.operations[0].value().has_type_of(types[&update.array].value()));
    scop.stmts.iter_mut().for_each(|stmt| stmt.reductions.clear());
    for update in &found {
        let Reduction { read, write, .. } = update.reduction;
        let stmt = &mut scop.stmts[update.stmt.index()];
        // Equal for all instances; of what is none, nobody asks.
        let Some(cells) = stmt.access(write).map(|write| write.relation.clone()) else { continue };
        stmt.accesses
            .iter_mut()
            .filter(|access| access.id == read)
            .for_each(|read| read.relation = cells.clone());
        stmt.reductions.push(update.reduction);
    }
    Ok(found.into_iter().flat_map(|update| update.operations).collect())
}

struct Finder<'a, F> {
    scop: &'a Scop,
    id: StmtId,
    stmt: &'a Stmt,
    inst: &'a F,
}

impl<'p, F: Fn(StmtId, &str) -> Option<Inst<'p>>> Finder<'_, F> {
    /// The update that a write is.
    fn update(&self, write: &Access) -> isl::Result<Option<Update<'p>>> {
        let is_memory = self.scop.array(write.array).kind == ArrayKind::Memory;
        let Some(Operand::Op(last)) = self.stmt.body.stored(write.id).filter(|_| is_memory) else {
            return Ok(None);
        };
        let Some((op, _)) = self.operation(*last) else { return Ok(None) };
        let mut operations = Vec::new();
        let Some(read) = self.chain(op, *last, write.array, &mut operations) else { return Ok(None) };
        let reduction = Reduction { read, write: write.id, op };
        let update = Update { stmt: self.id, array: write.array, reduction, operations };
        Ok(self.is_alone(read, write)?.then_some(update))
    }

    /// Follows a chain of one operation down to a read of the array. Each of its values has one user.
    fn chain(
        &self,
        op: ReductionOp,
        at: usize,
        array: ArrayId,
        operations: &mut Vec<Inst<'p>>,
    ) -> Option<AccessId> {
        let (_, inst) = self.operation(at).filter(|(own, _)| *own == op)?;
        if self.uses(&Operand::Op(at)) != 1 {
            return None;
        }
        let is_difference = matches!(inst.opcode(), LLVMOpcode::LLVMSub | LLVMOpcode::LLVMFSub);
        let operands = self.stmt.body.ops[at].operands.iter().take(if is_difference { 1 } else { 2 });
        let length = operations.len();
        operations.push(inst);
        for operand in operands {
            let found = match operand {
                Operand::Read(id) => {
                    let is_cell = self.stmt.access(*id).is_some_and(|read| read.array == array);
                    (is_cell && self.uses(operand) == 1).then_some(*id)
                }
                Operand::Op(next) => self.chain(op, *next, array, operations),
                Operand::Outside(_) => None,
            };
            if found.is_some() {
                return found;
            }
        }
        operations.truncate(length);
        None
    }

    fn uses(&self, value: &Operand) -> usize {
        self.stmt.body.operands().filter(|operand| *operand == value).count()
    }

    fn operation(&self, at: usize) -> Option<(ReductionOp, Inst<'p>)> {
        let inst = (self.inst)(self.id, &self.stmt.body.ops[at].name)?;
        Some((operation(inst)?, inst))
    }

    /// Whether both accesses touch the same cell in each instance, and no other access touches it. (One cell: updates
    /// that overlap in part do not commute.)
    fn is_alone(&self, read: AccessId, write: &Access) -> isl::Result<bool> {
        let cells = |access: &Access| -> isl::Result<Map> { self.scop.cells(self.stmt, access) };
        let Some(read) = self.stmt.access(read) else { return Ok(false) };
        let cell = cells(write)?;
        if write.kind != AccessKind::MustWrite
            || !cell.is_single_valued()?
            || !cells(read)?.is_equal(&cell)?
        {
            return Ok(false);
        }
        let is_other =
            |access: &&Access| access.array == write.array && ![read.id, write.id].contains(&access.id);
        for other in self.stmt.accesses.iter().filter(is_other) {
            if !cells(other)?.is_disjoint(&cell)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
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

/// Minimum and maximum of integers. Those of floating-point numbers are none: the order tells which zero or NaN comes out.
fn extremum(callee: &str) -> Option<ReductionOp> {
    let is = |name: &str| callee.starts_with(name);
    match () {
        () if is("llvm.smin.") => Some(ReductionOp::Min),
        () if is("llvm.smax.") => Some(ReductionOp::Max),
        () if is("llvm.umin.") => Some(ReductionOp::UnsignedMin),
        () if is("llvm.umax.") => Some(ReductionOp::UnsignedMax),
        () => None,
    }
}
