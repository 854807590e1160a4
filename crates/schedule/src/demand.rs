//! How long the innermost loops of a schedule must be.
//!
//! New loops begin with what only long ones make up for: strips of rows of which one must be whole, vectors that must be full, rows that
//! run one behind the other. How much there is to do altogether does not tell: a million products of 4 x 4 matrices with sizes
//! known at run time are much, and LLVM's plain loops are faster. So each deepest statement has *demands*: a counter, and how many
//! values it must have.

use crate::Machine;
use crate::affine::{AccessModel, StmtModel};
use crate::block::FURTHEST;
use crate::candidate::Candidate;
use crate::cost::LATENCY;
use crate::tree::{Planned, Step};
use model::Scop;

/// A counter of a statement that must have so many values for the new loops to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    /// The statement's number.
    pub stmt: usize,
    /// Which of its counters.
    pub counter: usize,
    /// How many values.
    pub least: i64,
    /// Also if their number is a constant. Otherwise the prediction knew it.
    pub of_constants: bool,
}

/// A vector loop with fewer iterations is mostly what it takes to begin and to end it (batched products of n x n matrices
/// on a Zen 5 have 0.7 times clang's speed for n = 6, 1.1 for n = 8, 2.7 for n = 16).
const FULL_VECTORS: i64 = 8;
/// And so is one that does not fill so many vectors (shortest paths of `int` on a Zen 5, whose loops are split in two: 0.85 for n = 16,
/// 1.5 for n = 33).
const VECTORS: i64 = 2;
/// Rows that are each one iteration behind the one before (Gauss-Seidel on a Zen 5: 0.8 for n = 24, 1.0 for n = 32).
const SKEWED: i64 = 32;
/// The same for rows that are not equally long, of which many strips have edges (triangular systems on a Zen 5: 0.8 for n = 100 and 200
/// in two forms, 1.0 to 1.3 for n = 400).
const WITH_EDGES: i64 = 256;
/// The same for loops around others, of which the rows of a strip do more (Gram-Schmidt by rows on a Zen 5: 0.5 for n = 16, 0.8 for 33, 1.0 for 65
/// and 100, 1.5 for 129).
const LOOPS_WITH_EDGES: i64 = 128;
/// Distributed vector loops over rows that are not equally long, each of which ends where the processor does not foresee it (`lu` and `ludcmp`
/// with constant sizes on an AVX-512 Xeon: 0.7 and 0.6 for n = 100, 0.97 and 0.85 for n = 140, 1.4 and 1.2 for n = 160).
const DISTRIBUTED_WITH_EDGES: i64 = 150;
/// Runs of fewer iterations that wait for each other overlap in the processor without being written out, but rows that use the
/// same values load them once.
const LONG_RUNS: i64 = 12;
/// The same where rows have nothing in common, for each cycle less than so many that an iteration waits for the one before: where a sum
/// stays in a register (rows of floats normed on a Zen 5: 0.5 for n = 16, 1.1 for n = 48; dot products of floats 0.9 for n = 24, 1.0 for n = 65), and where
/// each iteration stores what the next one wants (running sums of rows: 0.5 for n = 33, 0.9 for n = 100, 1.0 for n = 140; smoothed rows, which
/// wait twice as long, 0.9 for n = 24, 1.3 for n = 48; `adi`, which divides, 2.5 for n = 60).
const LONG_SUM: f64 = 256.0;
const LONG_RECURRENCE: f64 = 512.0;
/// So many strips of rows: those that are not whole are slower than plain loops.
const STRIPS: i64 = 2;
/// So many blocks of rows for columns that are gathered, which all of them use (distances between n points and 8 others on a Zen 5: 0.8 for n = 10,
/// 1.2 for n = 30).
const GATHERED: i64 = 3;
/// So many blocks of rows for columns that are brought together from a few cells apart.
const PARTS: i64 = 2;
/// So many tiles, for most of them to have blocks only, if the others gather cells (LDL' and Cholesky on a Zen 5: 0.6 for n = 17, 0.9 for n = 100,
/// 1.2 and 1.4 for 200; `lu`, where columns lie side by side, has 1.5 for n = 60).
const TILES: i64 = 3;

/// What the innermost loops of a candidate demand.
pub fn demands(
    scop: &Scop,
    candidate: &Candidate,
    models: &[StmtModel],
    machine: &Machine,
) -> isl::Result<Vec<Demand>> {
    let deepest = models.iter().map(|model| model.extents.len()).max();
    let mut found = Vec::new();
    for (stmt, steps) in &candidate.shape.paths {
        if Some(models[*stmt].extents.len()) == deepest {
            let has_edges = !scop.stmts[*stmt].domain.is_box()?;
            let way = Way { candidate, stmt: *stmt, model: &models[*stmt], models, machine, has_edges };
            // The first iteration of a loop alone, say, has no others.
            let is_part = |at: usize| {
                let is_longer =
                    |model: &StmtModel| model.few.len() == models[*stmt].few.len() && !model.few[at];
                models[*stmt].few[at] && models.iter().any(is_longer)
            };
            for (counter, least) in way.demands(steps).into_iter().filter(|(at, _)| !is_part(*at)) {
                let of_constants = least >= SKEWED;
                found.push(Demand { stmt: *stmt, counter, least, of_constants });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// What is around a statement.
struct Way<'a> {
    candidate: &'a Candidate,
    stmt: usize,
    model: &'a StmtModel,
    models: &'a [StmtModel],
    machine: &'a Machine,
    /// Not all of its rows are equally long.
    has_edges: bool,
}

/// Counters, and how many values each must have.
type Found = Vec<(usize, i64)>;

impl Way<'_> {
    fn demands(&self, steps: &[Step]) -> Found {
        let (mut moved, mut found, mut rows) = (Vec::new(), Vec::new(), None);
        for step in steps {
            let Step::Band(number) = *step else { continue };
            let band = &self.candidate.shape.bands[number];
            let planned = self.candidate.changes.iter().find(|planned| planned.band == number);
            let order = planned
                .map_or_else(|| (0..band.rows.len()).collect(), |planned| planned.change.order.clone());
            let mut counters = vec![None; band.rows.len()];
            for member in order {
                counters[member] = band.rows[member].get(&self.stmt).and_then(|row| row.moved(&moved));
                moved.extend(counters[member]);
            }
            let last = counters[band.rows.len() - 1];
            for jam in self.candidate.jams.iter().filter(|jam| jam.band == number) {
                rows = last;
                let least = if self.has_edges { LOOPS_WITH_EDGES } else { STRIPS * jam.rows };
                found.extend(last.map(|at| (at, least)));
            }
            if let Some(jam) = self.candidate.jams.iter().find(|jam| jam.leaves.contains(&number)) {
                let is_vector = jam.stmts.get(&self.stmt).is_some_and(|rows| rows.is_vector);
                // The rows of all statements run side by side: the longest wait is what they save.
                let waits =
                    jam.stmts.keys().map(|stmt| self.models[*stmt].waits.longest()).fold(0.0, f64::max);
                let least = |at| if is_vector { LONG_RUNS } else { self.long_runs(rows, at, waits) };
                found.extend(last.map(|at| (at, least(at))));
            }
            if let Some(planned) = planned {
                self.of_innermost(planned, &counters, &mut found);
            }
        }
        found
    }

    fn of_innermost(&self, planned: &Planned, counters: &[Option<usize>], found: &mut Found) {
        let Planned { change, freedom, .. } = planned;
        let column = change.order.last().and_then(|last| counters[*last]);
        let steps = column.map_or(Steps::Next, |at| self.steps(at));
        let is_gathered = steps == Steps::Far;
        let mut demand = |member: usize, least: i64| found.extend(counters[member].map(|at| (at, least)));
        match (change.jam, change.block, &change.order[..]) {
            (_, Some(block), [.., row, _]) if is_gathered => demand(*row, GATHERED * block.height),
            (_, Some(block), [.., row, _]) if steps == Steps::Near => demand(*row, PARTS * block.height),
            (Some(strip), _, [.., row, along]) => {
                let has_edges = self.has_edges && !freedom.coincident[*along];
                demand(*row, if has_edges { WITH_EDGES } else { STRIPS * strip.rows });
                if strip.is_skewed {
                    demand(*along, SKEWED);
                } else if freedom.coincident[*along] {
                    demand(*along, FULL_VECTORS);
                } else if let Some(at) = counters[*along] {
                    let waits = planned.stmts().into_iter().map(|stmt| self.models[stmt].waits.longest());
                    demand(*along, self.long_runs(counters[*row], at, waits.fold(0.0, f64::max)));
                }
            }
            (None, None, [.., innermost]) if freedom.parallel[*innermost] || change.split => {
                demand(*innermost, self.full_vectors() * if change.split { 2 } else { 1 });
            }
            (None, None, [.., innermost]) if change.sink && self.has_edges => {
                demand(*innermost, DISTRIBUTED_WITH_EDGES);
            }
            _ => {}
        }
        match change.block {
            Some(_) if planned.stmts().len() > change.blocked.len() && is_gathered => {
                for (member, size) in change.order.iter().zip(&change.tiles) {
                    size.iter().for_each(|size| demand(*member, TILES * size));
                }
            }
            None if change.is_tiled() && change.jam.is_none() => {
                change.order.iter().for_each(|member| demand(*member, FULL_VECTORS));
            }
            _ => {}
        }
    }

    /// How many iterations fill vectors.
    fn full_vectors(&self) -> i64 {
        let widest = self.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max) as i64;
        FULL_VECTORS.max(VECTORS * i64::from(self.machine.vector_bits) / 8 / widest)
    }

    /// How long rows must be along which iterations wait for each other, so many cycles.
    fn long_runs(&self, row: Option<usize>, along: usize, waits: f64) -> i64 {
        let moves = |access: &AccessModel, at: usize| {
            access.subscripts.as_ref().is_none_or(|all| all.iter().any(|subscript| subscript[at] != 0))
        };
        let is_shared =
            |access: &AccessModel| row.is_some_and(|row| !moves(access, row)) && moves(access, along);
        let accesses = &self.model.accesses;
        if accesses.iter().any(is_shared) {
            return LONG_RUNS;
        }
        let is_stored = accesses.iter().any(|access| access.is_write && moves(access, along));
        let cycles = if is_stored { LONG_RECURRENCE } else { LONG_SUM };
        LONG_RUNS.max((cycles / waits.max(LATENCY)) as i64)
    }

    /// How far what moves along the columns moves, and is made vectors of nevertheless.
    fn steps(&self, column: usize) -> Steps {
        let of = |access: &AccessModel| {
            let Some((last, outer)) = access.subscripts.as_ref().and_then(|all| all.split_last()) else {
                return Steps::Far;
            };
            match last[column].abs() {
                _ if outer.iter().any(|subscript| subscript[column] != 0) => Steps::Far,
                0 | 1 => Steps::Next,
                few if few as f64 <= FURTHEST => Steps::Near,
                _ => Steps::Far,
            }
        };
        self.model.accesses.iter().map(of).max().unwrap_or(Steps::Next)
    }
}

/// Where the next column's cell is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Steps {
    /// It is the next one, or the same.
    Next,
    /// A few further.
    Near,
    /// Elsewhere.
    Far,
}
