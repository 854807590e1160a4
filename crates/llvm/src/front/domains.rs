//! In which iterations each block of a region runs.
//!
//! Control flows through the region without its back edges, which is acyclic. A block runs where an edge
//! leads to it. An edge's iterations are those of its block for which its condition holds:
//! - a branch that leaves a loop does so in iteration `c`, where `c` is the exit count, and stays in all before;
//! - any other branch by its condition, which must be affine;
//! - an edge into a loop adds a counter `0 <= i <= c` for all exit counts `c` of the loop; an edge out of a
//!   loop drops the counter.

use super::affine::{Affine, Evaluated, Stop};
use super::flow::Blocks;
use crate::pass::{Block, Inst, Loop, Pass, Region, Value};
use isl::{DimType, PwAff, Set};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::collections::HashMap;

/// Why there are no domains, and where.
pub struct NoDomain<'p> {
    /// What went wrong.
    pub stop: Stop,
    /// The branch.
    pub at: Inst<'p>,
}

/// The iterations of each block, and what was assumed to know them.
pub struct Domains<'p> {
    /// `{ [i, j] }` over the counters of the block's loops.
    pub of: HashMap<Block<'p>, Set>,
    /// The loops around each block that are in the region, outermost first.
    pub chains: HashMap<Block<'p>, Vec<Loop<'p>>>,
    /// `{ : ... }`: parameter values for which a bound or a condition may be computed differently by the machine, in an
    /// iteration that the domains have.
    pub fails: Vec<(Set, Inst<'p>)>,
}

/// Computes the domains of a region's blocks, given in an order in which edges lead forward.
pub fn domains<'p>(
    pass: Pass<'p>,
    affine: &Affine<'_, 'p>,
    region: Region<'p>,
    order: &[Block<'p>],
) -> Result<Domains<'p>, NoDomain<'p>> {
    let chains = order.iter().map(|&block| (block, chain(pass, affine.scope(), block))).collect();
    let mut builder =
        Builder { pass, affine, region, domains: Domains { of: HashMap::new(), chains, fails: vec![] } };
    for &block in order {
        builder.flow_out(block)?;
    }
    Ok(builder.domains)
}

/// The loops around a block whose header is in scope, outermost first.
pub fn chain<'p>(pass: Pass<'p>, scope: &Blocks<'p>, block: Block<'p>) -> Vec<Loop<'p>> {
    let inner_first = std::iter::successors(pass.loop_of(block), |l| l.parent());
    let mut chain: Vec<_> = inner_first.take_while(|l| scope.contains(&l.header())).collect();
    chain.reverse();
    chain
}

struct Builder<'a, 'p> {
    pass: Pass<'p>,
    affine: &'a Affine<'a, 'p>,
    region: Region<'p>,
    domains: Domains<'p>,
}

impl<'p> Builder<'_, 'p> {
    /// Sends a block's iterations along its edges.
    fn flow_out(&mut self, block: Block<'p>) -> Result<(), NoDomain<'p>> {
        let Some(last) = block.terminator() else { return Ok(()) };
        let result = self.try_flow_out(block, last);
        result.map_err(|stop| NoDomain { stop, at: last })
    }

    fn try_flow_out(&mut self, block: Block<'p>, last: Inst<'p>) -> Result<(), Stop> {
        if block == self.region.entry {
            let whole = self.affine.universe(0)?;
            self.arrive(block, whole, &[])?;
        }
        let chain = self.domains.chains[&block].clone();
        let Some(here) = self.domains.of.get(&block).cloned() else { return Ok(()) };
        let successors = block.successors();
        if let [only] = successors[..] {
            return self.send(only, here, &chain);
        }
        let condition = match chain.last() {
            Some(&l) if successors.iter().any(|&next| !l.contains(next)) => {
                self.exit_condition(l, block, &chain)?
            }
            _ => self.branch_condition(last, &here, &chain)?,
        };
        let [then, otherwise] = successors[..] else { return Err(Stop::NotAffine) };
        self.send(then, here.clone().intersect(condition.clone())?, &chain)?;
        self.send(otherwise, here.subtract(condition)?, &chain)
    }

    /// Where the first successor of an exiting block is taken.
    fn exit_condition(&mut self, l: Loop<'p>, block: Block<'p>, chain: &[Loop<'p>]) -> Result<Set, Stop> {
        // Its failures were noted where the loop was entered.
        let count = self.exit_count(l, block, chain)?;
        let counter = self.affine.counter(chain.len() - 1, chain.len())?;
        let stays = counter.lt_set(count.value)?;
        let first = block.successors()[0];
        Ok(if l.contains(first) { stays } else { stays.complement()? })
    }

    /// Seen from inside the loop, although it does not depend on its counter.
    fn exit_count(&self, l: Loop<'p>, block: Block<'p>, chain: &[Loop<'p>]) -> Result<Evaluated, Stop> {
        self.affine.unsigned(&self.affine.scevs().exit_count(l, block), chain)
    }

    /// Remembers the parameter values for which the machine may differ in one of these iterations.
    fn note(&mut self, fails: Set, within: &Set, at: Inst<'p>) -> Result<(), Stop> {
        let fails = fails.intersect(within.clone())?.params()?;
        if !fails.is_empty()? {
            self.domains.fails.push((fails, at));
        }
        Ok(())
    }

    fn branch_condition(&mut self, last: Inst<'p>, here: &Set, chain: &[Loop<'p>]) -> Result<Set, Stop> {
        if last.opcode() != LLVMOpcode::LLVMBr {
            return Err(Stop::NotAffine);
        }
        let condition = *last.operands().first().ok_or(Stop::NotAffine)?;
        let mut fails = Vec::new();
        let holds = self.holds(condition, chain, &mut fails, 0)?;
        fails.into_iter().try_for_each(|fails| self.note(fails, here, last))?;
        Ok(holds)
    }

    /// Where an `i1` value is true.
    fn holds(
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
        let operands = inst.operands();
        if let (LLVMOpcode::LLVMICmp, &[left, right]) = (inst.opcode(), &operands[..]) {
            return self.compares(inst, [left, right], chain, fails);
        }
        let mut holds = |operand| self.holds(operand, chain, fails, depth + 1);
        match (inst.opcode(), &operands[..]) {
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
        use LLVMIntPredicate::*;
        let predicate = inst.predicate().ok_or(Stop::NotAffine)?;
        let is_unsigned = matches!(predicate, LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE);
        let mut side = |value| -> Result<PwAff, Stop> {
            let scev = self.affine.expression(value, chain).ok_or(Stop::NotAffine)?;
            let read = if is_unsigned { Affine::unsigned } else { Affine::signed };
            let evaluated = read(self.affine, &scev, chain)?;
            fails.push(evaluated.fails);
            Ok(evaluated.value)
        };
        let (left, right) = (side(left)?, side(right)?);
        Ok(match predicate {
            LLVMIntEQ => left.eq_set(right)?,
            LLVMIntNE => left.ne_set(right)?,
            LLVMIntUGT | LLVMIntSGT => left.gt_set(right)?,
            LLVMIntUGE | LLVMIntSGE => left.ge_set(right)?,
            LLVMIntULT | LLVMIntSLT => left.lt_set(right)?,
            LLVMIntULE | LLVMIntSLE => left.le_set(right)?,
        })
    }

    /// Iterations of the chain go on to `next`, unless that is outside the region or a back edge.
    fn send(&mut self, next: Block<'p>, iterations: Set, chain: &[Loop<'p>]) -> Result<(), Stop> {
        let is_back_edge = chain.iter().any(|l| l.header() == next);
        if is_back_edge || next == self.region.exit || !self.affine.scope().contains(&next) {
            return Ok(());
        }
        self.arrive(next, iterations, chain)
    }

    /// Changes the counters to those of `block` and adds the iterations to its domain.
    fn arrive(&mut self, block: Block<'p>, iterations: Set, from: &[Loop<'p>]) -> Result<(), Stop> {
        let to = self.domains.chains[&block].clone();
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let mut domain = iterations.project_out(DimType::Set, shared, from.len() - shared)?;
        for depth in shared..to.len() {
            domain = self.enter(domain, &to[..=depth])?;
        }
        let all = match self.domains.of.remove(&block) {
            Some(before) => before.union(domain)?.coalesce()?,
            None => domain,
        };
        self.domains.of.insert(block, all);
        Ok(())
    }

    fn enter(&mut self, outer: Set, chain: &[Loop<'p>]) -> Result<Set, Stop> {
        let l = chain[chain.len() - 1];
        let counter = self.affine.counter(chain.len() - 1, chain.len())?;
        let entered = outer.add_dims(DimType::Set, 1)?;
        let mut domain =
            entered.clone().intersect(counter.clone().ge_set(self.affine.constant(0, chain.len())?)?)?;
        for exiting in l.exiting_blocks() {
            if self.pass.loop_of(exiting) != Some(l) {
                return Err(Stop::NotAffine);
            }
            let Evaluated { value, fails } = self.exit_count(l, exiting, chain)?;
            if let Some(last) = exiting.terminator() {
                self.note(fails, &entered, last)?;
            }
            domain = domain.intersect(counter.clone().le_set(value)?)?;
        }
        Ok(domain)
    }
}
