//! How long the loops of a nest must be for new ones to pay.
//!
//! A new order pays for what it costs to begin (tests, tiles, the ends of vectors) only if there is enough to do, and where
//! sizes are small constants LLVM unrolls whole loops, which no new order can beat.
//! - Constant sizes: the longest loop around a deepest statement must be longer than [`Least::length`].
//! - Sizes known at run time: these loops must have [`Least::sum`] iterations altogether, each of them counted once: in
//!   `for (t < T) for (i < n) for (j < n)` it is `T + n + n` that counts. That is tested with the other conditions before the nest.
//! - Some loops must be long each for itself, by what they are in the new order ([`has_enough_values`]).
//! - A nest that keeps its order, in which values go from one iteration of the innermost loop to the next ([`enough_in_rows`]): that loop
//!   alone counts. As vectors it does a few dozen iterations at once, and what is left of it, for which LLVM makes no shorter
//!   vectors if values go on, would take longer than the original.
//!
//! # Example
//! A product of n x n matrices with `sum = 24` gets new loops for `3n >= 24`.

use isl::{DimType, PwAff, Set, Val};
use model::{Scop, Stmt};

/// What loops must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Least {
    /// More than so many iterations of the longest, if sizes are constant.
    pub length: i64,
    /// So many iterations of all of them, otherwise.
    pub sum: i64,
}

/// When there is enough to do.
#[derive(Clone, Debug)]
pub enum Enough {
    /// Whenever something is executed, or nobody can tell in a few words.
    Always,
    /// Never: the sizes are constants, and small.
    Never,
    /// For these parameters.
    When(Set),
}

/// A condition with more cases is not worth its test.
const MOST_CASES: usize = 2;

/// When the loops around a deepest statement are long enough.
pub fn enough(scop: &Scop, least: Least) -> isl::Result<Enough> {
    match deepest(scop)? {
        Some(deepest) => are_enough(scop, extents(deepest)?, least),
        None => Ok(Enough::Always),
    }
}

/// When the innermost loop around a deepest statement has so many iterations.
pub fn enough_in_rows(scop: &Scop, length: i64) -> isl::Result<Enough> {
    let extents = deepest(scop)?.map_or(Ok(Vec::new()), extents)?;
    are_enough(scop, extents.into_iter().next_back().into_iter().collect(), Least { length, sum: length })
}

/// When a counter of a statement has so many values.
pub fn has_enough_values(scop: &Scop, stmt: usize, counter: usize, least: i64) -> isl::Result<Enough> {
    let extent = extent(&scop.stmts[stmt], counter)?;
    if !extent.is_cst()? {
        return at_least(scop, extent, least);
    }
    Ok(if longest(&[extent])? < least { Enough::Never } else { Enough::Always })
}

fn are_enough(scop: &Scop, extents: Vec<PwAff>, least: Least) -> isl::Result<Enough> {
    let mut is_constant = !extents.is_empty();
    for extent in &extents {
        is_constant &= extent.is_cst()?;
    }
    if is_constant {
        return longest(&extents).map(|longest| match longest > least.length {
            true => Enough::Always,
            false => Enough::Never,
        });
    }
    let mut sum: Option<PwAff> = None;
    for extent in extents {
        sum = Some(match sum {
            Some(sum) => sum.add(extent)?,
            None => extent,
        });
    }
    let Some(sum) = sum else { return Ok(Enough::Always) };
    at_least(scop, sum, least.sum)
}

/// For which parameters a number is as large as that.
fn at_least(scop: &Scop, number: PwAff, least: i64) -> isl::Result<Enough> {
    let limit = PwAff::val_on_domain(number.clone().domain()?, Val::int_from_si(&scop.ctx, least)?)?;
    let large = number.ge_set(limit)?.remove_divs()?.gist(scop.context.clone())?.coalesce()?;
    let is_simple = large.n_basic_set()? <= MOST_CASES;
    let is_always = scop.context.is_subset(&large)?;
    Ok(if is_simple && !is_always { Enough::When(large) } else { Enough::Always })
}

/// The first statement with as many loops around it as any.
fn deepest(scop: &Scop) -> isl::Result<Option<&Stmt>> {
    let mut deepest = (0, None);
    for stmt in &scop.stmts {
        let depth = stmt.domain.dim(DimType::Set)?;
        if depth > deepest.0 {
            deepest = (depth, Some(stmt));
        }
    }
    Ok(deepest.1)
}

/// How many values each counter has, from its least to its greatest.
fn extents(stmt: &Stmt) -> isl::Result<Vec<PwAff>> {
    (0..stmt.domain.dim(DimType::Set)?).map(|at| extent(stmt, at)).collect()
}

fn extent(stmt: &Stmt, at: usize) -> isl::Result<PwAff> {
    let (low, high) = (stmt.domain.clone().dim_min(at)?, stmt.domain.clone().dim_max(at)?);
    high.sub(low)?.add_constant_val(Val::one(stmt.domain.ctx())?)
}

/// The greatest of constant extents.
fn longest(extents: &[PwAff]) -> isl::Result<i64> {
    let mut longest = 0;
    for extent in extents {
        let most = extent.clone().max_val()?;
        // What is beyond 64 bits is long.
        let most = if most.gt_si(i64::MAX >> 1)? { i64::MAX >> 1 } else { most.get_num_si()? };
        longest = longest.max(most);
    }
    Ok(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Least = Least { length: 40, sum: 24 };

    fn of(stmts: &str) -> Enough {
        let order = "{ for { for { for { S } } } }";
        let text = format!("scop f\nparam n [-9, 9999]\nparam m [-9, 9999]\n{stmts}order {order}\n");
        enough(&Scop::parse(&isl::Ctx::new(), &text).unwrap(), LEAST).unwrap()
    }

    #[track_caller]
    fn when(stmts: &str, wanted: &str) {
        let Enough::When(found) = of(stmts) else { panic!("not under a condition") };
        let text = format!("[n, m] -> {{ : -9 <= n <= 9999 and -9 <= m <= 9999 and ({wanted}) }}");
        let wanted = Set::read_from_str(found.ctx(), &text).unwrap();
        let context = Set::read_from_str(found.ctx(), "[n, m] -> { : -9 <= n <= 9999 and -9 <= m <= 9999 }");
        let found = found.intersect(context.unwrap()).unwrap();
        assert!(found.is_equal(&wanted).unwrap(), "{found} is not {wanted}");
    }

    #[test]
    fn sizes_at_run_time() {
        let product = "stmt S [n, m] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < m }\n";
        when(product, "n >= 1 and m >= 1 and 2n + m >= 24");
        let triangle = "stmt S [n, m] -> { S[i, j, k] : 0 <= i < n and 0 <= j <= i and 0 <= k < 10 }\n";
        when(triangle, "n >= 7");
    }

    #[test]
    fn constant_sizes() {
        let product =
            |n: i64| format!("stmt S [n, m] -> {{ S[i, j, k] : 0 <= i, j < {n} and 0 <= k < 3 }}\n");
        assert!(matches!(of(&product(40)), Enough::Never));
        assert!(matches!(of(&product(41)), Enough::Always));
    }

    #[test]
    fn rows_alone() {
        let text = "scop f\nparam n [-9, 9999]\nparam m [-9, 9999]\nstmt S [n, m] -> { S[t, i] : 0 <= t < m and 0 <= i < n }\n";
        let text = text.to_owned() + "order { for { for { S } } }\n";
        let Enough::When(found) = enough_in_rows(&Scop::parse(&isl::Ctx::new(), &text).unwrap(), 40).unwrap()
        else {
            panic!("not under a condition")
        };
        let wanted = Set::read_from_str(found.ctx(), "[n, m] -> { : n >= 40 and m >= 1 }").unwrap();
        let context =
            Set::read_from_str(found.ctx(), "[n, m] -> { : -9 <= n <= 9999 and -9 <= m <= 9999 and m >= 1 }");
        let context = context.unwrap();
        let found = found.intersect(context.clone()).unwrap();
        assert!(found.is_equal(&wanted.intersect(context).unwrap()).unwrap(), "{found}");
    }

    #[test]
    fn constant_loops_count_beside_others() {
        let large =
            "stmt S [n, m] -> { S[i, j, k] : 0 <= i < n and 0 <= j < 30 and 0 <= k < 9 and n >= 1 }\n";
        when(large, "n >= 1");
    }
}
