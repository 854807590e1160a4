//! Invariant loads: for which parameters the nest writes what a load reads (paper 002, Section 4.1).
//!
//! A load whose address does not change gives one value if the nest does not write there. Then it is a parameter, and what is
//! written, `W`, may depend on it. The restriction has the parameters for which `W` contains what is read. Where what is written
//! is in another array, that is `no_overlap`'s affair.

use isl::Set;
use model::{AccessKind, ArrayId, Stmt};

/// `{ A[x] }`: the cells of an array that these statements write, if they do.
pub fn written(stmts: &[Stmt], array: ArrayId) -> isl::Result<Option<Set>> {
    let mut all: Option<Set> = None;
    for stmt in stmts {
        let writes = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        for access in writes.filter(|access| access.array == array) {
            let cells = access.relation.clone().intersect_domain(stmt.domain.clone())?.range()?;
            all = Some(match all {
                Some(before) => before.union(cells)?,
                None => cells,
            });
        }
    }
    Ok(all)
}

/// `{ : ... }`: parameter values for which a cell that is read is written; both `{ A[x] : ... }`.
pub fn overwritten(written: Set, read: &Set) -> isl::Result<Set> {
    written.intersect(read.clone())?.params()?.coalesce()
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    /// Figure 8 with all arrays in one: `A[Idx0 + i]` for `0 <= i < UB0` must not meet `UB[0]`, here `A[0]`.
    #[test]
    fn figure_8() {
        let ctx = Ctx::new();
        let written = "[Idx0, UB0] -> { A[x] : Idx0 <= x < Idx0 + UB0 }";
        let written = Set::read_from_str(&ctx, written).unwrap();
        let read = Set::read_from_str(&ctx, "{ A[0] }").unwrap();
        let found = overwritten(written, &read).unwrap();
        let expected = "[Idx0, UB0] -> { : Idx0 <= 0 < Idx0 + UB0 }";
        assert!(found.is_equal(&Set::read_from_str(&ctx, expected).unwrap()).unwrap(), "{found}");
    }
}
