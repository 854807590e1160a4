//! Runs a model under any schedule on small parameters: the oracle of the tests.
//!
//! # Terms
//! - A *ground* scop is a scop at concrete parameter values: a list of instances, each with the cells that each of
//!   its accesses touches ([`Ground`]).
//! - A *run* executes the instances in some order on a memory of 64-bit words, one for each cell.
//!
//! # What an instance does
//! The model does not say what a statement computes, so it computes something that gives every reordering away:
//! - it reads the cells of all its reads and mixes their values into one number `h`; the read of a reduction is left
//!   out, because by [`model::Reduction`] nothing but the update uses it;
//! - a must-write stores `hash(statement, counters, access, cell, h)` into each of its cells;
//! - a may-write does the same or nothing, decided for each cell by a bit of a hash of the same things: the same
//!   decision under every order that gives the instance the same values;
//! - an update computes `cell = cell op hash(...)`.
//!
//! Two orders *agree* if the memory ends the same and every instance had the same `h`. Scalars and phis are memory
//! here too: the model does not say which are used after the nest, so all of them count unless
//! [`Options::scalars`] is off.
//!
//! # Unbounded accesses
//! An access whose subscript is not known may touch infinitely many cells. It is cut down to the array's declared
//! shape and, where that is open, to the cells that other accesses touch (or `0..4` if there are none).
//! [`Ground::clamped`] tells.
//!
//! # Example
//! ```
//! # use interp::{agree, Agreement};
//! # let ctx = isl::Ctx::new();
//! let scop = model::Scop::parse(&ctx, "
//!     param n
//!     array A [n] 8
//!     stmt S { S[i] : 1 <= i < n }
//!       read { S[i] -> A[i - 1] }
//!       write { S[i] -> A[i] }
//!     order { for { S } }").unwrap();
//! assert!(agree(&scop, &scop.schedule()?, &[5]).unwrap().is_same());
//! let backwards: isl::UnionMap = ctx.parse("[n] -> { S[i] -> [-i] }")?;
//! let differs = interp::agree_map(&scop, &backwards, &[5], &Default::default()).unwrap();
//! assert_eq!(differs.to_string(), "A[2] differs: S[2] writes it last in both orders, with other values");
//! # Ok::<(), isl::Error>(())
//! ```

mod agree;
mod ground;
mod machine;
mod order;
pub mod random;
mod results;
mod truth;

pub use agree::{Agreement, agree, agree_map};
pub use ground::{Cell, Ground, Instance};
pub use machine::{Outcome, run};
pub use order::{Sequence, original, scheduled};
pub use results::{initial, results};
pub use truth::{Conflict, Truth};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many instances, and how many pairs of an access's instance and a cell, a run may have.
    pub limit: usize,
    /// Whether the final values of scalars and phis count.
    pub scalars: bool,
    /// Whether the values that instances read count, also if no final value depends on them.
    pub reads: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { limit: 100_000, scalars: true, reads: true }
    }
}

/// Why a scop cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is too much to run.
    #[error(
        "{what} has more than {limit} points at these parameters; use smaller parameters or a higher limit"
    )]
    TooLarge {
        /// The domain or access.
        what: String,
        /// The limit.
        limit: usize,
    },
    /// There are infinitely many instances.
    #[error("the domain of {0} is unbounded at these parameters; bound it in the model")]
    Unbounded(String),
    /// The parameters do not fit.
    #[error("{0}")]
    Parameters(String),
    /// isl failed.
    #[error("cannot run the model: {0}")]
    Isl(#[from] isl::Error),
}
