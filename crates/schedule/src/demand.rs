//! How long the innermost loops of a schedule must be.
//!
//! New loops begin with what only long ones make up for: strips of rows of which one must be whole, vectors that must be full, rows that
//! run one behind the other. How much there is to do altogether does not tell: a million products of 4 x 4 matrices with sizes
//! known at run time are much, and LLVM's plain loops are faster. So each deepest statement has *demands*: a counter, and how many
//! values it must have.

use crate::affine::StmtModel;
use crate::candidate::Candidate;
use crate::tree::{Planned, Step};

/// A counter of a statement that must have so many values for the new loops to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    /// The statement's number.
    pub stmt: usize,
    /// Which of its counters.
    pub counter: usize,
    /// How many values.
    pub least: i64,
}

/// A vector loop with fewer iterations is mostly what it takes to begin and to end it (batched products of n x n matrices
/// on a Zen 5 have 0.7 times clang's speed for n = 6, 1.1 for n = 8, 2.7 for n = 16).
const FULL_VECTORS: i64 = 8;
/// The same for rows of which each is one iteration behind the one before (Gauss-Seidel on a Zen 5: 0.8 for n = 24, 1.0 for n = 32).
const SKEWED: i64 = 32;
/// So many strips of rows: those that are not whole are slower than plain loops.
const STRIPS: i64 = 2;

/// What the innermost loops of a candidate demand.
pub fn demands(candidate: &Candidate, models: &[StmtModel]) -> Vec<Demand> {
    let deepest = models.iter().map(|model| model.extents.len()).max();
    let mut found = Vec::new();
    for (stmt, steps) in &candidate.shape.paths {
        if Some(models[*stmt].extents.len()) == deepest {
            let all = demands_on_way(candidate, *stmt, steps);
            found.extend(all.into_iter().map(|(counter, least)| Demand { stmt: *stmt, counter, least }));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Counters, and how many values each must have.
fn demands_on_way(candidate: &Candidate, stmt: usize, steps: &[Step]) -> Vec<(usize, i64)> {
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
        if let Some(planned) = planned {
            of_innermost(planned, &mut demand);
        }
    }
    found
}

fn of_innermost(Planned { change, freedom, .. }: &Planned, demand: &mut impl FnMut(usize, i64)) {
    match (change.jam, &change.order[..]) {
        _ if change.block.is_some() => {}
        (Some(strip), [.., row, along]) => {
            demand(*row, STRIPS * strip.rows);
            if strip.is_skewed {
                demand(*along, SKEWED);
            } else if freedom.coincident[*along] {
                demand(*along, FULL_VECTORS);
            }
        }
        (None, [.., innermost]) if freedom.parallel[*innermost] => demand(*innermost, FULL_VECTORS),
        _ => {}
    }
    if change.is_tiled() && change.block.is_none() {
        change.order.iter().for_each(|member| demand(*member, FULL_VECTORS));
    }
}
