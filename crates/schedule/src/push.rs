//! Updates that are pushed: made as soon as what they need is there, not when their cell is finished.
//!
//! Where a loop finishes one cell after the other, and each is the sum (or the maximum, ...) of terms made of cells that were
//! finished before, the loop over the terms jumps through memory. If the updates of a cell may come in any order
//! ([`model::Reduction`]), the loops can change places: as soon as a cell is finished, all others get their terms made of it.
//!
//! ```text
//! for j { H(j); for k < j { S(j, k) } }     becomes     for t { H(t); for j > t { S(j, t) } }
//! ```
//! An update runs in the iteration of the last instance of the loop's other statements that it depends on; that must be the same
//! affine function for all of them, and tell the term. Whether the order is legal is for the checker to say.

mod tiles;

pub use tiles::{Tiler, description};

use crate::tree::{counters, in_sequence};
use isl::{DimType, Map, MultiUnionPwAff, PwMultiAff, Schedule, UnionMap, UnionSet};
use model::{Order, Scop, StmtId};

/// The loop at `depth` with this body, with the updates of one statement pushed; `None` if there are none to push. The
/// dependences are those between instances that agree on the loops around.
pub fn pushed(
    scop: &Scop,
    body: &[Order],
    depth: usize,
    dependences: &UnionMap,
) -> isl::Result<Option<Schedule>> {
    let Some((update, others)) = parts(scop, body) else { return Ok(None) };
    let iterations = counters(scop, &others, depth)?;
    let Some(time) = ready(scop, update, &others, &iterations, dependences)? else { return Ok(None) };
    let domain = |id: StmtId| UnionSet::from_set(scop.stmt(id).domain.clone());
    let before = others.iter().map(|other| Schedule::from_domain(domain(*other)?));
    let Some(whole) = in_sequence(before.collect::<isl::Result<_>>()?)? else { return Ok(None) };
    let pushed = Schedule::from_domain(domain(update)?)?;
    let pushed = pushed.insert_partial_schedule(counters(scop, &[update], depth)?)?;
    let times = iterations.union_add(MultiUnionPwAff::from_union_map(UnionMap::from_map(time)?)?)?;
    whole.sequence(pushed)?.insert_partial_schedule(times).map(Some)
}

/// The only statement in a loop of its own, which updates something, and the statements beside that loop.
fn parts(scop: &Scop, body: &[Order]) -> Option<(StmtId, Vec<StmtId>)> {
    let (mut update, mut others) = (None, Vec::new());
    for part in body {
        match part {
            Order::Stmt(id) => others.push(*id),
            Order::Loop(inner) => match (&inner[..], update) {
                ([Order::Stmt(id)], None) if !scop.stmt(*id).reductions.is_empty() => update = Some(*id),
                _ => return None,
            },
        }
    }
    update.filter(|_| !others.is_empty()).map(|update| (update, others))
}

/// `{ S[i, j, k] -> [t] }`: the iteration that has all that the update needs of the other statements.
fn ready(
    scop: &Scop,
    update: StmtId,
    others: &[StmtId],
    iterations: &MultiUnionPwAff,
    dependences: &UnionMap,
) -> isl::Result<Option<Map>> {
    let domain = |id: StmtId| UnionSet::from_set(scop.instances(scop.stmt(id))?);
    let mut sources = UnionSet::empty_ctx(&scop.ctx)?;
    for other in others {
        sources = sources.union(domain(*other)?)?;
    }
    let needed = dependences.clone().intersect_domain_union_set(sources)?;
    let needed = needed.intersect_range_union_set(domain(update)?)?.reverse()?;
    let iterations = UnionMap::from_multi_union_pw_aff(iterations.clone())?;
    let [ref times] = needed.apply_range(iterations)?.get_map_list()?.to_vec()?[..] else { return Ok(None) };
    let last = times.clone().lexmax()?.coalesce()?;
    for piece in last.get_basic_map_list()?.to_vec()? {
        let piece = Map::from_basic_map(piece.affine_hull()?)?;
        let whole = piece.clone().gist_domain(piece.domain()?)?;
        let instances = scop.instances(scop.stmt(update))?;
        if whole.is_single_valued()?
            && last.is_subset(&whole)?
            && instances.is_subset(&whole.clone().domain()?)?
        {
            return Ok(tells_the_term(&whole)?.then_some(whole));
        }
    }
    Ok(None)
}

/// Whether the time and the counters around are those of one term only.
fn tells_the_term(time: &Map) -> isl::Result<bool> {
    let function = PwMultiAff::from_map(time.clone())?;
    if !function.isa_multi_aff()? {
        return Ok(false);
    }
    let time = function.as_multi_aff()?.get_at(0)?;
    let Some(last) = time.dim(DimType::In)?.checked_sub(1) else { return Ok(false) };
    let times = time.get_coefficient_val(DimType::In, last)?;
    Ok(times.is_one()? || times.is_negone()?)
}
