//! What a loop structure costs: a prediction in cycles, to compare structures of the same program.
//!
//! # Terms
//! A [`Path`] is the list of loops around a statement, outermost first. Loops with the same number are the same loop:
//! statements that share it are fused in it. Each loop moves one row of the statement ([`crate::affine`]) by `step`
//! and has `trip` iterations; a tiled row is moved by two loops.
//!
//! # Model
//! - *Footprint* of a loop: the bytes of the cache lines that one whole run of it touches. An access
//!   touches a box, `1 + sum of |stride| (trip - 1)` cells in each subscript, but not more cells than
//!   there are iterations that move it.
//! - *Reuse*: let l be the outermost loop whose body's footprint fits a cache. Then one run of l brings each of its
//!   lines in once, and every iteration of the loops around brings them in again (the reuse-distance argument
//!   of M. Wolf and M. Lam, "A data locality optimizing algorithm", 1991, section 4). If all that a nest touches fits a cache, and loops around
//!   the nest run it again and again, nothing is brought in.
//! - *Work*: half a cycle for each operation and for each access that moves in the innermost loop; of vectors, which wait for
//!   what they load, for one operation, and divided by the vector length where the innermost loop is parallel and the accesses are contiguous; a serial innermost
//!   loop takes at least the latency of one operation. Accesses far apart also miss the cache of page addresses; those a few cells
//!   apart (`z[2 * i]`) are vectors of which a part is wanted.
//! - *Short loops* of the program itself that are innermost: LLVM writes them out ([`WrittenOut`]) and makes vectors of what is in them, or
//!   of the loop around; each cell is then touched once in an iteration of that. In new loops nobody does so.
//! - *Runs side by side*: where each run of a serial innermost loop sums up in a cell of its own, the processor begins the next
//!   runs while it waits, as far as they are within its window: short runs have less latency each. But lines that come from far
//!   are brought in ahead of time only along long runs.
//! - *Blocks* in registers ([`crate::block`]): only what moves along the sums is loaded, and once for all rows or columns
//!   along which it stands still.
//! - *Control*: some cycles for each iteration of a loop that is not innermost, and for each start of an innermost one.
//!
//! Only ratios mean something, and only when they are clear.

use crate::Machine;
use crate::affine::{AccessModel, LINE, StmtModel, directions};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A loop around a statement.
#[derive(Clone, Debug)]
pub struct LoopRef {
    /// The same number is the same loop.
    pub id: usize,
    /// The row that it moves.
    pub row: Option<Vec<i64>>,
    /// The row's constant term.
    pub constant: i64,
    /// By how much it moves it.
    pub step: f64,
    /// How many iterations.
    pub trip: f64,
}

/// The loops around a statement.
#[derive(Clone, Debug)]
pub struct Path {
    /// The statement's number.
    pub stmt: usize,
    /// Outermost first.
    pub loops: Vec<LoopRef>,
    /// Whether the innermost loop is parallel.
    pub vector: bool,
    /// Whether a guard is needed because the innermost loop runs other statements more often.
    pub guarded: bool,
    /// Whether the last two loops are the rows and columns of a block in registers, and the third last sums up.
    pub block: bool,
    /// Whether the last loop is over the rows of a strip, which are written out, and the second last runs along them.
    pub jam: Option<Jammed>,
    /// How many innermost loops LLVM writes out, if it does.
    pub written_out: Option<WrittenOut>,
}

impl Path {
    /// Whether each loop is one when the program runs, blocks aside.
    fn is_plain(&self) -> bool {
        self.jam.is_none() && self.written_out.is_none()
    }
}

/// Short innermost loops of the program that LLVM writes out: it then makes vectors of the loop around them or of what they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenOut {
    /// How many loops.
    pub loops: usize,
    /// Whether the loop around them is parallel.
    pub vector: bool,
}

/// Rows of a strip ([`model::JAM`]) as a statement has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jammed {
    /// Whether rows wait for each other.
    pub rows_wait: bool,
}

/// A prediction, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Operations and accesses.
    pub work: f64,
    /// Loop control.
    pub control: f64,
    /// Waiting for lines that are not in the first-level cache.
    pub l1: f64,
    /// Waiting for lines that are not in the second-level cache either.
    pub l2: f64,
    /// Waiting for lines that are in memory only.
    pub l3: f64,
}

impl Cost {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.work + self.control + self.l1 + self.l2 + self.l3
    }
}

/// Cycles.
pub const LATENCY: f64 = 4.0;
/// How many instances the processor looks ahead. Runs of 128, 64 and 32 subtractions (`cholesky` on a Zen 4) take 0.66, 0.52 and
/// 0.41 of the time that one long run takes for each of them.
const WINDOW: f64 = 64.0;
/// What is left of waiting for a line when several are under way.
const L1_MISS: f64 = 2.0;
const L2_MISS: f64 = 4.0;
/// A sweep over two arrays (`heat-3d` on a Zen 4) takes 0.53 ns for a cell while they have up to 8 MB, and 1.35 ns from 27 MB on.
const L3_MISS: f64 = 6.0;
/// What a run of a loop waits before the processor has seen where it goes, as times the cost of a miss. Vector loops have more
/// lines under way by themselves. Runs of 32 elements (`mvt` on a Zen 4) take about 7 cycles for each, runs of 2000 about 4.
const UNFORESEEN: f64 = 12.0;
const ITERATION: f64 = 1.5;
const START: f64 = 6.0;
/// A vector loop also has a last part that does not fill a vector.
const VECTOR_START: f64 = 40.0;
const GUARD: f64 = 1.0;
/// Two operations or accesses start in each cycle.
const ISSUE: f64 = 0.5;
/// The same where rows are written out, of which some work while others wait.
const STRIP_ISSUE: f64 = 0.33;
/// Of so many operations some work while others wait in any loop.
const MANY: f64 = 3.0;
/// To load an element that is far from its neighbours and put it into a vector.
const GATHER: f64 = 2.0;
/// How many pages an innermost loop can walk over before their addresses are looked up again, and what that costs.
const PAGES: f64 = 64.0;
const PAGE_MISS: f64 = 4.0;

/// An access along a path: how far each loop moves each subscript.
struct Moved {
    array: u32,
    bytes: f64,
    /// For each loop, the stride of each subscript; `None` if not known.
    strides: Option<Vec<f64>>,
    /// Each subscript where all loops are at zero.
    offsets: Vec<f64>,
    is_write: bool,
    /// Whether its neighbours are touched in the same iteration of a vector loop along which it moves by a few cells.
    has_neighbours: bool,
}

impl Moved {
    /// How many subscripts are known.
    fn dims(&self) -> usize {
        self.offsets.len()
    }

    /// The strides of the loops from `from` on, one loop after the other; none if they are not known.
    fn inside(&self, from: usize) -> &[f64] {
        self.strides.as_ref().map_or(&[], |strides| &strides[(from * self.dims()).min(strides.len())..])
    }
}

struct Placed<'a> {
    path: &'a Path,
    model: &'a StmtModel,
    moved: Vec<Moved>,
    instances: f64,
}

/// The cost of running the statements on these paths.
pub fn cost(models: &[StmtModel], paths: &[Path], machine: &Machine) -> Cost {
    cost_up_to(models, paths, machine, f64::INFINITY)
}

/// The same; once it is not below the limit any more, the rest is left out.
pub fn cost_up_to(models: &[StmtModel], paths: &[Path], machine: &Machine, limit: f64) -> Cost {
    let mut placed: Vec<Placed<'_>> = paths.iter().map(|path| place(path, &models[path.stmt])).collect();
    find_neighbours(&mut placed);
    let mut total = Cost { work: work(&placed, machine), ..Cost::default() };
    total.control = control(&placed, machine);
    if total.total() >= limit {
        return total;
    }
    let line = machine.line_bytes as f64;
    let touches = Touches::new(&placed, line);
    let footprints = footprints(&placed, &touches, line);
    let left = bytes_left(&placed, machine);
    let misses = |size: u64, unforeseen| match size as f64 {
        size if left <= size => 0.0,
        size => misses(&placed, &touches, &footprints, (size, unforeseen), machine),
    };
    total.l1 = L1_MISS * misses(machine.l1_bytes, 0.0);
    total.l2 = L2_MISS * misses(machine.l2_bytes, UNFORESEEN);
    total.l3 = L3_MISS * misses(machine.l3_room(), UNFORESEEN);
    total
}

/// What any order costs at least: the work if each statement had its best innermost loop, and that were parallel.
pub fn least(models: &[StmtModel], machine: &Machine) -> f64 {
    (0..models.len()).map(|stmt| least_work(stmt, &models[stmt], machine)).sum()
}

/// What it costs to bring in so many bytes that no cache has kept, beyond the first level.
pub fn sweep(machine: &Machine, bytes: f64) -> f64 {
    let miss = match bytes {
        few if few <= machine.l2_bytes as f64 => 0.0,
        some if some <= machine.l3_room() as f64 => L2_MISS,
        _ => L2_MISS + L3_MISS,
    };
    miss * bytes / machine.line_bytes as f64
}

/// What waiting for each line once costs: no order touches fewer of them.
pub fn least_misses(models: &[StmtModel], machine: &Machine) -> f64 {
    let paths: Vec<Path> =
        models.iter().enumerate().map(|(stmt, model)| plain_path(stmt, model, None)).collect();
    let placed: Vec<Placed<'_>> = paths.iter().map(|path| place(path, &models[path.stmt])).collect();
    let lines = all_lines(&placed, machine.line_bytes as f64);
    let left = bytes_left(&placed, machine);
    let levels = [(machine.l1_bytes, L1_MISS), (machine.l2_bytes, L2_MISS), (machine.l3_room(), L3_MISS)];
    let far = levels.iter().filter(|(size, _)| left > *size as f64);
    lines * far.map(|(_, miss)| miss).sum::<f64>()
}

/// How many lines all statements touch.
fn all_lines(placed: &[Placed<'_>], line: f64) -> f64 {
    let mut lines_of: BTreeMap<u32, f64> = BTreeMap::new();
    for one in placed {
        for moved in &one.moved {
            let most = lines_of.entry(moved.array).or_default();
            *most = most.max(lines(moved, one.path, 0, line));
        }
    }
    lines_of.values().sum()
}

/// How large a cache must be to have all that the nest touches before it begins: one run leaves that there for the next.
fn bytes_left(placed: &[Placed<'_>], machine: &Machine) -> f64 {
    let line = machine.line_bytes as f64;
    let repeats = placed.iter().all(|one| one.model.repeats);
    if repeats { all_lines(placed, line) * line } else { f64::INFINITY }
}

/// The counters as loops, one of them innermost.
fn plain_path(stmt: usize, model: &StmtModel, inner: Option<usize>) -> Path {
    let counters = model.extents.len();
    let order = (0..counters).filter(|at| Some(*at) != inner).chain(inner);
    let row = |at: usize| (0..counters).map(|other| i64::from(other == at)).collect();
    let each =
        |at: usize| LoopRef { id: at, row: Some(row(at)), constant: 0, step: 1.0, trip: model.extents[at] };
    let loops = order.map(each).collect();
    Path { stmt, loops, vector: true, guarded: false, block: false, jam: None, written_out: None }
}

fn least_work(stmt: usize, model: &StmtModel, machine: &Machine) -> f64 {
    let counters = model.extents.len();
    let work = |inner| {
        let path = plain_path(stmt, model, inner);
        let mut placed = place(&path, model);
        placed.moved.iter_mut().for_each(|moved| moved.has_neighbours = true);
        placed.instances * throughput(&placed, machine)
    };
    let plain = (0..counters).map(|inner| work(Some(inner))).reduce(f64::min).unwrap_or_else(|| work(None));
    // It may be in a block of cells in registers then.
    let summed = model.summed_loops();
    match summed > 0 && counters >= summed + 2 {
        true => plain.min(model.extents.iter().product::<f64>() * least_in_block(model, machine)),
        false => plain,
    }
}

/// Cycles for an instance in a good block: the operation and twice as much for its operands and cells.
fn least_in_block(model: &StmtModel, machine: &Machine) -> f64 {
    let widest = model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max);
    3.0 * ISSUE / (f64::from(machine.widest_bits) / 8.0 / widest).max(1.0)
}

fn place<'a>(path: &'a Path, model: &'a StmtModel) -> Placed<'a> {
    let counters = model.extents.len();
    // A tile loop and its point loop move the same row: the direction is that of the row.
    let mut rows: Vec<Option<Vec<i64>>> = Vec::new();
    let mut constants = Vec::new();
    let mut row_of = Vec::new();
    for each in &path.loops {
        let known = rows.iter().position(|row| row.is_some() && *row == each.row);
        row_of.push(known.unwrap_or(rows.len()));
        if known.is_none() {
            rows.push(each.row.clone());
            constants.push(each.constant as f64);
        }
    }
    let found = directions(&rows, counters);
    let zero = vec![0.0; counters];
    // The counters where all rows are zero.
    let mut origin = zero.clone();
    for (direction, constant) in found.iter().zip(&constants) {
        let direction = direction.as_ref().unwrap_or(&zero);
        origin.iter_mut().zip(direction).for_each(|(at, moved)| *at -= constant * moved);
    }
    let moved = model
        .accesses
        .iter()
        .map(|access| {
            let strides = access.subscripts.as_ref().map(|subscripts| {
                let mut strides = Vec::with_capacity(subscripts.len() * path.loops.len());
                for (each, row_of) in path.loops.iter().zip(&row_of) {
                    let direction = found[*row_of].as_ref().unwrap_or(&zero);
                    let moved = |row: &Vec<i64>| row.iter().zip(direction).map(|(a, b)| *a as f64 * b).sum();
                    strides.extend(subscripts.iter().map(|row| {
                        let moved: f64 = moved(row);
                        moved * each.step
                    }));
                }
                strides
            });
            Moved {
                array: access.array,
                bytes: access.bytes,
                strides,
                offsets: offsets(access, &origin),
                is_write: access.is_write,
                has_neighbours: false,
            }
        })
        .collect();
    let instances = model.extents.iter().product();
    Placed { path, model, moved, instances }
}

fn offsets(access: &AccessModel, origin: &[f64]) -> Vec<f64> {
    let Some(subscripts) = &access.subscripts else { return Vec::new() };
    let at = |row: &Vec<i64>| row.iter().zip(origin).map(|(a, b)| *a as f64 * b).sum::<f64>();
    subscripts.iter().zip(&access.constants).map(|(row, constant)| at(row) + *constant as f64).collect()
}

/// The loop of the path that is innermost for this statement: the last one that moves it.
fn innermost(one: &Placed<'_>) -> Option<usize> {
    one.path.loops.len().checked_sub(1)
}

/// How an access moves along a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Not at all.
    Still,
    /// To the next cell.
    Contiguous,
    /// By so many cells, often within a line.
    Near(f64),
    /// Further.
    Far,
}

impl Pace {
    /// Whether the next cell is neither the same nor the one behind.
    pub fn is_strided(self) -> bool {
        matches!(self, Pace::Near(_) | Pace::Far)
    }
}

/// For each access of a statement its pace along loops that move these rows.
pub fn paces(model: &StmtModel, rows: &[Option<Vec<i64>>]) -> Vec<Vec<Pace>> {
    let each = |(id, row): (usize, &Option<Vec<i64>>)| LoopRef {
        id,
        row: row.clone(),
        constant: 0,
        step: 1.0,
        trip: 1.0,
    };
    let loops = rows.iter().enumerate().map(each).collect();
    let path =
        Path { stmt: 0, loops, vector: false, guarded: false, block: false, jam: None, written_out: None };
    let placed = place(&path, model);
    let along = |moved: &Moved| (0..rows.len()).map(|at| pace(moved, at)).collect();
    placed.moved.iter().map(along).collect()
}

fn pace(moved: &Moved, at: usize) -> Pace {
    let Some(strides) = &moved.strides else { return Pace::Far };
    let dims = moved.dims();
    let Some((last, outer)) = strides[at * dims..(at + 1) * dims].split_last() else { return Pace::Still };
    if outer.iter().any(|stride| *stride != 0.0) {
        return Pace::Far;
    }
    match last.abs() {
        0.0 => Pace::Still,
        size if size <= 1.0 => Pace::Contiguous,
        size if size * moved.bytes < LINE as f64 => Pace::Near(size),
        _ => Pace::Far,
    }
}

/// The work of all statements. Statements in one serial innermost loop share its latency: one works while the other
/// waits.
fn work(placed: &[Placed<'_>], machine: &Machine) -> f64 {
    let mut total = 0.0;
    let mut serial: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for one in placed {
        let each = throughput(one, machine);
        match innermost(one) {
            Some(at) if one.path.written_out.is_none() && !is_vector(one) => {
                let (work, most) = serial.entry(one.path.loops[at].id).or_default();
                // Of many operations those that do not wait are done as fast as in rows that are written out.
                let is_plain = one.path.jam.is_none() && one.model.ops >= MANY;
                let each = if is_plain { each * STRIP_ISSUE / ISSUE } else { each };
                (*work, *most) = (*work + one.instances * each, most.max(one.instances * latency(one, at)));
            }
            _ => total += one.instances * each,
        }
    }
    total + serial.values().map(|(work, most)| work.max(*most)).sum::<f64>()
}

/// Whether LLVM makes vectors of the innermost loop: it is parallel, or a sum of numbers that lie side by side and may be added in
/// any order.
fn is_vector(one: &Placed<'_>) -> bool {
    let Some(at) = innermost(one).filter(|_| one.model.is_free_sum && one.path.jam.is_none()) else {
        return one.path.vector;
    };
    let is_near = |(moved, access): (&Moved, &AccessModel)| match pace(moved, at) {
        Pace::Still => true,
        Pace::Contiguous => !access.is_write,
        Pace::Near(_) | Pace::Far => false,
    };
    one.path.vector || one.moved.iter().zip(&one.model.accesses).all(is_near)
}

/// Cycles that an instance in a serial innermost loop waits for the one before it, if runs of this loop that do not depend on
/// each other share the waiting.
fn latency(one: &Placed<'_>, at: usize) -> f64 {
    if let (Some(jam), Some(along)) = (one.path.jam, at.checked_sub(1)) {
        let rows = if jam.rows_wait { 1.0 } else { one.path.loops[at].trip };
        // What is not known, and what LLVM makes vectors of, is not taken to wait less.
        return wait(one, along).map_or(LATENCY, |cycles| cycles / rows);
    }
    match runs_overlap(one, at) {
        true => LATENCY / (1.0 + WINDOW / one.path.loops[at].trip),
        false => wait(one, at).unwrap_or(LATENCY),
    }
}

/// Cycles from one iteration of a loop to the next, if known: if the written cell stands still, it is the same that is read.
fn wait(one: &Placed<'_>, at: usize) -> Option<f64> {
    let mut written = one.moved.iter().zip(&one.model.accesses).filter(|(_, access)| access.is_write);
    let waits = one.model.waits;
    if !written.clone().all(|(moved, _)| moved.strides.is_some()) {
        return Some(waits.same?.max(waits.others?));
    }
    let stands_still = written.all(|(moved, _)| pace(moved, at) == Pace::Still);
    if stands_still { waits.same } else { waits.others }
}

/// Whether each run of a serial innermost loop sums up in a cell of its own. That it may need what another statement made of an
/// earlier sum is left out: most instances have it long since.
fn runs_overlap(one: &Placed<'_>, at: usize) -> bool {
    let Some(around) =
        at.checked_sub(1).filter(|_| one.model.is_strict && !one.path.vector && one.path.is_plain())
    else {
        return false;
    };
    let written = || one.moved.iter().zip(&one.model.accesses).filter(|(_, access)| access.is_write);
    let sums_up = |moved: &Moved| pace(moved, at) == Pace::Still && pace(moved, around) != Pace::Still;
    written().count() > 0 && written().all(|(moved, _)| sums_up(moved))
}

/// How many elements of so many bytes a vector has in a loop with so many iterations: one, if they do not fill a vector.
fn lanes(machine: &Machine, bytes: f64, trip: f64) -> f64 {
    let lanes = f64::from(machine.vector_bits) / 8.0 / bytes;
    if lanes <= trip { lanes.max(1.0) } else { 1.0 }
}

/// Cycles for one instance if nothing has to wait.
fn throughput(one: &Placed<'_>, machine: &Machine) -> f64 {
    let Some(at) = innermost(one) else { return ISSUE * (1.0 + one.moved.len() as f64) };
    if one.path.block {
        return throughput_of_block(one, at, machine);
    }
    let divisions = one.model.divisions;
    if let Some(written_out) = one.path.written_out {
        return throughput_written_out(one, written_out, machine).max(0.5 * divisions);
    }
    if one.path.jam.is_some() {
        return throughput_of_strip(one, at, machine)
            .max(if one.path.vector { 0.5 } else { 1.0 } * divisions);
    }
    let paces: Vec<Pace> = one.moved.iter().map(|moved| pace(moved, at)).collect();
    let count = |wanted| paces.iter().filter(|pace| **pace == wanted).count() as f64;
    let widest = one.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max);
    let trip = one.path.loops[at].trip;
    // A vector loop must be long enough to have full vectors.
    let lanes = lanes(machine, widest, trip);
    let (near, far) = (ISSUE * (1.0 + count(Pace::Contiguous)), count(Pace::Far));
    let strided = |lanes| {
        let near = one.moved.iter().zip(&paces).filter_map(|(moved, pace)| match pace {
            Pace::Near(stride) => Some(strided(moved, *stride, lanes)),
            _ => None,
        });
        near.sum::<f64>()
    };
    let is_vector = is_vector(one);
    let mut each = match is_vector {
        // Elements that are far apart are loaded one by one and put together.
        true if far > 0.0 => near / lanes.min(2.0) + strided(lanes) + GATHER * far,
        true => near / lanes + strided(lanes),
        false => near + strided(1.0) + ISSUE * (far + one.model.ops - 1.0),
    };
    if trip > PAGES {
        each += PAGE_MISS * far;
    }
    if !is_vector {
        each = each.max(divisions);
    }
    each + if one.path.guarded { GUARD } else { 0.0 }
}

/// Cycles for an access of an instance that moves by so many cells, of which some are in the same line, in vectors of so many elements:
/// neighbours that are touched as well are loaded or stored together with it. If they are not, all of the line is loaded, and what is
/// wanted taken out; what is stored goes to its place alone.
fn strided(moved: &Moved, stride: f64, lanes: f64) -> f64 {
    match moved.has_neighbours {
        _ if lanes <= 1.0 => ISSUE,
        true => 2.0 * ISSUE / lanes,
        false if moved.is_write => GATHER,
        false => (2.0 * ISSUE * stride / lanes).min(GATHER / 2.0),
    }
}

/// Finds accesses whose neighbours are touched in the same iteration: the parts of complex numbers, of colours, of points.
fn find_neighbours(placed: &mut [Placed<'_>]) {
    let mut groups: HashMap<(usize, u32, bool, i64), HashSet<i64>> = HashMap::new();
    let key = |one: &Placed<'_>, moved: &Moved| {
        let at = along(one)?;
        let Pace::Near(stride) = pace(moved, at) else { return None };
        let place = (*moved.offsets.last()? as i64).rem_euclid(stride as i64);
        Some(((one.path.loops[at].id, moved.array, moved.is_write, stride as i64), place))
    };
    for one in placed.iter() {
        for (group, place) in one.moved.iter().filter_map(|moved| key(one, moved)) {
            groups.entry(group).or_default().insert(place);
        }
    }
    for one in placed.iter_mut().filter(|_| !groups.is_empty()) {
        let found = |moved: &Moved| {
            let Some((group, _)) = key(one, moved) else { return false };
            groups[&group].len() as i64 == group.3 || is_written_out(one, moved, group.3)
        };
        let found: Vec<bool> = one.moved.iter().map(found).collect();
        one.moved.iter_mut().zip(found).for_each(|(moved, found)| moved.has_neighbours = found);
    }
}

/// Whether a loop that is written out goes through so many neighbours.
fn is_written_out(one: &Placed<'_>, moved: &Moved, count: i64) -> bool {
    let all = &one.path.loops;
    let first = all.len() - one.path.written_out.map_or(0, |written_out| written_out.loops);
    (first..all.len()).any(|at| pace(moved, at) == Pace::Contiguous && all[at].trip >= count as f64)
}

/// The loop of which LLVM makes vectors, if any.
fn along(one: &Placed<'_>) -> Option<usize> {
    let inside = match one.path.written_out {
        Some(written_out) => written_out.loops,
        None => usize::from(one.path.jam.is_some()),
    };
    one.path.loops.len().checked_sub(inside + 1)
}

/// Cycles for one instance in loops that LLVM writes out, at best: each cell is touched once in an iteration of the loop around, as a part
/// of a vector along that loop, or along the innermost one.
fn throughput_written_out(
    one: &Placed<'_>,
    WrittenOut { loops, vector }: WrittenOut,
    machine: &Machine,
) -> f64 {
    let all = &one.path.loops;
    let Some(last) = all.len().checked_sub(1) else { return 0.0 };
    let widest = one.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max);
    let first = all.len() - loops;
    let instances: f64 = all[first..].iter().map(|each| each.trip).product();
    let cycles = |at: usize, is_vector: bool| {
        let lanes = match is_vector {
            true => lanes(machine, widest, all[at].trip),
            false => 1.0,
        };
        let touch = |moved: &Moved| {
            let moving = (first..all.len()).filter(|loop_| pace(moved, *loop_) != Pace::Still);
            let cells: f64 = moving.map(|loop_| all[loop_].trip).product();
            cells / instances
                * match pace(moved, at) {
                    Pace::Still => 0.0,
                    Pace::Contiguous => ISSUE / lanes,
                    Pace::Near(stride) => strided(moved, stride, lanes),
                    Pace::Far if is_vector => GATHER,
                    Pace::Far => ISSUE,
                }
        };
        ISSUE / lanes + one.moved.iter().map(touch).sum::<f64>()
    };
    let inside = cycles(last, one.path.vector);
    first.checked_sub(1).map_or(inside, |around| cycles(around, vector).min(inside))
}

/// Cycles for one instance in rows that are written out: what stands still from one row to the next is loaded once for all of
/// them, and what stands still along the rows is in registers, if these are enough for all rows.
fn throughput_of_strip(one: &Placed<'_>, row: usize, machine: &Machine) -> f64 {
    let Some(along) = row.checked_sub(1) else { return STRIP_ISSUE * (1.0 + one.moved.len() as f64) };
    let rows = one.path.loops[row].trip;
    let widest = one.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max);
    let lanes = match one.path.vector {
        true => lanes(machine, widest, one.path.loops[along].trip),
        false => 1.0,
    };
    // Vectors do not wait for each other without rows either.
    let issue = if one.path.vector { ISSUE } else { STRIP_ISSUE };
    let far = if one.path.loops[along].trip > PAGES { PAGE_MISS } else { 0.0 };
    let paces = |moved: &Moved| [along, row].map(|at| pace(moved, at));
    // What stands still along the rows, but not from one to the next.
    let is_own = |moved: &&Moved| {
        !moved.is_write && matches!(paces(moved), [Pace::Still, pace] if pace != Pace::Still)
    };
    let own = one.moved.iter().filter(is_own);
    let has_registers = own.count() as f64 * rows <= f64::from(machine.vector_registers);
    let each = |moved: &Moved| match paces(moved) {
        [Pace::Still, Pace::Still] => 0.0,
        [Pace::Still, _] if has_registers => 0.0,
        [Pace::Still, _] => issue / lanes,
        [Pace::Far, _] if one.path.vector => GATHER + far,
        // Its neighbours are on the same page, and others work while a page is looked up.
        [Pace::Far, Pace::Contiguous | Pace::Near(_)] => issue + far / 2.0 / rows,
        [Pace::Far, Pace::Still] => (issue + far / 2.0) / rows,
        [Pace::Far, Pace::Far] if moved.strides.is_some() => issue + far,
        [Pace::Near(stride), Pace::Still] => strided(moved, stride, lanes) / rows,
        [Pace::Near(stride), _] => strided(moved, stride, lanes),
        [_, Pace::Still] => issue / rows / lanes,
        _ => issue / lanes,
    };
    let ops = if one.path.vector { 1.0 } else { one.model.ops };
    issue * ops / lanes + one.moved.iter().map(each).sum::<f64>()
}

/// Cycles for one instance in a block of cells in registers: what stands still along its rows or columns is loaded once
/// for all of them, and what stands still along the sums not at all.
fn throughput_of_block(one: &Placed<'_>, column: usize, machine: &Machine) -> f64 {
    let widest = one.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max);
    let lanes = (f64::from(machine.widest_bits) / 8.0 / widest).max(1.0);
    let trip = |at: usize| one.path.loops[at].trip;
    let load = |moved: &Moved| {
        let along = [column - 2, column - 1, column].map(|at| pace(moved, at));
        let rows = if along[1] == Pace::Still { trip(column - 1) } else { 1.0 };
        match along {
            [Pace::Still, ..] => 0.0,
            [_, _, Pace::Still] => ISSUE / rows / trip(column),
            [_, _, Pace::Near(stride)] => strided(moved, stride, lanes) / rows,
            [_, _, Pace::Far] => GATHER / rows,
            _ => ISSUE / rows / lanes,
        }
    };
    ISSUE / lanes + one.moved.iter().map(load).sum::<f64>()
}

/// Statements that are shifted against each other in a vector loop have parts of it alone: it is cut there.
fn control(placed: &[Placed<'_>], machine: &Machine) -> f64 {
    let (mut seen, mut shifts) = (HashSet::new(), HashSet::new());
    let mut total = 0.0;
    for one in placed {
        let mut runs = 1.0;
        let written_out = match one.path.written_out {
            Some(written_out) => written_out.loops,
            None if one.path.block => 2,
            None => usize::from(one.path.jam.is_some()),
        };
        let count = one.path.loops.len() - written_out;
        for (at, each) in one.path.loops[..count].iter().enumerate() {
            let first = seen.insert(each.id);
            let is_innermost = at + 1 == count && !one.path.block;
            let is_vector = one.path.written_out.map_or(one.path.vector, |written_out| written_out.vector);
            if is_innermost && is_vector && shifts.insert((each.id, start(one, each))) {
                total += runs * if first { VECTOR_START } else { 2.0 * VECTOR_START };
            } else if first && is_innermost {
                total += runs * START;
            } else if first {
                total += ITERATION * runs * each.trip;
            }
            runs *= each.trip;
        }
        if one.path.block {
            total += start_of_blocks(one, runs, machine);
        }
    }
    total
}

/// What it costs to begin blocks, which run so many times a row of terms: the cells are loaded before and stored behind.
fn start_of_blocks(one: &Placed<'_>, terms: f64, machine: &Machine) -> f64 {
    let [summed, row, column] = [3, 2, 1].map(|at| one.path.loops[one.path.loops.len() - at].trip);
    let widest = one.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max);
    let lanes = (f64::from(machine.widest_bits) / 8.0 / widest).max(1.0);
    terms / summed.max(1.0) * (VECTOR_START + 2.0 * ISSUE * row * column / lanes)
}

/// Where a loop starts for a statement, if its counters start at zero.
fn start(one: &Placed<'_>, each: &LoopRef) -> i64 {
    let least = |(by, extent): (&i64, &f64)| (*by as f64 * (extent - 1.0)).min(0.0) as i64;
    let row = each.row.iter().flatten();
    row.zip(&one.model.extents).map(least).fold(each.constant, i64::saturating_add)
}

/// The lines that an access touches in the loops from `from` on; `cells` times its size if spread out.
fn lines(moved: &Moved, path: &Path, from: usize, line: f64) -> f64 {
    lines_from_each(moved, path, line)[from]
}

/// The same from each of the loops on; at least one.
fn lines_from_each(moved: &Moved, path: &Path, line: f64) -> Vec<f64> {
    let dims = if moved.strides.is_none() || path.loops.is_empty() { 0 } else { moved.dims() };
    let mut extents = vec![1.0; dims];
    let (mut iterations, mut moving) = (1.0, 1.0_f64);
    let mut found = vec![1.0; path.loops.len().max(1)];
    for (from, each) in path.loops.iter().enumerate().rev() {
        iterations *= each.trip;
        let strides = &moved.inside(from)[..dims];
        extents
            .iter_mut()
            .zip(strides)
            .for_each(|(extent, stride)| *extent += stride.abs() * (each.trip - 1.0));
        if strides.iter().any(|stride| *stride != 0.0) {
            moving *= each.trip;
        }
        found[from] = match extents.split_last() {
            _ if moved.strides.is_none() => iterations,
            Some((last, rows)) => {
                let contiguous = (last * moved.bytes / line).max(1.0);
                (rows.iter().product::<f64>() * contiguous).min(moving.max(1.0))
            }
            None => 1.0,
        };
    }
    found
}

/// An access in one run of the loops from a certain one on. Those with equal keys touch the same lines: the array, the loop, the
/// strides of one loop after the other, how many loops there are, and the offset in each subscript that these loops do not
/// move (in a moved one they meet) are the same.
struct Key<'a> {
    moved: &'a Moved,
    from: usize,
    /// The number of the loop.
    id: Option<usize>,
    /// How many loops there are, if the strides are known.
    loops: usize,
}

impl<'a> Key<'a> {
    fn new(path: &Path, moved: &'a Moved, from: usize) -> Key<'a> {
        let loops = moved.strides.as_ref().map_or(0, |_| path.loops.len().saturating_sub(from));
        Key { moved, from, id: path.loops.get(from).map(|each| each.id), loops }
    }

    fn strides(&self) -> impl Iterator<Item = i64> {
        self.moved.inside(self.from).iter().map(|stride| (stride * 16.0) as i64)
    }

    /// The offset in each subscript but the last, which lines reach over, if it is not moved.
    fn offsets(&self) -> impl Iterator<Item = Option<i64>> {
        let (dims, inside) = (self.moved.dims(), self.moved.inside(self.from));
        let moves = move |dim: usize| inside.iter().skip(dim).step_by(dims).any(|stride| *stride != 0.0);
        let outer = self.moved.offsets.iter().enumerate().take(dims.saturating_sub(1));
        outer.map(move |(dim, offset)| (!moves(dim)).then_some(*offset as i64))
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.moved.array, self.id, self.loops) == (other.moved.array, other.id, other.loops)
            && self.moved.dims() == other.moved.dims()
            && self.strides().eq(other.strides())
            && self.offsets().eq(other.offsets())
    }
}

impl Eq for Key<'_> {}

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.moved.array);
        state.write_usize(self.id.unwrap_or(usize::MAX));
        self.strides().for_each(|stride| state.write_i64(stride));
    }
}

/// A quick hash of a few numbers, of which nobody chooses many to be in each other's way.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio spreads neighbouring numbers.
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}

type Quick<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// What an access touches in one run of the loops from a certain one on.
#[derive(Clone, Copy)]
struct Touch {
    /// The number of its [`Key`].
    key: usize,
    lines: f64,
}

/// What the accesses touch, found once for all caches.
struct Touches {
    /// For each statement, loop and access; at least for one loop.
    all: Vec<Vec<Vec<Touch>>>,
    /// How many keys there are.
    keys: usize,
}

impl Touches {
    fn new(placed: &[Placed<'_>], line: f64) -> Touches {
        let accesses = |one: &Placed<'_>| one.moved.len() * one.path.loops.len().max(1);
        let mut keys: Quick<Key<'_>, usize> = Quick::default();
        keys.reserve(placed.iter().map(accesses).sum());
        let mut all = Vec::new();
        for one in placed {
            let lines: Vec<_> =
                one.moved.iter().map(|moved| lines_from_each(moved, one.path, line)).collect();
            let loops = 0..one.path.loops.len().max(1);
            let mut touch = |(moved, lines): (_, &Vec<f64>), from| {
                let next = keys.len();
                let key = *keys.entry(Key::new(one.path, moved, from)).or_insert(next);
                Touch { key, lines: lines[from] }
            };
            let touched = |from| one.moved.iter().zip(&lines).map(|both| touch(both, from)).collect();
            all.push(loops.map(touched).collect());
        }
        Touches { all, keys: keys.len() }
    }
}

/// The bytes that one run of each loop touches.
fn footprints(placed: &[Placed<'_>], touches: &Touches, line: f64) -> Quick<usize, f64> {
    let mut shared: Vec<Option<(usize, f64)>> = vec![None; touches.keys];
    for (one, touched) in placed.iter().zip(&touches.all) {
        for (each, touched) in one.path.loops.iter().zip(touched) {
            for touch in touched {
                // A key is one of this loop.
                let (_, most) = shared[touch.key].get_or_insert((each.id, 0.0));
                *most = most.max(line * touch.lines);
            }
        }
    }
    let mut found: Quick<usize, f64> = Quick::default();
    for (id, touched) in shared.into_iter().flatten() {
        *found.entry(id).or_default() += touched;
    }
    found
}

/// How many lines are brought into a cache of this size; those that overlapping runs wait for count several times.
fn misses(
    placed: &[Placed<'_>],
    touches: &Touches,
    footprints: &Quick<usize, f64>,
    (size, unforeseen): (f64, f64),
    machine: &Machine,
) -> f64 {
    let line = machine.line_bytes as f64;
    // A statement that is executed rarely brings in less than another that shares its lines.
    let mut brought = vec![0.0_f64; touches.keys];
    for (one, touched) in placed.iter().zip(&touches.all) {
        let loops = &one.path.loops;
        // The first loop whose one run fits; the loop around it is the one that keeps its lines.
        let fits = loops.iter().position(|each| footprints.get(&each.id).copied().unwrap_or(0.0) <= size);
        let keeper = fits.unwrap_or(loops.len()).saturating_sub(1);
        let runs: f64 = loops[..keeper].iter().map(|each| each.trip).product();
        for (moved, touch) in one.moved.iter().zip(&touched[keeper]) {
            let waits = 1.0 + unforeseen / run_of_lines(one, moved, line);
            let most = &mut brought[touch.key];
            *most = most.max(waits * (runs * touch.lines).min(one.instances));
        }
    }
    brought.iter().sum()
}

/// How many lines a loop of overlapping runs walks over in one of them; in others lines need not be foreseen.
fn run_of_lines(one: &Placed<'_>, moved: &Moved, line: f64) -> f64 {
    match innermost(one) {
        Some(at) if pace(moved, at) == Pace::Contiguous && runs_overlap(one, at) => {
            lines(moved, one.path, at, line)
        }
        _ => f64::INFINITY,
    }
}
