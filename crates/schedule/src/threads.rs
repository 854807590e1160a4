//! Loops whose iterations run in several threads.
//!
//! On each way from the root of a schedule tree to a statement at most one loop gets a mark [`model::THREADS`]: the outermost one
//! that is parallel, or can be made so:
//! - a member of a band that is parallel where it stands first: it goes there, if it is a loop over tiles, or else a loop over
//!   *strips* of it does, so that the order inside of a strip stays as it was chosen (a thread then does all of its strips as
//!   one, if they have as much to do: `astgen`);
//! - a loop that is parallel if each thread has a copy of some arrays (`private`);
//! - a loop that is parallel but for one iteration, also one over tiles for each tile of another: it is split there (`pivot`);
//! - if a permutable band of at least two members has none: a *wavefront*. In such a band no dependence goes backwards in any
//!   member, so tiles with the numbers `(a, b)` and the same `a + b` do not depend on each other (L. Lamport, "The parallel
//!   execution of DO loops", 1974, for iterations). Such a band gets a mark [`model::WAVE`]: `astgen` makes a loop over `a + b`
//!   of it, which runs in sequence, and one over `a`, in threads. Where the dependences go in a cone, the tiles are diamonds
//!   between its sides (`diamond`): then a diagonal is all there is at a time, and no thread waits for others to begin.
//!
//! Nests that go through the same array one after the other do so in batches of its rows, if that pays (`batch`). Where there are tiles
//! of steps, their strips run in threads (`steps`).
//!
//! Loops inside of others that run in sequence must have enough to do to be worth threads each time; what that is, is
//! estimated here and computed again when the program runs.
//!
//! That a loop is parallel is proved by [`Prover::parallel_is_legal`] for the band that gets the mark, that a band has
//! wavefronts by `wave_is_legal`, and that loops may be moved by [`Prover::check_with`] for the whole tree.
//!
//! # Example
//! `y[j] += A[i][j] * x[i]` in the order `(i, j)`: `i` carries the sums, `j` is parallel.
//! ```text
//! mark threads, band floor(j / 64): band i, j
//! ```

use crate::affine::{self, Row, StmtModel};
use crate::batch::{BATCH, Batch, Batcher};
use crate::candidate::Candidate;
use crate::cost::Cost;
use crate::diamond::{self, Cone};
use crate::legality::Prover;
use crate::marks::{is_mark, wave_is_legal};
use crate::pivot::{self, Split};
use crate::private;
use crate::steps;
use crate::tree::{self, Band, Bonds, Change, Planned, Step, band_of, over_tiles, tiles};
use crate::{Error, Options, Tiling};
use isl::{
    AstLoopType, DimType, Id, MultiUnionPwAff, Schedule, ScheduleNode, ScheduleNodeType, Set, UnionMap,
    UnionPwAff, UnionSet, Val,
};
use model::{Copied, REGISTERS, Scop, threads_name, wave_name};
use std::collections::HashMap;

/// What is left of the gain of one more thread.
const EFFICIENCY: f64 = 0.9;

/// What it costs to start threads that wait for that, and to wait for them, in cycles: about a microsecond (`docs/threads.md`).
const FORK: f64 = 4000.0;

/// How many operations and accesses a loop inside of others must have to be worth threads, by estimate.
const LEAST_WORK: f64 = 50_000.0;

/// How long strips are.
const SHORTEST_STRIP: i64 = 64;
const LONGEST_STRIP: i64 = 2048;

/// How long they are if all have as much to do: a thread then does those that it gets as one (`astgen`).
const STRIP: i64 = 32;

/// A loop that has more iterations only because nothing is known of a size.
const LONGEST_KNOWN: f64 = 1e6;

/// How many tiles each thread gets at least, if there are such that are large enough.
const TILES: f64 = 3.0;

/// The size of tiles that are large enough.
const SMALLEST_TILE: i64 = 64;

/// Sizes of tiles and strips are multiples of this.
const GRAIN: i64 = 16;

/// How much more than it must the busiest thread may have to do.
const FAIR: f64 = 1.03;

/// The sizes of tiles of a wavefront.
const WAVE_SIZE: i64 = 32;

/// How many tiles of strips each side has. Fewer leave threads without work at the ends of diagonals, more make them wait more often.
const WAVE_TILES: f64 = 16.0;

/// How many of them each thread gets at least along the rows. The longer they are, the better lines are brought in ahead of time.
const TILES_ACROSS: f64 = 2.0;

/// How many diamonds each thread gets on a diagonal at least.
const DIAMONDS: f64 = 2.0;
/// The same where that is an estimate, of those in place of other tiles: smaller ones cost little.
const DIAMONDS_BY_ESTIMATE: f64 = 6.0;

/// How wide diamonds are at most, and what their size is a multiple of.
const WIDEST_DIAMOND: i64 = 2048;
const DIAMOND_GRAIN: i64 = 16;

/// What became of a schedule.
pub enum Marked {
    /// Some loops run in threads.
    Threads {
        /// The schedule with marks.
        schedule: Schedule,
        /// The sizes of the tiles that are diamonds.
        diamonds: Vec<i64>,
        /// Nests that go through batches of rows.
        batches: Vec<Batch>,
    },
    /// None does; the reason.
    Alone(String),
}

/// The schedule with marks.
pub fn marked(prover: &Prover<'_>, schedule: &Schedule, options: &Options) -> Result<Marked, Error> {
    let scop = prover.scop;
    let models = affine::models(scop, options.estimate)?;
    let marker = |may_be_diamonds| Marker {
        scop,
        prover,
        options,
        models: &models,
        found: 0,
        is_moved: false,
        why_not: None,
        may_be_diamonds,
        diamonds: Vec::new(),
    };
    let left = scop.ctx.operations_left().unwrap_or(options.operations);
    match scop.ctx.with_budget(left / 3, || marker(true).in_batches(schedule)) {
        Ok(Some(in_batches)) => return Ok(in_batches),
        Err(error) if !error.is_budget() => return Err(error),
        _ => {}
    }
    for may_be_diamonds in [true, false] {
        let mut marker = marker(may_be_diamonds);
        let marked = marker.place(schedule.get_root()?)?.get_schedule()?;
        let Marker { found, is_moved, why_not, diamonds, .. } = marker;
        if found == 0 {
            let why = why_not.map_or_else(String::new, |why| format!(": {why}"));
            return Ok(Marked::Alone(format!("no outer loop is parallel and has enough to do{why}")));
        }
        if !is_moved || prover.check_with(&marked, options.reductions)?.is_legal() {
            return Ok(Marked::Threads { schedule: marked, diamonds, batches: Vec::new() });
        }
        if diamonds.is_empty() {
            break;
        }
    }
    Ok(Marked::Alone("loops that could run in threads cannot be put outside".to_owned()))
}

/// The cost of a candidate if its loops run in as many threads as they can.
pub fn cost(
    scop: &Scop,
    bonds: &Bonds,
    candidate: &Candidate,
    models: &[StmtModel],
    options: &Options,
) -> isl::Result<Cost> {
    if options.threads < 2 {
        return Ok(candidate.cost);
    }
    let Forks { share, count } = forks(scop, bonds, candidate, models, options)?;
    let all = EFFICIENCY * f64::from(options.threads);
    let left = (1.0 - share) + share / all.max(1.0);
    let Cost { work, control, l1, l2, l3 } = candidate.cost;
    Ok(Cost {
        work: left * work,
        control: left * control + FORK * count,
        l1: left * l1,
        l2: left * l2,
        l3: left * l3,
    })
}

/// What of a candidate can run in threads.
struct Forks {
    /// Which part of its work.
    share: f64,
    /// How often threads are started.
    count: f64,
}

/// How a band can run in threads.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Parallel,
    /// In wavefronts if it must.
    Permutable,
    /// In diamonds on so many diagonals.
    Diamonds(f64),
    Never,
}

fn forks(
    scop: &Scop,
    bonds: &Bonds,
    candidate: &Candidate,
    models: &[StmtModel],
    options: &Options,
) -> isl::Result<Forks> {
    let mut ways = Vec::new();
    for (at, band) in candidate.shape.bands.iter().enumerate() {
        let planned = candidate.changes.iter().find(|planned| planned.band == at);
        let (is_parallel, is_permutable) = match planned {
            Some(Planned { freedom, change, .. }) => {
                let first = change.order.first().is_some_and(|first| freedom.coincident[*first]);
                let any = freedom.permutable && freedom.coincident.contains(&true);
                (first || any, freedom.permutable)
            }
            None => (tree::can_be_parallel(bonds, band)?, band.permutable && band.rows.len() > 1),
        };
        ways.push(match (is_parallel, is_permutable) {
            (true, _) => Way::Parallel,
            (false, true) => match diagonals(scop, bonds, band, planned, models, options)? {
                Some(count) => Way::Diamonds(count),
                None => Way::Permutable,
            },
            (false, false) => Way::Never,
        });
    }
    let (mut all, mut parallel) = (0.0, 0.0);
    // Statements in one band start threads together.
    let mut counts = vec![0.0_f64; ways.len()];
    for (stmt, steps) in &candidate.shape.paths {
        let model = &models[*stmt];
        let total = work(model, 0);
        all += total;
        let mut depth = 0;
        for step in steps {
            let Step::Band(band) = step else { continue };
            let is_worth_it = depth == 0 || options.threads_always || work(model, depth) >= LEAST_WORK;
            if ways[*band] != Way::Never && is_worth_it {
                parallel += total;
                counts[*band] = counts[*band].max(starts(model, depth, ways[*band]));
                break;
            }
            depth += candidate.shape.bands[*band].rows.len();
        }
    }
    Ok(Forks { share: if all > 0.0 { parallel / all } else { 0.0 }, count: counts.iter().sum() })
}

/// How often threads are started inside of so many loops, by estimate: all loops count as equally long.
fn starts(model: &StmtModel, outer: usize, way: Way) -> f64 {
    let one = model.extents.iter().product::<f64>().powf(1.0 / model.extents.len().max(1) as f64);
    let diagonals = match way {
        Way::Permutable => 2.0 * one / WAVE_SIZE as f64,
        Way::Diamonds(count) => count,
        Way::Parallel | Way::Never => 1.0,
    };
    one.powf(outer as f64) * diagonals.max(1.0)
}

/// If a band's tiles can be diamonds: on how many diagonals they are, by estimate.
fn diagonals(
    scop: &Scop,
    bonds: &Bonds,
    band: &Band,
    planned: Option<&Planned>,
    models: &[StmtModel],
    options: &Options,
) -> isl::Result<Option<f64>> {
    let unchanged = Change::none(band.rows.len());
    let change = planned.map_or(&unchanged, |planned| &planned.change);
    let partial = band.node.band_get_partial_schedule()?;
    let rows: Vec<_> = change.order.iter().map(|at| partial.get_at(*at)).collect::<isl::Result<_>>()?;
    let dependences = tree::inside(&bonds.apart, &band.node)?;
    let Some(Cone { steps, across, slope, .. }) = diamond::cone(scop, &dependences, &rows)? else {
        return Ok(None);
    };
    let tiles = change.tiles[steps].zip(change.tiles[across]);
    let [steps, cells] = [steps, across].map(|at| &band.rows[change.order[at]]);
    let cells = extent(cells, Some(steps), models);
    let is_known = scop.params.is_empty();
    let size = Diamonds { slope, tiles, cells, is_known }.size(f64::from(options.threads));
    Ok(Some(slope as f64 * extent(steps, None, models) / size as f64 + 1.0))
}

/// How many values a row has, by estimate, while another one stands still.
fn extent(row: &HashMap<usize, Row>, still: Option<&HashMap<usize, Row>>, models: &[StmtModel]) -> f64 {
    let of = |(stmt, row): (&usize, &Row)| {
        let known = still.and_then(|still| still.get(stmt)?.moved(&[]));
        Some(models[*stmt].extents[row.moved(known.as_slice())?])
    };
    row.iter().filter_map(of).fold(1.0, f64::max)
}

/// How diamonds are.
struct Diamonds {
    /// Of the cone.
    slope: i64,
    /// The tiles that they are in place of, if there are any: how many steps and how wide.
    tiles: Option<(i64, i64)>,
    /// How many cells there are in a step, by estimate.
    cells: f64,
    /// Whether that is no estimate.
    is_known: bool,
}

impl Diamonds {
    /// Their size. Diamonds bring in each cell that they touch once and have no others, so they may be twice as wide as what such a tile
    /// touches. Threads get some each.
    fn size(&self, threads: f64) -> i64 {
        let widest = self.tiles.map_or(WIDEST_DIAMOND, |(steps, width)| 2 * width + self.slope * steps);
        let each = if self.is_known || self.tiles.is_none() { DIAMONDS } else { DIAMONDS_BY_ESTIMATE };
        let fair = (self.cells / (each * threads)).ceil() as i64;
        let size = fair.clamp(1, widest.max(1));
        (size + DIAMOND_GRAIN - 1) / DIAMOND_GRAIN * DIAMOND_GRAIN
    }
}

/// How many operations and accesses of a statement are inside of so many loops, by estimate: all loops count as equally long.
fn work(model: &StmtModel, outer: usize) -> f64 {
    let (all, count) = (model.extents.iter().product::<f64>(), model.extents.len());
    let inner = count.saturating_sub(outer) as f64 / count.max(1) as f64;
    all.powf(inner) * (1.0 + model.accesses.len() as f64)
}

/// Puts marks into a tree.
struct Marker<'a> {
    scop: &'a Scop,
    prover: &'a Prover<'a>,
    options: &'a Options,
    models: &'a [StmtModel],
    /// How many marks there are.
    found: usize,
    /// Whether loops have changed places.
    is_moved: bool,
    /// What keeps the first loop that was looked at from being parallel.
    why_not: Option<String>,
    /// Whether tiles may be diamonds.
    may_be_diamonds: bool,
    /// The sizes of those that are.
    diamonds: Vec<i64>,
}

impl Marker<'_> {
    /// Puts marks at or below a node; the result is where the node was. Inside of tiles there is too little to do.
    fn place(&mut self, node: ScheduleNode) -> Result<ScheduleNode, Error> {
        match node.get_type()? {
            ScheduleNodeType::Band if steps::is_over_steps(&node)? => {
                // The strips in a tile are what can run in threads.
                let tile = node.child(0)?;
                let last = tile.n_children()? - 1;
                return Ok(self.place(tile.child(last)?.child(0)?)?.ancestor(3)?);
            }
            ScheduleNodeType::Band => {
                if let Some(marked) = self.band(&node)? {
                    self.found += 1;
                    return Ok(marked);
                }
                if is_tiled(&node)? {
                    return Ok(node);
                }
            }
            _ if is_mark(&node, REGISTERS)? => return Ok(node),
            _ => {}
        }
        let mut node = node;
        for at in 0..node.n_children()? {
            node = self.place(node.child(at)?)?.parent()?;
        }
        Ok(node)
    }

    /// The band with a mark, if one of its loops can have one.
    fn band(&mut self, node: &ScheduleNode) -> Result<Option<ScheduleNode>, Error> {
        if !self.is_worth_it(node)? {
            return Ok(None);
        }
        if let Some(marked) = self.parallel(node)? {
            return Ok(Some(marked));
        }
        let split = if is_tiled(node)? { self.at_tile_pivot(node)? } else { self.at_pivot(node)? };
        if split.is_some() {
            return Ok(split);
        }
        for Wave { band, sizes, is_moved, is_diamond } in self.wavefronts(node)? {
            if wave_is_legal(self.prover, &band, sizes)? {
                self.is_moved |= is_moved;
                self.diamonds.extend(is_diamond.then_some(sizes[0]));
                return Ok(Some(band.insert_mark(Id::new(&self.scop.ctx, &wave_name(sizes))?)?));
            }
        }
        Ok(None)
    }

    /// The band with a mark, if one of its loops is parallel as a whole.
    fn parallel(&mut self, node: &ScheduleNode) -> Result<Option<ScheduleNode>, Error> {
        if self.is_parallel(node)? {
            let finer = self.finer(node.clone())?;
            return Ok(Some(self.mark(finer)?));
        }
        if let Some(copies) = private::copies(self.scop, self.prover.dependences, node)? {
            return Ok(Some(self.mark_with(node.clone(), &copies)?));
        }
        for moved in self.moved(node)? {
            if self.is_parallel(&moved)? {
                self.is_moved = true;
                let finer = if moved.band_n_member()? > 1 { self.finer(moved)? } else { moved };
                return Ok(Some(self.mark(finer)?));
            }
        }
        Ok(None)
    }

    /// The schedule with marks, where nests go through batches of rows (`batch`) and each of them is parallel in a batch.
    fn in_batches(mut self, schedule: &Schedule) -> Result<Option<Marked>, Error> {
        let is_always = self.options.threads_always;
        let batcher = Batcher {
            scop: self.scop,
            models: self.models,
            machine: &self.options.machine,
            threads: self.options.threads,
            fork: if is_always { 0.0 } else { FORK },
            least_work: if is_always { 0.0 } else { LEAST_WORK },
        };
        let Some((batched, batches)) = batcher.batched(schedule)? else { return Ok(None) };
        let mut node = batched.get_root()?.child(0)?;
        if node.get_type()? != ScheduleNodeType::Sequence {
            // All nests are in one loop over batches.
            let Some(all) = self.batch(node)? else { return Ok(None) };
            return self.checked(all.get_schedule()?, batches);
        }
        for at in 0..node.n_children()? {
            let part = node.child(at)?.child(0)?;
            let marked = match is_mark(&part, BATCH)? {
                true => self.batch(part)?,
                false => Some(self.place(part)?),
            };
            let Some(marked) = marked else { return Ok(None) };
            node = marked.ancestor(2)?;
        }
        self.checked(node.get_schedule()?, batches)
    }

    /// The loop over batches without its mark, with each of the nests inside in threads. Where batches do not depend on each other there
    /// are better ways.
    fn batch(&mut self, mark: ScheduleNode) -> Result<Option<ScheduleNode>, Error> {
        let batches = mark.delete()?;
        if self.is_parallel(&batches)? {
            return Ok(None);
        }
        let rows = batches.band_get_partial_schedule()?.get_at(0)?;
        let mut nests = batches.child(0)?;
        for at in 0..nests.n_children()? {
            let Some(marked) = self.parallel(&nests.get_child(at)?.get_child(0)?)? else { return Ok(None) };
            if !self.is_shared_in_batch(&marked.get_child(0)?, &rows)? {
                return Ok(None);
            }
            self.found += 1;
            nests = marked.ancestor(2)?;
        }
        Ok(Some(nests.parent()?))
    }

    /// Whether a loop has an iteration for each thread in every batch that is whole: in the one that begins at its second value.
    fn is_shared_in_batch(&self, node: &ScheduleNode, batches: &UnionPwAff) -> isl::Result<bool> {
        let stride = tree::values(node, batches.clone())?.get_stride(0)?;
        let second = UnionSet::from_set(Set::read_from_str(&self.scop.ctx, &format!("{{ [{stride}] }}"))?)?;
        let batch = UnionMap::from_union_pw_aff(batches.clone())?.intersect_range(second)?.domain()?;
        let row = node.band_get_partial_schedule()?.get_at(0)?;
        let length = self.length(node, &row.intersect_domain(batch)?)?;
        Ok(length > (self.threads() - 1.0) * step(node, 0)? as f64)
    }

    /// The schedule with batches, if the whole of it is legal.
    fn checked(self, schedule: Schedule, batches: Vec<Batch>) -> Result<Option<Marked>, Error> {
        let is_legal = self.prover.check_with(&schedule, self.options.reductions)?.is_legal();
        Ok(is_legal.then_some(Marked::Threads { schedule, diamonds: self.diamonds, batches }))
    }

    /// The band split where its first loop is parallel before and behind one iteration.
    fn at_pivot(&mut self, node: &ScheduleNode) -> Result<Option<ScheduleNode>, Error> {
        for Split { node: mut split, sides, .. } in pivot::splits(self.scop, node)? {
            if !self.are_parallel(&split, &sides)? {
                continue;
            }
            for side in sides {
                let marked = self.mark(split.child(side)?.child(0)?)?;
                split = self.with_parallel_rest(marked)?.ancestor(2)?;
            }
            return Ok(Some(split));
        }
        Ok(None)
    }

    /// The same of the second loop over tiles, for each iteration of the first, and of the third one where the second is split.
    fn at_tile_pivot(&mut self, node: &ScheduleNode) -> Result<Option<ScheduleNode>, Error> {
        if node.band_n_member()? < 2 {
            return Ok(None);
        }
        let inner = node.clone().band_split(1)?.child(0)?;
        for Split { node: mut split, pivot, sides } in pivot::splits(self.scop, &inner)? {
            if !self.are_parallel(&split, &sides)? {
                continue;
            }
            for side in sides {
                split = self.mark(split.child(side)?.child(0)?)?.ancestor(2)?;
            }
            let alone = split.get_child(pivot)?.get_child(0)?;
            if let Some(parallel) = self.at_tile_pivot(&alone)? {
                split = parallel.ancestor(2)?;
            }
            return Ok(Some(split.parent()?));
        }
        Ok(None)
    }

    /// Splits what is in a marked loop, too, if that is one loop, which is then parallel but for one iteration.
    fn with_parallel_rest(&mut self, marked: ScheduleNode) -> Result<ScheduleNode, Error> {
        let rest = marked.get_child(0)?.get_child(0)?;
        let is_loop = rest.get_type()? == ScheduleNodeType::Band
            && rest.band_n_member()? == 1
            && !tree::has_band_below(&rest)?;
        if is_loop && !self.is_parallel(&rest)? {
            for Split { node, sides, .. } in pivot::splits(self.scop, &rest)? {
                if self.are_parallel(&node, &sides)? {
                    return Ok(node.ancestor(2)?);
                }
            }
        }
        Ok(marked)
    }

    /// Whether the loops in these parts of a split one are parallel.
    fn are_parallel(&mut self, split: &ScheduleNode, parts: &[usize]) -> Result<bool, Error> {
        for part in parts {
            if !self.is_parallel(&split.get_child(*part)?.get_child(0)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The band with another loop first: another one over tiles, or one over strips of a loop in the band, or inside of tiles.
    fn moved(&self, node: &ScheduleNode) -> isl::Result<Vec<ScheduleNode>> {
        let members = |node: &ScheduleNode| -> isl::Result<usize> {
            let is_permutable = node.get_type()? == ScheduleNodeType::Band && node.band_get_permutable()?;
            if is_permutable { node.band_n_member() } else { Ok(0) }
        };
        if !is_tiled(node)? {
            let rows = node.band_get_partial_schedule()?;
            let strips = (1..members(node)?).map(|member| self.strips(node, rows.get_at(member)?, 1));
            return strips.filter_map(Result::transpose).collect();
        }
        let mut moved = Vec::new();
        for member in 1..members(node)? {
            moved.push(first(node, member)?);
        }
        for (row, step) in rows_below(node)? {
            moved.extend(self.strips(node, row, step)?);
        }
        Ok(moved)
    }

    /// If the first loop is one over tiles: one over smaller tiles, if all threads get as much to do then.
    fn finer(&mut self, node: ScheduleNode) -> isl::Result<ScheduleNode> {
        if !is_tiled(&node)? {
            return Ok(node);
        }
        let (old, size) = (node.band_get_partial_schedule()?, step(&node, 0)?);
        let tiled = old.get_at(0)?;
        let inside = rows_below(&node)?;
        for (row, _) in &inside {
            if !tiles(self.scop, row.clone(), size)?.plain_is_equal(&tiled)? {
                continue;
            }
            let finer = self.fair_size(&node, row, size, self.grain(row, size, &inside)?)?;
            if finer < size {
                self.is_moved = true;
                return with_rows(&node, old.set_at(0, tiles(self.scop, row.clone(), finer)?)?);
            }
        }
        Ok(node)
    }

    /// What the size of tiles of a row must be a multiple of: the size of the blocks in them, if there are any.
    fn grain(&self, row: &UnionPwAff, size: i64, inside: &[(UnionPwAff, i64)]) -> isl::Result<i64> {
        for (other, step) in inside.iter().filter(|(_, step)| (2..size).contains(step)) {
            if tiles(self.scop, row.clone(), *step)?.plain_is_equal(other)? {
                return Ok(*step);
            }
        }
        Ok(GRAIN)
    }

    /// The largest size of tiles with which the thread that has most to do has hardly more than it must. Where later tiles
    /// are longer than others, or how many there are is not known, there must be more of them.
    fn fair_size(&self, node: &ScheduleNode, row: &UnionPwAff, size: i64, grain: i64) -> isl::Result<i64> {
        let length = self.length(node, row)?;
        let each = length / (TILES * self.threads());
        let most = match (self.scop.params.is_empty(), self.is_box(node)?) {
            (true, true) => size as f64,
            (true, false) => 0.8 * each,
            (false, _) => each,
        };
        let is_good = |tile: &i64| *tile >= SMALLEST_TILE && *tile as f64 <= most.max(SMALLEST_TILE as f64);
        let sizes: Vec<i64> = (1..=size / grain).map(|count| count * grain).filter(is_good).collect();
        let busiest = |tile: i64| {
            let count = (length / tile as f64).ceil();
            (count / self.threads()).ceil() * tile as f64
        };
        let least = sizes.iter().map(|tile| busiest(*tile)).fold(busiest(size), f64::min);
        let fair = sizes.into_iter().rev().find(|tile| busiest(*tile) <= FAIR * least);
        Ok(fair.unwrap_or(size))
    }

    /// Whether all loops are as long in all iterations of the others.
    fn is_box(&self, node: &ScheduleNode) -> isl::Result<bool> {
        for set in node.get_domain()?.get_set_list()?.to_vec()? {
            if !set.is_box()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a row has as much to do at each of its values: no bound of a statement's counters joins the one that it moves with others
    /// that loops outside of the node leave free.
    fn is_even(&self, node: &ScheduleNode, row: &UnionPwAff) -> isl::Result<bool> {
        let mut outside: HashMap<usize, Vec<usize>> = HashMap::new();
        if node.get_schedule_depth()? > 0 {
            for members in tree::rows(self.scop, &node.get_prefix_schedule_multi_union_pw_aff()?)? {
                for (stmt, row) in members {
                    let known = outside.entry(stmt).or_default();
                    let moved = row.moved(known);
                    known.extend(moved);
                }
            }
        }
        let rows = tree::rows(self.scop, &band_of(self.scop, vec![row.clone()])?)?;
        for (stmt, row) in rows.iter().flatten() {
            let known = outside.remove(stmt).unwrap_or_default();
            let Some(counter) = row.moved(&known) else { return Ok(false) };
            if !bounds_are_apart(&self.scop.stmts[*stmt].domain, counter, &known)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn threads(&self) -> f64 {
        f64::from(self.options.threads)
    }

    /// How long the longest loop is, by estimate.
    fn longest(&self) -> f64 {
        self.models.iter().flat_map(|model| &model.extents).copied().fold(1.0, f64::max)
    }

    fn is_parallel(&mut self, band: &ScheduleNode) -> Result<bool, Error> {
        let verdict = self.prover.parallel_is_legal(band, 0)?;
        if let (Some(violation), None) = (verdict.violation(), &self.why_not) {
            self.why_not = Some(violation.to_string());
        }
        Ok(verdict.is_legal())
    }

    /// Whether there is enough to do each time that the loops around a band come to it.
    fn is_worth_it(&self, node: &ScheduleNode) -> isl::Result<bool> {
        let depth = node.get_schedule_depth()?;
        let is_known = self.scop.params.is_empty();
        if depth == 0 && !is_known || self.options.threads_always {
            return Ok(true);
        }
        let stmts = tree::stmts_below(self.scop, node)?;
        Ok(stmts.into_iter().map(|stmt| work(&self.models[stmt], depth)).sum::<f64>() >= LEAST_WORK)
    }

    /// Splits off the first member and marks it.
    fn mark(&self, node: ScheduleNode) -> isl::Result<ScheduleNode> {
        self.mark_with(node, &[])
    }

    /// The same with arrays of which each thread has a copy.
    fn mark_with(&self, node: ScheduleNode, copies: &[Copied]) -> isl::Result<ScheduleNode> {
        let node = if node.band_n_member()? > 1 { node.band_split(1)? } else { node };
        node.insert_mark(Id::new(&self.scop.ctx, &threads_name(copies))?)
    }

    /// A band above a node over strips of a row that grows by steps; `None` if there is only one.
    fn strips(&self, node: &ScheduleNode, row: UnionPwAff, step: i64) -> isl::Result<Option<ScheduleNode>> {
        let length = self.length(node, &row)?;
        let size = if step == 1 && length > SHORTEST_STRIP as f64 && self.is_even(node, &row)? {
            STRIP
        } else {
            let are_several = node.get_schedule_depth()? == 0 && !self.is_box(node)?;
            self.strip_size(length, are_several, if step > 1 { step } else { GRAIN })
        };
        if length <= size as f64 {
            return Ok(None);
        }
        let strip = tiles(self.scop, row, size)?;
        over_tiles(node.clone().insert_partial_schedule(band_of(self.scop, vec![strip])?)?).map(Some)
    }

    /// How many values a row can have below a node: exactly if that is a number within reason, or else by estimate.
    fn length(&self, node: &ScheduleNode, row: &UnionPwAff) -> isl::Result<f64> {
        let values = tree::values(node, row.clone())?;
        let end = |val: Val| val.to_string().parse::<f64>();
        Ok(match (end(values.clone().dim_min_val(0)?), end(values.dim_max_val(0)?)) {
            (Ok(first), Ok(last)) if last - first < LONGEST_KNOWN => last - first + 1.0,
            _ => self.longest(),
        })
    }

    /// So that each thread gets one of so many iterations, or a few where some have more to do. Short strips break up rows that
    /// lie in one piece in memory; inside of other loops that costs more than it helps.
    fn strip_size(&self, length: f64, are_several: bool, grain: i64) -> i64 {
        let count = if are_several { TILES * self.threads() } else { self.threads() };
        let size = (length / count).ceil() as i64;
        (size.clamp(SHORTEST_STRIP, LONGEST_STRIP) + grain - 1) / grain * grain
    }

    /// Bands whose first two loops run over tiles that may have diagonals: of two loops over tiles; of one and another that
    /// is made; or of two that are made.
    fn wavefronts(&self, node: &ScheduleNode) -> isl::Result<Vec<Wave>> {
        let row = |node: &ScheduleNode, at| node.band_get_partial_schedule()?.get_at(at);
        let made = |node: &ScheduleNode, at| tiles(self.scop, row(node, at)?, WAVE_SIZE);
        let count = node.band_n_member()?;
        let mut waves: Vec<Wave> = self.diamonds(node)?.into_iter().collect();
        if !is_tiled(node)? {
            if count > 1 && node.band_get_permutable()? {
                let all = band_of(self.scop, vec![made(node, 0)?, made(node, 1)?])?;
                let band = over_tiles(node.clone().insert_partial_schedule(all)?)?;
                waves.push(Wave { band, sizes: [WAVE_SIZE; 2], is_moved: true, is_diamond: false });
            }
        } else if count > 1 {
            let sizes = [step(node, 0)?, step(node, 1)?];
            waves.push(Wave { band: node.clone(), sizes, is_moved: false, is_diamond: false });
        } else {
            let below = node.get_child(0)?;
            let members = match below.get_type()? {
                ScheduleNodeType::Band => below.band_n_member()?,
                _ => 0,
            };
            let size = step(node, 0)?;
            for at in 0..members {
                if tiles(self.scop, row(&below, at)?, size)?.plain_is_equal(&row(node, 0)?)? {
                    // Tiles of the same loop have no diagonals.
                    continue;
                }
                waves.push(match size < WAVE_SIZE {
                    true => self.wave_of_strips(node, row(&below, at)?, size)?,
                    false => {
                        let all = band_of(self.scop, vec![row(node, 0)?, made(&below, at)?])?;
                        Wave {
                            band: with_rows(node, all)?,
                            sizes: [size, WAVE_SIZE],
                            is_moved: true,
                            is_diamond: false,
                        }
                    }
                });
            }
        }
        Ok(waves)
    }

    /// Tiles between the two sides of a cone, if the dependences go in one.
    fn diamonds(&self, node: &ScheduleNode) -> isl::Result<Option<Wave>> {
        if !self.may_be_diamonds || !node.band_get_permutable()? {
            return Ok(None);
        }
        let (rows, loops) = match is_tiled(node)? {
            true => (rows_inside(&node.get_child(0)?)?, members(node)?),
            false => (rows_inside(node)?, Vec::new()),
        };
        let dependences = tree::inside(&self.prover.dependences.strict()?, node)?;
        let Some(Cone { steps, across, side, slope }) = diamond::cone(self.scop, &dependences, &rows)? else {
            return Ok(None);
        };
        let (time, row) = (&rows[steps], &rows[across]);
        let (tall, wide) = (self.tiled_by(node, &loops, time)?, self.tiled_by(node, &loops, row)?);
        let size_of = |tiled: Option<usize>| tiled.map(|at| step(node, at)).transpose();
        let (height, width) = (size_of(tall)?, size_of(wide)?);
        let both = tree::rows(self.scop, &band_of(self.scop, vec![time.clone(), row.clone()])?)?;
        let cells = extent(&both[1], Some(&both[0]), self.models);
        let size = match (&self.options.tiling, width) {
            (Tiling::Sizes(_), Some(width)) => width,
            _ => {
                let is_known = self.scop.params.is_empty();
                Diamonds { slope, tiles: height.zip(width), cells, is_known }.size(self.threads())
            }
        };
        let others = (0..loops.len()).filter(|at| ![tall, wide].contains(&Some(*at)));
        let mut all = vec![tiles(self.scop, side, size)?, tiles(self.scop, row.clone(), size)?];
        all.extend(others.map(|at| loops[at].clone()));
        let all = band_of(self.scop, all)?;
        let band = match loops.is_empty() {
            true => over_tiles(node.clone().insert_partial_schedule(all)?)?,
            false => with_rows(node, all)?,
        };
        Ok(Some(Wave { band, sizes: [size; 2], is_moved: true, is_diamond: true }))
    }

    /// Which of these loops over tiles at a node has tiles of a row.
    fn tiled_by(
        &self,
        node: &ScheduleNode,
        loops: &[UnionPwAff],
        row: &UnionPwAff,
    ) -> isl::Result<Option<usize>> {
        for (at, tiled) in loops.iter().enumerate() {
            if tiles(self.scop, row.clone(), step(node, at)?)?.plain_is_equal(tiled)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Tiles of a few strips, which are of so many rows, and of another loop: a strip is too little to do between two diagonals.
    fn wave_of_strips(&self, strips: &ScheduleNode, other: UnionPwAff, size: i64) -> isl::Result<Wave> {
        let strip = strips.band_get_partial_schedule()?.get_at(0)?;
        let each = self.length(strips, &strip)? / WAVE_TILES;
        let size = ((each as i64).clamp(WAVE_SIZE, LONGEST_STRIP) / size).max(1) * size;
        let wide = (self.length(strips, &other)? / (TILES_ACROSS * self.threads())) as i64;
        let wide = (wide.min(LONGEST_STRIP) / size).max(1) * size;
        let all = vec![tiles(self.scop, strip, size)?, tiles(self.scop, other, wide)?];
        let band = over_tiles(strips.clone().insert_partial_schedule(band_of(self.scop, all)?)?)?;
        Ok(Wave { band, sizes: [size, wide], is_moved: true, is_diamond: false })
    }
}

/// Loops over tiles whose diagonals may run in threads.
struct Wave {
    band: ScheduleNode,
    sizes: [i64; 2],
    /// Whether the band is a new one.
    is_moved: bool,
    /// Whether the tiles on a diagonal are all there are at that time.
    is_diamond: bool,
}

/// Whether no bound of a set joins a counter with one of the others, except these.
fn bounds_are_apart(domain: &Set, counter: usize, except: &[usize]) -> isl::Result<bool> {
    let others: Vec<usize> =
        (0..domain.dim(DimType::Set)?).filter(|at| *at != counter && !except.contains(at)).collect();
    let mut are_apart = true;
    domain.foreach_basic_set(|piece| {
        piece.foreach_constraint(|bound| {
            if bound.involves_dims(DimType::Set, counter, 1)? {
                for other in &others {
                    are_apart &= !bound.involves_dims(DimType::Set, *other, 1)?;
                }
            }
            Ok(())
        })
    })?;
    Ok(are_apart)
}

/// The rows of a band.
fn members(node: &ScheduleNode) -> isl::Result<Vec<UnionPwAff>> {
    let rows = node.band_get_partial_schedule()?;
    (0..node.band_n_member()?).map(|at| rows.get_at(at)).collect()
}

/// The rows of the bands at and below a node that are not over tiles, down to where the tree branches, and that of the loops there if
/// all branches have one.
fn rows_inside(node: &ScheduleNode) -> isl::Result<Vec<UnionPwAff>> {
    let (mut rows, mut node) = (Vec::new(), node.clone());
    loop {
        match node.get_type()? {
            ScheduleNodeType::Band if !is_tiled(&node)? => rows.extend(members(&node)?),
            ScheduleNodeType::Band | ScheduleNodeType::Mark => {}
            ScheduleNodeType::Sequence => {
                rows.extend(distributed(&node)?);
                return Ok(rows);
            }
            _ => return Ok(rows),
        }
        node = node.child(0)?;
    }
}

/// The first row of the bands in all parts of a sequence, if each has one.
fn distributed(sequence: &ScheduleNode) -> isl::Result<Option<UnionPwAff>> {
    let mut whole: Option<UnionPwAff> = None;
    for at in 0..sequence.n_children()? {
        let part = sequence.get_child(at)?.get_child(0)?;
        if part.get_type()? != ScheduleNodeType::Band {
            return Ok(None);
        }
        let row =
            part.band_get_partial_schedule()?.get_at(0)?.intersect_domain(part.get_domain()?.universe()?)?;
        whole = Some(match whole {
            Some(others) => others.union_add(row)?,
            None => row,
        });
    }
    Ok(whole)
}

/// Whether a band's loops run over tiles.
fn is_tiled(node: &ScheduleNode) -> isl::Result<bool> {
    Ok(node.band_member_get_ast_loop_type(0)? == AstLoopType::Atomic)
}

/// By how much a member of a band grows at least: for a loop over tiles, their size.
fn step(node: &ScheduleNode, member: usize) -> isl::Result<i64> {
    let row = node.band_get_partial_schedule()?.get_at(member)?;
    let text = tree::values(node, row)?.get_stride(0)?.to_string();
    Ok(text.parse().unwrap_or(1).max(1))
}

/// The rows of the bands below a band, down to where the tree branches, and by how much each grows.
fn rows_below(node: &ScheduleNode) -> isl::Result<Vec<(UnionPwAff, i64)>> {
    let mut found = Vec::new();
    let mut below = node.get_child(0)?;
    while matches!(below.get_type()?, ScheduleNodeType::Band | ScheduleNodeType::Mark) {
        if below.get_type()? == ScheduleNodeType::Band {
            let rows = below.band_get_partial_schedule()?;
            let is_tiled = is_tiled(&below)?;
            for at in 0..below.band_n_member()? {
                found.push((rows.get_at(at)?, if is_tiled { step(&below, at)? } else { 1 }));
            }
        }
        below = below.get_child(0)?;
    }
    Ok(found)
}

/// The band with a member at the front.
fn first(node: &ScheduleNode, member: usize) -> isl::Result<ScheduleNode> {
    let old = node.band_get_partial_schedule()?;
    let count = node.band_n_member()?;
    let order: Vec<usize> = [member].into_iter().chain((0..count).filter(|at| *at != member)).collect();
    let mut new = old.clone();
    for (at, &from) in order.iter().enumerate() {
        new = new.set_at(at, old.get_at(from)?)?;
    }
    with_rows(node, new)
}

/// A band of loops over tiles with other rows.
fn with_rows(node: &ScheduleNode, rows: MultiUnionPwAff) -> isl::Result<ScheduleNode> {
    over_tiles(node.clone().delete()?.insert_partial_schedule(rows)?)
}
