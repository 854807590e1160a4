//! What lifting assumes, to be checked at run time: nothing wraps, sizes are moderate, arrays do not overlap, no bounds check
//! fails.

use super::affine::Stop;
use super::draft::Draft;
use super::lift::{ArraySource, Lifter};
use super::memory::Memory;
use crate::pass::{Alias, Inst, Value};
use isl::{DimType, Map, Set};
use model::{AccessKind, ArrayId, Assumption, Below, Condition, Layout, Param, Reason, Scop};
use std::collections::HashSet;

impl<'p> Lifter<'_, 'p> {
    /// The parameters are in none of these sets. False: they always are in one.
    pub(super) fn assume_never(
        &self,
        scop: &mut Scop,
        fails: &[(Set, Inst<'p>)],
        why: &str,
    ) -> Result<bool, Stop> {
        let mut valid = scop.context.clone();
        let mut first = None;
        for (fails, at) in fails {
            let fails = fails.clone().intersect(scop.context.clone())?;
            if !fails.is_empty()? {
                valid = valid.subtract(fails)?;
                first = first.or(Some(*at));
            }
        }
        let is_possible = !valid.is_empty()?;
        if let Some(at) = first {
            let holds = Condition::Params(valid.coalesce()?);
            scop.ledger.assume(Assumption { holds, why: why.into(), loc: at.loc() });
        }
        Ok(is_possible)
    }

    /// Pairs of arrays of which one is written must be apart; what LLVM cannot tell is assumed, if it can be checked.
    pub(super) fn assume_no_overlap(
        &self,
        scop: &mut Scop,
        sources: &[ArraySource<'p>],
    ) -> Result<(), Reason> {
        let touched = Touched::of(scop);
        let bases: Vec<_> = sources.iter().enumerate().filter_map(base).collect();
        for (index, &(a, first)) in bases.iter().enumerate() {
            for &(b, second) in &bases[..index] {
                let matters = touched.written.contains(&a) || touched.written.contains(&b);
                let is_base = |array: ArrayId| matches!(sources[array.index()], ArraySource::Base(_));
                let is_known = is_base(a) && is_base(b) && self.pass.alias(first, 0, second, 0) == Alias::No;
                if !matters || is_known {
                    continue;
                }
                let (x, y) = (second.readable(), first.readable());
                if touched.unbounded.contains(&a) || touched.unbounded.contains(&b) {
                    return Err(Reason::PossibleOverlap { first: x, second: y });
                }
                let why = format!("{x} and {y} do not overlap");
                scop.ledger.assume(Assumption { holds: Condition::NoOverlap(b, a), why, loc: None });
            }
        }
        Ok(())
    }
}

/// How arrays are touched.
#[derive(Default)]
struct Touched {
    /// They are written.
    written: HashSet<ArrayId>,
    /// Any of their cells may be touched.
    unbounded: HashSet<ArrayId>,
}

impl Touched {
    fn of(scop: &Scop) -> Self {
        let mut touched = Touched::default();
        for access in scop.stmts.iter().flat_map(|stmt| &stmt.accesses) {
            if access.kind != AccessKind::Read {
                touched.written.insert(access.array);
            }
            if !matches!(is_bounded(&access.relation), Ok(true)) {
                touched.unbounded.insert(access.array);
            }
        }
        touched
    }
}

fn base<'p>((index, source): (usize, &ArraySource<'p>)) -> Option<(ArrayId, Value<'p>)> {
    match source {
        ArraySource::Base(value) | ArraySource::Rows(value) => Some((ArrayId(index as u32), *value)),
        _ => None,
    }
}

/// Whether each subscript has a bound on both sides, given the parameters.
fn is_bounded(relation: &Map) -> isl::Result<bool> {
    let cells = relation.clone().range()?;
    for position in 0..cells.dim(DimType::Set)? {
        if !cells.dim_has_lower_bound(DimType::Set, position)?
            || !cells.dim_has_upper_bound(DimType::Set, position)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Subscripts stay inside their dimensions, and offsets inside the address space.
pub(super) fn assume_shapes<'p>(scop: &mut Scop, draft: &Draft<'p>, memory: &Memory<'p>) -> isl::Result<()> {
    for shape in &memory.shapes {
        let array = draft.at(shape.base);
        let name = shape.base.readable();
        if !scop.context.is_subset(&shape.valid)? {
            let why = format!("the subscripts of {name} stay inside their dimensions");
            let holds = Condition::Params(shape.valid.clone());
            scop.ledger.assume(Assumption { holds, why, loc: None });
        }
        if shape.layout == Layout::Anywhere {
            let why = format!("the rows of {name} do not overlap");
            scop.ledger.assume(Assumption { holds: Condition::Rows(array), why, loc: None });
        }
        if !shape.is_constant {
            let why = format!("the size of {name} is moderate");
            scop.ledger.assume(Assumption { holds: Condition::Near(array), why, loc: None });
        }
    }
    Ok(())
}

/// Indices stay below their limits.
pub(super) fn assume_tests(scop: &mut Scop, tests: &[Below]) {
    for test in tests {
        let why = "an index stays below its limit".into();
        scop.ledger.assume(Assumption { holds: Condition::Below(test.clone()), why, loc: None });
    }
}

/// Parameters of 64 bits are assumed to be far from the ends of their range: no array is that large.
const MODERATE: i64 = 1 << 48;

/// Bounds are computed in 64 bits.
pub(super) fn assume_moderate_sizes(scop: &mut Scop) -> isl::Result<()> {
    let is_wide = |param: &&Param| {
        param.range.0.is_none_or(|low| low < -MODERATE) || param.range.1.is_none_or(|high| high > MODERATE)
    };
    let wide: Vec<_> = scop.params.iter().filter(is_wide).map(|param| param.name.as_str()).collect();
    if wide.is_empty() {
        return Ok(());
    }
    let bounds: Vec<_> = wide.iter().map(|name| format!("-{MODERATE} <= {name} <= {MODERATE}")).collect();
    let text = format!("[{}] -> {{ : {} }}", wide.join(", "), bounds.join(" and "));
    let holds = Condition::Params(Set::read_from_str(&scop.ctx, &text)?);
    let why = "sizes are moderate, so that bounds fit 64 bits".into();
    scop.ledger.assume(Assumption { holds, why, loc: None });
    Ok(())
}
