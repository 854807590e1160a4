//! Safe views of LLVM 22 for a function pass, and the detection of loop nests on them.
//!
//! Layers, from the outside in:
//! - `shim/` (C++): one question to LLVM per function; `ffi` mirrors it.
//! - [`pass`]: [`Pass`], one run over one function, and the views that live no longer than it: [`Loop`],
//!   [`Block`], [`Inst`], [`Value`], [`Region`]. They are plain copies of LLVM's pointers; the lifetime
//!   `'p` ties them to the run, so none can be kept for the next function.
//! - [`scev`]: scalar evolution as an owned expression graph.
//! - [`front`]: from LLVM to Orthant. Today: detection.
//! - [`back`]: from Orthant to LLVM. New loops beside the old ones, behind a run-time check.
//! - [`host`]: what a plugin implements, and the entry points that the host compiler calls.
//!
//! Invariant: nothing outside this crate calls LLVM, and nothing in this crate prints.

// The wall to LLVM: raw pointers are dereferenced here and nowhere above.
#![allow(unsafe_code)]

pub mod back;
mod ffi;
pub mod front;
pub mod host;
pub mod pass;
pub mod scev;
mod text;

pub use pass::{Anchor, Block, Inst, Loop, Pass, Region, RemarkKind, Target, Value};
pub use scev::{Scev, ScevKind, Scevs};
