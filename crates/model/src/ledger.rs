//! The ledger of assumptions: what must hold at run time for the model to describe the program.
//!
//! Each stage that is optimistic writes an entry. Before new code runs, every entry is checked; if one does
//! not hold, the original code runs. An entry that nobody can check must not be written: refuse instead.

use crate::{ArrayId, SourceLoc};
use isl::{PwAff, Set};

/// One thing that was assumed.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// When it holds.
    pub holds: Condition,
    /// What it protects, in words: "no two arrays overlap".
    pub why: String,
    /// Where in the source.
    pub loc: Option<SourceLoc>,
}

/// A condition that can be checked before the nest runs.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The parameters are in this set: `{ : n <= m }`.
    Params(Set),
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
