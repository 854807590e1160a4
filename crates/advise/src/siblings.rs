//! Loops that follow each other and could be one (*fusion*), and loops that could be several (*distribution*).
//!
//! **Fusion.** Two loops directly inside the same loop, with the same number of iterations, of which the second reads what the first has
//! made. They can be one loop if each iteration reads only what the same or an earlier iteration made: for every flow from the first
//! to the second in one iteration of the loops around, the source's counter is at most the target's. The gain is the share of the
//! second loop's reads that then find the value still in a register or in the cache, times its share of the instructions.
//! What a statement between the two loops makes of the first for the second forbids it. Outermost loops are compared in `nests`.
//!
//! **Distribution.** An innermost loop that carries values in a part of its body only. Statements on no cycle of flows that the loop
//! carries can get a loop of their own, whose iterations are independent. The gain is the share of the body's instances that becomes
//! free.

use crate::stride::accesses;
use crate::view::{Chain, Dep, View, at, inside, place, places_of, trips};
use crate::{Kind, LEAST_SHARE, Obstacle, Suggestion, sketch};
use std::collections::{BTreeMap, BTreeSet};
use trace::profile::{AccessKind, Dependence, Loop, Piece, Statement};

/// Suggestions for a nest.
pub fn suggest(view: &View) -> Vec<Suggestion> {
    let mut found = Vec::new();
    for parent in view.nest.loops.iter().filter(|l| view.share(l) >= LEAST_SHARE) {
        let children: Vec<&Loop> = view.children(Some(parent.id)).filter(|l| view.can_change(l)).collect();
        for pair in children.windows(2) {
            found.extend(fuse(view, pair[0], pair[1]));
        }
    }
    for chain in view.chains().iter().filter(|c| c.first < c.loops.len()) {
        found.extend(distribute(view, chain));
    }
    found
}

fn fuse(view: &View, first: &Loop, second: &Loop) -> Option<Suggestion> {
    let alike = first.function == second.function && trips(first) == trips(second) && trips(first) > 1.0;
    let crossing = |dep: &&Dep| inside(dep.source, first) && inside(dep.target, second);
    let flows: Vec<&Dep> = view.deps.iter().filter(|d| d.is_flow()).filter(crossing).collect();
    if !alike || flows.is_empty() {
        return None;
    }
    let fed: BTreeSet<u32> = flows.iter().map(|dep| dep.target.id).collect();
    let gain = view.share(second) * share_of_reads(view.statements(second), &fed);
    let loops = [first, second];
    let (d, [one, two]) = (first.dimension as usize, loops.map(place));
    let mut obstacles: Vec<Obstacle> = flows
        .iter()
        .filter(|dep| !reads_no_later(dep.dependence, d))
        .map(|dep| later(Some(dep.index), dep.dependence, dep.source, dep.target))
        .collect();
    obstacles.extend(in_between(view, first, second));
    if !obstacles.is_empty() {
        let message = format!("{one} and {two} cannot be one loop as they are");
        return Some(view.forbidden(Kind::Fuse, &loops, gain, message, obstacles));
    }
    let message = format!("{one} and {two} can be one loop: the second reads what the first has just made");
    let mut suggestion = view.possible(Kind::Fuse, &loops, gain, message);
    let storage = view.storage_within(first, second);
    if !storage.is_empty() {
        suggestion.needs.push(format!("a copy of what is overwritten at {}", places_of(storage.into_iter())));
    }
    sketch::add_fused(&mut suggestion, first, second);
    Some(suggestion)
}

/// The share of what some statements read that these of them read.
pub fn share_of_reads<'a>(statements: impl Iterator<Item = &'a Statement>, fed: &BTreeSet<u32>) -> f64 {
    let reads = statements.filter(|s| s.accesses.iter().any(|a| a.kind == AccessKind::Read));
    let (mut near, mut all) = (0, 0);
    for statement in reads {
        all += statement.instances;
        near += if fed.contains(&statement.id) { statement.instances } else { 0 };
    }
    near as f64 / all.max(1) as f64
}

/// Statements outside both loops that use what the first has made in the same iteration of the loops around, and from which
/// something reaches the second.
fn in_between(view: &View, first: &Loop, second: &Loop) -> Vec<Obstacle> {
    let around = first.dimension as usize;
    let outside = |s: &Statement| !inside(s, first) && !inside(s, second);
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let here = || view.deps.iter().filter(|dep| dep.is_flow() && dep.reaches(around));
    for dep in here().filter(|dep| outside(dep.source)) {
        next.entry(dep.source.id).or_default().push(dep.target.id);
    }
    let second: BTreeSet<u32> = view.statements(second).map(|s| s.id).collect();
    let feeds = |dep: &&Dep| !reached(&next, dep.target.id).is_disjoint(&second);
    here()
        .filter(|dep| inside(dep.source, first) && outside(dep.target))
        .filter(feeds)
        .map(|dep| Obstacle {
            dependence: Some(dep.index),
            source: dep.source.loc.clone(),
            target: dep.target.loc.clone(),
            message: format!(
                "{} uses what {} makes, and the second loop uses what comes of it",
                at(dep.target),
                at(dep.source)
            ),
            exact: dep.dependence.relation.exact,
        })
        .collect()
}

/// Whether every instance reads what an iteration of the first loop made whose counter is not greater than its own.
pub fn reads_no_later(dependence: &Dependence, d: usize) -> bool {
    let relation = &dependence.relation;
    let lost = relation.pieces.iter().map(|p| p.points).sum::<u64>() < relation.points;
    !lost && relation.pieces.iter().all(|piece| not_after(piece, d))
}

fn not_after(piece: &Piece, d: usize) -> bool {
    let Some(label) = piece.labels.get(d) else { return false };
    let unit = label.coefficients.iter().enumerate().all(|(k, c)| *c == Some(i64::from(k == d)));
    label.exact && unit && label.constant.is_some_and(|c| c <= 0)
}

/// The obstacle that a dependence is which asks for something too early; `index` is its position in the nest.
pub fn later(
    index: Option<u32>,
    dependence: &Dependence,
    source: &Statement,
    target: &Statement,
) -> Obstacle {
    Obstacle {
        dependence: index,
        source: source.loc.clone(),
        target: target.loc.clone(),
        message: format!(
            "{} uses what {} makes, perhaps in a later iteration ({})",
            at(target),
            at(source),
            dependence.relation.pieces.first().map_or("no piece", |p| p.isl.as_str())
        ),
        exact: dependence.relation.exact,
    }
}

fn distribute(view: &View, chain: &Chain) -> Option<Suggestion> {
    let leaf = chain.leaf();
    let body = || view.nest.statements.iter().filter(|s| s.loops.last() == Some(&leaf.id) && !s.induction);
    let tied = on_carried_cycles(view, chain);
    if tied.is_empty() || view.share(leaf) < LEAST_SHARE || view.unseen_calls(leaf).len() > tied.len() {
        return None;
    }
    let weight =
        |free: bool| -> u64 { body().filter(|s| !free || !tied.contains(&s.id)).map(|s| s.instances).sum() };
    // Only stores are results; what merely feeds the tied part is not worth a loop.
    let feeds: BTreeSet<u32> = feeding(view, leaf, &tied);
    let stores = body().filter(|s| s.accesses.iter().any(|a| a.kind == AccessKind::Write));
    let results: Vec<_> = stores.filter(|s| !tied.contains(&s.id) && !feeds.contains(&s.id)).collect();
    if results.is_empty() || accesses(view, chain).next().is_none() {
        return None;
    }
    let gain = view.share(leaf) * weight(true) as f64 / weight(false).max(1) as f64;
    let message = format!(
        "{} can be two loops: only {} ties its iterations together, the rest is free",
        place(leaf),
        places_of(body().filter(|s| tied.contains(&s.id)))
    );
    let mut suggestion = view.possible(Kind::Distribute, &[leaf], gain, message);
    let crosses = |dep: &&Dep| tied.contains(&dep.source.id) != tied.contains(&dep.target.id);
    let passed: Vec<&Dep> = view.flow_within(leaf).filter(crosses).collect();
    if !passed.is_empty() {
        let made = places_of(passed.iter().map(|dep| dep.source));
        suggestion.needs.push(format!("an array for each value passed between the two (made at {made})"));
    }
    sketch::add_split(&mut suggestion, leaf);
    Some(suggestion)
}

/// Statements from which flows lead back to themselves, where the innermost loop carries one on the way.
fn on_carried_cycles(view: &View, chain: &Chain) -> BTreeSet<u32> {
    let leaf = chain.leaf();
    let d = leaf.dimension as usize;
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for dep in view.flow_within(leaf).filter(|dep| dep.reaches(d)) {
        next.entry(dep.source.id).or_default().push(dep.target.id);
    }
    let carried = view.flow_within(leaf).filter(|dep| dep.is_carried_by(d));
    let mut tied = BTreeSet::new();
    for dep in carried {
        let forward = reached(&next, dep.target.id);
        if forward.contains(&dep.source.id) {
            let closes = |s: &&u32| reached(&next, **s).contains(&dep.source.id);
            tied.extend(forward.iter().filter(closes).copied());
        }
    }
    tied
}

/// Statements whose values reach the tied ones.
fn feeding(view: &View, leaf: &Loop, tied: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut before: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for dep in view.flow_within(leaf) {
        before.entry(dep.target.id).or_default().push(dep.source.id);
    }
    tied.iter().flat_map(|s| reached(&before, *s)).collect()
}

fn reached(next: &BTreeMap<u32, Vec<u32>>, from: u32) -> BTreeSet<u32> {
    let (mut seen, mut work) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = work.pop() {
        for &to in next.get(&at).into_iter().flatten() {
            if seen.insert(to) {
                work.push(to);
            }
        }
    }
    seen
}
