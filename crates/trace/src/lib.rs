//! From the events of an execution to folded domains, accesses and dependences.
//!
//! The front half of Selva, Gruber, Sampaio, Guillon, Pouchet, Rastello: *Building a Polyhedral Representation from an
//! Instrumented Execution* (TACO 2019), Section 4. Events come from any front end (`qemu`, tests); nothing here knows
//! where from. [`fold`] does the rest.
//!
//! | module | idea |
//! |---|---|
//! | [`code`] | instructions as the tracer sees them; looking ahead |
//! | `cfg` | a function's control flow and its loops |
//! | `context`, `position` | calls and loops around an instruction; where a thread is |
//! | `nodes`, `shadow` | who wrote a place last, in 12 bytes |
//! | `values` | integer results without reading registers |
//! | `stream` | points in line, on their way to the folder |
//! | [`events`], [`tracer`] | events in, streams out |
//! | `steady`, `course` | iterations that are all alike |
//! | [`sampled`] | samples in, a survey out |
//! | [`profile`], `folded`, `result` | the result |

mod cfg;
pub mod code;
mod context;
mod course;
pub mod events;
mod folded;
mod nodes;
mod position;
pub mod profile;
mod result;
pub mod sampled;
mod shadow;
mod steady;
mod stream;
pub mod tracer;
mod values;

pub use fold::Mode;
pub use profile::Profile;
pub use tracer::{Options, Tracer};
