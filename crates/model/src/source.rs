//! Source locations as the user's compiler knows them.

use std::fmt;

/// A place in the user's source. Columns are 1-based; 0 means the debug information does not say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct SourceLoc {
    /// The file as the compiler was given it (relative to where it ran, or absolute).
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, or 0 if unknown.
    pub column: u32,
}

impl fmt::Display for SourceLoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}:{}", self.file, self.line),
            column => write!(f, "{}:{}:{column}", self.file, self.line),
        }
    }
}
