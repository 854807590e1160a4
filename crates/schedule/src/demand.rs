//! How long the innermost loops of a schedule must be.
//!
//! New loops begin with what only long ones make up for: strips of rows of which one must be whole, vectors that must be full, rows that
//! run one behind the other. How much there is to do altogether does not tell: a million products of 4 x 4 matrices with sizes
//! known at run time are much, and LLVM's plain loops are faster. So each deepest statement has *demands*: a counter, and how many
//! values it must have.

use crate::affine::StmtModel;
use crate::candidate::Candidate;
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
/// The same for rows of which each is one iteration behind the one before (Gauss-Seidel on a Zen 5: 0.8 for n = 24, 1.0 for n = 32).
const SKEWED: i64 = 32;
/// The same for rows that are not equally long, of which many strips have edges (triangular systems on a Zen 5: 0.8 for n = 100 and 200
/// in two forms, 1.0 to 1.3 for n = 400).
const WITH_EDGES: i64 = 256;
/// Runs of fewer iterations that wait for each other overlap in the processor without being written out.
const LONG_RUNS: i64 = 12;
/// So many strips of rows: those that are not whole are slower than plain loops.
const STRIPS: i64 = 2;

/// What the innermost loops of a candidate demand.
pub fn demands(scop: &Scop, candidate: &Candidate, models: &[StmtModel]) -> isl::Result<Vec<Demand>> {
    let deepest = models.iter().map(|model| model.extents.len()).max();
    let mut found = Vec::new();
    for (stmt, steps) in &candidate.shape.paths {
        if Some(models[*stmt].extents.len()) == deepest {
            let has_edges = !scop.stmts[*stmt].domain.is_box()?;
            for (counter, least) in demands_on_way(candidate, *stmt, steps, has_edges) {
                let of_constants = least >= SKEWED;
                found.push(Demand { stmt: *stmt, counter, least, of_constants });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Counters, and how many values each must have.
fn demands_on_way(candidate: &Candidate, stmt: usize, steps: &[Step], has_edges: bool) -> Vec<(usize, i64)> {
    let (mut moved, mut found) = (Vec::new(), Vec::new());
    for step in steps {
        let Step::Band(number) = *step else { continue };
        let band = &candidate.shape.bands[number];
        let planned = candidate.changes.iter().find(|planned| planned.band == number);
        let order =
            planned.map_or_else(|| (0..band.rows.len()).collect(), |planned| planned.change.order.clone());
        let mut counters = vec![None; band.rows.len()];
        for member in order {
            counters[member] = band.rows[member].get(&stmt).and_then(|row| row.moved(&moved));
            moved.extend(counters[member]);
        }
        let mut demand = |member: usize, least: i64| found.extend(counters[member].map(|at| (at, least)));
        for jam in candidate.jams.iter().filter(|jam| jam.band == number) {
            demand(band.rows.len() - 1, STRIPS * jam.rows);
        }
        if candidate.jams.iter().any(|jam| jam.leaves.contains(&number)) {
            demand(band.rows.len() - 1, LONG_RUNS);
        }
        if let Some(planned) = planned {
            of_innermost(planned, has_edges, &mut demand);
        }
    }
    found
}

fn of_innermost(
    Planned { change, freedom, .. }: &Planned,
    has_edges: bool,
    demand: &mut impl FnMut(usize, i64),
) {
    match (change.jam, &change.order[..]) {
        _ if change.block.is_some() => {}
        (Some(strip), [.., row, along]) => {
            let has_edges = has_edges && !freedom.coincident[*along];
            demand(*row, if has_edges { WITH_EDGES } else { STRIPS * strip.rows });
            if strip.is_skewed {
                demand(*along, SKEWED);
            } else if freedom.coincident[*along] {
                demand(*along, FULL_VECTORS);
            } else {
                demand(*along, LONG_RUNS);
            }
        }
        (None, [.., innermost]) if freedom.parallel[*innermost] => demand(*innermost, FULL_VECTORS),
        _ => {}
    }
    if change.is_tiled() && change.block.is_none() && change.jam.is_none() {
        change.order.iter().for_each(|member| demand(*member, FULL_VECTORS));
    }
}
