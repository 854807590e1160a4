//! The ledger of assumptions: what must hold at run time for the model to describe the program.
//!
//! Each stage that is optimistic writes an entry. Before new code runs, every entry is checked; if one does
//! not hold, the original code runs. An entry that nobody can check must not be written: refuse instead.

use crate::{ArrayId, SourceLoc};
use isl::{PwAff, Set};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that was assumed.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// What kind of thing.
    pub kind: Kind,
    /// When it holds.
    pub holds: Condition,
    /// What it protects, in words: "no two arrays overlap".
    pub why: String,
    /// Where in the source.
    pub loc: Option<SourceLoc>,
}

/// The kinds of assumptions: those of paper 002, Section 4, and what real code needs besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A load gives the same value in all iterations: referentially transparent expressions, 4.1.
    InvariantLoad,
    /// Arithmetic gives what it would give without a limit: expression evaluation, 4.2.
    NoWrap,
    /// A loop ends: 4.3.
    BoundedLoop,
    /// Subscripts of an array of constant sizes stay inside their dimensions: 4.4.
    InBounds,
    /// Subscripts of an array of sizes known at run time stay inside their dimensions: 4.5.
    Shape,
    /// Two arrays share no cell: 4.6.
    NoOverlap,
    /// Code that does not return is not reached.
    NoError,
    /// Numbers are far from the ends of 64 bits, so that bounds can be computed.
    ModerateSize,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 8] = [
        Kind::InvariantLoad,
        Kind::NoWrap,
        Kind::BoundedLoop,
        Kind::InBounds,
        Kind::Shape,
        Kind::NoOverlap,
        Kind::NoError,
        Kind::ModerateSize,
    ];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Kind::InvariantLoad => "invariant load",
            Kind::NoWrap => "no wrap",
            Kind::BoundedLoop => "bounded loop",
            Kind::InBounds => "in bounds",
            Kind::Shape => "shape",
            Kind::NoOverlap => "no overlap",
            Kind::NoError => "no error",
            Kind::ModerateSize => "moderate size",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A condition that can be checked before the nest runs.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The parameters are in this set: `{ : n <= m }`. A *positive assumption*.
    Params(Set),
    /// The parameters are not in this set. A *restriction*: paper 002, Section 5.
    Never(Set),
    /// The cells that the nest touches of the one array and of the other share no byte.
    NoOverlap(ArrayId, ArrayId),
    /// The cells that the nest touches of the array lie so near its base that their distance in bytes fits 63 bits.
    /// Needed where the sizes of the array are parameters: their product may be anything.
    Near(ArrayId),
    /// The rows that the nest touches of an array whose rows are anywhere share no byte.
    Rows(ArrayId),
    /// Numbers that may be products of parameters are below a limit.
    Below(Below),
}

/// All numbers `(x * size + y) * size' + ...` are below the limit. The subscripts after the first are at least 0 and below
/// their sizes, so that the last tuple in lexicographic order gives the greatest number.
#[derive(Clone, Debug)]
pub struct Below {
    /// `{ [x, y] : ... }`.
    pub cells: Set,
    /// The sizes of all dimensions but the first, in isl's notation.
    pub sizes: Vec<String>,
    /// `{ [] -> [limit] }`.
    pub limit: PwAff,
}

/// All that was assumed.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<Assumption>,
}

impl Ledger {
    /// Writes an entry.
    pub fn assume(&mut self, assumption: Assumption) {
        self.entries.push(assumption);
    }

    /// The entries, in the order written.
    pub fn entries(&self) -> &[Assumption] {
        &self.entries
    }
}
