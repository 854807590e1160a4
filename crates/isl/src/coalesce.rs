//! Fewer pieces for the same points, proved.
//!
//! isl's `coalesce` is meant to replace the pieces of a set by fewer ones that describe the same points. The isl that
//! ships with LLVM 22 sometimes adds points when pieces with divisibility constraints meet (a random test of dependences
//! found it). A set that grows silently makes everything built on it wrong, so `coalesce` here compares the
//! result with what it was given, and keeps the original unless isl proves them equal. What isl does is still there as
//! `coalesce_unproved`.

use crate::error::Result;
use crate::generated::{Map, PwAff, Set, UnionMap, UnionSet};

macro_rules! checked {
    ($($name:ident)*) => {$(
        impl $name {
            /// The same points in as few pieces as isl finds, or `self` if it cannot be proved that they are the same.
            pub fn coalesce(self) -> Result<$name> {
                let fewer = self.clone().coalesce_unproved()?;
                match fewer.is_equal(&self)? {
                    true => Ok(fewer),
                    false => Ok(self),
                }
            }
        }
    )*};
}

checked!(Set Map UnionSet UnionMap PwAff);
