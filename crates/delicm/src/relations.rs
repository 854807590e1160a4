//! Small questions about relations that several modules ask.

use dataflow::content::Contents;
use dataflow::zones::reaching;
use isl::{Map, Set, UnionMap};
use model::{Reduction, Scop};

/// Forgets reductions that are none any more, because read and write went to different cells.
pub fn keep_updates(scop: &mut Scop) {
    for stmt in &mut scop.stmts {
        let cells = |id| stmt.accesses.iter().find(|access| access.id == id).map(|access| &access.relation);
        let is_update = |r: &Reduction| match (cells(r.read), cells(r.write)) {
            (Some(read), Some(write)) => read.is_equal(write).unwrap_or(false),
            _ => false,
        };
        stmt.reductions = stmt.reductions.iter().copied().filter(is_update).collect();
    }
}

/// The only relation of a union, if there is just one.
pub fn only_map(all: &UnionMap) -> isl::Result<Option<Map>> {
    let mut maps = all.get_map_list()?.to_vec()?;
    maps.retain(|map| !map.plain_is_empty().unwrap_or(false));
    Ok(if maps.len() == 1 { maps.pop() } else { None })
}

/// Whether it is plain that two relations are one. False: it would have to be proved.
pub fn is_plainly_equal(first: &UnionMap, second: &UnionMap) -> isl::Result<bool> {
    match (only_map(first)?, only_map(second)?) {
        (Some(first), Some(second)) => first.plain_is_equal(&second),
        _ => Ok(false),
    }
}

/// The value of each probed cell right before the instance: `{ S[i] -> value }` for probes `{ S[i] -> A[x] }` with one cell
/// for each instance. `None`: for some instance it is not known.
pub fn content_of(scop: &Scop, contents: &Contents<'_>, probes: &UnionMap) -> isl::Result<Option<UnionMap>> {
    let reached = reaching(scop, probes)?;
    let mut content = reached.initial;
    for (write, held) in reached.by_access {
        let Some(written) = contents.written(write)? else { return Ok(None) };
        content = content.union(held.domain_factor_domain()?.apply_range(written)?)?;
    }
    Ok(content.is_single_valued()?.then_some(content))
}

/// A function `{ S[i] -> A[x] }` on these instances, in one piece if some piece of it says where all instances lead to:
/// `{ S[i] -> A[i] : i >= 2; S[1] -> A[1] }` is `{ S[i] -> A[i] : i >= 1 }`.
pub fn in_one_piece(function: Map, instances: &Set) -> isl::Result<Map> {
    for piece in function.get_basic_map_list()?.to_vec()? {
        let piece = Map::from_basic_map(piece.affine_hull()?)?;
        let domain = piece.clone().domain()?;
        let whole = piece.gist_domain(domain)?.intersect_domain(instances.clone())?;
        if whole.is_equal(&function)? {
            return Ok(whole);
        }
    }
    Ok(function)
}
