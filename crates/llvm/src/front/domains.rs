//! In which iterations each block of a region runs.
//!
//! Control flows through the region without its back edges, which is acyclic. A block runs where an edge
//! leads to it. An edge's iterations are those of its block for which its condition holds:
//! - a branch that leaves a loop does so in iteration `c`, where `c` is the exit count, and stays in all before; where
//!   LLVM does not know `c`, it is the first iteration in which the branch's condition says so;
//! - any other branch or switch by its condition, if that is affine; a condition that is a phi holds where an edge brings a
//!   value that does;
//! - if it is not, the branch and what it decides about are a [`Hammock`]: the blocks in it perhaps run when its head does,
//!   and the block after it runs when the head does;
//! - an edge into a loop adds a counter `0 <= i <= c` for all exit counts `c` of the loop; an edge out of a
//!   loop drops the counter.

use super::affine::{Affine, Evaluated, Stop};
use super::flow::Blocks;
use super::hammock::{Grounds, Hammock};
use crate::pass::{Block, Inst, Loop, Pass, Region, Value};
use crate::scev::ScevKind;
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
    /// `{ [i, j] }` over the counters of the block's loops; for a block inside a hammock, that of the head.
    pub of: HashMap<Block<'p>, Set>,
    /// The hammocks by their heads.
    pub hammocks: HashMap<Block<'p>, Hammock<'p>>,
    /// The blocks inside hammocks.
    pub inside: Blocks<'p>,
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
    let domains = Domains {
        of: HashMap::new(),
        hammocks: HashMap::new(),
        inside: Blocks::new(),
        chains,
        fails: vec![],
    };
    let mut builder =
        Builder { pass, affine, region, order, domains, counts: HashMap::new(), truths: HashMap::new() };
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
    order: &'a [Block<'p>],
    domains: Domains<'p>,
    /// In which iteration each exiting block leaves its loop, over the counters around and in the loop.
    counts: HashMap<Block<'p>, PwAff>,
    /// Where a phi of truth values is true, over the counters of its block; `None`: not known.
    truths: HashMap<Inst<'p>, Option<Set>>,
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
        if self.domains.inside.contains(&block) {
            return Ok(());
        }
        let chain = self.domains.chains[&block].clone();
        let Some(here) = self.domains.of.get(&block).cloned() else { return Ok(()) };
        let successors = block.successors();
        if let [only] = successors[..] {
            return self.send(block, only, here, &chain);
        }
        let leaves = chain.last().filter(|l| successors.iter().any(|&next| !l.contains(next)));
        let edges = match leaves {
            Some(&l) => self.exit_edges(l, block, &here, &chain)?,
            None => match self.inner_edges(last, &here, &chain) {
                Err(Stop::NotAffine) => return self.cross_hammock(block, &here, &chain),
                edges => edges?,
            },
        };
        edges.into_iter().try_for_each(|(next, iterations)| self.send(block, next, iterations, &chain))
    }

    /// What happens between a branch that is not affine and its join is not known; the join is reached in any case.
    fn cross_hammock(&mut self, head: Block<'p>, here: &Set, chain: &[Loop<'p>]) -> Result<(), Stop> {
        let grounds =
            Grounds { pass: self.pass, region: self.region, order: self.order, chains: &self.domains.chains };
        let hammock = grounds.hammock(head).ok_or(Stop::NotAffine)?;
        for &inner in &hammock.inner {
            self.domains.of.insert(inner, here.clone());
            self.domains.inside.insert(inner);
        }
        let join = hammock.join;
        self.domains.hammocks.insert(head, hammock);
        self.truths.extend(truth_phis(join).map(|phi| (phi, None)));
        self.send(head, join, here.clone(), chain)
    }

    fn exit_edges(
        &mut self,
        l: Loop<'p>,
        block: Block<'p>,
        here: &Set,
        chain: &[Loop<'p>],
    ) -> Result<Vec<(Block<'p>, Set)>, Stop> {
        let condition = self.exit_condition(l, block, chain)?;
        either(block, here, condition)
    }

    /// Where the edges of a branch or switch inside a loop's body lead.
    fn inner_edges(
        &mut self,
        last: Inst<'p>,
        here: &Set,
        chain: &[Loop<'p>],
    ) -> Result<Vec<(Block<'p>, Set)>, Stop> {
        match last.opcode() {
            LLVMOpcode::LLVMBr => {
                let condition = self.branch_condition(last, here, chain)?;
                either(last.block(), here, condition)
            }
            LLVMOpcode::LLVMSwitch => self.switch_edges(last, here, chain),
            _ => Err(Stop::NotAffine),
        }
    }

    /// The first edge of a switch is taken where no case fits.
    fn switch_edges(
        &mut self,
        last: Inst<'p>,
        here: &Set,
        chain: &[Loop<'p>],
    ) -> Result<Vec<(Block<'p>, Set)>, Stop> {
        let value = *last.operands().first().ok_or(Stop::NotAffine)?;
        let scev = self.affine.expression(value, chain).ok_or(Stop::NotAffine)?;
        let Evaluated { value, fails } = self.affine.signed(&scev, chain)?;
        let mut rest = here.clone();
        let mut edges = Vec::new();
        for (case, next) in last.switch_cases().ok_or(Stop::NotAffine)? {
            let fits = value.clone().eq_set(self.affine.constant(case, chain.len())?)?;
            edges.push((next, here.clone().intersect(fits.clone())?));
            rest = rest.subtract(fits)?;
        }
        edges.push((last.block().successors()[0], rest));
        self.trust(vec![fails], here, last)?;
        Ok(edges)
    }

    /// Where the first successor of an exiting block is taken. The loop was entered, so the count is known.
    fn exit_condition(&mut self, l: Loop<'p>, block: Block<'p>, chain: &[Loop<'p>]) -> Result<Set, Stop> {
        let count = self.counts.get(&block).cloned().ok_or(Stop::NotAffine)?;
        let counter = self.affine.counter(chain.len() - 1, chain.len())?;
        let stays = counter.lt_set(count)?;
        let first = block.successors()[0];
        Ok(if l.contains(first) { stays } else { stays.complement()? })
    }

    /// In which iteration the block leaves the loop. Seen from inside the loop, although it does not depend on its counter.
    fn exit_count(&mut self, block: Block<'p>, entered: &Set, chain: &[Loop<'p>]) -> Result<PwAff, Stop> {
        let (l, last) = (chain[chain.len() - 1], block.terminator().ok_or(Stop::NotAffine)?);
        let scev = self.affine.scevs().exit_count(l, block);
        let count = match scev.kind {
            // A loop is entered by one edge; if not, the counts would have to be united.
            ScevKind::CouldNotCompute if self.counts.contains_key(&block) => return Err(Stop::NotAffine),
            ScevKind::CouldNotCompute => self.first_exit(block, last, entered, chain)?,
            _ => {
                let Evaluated { value, fails } = self.affine.unsigned(&scev, chain)?;
                self.note(fails, entered, last)?;
                value
            }
        };
        self.counts.insert(block, count.clone());
        Ok(count)
    }

    /// The first iteration in which the condition leaves the loop. That there is one, and that the machine computes the
    /// condition like that until then, is assumed.
    fn first_exit(
        &mut self,
        block: Block<'p>,
        last: Inst<'p>,
        entered: &Set,
        chain: &[Loop<'p>],
    ) -> Result<PwAff, Stop> {
        let (depth, l) = (chain.len(), chain[chain.len() - 1]);
        let is_asked_each_time = l.latch().is_some_and(|latch| self.pass.dominates(block, latch));
        let condition = last.condition().filter(|_| is_asked_each_time).ok_or(Stop::NotAffine)?;
        let [then, _] = block.successors()[..] else { return Err(Stop::NotAffine) };
        let mut fails = Vec::new();
        let holds = self.holds(condition, chain, &mut fails, 0)?;
        let leaves = if l.contains(then) { holds.complement()? } else { holds };
        let counter = self.affine.counter(depth - 1, depth)?;
        let counts = entered.clone().intersect(counter.clone().ge_set(self.affine.constant(0, depth)?)?)?;
        // From the counters around to the iterations in which it would leave.
        let exits = counts.clone().intersect(leaves)?.identity()?;
        let exits = exits.project_out(DimType::In, depth - 1, 1)?.project_out(DimType::Out, 0, depth - 1)?;
        let count = exits.lexmin_pw_multi_aff()?.get_at(0)?.add_dims(DimType::In, 1)?;
        let endless = entered.clone().subtract(count.clone().domain()?)?;
        self.note(endless.clone(), &endless, last)?;
        let runs = counts.intersect(counter.le_set(count.clone())?)?;
        fails.into_iter().try_for_each(|fails| self.note(fails, &runs, last))?;
        Ok(count)
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
        let condition = *last.operands().first().ok_or(Stop::NotAffine)?;
        let mut fails = Vec::new();
        let holds = self.holds(condition, chain, &mut fails, 0)?;
        self.trust(fails, here, last)?;
        Ok(holds)
    }

    /// Assumes that the machine does not differ in these iterations, unless it always does in one of them.
    fn trust(&mut self, fails: Vec<Set>, here: &Set, at: Inst<'p>) -> Result<(), Stop> {
        let here = here.clone().intersect_params(self.affine.context()?)?;
        let mut right = here.clone().params()?;
        for fails in &fails {
            right = right.subtract(fails.clone().intersect(here.clone())?.params()?)?;
        }
        if right.is_empty()? && !here.is_empty()? {
            return Err(Stop::NotAffine);
        }
        fails.into_iter().try_for_each(|fails| self.note(fails, &here, at))
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

    /// Iterations of `block` go on to `next`, unless that is outside the region or a back edge.
    fn send(
        &mut self,
        block: Block<'p>,
        next: Block<'p>,
        iterations: Set,
        chain: &[Loop<'p>],
    ) -> Result<(), Stop> {
        let is_back_edge = chain.iter().any(|l| l.header() == next);
        if is_back_edge || next == self.region.exit || !self.affine.scope().contains(&next) {
            return Ok(());
        }
        for phi in truth_phis(next) {
            self.bring(block, phi, &iterations, chain)?;
        }
        self.arrive(next, iterations, chain)
    }

    /// Adds the iterations in which an edge brings a true value to a phi.
    fn bring(
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

    /// Changes the counters to those of `block` and adds the iterations to its domain.
    fn arrive(&mut self, block: Block<'p>, iterations: Set, from: &[Loop<'p>]) -> Result<(), Stop> {
        let to = self.domains.chains[&block].clone();
        let domain = self.change_counters(iterations, from, &to)?;
        let all = match self.domains.of.remove(&block) {
            Some(before) => before.union(domain)?.coalesce()?,
            None => domain,
        };
        self.domains.of.insert(block, all);
        Ok(())
    }

    /// Leaves the loops that are only around the one end of an edge and enters those that are only around the other.
    fn change_counters(&mut self, iterations: Set, from: &[Loop<'p>], to: &[Loop<'p>]) -> Result<Set, Stop> {
        let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        let mut domain = iterations.project_out(DimType::Set, shared, from.len() - shared)?;
        for depth in shared..to.len() {
            domain = self.enter(domain, &to[..=depth])?;
        }
        Ok(domain)
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
            let count = self.exit_count(exiting, &entered, chain)?;
            domain = domain.intersect(counter.clone().le_set(count)?)?;
        }
        Ok(domain)
    }
}

/// The two edges of a branch: the first is taken where the condition holds.
fn either<'p>(block: Block<'p>, here: &Set, condition: Set) -> Result<Vec<(Block<'p>, Set)>, Stop> {
    let [then, otherwise] = block.successors()[..] else { return Err(Stop::NotAffine) };
    let here = here.clone();
    Ok(vec![(then, here.clone().intersect(condition.clone())?), (otherwise, here.subtract(condition)?)])
}

/// The phis of a block that are truth values.
fn truth_phis<'p>(block: Block<'p>) -> impl Iterator<Item = Inst<'p>> {
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
