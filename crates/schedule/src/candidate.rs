//! From dependences to a few schedules worth looking at, and for each the best changes of its innermost bands.
//!
//! The candidates are the program's own order, whole and distributed ([`crate::tree::distributed`]), and what isl's scheduler (a variant of U. Bondhugula et al., "A practical
//! automatic polyhedral parallelizer and locality optimizer", 2008) finds when it fuses as much as it can and
//! when it fuses nothing. For each leaf band the order of its members, the tile sizes, blocks in registers, rows that are written
//! out, and whether the innermost loop is distributed over the parts or split are chosen by [`crate::cost`]. The last candidate is the
//! own order with rows written out in loops around others ([`Candidate::jammed`]).

use crate::affine::{Row, StmtModel, reduced};
use crate::apart;
use crate::block::Blocker;
use crate::cost::{Cost, Jammed, LoopRef, Pace, Path, WrittenOut, cost, cost_up_to, paces};
use crate::jam::{Jam, Rows, jams};
use crate::leaves::Leaves;
use crate::shrink::Shrink;
use crate::times::{Position, Values};
use crate::tree::{
    Band, Block, Bonds, Change, Freedom, Planned, Shape, Step, Strip, inside, is_one_component,
};
use crate::{Fusion, Machine, Options, Tiling};
use isl::{Ctx, DimType, Error, Map, Schedule, ScheduleConstraints, Set, UnionMap, UnionSet};
use model::Scop;
use std::collections::{HashMap, HashSet};

/// The deepest statement for which isl's scheduler is asked. Its integer programs take time that grows by an order of
/// magnitude with each further dimension and that the count of operations does not see: seconds at 6.
const DEEPEST: usize = 5;

/// The most that isl's scheduler may take, whatever the budget: ludcmp of `bench/kernels` needs 62,000
/// operations, and an operation on the numbers of a problem that is too hard takes longer and longer.
pub const ISL_OPERATIONS: u64 = 80_000;

/// The most counters of all statements together for which isl's scheduler is asked: its programs have some variables
/// for each, and the time grows with its cube. The kernels of `bench/kernels` for which it finds an order that is taken in one thread have
/// up to 18; with 28 to 30 (adi, deriche, lbm) it took up to a tenth of a second to find none, or none that pays.
const COUNTERS: usize = 20;

/// The same where loops are to run in threads: an order with a parallel loop outside pays more (lbm).
const COUNTERS_IN_THREADS: usize = 32;

/// Whether the time that isl's scheduler takes is within reason.
pub fn isl_can_schedule(models: &[StmtModel], threads: u32) -> bool {
    let most = if threads > 1 { COUNTERS_IN_THREADS } else { COUNTERS };
    let counters = || models.iter().map(|model| model.extents.len());
    counters().all(|count| count <= DEEPEST) && counters().sum::<usize>() <= most
}

/// isl's scheduler under the given settings, on a program without large numbers (`shrink`): whether the order is legal must
/// be proved. The context's own settings come back afterwards.
pub fn isl_schedule(scop: &Scop, bonds: &Bonds, fusion: Fusion) -> isl::Result<Schedule> {
    let ctx = &scop.ctx;
    let serialize = i32::from(fusion == Fusion::Min);
    let _restored = Settings::set(
        ctx,
        &[
            (Ctx::get_schedule_serialize_sccs, Ctx::set_schedule_serialize_sccs, serialize),
            (Ctx::get_schedule_whole_component, Ctx::set_schedule_whole_component, 0),
            (Ctx::get_schedule_maximize_band_depth, Ctx::set_schedule_maximize_band_depth, 1),
            (Ctx::get_schedule_maximize_coincidence, Ctx::set_schedule_maximize_coincidence, 1),
            (Ctx::get_schedule_outer_coincidence, Ctx::set_schedule_outer_coincidence, 0),
            (Ctx::get_schedule_treat_coalescing, Ctx::set_schedule_treat_coalescing, 1),
            (Ctx::get_schedule_split_scaled, Ctx::set_schedule_split_scaled, 1),
            (Ctx::get_schedule_max_coefficient, Ctx::set_schedule_max_coefficient, 10),
            (Ctx::get_schedule_max_constant_term, Ctx::set_schedule_max_constant_term, 20),
        ],
    )?;
    // What is known about the parameters keeps the relations small.
    let small = |relation: &UnionMap| relation.clone().gist_params(scop.context.clone())?.coalesce();
    let domain = scop.domain()?;
    let order = small(&bonds.order)?;
    let apart = if bonds.are_same { order.clone() } else { small(&bonds.apart)? };
    let whole = UnionMap::from_domain(domain.clone())?;
    let numbers = if bonds.are_same { &[&whole, &order][..] } else { &[&whole, &order, &apart] };
    let is_one = is_one_component(scop, &bonds.order)?;
    let Some(shrink) = Shrink::of(numbers)? else {
        return from_constraints(scop.context.clone(), domain, order, apart, (is_one, bonds.are_same));
    };
    let context = shrink.context(scop.context.clone())?;
    let order = shrink.map(&order)?;
    let apart = if bonds.are_same { order.clone() } else { shrink.map(&apart)? };
    let found =
        from_constraints(context, shrink.set(domain.clone())?, order, apart, (is_one, bonds.are_same))?;
    shrink.undo(&found, &domain)
}

/// `is_one`: whether all statements depend on each other; `are_same`: whether the two relations are.
fn from_constraints(
    context: Set,
    domain: UnionSet,
    order: UnionMap,
    apart: UnionMap,
    (is_one, are_same): (bool, bool),
) -> isl::Result<Schedule> {
    let on = |order: UnionMap, apart: UnionMap| {
        let constraints = ScheduleConstraints::on_domain(domain)?.set_context(context)?;
        constraints.set_validity(order)?.set_coincidence(apart)
    };
    // Stencils: what is near in any order need not be brought near, which would take a third of the time.
    let near = if is_one { distances(&apart)? } else { None };
    let constraints = match near {
        Some(near) if are_same => on(near.clone(), near)?,
        Some(near) => on(order, near)?,
        None => on(order, apart.clone())?.set_proximity(apart)?,
    };
    constraints.compute_schedule()
}

/// The dependences in pieces of one distance each; `None` if some are further apart than a few iterations. What
/// a piece demands of an order, isl finds for one counter after the other; for all distances of a stencil at once it eliminates
/// variables of all counters together, which takes ten times as long.
fn distances(dependences: &UnionMap) -> isl::Result<Option<UnionMap>> {
    let mut pieces = UnionMap::empty(dependences.get_space()?)?;
    for map in dependences.get_map_list()?.to_vec()? {
        if map.dim(DimType::In)? != map.dim(DimType::Out)? {
            return Ok(None);
        }
        let same = map.clone().reset_tuple_id(DimType::In)?.reset_tuple_id(DimType::Out)?;
        let params = same.dim(DimType::Param)?;
        let deltas = same.deltas()?.project_out(DimType::Param, 0, params)?;
        if !deltas.is_bounded()? {
            return Ok(None);
        }
        pieces = pieces.union(by_distance(map, &deltas)?)?;
    }
    Ok(Some(pieces))
}

/// A relation in one piece for each distance; in one piece if they are too many.
fn by_distance(map: Map, distances: &Set) -> isl::Result<UnionMap> {
    let mut all = Vec::new();
    let listed = distances.foreach_point(|distance| {
        all.push(distance);
        if all.len() <= DISTANCES { Ok(()) } else { Err(Error::other("too many")) }
    });
    if all.len() > DISTANCES {
        return UnionMap::from_map(map);
    }
    listed?;
    let [from, to] = [map.get_tuple_id(DimType::In)?, map.get_tuple_id(DimType::Out)?];
    let mut pieces = UnionMap::empty(map.get_space()?)?;
    for distance in all {
        let apart = Set::from_point(distance)?.translation()?;
        let apart = apart.set_tuple_id(DimType::In, from.clone())?.set_tuple_id(DimType::Out, to.clone())?;
        pieces = pieces.add_map(map.clone().intersect(apart)?)?;
    }
    Ok(pieces)
}

/// The most distances of one relation that become pieces.
const DISTANCES: usize = 32;

type Getter = fn(&Ctx) -> isl::Result<i32>;
type Setter = fn(&Ctx, i32) -> isl::Result<()>;

/// Puts a context's settings back when dropped.
struct Settings<'a> {
    ctx: &'a Ctx,
    old: Vec<(Setter, i32)>,
}

impl<'a> Settings<'a> {
    fn set(ctx: &'a Ctx, wanted: &[(Getter, Setter, i32)]) -> isl::Result<Settings<'a>> {
        let mut settings = Settings { ctx, old: Vec::new() };
        for (get, set, value) in wanted {
            let old = get(ctx)?;
            set(ctx, *value)?;
            settings.old.push((*set, old));
        }
        Ok(settings)
    }
}

impl Drop for Settings<'_> {
    fn drop(&mut self) {
        for (set, value) in &self.old {
            // Setting an option cannot fail; if it did, the worst is another schedule next time.
            let _ = set(self.ctx, *value);
        }
    }
}

/// A schedule with what is to be done to its leaf bands.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Before the changes.
    pub schedule: Schedule,
    /// Its bands.
    pub shape: Shape,
    /// What is to be done to each leaf band.
    pub changes: Vec<Planned>,
    /// Which loops around others are cut into strips of rows.
    pub jams: Vec<Jam>,
    /// The prediction for the changed schedule.
    pub cost: Cost,
}

impl Candidate {
    /// Looks at a schedule and chooses changes. With `fixed`, it stays as it is. `leaves` are those of other candidates.
    pub fn new(
        scop: &Scop,
        bonds: &Bonds,
        schedule: Schedule,
        models: &[StmtModel],
        (options, leaves): (&Options, &Leaves),
        fixed: bool,
    ) -> isl::Result<Candidate> {
        let shape = Shape::new(scop, &schedule)?;
        let mut changes = Vec::new();
        for (at, band) in shape.bands.iter().enumerate().filter(|(_, band)| band.leaf) {
            let leaf = leaves.get(scop, bonds, &shape, at, fixed)?;
            let (parts, freedom) = (&leaf.parts, &leaf.freedom);
            let chooser = Chooser { shape: &shape, models, options, at, band, parts, freedom };
            let change = match fixed {
                true => chooser.unchanged(),
                false => leaf.best(options.apart, || chooser.choose()),
            };
            changes.push(Planned { band: at, parts: parts.clone(), freedom: freedom.clone(), change });
        }
        let paths = paths(&shape, models, &changes, &[]);
        let cost = cost(models, &paths, &options.machine);
        if let (Tiling::Sizes(sizes), false) = (&options.tiling, fixed) {
            changes.iter_mut().for_each(|planned| override_sizes(sizes, planned));
        }
        Ok(Candidate { schedule, shape, changes, jams: Vec::new(), cost })
    }

    /// The same with loops around others cut into strips of rows where that is legal and makes it cheaper; `None` if it is so
    /// nowhere. The bands inside of such loops stay as they are. Sums that would go through memory are left alone: a factorization by
    /// Cholesky's method for each of many matrices had 0.2 to 0.9 of the speed.
    pub fn jammed(
        self,
        scop: &Scop,
        bonds: &Bonds,
        models: &[StmtModel],
        options: &Options,
    ) -> isl::Result<Option<Candidate>> {
        let mut best = self;
        for found in jams(scop, bonds, &best.shape)? {
            if found.stmts.keys().any(|stmt| models[*stmt].sums_through_memory()) {
                continue;
            }
            for rows in STRIPS {
                let mut changes = best.changes.clone();
                for planned in changes.iter_mut().filter(|planned| found.leaves.contains(&planned.band)) {
                    planned.change = Change::none(planned.change.order.len());
                }
                let mut jams = best.jams.clone();
                jams.retain(|jam| jam.band != found.band);
                jams.push(Jam { rows, ..found.clone() });
                let cost = cost(models, &paths(&best.shape, models, &changes, &jams), &options.machine);
                if cost.total() < CLEARLY * best.cost.total() {
                    best = Candidate { changes, jams, cost, ..best };
                }
            }
        }
        Ok((!best.jams.is_empty()).then_some(best))
    }
}

impl Candidate {
    /// What the program's own loops cost if LLVM writes short ones out that are innermost: then the loop around is innermost. In new
    /// loops it does not.
    pub fn cost_written_out(
        &self,
        bonds: &Bonds,
        models: &[StmtModel],
        machine: &Machine,
    ) -> isl::Result<Cost> {
        let mut paths = paths(&self.shape, models, &self.changes, &self.jams);
        let (mut is_changed, mut vector_loops) = (false, HashSet::new());
        for (path, (_, steps)) in paths.iter_mut().zip(&self.shape.paths) {
            let count = long_loops(path, &models[path.stmt]);
            if count < path.loops.len() {
                let vector = count > 0 && self.is_parallel(bonds, steps, count - 1)?;
                vector_loops.extend(path.loops[..count].last().filter(|_| vector).map(|each| each.id));
                path.written_out = Some(WrittenOut { loops: path.loops.len() - count, vector });
                is_changed = true;
            }
        }
        if !is_changed {
            return Ok(self.cost);
        }
        // The loop around is innermost then, also for what stands beside the short ones.
        for path in paths.iter_mut().filter(|path| path.written_out.is_none()) {
            path.vector |= path.loops.last().is_some_and(|last| vector_loops.contains(&last.id));
        }
        let written_out = cost(models, &paths, machine);
        Ok(if written_out.total() < self.cost.total() { written_out } else { self.cost })
    }

    /// Whether a loop of a plain candidate is parallel; by its number on the way to a statement.
    fn is_parallel(&self, bonds: &Bonds, steps: &[Step], at: usize) -> isl::Result<bool> {
        let bands = steps.iter().filter_map(|step| match step {
            Step::Band(number) => Some(&self.shape.bands[*number]),
            Step::Child(_) => None,
        });
        let mut first = 0;
        for band in bands {
            let Some(member) = at.checked_sub(first).filter(|member| *member < band.rows.len()) else {
                first += band.rows.len();
                continue;
            };
            let rows = band.node.band_get_partial_schedule()?;
            let mut pairs = inside(&bonds.apart, &band.node)?;
            for outer in 0..member {
                pairs = Values::of(&rows.get_at(outer)?)?.compared(&pairs, Position::Same)?;
            }
            return Values::of(&rows.get_at(member)?)?.are_equal(&pairs);
        }
        Ok(false)
    }

    /// Whether rows are written out.
    pub fn has_rows(&self) -> bool {
        !self.jams.is_empty() || self.changes.iter().any(|planned| planned.change.jam.is_some())
    }

    /// Whether cells are in registers.
    pub fn has_blocks(&self) -> bool {
        self.changes.iter().any(|planned| planned.change.block.is_some())
    }

    /// Whether rows are written out and nothing else is changed.
    pub fn is_only_written_out(&self, original: &Candidate) -> bool {
        let is_as_it_was = |Planned { change, .. }: &Planned| {
            change.jam.is_some() || *change == Change::none(change.order.len())
        };
        self.has_rows() && self.changes.iter().all(is_as_it_was) && self.has_times_of(original)
    }

    /// Whether it is the program's own order.
    pub fn is_unchanged(&self, original: &Candidate) -> bool {
        self.has_no_changes() && self.has_times_of(original)
    }

    /// Whether the loops are those of the schedule.
    pub fn has_no_changes(&self) -> bool {
        self.jams.is_empty()
            && self.changes.iter().all(|Planned { change, .. }| {
                !change.is_tiled()
                    && change.block.is_none()
                    && change.jam.is_none()
                    && !change.split
                    && !change.sink
                    && change.order.iter().enumerate().all(|(at, member)| at == *member)
            })
    }

    /// Whether the schedules are the same before the changes.
    fn has_times_of(&self, original: &Candidate) -> bool {
        let times = |candidate: &Candidate| {
            let steps = |(stmt, steps): &(usize, Vec<Step>)| {
                let mut all = Vec::new();
                for step in steps {
                    match step {
                        Step::Child(at) => all.push(format!("#{at}")),
                        Step::Band(number) => {
                            let rows = &candidate.shape.bands[*number].rows;
                            all.extend(rows.iter().filter_map(|rows| Some(rows.get(stmt)?.text.clone())));
                        }
                    }
                }
                (*stmt, all)
            };
            let mut times: Vec<_> = candidate.shape.paths.iter().map(steps).collect();
            times.sort();
            times
        };
        times(self) == times(original)
    }
}

/// Tiles as the caller wants them.
fn override_sizes(sizes: &[i64], planned: &mut Planned) {
    if planned.freedom.permutable {
        for (at, tile) in planned.change.tiles.iter_mut().enumerate() {
            *tile = sizes.get(at).or(sizes.last()).copied().filter(|size| *size > 1);
        }
    }
}

/// How many iterations a loop over a member has when the loops before it stand still: with `s` fixed, `2s + i` has as
/// many values as `i`.
fn trip(shape: &Shape, before: &[(usize, usize)], band: usize, member: usize, models: &[StmtModel]) -> f64 {
    let row_of = |(band, member): (usize, usize), stmt: &usize| -> Option<Vec<f64>> {
        let row = shape.bands[band].rows[member].get(stmt)?.coefficients.as_ref()?;
        Some(row.iter().map(|value| *value as f64).collect())
    };
    let extent = |stmt: &usize| -> Option<f64> {
        let fixed: Vec<Vec<f64>> = before.iter().filter_map(|at| row_of(*at, stmt)).collect();
        let free = reduced(row_of((band, member), stmt)?, &fixed);
        let extents = &models[*stmt].extents;
        Some(1.0 + free.iter().zip(extents).map(|(c, e)| c.abs() * (e - 1.0)).sum::<f64>())
    };
    shape.bands[band].rows[member].keys().filter_map(extent).fold(1.0, f64::max)
}

/// The paths of all statements after the changes.
fn paths(shape: &Shape, models: &[StmtModel], changes: &[Planned], jams: &[Jam]) -> Vec<Path> {
    shape.paths.iter().map(|(stmt, steps)| path(shape, models, *stmt, steps, changes, jams)).collect()
}

/// How many loops of a plain path are left if LLVM writes out short innermost ones.
fn long_loops(path: &Path, model: &StmtModel) -> usize {
    let (mut count, mut instances) = (path.loops.len(), 1.0);
    while let Some(last) = count.checked_sub(1).map(|at| &path.loops[at]) {
        let mut moving = last.row.iter().flatten().enumerate().filter(|(_, by)| **by != 0);
        instances *= last.trip;
        match (moving.next(), moving.next()) {
            (Some((counter, 1)), None) if model.few[counter] && instances <= WRITTEN_OUT => count -= 1,
            _ => break,
        }
    }
    count
}

/// Of how many instances LLVM makes straight code.
const WRITTEN_OUT: f64 = 64.0;

/// A statement's path, while it grows.
struct Walk<'a> {
    shape: &'a Shape,
    models: &'a [StmtModel],
    stmt: usize,
    /// The members that loops have gone through.
    before: Vec<(usize, usize)>,
    path: Path,
}

/// What a loop over a member is: its number must not be that of another loop.
#[derive(Clone, Copy)]
enum Over {
    Points = 0,
    Tiles = 1,
    Blocks = 2,
    /// Of statements that are not in blocks.
    Others = 3,
}

fn path(
    shape: &Shape,
    models: &[StmtModel],
    stmt: usize,
    steps: &[Step],
    changes: &[Planned],
    jams: &[Jam],
) -> Path {
    let path = Path {
        stmt,
        loops: Vec::new(),
        vector: false,
        guarded: false,
        block: false,
        jam: None,
        written_out: None,
    };
    let mut walk = Walk { shape, models, stmt, before: Vec::new(), path };
    let mut strips = None;
    for step in steps {
        let Step::Band(number) = *step else { continue };
        match changes.iter().find(|planned| planned.band == number) {
            Some(planned) => walk.changed(planned),
            None => walk.plain(number, Over::Points),
        }
        if let Some(jam) = jams.iter().find(|jam| jam.band == number) {
            walk.strips((number, shape.bands[number].rows.len() - 1), jam.rows as f64);
            strips = Some(jam);
        }
    }
    if let Some(jam) = strips {
        let is_inside = walk.path.loops.last().is_some_and(|each| each.step == 1.0);
        walk.rows((jam.band, shape.bands[jam.band].rows.len() - 1), jam.rows as f64);
        let rows = jam.stmts.get(&stmt).copied().unwrap_or_default();
        walk.path.vector = is_inside && rows.is_vector;
        walk.path.jam = is_inside.then_some(Jammed { rows_wait: rows.wait });
    }
    walk.path
}

impl Walk<'_> {
    /// How many iterations a member has inside of what is around it, which it then is, too.
    fn enter(&mut self, band: usize, member: usize) -> f64 {
        let trip = trip(self.shape, &self.before, band, member, self.models);
        self.before.push((band, member));
        trip
    }

    fn push(&mut self, over: Over, (band, member): (usize, usize), step: f64, trip: f64) {
        let row = self.shape.bands[band].rows[member].get(&self.stmt);
        self.path.loops.push(LoopRef {
            // Numbers that no two loops share.
            id: (band * 64 + member) * 4 + over as usize,
            row: row.and_then(|row| row.coefficients.clone()),
            constant: row.map_or(0, |row| row.constant),
            step,
            trip,
        });
    }

    fn plain(&mut self, band: usize, over: Over) {
        for member in 0..self.shape.bands[band].rows.len() {
            let trip = self.enter(band, member);
            self.push(over, (band, member), 1.0, trip);
        }
    }

    /// The loop entered last becomes one over strips.
    fn strips(&mut self, at: (usize, usize), rows: f64) {
        if let Some(whole) = self.path.loops.pop() {
            self.push(Over::Blocks, at, rows, (whole.trip / rows).ceil().max(1.0));
        }
    }

    /// The loop over the rows of a strip.
    fn rows(&mut self, at: (usize, usize), rows: f64) {
        self.push(Over::Points, at, 1.0, rows);
    }

    fn changed(&mut self, planned: &Planned) {
        let Planned { band, change, .. } = planned;
        if change.block.is_some() && !change.blocked.contains(&self.stmt) {
            // It is in a few tiles only: the loops over all of them are those of the blocks.
            return self.plain(*band, Over::Others);
        }
        let wholes: Vec<f64> = change.order.iter().map(|member| self.enter(*band, *member)).collect();
        let tile = |at: usize| change.tiles[at].map(|size| size as f64);
        for (at, member) in change.order.iter().enumerate() {
            if let Some(size) = tile(at) {
                self.push(Over::Tiles, (*band, *member), size, (wholes[at] / size).ceil().max(1.0));
            }
        }
        let insides: Vec<f64> = wholes
            .iter()
            .enumerate()
            .map(|(at, whole)| tile(at).map_or(*whole, |size| size.min(*whole)))
            .collect();
        let points = change.order.len()
            - if change.block.is_some() {
                3
            } else if change.jam.is_some() {
                2
            } else {
                0
            };
        for (at, member) in change.order[..points].iter().enumerate() {
            self.push(Over::Points, (*band, *member), 1.0, insides[at]);
        }
        match (change.block, change.jam) {
            (Some(block), _) => self.block(planned, block, &insides),
            (None, Some(strip)) => self.jam(planned, strip, &insides),
            (None, None) => self.innermost(planned),
        }
    }

    /// The loops over strips, along the rows, and over the rows of a strip.
    fn jam(&mut self, planned: &Planned, strip: Strip, insides: &[f64]) {
        let first = insides.len() - 2;
        let [row, along] = [0, 1].map(|at| planned.change.order[first + at]);
        let rows = strip.rows as f64;
        self.push(Over::Blocks, (planned.band, row), rows, (insides[first] / rows).ceil());
        self.push(Over::Points, (planned.band, along), 1.0, insides[first + 1]);
        if strip.is_skewed {
            self.skew();
        }
        self.rows((planned.band, row), rows);
        let part = planned.parts.iter().position(|stmts| stmts.contains(&self.stmt)).unwrap_or(0);
        let Rows { wait, is_vector } = planned.rows(part, row, along, strip.is_skewed);
        (self.path.vector, self.path.jam) = (is_vector, Some(Jammed { rows_wait: wait }));
    }

    /// The loops over blocks, over terms, and inside of a block.
    fn block(&mut self, planned: &Planned, block: Block, insides: &[f64]) {
        let first = insides.len() - 3;
        let [summed, row, column] = [0, 1, 2].map(|at| (planned.band, planned.change.order[first + at]));
        let [terms, rows, columns] = [0, 1, 2].map(|at| insides[first + at]);
        let (height, width) = (block.height as f64, block.width as f64);
        self.push(Over::Blocks, column, width, (columns / width).ceil());
        self.push(Over::Blocks, row, height, (rows / height).ceil());
        self.push(Over::Points, summed, 1.0, terms);
        self.push(Over::Points, row, 1.0, height);
        self.push(Over::Points, column, 1.0, width);
        (self.path.vector, self.path.block) = (true, true);
    }

    /// The last loop moves what the one before it moves, too.
    fn skew(&mut self) {
        if let [.., strips, along] = &mut self.path.loops[..] {
            let sum = |(a, b): (&Vec<i64>, &Vec<i64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
            along.row = strips.row.as_ref().zip(along.row.as_ref()).map(sum);
            along.constant += strips.constant;
        }
    }

    /// What is special about the innermost loop of a band: it may be one of its part's own, and parallel.
    fn innermost(&mut self, planned: &Planned) {
        let Planned { band: number, parts, change, .. } = planned;
        let (Some(last), Some(member)) = (self.path.loops.last_mut(), change.order.last()) else { return };
        let part = parts.iter().position(|stmts| stmts.contains(&self.stmt)).unwrap_or(0);
        if change.sink {
            last.id = usize::MAX - (number * 256 + part);
        }
        self.path.vector = planned.parallel()[part];
        let rows = &self.shape.bands[*number].rows[*member];
        let still = |stmt: &usize| {
            let row = rows.get(stmt).and_then(|row| row.coefficients.as_ref());
            row.is_none_or(|row| row.iter().all(|value| *value == 0))
        };
        let stmts = parts.concat();
        self.path.guarded = !change.sink && stmts.iter().any(still) && !stmts.iter().all(still);
    }
}

/// Chooses the change of one leaf band.
struct Chooser<'a> {
    shape: &'a Shape,
    models: &'a [StmtModel],
    options: &'a Options,
    at: usize,
    band: &'a Band,
    parts: &'a [Vec<usize>],
    freedom: &'a Freedom,
}

impl Chooser<'_> {
    fn unchanged(&self) -> Change {
        Change::none(self.band.rows.len())
    }

    /// The cheapest change. Orders are compared untiled first; the best of them are tiled and compared again.
    fn choose(&self) -> Change {
        let unchanged = self.unchanged();
        let split = self.freedom.split.map(|_| Change { split: true, ..unchanged.clone() });
        let mut orders = vec![(self.cost_of(&unchanged), unchanged)];
        orders.extend(self.orders().into_iter().map(|change| (self.cost_of(&change), change)));
        if self.options.tiling != Tiling::Off && self.freedom.permutable {
            orders.sort_by(|a, b| a.0.total_cmp(&b.0));
            orders.truncate(TILED_ORDERS);
            orders = orders.into_iter().map(|(cost, change)| self.tiled(change, cost)).collect();
            orders.extend(self.blocked().into_iter().map(|change| (self.cost_of(&change), change)));
            let mut strips: Vec<_> =
                self.strips().into_iter().map(|change| (self.cost_of(&change), change)).collect();
            strips.sort_by(|a, b| a.0.total_cmp(&b.0));
            strips.truncate(TILED_STRIPS);
            // Of two loops, the one along the rows stays whole, and to tile the other changes nothing.
            let tiled = |(cost, change): (f64, Change)| match change.order.len() {
                0..=2 => (cost, change),
                _ => self.tiled(change, cost),
            };
            orders.extend(strips.into_iter().map(tiled));
        }
        orders.extend(split.map(|change| (self.cost_of(&change), change)));
        let mut best: Option<(f64, Change)> = None;
        for (cost, change) in orders {
            if best.as_ref().is_none_or(|(least, _)| cost < CLEARLY * least) {
                best = Some((cost, change));
            }
        }
        best.map_or_else(|| self.unchanged(), |(_, change)| change)
    }

    /// The orders to try: each member innermost that can be, sunk or not.
    fn orders(&self) -> Vec<Change> {
        let count = self.band.rows.len();
        let mut found = Vec::new();
        for inner in (0..count).rev() {
            if !self.freedom.permutable && inner + 1 != count {
                continue;
            }
            let mut order: Vec<usize> = (0..count).filter(|member| *member != inner).collect();
            order.push(inner);
            let change = Change { order, ..Change::none(count) };
            if self.freedom.sunk[inner].is_some() {
                found.push(Change { sink: true, ..change.clone() });
            }
            found.push(change);
        }
        found
    }

    /// With rows written out.
    fn strips(&self) -> Vec<Change> {
        if self.options.tiling != Tiling::Auto || !self.options.rows {
            return Vec::new();
        }
        let count = self.band.rows.len();
        let mut found = Vec::new();
        for (row, along) in (0..count).flat_map(|row| (0..count).map(move |along| (row, along))) {
            if row != along && (!self.freedom.coincident[along] || self.is_used_again(row, along)) {
                let others = (0..count).filter(|member| ![row, along].contains(member));
                let order: Vec<usize> = others.chain([row, along]).collect();
                let is_skewed = self.rows_wait(row, along);
                let strip = |rows| Some(Strip { rows, is_skewed });
                let change = Change { order, ..Change::none(count) };
                found.extend(STRIPS.map(|rows| Change { jam: strip(rows), ..change.clone() }));
            }
        }
        found
    }

    /// Whether something that moves along rows is the same for all of them.
    fn is_used_again(&self, row: usize, along: usize) -> bool {
        self.parts.concat().into_iter().any(|stmt| {
            let rows =
                |member: usize| self.band.rows[member].get(&stmt).and_then(|row| row.coefficients.clone());
            let all: Vec<_> = (0..self.band.rows.len()).map(rows).collect();
            paces(&self.models[stmt], &all)
                .iter()
                .any(|paces| paces[row] == Pace::Still && paces[along] != Pace::Still)
        })
    }

    /// Whether rows of some part wait for each other if they are not skewed.
    fn rows_wait(&self, row: usize, along: usize) -> bool {
        let planned = self.planned(&self.unchanged());
        (0..self.parts.len()).any(|part| planned.rows(part, row, along, false).wait)
    }

    /// With blocks of cells in registers.
    fn blocked(&self) -> Vec<Change> {
        if self.options.tiling != Tiling::Auto || !self.options.registers {
            return Vec::new();
        }
        match self.parts.concat()[..] {
            [stmt] => self.blocks_of(stmt, self.freedom, |_| true),
            _ => self.blocks_apart().into_iter().collect(),
        }
    }

    /// With blocks of all sums that can have the same, in tiles that these have for themselves.
    fn blocks_apart(&self) -> Option<Change> {
        if self.band.rows.len() != 3 || !self.freedom.permutable || !self.options.apart {
            return None;
        }
        let mut found: Option<(Change, Vec<usize>)> = None;
        for (part, stmts) in self.parts.iter().enumerate() {
            let [stmt] = stmts[..] else { return None };
            let mut freedom = self.freedom.clone();
            for (parallel, sunk) in freedom.parallel.iter_mut().zip(&freedom.sunk) {
                *parallel |= sunk.as_ref().is_some_and(|sunk| sunk.parallel[part]);
            }
            for change in self.blocks_of(stmt, &freedom, |of| of.is_in_place()) {
                let (first, all) = found.get_or_insert_with(|| (change.clone(), Vec::new()));
                if (&first.order, first.block) == (&change.order, change.block) {
                    all.push(stmt);
                }
            }
        }
        let (first, stmts) = found?;
        let sink = self.freedom.sunk[*first.order.last()?].is_some();
        apart::change(first, stmts, sink, &self.trips())
    }

    fn trips(&self) -> Vec<f64> {
        (0..self.band.rows.len()).map(|member| trip(self.shape, &[], self.at, member, self.models)).collect()
    }

    fn blocks_of(&self, stmt: usize, freedom: &Freedom, wanted: fn(&Blocker<'_>) -> bool) -> Vec<Change> {
        let row = |rows: &HashMap<usize, Row>| rows.get(&stmt).and_then(|row| row.coefficients.clone());
        let (trips, rows) = (self.trips(), self.band.rows.iter().map(row).collect());
        let (model, machine) = (&self.models[stmt], self.machine());
        let blocker = Blocker { stmt, model, rows, trips: &trips, freedom, machine };
        if wanted(&blocker) { blocker.changes() } else { Vec::new() }
    }

    /// The best tile sizes for this order: for the first two members at once, then one member after the other, as long as it
    /// gets better.
    fn tiled(&self, start: Change, start_cost: f64) -> (f64, Change) {
        let members: Vec<(usize, usize)> = start.order.iter().map(|member| (self.at, *member)).collect();
        let wholes: Vec<f64> = (0..members.len())
            .map(|at| trip(self.shape, &members[..at], self.at, start.order[at], self.models))
            .collect();
        let shortest = match start.jam {
            Some(_) => i64::MAX,
            None if self.is_serial(&start) => SHORTEST_SUM,
            None => SHORTEST_ROW,
        };
        let tried = HashMap::from([(start.tiles.clone(), start_cost)]);
        let planned = [self.planned(&start)];
        let (best, least) = (start.clone(), start_cost);
        let mut search = Search { chooser: self, wholes, shortest, planned, best, least, tried };
        search.pairs();
        for _ in 0..2 {
            let before = search.least;
            for at in 0..search.wholes.len() {
                TILE_SIZES.iter().for_each(|size| search.attempt(&[(at, *size)]));
            }
            if search.least >= before {
                break;
            }
        }
        let Search { best, least, .. } = search;
        // Partial tiles and more code must be paid for, too.
        if least < start_cost * TILING_PAYS { (least, best) } else { (start_cost, start) }
    }

    fn planned(&self, change: &Change) -> Planned {
        let (parts, freedom) = (self.parts.to_vec(), self.freedom.clone());
        Planned { band: self.at, parts, freedom, change: change.clone() }
    }

    /// Whether no innermost loop is parallel.
    fn is_serial(&self, change: &Change) -> bool {
        !self.planned(change).parallel().contains(&true)
    }

    fn cost_of(&self, change: &Change) -> f64 {
        self.cost_up_to(change, f64::INFINITY)
    }

    /// What a change costs, or a part of that which is not below the limit.
    fn cost_up_to(&self, change: &Change, limit: f64) -> f64 {
        self.cost_of_planned(&[self.planned(change)], limit)
    }

    fn cost_of_planned(&self, changes: &[Planned; 1], limit: f64) -> f64 {
        let below = |steps: &[Step]| steps.contains(&Step::Band(self.at));
        let paths: Vec<Path> = self
            .shape
            .paths
            .iter()
            .filter(|(_, steps)| below(steps))
            .map(|(stmt, steps)| path(self.shape, self.models, *stmt, steps, changes, &[]))
            .collect();
        cost_up_to(self.models, &paths, self.machine(), limit).total()
    }

    fn machine(&self) -> &Machine {
        &self.options.machine
    }
}

/// Looks for tile sizes.
struct Search<'a> {
    chooser: &'a Chooser<'a>,
    /// How many iterations each loop has.
    wholes: Vec<f64>,
    /// The least tile size of the innermost one.
    shortest: i64,
    /// What is being tried.
    planned: [Planned; 1],
    best: Change,
    least: f64,
    /// What these tile sizes cost, or a part of it that was too much already.
    tried: HashMap<Vec<Option<i64>>, f64>,
}

impl Search<'_> {
    /// Steps in time keep what they touch only if the loop inside of them is tiled as well: neither of the two pays alone.
    fn pairs(&mut self) {
        if self.wholes.len() > 2 {
            for first in PAIRED_SIZES {
                PAIRED_SIZES.iter().for_each(|second| self.attempt(&[(0, first), (1, *second)]));
            }
        }
    }

    /// The best so far with other sizes of some members.
    fn attempt(&mut self, sizes: &[(usize, i64)]) {
        let mut change = self.best.clone();
        for (at, size) in sizes {
            let is_innermost = at + 1 == self.wholes.len();
            let is_row = at + 2 == self.wholes.len();
            let is_short = is_innermost && (2..self.shortest).contains(size)
                || is_row && *size > 1 && change.jam.is_some_and(|strip| *size <= strip.rows);
            if is_short || *size > 1 && 2.0 * *size as f64 > self.wholes[*at] {
                return;
            }
            change.tiles[*at] = (*size > 1).then_some(*size);
        }
        let limit = self.least * CLEARLY;
        let cost = match self.tried.get(&change.tiles) {
            Some(known) => *known,
            None => {
                self.planned[0].change = change.clone();
                let cost = self.chooser.cost_of_planned(&self.planned, limit);
                self.tried.insert(change.tiles.clone(), cost);
                cost
            }
        };
        if cost < limit {
            (self.best, self.least) = (change, cost);
        }
    }
}

/// The least tile size for an innermost loop: a shorter one has hardly begun when it ends.
const SHORTEST_ROW: i64 = 64;
/// For a serial one, of which the next run begins while the operations of this one wait for each other.
const SHORTEST_SUM: i64 = 32;
const TILE_SIZES: [i64; 7] = [1, 8, 16, 32, 64, 128, 256];
const PAIRED_SIZES: [i64; 3] = [8, 16, 32];
/// How many rows are written out.
const STRIPS: [i64; 2] = [4, 8];
/// How many ways to write out rows are tiled.
const TILED_STRIPS: usize = 2;
/// How many orders of a band are tiled.
const TILED_ORDERS: usize = 4;
const CLEARLY: f64 = 0.99;
const TILING_PAYS: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stencils_dependences_come_apart_by_distance_and_nothing_is_lost() -> isl::Result<()> {
        let ctx = Ctx::new();
        let near: UnionMap = ctx.parse(
            "[n] -> { S[t, i] -> T[t, j] : 0 <= t, i < n and i - 1 <= j <= i + 1; T[t, i] -> S[t + 1, i] }",
        )?;
        let pieces = distances(&near)?.expect("near");
        assert_eq!(pieces, near);
        let count: usize =
            pieces.get_map_list()?.to_vec()?.iter().map(Map::n_basic_map).sum::<isl::Result<usize>>()?;
        assert_eq!(count, 4, "{pieces}");
        let wide: UnionMap = ctx.parse("{ S[i] -> S[j] : i < j <= i + 99 }")?;
        assert_eq!(distances(&wide)?, Some(wide), "bounded, but not taken apart");
        let far: UnionMap = ctx.parse("[n] -> { S[i] -> S[j] : 0 <= i < j < n }")?;
        assert_eq!(distances(&far)?, None);
        let other: UnionMap = ctx.parse("{ S[i] -> T[i, 0] }")?;
        assert_eq!(distances(&other)?, None);
        Ok(())
    }
}
