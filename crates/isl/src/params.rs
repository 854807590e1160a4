//! Objects for some values of the parameters only.
//!
//! A program whose sizes are all constants has no parameters, and what is known of them is the set of all zero of them. isl
//! intersects with that as with any other set, piece by piece, and looks for what has become simpler. Here nothing is done then.

use crate::error::Result;
use crate::generated::{DimType, Map, Set, UnionMap, UnionSet};

macro_rules! quick {
    ($($name:ident)*) => {$(
        impl $name {
            /// The same for parameter values in `params` only.
            pub fn intersect_params(self, params: Set) -> Result<$name> {
                // Parameters that only the set has would become parameters of the result.
                let has_none = params.is_params()? && params.dim(DimType::Param)? == 0;
                if has_none && params.plain_is_universe()? && self.ctx() == params.ctx() {
                    return Ok(self);
                }
                self.intersect_some_params(params)
            }
        }
    )*};
}

quick!(Set Map UnionSet UnionMap);

#[cfg(test)]
mod tests {
    use crate::{Ctx, Map, Set, UnionMap, UnionSet};

    #[test]
    fn all_values_of_no_parameters_change_nothing() -> crate::Result<()> {
        let ctx = Ctx::new();
        let all: Set = ctx.parse("{ : }")?;
        let set: Set = ctx.parse("[n] -> { A[i] : 0 <= i < n }")?;
        assert_eq!(set.clone().intersect_params(all.clone())?, set);
        let map: Map = ctx.parse("{ A[i] -> B[i] : i > 3 }")?;
        assert_eq!(map.clone().intersect_params(all.clone())?, map);
        let sets: UnionSet = ctx.parse("{ A[i]; B[] }")?;
        assert_eq!(sets.clone().intersect_params(all.clone())?, sets);
        let maps: UnionMap = ctx.parse("{ A[i] -> B[i]; B[] -> A[0] }")?;
        assert_eq!(maps.clone().intersect_params(all)?, maps);
        Ok(())
    }

    #[test]
    fn other_sets_are_intersected_with() -> crate::Result<()> {
        let ctx = Ctx::new();
        let set: Set = ctx.parse("{ A[i] : 0 <= i < 5 }")?;
        assert!(set.clone().intersect_params(ctx.parse("{ : false }")?)?.is_empty()?);
        let some = set.clone().intersect_params(ctx.parse("[n] -> { : n > 2 }")?)?;
        assert_eq!(some, ctx.parse("[n] -> { A[i] : 0 <= i < 5 and n > 2 }")?);
        let elsewhere = Ctx::new().parse("{ : }")?;
        assert!(set.intersect_params(elsewhere).is_err(), "another context");
        Ok(())
    }
}
