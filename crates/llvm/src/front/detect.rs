//! Stage `detect`: maximal regions of loops that can be modelled, and why the others cannot.
//!
//! A *region* has one entry and one exit. It is *acceptable* if it holds at least one whole loop and no
//! part of one, none of its blocks has an obstacle ([`super::effects`]), each of its loops is affine with
//! the region as scope ([`super::bounds`]), and its control flow is reducible. A *candidate* is an acceptable
//! region that is not part of a larger one; neighbouring loops share a candidate when what lies between
//! them is acceptable too. Blocks that never return are not part of any region: that they are not reached is assumed
//! ([`super::errors`]), if it can be.
//!
//! ```text
//!   for i { for j {...} }        candidate, depth 2
//!   for k {...}                  same candidate: nothing stands between them
//!   for l { puts(""); for m {...} }     l is rejected (call), m is a candidate of its own
//! ```
//!
//! Every loop is in exactly one candidate or in exactly one rejected nest; a rejected nest is reported at its
//! outermost loop, with the obstacles of all loops in it, and may have candidates inside.

use super::bounds::Bounds;
use super::flow::{Blocks, IrreducibleEdge, blocks_without, error_blocks, irreducible_edges};
use super::{Obstacle, effects};
use crate::pass::{Anchor, Block, Loop, Pass, Region};
use crate::scev::Scevs;
use model::{Budget, BudgetSpent, Reason, SourceLoc};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A candidate or a rejected nest.
#[derive(Clone, Debug)]
pub struct Nest<'p> {
    /// Its loops, outer before inner; empty for a cycle that is no natural loop.
    pub loops: Vec<Loop<'p>>,
    /// The first block, for ordering and for locations.
    pub entry: Block<'p>,
    /// What was decided.
    pub verdict: Verdict<'p>,
}

/// Which parts of a region are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Those with fewer blocks.
    Smaller,
    /// Those with fewer loops.
    FewerLoops,
}

/// What was decided about a nest.
#[derive(Clone, Debug)]
pub enum Verdict<'p> {
    /// This region can go on to the next stage.
    Candidate(Region<'p>),
    /// It stays as it is; the list is not empty.
    Rejected(Vec<Obstacle<'p>>),
}

impl<'p> Nest<'p> {
    /// How deep its loops are nested.
    pub fn depth(&self) -> u32 {
        let depths = self.loops.iter().map(|l| l.depth());
        let (low, high) = (depths.clone().min().unwrap_or(1), depths.max().unwrap_or(1));
        high - low + 1
    }

    /// Where it starts in the source.
    pub fn loc(&self) -> Option<SourceLoc> {
        self.loops.first().and_then(|l| l.loc()).or_else(|| self.entry.loc())
    }

    /// Where a remark about the whole nest stands.
    pub fn anchor(&self) -> Option<Anchor<'p>> {
        self.loops.first().map(|&l| Anchor::Loop(l)).or_else(|| self.entry.terminator().map(Anchor::Inst))
    }
}

/// The nests of a function, in textual order. With the budget spent, the rest is not looked at, and every
/// loop that is in no candidate yet is rejected for that.
pub fn detect<'p>(pass: Pass<'p>, budget: &Budget) -> Vec<Nest<'p>> {
    with_detector(pass, budget, None, |detector| detector.nests())
}

/// The candidates in a region that a later stage refused: parts of it, in textual order. A part with all its loops may be
/// one that does not hold what they depend on: an address that is loaded before them, for example.
pub fn detect_inside<'p>(pass: Pass<'p>, region: Region<'p>, part: Part, budget: &Budget) -> Vec<Nest<'p>> {
    let around = blocks_without(region, &error_blocks(pass));
    with_detector(pass, budget, Some((&around, part)), |detector| {
        let mut nests = detector.nests();
        nests.retain(|nest| matches!(nest.verdict, Verdict::Candidate(_)));
        nests
    })
}

fn with_detector<'p, T>(
    pass: Pass<'p>,
    budget: &Budget,
    around: Option<(&Blocks<'p>, Part)>,
    body: impl FnOnce(&Detector<'_, 'p>) -> T,
) -> T {
    let scevs = Scevs::new(pass);
    let errors = error_blocks(pass);
    body(&Detector {
        pass,
        loops: pass.loops(),
        irreducible: irreducible_edges(pass),
        bounds: Bounds { pass, scevs: &scevs, errors: &errors, budget },
        errors: &errors,
        effects: RefCell::default(),
        around,
    })
}

/// Nests for a function that is left alone as a whole: one per outermost loop, all with the same reason.
pub fn reject_all<'p>(pass: Pass<'p>, reason: &Reason) -> Vec<Nest<'p>> {
    let loops = pass.loops();
    let outermost = loops.iter().copied().filter(|l| l.parent().is_none());
    let obstacle = |l| Obstacle { reason: reason.clone(), at: Anchor::Loop(l) };
    outermost.map(|l| rejected(&loops, l, vec![obstacle(l)])).collect()
}

fn rejected<'p>(loops: &[Loop<'p>], outermost: Loop<'p>, obstacles: Vec<Obstacle<'p>>) -> Nest<'p> {
    let inside = loops.iter().copied().filter(|l| outermost.contains(l.header()));
    Nest { loops: inside.collect(), entry: outermost.header(), verdict: Verdict::Rejected(obstacles) }
}

/// Regions below one region of the tree.
struct Node<'p> {
    region: Region<'p>,
    children: Vec<Node<'p>>,
}

/// The candidates so far, and the blocks in them.
#[derive(Default)]
struct Found<'p> {
    regions: Vec<Region<'p>>,
    covered: Blocks<'p>,
}

impl<'p> Found<'p> {
    fn push(&mut self, region: Region<'p>, blocks: Blocks<'p>) {
        self.covered.extend(blocks);
        self.regions.push(region);
    }
}

struct Detector<'a, 'p> {
    pass: Pass<'p>,
    loops: Vec<Loop<'p>>,
    irreducible: Vec<IrreducibleEdge<'p>>,
    bounds: Bounds<'a, 'p>,
    errors: &'a Blocks<'p>,
    effects: RefCell<HashMap<Block<'p>, Rc<[Obstacle<'p>]>>>,
    /// Only parts of these blocks are wanted.
    around: Option<(&'a Blocks<'p>, Part)>,
}

impl<'p> Detector<'_, 'p> {
    fn nests(&self) -> Vec<Nest<'p>> {
        let mut found = Found::default();
        let spent = self.candidates(&mut found).is_err();
        let mut nests: Vec<_> = found.regions.into_iter().map(|region| self.candidate(region)).collect();
        let covered: HashSet<_> = nests.iter().flat_map(|nest| nest.loops.iter().copied()).collect();
        nests.extend(self.rejected(&covered, spent));
        nests.extend(self.cycles_without_loop());
        let order: HashMap<_, _> = self.pass.blocks().into_iter().zip(0..).collect();
        nests.sort_by_key(|nest| order.get(&nest.entry).copied().unwrap_or(usize::MAX));
        nests
    }

    fn candidate(&self, region: Region<'p>) -> Nest<'p> {
        let blocks = self.blocks(region);
        let loops: Vec<_> = self.loops_in(&blocks).collect();
        let entry = loops.first().map_or(region.entry, |l| l.header());
        Nest { loops, entry, verdict: Verdict::Candidate(region) }
    }

    /// Pushes the maximal acceptable regions; those found before the budget was spent stay.
    fn candidates(&self, found: &mut Found<'p>) -> Result<(), BudgetSpent> {
        self.loops_as_regions(found, |l| l.exit_blocks().iter().any(|exit| self.errors.contains(exit)))?;
        for node in region_tree(self.pass) {
            self.visit(&node, found)?;
        }
        self.loops_as_regions(found, |_| true)
    }

    /// The blocks of a region that return.
    fn blocks(&self, region: Region<'p>) -> Blocks<'p> {
        blocks_without(region, self.errors)
    }

    fn visit(&self, node: &Node<'p>, found: &mut Found<'p>) -> Result<(), BudgetSpent> {
        if found.covered.contains(&node.region.entry) {
            return Ok(());
        }
        if self.is_acceptable(node.region)? {
            let region = self.expanded(node.region)?;
            found.push(region, self.blocks(region));
            return Ok(());
        }
        node.children.iter().try_for_each(|child| self.visit(child, found))
    }

    /// The largest acceptable region with the same entry that adds a loop.
    fn expanded(&self, region: Region<'p>) -> Result<Region<'p>, BudgetSpent> {
        let count = |region| self.loops_in(&self.blocks(region)).count();
        let (mut best, mut current) = (region, region);
        while let Some(larger) = self.pass.larger(current) {
            if !self.is_acceptable(larger)? {
                break;
            }
            if count(larger) > count(best) {
                best = larger;
            }
            current = larger;
        }
        Ok(best)
    }

    /// LLVM's region tree leaves out some loops with a single exit, and all with exits to code that does not return; each
    /// is a region of its own.
    fn loops_as_regions(
        &self,
        found: &mut Found<'p>,
        wanted: impl Fn(Loop<'p>) -> bool,
    ) -> Result<(), BudgetSpent> {
        for &l in self.loops.iter().filter(|l| wanted(**l)) {
            let mut exits = l.exit_blocks();
            exits.retain(|exit| !self.errors.contains(exit));
            let [exit] = exits[..] else { continue };
            let region = Region { entry: l.header(), exit };
            if !found.covered.contains(&region.entry) && self.is_acceptable(region)? {
                found.push(region, self.blocks(region));
            }
        }
        Ok(())
    }

    fn is_acceptable(&self, region: Region<'p>) -> Result<bool, BudgetSpent> {
        let blocks = self.blocks(region);
        self.bounds.budget.spend(blocks.len())?;
        let is_wanted = self.around.is_none_or(|(around, part)| {
            let is_part = match part {
                Part::Smaller => blocks.len() < around.len(),
                Part::FewerLoops => self.loops_in(&blocks).count() < self.loops_in(around).count(),
            };
            blocks.is_subset(around) && is_part
        });
        if !is_wanted || self.loops_in(&blocks).next().is_none() || self.cuts_a_loop(&blocks) {
            return Ok(false);
        }
        let mut obstacles = 0;
        self.obstacles(&blocks, &mut |_| obstacles += 1)?;
        Ok(obstacles == 0)
    }

    /// The loops that start in these blocks.
    fn loops_in(&self, blocks: &Blocks<'p>) -> impl Iterator<Item = Loop<'p>> {
        self.loops.iter().copied().filter(|l| blocks.contains(&l.header()))
    }

    fn cuts_a_loop(&self, blocks: &Blocks<'p>) -> bool {
        self.loops_in(blocks).any(|l| l.blocks().iter().any(|block| !blocks.contains(block)))
    }

    /// Everything that stands in the way of modelling these blocks together.
    fn obstacles(&self, blocks: &Blocks<'p>, found: &mut dyn FnMut(Obstacle<'p>)) -> Result<(), BudgetSpent> {
        for &block in blocks {
            self.effects_of(block)?.iter().for_each(|obstacle| found(obstacle.clone()));
        }
        for l in self.loops_in(blocks) {
            self.bounds.obstacles(l, blocks)?.into_iter().for_each(&mut *found);
        }
        for edge in &self.irreducible {
            if let (true, Some(last)) = (blocks.contains(&edge.from), edge.from.terminator()) {
                found(Obstacle { reason: Reason::IrreducibleControlFlow, at: Anchor::Inst(last) });
            }
        }
        Ok(())
    }

    fn effects_of(&self, block: Block<'p>) -> Result<Rc<[Obstacle<'p>]>, BudgetSpent> {
        if let Some(known) = self.effects.borrow().get(&block) {
            return Ok(known.clone());
        }
        self.bounds.budget.spend(block.insts().count())?;
        let found: Rc<[_]> = match (self.errors.contains(&block), block.terminator()) {
            // What it does before it ends does not matter: that it ends there does.
            (true, Some(last)) => [Obstacle { reason: Reason::ErrorExit, at: Anchor::Inst(last) }].into(),
            _ => effects::obstacles(block).into(),
        };
        self.effects.borrow_mut().insert(block, found.clone());
        Ok(found)
    }

    /// One nest for each outermost loop that is in no candidate.
    fn rejected(&self, covered: &HashSet<Loop<'p>>, spent: bool) -> Vec<Nest<'p>> {
        let open = |l: &Loop<'p>| !covered.contains(l);
        let outermost =
            self.loops.iter().copied().filter(|l| open(l) && l.parent().is_none_or(|p| !open(&p)));
        outermost.map(|l| self.reject(l, spent)).collect()
    }

    fn reject(&self, l: Loop<'p>, spent: bool) -> Nest<'p> {
        let budget = || Obstacle { reason: Reason::Budget { stage: "detect".into() }, at: Anchor::Loop(l) };
        let obstacles = match spent {
            true => vec![budget()],
            false => self.loop_obstacles(l).unwrap_or_else(|BudgetSpent| vec![budget()]),
        };
        rejected(&self.loops, l, obstacles)
    }

    fn loop_obstacles(&self, l: Loop<'p>) -> Result<Vec<Obstacle<'p>>, BudgetSpent> {
        let mut all = Vec::new();
        let blocks: Blocks<'p> = l.blocks().into_iter().collect();
        self.obstacles(&blocks, &mut |obstacle| all.push(obstacle))?;
        let returning = l.exit_blocks().into_iter().filter(|exit| !self.errors.contains(exit)).count();
        let explained = all.iter().any(|o| matches!(o.reason, Reason::DataDependentExit | Reason::ErrorExit));
        if returning > 1 && !explained || all.is_empty() {
            all.push(Obstacle { reason: Reason::SeveralExits, at: Anchor::Loop(l) });
        }
        Ok(in_source_order(all))
    }

    /// Cycles outside every natural loop. Those inside one are an obstacle of that loop.
    fn cycles_without_loop(&self) -> Vec<Nest<'p>> {
        let outside = self.irreducible.iter().filter(|edge| self.pass.loop_of(edge.from).is_none());
        let nest = |edge: &IrreducibleEdge<'p>| {
            let at = Anchor::Inst(edge.from.terminator()?);
            let obstacle = Obstacle { reason: Reason::IrreducibleControlFlow, at };
            Some(Nest { loops: Vec::new(), entry: edge.to, verdict: Verdict::Rejected(vec![obstacle]) })
        };
        outside.filter_map(nest).collect()
    }
}

/// Sorted by place, each reason once per place.
fn in_source_order(mut all: Vec<Obstacle<'_>>) -> Vec<Obstacle<'_>> {
    let key = |obstacle: &Obstacle<'_>| {
        let refusal = obstacle.refusal();
        (refusal.loc, refusal.reason.to_string())
    };
    all.sort_by_cached_key(key);
    all.dedup_by_key(|obstacle| key(obstacle));
    all
}

/// The region tree from its pre-order listing.
fn region_tree<'p>(pass: Pass<'p>) -> Vec<Node<'p>> {
    let mut listing = pass.regions().into_iter().peekable();
    children(&mut listing, 1)
}

fn children<'p>(
    listing: &mut std::iter::Peekable<impl Iterator<Item = (u32, Region<'p>)>>,
    depth: u32,
) -> Vec<Node<'p>> {
    let mut nodes = Vec::new();
    while let Some((_, region)) = listing.next_if(|(at, _)| *at == depth) {
        nodes.push(Node { region, children: children(listing, depth + 1) });
    }
    nodes
}
