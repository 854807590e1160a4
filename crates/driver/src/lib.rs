//! The pipeline of stages over one function, and what surrounds it: options, budget, timers, reports.
//!
//! - [`pipeline`] is the order of the stages, on one screen.
//! - `dropped` leaves parts of checks out, in builds for tests of the tests.
//! - [`machine`] says what is known of the machine, and who says so.
//! - `places` says where the cells of accesses are, as expressions.
//! - `scalars` removes scalars from a model, and says what that means for the code.
//! - [`order`] decides which order a nest is to have.
//! - `scratch` gives scalars without a free cell memory of their own, where that pays.
//! - [`session`] is a configured run: it looks at the function's wishes, runs the pipeline, and sends the
//!   result to whoever asked for it (remarks, report file, standard error).
//! - `tiers` decides whether there is a second version of new loops.
//! - `tuned` reads options for single nests.
//! - [`timing`] adds up the time of each stage.

mod copies;
mod dropped;
pub mod machine;
pub mod order;
pub mod pipeline;
mod places;
mod scalars;
mod scratch;
pub mod session;
mod tiers;
pub mod timing;
mod tuned;

/// An allocator that is quick at what the stages want, for who loads them.
pub use isl::heap::Quick as Memory;
pub use session::Session;
pub use timing::Timers;
