//! From LLVM to Orthant: which parts of a function are loop nests that can be modelled.
//!
//! [`detect`] is the first stage. It rests on three questions, each in its own file: what stands in the way in a
//! block ([`effects`]), in a loop's bounds ([`bounds`]), and in the shape of the control flow ([`flow`]).
//!
//! [`lift`] is the second. It asks when each block runs ([`domains`], `conditions`, with [`affine`] expressions, [`hammock`]s where
//! they are not, and without [`errors`]), what has to be executed and in which pieces ([`shape`], [`statements`], `needed`,
//! `cheap`), what each piece touches and computes (`memory`, `polynomials`, `narrow`, `array_shapes`, [`headers`], `rows`, `overwritten`, [`reductions`], [`bodies`], [`exits`]),
//! and writes the model (`draft`, `assumptions`, [`names`] for people).

pub mod affine;
mod array_shapes;
mod assumptions;
pub mod bodies;
pub mod bounds;
mod cheap;
mod conditions;
pub mod detect;
pub mod domains;
mod draft;
pub mod effects;
pub mod errors;
pub mod exits;
pub mod flow;
pub mod hammock;
pub mod headers;
pub mod lift;
mod memory;
pub mod names;
mod narrow;
mod needed;
mod overwritten;
mod polynomials;
pub mod reductions;
mod rows;
pub mod shape;
pub mod statements;

use crate::pass::{Anchor, Region};
use model::{Reason, Refusal};

/// A reason, and the place in the IR that a remark about it is attached to.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle<'p> {
    /// What stands in the way.
    pub reason: Reason,
    /// Where.
    pub at: Anchor<'p>,
}

impl<'p> Obstacle<'p> {
    /// An obstacle that concerns a region as a whole.
    pub fn of_region(region: Region<'p>, reason: Reason) -> Self {
        let last = region.entry.terminator().or_else(|| region.entry.insts().next());
        // Valid IR has no empty block.
        Self { reason, at: Anchor::Inst(last.expect("a block of valid IR has a terminator")) }
    }

    /// The obstacle in source terms.
    pub fn refusal(&self) -> Refusal {
        let loc = match self.at {
            Anchor::Inst(inst) => inst.loc(),
            Anchor::Loop(l) => l.loc(),
        };
        Refusal { reason: self.reason.clone(), loc }
    }
}
