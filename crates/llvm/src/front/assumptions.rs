//! What lifting assumes, to be checked at run time: nothing wraps, loops end, sizes are moderate, arrays do not overlap, no
//! bounds check fails. Each goes to the ledger in the form in which it was derived, with its kind and its place.

use super::draft::Draft;
use super::lift::{ArraySource, Lifter};
use super::memory::Memory;
use crate::pass::{Alias, Inst, Value};
use assume::in_bounds;
use isl::{DimType, Map, Set};
use model::{
    AccessKind, ArrayId, Assumption, Below, Condition, Kind, Layout, Param, Reason, Scop, SourceLoc,
};
use std::collections::HashSet;

/// The parameters are in none of these sets. What is wrong at one place is one assumption.
pub(super) fn assume_never(
    scop: &mut Scop,
    kind: Kind,
    fails: &[(Set, Inst<'_>)],
    why: &str,
) -> isl::Result<()> {
    let mut places: Vec<(Option<SourceLoc>, Set)> = Vec::new();
    for (fails, at) in fails {
        // Each comparison would find out again what the remainders of steps by two are.
        let fails = fails.clone().intersect(scop.context.clone())?.compute_divs()?;
        let loc = at.loc();
        match places.iter_mut().find(|(place, _)| *place == loc) {
            // Accesses at one place often have much in common.
            Some((_, all)) if fails.is_subset(all)? => {}
            Some((_, all)) => *all = all.clone().union(fails)?.coalesce()?,
            None if fails.is_empty()? => {}
            None => places.push((loc, fails)),
        }
    }
    for (loc, fails) in places {
        let holds = Condition::Never(fails.coalesce()?);
        scop.ledger.assume(Assumption { kind, holds, why: why.into(), loc });
    }
    Ok(())
}

impl<'p> Lifter<'_, 'p> {
    /// Pairs of arrays of which one is written must be apart; what LLVM cannot tell is assumed, if it can be checked.
    pub(super) fn assume_no_overlap(
        &self,
        scop: &mut Scop,
        sources: &[ArraySource<'p>],
        memory: &Memory<'p>,
    ) -> Result<(), Reason> {
        let touched = Touched::of(scop);
        let bases: Vec<_> = sources.iter().enumerate().filter_map(base).collect();
        let movers: Vec<_> = bases.iter().map(|(id, _)| memory.movers(sources[id.index()])).collect();
        for (index, &(a, first)) in bases.iter().enumerate() {
            for (other, &(b, second)) in bases[..index].iter().enumerate() {
                let matters = touched.written.contains(&a) || touched.written.contains(&b);
                if !matters
                    || movers[index].are_apart(&movers[other], self.pass)
                    || self.are_apart(sources[a.index()], sources[b.index()])
                {
                    continue;
                }
                let (x, y) = (second.readable(), first.readable());
                if touched.unbounded.contains(&a) || touched.unbounded.contains(&b) {
                    return Err(Reason::PossibleOverlap { first: x, second: y });
                }
                let (kind, why, loc) = match memory.load_of(first).or(memory.load_of(second)) {
                    Some(load) => {
                        let why = format!("what is loaded here does not change: {x} and {y} do not overlap");
                        (Kind::InvariantLoad, why, load.loc())
                    }
                    None => {
                        let written = if touched.written.contains(&a) { first } else { second };
                        let why = format!("{x} and {y} do not overlap");
                        (Kind::NoOverlap, why, memory.first_loc(written))
                    }
                };
                scop.ledger.assume(Assumption { kind, holds: Condition::NoOverlap(b, a), why, loc });
            }
        }
        Ok(())
    }

    /// Whether LLVM knows by their addresses that two arrays do not overlap.
    fn are_apart(&self, a: ArraySource<'p>, b: ArraySource<'p>) -> bool {
        match (a, b) {
            (ArraySource::Base(first), ArraySource::Base(second)) => {
                self.pass.alias(first, 0, second, 0) == Alias::No
            }
            _ => false,
        }
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
        let (name, loc) = (shape.base.readable(), memory.first_loc(shape.base));
        if !scop.context.is_subset(&shape.valid)? {
            let why = format!("the subscripts of {name} stay inside their dimensions");
            let (kind, holds) = match in_bounds::all_outside(scop, array)? {
                Some(outside) => (Kind::InBounds, Condition::Never(outside)),
                None => (Kind::Shape, Condition::Params(shape.valid.clone())),
            };
            scop.ledger.assume(Assumption { kind, holds, why, loc: loc.clone() });
        }
        if shape.layout == Layout::Anywhere {
            let (kind, why) = (Kind::NoOverlap, format!("the rows of {name} do not overlap"));
            scop.ledger.assume(Assumption { kind, holds: Condition::Rows(array), why, loc: loc.clone() });
        }
        if !shape.is_constant {
            let (kind, why) = (Kind::ModerateSize, format!("the size of {name} is moderate"));
            scop.ledger.assume(Assumption { kind, holds: Condition::Near(array), why, loc });
        }
    }
    Ok(())
}

/// Indices stay below their limits.
pub(super) fn assume_tests(scop: &mut Scop, kind: Kind, tests: &[Below], loc: Option<SourceLoc>) {
    for test in tests {
        let (why, loc) = ("an index stays below its limit".into(), loc.clone());
        scop.ledger.assume(Assumption { kind, holds: Condition::Below(test.clone()), why, loc });
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
    let verb = if wide.len() == 1 { "is" } else { "are" };
    let why = format!("{} {verb} between -2^48 and 2^48", wide.join(", "));
    scop.ledger.assume(Assumption { kind: Kind::ModerateSize, holds, why, loc: None });
    Ok(())
}
