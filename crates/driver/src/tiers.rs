//! Tiers: a second version of new loops, for when one assumption fails that only a part of the gain needs (paper 002's check
//! is all or nothing).
//!
//! The *strong* version runs if all assumptions hold; the *weak* one if all hold but that some arrays are apart; else the
//! original. What the weak version may do is found by the same scheduler, with dependences between everything that touches the
//! one array and everything that touches the other ([`dataflow::with_overlap`]). Its statements are those of the lifted
//! model: that scalars went into cells of arrays may rest on all assumptions.
//!
//! Which arrays: those that are *suspected*, because the program counted that they overlap, or because a caller may well
//! work in place ([`assume::odds`]), and that are *peripheral*, because a deepest statement is in none of the
//! outermost loops in which they meet: there is something left to gain. The weak version is worth its code if what it is
//! expected to save, the odds that it is needed times what it gains then, is more than [`LEAST_GAIN`] of the nest's time. If
//! it is as fast as the strong one, it is the only one. There are at most two versions beside the original.
//!
//! # Example
//! ```text
//! for i, j, k: b[k][j][i] = 2 * a[k][j][i];  for i, j, k: C[i][j] += A[i][k] * B[k][j];
//! strong: b and a apart: both loops new. Weak: b and a overlap: the first as it was, the product tiled.
//! ```
//! With `for i: b[i] = 2 * a[i];` instead of the first, which takes hardly any time, there is only the weak one.

use crate::order::{NewOrder, Plan, analysis, of_isl, optimized};
use crate::pipeline::Modelled;
use assume::{apart_text, odds::guess};
use isl::DimType;
use model::{ArrayId, Condition, Kind, Reason, Scop, StmtId};
use options::{Options, Tiers};
use schedule::{Machine, Prediction};

/// A weaker version of new loops.
pub struct Weaker {
    /// Arrays that may overlap.
    pub overlap: Vec<(ArrayId, ArrayId)>,
    /// Their order.
    pub order: NewOrder,
}

/// How likely a failure must be to be worth a thought.
const SUSPECTED: f64 = 0.05;

/// What a weak version must be expected to save, of the nest's time.
const LEAST_GAIN: f64 = 0.02;

/// How much faster the strong version must be than the weak one to have a place beside it.
const CLEARLY: f64 = 1.001;

/// What is to be done.
pub enum Tier {
    /// There is only the strong version.
    None,
    /// There is a second version.
    Second(Weaker),
    /// There is only the weak version.
    Instead(Weaker),
}

/// Arrays that may overlap in a weaker version, and how likely they do.
struct Suspects {
    pairs: Vec<(ArrayId, ArrayId)>,
    odds: f64,
}

/// A weaker version of the new loops of a nest, if that pays. Orders that are written to files stay as they are.
pub fn weaker(model: &Modelled<'_>, machine: Machine, options: &Options) -> Result<Tier, Reason> {
    let Some(Plan::New(strong)) = &model.plan else { return Ok(Tier::None) };
    let (Some(strong), None) = (strong.prediction, &options.schedule_out) else { return Ok(Tier::None) };
    let all = suspects(model, options.tiers).map_err(of_isl)?;
    if all.is_empty() {
        return Ok(Tier::None);
    }
    let scop = &model.lifted.scop;
    let own;
    let known = match (&model.rewrite, &model.dependences) {
        (None, Some(dependences)) => dependences,
        _ => {
            own = dataflow::dependences(scop, &analysis(options.parallel)).map_err(internal)?;
            &own
        }
    };
    // With scalars in it the nest may have no better order at all, and none has more than without the overlap.
    if model.rewrite.is_some() && matches!(optimized(scop, known, machine.clone(), options)?, Plan::Kept(_)) {
        return Ok(Tier::None);
    }
    for suspects in all {
        let bound = dataflow::with_overlap(scop, known, &suspects.pairs).map_err(of_isl)?;
        if let Plan::New(order) = optimized(scop, &bound, machine.clone(), options)?
            && let tier @ (Tier::Second(_) | Tier::Instead(_)) =
                choice(strong, *order, suspects, options.tiers == Tiers::Always)
        {
            return Ok(tier);
        }
    }
    Ok(Tier::None)
}

/// What is to be done, given an order for when suspects overlap.
fn choice(strong: Prediction, order: NewOrder, suspects: Suspects, is_wanted: bool) -> Tier {
    let Some(weak) = order.prediction else { return Tier::None };
    let weaker = Weaker { overlap: suspects.pairs, order };
    if strong.speedup() < CLEARLY * weak.speedup() && !is_wanted {
        return Tier::Instead(weaker);
    }
    let gain = suspects.odds * (1.0 - 1.0 / weak.speedup());
    if gain > LEAST_GAIN || is_wanted { Tier::Second(weaker) } else { Tier::None }
}

/// How many sets of suspects are tried: each takes a search for an order.
const MOST_TRIED: usize = 2;

/// Sets of arrays that may overlap in a weaker version: the likeliest pair with as many of the others as leave something to
/// gain, then the likeliest that is not among them, and so on.
fn suspects(model: &Modelled<'_>, tiers: Tiers) -> isl::Result<Vec<Suspects>> {
    let (scop, mut found) = (&model.lifted.scop, Vec::new());
    for taken in &model.assumed.taken {
        let (Kind::NoOverlap, Condition::NoOverlap(a, b)) = (taken.assumption.kind, &taken.assumption.holds)
        else {
            continue;
        };
        let guess = guess(scop, Some(Kind::NoOverlap), Some(&taken.assumption.holds));
        let odds = model.odds.of(&apart_text(scop, *a, *b), guess);
        // Statements were cut under the assumption: no order of them does without it.
        let is_fixed = model.lifted.relied.iter().any(|arrays| arrays.contains(a) && arrays.contains(b));
        if !is_fixed && tiers != Tiers::Never && (odds >= SUSPECTED || tiers == Tiers::Always) {
            found.push(((*a, *b), odds));
        }
    }
    found.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    if tiers == Tiers::Always {
        // Nobody suspects all arrays at once.
        found.truncate(1);
    }
    let mut sets: Vec<Suspects> = Vec::new();
    for &(first, odds) in &found {
        let is_known = sets.iter().any(|known| known.pairs.contains(&first));
        if is_known || sets.len() == MOST_TRIED {
            continue;
        }
        let mut pairs = Vec::new();
        for pair in [first].into_iter().chain(found.iter().map(|(pair, _)| *pair)) {
            pairs.push(pair);
            if pairs[..pairs.len() - 1].contains(&pair) || !are_peripheral(scop, &pairs)? {
                pairs.pop();
            }
        }
        if pairs.contains(&first) {
            sets.push(Suspects { pairs, odds });
        }
    }
    Ok(sets)
}

/// Whether a deepest statement is in none of the outermost loops in which two arrays of a pair meet.
fn are_peripheral(scop: &Scop, pairs: &[(ArrayId, ArrayId)]) -> isl::Result<bool> {
    let meetings: Vec<_> = pairs.iter().flat_map(|pair| dataflow::share_a_loop(scop, *pair)).collect();
    let depth = |stmt: StmtId| scop.stmt(stmt).domain.dim(DimType::Set);
    let all = || (0..scop.stmts.len() as u32).map(StmtId);
    let deepest = all().try_fold(0, |most, stmt| Ok::<_, isl::Error>(depth(stmt)?.max(most)))?;
    for stmt in all() {
        let is_near = |(source, sink): &(StmtId, StmtId)| {
            [*source, *sink].iter().any(|met| *met == stmt || dataflow::shared_loops(scop, *met, stmt) > 0)
        };
        if depth(stmt)? == deepest && !meetings.iter().any(is_near) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn internal(error: dataflow::Error) -> Reason {
    match error {
        dataflow::Error::Budget { .. } => Reason::Budget { stage: "schedule".into() },
        error => Reason::Internal { message: error.to_string() },
    }
}
