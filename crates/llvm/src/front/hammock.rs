//! Branches that are not affine: the code up to where their ways meet again.
//!
//! A *hammock* is a branch whose condition depends on data, and all blocks between it and its *join*, the first block that
//! every way from the branch leads to. It is entered only through its *head*, the block that ends in the branch, and left
//! only for the join, and no loop starts or ends inside. So it runs as often as its head does, and can be executed as a
//! whole: it becomes a part of one statement, in which whatever the inner blocks write is written perhaps.
//!
//! ```text
//!   head: if (b[i] > 0)       one statement: reads b[i], may write a[i],
//!     inner:  a[i] = 1;       always writes the phi of x
//!   join: x = phi(...)
//! ```

use super::flow::Blocks;
use crate::pass::{Block, Loop, Pass, Region};
use std::collections::HashMap;

/// A branch that is not affine, and what it decides about.
#[derive(Clone, Debug)]
pub struct Hammock<'p> {
    /// The block that ends in the branch.
    pub head: Block<'p>,
    /// The blocks after it and before the join, in an order in which edges lead forward.
    pub inner: Vec<Block<'p>>,
    /// Where all ways meet.
    pub join: Block<'p>,
}

/// Where hammocks are looked for.
pub struct Grounds<'a, 'p> {
    /// The run.
    pub pass: Pass<'p>,
    /// The region.
    pub region: Region<'p>,
    /// Its blocks, in an order in which edges lead forward.
    pub order: &'a [Block<'p>],
    /// The loops around each of them.
    pub chains: &'a HashMap<Block<'p>, Vec<Loop<'p>>>,
}

impl<'p> Grounds<'_, 'p> {
    /// The hammock of the branch at the end of `head`; `None` if its ways do not meet in the same iteration, or if there
    /// are loops or other entries between.
    pub fn hammock(&self, head: Block<'p>) -> Option<Hammock<'p>> {
        let chain = self.chains.get(&head)?;
        let meets = |block: &Block<'p>| *block != head && self.pass.post_dominates(*block, head);
        let behind = self.order.iter().copied().skip_while(|block| *block != head);
        let mut same_loops = behind.filter(|block| self.chains.get(block) == Some(chain));
        let join = same_loops.find(meets).or_else(|| chain.is_empty().then_some(self.region.exit))?;
        let inner = self.between(head, join)?;
        let is_inside =
            |block: &Block<'p>| self.chains.get(block) == Some(chain) && self.pass.dominates(head, *block);
        if !inner.iter().all(is_inside) {
            return None;
        }
        let inner = self.order.iter().copied().filter(|block| inner.contains(block)).collect();
        Some(Hammock { head, inner, join })
    }

    /// The blocks reached from `head` without passing `join`; `None` if one of them is outside the region, or `head` again.
    fn between(&self, head: Block<'p>, join: Block<'p>) -> Option<Blocks<'p>> {
        let mut found = Blocks::new();
        let mut work = vec![head];
        while let Some(block) = work.pop() {
            for next in block.successors().into_iter().filter(|next| *next != join) {
                if next == head || !self.chains.contains_key(&next) {
                    return None;
                }
                if found.insert(next) {
                    work.push(next);
                }
            }
        }
        Some(found)
    }
}
