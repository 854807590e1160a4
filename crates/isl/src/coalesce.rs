//! Fewer pieces for the same points, proved.
//!
//! isl's `coalesce` is meant to replace the pieces of a set by fewer ones that describe the same points. The isl that
//! ships with LLVM 22 sometimes adds points when pieces with divisibility constraints meet (a random test of dependences
//! found it). A set that grows silently makes everything built on it wrong, so `coalesce` here compares the
//! result with what it was given, and keeps the original unless isl proves them equal. What isl does is still there as
//! `coalesce_unproved`.
//!
//! Fewer pieces are good to have and never needed, so each search for them has a budget of its own (`MOST`). Without,
//! pieces with many divisions took all the time of a function (the passes of a Fourier transform in GSL: seconds for
//! one set).

use crate::ctx::Ctx;
use crate::error::Result;
use crate::generated::{Map, PwAff, Set, UnionMap, UnionSet};

/// Operations for one search. Usual ones take some hundreds.
const MOST: u64 = 100_000;

/// `None` too if its own budget is spent. If that of the caller is, the caller's next operation says so.
fn within_budget<T>(ctx: &Ctx, search: impl FnOnce() -> Result<Option<T>>) -> Result<Option<T>> {
    match ctx.with_budget(MOST, search) {
        Err(error) if error.is_budget() => Ok(None),
        result => result,
    }
}

macro_rules! checked {
    ($($name:ident: $is_one:expr)*) => {$(
        impl $name {
            /// The same points in as few pieces as isl finds, or `self` if it cannot be proved that they are the same.
            pub fn coalesce(self) -> Result<$name> {
                let is_one: fn(&$name) -> Result<bool> = $is_one;
                if is_one(&self)? {
                    return Ok(self);
                }
                let fewer = within_budget(self.ctx(), || {
                    let fewer = self.clone().coalesce_unproved()?;
                    Ok(fewer.is_equal(&self)?.then_some(fewer))
                })?;
                Ok(fewer.unwrap_or(self))
            }
        }
    )*};
}

checked!(
    Set: |set| Ok(set.n_basic_set()? < 2)
    Map: |map| Ok(map.n_basic_map()? < 2)
    PwAff: |function| Ok(function.n_piece()? < 2)
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
