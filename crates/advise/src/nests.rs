//! Outermost loops that could be one.
//!
//! As `siblings`, for two nests of the same call: both loops ran once, with the same number of iterations, and the second reads what the
//! first has made. No loop is around them, so what lies between is another nest, which forbids fusion if it uses something of the first and
//! the second uses something of it; or code in no loop, which is not recorded: [`Suggestion::needs`] asks to look at it.
//!
//! Example: `for (i..n) old[i] = v[i]; for (i..n) v[i] = f(old[i]);` can be one loop. With `s = sum(old)` between them, and `f` using `s`, it
//! cannot.

use crate::siblings::{later, reads_no_later, share_of_reads};
use crate::view::{View, at, place};
use crate::{Kind, LEAST_SHARE, Obstacle, Suggestion, sketch};
use std::collections::{BTreeMap, BTreeSet};
use trace::profile::{Dependence, DependenceKind, LoopKind, Nest, Profile, Statement};

/// Suggestions for pairs of nests.
pub fn suggest(profile: &Profile) -> Vec<Suggestion> {
    let mut found = Vec::new();
    for second in profile.nests.iter().filter(|nest| nest.share >= LEAST_SHARE) {
        let mut from: Vec<u32> = second.from_neighbours.iter().map(|flow| flow.nest).collect();
        from.sort_unstable();
        from.dedup();
        let firsts = from.iter().filter_map(|n| profile.nests.get(*n as usize));
        found.extend(firsts.filter_map(|first| fuse(profile, first, second)));
    }
    found
}

/// A dependence between two nests with its ends.
struct Crossing<'a> {
    dependence: &'a Dependence,
    source: &'a Statement,
    target: &'a Statement,
}

fn crossings<'a>(first: &'a Nest, second: &'a Nest) -> Vec<Crossing<'a>> {
    let own = second.from_neighbours.iter().filter(|flow| flow.nest == first.id);
    own.filter_map(|flow| {
        let dependence = &flow.dependence;
        let source = first.statements.get(dependence.source as usize)?;
        let target = second.statements.get(dependence.target as usize)?;
        Some(Crossing { dependence, source, target })
    })
    .collect()
}

fn fuse(profile: &Profile, first: &Nest, second: &Nest) -> Option<Suggestion> {
    let loops = [first.loops.first()?, second.loops.first()?];
    let [one, two] = loops;
    let once = loops.iter().all(|l| l.kind == LoopKind::Loop && l.entries == 1 && l.iterations > 1);
    if !once || one.iterations != two.iterations || one.function != two.function {
        return None;
    }
    let all = crossings(first, second);
    let flows: Vec<&Crossing> =
        all.iter().filter(|crossing| crossing.dependence.kind == DependenceKind::Flow).collect();
    if flows.is_empty() {
        return None;
    }
    let fed: BTreeSet<u32> = flows.iter().map(|flow| flow.target.id).collect();
    let gain = second.share * share_of_reads(second.statements.iter(), &fed);
    let too_early = flows.iter().filter(|flow| !reads_no_later(flow.dependence, 0));
    let mut obstacles: Vec<Obstacle> =
        too_early.map(|flow| later(None, flow.dependence, flow.source, flow.target)).collect();
    obstacles.extend(in_between(profile, first, second));
    let (view, places) = (View::new(second), loops.map(place));
    let mut suggestion = match obstacles.is_empty() {
        true => {
            let message = format!(
                "{} and {} can be one loop: the second reads what the first has just made",
                places[0], places[1]
            );
            view.possible(Kind::Fuse, &[two], gain, message)
        }
        false => {
            let message = format!("{} and {} cannot be one loop as they are", places[0], places[1]);
            view.forbidden(Kind::Fuse, &[two], gain, message, obstacles)
        }
    };
    suggestion.with_nest = Some(first.id);
    suggestion.lines = loops.iter().filter_map(|l| l.loc.clone()).collect();
    if suggestion.possible {
        suggestion.over_approximated = flows.iter().any(|flow| !flow.dependence.relation.exact);
        suggestion.needs = needs(&all);
        sketch::add_fused(&mut suggestion, one, two);
    }
    Some(suggestion)
}

/// What else has to be so.
fn needs(all: &[Crossing]) -> Vec<String> {
    let mut needs = vec![
        "a look at the code between the two loops, as far as it is in no loop: it is not recorded, and must not make anything of the first for \
         the second"
            .to_owned(),
    ];
    let storage: BTreeSet<String> = all
        .iter()
        .filter(|crossing| crossing.dependence.kind != DependenceKind::Flow)
        .map(|crossing| at(crossing.target))
        .collect();
    if !storage.is_empty() {
        let places: Vec<String> = storage.into_iter().collect();
        needs.push(format!("a copy of what is overwritten at {}", places.join(", ")));
    }
    needs
}

/// Nests that use something of the first, and of which the second uses something, directly or through others.
fn in_between(profile: &Profile, first: &Nest, second: &Nest) -> Vec<Obstacle> {
    let mut users: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for nest in &profile.nests {
        nest.from_nests.iter().for_each(|(from, _)| users.entry(*from).or_default().push(nest.id));
    }
    let between = |n: &u32| *n != first.id && *n != second.id;
    let after = |from: u32| {
        let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
        while let Some(at) = work.pop() {
            let fresh = users.get(&at).into_iter().flatten().filter(|to| between(to) || **to == second.id);
            work.extend(fresh.filter(|to| seen.insert(**to)).filter(|to| between(to)));
        }
        seen
    };
    let used: Vec<u32> = users.get(&first.id).into_iter().flatten().copied().filter(between).collect();
    let through = used.into_iter().filter(|n| after(*n).contains(&second.id));
    through
        .filter_map(|n| profile.nests.get(n as usize)?.loops.first())
        .map(|l| Obstacle {
            dependence: None,
            source: None,
            target: l.loc.clone(),
            message: format!("{} uses what the first makes, and the second uses what comes of it", place(l)),
            exact: true,
        })
        .collect()
}
