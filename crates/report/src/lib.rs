//! Plain results to terminal text and JSON.
//!
//! The plugin appends one [`FunctionReport`] per function, as one line of JSON, to the file named by the
//! option `report`; appending whole lines keeps parallel builds from mixing them. `orthant explain` reads
//! the lines back and renders them for people.

use model::{Refusal, SourceLoc};
use serde::{Deserialize, Serialize};

/// What was found in one function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionReport {
    /// The format's version; readers refuse a newer major number.
    pub format: u32,
    /// The compiled file, as the module names it.
    pub module: String,
    /// The symbol.
    pub symbol: String,
    /// The name for people (demangled where that is possible).
    pub function: String,
    /// Outermost first, in source order.
    pub nests: Vec<NestReport>,
}

/// The version written by this build.
pub const FORMAT: u32 = 1;

/// One loop nest: a maximal candidate, or a loop that was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NestReport {
    /// Where the outermost (first) loop starts, if the input has debug locations.
    pub loc: Option<SourceLoc>,
    /// The deepest nesting of loops in it.
    pub depth: u32,
    /// How many loops it has.
    pub loops: u32,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// A maximal region that the next stages may model.
    Candidate,
    /// Left as it was; at least one reason.
    Rejected {
        /// Why, in source order, without repetitions.
        refusals: Vec<Refusal>,
    },
}
