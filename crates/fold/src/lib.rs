//! Fold streams of points into piecewise affine functions over unions of polyhedra.
//!
//! The streaming algorithm of Selva, Gruber, Sampaio, Guillon, Pouchet, Rastello: *Building a Polyhedral
//! Representation from an Instrumented Execution* (TACO 2019), Section 5, with its future work (Section 7).
//!
//! A *stream* is a sequence of *points* in lexicographic order; a point is an iteration vector with a label vector
//! (an address, a value, or the iteration vector of the producer). The result is a [`Folding`]: pieces, each a
//! polyhedron with an affine label function, exact or marked as over-approximated.
//!
//! | module | idea | paper |
//! |---|---|---|
//! | [`mode`] | what a stream may over-approximate, and when | 5.2.3, 5.2.4, 6, 7 |
//! | [`stream`] | the main folding function, lanes, Auto | 5.2.1, Algorithm 1 |
//! | `run`, `rows`, `cycle`, `template` | the innermost level, one comparison per point; whole rows | 5.2.1 |
//! | `level` | worklists of intermediate polyhedra | 5.2.1 |
//! | `polyhedron`, `layout` | elementary polyhedra | 5.2.1 |
//! | `absorb` | merge, extension, progression | 5.2.2, Algorithm 2 |
//! | `label`, `widen` | label functions, compatibility, widening | 5.2.3, Algorithms 3 and 4 |
//! | `giveup`, `law` | the bounding box, and labels that stay affine in it | 5.2.4 |
//! | [`piece`], [`output`], `isl_text` | the result: text, isl notation, JSON | 4.2 |
//! | [`mod@format`] | streams as JSON lines | 4.1 |

pub mod format;
pub mod mode;
pub mod output;
pub mod piece;
pub mod stream;

mod absorb;
mod cycle;
mod giveup;
mod isl_text;
mod label;
mod law;
mod layout;
mod level;
#[cfg(test)]
mod paper_tests;
mod polyhedron;
mod rows;
mod run;
mod template;
mod widen;

pub use format::fold_stream;
pub use mode::{Mode, Options};
pub use output::{Folding, NameError, Stats};
pub use piece::Piece;
pub use stream::{Folder, Rows, StreamError};
