//! The polyhedral model of a loop nest, and what every stage needs beside it.
//!
//! - [`scop`]: the model. [`text`] is its text form, [`verify`] its invariants, [`Ledger`] what it assumes.
//! - [`SourceLoc`]: where a thing stands in the user's source.
//! - [`Refusal`]: why a stage declined to go on.
//! - [`Budget`]: how much work a function may cost.
//!
//! Deliberately absent: LLVM, syntax, instructions. A statement's body is a number.

mod budget;
mod ledger;
mod refusal;
pub mod scop;
mod size;
mod source;
pub mod text;
pub mod verify;
pub mod written;

pub use budget::{Budget, BudgetSpent};
pub use ledger::{Assumption, Below, Condition, Kind, Ledger};
pub use refusal::{Class, Reason, Refusal};
pub use scop::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayKind, Body, Layout, Op, Operand, Order, Param,
    Reduction, ReductionOp, Scop, Stmt, StmtId,
};
pub use size::CodeSize;
pub use source::SourceLoc;

/// The name of the mark in a schedule tree that stands above a band of one member whose iterations do not depend on each
/// other.
pub const VECTOR: &str = "vector";

/// The name of the mark in a schedule tree that stands above a band of one member whose iterations may run in several threads
/// at once.
pub const THREADS: &str = "threads";

/// The name of the mark in a schedule tree that stands above three loops: over the terms of sums, then over the rows and the
/// columns of a block of cells. The cells can stay in registers while the first of the loops runs.
pub const REGISTERS: &str = "registers";

/// The first word of the mark in a schedule tree that stands above two loops over tiles, whose sizes are the other two words:
/// tiles of one diagonal, whose numbers have the same sum, may run in several threads at once. A tile has the number of its
/// first point divided by its size, which has no rest.
pub const WAVE: &str = "wave";

/// A mark [`WAVE`] for tiles of these sizes.
pub fn wave_name([outer, inner]: [i64; 2]) -> String {
    format!("{WAVE} {outer} {inner}")
}

/// The sizes of the tiles in a mark [`WAVE`]; `None` if it is another mark.
pub fn wave_sizes(name: &str) -> Option<[i64; 2]> {
    let mut words = name.split(' ');
    let is_wave = words.next() == Some(WAVE);
    let mut size = || words.next()?.parse().ok().filter(|size| *size > 0);
    let sizes = [size()?, size()?];
    (is_wave && words.next().is_none()).then_some(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_have_sizes() {
        assert_eq!(wave_sizes(&wave_name([32, 8])), Some([32, 8]));
        for other in ["wave", "wave 1", "wave 1 2 3", "wave 0 1", "wave 1 x", "threads", "waves 1 2"] {
            assert_eq!(wave_sizes(other), None, "{other}");
        }
    }
}
