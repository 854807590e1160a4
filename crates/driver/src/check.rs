//! The run-time check of a model: its ledger as expressions over parameters and base addresses.
//!
//! The first condition on the parameters is evaluated for any values of the parameters' types, each other part only matters
//! where those before it hold; `astgen` proves that none overflows in 64 bits there. An array's extent is the range of bytes that its accesses
//! touch; two arrays are apart if one of them is not touched at all, or if one extent ends before the other begins.

use astgen::{Expr, condition, expression};
use isl::{PwAff, Set, Val};
use llvm::back::emit::{Apart, Check};
use model::{ArrayId, Condition, Scop};

/// Parameter values for which the model describes the program, as far as parameters decide it.
pub fn valid_params(scop: &Scop) -> isl::Result<Set> {
    let mut valid = scop.context.clone();
    for assumption in scop.ledger.entries() {
        if let Condition::Params(set) = &assumption.holds {
            valid = valid.intersect(set.clone())?;
        }
    }
    valid.coalesce()
}

/// The check of a model; `valid` are its valid parameters. Each condition is evaluated where those before it hold.
pub fn check(scop: &Scop, valid: &Set) -> Result<Check, astgen::Error> {
    let mut known = scop.context.clone();
    let mut params = Vec::new();
    for assumption in scop.ledger.entries() {
        if let Condition::Params(set) = &assumption.holds
            && !known.is_subset(set)?
        {
            params.push(condition(scop, set, &known)?);
            known = known.intersect(set.clone())?;
        }
    }
    let mut pairs = Vec::new();
    for assumption in scop.ledger.entries() {
        if let Condition::NoOverlap(a, b) = assumption.holds {
            pairs.extend(apart(scop, a, b, valid)?);
        }
    }
    Ok(Check { params, apart: pairs })
}

/// `None`: the nest never touches both.
fn apart(scop: &Scop, a: ArrayId, b: ArrayId, valid: &Set) -> Result<Option<Apart>, astgen::Error> {
    let (first, second) = (cells(scop, a, valid)?, cells(scop, b, valid)?);
    let both = first.clone().params()?.intersect(second.clone().params()?)?.intersect(valid.clone())?;
    if both.is_empty()? {
        return Ok(None);
    }
    let extent = |array: ArrayId, cells: &Set| -> Result<(usize, Expr, Expr), astgen::Error> {
        let bytes = i64::from(scop.array(array).elem_bytes);
        let (low, high) = (cells.clone().lexmin_pw_multi_aff()?, cells.clone().lexmax_pw_multi_aff()?);
        let one = Val::int_from_si(&scop.ctx, 1)?;
        let low = in_bytes(low.get_at(0)?, bytes)?;
        let high = in_bytes(high.get_at(0)?.add_constant_val(one)?, bytes)?;
        Ok((array.index(), expression(scop, &low, &both)?, expression(scop, &high, &both)?))
    };
    let extents = [extent(a, &first)?, extent(b, &second)?];
    Ok(Some(Apart { touched: condition(scop, &both, valid)?, extents }))
}

fn in_bytes(cells: PwAff, bytes: i64) -> isl::Result<PwAff> {
    let bytes = Val::int_from_si(cells.ctx(), bytes)?;
    cells.scale_val(bytes)
}

/// `{ A[x] }`: the cells of an array that the nest touches.
fn cells(scop: &Scop, array: ArrayId, valid: &Set) -> isl::Result<Set> {
    let mut all: Option<Set> = None;
    for stmt in &scop.stmts {
        for access in stmt.accesses.iter().filter(|access| access.array == array) {
            let cells = access.relation.clone().intersect_domain(stmt.domain.clone())?.range()?;
            all = Some(match all {
                Some(before) => before.union(cells)?,
                None => cells,
            });
        }
    }
    match all {
        Some(cells) => cells.intersect_params(valid.clone())?.coalesce(),
        None => Set::empty(scop.context.get_space()?),
    }
}
