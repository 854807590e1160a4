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
