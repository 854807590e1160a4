//! The statements of a region: which instructions belong together, and in which order they stand.
//!
//! An instruction whose value follows from the counters and from values outside the region (an index, an
//! address, a bound) is *synthesizable*: it belongs to no statement and is computed anew wherever it is needed.
//! The other instructions of a block are cut into statements as fine as independence allows: two
//! instructions are in one statement if one uses the other's value, or if their order matters (both touch
//! memory, one writes, they may touch the same array) and other statements would come between them.

use super::flow::Blocks;
use crate::pass::{Block, Inst, Loop, Pass, Region, Value};
use crate::scev::{Scev, ScevKind, Scevs};
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};

/// The body of a statement.
#[derive(Clone, Debug)]
pub struct Body<'p> {
    /// The block its instructions are in.
    pub block: Block<'p>,
    /// The instructions to be executed, in order; phis of the block come first.
    pub insts: Vec<Inst<'p>>,
    /// Values that flow from the end of the block into phis of a successor.
    pub phi_writes: Vec<(Inst<'p>, Value<'p>)>,
}

/// What can be computed from counters.
pub struct Synthesis<'a, 'p> {
    /// The run's expressions.
    pub scevs: &'a Scevs<'p>,
    /// The region's blocks.
    pub scope: &'a Blocks<'p>,
    /// The innermost loop around the region.
    pub around: Option<Loop<'p>>,
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
            ScevKind::Unknown(value) => value.inst().is_none_or(|inst| !self.scope.contains(&inst.block())),
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

    /// Whether an instruction of the region belongs to no statement.
    pub fn is_synthesizable(&self, inst: Inst<'p>, chain: &[Loop<'p>]) -> bool {
        !inst.is_call() && inst.pointer().is_none() && self.expression(inst.value(), chain).is_some()
    }
}

/// The region's control as a tree of loops and blocks, in an order in which edges lead forward.
#[derive(Clone, Debug)]
pub enum Shape<'p> {
    /// A block.
    Block(Block<'p>),
    /// A loop and what is in it.
    Loop(Loop<'p>, Vec<Shape<'p>>),
}

/// The shape of a region, which must be reducible.
pub fn shape<'p>(pass: Pass<'p>, scope: &Blocks<'p>, region: Region<'p>) -> Vec<Shape<'p>> {
    level(pass, scope, region.entry, None)
}

/// All blocks of a shape, in order.
pub fn blocks_of<'p>(shape: &[Shape<'p>]) -> Vec<Block<'p>> {
    let mut blocks = Vec::new();
    for part in shape {
        match part {
            Shape::Block(block) => blocks.push(*block),
            Shape::Loop(_, body) => blocks.extend(blocks_of(body)),
        }
    }
    blocks
}

/// What is directly in a loop (or in the region), sorted so that edges lead forward: a depth-first search over
/// blocks, with each inner loop taken as one node.
fn level<'p>(
    pass: Pass<'p>,
    scope: &Blocks<'p>,
    entry: Block<'p>,
    around: Option<Loop<'p>>,
) -> Vec<Shape<'p>> {
    let inner = |block: Block<'p>| {
        let outwards = std::iter::successors(pass.loop_of(block), |l| l.parent());
        outwards.take_while(|l| Some(*l) != around && scope.contains(&l.header())).last()
    };
    let node = |block: Block<'p>| inner(block).map_or(block, |l| l.header());
    let next = |at: Block<'p>| -> Vec<Block<'p>> {
        let successors = match inner(at) {
            Some(l) => l.exit_blocks(),
            None => at.successors(),
        };
        let stays = |block: &Block<'p>| {
            scope.contains(block) && *block != entry && around.is_none_or(|l| l.contains(*block))
        };
        successors.into_iter().filter(stays).map(node).collect()
    };
    let start = node(entry);
    let mut seen = HashSet::from([start]);
    let mut path = vec![(start, next(start).into_iter())];
    let mut finished = Vec::new();
    while let Some((at, rest)) = path.last_mut() {
        match rest.next() {
            Some(block) if seen.insert(block) => path.push((block, next(block).into_iter())),
            Some(_) => {}
            None => {
                finished.push(*at);
                path.pop();
            }
        }
    }
    let part = |block: Block<'p>| match inner(block) {
        Some(l) => Shape::Loop(l, level(pass, scope, l.header(), Some(l))),
        None => Shape::Block(block),
    };
    finished.into_iter().rev().map(part).collect()
}

/// The statements of a block, in order. `may_conflict` says whether the order of two memory instructions matters.
pub fn statements<'p>(
    block: Block<'p>,
    synthesis: &Synthesis<'_, 'p>,
    chain: &[Loop<'p>],
    phi_writes: &[(Inst<'p>, Value<'p>)],
    may_conflict: impl Fn(Inst<'p>, Inst<'p>) -> bool,
) -> Vec<Body<'p>> {
    let insts: Vec<_> = block.insts().filter(|&inst| belongs(inst, synthesis, chain)).collect();
    let mut groups = Groups::new(&insts);
    for (position, inst) in insts.iter().enumerate() {
        for operand in inst.operands() {
            groups.join_definition(position, operand);
        }
    }
    // In a loop of one block the value for the next iteration must not overtake the phi's own reading.
    for (phi, value) in phi_writes {
        if let (Some(&reads), Some(_)) = (groups.position.get(&phi.value()), groups.position.get(value)) {
            groups.join_definition(reads, *value);
        }
    }
    groups.join_interleaved(&insts, may_conflict);
    let mut bodies: Vec<Body<'p>> = Vec::new();
    let mut of_group: HashMap<usize, usize> = HashMap::new();
    for (position, &inst) in insts.iter().enumerate() {
        let group = groups.find(position);
        let index = *of_group.entry(group).or_insert_with(|| {
            bodies.push(Body { block, insts: Vec::new(), phi_writes: Vec::new() });
            bodies.len() - 1
        });
        bodies[index].insts.push(inst);
    }
    for &(phi, value) in phi_writes {
        let position = insts.iter().position(|inst| inst.value() == value);
        let home = position.and_then(|position| of_group.get(&groups.find(position)).copied());
        match home {
            Some(index) => bodies[index].phi_writes.push((phi, value)),
            None => bodies.push(Body { block, insts: Vec::new(), phi_writes: vec![(phi, value)] }),
        }
    }
    bodies
}

fn belongs<'p>(inst: Inst<'p>, synthesis: &Synthesis<'_, 'p>, chain: &[Loop<'p>]) -> bool {
    use LLVMOpcode::*;
    let is_control = matches!(inst.opcode(), LLVMBr | LLVMSwitch | LLVMRet | LLVMUnreachable);
    let is_harmless = inst.call_effects().is_some_and(|effects| effects.is_harmless);
    !is_control && !is_harmless && !synthesis.is_synthesizable(inst, chain) && !is_only_control(inst)
}

/// A comparison that only branches use: the new loops compute their own conditions.
fn is_only_control(inst: Inst<'_>) -> bool {
    inst.opcode() == LLVMOpcode::LLVMICmp
        && inst.users().iter().all(|user| user.opcode() == LLVMOpcode::LLVMBr)
}

/// A partition of a block's instructions.
struct Groups<'p> {
    parent: Vec<usize>,
    position: HashMap<Value<'p>, usize>,
}

impl<'p> Groups<'p> {
    fn new(insts: &[Inst<'p>]) -> Self {
        let position = insts.iter().enumerate().map(|(position, inst)| (inst.value(), position)).collect();
        Self { parent: (0..insts.len()).collect(), position }
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
        if let Some(&definition) = self.position.get(&operand) {
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
