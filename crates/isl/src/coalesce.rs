//! Fewer pieces for the same points, proved.
//!
//! isl's `coalesce` is meant to replace the pieces of a set by fewer ones that describe the same points. The isl that
//! ships with LLVM 22 sometimes adds points when pieces with divisibility constraints meet (a random test of dependences
//! found it). A set that grows silently makes everything built on it wrong, so `coalesce` here compares the
//! result with what it was given, and keeps the original unless isl proves them equal. That takes as long as to look for fewer pieces, so
//! it is not asked where there are as many as before. What isl does is still there as `coalesce_unproved`.

use crate::error::Result;
use crate::generated::{Map, PwAff, Set, UnionMap, UnionSet};

macro_rules! checked {
    ($($name:ident: $pieces:ident)*) => {$(
        impl $name {
            /// The same points in as few pieces as isl finds, or `self` if it cannot be proved that they are the same.
            pub fn coalesce(self) -> Result<$name> {
                if self.$pieces()? < 2 {
                    return Ok(self);
                }
                let fewer = self.clone().coalesce_unproved()?;
                match fewer.$pieces()? < self.$pieces()? && fewer.is_equal(&self)? {
                    true => Ok(fewer),
                    false => Ok(self),
                }
            }
        }
    )*};
}

checked!(
    Set: n_basic_set
    Map: n_basic_map
    PwAff: n_piece
);

/// Of unions each part by itself.
macro_rules! by_parts {
    ($($name:ident: $list:ident, $empty:ident, $one:ident)*) => {$(
        impl $name {
            /// The same points in as few pieces as isl finds, as far as it can be proved that they are the same.
            pub fn coalesce(self) -> Result<$name> {
                let mut all = $name::$empty(self.ctx())?;
                for part in self.$list()?.to_vec()? {
                    all = all.union($name::$one(part.coalesce()?)?)?;
                }
                Ok(all)
            }
        }
    )*};
}

by_parts!(
    UnionSet: get_set_list, empty_ctx, from_set
    UnionMap: get_map_list, empty_ctx, from_map
);
