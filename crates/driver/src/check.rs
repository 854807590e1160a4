//! The run-time check of a model: its ledger as expressions over parameters and base addresses.
//!
//! The first condition on the parameters is evaluated for any values of the parameters' types, each other part only
//! matters where those before it hold; `astgen` proves that none overflows in 64 bits there. An array's extent is the
//! range of rows that its accesses touch (of cells, if it has one dimension); in bytes it is computed with overflow in
//! mind, because that takes products of parameters. Two arrays are apart if one of them is not touched at all, or if
//! one extent ends before the other begins.

use astgen::{Expr, condition, expression};
use isl::{DimType, PwAff, Set, Val};
use llvm::back::check::{AllRows, Apart, Below, Check, Extent, Near, Rows};
use model::{AccessKind, Array, ArrayId, Condition, Layout, Scop};

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
    let (mut params, mut all_rows) = (Vec::new(), Vec::new());
    for assumption in scop.ledger.entries() {
        if let Condition::Params(set) = &assumption.holds
            && !known.is_subset(set)?
        {
            params.push(condition(scop, set, &known)?);
            known = known.intersect(set.clone())?;
        }
    }
    let (mut pairs, mut near, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for assumption in scop.ledger.entries() {
        match assumption.holds {
            Condition::Params(_) => {}
            Condition::NoOverlap(a, b) => pairs.extend(apart(scop, a, b, valid)?),
            Condition::Near(array) => near.extend(touched(scop, array, valid)?),
            Condition::Rows(array) => all_rows.extend(all_rows_of(scop, array, valid)?),
            Condition::Below(ref test) => tests.extend(below(scop, test, valid)?),
        }
    }
    Ok(Check { params, apart: pairs, near, below: tests, rows: all_rows })
}

/// `None`: the nest never touches both.
fn apart(scop: &Scop, a: ArrayId, b: ArrayId, valid: &Set) -> Result<Option<Apart>, astgen::Error> {
    let (first, second) = (cells(scop, a, valid)?, cells(scop, b, valid)?);
    let both = first.clone().params()?.intersect(second.clone().params()?)?.intersect(valid.clone())?;
    if both.is_empty()? {
        return Ok(None);
    }
    let extents = [extent(scop, a, &first, &both)?, extent(scop, b, &second, &both)?];
    Ok(Some(Apart { touched: condition(scop, &both, valid)?, extents }))
}

/// `None`: the nest never touches it.
fn touched(scop: &Scop, array: ArrayId, valid: &Set) -> Result<Option<Near>, astgen::Error> {
    let cells = cells(scop, array, valid)?;
    let touched = cells.clone().params()?.intersect(valid.clone())?;
    if touched.is_empty()? {
        return Ok(None);
    }
    let extent = extent(scop, array, &cells, &touched)?;
    Ok(Some(Near { touched: condition(scop, &touched, valid)?, extent }))
}

/// `None`: the nest never touches it.
fn all_rows_of(scop: &Scop, array: ArrayId, valid: &Set) -> Result<Option<AllRows>, astgen::Error> {
    let cells = cells(scop, array, valid)?;
    let touched = cells.clone().params()?.intersect(valid.clone())?;
    if touched.is_empty()? {
        return Ok(None);
    }
    let bounds = |at: usize| -> Result<[Expr; 2], astgen::Error> {
        let line = cells.clone().project_out(DimType::Set, 1 - at, 1)?;
        let (first, last) = (line.clone().lexmin_pw_multi_aff()?, line.lexmax_pw_multi_aff()?);
        let end = last.get_at(0)?.add_constant_val(Val::int_from_si(&scop.ctx, 1)?)?;
        Ok([expression(scop, &first.get_at(0)?, &touched)?, expression(scop, &end, &touched)?])
    };
    let writes = |access: &model::Access| access.array == array && access.kind != AccessKind::Read;
    Ok(Some(AllRows {
        array: array.index(),
        touched: condition(scop, &touched, valid)?,
        rows: bounds(0)?,
        cells: bounds(1)?,
        cell_bytes: i64::from(scop.array(array).elem_bytes),
        are_written: scop.stmts.iter().flat_map(|stmt| &stmt.accesses).any(writes),
    }))
}

/// The rows of an array in which cells are touched, for parameters in `within`.
fn extent(scop: &Scop, array: ArrayId, cells: &Set, within: &Set) -> Result<Extent, astgen::Error> {
    let shape = &scop.array(array).shape;
    let touched = cells.clone().project_out(DimType::Set, 1, shape.len().saturating_sub(1))?;
    let (first, last) = (touched.clone().lexmin_pw_multi_aff()?, touched.lexmax_pw_multi_aff()?);
    let end = last.get_at(0)?.add_constant_val(Val::int_from_si(&scop.ctx, 1)?)?;
    Ok(Extent {
        array: array.index(),
        first: expression(scop, &first.get_at(0)?, within)?,
        end: expression(scop, &end, within)?,
        rows: rows(scop, scop.array(array), within)?,
        cell_bytes: i64::from(scop.array(array).elem_bytes),
    })
}

/// How far rows are from each other, for parameters in `within`.
pub fn rows(scop: &Scop, array: &Array, within: &Set) -> Result<Rows, astgen::Error> {
    match &array.layout {
        Layout::Even => {
            let sizes = array.shape.iter().skip(1).map(|text| size(scop, text, within));
            Ok(Rows::Even(sizes.collect::<Result<_, _>>()?))
        }
        Layout::Anywhere => Ok(Rows::Anywhere),
        Layout::Packed { growth, slope } => {
            Ok(Rows::Packed { growth: *growth, slope: number(scop, slope, within)? })
        }
    }
}

/// The size of a dimension, for parameters in `within`.
fn size(scop: &Scop, size: &Option<String>, within: &Set) -> Result<Expr, astgen::Error> {
    let text = size.as_deref().ok_or(astgen::Error::Unexpected("a dimension without a size".into()))?;
    number(scop, text, within)
}

/// A number in isl's notation, for parameters in `within`.
fn number(scop: &Scop, text: &str, within: &Set) -> Result<Expr, astgen::Error> {
    let names: Vec<_> = scop.params.iter().map(|param| param.name.as_str()).collect();
    let number = PwAff::read_from_str(&scop.ctx, &format!("[{}] -> {{ [({text})] }}", names.join(", ")))?;
    expression(scop, &number, within)
}

/// `None`: there are no numbers.
fn below(scop: &Scop, test: &model::Below, valid: &Set) -> Result<Option<Below>, astgen::Error> {
    let cells = test.cells.clone().align_params(scop.context.get_space()?)?;
    let cells = cells.intersect_params(valid.clone())?.coalesce()?;
    let tested = cells.clone().params()?.intersect(valid.clone())?;
    if tested.is_empty()? {
        return Ok(None);
    }
    let last = cells.lexmax_pw_multi_aff()?;
    let subscript = |at| expression(scop, &last.get_at(at)?, &tested);
    let limit = test.limit.clone().align_params(scop.context.get_space()?)?;
    Ok(Some(Below {
        tested: condition(scop, &tested, valid)?,
        last: (0..=test.sizes.len()).map(subscript).collect::<Result<_, _>>()?,
        sizes: test.sizes.iter().map(|size| number(scop, size, &tested)).collect::<Result<_, _>>()?,
        limit: expression(scop, &limit, &tested)?,
    }))
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
