//! Batches of rows that several nests go through one after the other, each in threads.
//!
//! `y := A' (A x)` goes through the matrix twice: in one nest rows are parallel, in the other columns, and no loop is around both
//! that is. Two nests in threads bring in `A` twice from behind the second cache. In *batches*, of so many rows that the second caches of all
//! threads hold them, the second nest finds there what the first has brought in:
//! ```text
//! for (b = 0; b < m; b += 64)
//!   for (i = b; i < b + 64; i++)       // in threads
//!     for (j = 0; j < n; j++)
//!       t[i] += A[i][j] * x[j];
//!   for (j = 0; j < n; j++)            // in threads
//!     for (i = b; i < b + 64; i++)
//!       y[j] += A[i][j] * t[i];
//! ```
//! Each cell's terms keep their order. The price is two starts of threads for each batch.
//!
//! # Which nests
//! Neighbours in the sequence at the root, all instances of which each visit one cell of the same array, with the same counter in its
//! first subscript: the batches are of that counter. This proposes only; that it is legal to go on to the second nest after each batch, and
//! that the nests inside of a batch are parallel, is proved like anything else ([`crate::threads`]).

use crate::affine::StmtModel;
use crate::cost;
use crate::machine::Machine;
use crate::tree::{self, band_of, over_tiles, tiles};
use isl::{Id, Schedule, ScheduleNode, ScheduleNodeType, UnionPwAff, UnionSet};
use model::{Scop, StmtId};

/// The mark above a loop over batches, until what is inside runs in threads.
pub const BATCH: &str = "batch";

/// Strips of so many rows are written out: a thread gets one at least.
const ROWS: i64 = 8;

/// Which part of all second caches a batch may fill.
const PART: f64 = 0.5;

/// How many batches there must be.
const LEAST_BATCHES: f64 = 4.0;

/// Nests that go through batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The array whose rows they are of.
    pub array: String,
    /// How many rows each has.
    pub rows: i64,
    /// How many nests.
    pub nests: usize,
}

/// Looks for batches.
pub struct Batcher<'a> {
    pub scop: &'a Scop,
    pub models: &'a [StmtModel],
    pub machine: &'a Machine,
    pub threads: u32,
    /// What a start of threads costs, in cycles.
    pub fork: f64,
    /// How many operations and accesses a nest must have in a batch.
    pub least_work: f64,
}

/// A part of the sequence at the root.
struct Part {
    domain: UnionSet,
    stmts: Vec<usize>,
    is_band: bool,
}

impl Batcher<'_> {
    /// The schedule with loops over batches, each below a mark; `None` if there are none.
    pub fn batched(&self, schedule: &Schedule) -> isl::Result<Option<(Schedule, Vec<Batch>)>> {
        let Some(parts) = self.parts(&schedule.get_root()?.child(0)?)? else { return Ok(None) };
        let (mut pieces, mut found, mut at) = (Vec::new(), Vec::new(), 0);
        while at < parts.len() {
            let (count, batch) = self.run(&parts[at..]);
            let run = &parts[at..at + count];
            let mut domain = run[0].domain.clone();
            for part in &run[1..] {
                domain = domain.union(part.domain.clone())?;
            }
            let piece = schedule.clone().intersect_domain(domain)?;
            pieces.push(match &batch {
                Some(batch) => self.in_batches(&piece, run, batch)?,
                None => piece,
            });
            found.extend(batch);
            at += count;
        }
        let whole = if found.is_empty() { None } else { tree::in_sequence(pieces)? };
        Ok(whole.map(|whole| (whole, found)))
    }

    /// The parts of a sequence; `None` if it is none, or a statement is in several.
    fn parts(&self, sequence: &ScheduleNode) -> isl::Result<Option<Vec<Part>>> {
        if sequence.get_type()? != ScheduleNodeType::Sequence {
            return Ok(None);
        }
        let (mut parts, mut seen) = (Vec::new(), Vec::new());
        for at in 0..sequence.n_children()? {
            let part = sequence.get_child(at)?.get_child(0)?;
            let stmts = tree::stmts_below(self.scop, &part)?;
            if stmts.iter().any(|stmt| seen.contains(stmt)) {
                return Ok(None);
            }
            seen.extend(&stmts);
            let is_band = part.get_type()? == ScheduleNodeType::Band;
            parts.push(Part { domain: part.get_universe_domain()?, stmts, is_band });
        }
        Ok(Some(parts))
    }

    /// How many of the first parts have batches in common, with those; one without if there are none.
    fn run(&self, parts: &[Part]) -> (usize, Option<Batch>) {
        let arrays = parts[0].stmts.first().map_or(&[][..], |stmt| &self.models[*stmt].accesses);
        let runs = arrays.iter().filter_map(|access| {
            let goes = |part: &&Part| self.counter(part, access.array).is_some();
            let run = &parts[..parts.iter().take_while(goes).count()];
            Some((run.len(), self.batch(run, access.array)?))
        });
        let longest = runs.max_by_key(|(count, _)| *count);
        longest.map_or((1, None), |(count, batch)| (count, Some(batch)))
    }

    /// The counter that numbers the rows of an array for all statements of a part, if each instance has a cell of its own.
    fn counter(&self, part: &Part, array: u32) -> Option<usize> {
        let mut counters = part.stmts.iter().map(|stmt| row_counter(&self.models[*stmt], array));
        let first = counters.next()??;
        (part.is_band && counters.all(|other| other == Some(first))).then_some(first)
    }

    /// The batches of these parts, if there is something to gain.
    fn batch(&self, run: &[Part], array: u32) -> Option<Batch> {
        let main = &self.models[*run.first()?.stmts.first()?];
        let access = main.accesses.iter().find(|access| access.array == array)?;
        let (bytes, length) = (self.cells(main) * access.bytes, main.extents[self.counter(&run[0], array)?]);
        let (threads, all_l2) =
            (f64::from(self.threads), f64::from(self.threads) * self.machine.l2_bytes as f64);
        let grain = ROWS * i64::from(self.threads);
        let rows = (PART * all_l2 * length / bytes / grain as f64).round() as i64 * grain;
        let batches = length / rows.max(1) as f64;
        if rows == 0 || batches < LEAST_BATCHES {
            return None;
        }
        let is_worth_it = |part: &Part| {
            let all: f64 = part.stmts.iter().map(|stmt| self.work(&self.models[*stmt])).sum();
            all / batches >= self.least_work
        };
        let nests = run.len() as f64;
        let saved = (nests - 1.0) * cost::sweep(self.machine, bytes) / threads;
        let is_gain = saved > (batches - 1.0) * nests * self.fork;
        let name = self.scop.arrays[array as usize].name.clone();
        (is_gain && run.iter().all(is_worth_it)).then_some(Batch { array: name, rows, nests: run.len() })
    }

    fn cells(&self, model: &StmtModel) -> f64 {
        model.extents.iter().product()
    }

    fn work(&self, model: &StmtModel) -> f64 {
        self.cells(model) * (1.0 + model.accesses.len() as f64)
    }

    /// A schedule of these parts with a loop over batches around them, below a mark.
    fn in_batches(&self, piece: &Schedule, run: &[Part], batch: &Batch) -> isl::Result<Schedule> {
        let array = self.scop.arrays.iter().position(|array| array.name == batch.array).unwrap_or_default();
        let mut rows: Option<UnionPwAff> = None;
        for part in run {
            let stmts: Vec<StmtId> = part.stmts.iter().map(|stmt| StmtId(*stmt as u32)).collect();
            let counter = self.counter(part, array as u32).unwrap_or_default();
            let row = tree::counters(self.scop, &stmts, counter)?.get_at(0)?;
            rows = Some(match rows {
                Some(others) => others.union_add(row)?,
                None => row,
            });
        }
        let Some(rows) = rows else { return Ok(piece.clone()) };
        let band = band_of(self.scop, vec![tiles(self.scop, rows, batch.rows)?])?;
        let band = over_tiles(piece.get_root()?.child(0)?.insert_partial_schedule(band)?)?;
        band.insert_mark(Id::new(&self.scop.ctx, BATCH)?)?.get_schedule()
    }
}

/// The counter in the first subscript of a statement's accesses to an array, if each subscript is another counter and there are no others.
fn row_counter(model: &StmtModel, array: u32) -> Option<usize> {
    let mut found = None;
    for access in model.accesses.iter().filter(|access| access.array == array) {
        let counters: Vec<usize> =
            access.subscripts.as_ref()?.iter().map(|subscript| only(subscript)).collect::<Option<_>>()?;
        let is_all = (0..model.extents.len()).all(|counter| counters.contains(&counter));
        let first = *counters.first()?;
        if counters.len() < 2 || counters.len() != model.extents.len() || !is_all {
            return None;
        }
        if found.is_some_and(|other| other != first) {
            return None;
        }
        found = Some(first);
    }
    found
}

/// The only counter in a subscript, if that is one by itself.
fn only(subscript: &[i64]) -> Option<usize> {
    let mut moving = (0..subscript.len()).filter(|at| subscript[*at] != 0);
    match (moving.next(), moving.next()) {
        (Some(at), None) if subscript[at] == 1 => Some(at),
        _ => None,
    }
}
