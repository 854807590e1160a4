//! Blocks of sums in a band of several statements: the tiles in which one statement is alone.
//!
//! In a factorization `A[i, j] -= A[i, k] * A[k, j]` is in one band `(k, i, j)` with what is done to sums that are complete. Most
//! tiles are not on a diagonal, and have nothing but these sums. They come apart from the others:
//! ```text
//! for each tile
//!   if (one statement is alone in it)  blocks of it in registers (crate::block)
//!   else                               the loops over points, as without blocks
//! ```
//! Each tile is in one of the parts, so the order of the tiles and of what is in a tile stays.
//!
//! Which tiles are that is computed without the remainders that say which numbers are starts of tiles: so a few
//! tiles count as shared that are not.

use crate::tree::{Block, Change};
use isl::{DimType, ScheduleNode, Set, UnionMap, UnionSet, UnionSetList};
use model::Scop;

/// How long tiles are along each loop, about: longer ones have more of the work in tiles that statements share, shorter ones
/// have less to do between the way of cells from and to memory.
const LENGTH: i64 = 48;

/// How many tiles a loop must have, for most of them to have one statement only.
const TILES: f64 = 4.0;

/// How many operations must be left for it: the proof of legality for `lu` of `bench/kernels` takes 500,000 of them, if sizes are
/// not known.
pub const OPERATIONS: u64 = 400_000;

/// The change of a band of three members of which some statements have the block that this change of one of them has; `None` if
/// tiles would be too few.
pub fn change(of_one: Change, stmts: Vec<usize>, sink: bool, trips: &[f64]) -> Option<Change> {
    let Block { height, width } = of_one.block?;
    let [summed, row, column] = of_one.order[..] else { return None };
    let columns = (LENGTH / width).max(1) * width;
    let lengths = [columns, (columns / height).max(1) * height, columns];
    let members = [summed, row, column];
    let are_many =
        members.iter().zip(lengths).all(|(member, length)| trips[*member] >= TILES * length as f64);
    let tiles = lengths.map(Some).to_vec();
    are_many.then(|| Change { order: members.to_vec(), tiles, sink, blocked: stmts, ..of_one })
}

/// The instances below a band of loops over tiles: for each of these statements those in tiles in which it is alone, then
/// all others.
pub fn filters(scop: &Scop, tiles: &ScheduleNode, stmts: &[usize]) -> isl::Result<UnionSetList> {
    let all = tiles.get_domain()?;
    let starts = tiles.band_get_partial_schedule_union_map()?.intersect_domain(all.clone())?;
    let (mut list, mut others) = (UnionSetList::alloc(&scop.ctx, stmts.len() + 1)?, all.clone());
    for stmt in stmts {
        let alone = alone(&starts, &scop.stmts[*stmt].name)?;
        others = others.subtract(alone.clone())?.coalesce()?;
        list = list.add(alone.gist(all.clone())?)?;
    }
    list.add(others.gist(all)?)
}

/// The instances of a statement in tiles in which there is no other.
fn alone(starts: &UnionMap, name: &str) -> isl::Result<UnionSet> {
    let (mut own, mut shared): (Option<isl::Map>, Option<Set>) = (None, None);
    for map in starts.get_map_list()?.to_vec()? {
        if map.get_tuple_name(DimType::In)?.as_deref() == Some(name) {
            own = Some(map);
            continue;
        }
        let tiles = map.range()?.remove_divs()?.coalesce()?;
        shared = Some(match shared {
            Some(known) => known.union(tiles)?,
            None => tiles,
        });
    }
    match (own, shared) {
        (Some(own), Some(shared)) => {
            let alone = own.subtract_range(shared.coalesce()?)?.domain()?.coalesce()?;
            UnionSet::from_set(without_corners(alone)?)
        }
        (Some(own), None) => UnionSet::from_set(own.domain()?),
        (None, _) => UnionSet::empty_ctx(starts.ctx()),
    }
}

/// Without pieces that lie in planes: with sizes that are not known a tile at a corner may have a single row, in which a statement is
/// alone that is not in others there. To tell it from those takes conditions inside of all blocks. It counts as shared.
fn without_corners(set: Set) -> isl::Result<Set> {
    let pieces = set.get_basic_set_list()?.to_vec()?;
    let mut solid = Set::empty(set.get_space()?)?;
    for piece in pieces {
        if piece.clone().affine_hull()?.plain_is_universe()? {
            solid = solid.union(Set::from_basic_set(piece)?)?;
        }
    }
    if solid.is_empty()? { Ok(set) } else { solid.coalesce() }
}
