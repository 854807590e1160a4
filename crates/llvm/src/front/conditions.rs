//! In which iterations a truth value is true.
//!
//! Comparisons of affine expressions, and what `and`, `or`, `not` and `select` make of them. A phi of truth values, which
//! LLVM makes when it decides a condition early, is true where an edge brings a true value to it. Unsigned comparisons
//! are exact: `(unsigned)(i - lo) < len` means `lo <= i < lo + len` also where `i - lo` is negative.

use super::affine::{Affine, Stop};
use super::domains::Builder;
use crate::pass::{Block, Inst, Loop, Value};
use isl::{DimType, PwAff, Set};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

impl<'p> Builder<'_, 'p> {
    /// Where an `i1` value is true.
    pub(super) fn holds(
        &self,
        condition: Value<'p>,
        chain: &[Loop<'p>],
        fails: &mut Vec<Set>,
        depth: usize,
    ) -> Result<Set, Stop> {
        let universe = self.affine.universe(chain.len())?;
        if let Some(constant) = condition.constant() {
            return if constant == 0 { Ok(universe.complement()?) } else { Ok(universe) };
        }
        let inst = condition.inst().filter(|_| depth < 16).ok_or(Stop::NotAffine)?;
        if let Some(truth) = self.truths.get(&inst) {
            let truth = truth.clone().ok_or(Stop::NotAffine)?;
            let inner = chain.len().checked_sub(truth.dim(DimType::Set)?).ok_or(Stop::NotAffine)?;
            return Ok(truth.add_dims(DimType::Set, inner)?);
        }
        let operands = inst.operands();
        if let (LLVMOpcode::LLVMICmp, &[left, right]) = (inst.opcode(), &operands[..]) {
            return self.compares(inst, [left, right], chain, fails);
        }
        let mut holds = |operand| self.holds(operand, chain, fails, depth + 1);
        match (inst.opcode(), &operands[..]) {
            (LLVMOpcode::LLVMFreeze, &[a]) => holds(a),
            (LLVMOpcode::LLVMAnd, &[a, b]) => Ok(holds(a)?.intersect(holds(b)?)?),
            (LLVMOpcode::LLVMOr, &[a, b]) => Ok(holds(a)?.union(holds(b)?)?),
            (LLVMOpcode::LLVMXor, &[a, b]) if b.constant() == Some(-1) => Ok(universe.subtract(holds(a)?)?),
            (LLVMOpcode::LLVMSelect, &[a, b, c]) => {
                let (chooses, yes, no) = (holds(a)?, holds(b)?, holds(c)?);
                Ok(yes.intersect(chooses.clone())?.union(no.subtract(chooses)?)?)
            }
            _ => Err(Stop::NotAffine),
        }
    }

    fn compares(
        &self,
        inst: Inst<'p>,
        [left, right]: [Value<'p>; 2],
        chain: &[Loop<'p>],
        fails: &mut Vec<Set>,
    ) -> Result<Set, Stop> {
        let predicate = inst.predicate().ok_or(Stop::NotAffine)?;
        let is_unsigned = is_unsigned(predicate);
        let mut side = |value| -> Result<PwAff, Stop> {
            let scev = self.affine.expression(value, chain).ok_or(Stop::NotAffine)?;
            // What does not change is assumed not to be negative; the others are compared as they are.
            let read = match is_unsigned && self.affine.is_invariant(&scev) {
                true => Affine::unsigned,
                false => Affine::signed,
            };
            let evaluated = read(self.affine, &scev, chain)?;
            fails.push(evaluated.fails);
            Ok(evaluated.value)
        };
        let (left, right) = (side(left)?, side(right)?);
        if !is_unsigned {
            return Ok(as_numbers(predicate, left, right)?);
        }
        let zero = self.affine.constant(0, chain.len())?;
        let low = |side: &PwAff| side.clone().ge_set(zero.clone());
        let (small, other) = (low(&left)?, low(&right)?);
        // Negative numbers are the greater ones, and among each other in the same order.
        let same = small
            .clone()
            .intersect(other.clone())?
            .union(small.clone().union(other.clone())?.complement()?)?;
        let apart = match predicate {
            LLVMIntPredicate::LLVMIntULT | LLVMIntPredicate::LLVMIntULE => small.subtract(other)?,
            _ => other.subtract(small)?,
        };
        Ok(as_numbers(predicate, left, right)?.intersect(same)?.union(apart)?.coalesce()?)
    }

    /// Adds the iterations in which an edge brings a true value to a phi.
    pub(super) fn bring(
        &mut self,
        block: Block<'p>,
        phi: Inst<'p>,
        iterations: &Set,
        chain: &[Loop<'p>],
    ) -> Result<(), Stop> {
        let to = self.domains.chains[&phi.block()].clone();
        if to.last().is_some_and(|l| l.header() == phi.block()) {
            // It changes from iteration to iteration.
            self.truths.insert(phi, None);
            return Ok(());
        }
        let nowhere = Some(self.affine.universe(to.len())?.complement()?);
        let known = self.truths.remove(&phi).unwrap_or(nowhere);
        let value = phi.incoming().into_iter().find(|(_, from)| *from == block).map(|(value, _)| value);
        let (mut fails, mut truth) = (Vec::new(), None);
        if let (Some(known), Some(value)) = (known, value) {
            truth = match self.holds(value, chain, &mut fails, 0) {
                Ok(holds) => {
                    let brought = iterations.clone().intersect(holds)?;
                    Some(known.union(self.change_counters(brought, chain, &to)?)?)
                }
                Err(Stop::NotAffine) => None,
                Err(stop) => return Err(stop),
            };
        }
        if truth.is_some() {
            fails.into_iter().try_for_each(|fails| self.note(fails, iterations, phi))?;
        }
        self.truths.insert(phi, truth);
        Ok(())
    }
}

/// The phis of a block that are truth values.
pub(super) fn truth_phis<'p>(block: Block<'p>) -> impl Iterator<Item = Inst<'p>> {
    let phis = block.insts().take_while(|inst| inst.opcode() == LLVMOpcode::LLVMPHI);
    phis.filter(|phi| phi.value().is_truth())
}

fn is_unsigned(predicate: LLVMIntPredicate) -> bool {
    use LLVMIntPredicate::*;
    matches!(predicate, LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE)
}

/// Where a comparison of two numbers holds.
fn as_numbers(predicate: LLVMIntPredicate, left: PwAff, right: PwAff) -> isl::Result<Set> {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => left.eq_set(right),
        LLVMIntNE => left.ne_set(right),
        LLVMIntUGT | LLVMIntSGT => left.gt_set(right),
        LLVMIntUGE | LLVMIntSGE => left.ge_set(right),
        LLVMIntULT | LLVMIntSLT => left.lt_set(right),
        LLVMIntULE | LLVMIntSLE => left.le_set(right),
    }
}
