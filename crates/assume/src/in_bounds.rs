//! In bounds: for which parameters a subscript leaves its dimension (paper 002, Section 4.4).
//!
//! `A[i][j]` with `j` beyond the end of a row is a cell of another row. The model takes rows for disjoint, so that must
//! not happen: `M_Out` are the cells with such a subscript, and the restriction has the parameters for which an iteration
//! touches one. The first dimension has no end.

use isl::{DimType, Map, Set, Val};
use model::{Array, ArrayId, Layout, Scop};

/// `{ : ... }`: parameter values for which an access of the model to an array leaves its dimensions; `None` if their sizes are not
/// constant.
pub fn all_outside(scop: &Scop, array: ArrayId) -> isl::Result<Option<Set>> {
    let Array { shape, layout, .. } = &scop.arrays[array.index()];
    let sizes = shape.iter().skip(1).map(|size| size.as_ref()?.parse().ok()).collect::<Option<Vec<i64>>>();
    let Some(sizes) = sizes.filter(|_| *layout == Layout::Even) else { return Ok(None) };
    let mut all = Set::empty(scop.context.get_space()?)?;
    for stmt in &scop.stmts {
        for access in stmt.accesses.iter().filter(|access| access.array == array) {
            all = all.union(outside(&access.relation, &sizes, &stmt.domain)?)?;
        }
    }
    Ok(Some(all.intersect(scop.context.clone())?.coalesce()?))
}

/// `{ : ... }`: parameter values for which an access, `{ S[i, j] -> A[x, y] }`, leaves dimensions of these sizes in the domain. One
/// size for each dimension but the first.
fn outside(access: &Map, sizes: &[i64], domain: &Set) -> isl::Result<Set> {
    let cells = access.clone().intersect_domain(domain.clone())?.range()?;
    let mut all = Set::empty(cells.clone().params()?.get_space()?)?;
    for (index, size) in sizes.iter().enumerate() {
        let below = cells.clone().upper_bound_val(DimType::Set, index + 1, number(&cells, -1)?)?;
        let above = cells.clone().lower_bound_val(DimType::Set, index + 1, number(&cells, *size)?)?;
        all = all.union(below.params()?)?.union(above.params()?)?;
    }
    all.coalesce()
}

fn number(like: &Set, value: i64) -> isl::Result<Val> {
    Val::int_from_si(like.ctx(), value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    /// Figure 13: with `num` columns from `start`, no column is beyond 1024 if `start + num <= 1024`.
    #[test]
    fn figure_13() {
        let ctx = Ctx::new();
        let domain = "[start, num] -> { S[i, j] : start <= i < start + num and start <= j < start + num }";
        let domain = Set::read_from_str(&ctx, domain).unwrap();
        let access = Map::read_from_str(&ctx, "{ S[i, j] -> A[i, j] }").unwrap();
        let found = outside(&access, &[1024], &domain).unwrap();
        let expected = "[start, num] -> { : num > 0 and (start < 0 or start + num > 1024) }";
        assert!(found.is_equal(&Set::read_from_str(&ctx, expected).unwrap()).unwrap(), "{found}");
    }

    /// Figure 7 with `B[100][100]`: nothing is wrong where nothing is executed.
    #[test]
    fn figure_7() {
        let ctx = Ctx::new();
        let domain = Set::read_from_str(&ctx, "[N, M] -> { P[i, j] : 0 <= i < N and 0 <= j < M }").unwrap();
        let access = Map::read_from_str(&ctx, "{ P[i, j] -> B[i, j] }").unwrap();
        let found = outside(&access, &[100], &domain).unwrap();
        assert!(
            found.is_equal(&Set::read_from_str(&ctx, "[N, M] -> { : N > 0 and M > 100 }").unwrap()).unwrap()
        );
    }
}
