//! Whether a union of relations is a function.
//!
//! isl composes the whole with its own inverse. But the parts of a union lead to different spaces, or come from different ones, so no
//! two of them give the same pair: the whole is a function if each part is one and no two parts have a point of their domains in
//! common. Parts mostly say of themselves that they are functions, and there are few.

use crate::error::Result;
use crate::generated::UnionMap;

impl UnionMap {
    /// Whether each point of the domain leads to one point.
    pub fn is_single_valued(&self) -> Result<bool> {
        let parts = self.get_map_list()?.to_vec()?;
        for part in &parts {
            if !part.is_single_valued()? {
                return Ok(false);
            }
        }
        let domains = parts.into_iter().map(|part| part.domain()).collect::<Result<Vec<_>>>()?;
        for (index, first) in domains.iter().enumerate() {
            for second in &domains[index + 1..] {
                if !first.is_disjoint(second)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ctx, UnionMap};

    #[test]
    fn is_what_isl_says() -> crate::Result<()> {
        let ctx = Ctx::new();
        let cases = [
            ("{ }", true),
            ("[n] -> { S[i] -> A[i] : i < n; S[i] -> B[i] : i >= n }", true),
            ("[n] -> { S[i] -> A[i] : i < n; S[i] -> B[i] : i >= n - 1 }", false),
            ("{ S[i] -> A[i]; T[i] -> A[i] }", true),
            ("{ S[i] -> A[j] : i <= j <= i + 1 }", false),
            ("{ S[i] -> A[j] : 2j <= i <= 2j + 1; S[i] -> B[i] : 1 = 0 }", true),
            ("{ S[i] -> A[i] : i > 0; S[i] -> A[0] : i <= 0; S[0] -> B[] }", false),
        ];
        for (text, is_one) in cases {
            let all: UnionMap = ctx.parse(text)?;
            assert_eq!(all.is_single_valued()?, is_one, "{text}");
            assert_eq!(all.is_single_valued_as_a_whole()?, is_one, "{text}");
        }
        Ok(())
    }
}
