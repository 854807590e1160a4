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
//!   loop drops the counter;
//! - an edge to code that does not return is never taken, by assumption ([`super::errors`]).

use super::affine::{Affine, Evaluated, Stop};
use super::conditions::truth_phis;
use super::errors::Test;
use super::flow::Blocks;
use super::hammock::{Grounds, Hammock};
use crate::pass::{Block, Inst, Loop, Pass, Region};
use crate::scev::ScevKind;
use assume::bounded_loop::{self, Exit};
use assume::restriction;
use isl::{DimType, PwAff, Set};
use llvm_sys::LLVMOpcode;
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
    /// `{ : ... }`: parameter values for which a loop does not end, or only by going round the end of its type.
    pub endless: Vec<(Set, Inst<'p>)>,
    /// `{ : ... }`: parameter values for which an iteration goes to code that does not return.
    pub errors: Vec<(Set, Inst<'p>)>,
    /// Tests that keep control from code that does not return, and are not affine.
    pub tests: Vec<Test<'p>>,
}

/// Computes the domains of a region's blocks, given in an order in which edges lead forward. `errors` are the blocks that
/// do not return.
pub fn domains<'p>(
    pass: Pass<'p>,
    affine: &Affine<'_, 'p>,
    region: Region<'p>,
    order: &[Block<'p>],
    errors: &Blocks<'p>,
) -> Result<Domains<'p>, NoDomain<'p>> {
    let chains = order.iter().map(|&block| (block, chain(pass, affine.scope(), block))).collect();
    let domains = Domains {
        of: HashMap::new(),
        hammocks: HashMap::new(),
        inside: Blocks::new(),
        chains,
        fails: vec![],
        endless: vec![],
        errors: vec![],
        tests: vec![],
    };
    let (counts, truths) = (HashMap::new(), HashMap::new());
    let mut builder = Builder { pass, affine, region, order, errors, domains, counts, truths };
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

/// Sends iterations through the region.
pub(super) struct Builder<'a, 'p> {
    pass: Pass<'p>,
    pub(super) affine: &'a Affine<'a, 'p>,
    region: Region<'p>,
    order: &'a [Block<'p>],
    pub(super) errors: &'a Blocks<'p>,
    pub(super) domains: Domains<'p>,
    /// In which iteration each exiting block leaves its loop, over the counters around and in the loop.
    counts: HashMap<Block<'p>, PwAff>,
    /// Where a phi of truth values is true, over the counters of its block; `None`: not known.
    pub(super) truths: HashMap<Inst<'p>, Option<Set>>,
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
        if let Some(next) = self.past_errors(last, &here, &chain)? {
            return self.send(block, next, here, &chain);
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
                let Evaluated { value, fails } = self.affine.signed(&scev, chain)?;
                self.note(fails, entered, last)?;
                if let Some(negative) = self.affine.negative(&scev, &value)? {
                    self.note_endless(negative, entered, last)?;
                }
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
        let l = chain[chain.len() - 1];
        let is_asked_each_time = l.latch().is_some_and(|latch| self.pass.dominates(block, latch));
        let condition = last.condition().filter(|_| is_asked_each_time).ok_or(Stop::NotAffine)?;
        let [then, _] = block.successors()[..] else { return Err(Stop::NotAffine) };
        let mut fails = Vec::new();
        let holds = self.holds(condition, chain, &mut fails, 0)?;
        let leaves = if l.contains(then) { holds.complement()? } else { holds };
        let Exit { count, runs, never } = bounded_loop::exit(entered, leaves)?;
        self.note_endless(never.clone(), &never, last)?;
        fails.into_iter().try_for_each(|fails| self.note(fails, &runs, last))?;
        Ok(count)
    }

    /// Remembers the parameter values for which the machine may differ in one of these iterations.
    pub(super) fn note(&mut self, fails: Set, within: &Set, at: Inst<'p>) -> Result<(), Stop> {
        let fails = restriction(fails, within)?;
        if !fails.is_empty()? {
            self.domains.fails.push((fails, at));
        }
        Ok(())
    }

    /// Remembers the parameter values for which a loop does not end in one of these iterations.
    fn note_endless(&mut self, endless: Set, within: &Set, at: Inst<'p>) -> Result<(), Stop> {
        let endless = restriction(endless, within)?;
        if !endless.is_empty()? {
            self.domains.endless.push((endless, at));
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
    pub(super) fn trust(&mut self, fails: Vec<Set>, here: &Set, at: Inst<'p>) -> Result<(), Stop> {
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
    pub(super) fn change_counters(
        &mut self,
        iterations: Set,
        from: &[Loop<'p>],
        to: &[Loop<'p>],
    ) -> Result<Set, Stop> {
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
        let mut exiting = l.exiting_blocks();
        exiting.retain(|block| !self.leaves_by_error(l, *block));
        for exiting in exiting {
            if self.pass.loop_of(exiting) != Some(l) {
                return Err(Stop::NotAffine);
            }
            let count = self.exit_count(exiting, &entered, chain)?;
            domain = domain.intersect(counter.clone().le_set(count)?)?;
        }
        Ok(domain)
    }
}

impl<'p> Builder<'_, 'p> {
    /// Whether all edges from the block out of the loop lead to code that does not return.
    fn leaves_by_error(&self, l: Loop<'p>, block: Block<'p>) -> bool {
        block.successors().iter().all(|next| l.contains(*next) || self.errors.contains(next))
    }
}

/// The two edges of a branch: the first is taken where the condition holds.
fn either<'p>(block: Block<'p>, here: &Set, condition: Set) -> Result<Vec<(Block<'p>, Set)>, Stop> {
    let [then, otherwise] = block.successors()[..] else { return Err(Stop::NotAffine) };
    let here = here.clone();
    Ok(vec![(then, here.clone().intersect(condition.clone())?), (otherwise, here.subtract(condition)?)])
}
