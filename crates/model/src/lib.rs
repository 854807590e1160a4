//! The polyhedral model of a loop nest, and what can be said about it when there is none.
//!
//! Today the crate holds the two things every stage needs before there is a model: where a thing stands
//! in the user's source ([`SourceLoc`]) and why a stage declined to go on ([`Refusal`]).

mod budget;
mod refusal;
mod source;

pub use budget::{Budget, BudgetSpent};
pub use refusal::{Class, Reason, Refusal};
pub use source::SourceLoc;
