//! Plain results to terminal text, JSON and SARIF.
//!
//! The plugin appends one [`FunctionReport`] per function, as one line of JSON, to the file named by the
//! option `report`; appending whole lines keeps parallel builds from mixing them. `orthant explain` reads
//! the lines back ([`read`]), puts them in order ([`arrange`]) and renders them: [`text()`] for people,
//! [`json()`] for programs, [`sarif()`] for editors and code-scanning services.
//!
//! *Order and repetition.* Reports are ordered by file, line and column of their first nest, then by symbol. A
//! function that several modules contain with the same nests (an inline function of a header) appears once;
//! without debug locations nothing tells such copies from different functions of one name, and all stay.
//!
//! What is known of the machine has a report of its own: [`machine`]. [`tuned`] is the file of `orthant tune`.
//!
//! The crate does no input or output: files arrive as text, source lines through a closure.

mod counts;
mod json;
pub mod machine;
mod order;
mod sarif;
mod text;
pub mod tuned;

pub use counts::{Counted, formats, read_counts, with_counts};
pub use json::{Document, ReadError, json, read};
pub use order::arrange;
pub use sarif::{physical as sarif_place, sarif};
pub use text::{Counts, Style, text};

use model::{CodeSize, Kind, Refusal, SourceLoc};
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
pub const FORMAT: u32 = 2;

/// One loop nest: a maximal candidate, or a loop that was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NestReport {
    /// Where the outermost (first) loop starts, if the input has debug locations.
    pub loc: Option<SourceLoc>,
    /// The deepest nesting of loops in it.
    pub depth: u32,
    /// How many loops it has.
    pub loops: u32,
    /// How many statements of its model touch memory; 0 without a model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub statements: u32,
    /// The arrays whose shape was found, as declarations with their conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<String>,
    /// The variables that begin where cache lines do because of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aligned: Vec<String>,
    /// What had to be assumed to model it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<AssumptionReport>,
    /// What a file of `orthant tune` has for it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<tuned::Tuning>,
    /// What became of it.
    pub outcome: Outcome,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Something that was assumed of a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssumptionReport {
    /// What kind of thing.
    pub kind: Kind,
    /// What it protects.
    pub why: String,
    /// Where in the source.
    pub loc: Option<SourceLoc>,
    /// It follows from what is known and from other assumptions, so that nothing is tested.
    pub is_implied: bool,
}

/// A part of the run-time check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// What kind of assumption it tests; `None`: that there is something to do at all.
    pub kind: Option<Kind>,
    /// What must hold.
    pub text: String,
    /// What it protects, in the source.
    pub loc: Option<SourceLoc>,
    /// If it fails alone, the weaker loops run ([`NewLoops::weaker`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_strong: bool,
    /// How often it held in a run of the program that counted ([`with_counts`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
}

/// How often something held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// How often it held.
    pub times: u64,
    /// How often that was asked.
    pub of: u64,
}

impl Condition {
    /// `[no wrap, f.c:4:3]`, with as much as is known.
    pub fn origin(&self) -> String {
        let kind = self.kind.map_or("something to do", Kind::name);
        let place = self.loc.as_ref().map(|loc| format!(", {loc}"));
        format!("[{kind}{}]", place.unwrap_or_default())
    }
}

/// What became of a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// A maximal region that the next stages may model; the pipeline was stopped before them.
    Candidate,
    /// Modelled, and left as it was because no other order is clearly better.
    Kept {
        /// Why, in a sentence.
        reason: String,
    },
    /// New loops stand beside the original ones.
    Optimized(Box<NewLoops>),
    /// Left as it was; at least one reason.
    Rejected {
        /// Why, in source order, without repetitions.
        refusals: Vec<Refusal>,
    },
}

/// What the new loops of a nest do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewLoops {
    /// The new order: `T(S): (i, k, j)` for each statement, then what is parallel, tiled or vectorized.
    pub order: Vec<String>,
    /// How many times faster the cost model expects them to be; `None` if it was not asked.
    pub speedup: Option<f64>,
    /// What must hold at run time; otherwise the original loops run. Empty: nothing.
    pub conditions: Vec<Condition>,
    /// Loops for when only conditions fail that are for the faster ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weaker: Option<WeakerLoops>,
    /// If threads were asked for: the loops that run in threads and when, or why none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// How much code the nest has, in LLVM's terms.
    #[serde(default)]
    pub own_size: CodeSize,
    /// How much the new loops and their check add.
    #[serde(default)]
    pub added_size: CodeSize,
    /// The loops as they were, as C with statements for calls.
    pub before: String,
    /// The new loops.
    pub after: String,
}

/// A second version of new loops, which needs less to hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeakerLoops {
    /// Their order, as in [`NewLoops::order`].
    pub order: Vec<String>,
    /// How many times faster than the original they are expected to be.
    pub speedup: Option<f64>,
    /// The loops.
    pub after: String,
}

impl NewLoops {
    /// How often which version ran, if that was counted: the new loops, the weaker ones, the original.
    pub fn ran(&self) -> Option<[u64; 3]> {
        let first = self.conditions.first()?.held?;
        let strong = self.conditions.last()?.held?.times;
        let enough = self.conditions.iter().rfind(|condition| !condition.is_strong);
        let enough = enough.map_or(Some(first.of), |condition| Some(condition.held?.times))?;
        Some([strong, enough.checked_sub(strong)?, first.of.checked_sub(enough)?])
    }
}

impl FunctionReport {
    /// The report as one line of JSON, line feed included: what the plugin appends to the report file.
    pub fn to_json_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }
}
