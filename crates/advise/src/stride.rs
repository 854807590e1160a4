//! Which loop of a chain should be the innermost, and whether it can use vector instructions.
//!
//! An access is *regular* along a loop if the next iteration accesses the same place or the next one (stride 0, or plus
//! or minus its size). Another loop should be innermost (**interchange**) if fewer accesses are irregular along it. That is
//! possible if every flow between the innermost statements stays in order, and the rest of the nest can get loops of its
//! own ([`crate::band::separation`]). The gain is the share of accesses that become regular, times the share of the
//! innermost loop's instructions.
//!
//! A loop can use **vector instructions** if, as innermost loop, it carries no flow (reductions apart), all its accesses
//! are regular along it, some move, and it calls nothing. The gain is the share of instructions that vectors of
//! [`VECTOR`] bytes save: `share * (1 - 1 / lanes)`.

use crate::band::{copies, separation, separation_needs};
use crate::parallel::{calls, is_reduction};
use crate::view::{Chain, Dep, View, at, place, places_of, trips};
use crate::{Kind, LEAST_SHARE, Obstacle, Suggestion, sketch};
use std::collections::BTreeSet;
use trace::profile::{Access, Class, Statement};

/// Bytes of the vector registers that every x86-64 has.
const VECTOR: u32 = 16;
/// A loop with fewer iterations is not worth being innermost.
const LEAST_TRIPS: f64 = 4.0;

/// Suggestions for a nest.
pub fn suggest(view: &View) -> Vec<Suggestion> {
    let chains = view.chains();
    let worth = |c: &&Chain| c.first < c.loops.len() && view.share(c.leaf()) >= LEAST_SHARE;
    chains.iter().filter(worth).flat_map(|chain| of_chain(view, chain)).collect()
}

fn of_chain(view: &View, chain: &Chain) -> Vec<Suggestion> {
    let leaf = chain.loops.len() - 1;
    let better = better_innermost(view, chain);
    let interchange = better.map(|d| interchange(view, chain, d));
    let along_leaf = vectorize(view, chain, leaf);
    let legal = interchange.as_ref().is_some_and(|s| s.possible);
    let vectors = match (&along_leaf, better.filter(|_| legal)) {
        (Some(s), Some(d)) if !s.possible => vectorize(view, chain, d).filter(|s| s.possible).or(along_leaf),
        _ => along_leaf,
    };
    interchange.into_iter().chain(vectors).collect()
}

/// Accesses of the innermost statements, without those of induction variables.
pub fn accesses<'a>(view: &View<'a>, chain: &Chain) -> impl Iterator<Item = (&'a Statement, &'a Access)> {
    let leaf = chain.leaf().id;
    let body = view.nest.statements.iter().filter(move |s| s.loops.last() == Some(&leaf));
    let worth = body.filter(|s| !s.induction && s.class != Class::Call);
    worth.flat_map(|s| s.accesses.iter().map(move |a| (s, a)))
}

/// Whether the next iteration of dimension `d` accesses the same place or a neighbour.
pub fn is_regular(access: &Access, d: usize) -> bool {
    let near = |stride: &i64| stride.unsigned_abs() <= u64::from(access.size);
    !access.several && access.stride.get(d).copied().flatten().as_ref().is_some_and(near)
}

/// Accesses in all, and those that are regular along `d`.
fn regular(view: &View, chain: &Chain, d: usize) -> (u64, u64) {
    accesses(view, chain).fold((0, 0), |(all, regular), (s, a)| {
        (all + s.instances, regular + if is_regular(a, d) { s.instances } else { 0 })
    })
}

/// The dimension along which most accesses are regular, if these are more than along the innermost; one that can become
/// the innermost if there is one.
fn better_innermost(view: &View, chain: &Chain) -> Option<usize> {
    let leaf = chain.loops.len() - 1;
    let now = regular(view, chain, leaf).1;
    let worth = |d: &usize| trips(chain.loops[*d]) >= LEAST_TRIPS && regular(view, chain, *d).1 > now;
    let rank = |d: &usize| (stays_in_order(view, chain, *d).is_ok(), regular(view, chain, *d).1, *d);
    (chain.first..leaf).filter(worth).max_by_key(rank)
}

fn interchange(view: &View, chain: &Chain, d: usize) -> Suggestion {
    let leaf = chain.loops.len() - 1;
    let ((all, then), (_, now)) = (regular(view, chain, d), regular(view, chain, leaf));
    let gain = view.share(chain.leaf()) * (then - now) as f64 / all.max(1) as f64;
    let loops = &chain.loops[d..];
    let [outer, inner] = [chain.loops[d], chain.leaf()].map(place);
    let percent = |part: u64| 100 * part / all.max(1);
    let better =
        format!("{}% of its accesses have stride 0 or 1 along it, {}% now", percent(then), percent(now));
    match stays_in_order(view, chain, d) {
        Ok(()) => {
            let message = format!("{outer} can be interchanged to be inside {inner}: {better}");
            let mut suggestion = view.possible(Kind::Interchange, loops, gain, message);
            suggestion.needs = separation_needs(view, chain.loops[d], chain.leaf());
            let apart = !suggestion.needs.is_empty();
            let order = innermost_last(chain, d);
            suggestion.needs.extend(copies(&view.overwritten(chain.leaf(), |x| x.survives(&order))));
            sketch::add(&mut suggestion, loops, apart);
            suggestion
        }
        Err(obstacle) => {
            let message =
                format!("{outer} would be better inside {inner} ({better}), but that changes results");
            view.forbidden(Kind::Interchange, loops, gain, message, vec![obstacle])
        }
    }
}

/// The order of the loops with `d` as the innermost.
fn innermost_last(chain: &Chain, d: usize) -> Vec<usize> {
    (0..chain.loops.len()).filter(|k| *k != d).chain([d]).collect()
}

/// Whether some other loop is better as the innermost one and can become it.
pub fn interchange_is_possible(view: &View, chain: &Chain) -> bool {
    better_innermost(view, chain).is_some_and(|d| stays_in_order(view, chain, d).is_ok())
}

/// Whether dimension `d` can become the innermost.
fn stays_in_order(view: &View, chain: &Chain, d: usize) -> Result<(), Obstacle> {
    separation(view, chain.loops[d], chain.leaf())?;
    let order = innermost_last(chain, d);
    for dep in view.flow_within(chain.leaf()) {
        if let Some(distance) = dep.distances.iter().find(|x| !x.survives(&order)) {
            return Err(dep.obstacle(distance));
        }
    }
    Ok(())
}

/// Vector instructions along `d`; `None` if there is nothing to gain.
fn vectorize(view: &View, chain: &Chain, d: usize) -> Option<Suggestion> {
    let leaf = chain.loops.len() - 1;
    let moving = accesses(view, chain).map(|(_, a)| a).filter(|a| a.stride.get(d) != Some(&Some(0)));
    let widest = moving.filter(|a| a.size > 0).map(|a| a.size).max()?;
    let lanes = VECTOR / widest;
    if lanes < 2 {
        return None;
    }
    let gain = view.share(chain.leaf()) * (1.0 - 1.0 / f64::from(lanes));
    let loops = &chain.loops[d..];
    let along = place(chain.loops[d]);
    let (sums, obstacles) = vector_obstacles(view, chain, d);
    if !obstacles.is_empty() {
        let message = format!("{along} cannot use vector instructions as it is");
        return Some(view.forbidden(Kind::Vectorize, &loops[..1], gain, message, obstacles));
    }
    let after = if d == leaf { "" } else { " after the interchange" };
    let message =
        format!("{along} can use vector instructions{after}: stride 1 along it, {lanes} x {widest} bytes");
    let mut suggestion = view.possible(Kind::Vectorize, loops, gain, message);
    suggestion.needs.extend(sums);
    suggestion.needs.extend(masks(view, chain));
    let order = innermost_last(chain, d);
    let kept = |x: &crate::distance::Distance| x.survives(&order) && !x.carried_innermost(d);
    suggestion.needs.extend(copies(&view.overwritten(chain.leaf(), kept)));
    sketch::add(&mut suggestion, loops, false);
    Some(suggestion)
}

/// A need for partial sums, and what forbids vector instructions along `d`.
fn vector_obstacles(view: &View, chain: &Chain, d: usize) -> (Option<String>, Vec<Obstacle>) {
    let leaf = chain.leaf();
    let carries = |dep: &&Dep| dep.distances.iter().any(|x| x.carried_innermost(d));
    let (sums, others): (Vec<&Dep>, Vec<&Dep>) =
        view.flow_within(leaf).filter(carries).partition(|dep| is_reduction(view, leaf, dep));
    let of_dep = |dep: &&Dep| dep.distances.iter().find(|x| x.carried_innermost(d)).map(|x| dep.obstacle(x));
    let mut obstacles: Vec<Obstacle> = others.iter().filter_map(of_dep).collect();
    obstacles.extend(calls(view, leaf));
    obstacles.extend(irregular(view, chain, d));
    let lines = places_of(sums.iter().map(|dep| dep.target));
    let partial = format!("partial results of the accumulation at {lines} (another order of operations)");
    ((!sums.is_empty()).then_some(partial), obstacles)
}

/// Accesses that do not go from neighbour to neighbour along `d`, one per place.
fn irregular(view: &View, chain: &Chain, d: usize) -> Vec<Obstacle> {
    let mut seen = BTreeSet::new();
    let all = accesses(view, chain).filter(|(_, a)| !is_regular(a, d));
    all.filter(|(s, _)| seen.insert(at(s)))
        .map(|(s, a)| {
            let how = match a.stride.get(d).copied().flatten() {
                Some(stride) if !a.several => format!("with a stride of {stride} bytes"),
                _ => "without a constant stride".to_owned(),
            };
            let message =
                format!("{} accesses {} bytes {how} along {}", at(s), a.size, place(chain.loops[d]));
            Obstacle {
                dependence: None,
                source: None,
                target: s.loc.clone(),
                message,
                exact: a.address.exact,
            }
        })
        .collect()
}

/// A need for masks if some statements ran in some iterations only.
fn masks(view: &View, chain: &Chain) -> Option<String> {
    let leaf = chain.leaf().id;
    let body = || view.nest.statements.iter().filter(|s| s.loops.last() == Some(&leaf) && !s.induction);
    let most = body().map(|s| s.instances).max()?;
    // A header runs once more per entry than the rest.
    let sometimes = |s: &&Statement| s.instances.saturating_add(chain.leaf().entries) < most;
    let lines = places_of(body().filter(sometimes));
    (!lines.is_empty()).then(|| format!("masks for what runs in some iterations only ({lines})"))
}
