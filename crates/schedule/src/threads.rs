//! Loops whose iterations run in several threads.
//!
//! On each way from the root of a schedule tree to a statement at most one loop gets a mark [`THREADS`]: the outermost one
//! that is parallel, or can be made so:
//! - a member of a band that is parallel where it stands first: it goes there, if it is a loop over tiles, or else a loop over
//!   *strips* of it does, so that the order inside of a strip stays as it was chosen;
//! - if a permutable band of at least two members has none: a *wavefront*. In such a band no dependence goes backwards in any
//!   member, so tiles `(a, b)` with the same `a + b` do not depend on each other (L. Lamport, "The parallel execution of DO
//!   loops", 1974, for iterations). The loop over `a + b` runs in sequence, the one over `b` in threads.
//!
//! Loops inside of others that run in sequence must have enough to do to be worth threads each time; what that is, is
//! estimated here and computed again when the program runs.
//!
//! That a loop is parallel is proved by [`legality::parallel_is_legal`] for the band that gets the mark, and that the loops
//! may be moved by [`legality::check_with`] for the whole tree.
//!
//! # Example
//! `y[j] += A[i][j] * x[i]` in the order `(i, j)`: `i` carries the sums, `j` is parallel.
//! ```text
//! mark threads, band floor(j / 64): band i, j
//! ```

use crate::affine::{self, StmtModel};
use crate::candidate::Candidate;
use crate::cost::Cost;
use crate::legality::{self, parallel_is_legal};
use crate::tree::{self, Bonds, Step};
use crate::{Error, Options};
use dataflow::Dependences;
use isl::{
    AstLoopType, Id, MultiUnionPwAff, Schedule, ScheduleNode, ScheduleNodeType, Set, Space, UnionMap,
    UnionPwAff, UnionPwAffList, Val,
};
use model::{REGISTERS, Scop, THREADS};

/// What is left of the gain of one more thread.
const EFFICIENCY: f64 = 0.9;

/// How many operations and accesses a loop inside of others must have to be worth threads, by estimate.
const LEAST_WORK: f64 = 50_000.0;

/// Strips are as long as a multiple of this, and no longer than that.
const STRIP: i64 = 64;
const LONGEST_STRIP: i64 = 2048;

/// How many tiles each thread gets at least, if there are such that are large enough.
const TILES: f64 = 3.0;

/// The size of tiles that are large enough.
const SMALLEST_TILE: i64 = 64;

/// The sizes of tiles of a wavefront.
const WAVE_SIZE: i64 = 32;

/// What became of a schedule.
pub enum Marked {
    /// Some loops run in threads.
    Threads {
        /// The schedule with marks.
        schedule: Schedule,
        /// Whether some run over wavefronts.
        has_waves: bool,
    },
    /// None does; the reason.
    Alone(String),
}

/// The schedule with marks.
pub fn marked(
    scop: &Scop,
    dependences: &Dependences,
    schedule: &Schedule,
    options: &Options,
) -> Result<Marked, Error> {
    let models = affine::models(scop, options.estimate)?;
    let mut marker = Marker {
        scop,
        dependences,
        options,
        models: &models,
        found: 0,
        is_moved: false,
        has_waves: false,
        why_not: None,
    };
    let marked = marker.place(schedule.get_root()?)?.get_schedule()?;
    if marker.found == 0 {
        let why = marker.why_not.map_or_else(String::new, |why| format!(": {why}"));
        return Ok(Marked::Alone(format!("no outer loop is parallel and has enough to do{why}")));
    }
    let is_legal =
        !marker.is_moved || legality::check_with(scop, dependences, &marked, options.reductions)?.is_legal();
    Ok(match is_legal {
        true => Marked::Threads { schedule: marked, has_waves: marker.has_waves },
        false => Marked::Alone("loops that could run in threads cannot be put outside".to_owned()),
    })
}

/// The cost of a candidate if its loops run in as many threads as they can.
pub fn cost(
    bonds: &Bonds,
    candidate: &Candidate,
    models: &[StmtModel],
    options: &Options,
) -> isl::Result<Cost> {
    if options.threads < 2 {
        return Ok(candidate.cost);
    }
    let share = share(bonds, candidate, models, options)?;
    let all = EFFICIENCY * f64::from(options.threads);
    let left = (1.0 - share) + share / all.max(1.0);
    let Cost { work, control, l1, l2, l3 } = candidate.cost;
    Ok(Cost { work: left * work, control: left * control, l1: left * l1, l2: left * l2, l3: left * l3 })
}

/// Which part of a candidate's work is in loops that can run in threads.
fn share(bonds: &Bonds, candidate: &Candidate, models: &[StmtModel], options: &Options) -> isl::Result<f64> {
    let mut can_fork = Vec::new();
    for (at, band) in candidate.shape.bands.iter().enumerate() {
        let planned = candidate.changes.iter().find(|planned| planned.band == at);
        can_fork.push(match planned {
            Some(planned) => {
                let freedom = &planned.freedom;
                freedom.permutable
                    || planned.change.order.first().is_some_and(|first| freedom.coincident[*first])
            }
            None => tree::can_be_parallel(bonds, band)?,
        });
    }
    let (mut all, mut parallel) = (0.0, 0.0);
    for (stmt, steps) in &candidate.shape.paths {
        let model = &models[*stmt];
        let total = work(model, 0);
        all += total;
        let mut depth = 0;
        for step in steps {
            let Step::Band(band) = step else { continue };
            if can_fork[*band] && (depth == 0 || options.threads_always || work(model, depth) >= LEAST_WORK) {
                parallel += total;
                break;
            }
            depth += candidate.shape.bands[*band].rows.len();
        }
    }
    Ok(if all > 0.0 { parallel / all } else { 0.0 })
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
    dependences: &'a Dependences,
    options: &'a Options,
    models: &'a [StmtModel],
    /// How many marks there are.
    found: usize,
    /// Whether loops have changed places.
    is_moved: bool,
    /// Whether some loops run over wavefronts.
    has_waves: bool,
    /// What keeps the first loop that was looked at from being parallel.
    why_not: Option<String>,
}

impl Marker<'_> {
    /// Puts marks at or below a node; the result is where the node was. Inside of tiles there is too little to do.
    fn place(&mut self, node: ScheduleNode) -> Result<ScheduleNode, Error> {
        match node.get_type()? {
            ScheduleNodeType::Band => {
                if let Some(marked) = self.band(&node)? {
                    self.found += 1;
                    return Ok(marked);
                }
                if is_tiled(&node)? {
                    return Ok(node);
                }
            }
            ScheduleNodeType::Mark if node.mark_get_id()?.get_name()?.as_deref() == Some(REGISTERS) => {
                return Ok(node);
            }
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
        if self.is_parallel(node)? {
            let finer = self.finer(node.clone())?;
            return Ok(Some(self.mark(finer)?));
        }
        for moved in self.moved(node)? {
            if self.is_parallel(&moved)? {
                self.is_moved = true;
                let finer = if moved.band_n_member()? > 1 { self.finer(moved)? } else { moved };
                return Ok(Some(self.mark(finer)?));
            }
        }
        for wave in self.wavefronts(node)? {
            let inner = wave.band_split(1)?.child(0)?;
            if self.is_parallel(&inner)? {
                (self.is_moved, self.has_waves) = (true, true);
                return Ok(Some(self.mark(inner)?.parent()?));
            }
        }
        Ok(None)
    }

    /// The band with another loop first: another one over tiles, or one over strips of a loop in the band, or inside of tiles.
    fn moved(&self, node: &ScheduleNode) -> isl::Result<Vec<ScheduleNode>> {
        let members = |node: &ScheduleNode| -> isl::Result<usize> {
            let is_permutable = node.get_type()? == ScheduleNodeType::Band && node.band_get_permutable()?;
            if is_permutable { node.band_n_member() } else { Ok(0) }
        };
        if !is_tiled(node)? {
            return (1..members(node)?).map(|member| self.strips(node, node, member)).collect();
        }
        let mut moved = Vec::new();
        for member in 1..members(node)? {
            moved.push(first(node, member)?);
        }
        let below = node.get_child(0)?;
        for member in 0..members(&below)? {
            if !is_tiled(&below)? {
                moved.push(self.strips(node, &below, member)?);
            }
        }
        Ok(moved)
    }

    /// If the first loop is one over tiles of which there are few: one over smaller tiles, so that all threads get as much to do.
    fn finer(&mut self, node: ScheduleNode) -> isl::Result<ScheduleNode> {
        if !is_tiled(&node)? {
            return Ok(node);
        }
        let (old, size) = (node.band_get_partial_schedule()?, step(&node, 0)?);
        let mut finer = size;
        while finer % 16 == 0
            && finer > SMALLEST_TILE
            && finer as f64 * TILES * self.threads() > self.longest()
        {
            finer /= 2;
        }
        let tiled = old.get_at(0)?;
        let mut below = node.get_child(0)?;
        while finer < size && matches!(below.get_type()?, ScheduleNodeType::Band | ScheduleNodeType::Mark) {
            if below.get_type()? == ScheduleNodeType::Band {
                let rows = below.band_get_partial_schedule()?;
                for at in 0..below.band_n_member()? {
                    let row = rows.get_at(at)?;
                    if tiles(self.scop, row.clone(), size)?.plain_is_equal(&tiled)? {
                        let new = old.set_at(0, tiles(self.scop, row, finer)?)?;
                        self.is_moved = true;
                        return with_rows(&node, new);
                    }
                }
            }
            below = below.get_child(0)?;
        }
        Ok(node)
    }

    fn threads(&self) -> f64 {
        f64::from(self.options.threads)
    }

    /// How long the longest loop is, by estimate.
    fn longest(&self) -> f64 {
        self.models.iter().flat_map(|model| &model.extents).copied().fold(1.0, f64::max)
    }

    fn is_parallel(&mut self, band: &ScheduleNode) -> Result<bool, Error> {
        let verdict = parallel_is_legal(self.scop, self.dependences, band, 0)?;
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
        let node = if node.band_n_member()? > 1 { node.band_split(1)? } else { node };
        node.insert_mark(Id::new(&self.scop.ctx, THREADS)?)
    }

    /// A band over strips of a member of a band above a node.
    fn strips(&self, node: &ScheduleNode, of: &ScheduleNode, member: usize) -> isl::Result<ScheduleNode> {
        let row = of.band_get_partial_schedule()?.get_at(member)?;
        let strip = tiles(self.scop, row, self.strip_size())?;
        let node = node.clone().insert_partial_schedule(rows(self.scop, vec![strip])?)?;
        node.band_set_permutable(1)?.band_member_set_ast_loop_type(0, AstLoopType::Atomic)
    }

    /// So that each thread gets one, if the loop is the longest. Short strips break up rows that lie in one piece in memory.
    fn strip_size(&self) -> i64 {
        let each = (self.longest() / self.threads()) as i64;
        (each / STRIP + 1).saturating_mul(STRIP).clamp(STRIP, LONGEST_STRIP)
    }

    /// Bands with loops over diagonals of tiles, then along them: of two loops over tiles; of one and another that
    /// is made; or of two that are made.
    fn wavefronts(&self, node: &ScheduleNode) -> isl::Result<Vec<ScheduleNode>> {
        let partial = node.band_get_partial_schedule()?;
        let count = node.band_n_member()?;
        let row = |node: &ScheduleNode, at| node.band_get_partial_schedule()?.get_at(at);
        let mut waves = Vec::new();
        if !is_tiled(node)? {
            if count > 1 && node.band_get_permutable()? {
                let [a, b] = [0, 1].map(|at| tiles(self.scop, partial.get_at(at)?, WAVE_SIZE));
                waves.push(self.wave(node.clone(), (a?, WAVE_SIZE), (b?, WAVE_SIZE), Vec::new())?);
            }
        } else if count > 1 {
            let sizes = (step(node, 0)?, step(node, 1)?);
            let rest = (2..count).map(|at| partial.get_at(at)).collect::<isl::Result<Vec<_>>>()?;
            let (a, b) = ((partial.get_at(0)?, sizes.0), (partial.get_at(1)?, sizes.1));
            waves.push(self.wave(node.clone().delete()?, a, b, rest)?);
        } else {
            let below = node.get_child(0)?;
            if below.get_type()? == ScheduleNodeType::Band {
                for at in 0..below.band_n_member()? {
                    let made = tiles(self.scop, row(&below, at)?, WAVE_SIZE)?;
                    let known = (partial.get_at(0)?, step(node, 0)?);
                    waves.push(self.wave(node.clone().delete()?, (made, WAVE_SIZE), known, Vec::new())?);
                }
            }
        }
        Ok(waves)
    }

    /// A band above a node: diagonals of the tiles of two rows, the second row, and others.
    fn wave(
        &self,
        node: ScheduleNode,
        (a, a_size): (UnionPwAff, i64),
        (b, b_size): (UnionPwAff, i64),
        others: Vec<UnionPwAff>,
    ) -> isl::Result<ScheduleNode> {
        let number =
            |row: &UnionPwAff, size| row.clone().scale_down_val(Val::int_from_si(&self.scop.ctx, size)?);
        let diagonal = number(&a, a_size)?.add(number(&b, b_size)?)?;
        let all: Vec<_> = [diagonal, b].into_iter().chain(others).collect();
        let count = all.len();
        let mut node = node.insert_partial_schedule(rows(self.scop, all)?)?.band_set_permutable(0)?;
        for at in 0..count {
            node = node.band_member_set_ast_loop_type(at, AstLoopType::Atomic)?;
        }
        Ok(node)
    }
}

/// Whether a band's loops run over tiles.
fn is_tiled(node: &ScheduleNode) -> isl::Result<bool> {
    Ok(node.band_member_get_ast_loop_type(0)? == AstLoopType::Atomic)
}

/// By how much a member of a band grows at least: for a loop over tiles, their size.
fn step(node: &ScheduleNode, member: usize) -> isl::Result<i64> {
    let row = node.band_get_partial_schedule()?.get_at(member)?;
    let values = UnionMap::from_union_pw_aff(row)?.intersect_domain(node.get_domain()?)?.range()?;
    let text = Set::from_union_set(values)?.get_stride(0)?.to_string();
    Ok(text.parse().unwrap_or(1).max(1))
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
    let count = node.band_n_member()?;
    let mut node = node.clone().delete()?.insert_partial_schedule(rows)?.band_set_permutable(1)?;
    for at in 0..count {
        node = node.band_member_set_ast_loop_type(at, AstLoopType::Atomic)?;
    }
    Ok(node)
}

/// The start of the tile that a row is in.
fn tiles(scop: &Scop, row: UnionPwAff, size: i64) -> isl::Result<UnionPwAff> {
    let size = Val::int_from_si(&scop.ctx, size)?;
    row.scale_down_val(size.clone())?.floor()?.scale_val(size)
}

fn rows(scop: &Scop, rows: Vec<UnionPwAff>) -> isl::Result<MultiUnionPwAff> {
    let space = Space::set_alloc(&scop.ctx, 0, rows.len())?;
    let mut list = UnionPwAffList::alloc(&scop.ctx, rows.len())?;
    for row in rows {
        list = list.add(row)?;
    }
    MultiUnionPwAff::from_union_pw_aff_list(space, list)
}
