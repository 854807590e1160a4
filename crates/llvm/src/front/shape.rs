//! The region's control as a tree of loops and blocks.
//!
//! `if (c) A; for (...) { B; } D` is `[Block(if), Block(A), Loop([Block(B)]), Block(D)]`: conditions are not part of the
//! tree, each block's domain says when it runs ([`super::domains`]).

use super::flow::Blocks;
use crate::pass::{Block, Loop, Pass, Region};
use std::collections::HashSet;

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
