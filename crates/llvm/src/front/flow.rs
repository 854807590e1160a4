//! The shape of the control flow: blocks of a region, code that never returns, cycles that are no loops.

use crate::pass::{Block, Pass, Region};
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};

/// A set of blocks.
pub type Blocks<'p> = HashSet<Block<'p>>;

/// The blocks reached from the region's entry without passing its exit, those that never return among them.
pub fn region_blocks(region: Region<'_>) -> Blocks<'_> {
    blocks_without(region, &Blocks::new())
}

/// The blocks reached from the region's entry without passing its exit or one of the blocks left out.
pub fn blocks_without<'p>(region: Region<'p>, left_out: &Blocks<'p>) -> Blocks<'p> {
    let mut blocks = HashSet::from([region.entry]);
    let mut work = vec![region.entry];
    while let Some(block) = work.pop() {
        for next in block.successors() {
            if next != region.exit && !left_out.contains(&next) && blocks.insert(next) {
                work.push(next);
            }
        }
    }
    blocks
}

/// The blocks from which every path ends in `unreachable` or in an exception that leaves the function:
/// failed bounds checks, `abort`, `throw`.
pub fn error_blocks<'p>(pass: Pass<'p>) -> Blocks<'p> {
    let mut errors: Blocks<'p> = HashSet::new();
    // Backwards over the textual order settles straight-line chains in one round.
    let blocks: Vec<_> = pass.blocks().into_iter().rev().collect();
    loop {
        let before = errors.len();
        for &block in &blocks {
            let successors = block.successors();
            let ends_badly = block.terminator().is_some_and(|last| {
                matches!(last.opcode(), LLVMOpcode::LLVMUnreachable | LLVMOpcode::LLVMResume)
            });
            if ends_badly || (!successors.is_empty() && successors.iter().all(|next| errors.contains(next))) {
                errors.insert(block);
            }
        }
        if errors.len() == before {
            return errors;
        }
    }
}

/// An edge that closes a cycle without leading back to a block that dominates its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrreducibleEdge<'p> {
    /// Where it starts.
    pub from: Block<'p>,
    /// A block of the cycle that can be reached without passing `to`'s dominators alone.
    pub to: Block<'p>,
}

/// The edges of a depth-first search that lead back to a block on its path, but not to a dominator: each
/// closes a cycle that is no natural loop. There are none exactly if the control flow is reducible.
pub fn irreducible_edges<'p>(pass: Pass<'p>) -> Vec<IrreducibleEdge<'p>> {
    let Some(&entry) = pass.blocks().first() else { return Vec::new() };
    let mut on_path: HashMap<Block<'p>, bool> = HashMap::from([(entry, true)]);
    let mut path = vec![(entry, entry.successors().into_iter())];
    let mut edges = Vec::new();
    while let Some((block, rest)) = path.last_mut() {
        let from = *block;
        match rest.next() {
            None => {
                on_path.insert(from, false);
                path.pop();
            }
            Some(to) => match on_path.get(&to) {
                None => {
                    on_path.insert(to, true);
                    path.push((to, to.successors().into_iter()));
                }
                Some(true) if !pass.dominates(to, from) => edges.push(IrreducibleEdge { from, to }),
                Some(_) => {}
            },
        }
    }
    edges
}
