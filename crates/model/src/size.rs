//! How much code a nest has.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount of LLVM's intermediate code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeSize {
    /// Basic blocks.
    pub blocks: usize,
    /// Instructions in them.
    pub instructions: usize,
}

impl fmt::Display for CodeSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} blocks, {} instructions", self.blocks, self.instructions)
    }
}
