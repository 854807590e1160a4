//! Loops whose iterations can run at the same time.
//!
//! A loop is parallel if it carries no flow of values. Two kinds of obstacles can be removed:
//!
//! - A **reduction**: the loop carries a value only from an accumulation to itself, and nothing else inside the loop
//!   looks at it. Either one instruction (`addss xmm1, xmm0`), or load, operation and store of one variable.
//! - **Storage** that all iterations write (stride 0 along the loop, or an anti or output dependence that it carries):
//!   each needs a copy.
//!
//! Of nested parallel loops only the outermost is suggested. Its gain is the share of instructions inside it that need no
//! longer wait for another iteration: `share * (1 - 1 / trips)`.

use crate::view::{Dep, View, at, inside, place, places_of, trips};
use crate::{Kind, LEAST_SHARE, Obstacle, Suggestion, sketch};
use std::collections::BTreeSet;
use trace::profile::{AccessKind, Class, Loop, Statement};

/// Instructions that are associative in exact arithmetic, without the `v` of their three-operand forms.
const ASSOCIATIVE: [&str; 16] = [
    "add", "imul", "and", "or", "xor", "addss", "addsd", "addps", "addpd", "mulss", "mulsd", "mulps",
    "mulpd", "minsd", "maxsd", "paddd",
];

/// Suggestions for a nest.
pub fn suggest(view: &View) -> Vec<Suggestion> {
    let mut found: Vec<Suggestion> = view.children(None).flat_map(|l| visit(view, l)).collect();
    // Of what is impossible the outermost loops say enough, and those that an exact result could allow.
    let outermost: BTreeSet<u32> = view.children(None).map(|l| l.id).collect();
    let in_doubt = |s: &Suggestion| s.obstacles.iter().all(|o| !o.exact);
    found.retain(|s| s.possible || in_doubt(s) || s.loops.iter().all(|l| outermost.contains(l)));
    found
}

fn visit(view: &View, l: &Loop) -> Vec<Suggestion> {
    if view.share(l) < LEAST_SHARE {
        return Vec::new();
    }
    let inner = || view.children(Some(l.id)).filter(|c| c.id > l.id).flat_map(|c| visit(view, c));
    if !view.can_change(l) {
        return inner().collect();
    }
    match examine(view, l) {
        suggestion if suggestion.possible => vec![suggestion],
        forbidden => std::iter::once(forbidden).chain(inner()).collect(),
    }
}

fn examine(view: &View, l: &Loop) -> Suggestion {
    let d = l.dimension as usize;
    let gain = view.share(l) * (1.0 - 1.0 / trips(l).max(1.0));
    let carried: Vec<&Dep> = view.flow_within(l).filter(|dep| dep.is_carried_by(d)).collect();
    let (sums, others): (Vec<&Dep>, Vec<&Dep>) =
        carried.into_iter().partition(|dep| is_reduction(view, l, dep));
    if !others.is_empty() {
        let obstacles: Vec<Obstacle> = others.iter().filter_map(|dep| carried_at(dep, d)).collect();
        let may = if obstacles.iter().any(|o| o.exact) { "" } else { "may " };
        let message = format!("the iterations of {} {may}depend on each other", place(l));
        return view.forbidden(Kind::Parallel, &[l], gain, message, obstacles);
    }
    let copies = copied(view, l, &sums);
    let (id, how) = match (sums.is_empty(), copies.is_empty()) {
        (false, _) => (Kind::Reduction, " with a reduction"),
        (true, false) => (Kind::Privatize, " with private copies"),
        (true, true) => (Kind::Parallel, ""),
    };
    let message = format!("the iterations of {} can run in parallel{how}", place(l));
    let mut suggestion = view.possible(id, &[l], gain, message);
    suggestion.needs = needs(view, l, &sums, &copies);
    sketch::add(&mut suggestion, &[l], false);
    suggestion
}

/// One of the distances at which loop `d` carries a dependence, an exact one if there is one.
fn carried_at(dep: &Dep, d: usize) -> Option<Obstacle> {
    let carried = dep.distances.iter().filter(|x| x.level == Some(d));
    carried.min_by_key(|x| !x.exact).map(|x| dep.obstacle(x))
}

fn needs(view: &View, l: &Loop, sums: &[&Dep], copies: &[&Statement]) -> Vec<String> {
    let mut needs = Vec::new();
    if !sums.is_empty() {
        let lines = places_of(sums.iter().map(|dep| dep.target));
        needs.push(format!("partial results of the accumulation at {lines} (another order of operations)"));
    }
    if !copies.is_empty() {
        needs.push(format!(
            "a copy per iteration of what is written at {}",
            places_of(copies.iter().copied())
        ));
    }
    let calls = view.unseen_calls(l);
    if !calls.is_empty() {
        let names: Vec<&str> = calls.into_iter().collect();
        needs.push(format!("calls that may run at the same time: {}", names.join(", ")));
    }
    needs
}

/// Whether a dependence only passes an accumulated value on, which nothing else inside the loop uses.
pub fn is_reduction(view: &View, l: &Loop, dep: &Dep) -> bool {
    let consumers = |s: &Statement| -> BTreeSet<u32> { view.uses(s.id, l).map(|d| d.target.id).collect() };
    if dep.source.id == dep.target.id {
        return dep.source.accumulates && consumers(dep.source).len() == 1;
    }
    let [load, store] = [dep.target, dep.source];
    let moves = load.class == Class::Move && store.class == Class::Move;
    let (loaded, stored) = (consumers(load), consumers(store));
    let (Some(operation), 1, true) = (loaded.first(), loaded.len(), stored.iter().all(|s| *s == load.id))
    else {
        return false;
    };
    let operation = view.nest.statements.get(*operation as usize);
    moves && operation.is_some_and(|o| is_associative(o) && consumers(o).iter().all(|s| *s == store.id))
}

fn is_associative(statement: &Statement) -> bool {
    let mnemonic = statement.text.split_whitespace().next().unwrap_or_default();
    ASSOCIATIVE.contains(&mnemonic) || mnemonic.strip_prefix('v').is_some_and(|m| ASSOCIATIVE.contains(&m))
}

/// Statements that write where other iterations of the loop write or read, other than the sums.
fn copied<'a>(view: &View<'a>, l: &'a Loop, sums: &[&Dep]) -> Vec<&'a Statement> {
    let d = l.dimension as usize;
    let is_sum = |s: &Statement| sums.iter().any(|dep| dep.source.id == s.id);
    let reused = view.within(l).filter(|dep| !dep.is_flow() && dep.is_carried_by(d)).map(|dep| dep.target);
    let same_place = view.statements(l).filter(|s| writes_in_place(s, d) && !is_own_frame(s, l));
    let mut all: Vec<&Statement> = same_place.chain(reused).filter(|s| !s.induction && !is_sum(s)).collect();
    all.sort_by_key(|s| s.id);
    all.dedup_by_key(|s| s.id);
    all
}

fn writes_in_place(statement: &Statement, d: usize) -> bool {
    let writes =
        |a: &trace::profile::Access| a.kind == AccessKind::Write && a.stride.get(d) == Some(&Some(0));
    statement.class != Class::Call && statement.accesses.iter().any(writes)
}

/// Whether it writes to the stack of a function called in the loop: each call has its own.
fn is_own_frame(statement: &Statement, l: &Loop) -> bool {
    let on_stack = ["[rsp", "[rbp"].iter().any(|place| statement.text.contains(place));
    statement.text.starts_with("push") || (on_stack && !l.function.starts_with(&statement.function))
}

/// The obstacles that calls of unknown code are.
pub fn calls(view: &View, l: &Loop) -> Vec<Obstacle> {
    let of = |s: &Statement| Obstacle {
        dependence: None,
        source: None,
        target: s.loc.clone(),
        message: format!("{} calls a function (`{}`)", at(s), s.text),
        exact: true,
    };
    view.nest.statements.iter().filter(|s| inside(s, l) && s.class == Class::Call).map(of).collect()
}
