//! From Orthant to LLVM: new loops beside the old ones, behind one run-time check.
//!
//! ```text
//!     entering:  parameters and run-time check
//!       |   \
//!       |    new loops  (all assumptions hold)
//!     region      |
//!   (original)    |
//!       |   /
//!     merge:     one phi per value that is used afterwards
//!       |
//!     exit
//! ```
//!
//! The original region stays as it was and runs when an assumption does not hold. [`builder`] writes
//! instructions, [`facts`] annotates them for LLVM, [`values`] computes expressions of counters,
//! [`block`] keeps blocks of cells in registers, `kept` those that written-out rows share, `near` makes vectors of cells a few apart, [`panel`] and `part` their operands on the stack, [`rewrite`] says what became of statements since they were lifted, [`scratch`] has memory for scalars that became
//! arrays, `own` copies a nest as it is, [`threads`] lets loops run in threads, [`emit`] puts the pieces together. Values that pass from one statement to another go through stack slots, which are turned into SSA values at the end.

pub mod block;
pub mod builder;
pub mod check;
pub mod emit;
pub mod facts;
mod kept;
mod near;
mod own;
pub mod panel;
mod part;
pub mod rewrite;
pub mod scratch;
pub mod threads;
pub mod values;
