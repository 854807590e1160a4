//! The statements of a region: which instructions belong together, and in which order they stand.
//!
//! An instruction whose value follows from the counters and from values outside the region (an index, an
//! address, a bound) is *synthesizable*: it belongs to no statement and is computed anew wherever it is needed. Mostly that is
//! an expression of LLVM's; a shift, a mask or a `freeze` of such values, or the load of a row's address, is copied.
//! An instruction without effect whose value nothing needs belongs to no statement either (module `needed`).
//! The other instructions of a block are cut into statements as fine as independence allows: two
//! instructions are in one statement if one uses the other's value, or if their order matters (both touch
//! memory, one writes, they may touch the same array) and other statements would come between them. A cheap value that
//! several of them use (a load of something that the block does not write, with little arithmetic) ties none of them
//! together: each computes it for itself (module `cheap`).
//! The blocks inside a [hammock](super::hammock) are cut together with its head's; its branch and all that is
//! inside are in one statement.

use super::cheap::{Cheap, add_cheap};
use super::flow::Blocks;
use super::rows::Tables;
use crate::pass::{Block, Inst, Loop, Value};
use crate::scev::{Scev, ScevKind, Scevs};
use llvm_sys::LLVMOpcode;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The body of a statement: the first part is executed; then, if there is a join, the branch at the end of its block
/// leads through the other parts to the join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<'p> {
    /// What is executed of each block; the first is the block whose domain is the statement's.
    pub parts: Vec<Part<'p>>,
    /// The join of the hammock, if the statement has one.
    pub join: Option<Block<'p>>,
}

/// What a statement executes of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'p> {
    /// The block.
    pub block: Block<'p>,
    /// The instructions to be executed, in order; phis of the block come first.
    pub insts: Vec<Inst<'p>>,
    /// Values that flow from the end of the block into phis of a successor.
    pub phi_writes: Vec<(Inst<'p>, Value<'p>)>,
}

impl<'p> Part<'p> {
    fn of(block: Block<'p>) -> Self {
        Self { block, insts: Vec::new(), phi_writes: Vec::new() }
    }
}

impl<'p> Body<'p> {
    fn of(block: Block<'p>) -> Self {
        Self { parts: vec![Part::of(block)], join: None }
    }

    /// The block whose domain is the statement's.
    pub fn block(&self) -> Block<'p> {
        self.parts[0].block
    }

    /// All instructions, without the branches.
    pub fn insts(&self) -> impl Iterator<Item = Inst<'p>> {
        self.parts.iter().flat_map(|part| part.insts.iter().copied())
    }

    /// All values that flow into phis.
    pub fn phi_writes(&self) -> impl Iterator<Item = (Inst<'p>, Value<'p>)> {
        self.parts.iter().flat_map(|part| part.phi_writes.iter().copied())
    }

    /// The branches that are executed.
    pub fn branches(&self) -> impl Iterator<Item = Inst<'p>> {
        let parts = self.parts.iter().filter(|_| self.join.is_some());
        parts.filter_map(|part| part.block.terminator())
    }

    /// The phis of inner blocks, which nothing outside of the statement knows.
    pub fn inner_phis(&self) -> impl Iterator<Item = Inst<'p>> {
        let insts = self.parts.iter().skip(1).flat_map(|part| part.insts.iter().copied());
        insts.filter(|inst| inst.opcode() == LLVMOpcode::LLVMPHI)
    }

    /// Whether the instruction is in a block that is perhaps not executed.
    pub fn is_inner(&self, inst: Inst<'p>) -> bool {
        inst.block() != self.block()
    }

    /// All values that are used. A phi gets its value from its cell, not from its operands.
    pub fn uses(&self) -> impl Iterator<Item = Value<'p>> {
        let insts = self.insts().filter(|inst| inst.opcode() != LLVMOpcode::LLVMPHI);
        let operands = insts.flat_map(|inst| inst.operands());
        let conditions = self.branches().filter_map(|branch| branch.condition());
        operands.chain(conditions).chain(self.phi_writes().map(|(_, value)| value))
    }
}

/// What can be computed from counters.
pub struct Synthesis<'a, 'p> {
    /// The run's expressions.
    pub scevs: &'a Scevs<'p>,
    /// The region's blocks.
    pub scope: &'a Blocks<'p>,
    /// The innermost loop around the region.
    pub around: Option<Loop<'p>>,
    /// Loads with a copy before the region.
    pub same: &'a HashMap<Inst<'p>, Inst<'p>>,
    /// Loads of rows' addresses.
    pub tables: &'a Tables<'p>,
}

impl<'p> Synthesis<'_, 'p> {
    /// The value's expression, if it can be computed in iterations of the chain without executing instructions
    /// of the region.
    pub fn expression(&self, value: Value<'p>, chain: &[Loop<'p>]) -> Option<crate::scev::ScevRef<'p>> {
        let scev = self.scevs.of_value_at(value, chain.last().copied().or(self.around))?;
        self.is_computable(&scev, chain, 0).then_some(scev)
    }

    fn is_computable(&self, scev: &Scev<'p>, chain: &[Loop<'p>], depth: usize) -> bool {
        let here = match &scev.kind {
            ScevKind::Constant(_) => true,
            ScevKind::Unknown(value) => {
                match value.inst().filter(|inst| self.scope.contains(&inst.block())) {
                    Some(inst) => depth < 32 && self.is_copyable(inst, chain, depth + 1),
                    None => true,
                }
            }
            ScevKind::AddRec { over, operands } => {
                !self.scope.contains(&over.header()) || operands.len() == 2 && chain.contains(over)
            }
            // A division is not computed where the program might not have: the divisor could be zero.
            ScevKind::UDiv([_, divisor]) => matches!(divisor.kind, ScevKind::Constant(by) if by != 0),
            ScevKind::WideConstant | ScevKind::VScale | ScevKind::CouldNotCompute => false,
            _ => true,
        };
        here && depth < 32
            && scev.operands().iter().all(|operand| self.is_computable(operand, chain, depth + 1))
    }

    /// Whether an instruction without an expression can be copied wherever its loops run.
    fn is_copyable(&self, inst: Inst<'p>, chain: &[Loop<'p>], depth: usize) -> bool {
        use LLVMOpcode::*;
        let is_plain =
            matches!(inst.opcode(), LLVMFreeze | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor);
        let mut outwards = std::iter::successors(self.scevs.loop_of(inst.block()), |l| l.parent());
        let runs_here = outwards.all(|l| !self.scope.contains(&l.header()) || chain.contains(&l));
        let is_known = |operand| {
            let scev = self.scevs.of_value_at(operand, chain.last().copied().or(self.around));
            scev.is_some_and(|scev| self.is_computable(&scev, chain, depth))
        };
        (is_plain || self.tables.has(inst)) && runs_here && inst.operands().into_iter().all(is_known)
    }

    /// Whether an instruction touches memory that matters to the order of statements.
    pub fn is_memory(&self, inst: Inst<'p>) -> bool {
        inst.is_call() || inst.pointer().is_some() && !self.same.contains_key(&inst) && !self.tables.has(inst)
    }

    /// Whether an instruction of the region belongs to no statement.
    pub fn is_synthesizable(&self, inst: Inst<'p>, chain: &[Loop<'p>]) -> bool {
        !self.is_memory(inst) && self.expression(inst.value(), chain).is_some()
    }
}

/// The statements of a body's worth of code, a block or a hammock with all it executes, in order. `may_conflict` says
/// whether the order of two memory instructions matters.
pub fn statements<'p>(whole: &Body<'p>, may_conflict: impl Fn(Inst<'p>, Inst<'p>) -> bool) -> Vec<Body<'p>> {
    let mut insts = whole.parts[0].insts.clone();
    // The branch stands for the hammock: whatever is inside is joined with it.
    let branch = insts.len();
    if whole.join.is_some() {
        insts.extend(whole.block().terminator());
        insts.extend(whole.parts[1..].iter().flat_map(|part| part.insts.iter().copied()));
    }
    let mut groups = Groups::new(&insts);
    let writes =
        insts.iter().copied().filter(|inst| inst.is_call() || inst.opcode() == LLVMOpcode::LLVMStore);
    let cheap = Cheap { insts: &insts[..branch], writes: writes.collect(), may_conflict: &may_conflict };
    groups.cheap = cheap.all();
    for (position, inst) in insts.iter().enumerate() {
        for operand in inst.operands() {
            groups.join_definition(position, operand);
        }
        if position > branch {
            groups.join(branch, position);
        }
    }
    if whole.join.is_some() {
        whole.uses_inside().for_each(|value| groups.join_definition(branch, value));
    }
    // In a loop of one block the value for the next iteration must not overtake the phi's own reading.
    for (phi, value) in whole.phi_writes() {
        if let (Some(&reads), Some(_)) = (groups.position.get(&phi.value()), groups.position.get(&value)) {
            groups.join_definition(reads, value);
        }
    }
    groups.join_interleaved(&insts, may_conflict);
    Cutter { whole, insts: &insts, branch, groups: &groups, bodies: Vec::new(), of_group: HashMap::new() }
        .cut()
}

impl<'p> Body<'p> {
    /// The values that the hammock uses at its branches and edges.
    fn uses_inside(&self) -> impl Iterator<Item = Value<'p>> {
        let conditions = self.branches().filter_map(|branch| branch.condition());
        conditions.chain(self.phi_writes().map(|(_, value)| value))
    }
}

/// Makes bodies of groups.
struct Cutter<'a, 'p> {
    whole: &'a Body<'p>,
    insts: &'a [Inst<'p>],
    branch: usize,
    groups: &'a Groups<'p>,
    bodies: Vec<Body<'p>>,
    of_group: HashMap<usize, usize>,
}

impl<'p> Cutter<'_, 'p> {
    fn cut(mut self) -> Vec<Body<'p>> {
        for (position, &inst) in self.insts.iter().enumerate() {
            if self.groups.cheap.contains(&inst) {
                continue;
            }
            let body = self.body_of(position);
            match position.cmp(&self.branch) {
                Ordering::Less => self.bodies[body].parts[0].insts.push(inst),
                Ordering::Equal => self.add_hammock(body),
                Ordering::Greater => {}
            }
        }
        if self.whole.join.is_none() {
            self.whole.phi_writes().for_each(|write| self.add_phi_write(write));
        }
        self.bodies
            .iter_mut()
            .for_each(|body| add_cheap(body, &self.insts[..self.branch], &self.groups.cheap));
        self.bodies
    }

    fn body_of(&mut self, position: usize) -> usize {
        let (block, bodies) = (self.whole.block(), &mut self.bodies);
        *self.of_group.entry(self.groups.find(position)).or_insert_with(|| {
            bodies.push(Body::of(block));
            bodies.len() - 1
        })
    }

    /// The inner blocks and all that flows into phis.
    fn add_hammock(&mut self, body: usize) {
        let body = &mut self.bodies[body];
        body.parts[0].phi_writes = self.whole.parts[0].phi_writes.clone();
        body.parts.extend(self.whole.parts[1..].iter().cloned());
        body.join = self.whole.join;
    }

    /// With the statement that computes the value, or as one of its own.
    fn add_phi_write(&mut self, write: (Inst<'p>, Value<'p>)) {
        let home = match self.groups.position.get(&write.1) {
            Some(&position) => self.body_of(position),
            None => {
                self.bodies.push(Body::of(self.whole.block()));
                self.bodies.len() - 1
            }
        };
        self.bodies[home].parts[0].phi_writes.push(write);
    }
}

/// A partition of a block's instructions.
struct Groups<'p> {
    parent: Vec<usize>,
    /// Values that join nothing.
    cheap: HashSet<Inst<'p>>,
    position: HashMap<Value<'p>, usize>,
}

impl<'p> Groups<'p> {
    fn new(insts: &[Inst<'p>]) -> Self {
        let position = insts.iter().enumerate().map(|(position, inst)| (inst.value(), position)).collect();
        Self { parent: (0..insts.len()).collect(), position, cheap: HashSet::new() }
    }

    fn find(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    /// The smaller position leads, so that a group is found at its first instruction.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn join_definition(&mut self, user: usize, operand: Value<'p>) {
        let is_cheap = operand.inst().is_some_and(|inst| self.cheap.contains(&inst));
        if let Some(&definition) = self.position.get(&operand).filter(|_| !is_cheap) {
            self.join(definition, user);
        }
    }

    /// Statements are executed whole, in the order of their first instructions. Where that would swap two
    /// memory instructions whose order matters, their statements are joined, until nothing changes.
    fn join_interleaved(&mut self, insts: &[Inst<'p>], may_conflict: impl Fn(Inst<'p>, Inst<'p>) -> bool) {
        let touches = |inst: Inst<'p>| inst.pointer().is_some() || inst.is_call();
        let memory: Vec<_> = (0..insts.len()).filter(|&position| touches(insts[position])).collect();
        loop {
            let mut changed = false;
            for (index, &late) in memory.iter().enumerate() {
                for &early in &memory[..index] {
                    let (first, second) = (self.find(early), self.find(late));
                    // The later one's statement would run first.
                    if second < first && may_conflict(insts[early], insts[late]) {
                        self.join(first, second);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }
}
