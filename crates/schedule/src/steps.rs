//! Tiles of steps: some iterations of a loop around at a time, in strips of columns that stay in the second cache.
//!
//! A loop whose iterations must stay in sequence, and in each of which a large array is read and changed,
//! ```text
//! for k { W(k); for i, j { V(k, i, j) }; for i, j { U(k, i, j) } }
//! ```
//! brings the array in once for each `k`, even if `U(k - 1)` runs together with `V(k)` ([`crate::shift`]). But most often `W` needs but a
//! few columns `j` of what `U` makes. With `STEPS` iterations in a tile these are the *panel*: the columns that `W` needs in the same
//! tile. All others may wait until the tile's panel is done, and then each strip of them can go through all of the tile's iterations:
//! ```text
//! for K, step 16
//!   for k in the tile { W(k); for i, j in the panel { V(k, i, j) }; for i, j in the panel { U(k, i, j) } }
//!   for J, step 64, behind the panel                             // may run in threads
//!     for k in the tile, and one more { for i, j in the strip { U(k - 1, i, j); V(k, i, j) } }
//! ```
//! This is the blocked, right-looking form of a factorization (J. Dongarra et al., "Numerical linear algebra for high-performance
//! computers", 1998): each column has the same operations in the same order. In a strip the update waits for the next
//! iteration as in [`crate::shift`], whose form of loops is asked for here, too. Strips do not depend on each other, and a thread that has
//! one keeps it in its own cache for a whole tile.
//!
//! What the panel is, is read off the dependences; that it is enough, and that strips may run one after the other, is for the
//! checker to say. A strip must be at least `NARROWEST` columns wide to pay; in one thread `WIDEST`, and no taller than `TALLEST`. If that is
//! known only when the program runs, it chooses between these tiles and [`crate::shift`] then. gramschmidt of `bench/kernels` (1000 rows, 2 MB
//! of second cache): 0.25 s shifted, 0.20 s in tiles, 0.13 s in two threads; strips of 32 columns 0.26 s, of 256 0.28 s.

use crate::marks::is_mark;
use crate::shift::{Pair, Part, Shifter};
use crate::times::{Position, Values};
use crate::tree::{self, band_of, over_tiles, tiles};
use crate::{jam, pivot};
use isl::{DimType, Id, Schedule, ScheduleNode, ScheduleNodeType, Set, UnionMap, UnionPwAff, UnionSet, Val};
use model::{STRIPS, Scop};

/// How many iterations a tile has.
const STEPS: i64 = 16;

/// How many tiles there must be.
const TILES: f64 = 3.0;

/// How wide strips are: at most, at least, and what their width is a multiple of, so that they begin where lines of the cache do.
const WIDEST: i64 = 64;
const NARROWEST: i64 = 32;
const GRAIN: i64 = 16;

/// How tall columns are in one thread at most: each row of a strip lies in a page of its own, and so do the cells of other arrays that go
/// with it. Processors know where some 2000 pages are; with 2000 rows strips took 1.7 times as long as without tiles.
const TALLEST: i64 = 1024;

/// An order with tiles of steps.
pub struct Tiled {
    pub schedule: Schedule,
    /// Whose instances run in strips; by number.
    update: usize,
    reader: usize,
    /// How wide these are.
    width: i64,
    /// Whether the program chooses when it runs.
    is_chosen: bool,
}

/// In words.
pub fn description(scop: &Scop, Tiled { update, reader, width, is_chosen, .. }: &Tiled) -> String {
    let [update, reader] = [update, reader].map(|stmt| &scop.stmts[*stmt].name);
    let when = if *is_chosen { format!(", if columns are not taller than {TALLEST}") } else { String::new() };
    format!(
        "{STEPS} iterations of the loop around at a time{when}: what they need of each other, then {update} together with {reader}, which \
         reads what it writes, in strips of {width}\n"
    )
}

/// Whether a band is over tiles of steps.
pub fn is_over_steps(band: &ScheduleNode) -> isl::Result<bool> {
    let inside = band.get_child(0)?;
    if inside.get_type()? != ScheduleNodeType::Sequence {
        return Ok(false);
    }
    let last = inside.get_child(inside.n_children()? - 1)?.get_child(0)?;
    is_mark(&last, STRIPS)
}

/// What an order with tiles of steps is looked for with.
pub struct Tiler<'a> {
    pub shifter: &'a Shifter<'a>,
    /// How many threads strips can run in.
    pub threads: u32,
}

impl Tiler<'_> {
    /// The order with tiles of a pair's loop around; it need not be legal. `None` if it would not pay.
    pub fn tiled(&self, pair: &Pair) -> isl::Result<Option<Tiled>> {
        let Some(columns) = Columns::of(self.shifter, pair)? else { return Ok(None) };
        let fit =
            if self.threads > 1 { self.scop().context.clone() } else { self.fit(&pair.reader, &columns)? };
        if fit.is_empty()? {
            return Ok(None);
        }
        let is_chosen = !self.scop().context.is_subset(&fit)?;
        let node = match is_chosen {
            true => self.in_tiles_if(pair, &columns, fit)?,
            false => self.in_tiles(pair, &columns)?,
        };
        let Some(node) = node else { return Ok(None) };
        let (schedule, width) = (node.get_schedule()?, columns.width);
        Ok(Some(Tiled { schedule, update: pair.update.stmt, reader: pair.reader.stmt, width, is_chosen }))
    }

    fn scop(&self) -> &Scop {
        self.shifter.scop
    }

    /// The parameters for which tiles pay in one thread.
    fn fit(&self, reader: &Part, columns: &Columns) -> isl::Result<Set> {
        let context = self.scop().context.clone();
        let Some(row) = columns.row.filter(|_| columns.width == WIDEST) else {
            return Set::empty(context.get_space()?);
        };
        let tallest = Val::int_from_si(&self.scop().ctx, TALLEST)?;
        let instances = self.scop().stmts[reader.stmt].domain.clone().intersect_params(context.clone())?;
        let beyond = instances.clone().lower_bound_val(DimType::Set, row, tallest)?.params()?;
        // Where it has no instances it does not matter.
        context.subtract(beyond.gist(instances.params()?)?)?.coalesce()
    }

    /// Tiles for these values of the parameters, and what is shifted for others if that can be.
    fn in_tiles_if(&self, pair: &Pair, columns: &Columns, fit: Set) -> isl::Result<Option<ScheduleNode>> {
        let all = pair.around.get_domain()?;
        let others = self.scop().context.clone().subtract(fit.clone())?.coalesce()?;
        let cases = [fit, others];
        let limited = cases.clone().map(|params| all.clone().intersect_params(params));
        let limited = limited.into_iter().collect::<isl::Result<_>>()?;
        let both = pivot::sequence(self.scop(), &pair.around, limited)?;
        let depth = both.get_tree_depth()?;
        let up = |node: ScheduleNode| -> isl::Result<ScheduleNode> {
            let generations = node.get_tree_depth()? - depth;
            node.ancestor(generations)
        };
        let first = pair.limited(both.child(0)?.child(0)?, &cases[0])?;
        let Some(tiled) = self.in_tiles(&first, columns)? else { return Ok(None) };
        let both = up(tiled)?;
        let second = pair.limited(both.get_child(1)?.get_child(0)?, &cases[1])?;
        Ok(Some(self.shifter.fused(&second)?.unwrap_or(both)))
    }

    fn in_tiles(&self, pair: &Pair, columns: &Columns) -> isl::Result<Option<ScheduleNode>> {
        let (Pair { around, update, reader }, scop, shifter) = (pair, self.scop(), self.shifter);
        let mut rows = shifter.rows_of_both(update, reader)?;
        let along = &mut rows[columns.link][columns.member];
        *along = plus(along.clone(), columns.offset)?;
        let along = along.clone();
        let row = around.band_get_partial_schedule()?.get_at(0)?;
        let steps = tiles(scop, row.clone(), STEPS)?;
        let Some(panel) = panel(shifter, pair, &steps, &along)? else { return Ok(None) };
        let behind = |part: &Part| part.domain.clone().subtract(panel.clone())?.coalesce();
        let Some(turns) = turns(row.sub(steps.clone())?, behind(update)?, behind(reader)?)? else {
            return Ok(None);
        };
        let wholes = turns.iter().map(|sets| united(sets)).collect::<isl::Result<Vec<_>>>()?;
        let rest = united(&wholes)?;
        let first = around.get_domain()?.subtract(rest.clone())?.coalesce()?;

        let node = over_tiles(around.clone().insert_partial_schedule(band_of(scop, vec![steps])?)?)?;
        let parts = pivot::sequence(scop, &node.child(0)?, vec![first, rest])?;
        let node = shifter.later(parts.child(1)?.child(0)?, update)?;
        let depth = node.get_tree_depth()?;
        let mut node = pivot::sequence(scop, &node, wholes)?;
        for (at, sets) in turns.into_iter().enumerate() {
            let leaf = node.child(at)?.child(0)?.child(0)?.cut()?;
            let loops = shifter.together(&leaf, sets, reader, rows.clone())?;
            let up = loops.get_tree_depth()? - depth;
            node = loops.ancestor(up)?;
        }
        let strip = tiles(scop, along, columns.width)?;
        let strips = node.insert_partial_schedule(band_of(scop, vec![strip])?)?;
        over_tiles(strips)?.insert_mark(Id::new(&scop.ctx, STRIPS)?).map(Some)
    }
}

fn united(sets: &[UnionSet]) -> isl::Result<UnionSet> {
    sets[1..].iter().try_fold(sets[0].clone(), |all, set| all.union(set.clone()))
}

/// What runs in a tile, in this order, each by turns: readers in its first step; updates of a step with readers in the next; updates of
/// the last step. `None` if there is nothing of one of them. `distance`: of steps from a tile's first.
fn turns(
    distance: UnionPwAff,
    updates: UnionSet,
    readers: UnionSet,
) -> isl::Result<Option<[Vec<UnionSet>; 3]>> {
    let distance = UnionMap::from_union_pw_aff(distance)?;
    let at = |set: &UnionSet, step: i64| -> isl::Result<UnionSet> {
        let step = UnionSet::read_from_str(set.ctx(), &format!("{{ [{step}] }}"))?;
        distance.clone().intersect_domain_union_set(set.clone())?.intersect_range(step)?.domain()?.coalesce()
    };
    let (first, last) = (at(&readers, 0)?, at(&updates, STEPS - 1)?);
    let [updates, readers] =
        [updates.subtract(last.clone())?.coalesce()?, readers.subtract(first.clone())?.coalesce()?];
    for set in [&first, &updates, &readers, &last] {
        if set.is_empty()? {
            return Ok(None);
        }
    }
    Ok(Some([vec![first], vec![updates, readers], vec![last]]))
}

/// The loop along the columns of a pair.
struct Columns {
    /// In which of the bands, and which member.
    link: usize,
    member: usize,
    /// What to add to it so that it is the column of the array that is read again: strips then begin at lines if rows do.
    offset: i64,
    /// How many are in a strip.
    width: i64,
    /// The reader's counter that moves along a column, if only one does.
    row: Option<usize>,
}

impl Columns {
    /// The last loop, if it runs along rows of what is read again; `None` if strips would be too narrow, or steps too few.
    fn of(shifter: &Shifter<'_>, pair: &Pair) -> isl::Result<Option<Columns>> {
        let Pair { around, reader, .. } = pair;
        let (Some((link, member)), Some((access, bytes)), Some(still)) =
            (last_loop(reader)?, shifter.read_again(pair)?, shifter.still(around, reader)?)
        else {
            return Ok(None);
        };
        let rows = tree::rows(shifter.scop, &reader.links[link].band_get_partial_schedule()?)?;
        let Some(row) = rows[member].get(&reader.stmt) else { return Ok(None) };
        let last = access.subscripts.as_ref().and_then(|all| all.last());
        let (Some(counter), Some(constant)) = (row.moved(&[still]), access.constants.last()) else {
            return Ok(None);
        };
        let extents = &shifter.models[reader.stmt].extents;
        if row.coefficients.as_ref() != last || extents[still] < TILES * STEPS as f64 {
            return Ok(None);
        }
        let column = bytes / extents[counter];
        // The columns of other arrays that belong to a tile's steps are there as well.
        let room = (shifter.machine.l2_room() as f64 / column) as i64 - STEPS;
        let width = room.min(WIDEST) / GRAIN * GRAIN;
        let offset = constant - row.constant;
        let is_moved = |at: &usize| access.subscripts.iter().flatten().any(|each| each[*at] != 0);
        let mut others = (0..extents.len()).filter(|at| ![still, counter].contains(at) && is_moved(at));
        let row = if let (Some(only), None) = (others.next(), others.next()) { Some(only) } else { None };
        Ok((width >= NARROWEST).then_some(Columns { link, member, offset, width, row }))
    }
}

/// The last loop of a part beside the rows of a strip: its band and which member.
fn last_loop(part: &Part) -> isl::Result<Option<(usize, usize)>> {
    let mut found = None;
    for (at, link) in part.links.iter().enumerate() {
        if link.get_type()? == ScheduleNodeType::Band && !jam::is_row(link)? {
            found = Some((at, link.band_n_member()? - 1));
        }
    }
    Ok(found)
}

fn plus(row: UnionPwAff, offset: i64) -> isl::Result<UnionPwAff> {
    let domain = row.clone().domain()?;
    row.union_add(UnionPwAff::val_on_domain(domain.clone(), Val::int_from_si(domain.ctx(), offset)?)?)
}

/// The instances of both parts in columns between those of which something else in the same tile depends on some; `None` if there are
/// none, or if they are further apart than two tiles are long.
fn panel(
    shifter: &Shifter<'_>,
    Pair { around, update, reader }: &Pair,
    steps: &UnionPwAff,
    along: &UnionPwAff,
) -> isl::Result<Option<UnionSet>> {
    let both = update.domain.clone().union(reader.domain.clone())?;
    let others = around.get_domain()?.subtract(both.clone())?;
    let pairs = tree::inside(shifter.dependences, around)?;
    let pairs = pairs.intersect_domain_union_set(both.clone())?.intersect_range_union_set(others)?;
    let needed = Values::of(steps)?.compared(&pairs, Position::Same)?.domain()?;
    let steps = steps.clone().intersect_domain(both.clone().universe()?)?;
    let distance = UnionMap::from_union_pw_aff(along.clone().sub(steps)?)?;
    let Some([first, last]) = ends(distance.clone().intersect_domain_union_set(needed)?.range()?)? else {
        return Ok(None);
    };
    let near = UnionSet::read_from_str(around.ctx(), &format!("{{ [x] : {first} <= x <= {last} }}"))?;
    let panel = distance.intersect_domain_union_set(both)?.intersect_range(near)?.domain()?;
    Ok((last - first <= 2 * STEPS).then_some(panel))
}

/// The ends of a set of numbers, if it has any and they do not depend on parameters.
fn ends(numbers: UnionSet) -> isl::Result<Option<[i64; 2]>> {
    if numbers.is_empty()? {
        return Ok(None);
    }
    let numbers = Set::from_union_set(numbers)?;
    let end = |val: Val| val.to_string().parse::<i64>();
    let ends = (end(numbers.clone().dim_min_val(0)?), end(numbers.dim_max_val(0)?));
    Ok(if let (Ok(first), Ok(last)) = ends { Some([first, last]) } else { None })
}
