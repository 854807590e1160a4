//! The polyhedral model of a loop nest, and what every stage needs beside it.
//!
//! - [`scop`]: the model. [`text`] is its text form, [`verify`] its invariants, [`Ledger`] what it assumes.
//! - [`SourceLoc`]: where a thing stands in the user's source.
//! - [`Refusal`]: why a stage declined to go on.
//! - [`Budget`]: how much work a function may cost.
//!
//! Deliberately absent: LLVM, syntax, instructions. A statement's body is a number.

mod budget;
mod known;
mod ledger;
mod refusal;
pub mod scop;
mod size;
mod source;
pub mod text;
pub mod verify;
pub mod written;

pub use budget::{Budget, BudgetSpent};
pub use known::Known;
pub use ledger::{Assumption, Below, Condition, Kind, Ledger};
pub use refusal::{Class, Reason, Refusal};
pub use scop::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayKind, Body, Layout, Op, Operand, Order, Param,
    Reduction, ReductionOp, Scop, Stmt, StmtId, Whole,
};
pub use size::CodeSize;
pub use source::SourceLoc;

/// The name of the mark in a schedule tree that stands above a band of one member whose iterations do not depend on each
/// other.
pub const VECTOR: &str = "vector";

/// The first word of the mark in a schedule tree that stands above a band of one member whose iterations may run in several
/// threads at once. Further words are numbers, two for each array of which every thread must have a copy: which it is, and how
/// many bytes from its start are to be copied. The thread that runs the last iteration uses the array itself.
pub const THREADS: &str = "threads";

/// An array of which each thread has a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Which.
    pub array: ArrayId,
    /// How many bytes from its start.
    pub bytes: i64,
}

/// A mark [`THREADS`] with these copies.
pub fn threads_name(copies: &[Copied]) -> String {
    let words = copies.iter().map(|copied| format!(" {} {}", copied.array.0, copied.bytes));
    THREADS.to_owned() + &words.collect::<String>()
}

/// The copies in a mark [`THREADS`]; `None` if it is another mark.
pub fn threads_copies(name: &str) -> Option<Vec<Copied>> {
    let mut words = name.split(' ');
    let mut copies = Vec::new();
    if words.next() != Some(THREADS) {
        return None;
    }
    while let Some(array) = words.next() {
        let bytes = words.next()?.parse().ok().filter(|bytes| *bytes > 0)?;
        copies.push(Copied { array: ArrayId(array.parse().ok()?), bytes });
    }
    Some(copies)
}

/// The name of the mark in a schedule tree that stands above three loops: over the terms of sums, then over the rows and the
/// columns of a block of cells. The cells can stay in registers while the first of the loops runs.
pub const REGISTERS: &str = "registers";

/// The name of the mark in a schedule tree that stands above a band of one member with few iterations, the rows of a strip, inside
/// of the loops that run along the rows: they are to be written out one behind the other, so that the processor works on one
/// while others wait.
pub const JAM: &str = "jam";

/// The name of the mark in a schedule tree that stands above a band of one member over strips whose cells are to stay in a cache until all
/// that is inside has run: strips side by side are not to be run through as one.
pub const STRIPS: &str = "strips";

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
    fn threads_have_copies() {
        let copies = [(3, 1280), (0, 8)].map(|(array, bytes)| Copied { array: ArrayId(array), bytes });
        assert_eq!(threads_copies(&threads_name(&copies)).as_deref(), Some(&copies[..]));
        assert_eq!((threads_name(&[]), threads_copies(THREADS)), (THREADS.to_owned(), Some(Vec::new())));
        for other in ["threads 1", "threads 1 0", "threads x 8", "threads 1 8 2", "thread", "wave 1 2"] {
            assert_eq!(threads_copies(other), None, "{other}");
        }
    }

    #[test]
    fn waves_have_sizes() {
        assert_eq!(wave_sizes(&wave_name([32, 8])), Some([32, 8]));
        for other in ["wave", "wave 1", "wave 1 2 3", "wave 0 1", "wave 1 x", "threads", "waves 1 2"] {
            assert_eq!(wave_sizes(other), None, "{other}");
        }
    }
}
