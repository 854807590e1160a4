//! The imperative language of *Semantic Array Dataflow Analysis* (paper 004), and its dataflow.
//!
//! A program is text ([`parser`], [`format`](mod@format)), then a tree with names looked up and iteration vectors laid out
//! ([`resolve`]), then either a run ([`interp`], [`trace`]: the definition of dependences) or an analysis:
//!
//! | step | modules |
//! |---|---|
//! | which operations happen, in which state | [`reach`], with [`affine`], [`closure`], [`invariant`], [`relax`] |
//! | who wrote what is read | [`flow`] |
//! | all of it, and its words | [`mod@dataflow`], [`report`], [`graph`], [`svg`] |
//! | compared with a run | [`mod@check`], with [`member`] |
//! | another program, or a model | [`structure`], [`mod@lower`] |
//!
//! The language's grammar and the command are in `docs/imp.md`.

pub mod affine;
pub mod allowance;
pub mod ast;
pub mod check;
pub mod closure;
pub mod dataflow;
pub mod diag;
pub mod flow;
pub mod format;
pub mod graph;
pub mod interp;
pub mod invariant;
pub mod lexer;
pub mod lower;
pub mod member;
pub mod parser;
pub mod reach;
pub mod relax;
pub mod report;
pub mod resolve;
pub mod structure;
pub mod svg;
pub mod trace;

pub use check::{Verdict, check};
pub use dataflow::{Dataflow, Error, Options, dataflow};
pub use diag::{Diagnostic, Span};
pub use format::format;
pub use interp::{Ending, Inputs, Run, run};
pub use lower::lower;
pub use resolve::Program;
pub use trace::Trace;
