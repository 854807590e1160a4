//! Bands of loops that can be tiled together.
//!
//! Loops `a..=b` of a chain are *permutable* if
//!
//! 1. every flow between statements inside loop `b` that no loop outside `a` carries has no negative component in
//!    `a..=b`: blocks of iterations can then run one after the other, in any order of the loops; and
//! 2. the statements inside `a` but outside `b` can get loops of their own: no value goes from inside `b` to one of them
//!    and back ([`separation`]). Then the nest can be distributed, which makes the band perfect.
//!
//! If (1) fails only by components that an earlier positive one outweighs, *skewing* mends it: with
//! `x_d + f * x_a` in place of `x_d`, the component becomes at least 0 for `f = ceil(-low_d / low_a)`. Example: a
//! stencil over time, `(1, -1)`, `(1, 0)`, `(1, 1)`: `f = 1`. Only for exact distances and small factors: skewing by the
//! length of the loop always helps, and is good for nothing.
//!
//! Of a chain the longest band is suggested, the innermost of these. The gain is the share of the accesses inside it that
//! go to data (or neighbours of data) that an outer loop of the band comes back to, times the share of its instructions:
//! what a cache can keep if the blocks fit.

use crate::distance::Distance;
use crate::stride::{accesses, is_regular};
use crate::view::{Chain, Dep, View, inside, place, places, places_of};
use crate::{Kind, LEAST_SHARE, Obstacle, Suggestion, sketch};
use std::collections::BTreeSet;
use trace::profile::{Access, Carrier, Loop, Statement};

/// Skewing by more is as good as running the outer iterations one after the other.
const MOST_SKEW: i64 = 8;

/// Per loop of a band after the first how many iterations of the first it moves by; all 0: permutable as it is.
type Factors = Vec<i64>;

struct Band {
    from: usize,
    to: usize,
    factors: Factors,
}

impl Band {
    fn is_skewed(&self) -> bool {
        self.factors.iter().any(|f| *f != 0)
    }

    fn length(&self) -> usize {
        self.to - self.from + 1
    }
}

/// Suggestions for a nest.
pub fn suggest(view: &View) -> Vec<Suggestion> {
    let mut seen = BTreeSet::new();
    let chains = view.chains();
    let worth = chains.iter().filter(|c| c.loops.len() >= c.first + 2 && view.share(c.leaf()) >= LEAST_SHARE);
    let all = worth.flat_map(|chain| of_chain(view, chain));
    all.filter(|s| seen.insert((s.id, s.loops.clone()))).collect()
}

fn of_chain(view: &View, chain: &Chain) -> Vec<Suggestion> {
    let mut bands: Vec<Band> = Vec::new();
    let mut obstacles: Vec<Obstacle> = Vec::new();
    for to in chain.first + 1..chain.loops.len() {
        for from in chain.first..to {
            match check(view, chain, from, to) {
                Ok(factors) => bands.push(Band { from, to, factors }),
                Err(obstacle) => obstacles.push(obstacle),
            }
        }
    }
    let longest =
        |skewed: bool| bands.iter().filter(|b| b.is_skewed() == skewed).max_by_key(|b| (b.length(), b.to));
    let (plain, skewed) = (longest(false), longest(true));
    let skewed = skewed.filter(|s| plain.is_none_or(|p| p.length() < s.length()));
    if plain.is_none() && skewed.is_none() {
        // The last one is of the two innermost loops.
        let loops = &chain.loops[chain.loops.len() - 2..];
        let message = format!("{} cannot be tiled", places(loops));
        let gain = view.share(chain.leaf()) * returning(view, chain, chain.loops.len() - 2);
        return vec![view.forbidden(Kind::Tile, loops, gain, message, obstacles.pop().into_iter().collect())];
    }
    let bands: Vec<&Band> = plain.into_iter().chain(skewed).collect();
    let made = bands.iter().map(|band| of_band(view, chain, band));
    let made: Vec<Suggestion> = made.filter(|s| s.gain > 0.0).collect();
    let longest = bands.iter().max_by_key(|b| b.length());
    let gain = made.iter().map(|s| s.gain).fold(0.0, f64::max);
    let expand = longest.and_then(|b| expand(view, chain.loops[b.from], chain.loops[b.to], gain));
    made.into_iter().chain(expand).collect()
}

/// The scalars that have to become arrays so that the inner loop is alone in the outer one.
fn expand(view: &View, outer: &Loop, inner: &Loop, gain: f64) -> Option<Suggestion> {
    let crossing = crossing(view, outer, inner);
    let made = places_of(crossing.iter().map(|dep| dep.source));
    if crossing.is_empty() {
        return None;
    }
    let message = format!(
        "what {made} passes into or out of {} can be an array over {}: then these loops can be moved",
        place(inner),
        place(outer)
    );
    let mut suggestion = view.possible(Kind::Expand, &[outer, inner], gain, message);
    suggestion.before = vec!["T x;".to_owned()];
    suggestion.after = vec!["T x[n];  // x[i] in place of x".to_owned()];
    Some(suggestion)
}

fn of_band(view: &View, chain: &Chain, band: &Band) -> Suggestion {
    let loops = &chain.loops[band.from..=band.to];
    let (id, how) = match band.is_skewed() {
        false => (Kind::Tile, String::new()),
        true => {
            let factors: Vec<String> = band.factors.iter().map(i64::to_string).collect();
            (
                Kind::Skew,
                format!(" if the inner ones are skewed by {} times the outermost", factors.join(", ")),
            )
        }
    };
    let gain = view.share(chain.loops[band.to]) * returning(view, chain, band.from);
    let message = format!("{} can be tiled together ({}D){how}", places(loops), band.length());
    let mut suggestion = view.possible(id, loops, gain, message);
    suggestion.needs = separation_needs(view, chain.loops[band.from], chain.loops[band.to]);
    let apart = !suggestion.needs.is_empty();
    let ordered = |x: &Distance| !x.reaches(band.from) || stays_permutable(x, band);
    suggestion.needs.extend(copies(&view.overwritten(chain.loops[band.to], ordered)));
    match band.is_skewed() {
        true => sketch::add_skewed(&mut suggestion, loops, &band.factors, apart),
        false => sketch::add(&mut suggestion, loops, apart),
    }
    suggestion
}

/// Whether a distance has no negative component in a band, skewed as it is.
fn stays_permutable(distance: &Distance, band: &Band) -> bool {
    let first = distance.components.get(band.from).map_or(0, |c| c.low);
    let inner = distance.components.iter().skip(band.from + 1).zip(&band.factors);
    first >= 0 && inner.into_iter().all(|(c, f)| c.low.saturating_add(f.saturating_mul(first)) >= 0)
}

/// The need for copies of what these statements overwrite.
pub fn copies(overwriting: &[&Statement]) -> Option<String> {
    let lines = places_of(overwriting.iter().copied());
    (!overwriting.is_empty())
        .then(|| format!("a copy, or one more dimension, of what is overwritten at {lines}"))
}

/// The factors with which a band becomes permutable, or what forbids it.
fn check(view: &View, chain: &Chain, from: usize, to: usize) -> Result<Factors, Obstacle> {
    separation(view, chain.loops[from], chain.loops[to])?;
    let mut factors = vec![0; to - from];
    for dep in view.flow_within(chain.loops[to]) {
        for distance in dep.distances.iter().filter(|x| x.reaches(from)) {
            let first = distance.components[from].low;
            for (factor, component) in factors.iter_mut().zip(&distance.components[from + 1..=to]) {
                let wanted =
                    skew(first, component.low).filter(|f| *f == 0 || (distance.exact && *f <= MOST_SKEW));
                let wanted = wanted.ok_or_else(|| dep.obstacle(distance))?;
                *factor = wanted.max(*factor);
            }
        }
    }
    Ok(factors)
}

/// The least factor that makes `inner + factor * outer` not negative.
fn skew(outer: i64, inner: i64) -> Option<i64> {
    match (outer, inner) {
        (_, 0..) => Some(0),
        (_, i64::MIN) | (..=0, _) => None,
        (outer, inner) => {
            inner.checked_neg().map(|n| n.div_euclid(outer) + i64::from(n.rem_euclid(outer) != 0))
        }
    }
}

/// Whether what is inside `outer` but outside `inner` can get loops of its own: no value leaves `inner` and comes back
/// to it. The error is the dependence by which it comes back.
pub fn separation(view: &View, outer: &Loop, inner: &Loop) -> Result<(), Obstacle> {
    let d = outer.dimension as usize;
    let mut work: Vec<u32> = view.statements(inner).map(|s| s.id).collect();
    let mut reached: BTreeSet<u32> = work.iter().copied().collect();
    while let Some(statement) = work.pop() {
        for dep in view.uses(statement, outer) {
            let Some(distance) = dep.distances.iter().find(|x| x.reaches(d)) else { continue };
            if inside(dep.target, inner) && !inside(dep.source, inner) {
                return Err(dep.obstacle(distance));
            }
            if reached.insert(dep.target.id) {
                work.push(dep.target.id);
            }
        }
    }
    Ok(())
}

/// Flows between what is inside `inner` and what is outside, in one iteration of the loops around `outer`.
fn crossing<'v, 'a>(view: &'v View<'a>, outer: &Loop, inner: &Loop) -> Vec<&'v Dep<'a>> {
    let d = outer.dimension as usize;
    let crosses = |dep: &&Dep| inside(dep.source, inner) != inside(dep.target, inner) && dep.reaches(d);
    view.flow_within(outer).filter(crosses).collect()
}

/// What has to be rewritten around `inner` so that it is alone in `outer`.
pub fn separation_needs(view: &View, outer: &Loop, inner: &Loop) -> Vec<String> {
    let crossing = crossing(view, outer, inner);
    if crossing.is_empty() {
        return Vec::new();
    }
    let outside = crossing.iter().map(|dep| if inside(dep.source, inner) { dep.target } else { dep.source });
    let lines = places_of(outside);
    vec![format!(
        "loops of their own for what is outside the inner loop ({lines}), with an array for each value passed between"
    )]
}

/// The share of accesses of a chain that a loop from `from` on, other than the innermost, brings back to the same or
/// the neighbouring place, or that read what another iteration of such a loop wrote.
fn returning(view: &View, chain: &Chain, from: usize) -> f64 {
    let leaf = chain.loops.len() - 1;
    let through_memory = |dep: &&Dep| dep.dependence.carrier == Carrier::Memory;
    let carried = |dep: &&Dep| (from..leaf).any(|d| dep.is_carried_by(d));
    let flow = view.flow_within(chain.leaf()).filter(through_memory).filter(carried);
    let reads: BTreeSet<u32> = flow.map(|dep| dep.target.id).collect();
    let moves = |a: &Access| a.stride.get(leaf) != Some(&Some(0));
    let comes_back = |a: &Access| moves(a) && (from..leaf).any(|d| is_regular(a, d));
    let (mut back, mut all) = (0, 0);
    for (statement, access) in accesses(view, chain) {
        all += statement.instances;
        let counts = comes_back(access) || reads.contains(&statement.id);
        back += if counts { statement.instances } else { 0 };
    }
    back as f64 / all.max(1) as f64
}
