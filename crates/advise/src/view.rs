//! A nest, prepared for questions: which loops enclose each other, what is inside them, and how far dependences reach.
//!
//! A *chain* is the path from the outermost loop to an innermost one; position in the chain is dimension. A recursion
//! is a dimension that cannot be transformed, and so is a loop of code that was not recorded (`--only`): values can go from one
//! iteration to the next through statements that nobody has seen. [`Chain::first`] is the first loop inside all of these.
//!
//! Positions in a profile that was read from a file can be wrong; everything here looks them up with `get`.

use crate::distance::{Distance, distances};
use crate::{Kind, Obstacle, Suggestion};
use model::SourceLoc;
use std::collections::{BTreeMap, BTreeSet};
use trace::profile::{Carrier, Class, Dependence, DependenceKind, Loop, LoopKind, Nest, Statement};

/// Obstacles shown per suggestion.
const OBSTACLES: usize = 3;

/// Places shown of a list.
const PLACES: usize = 5;
/// isl operations for the distances of a nest; when they are spent, boxes have to do.
const BUDGET: u64 = 5_000_000;

/// A dependence with its distances.
pub struct Dep<'a> {
    /// Position in the nest.
    pub index: u32,
    /// The dependence.
    pub dependence: &'a Dependence,
    /// The statement that makes the value.
    pub source: &'a Statement,
    /// The statement that uses it.
    pub target: &'a Statement,
    /// All distances it can have.
    pub distances: Vec<Distance>,
}

impl Dep<'_> {
    /// Whether it is a flow of values, which no copy of storage removes.
    pub fn is_flow(&self) -> bool {
        self.dependence.kind == DependenceKind::Flow
    }

    /// Whether it can be carried by dimension `d`.
    pub fn is_carried_by(&self, d: usize) -> bool {
        self.distances.iter().any(|distance| distance.level == Some(d))
    }

    /// Whether the loops outside dimension `d` do not carry all of it.
    pub fn reaches(&self, d: usize) -> bool {
        self.distances.iter().any(|distance| distance.reaches(d))
    }

    /// The obstacle that one of its distances is.
    pub fn obstacle(&self, distance: &Distance) -> Obstacle {
        let through = match self.dependence.carrier {
            Carrier::Register => "a register",
            Carrier::Memory => "memory",
        };
        Obstacle {
            dependence: Some(self.index),
            source: self.source.loc.clone(),
            target: self.target.loc.clone(),
            message: format!(
                "{} uses what {} made {} iterations before, through {through}",
                at(self.target),
                at(self.source),
                distance.text()
            ),
            exact: distance.exact,
        }
    }
}

/// The loops from the outermost to an innermost one.
pub struct Chain<'a> {
    /// Outermost first; position is dimension.
    pub loops: Vec<&'a Loop>,
    /// The first one inside all that cannot be changed.
    pub first: usize,
}

impl<'a> Chain<'a> {
    /// The innermost loop.
    pub fn leaf(&self) -> &'a Loop {
        self.loops[self.loops.len() - 1]
    }
}

/// A nest with its dependences prepared.
pub struct View<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// Its dependences.
    pub deps: Vec<Dep<'a>>,
    /// Per statement the flows that start there, by position in `deps`.
    uses: BTreeMap<u32, Vec<usize>>,
}

impl<'a> View<'a> {
    /// Prepares a nest.
    pub fn new(nest: &'a Nest) -> View<'a> {
        let dep = |(index, dependence): (usize, &'a Dependence)| {
            let source = nest.statements.get(dependence.source as usize)?;
            let target = nest.statements.get(dependence.target as usize)?;
            let common = source.loops.iter().zip(&target.loops).take_while(|(a, b)| a == b).count();
            let distances = distances(dependence, common);
            Some(Dep { index: index as u32, dependence, source, target, distances })
        };
        let deps = || nest.dependences.iter().enumerate().filter_map(dep).collect();
        let deps: Vec<Dep> = isl::Ctx::of_thread().with_budget(BUDGET, deps);
        let mut uses: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (n, dep) in deps.iter().enumerate().filter(|(_, dep)| dep.is_flow()) {
            uses.entry(dep.source.id).or_default().push(n);
        }
        View { nest, deps, uses }
    }

    /// All chains.
    pub fn chains(&self) -> Vec<Chain<'a>> {
        let is_leaf = |l: &&Loop| self.children(Some(l.id)).next().is_none();
        self.nest.loops.iter().filter(is_leaf).filter_map(|leaf| self.chain(leaf)).collect()
    }

    fn chain(&self, leaf: &'a Loop) -> Option<Chain<'a>> {
        let mut loops = vec![leaf];
        let mut inner = leaf;
        while let Some(parent) = inner.parent {
            // A parent stands before its children, so this ends.
            let outer = self.nest.loops.get(parent as usize).filter(|outer| outer.id < inner.id)?;
            loops.push(outer);
            inner = outer;
        }
        loops.reverse();
        loops.iter().enumerate().all(|(n, l)| l.dimension as usize == n).then_some(())?;
        let fixed = loops.iter().rposition(|l| !self.can_change(l));
        Some(Chain { loops, first: fixed.map_or(0, |r| r + 1) })
    }

    /// Whether a loop is one that can be transformed: no recursion, and with statements of its own. A loop that was recorded has at
    /// least those of its jump back.
    pub fn can_change(&self, l: &Loop) -> bool {
        l.kind == LoopKind::Loop && self.nest.statements.iter().any(|s| s.loops.last() == Some(&l.id))
    }

    /// The loops directly inside another one, or the outermost.
    pub fn children(&self, parent: Option<u32>) -> impl Iterator<Item = &'a Loop> {
        self.nest.loops.iter().filter(move |l| l.parent == parent)
    }

    /// Share of the run's instructions inside a loop.
    pub fn share(&self, l: &Loop) -> f64 {
        self.nest.share * l.instructions as f64 / self.nest.instructions.max(1) as f64
    }

    /// Statements inside a loop, at any depth.
    pub fn statements(&self, l: &'a Loop) -> impl Iterator<Item = &'a Statement> {
        self.nest.statements.iter().filter(move |s| inside(s, l))
    }

    /// Dependences between statements inside a loop.
    pub fn within(&self, l: &Loop) -> impl Iterator<Item = &Dep<'a>> {
        self.deps.iter().filter(move |d| inside(d.source, l) && inside(d.target, l))
    }

    /// Flows of values between statements inside a loop.
    pub fn flow_within(&self, l: &Loop) -> impl Iterator<Item = &Dep<'a>> {
        self.within(l).filter(|d| d.is_flow())
    }

    /// Statements inside a loop that overwrite storage which a new order would need longer: targets of anti and output
    /// dependences with a distance that `survives` does not hold for.
    pub fn overwritten(&self, l: &Loop, survives: impl Fn(&Distance) -> bool) -> Vec<&'a Statement> {
        let storage = self.within(l).filter(|d| !d.is_flow());
        let broken = storage.filter(|d| d.distances.iter().any(|distance| !survives(distance)));
        broken.map(|d| d.target).collect()
    }

    /// Statements of `second` that overwrite what `first` reads or writes.
    pub fn storage_within(&self, first: &Loop, second: &Loop) -> Vec<&'a Statement> {
        let crosses = |d: &&Dep| !d.is_flow() && inside(d.source, first) && inside(d.target, second);
        self.deps.iter().filter(crosses).map(|d| d.target).collect()
    }

    /// Flows from a statement to statements inside a loop.
    pub fn uses(&self, statement: u32, l: &Loop) -> impl Iterator<Item = &Dep<'a>> {
        let uses = self.uses.get(&statement).into_iter().flatten();
        uses.map(|n| &self.deps[*n]).filter(move |dep| inside(dep.target, l))
    }

    /// The names of functions called inside a loop that were not looked into.
    pub fn unseen_calls(&self, l: &'a Loop) -> BTreeSet<&'a str> {
        let calls = self.statements(l).filter(|s| s.class == Class::Call);
        let names = calls.map(|s| s.text.strip_prefix("call ").unwrap_or(&s.text));
        names.filter(|name| self.nest.statements.iter().all(|s| s.function != *name)).collect()
    }

    /// A suggestion about some loops that is possible.
    pub fn possible(&self, id: Kind, loops: &[&Loop], gain: f64, message: String) -> Suggestion {
        let looked_at = loops.first().map(|l| self.flow_within(l)).into_iter().flatten();
        let over_approximated = looked_at.flat_map(|d| &d.distances).any(|distance| !distance.exact);
        Suggestion {
            id,
            possible: true,
            nest: self.nest.id,
            loops: loops.iter().map(|l| l.id).collect(),
            with_nest: None,
            lines: loops.iter().filter_map(|l| l.loc.clone()).collect(),
            gain,
            message,
            needs: Vec::new(),
            obstacles: Vec::new(),
            over_approximated,
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// A suggestion about some loops that something forbids.
    pub fn forbidden(
        &self,
        id: Kind,
        loops: &[&Loop],
        gain: f64,
        message: String,
        mut obstacles: Vec<Obstacle>,
    ) -> Suggestion {
        let over_approximated = obstacles.iter().any(|o| !o.exact);
        // What was observed as it stands convinces more.
        obstacles.sort_by_key(|o| !o.exact);
        let mut said = BTreeSet::new();
        obstacles.retain(|o| said.insert(o.message.clone()));
        obstacles.truncate(OBSTACLES);
        Suggestion {
            possible: false,
            obstacles,
            over_approximated,
            ..self.possible(id, loops, gain, message)
        }
    }
}

/// Whether a statement is inside a loop.
pub fn inside(statement: &Statement, l: &Loop) -> bool {
    statement.loops.get(l.dimension as usize) == Some(&l.id)
}

/// Iterations per entry.
pub fn trips(l: &Loop) -> f64 {
    l.iterations as f64 / l.entries.max(1) as f64
}

/// A loop, for people.
pub fn place(l: &Loop) -> String {
    match &l.loc {
        Some(loc) => format!("the loop at {}", short(loc)),
        None => format!("the loop at {:#x} in {}", l.address.offset, l.function),
    }
}

/// Several loops, for people.
pub fn places(loops: &[&Loop]) -> String {
    let all: Vec<String> = loops.iter().map(|l| place(l)).collect();
    all.join(" and ")
}

/// A statement, for people.
pub fn at(statement: &Statement) -> String {
    statement.loc.as_ref().map_or_else(|| format!("`{}`", statement.text), short)
}

/// The places of statements, each once; only some of many.
pub fn places_of<'a>(statements: impl Iterator<Item = &'a Statement>) -> String {
    let all: BTreeSet<String> = statements.map(at).collect();
    let mut shown: Vec<String> = all.iter().take(PLACES).cloned().collect();
    if all.len() > PLACES {
        shown.push(format!("{} more", all.len() - PLACES));
    }
    shown.join(", ")
}

/// File name and line.
pub fn short(loc: &SourceLoc) -> String {
    let file = loc.file.rsplit('/').next().unwrap_or(&loc.file);
    format!("{file}:{}", loc.line)
}
