//! The control flow of a function and its loops.
//!
//! The graph is walked ahead from the function's entry ([`crate::code::Code`]) and grows when an execution takes an edge that
//! could not be foreseen (a computed jump, an exception's landing pad). Nodes are basic blocks, cut at every target.
//!
//! **Loops** are the nesting forest by strongly connected regions: a region with a cycle is a loop; its header is the
//! node through which it is entered (the first in depth-first order if there are several, in irreducible graphs);
//! without the edges into the header, the regions that remain are the loops inside. Every cycle goes through the header
//! of some loop, so every repetition is counted somewhere.
//!
//! Example: `0 -> 1 -> 2 -> 2, 2 -> 1, 1 -> 3` has the loop {1, 2} with header 1, and in it {2} with header 2.

use crate::code::{Ahead, Code, Pc, Step};
use std::collections::{BTreeMap, BTreeSet};

/// Most instructions of one function that are looked at ahead.
const MAX_STEPS: usize = 200_000;

/// So many edges that were not foreseen are taken into account as they come; further ones when their number has doubled.
const LEARNT_AT_ONCE: usize = 64;

/// One loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CfgLoop {
    /// The loop around it.
    pub parent: Option<usize>,
    /// The address of its header.
    pub header: Pc,
    /// The last instruction of the block that jumps back to the header from furthest behind.
    pub latch: Pc,
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Node {
    start: Pc,
    end: Pc,
    /// The last instruction.
    last: Pc,
    successors: Vec<usize>,
    /// The innermost loop it is in.
    innermost: Option<usize>,
}

/// The control flow of one function.
#[derive(Debug, Default)]
pub struct Cfg {
    entry: Pc,
    steps: BTreeMap<Pc, Step>,
    leaders: BTreeSet<Pc>,
    /// Edges that were seen and not foreseen: from an address in a block to an address.
    seen: BTreeSet<(Pc, Pc)>,
    nodes: Vec<Node>,
    loops: Vec<CfgLoop>,
}

impl Cfg {
    /// The function at `entry`, as far as it can be foreseen.
    pub fn new(entry: Pc, code: &dyn Code) -> Cfg {
        let mut cfg = Cfg { entry, ..Cfg::default() };
        cfg.walk(entry, code);
        cfg.build();
        cfg
    }

    /// The loops, parents before children.
    pub fn loops(&self) -> &[CfgLoop] {
        &self.loops
    }

    /// Whether an instruction of the function is at this address.
    pub fn contains(&self, pc: Pc) -> bool {
        self.steps.contains_key(&pc)
    }

    /// An execution went from `from`, an address in the function, to `to`. Returns whether that was new and has changed
    /// the loops.
    pub fn add_edge(&mut self, from: Pc, to: Pc, code: &dyn Code) -> bool {
        if !self.seen.insert((from, to)) {
            return false;
        }
        let known = self.contains(to);
        // Interpreters jump from everywhere to everywhere; finding loops anew for each pair would take for ever.
        if known && self.seen.len() > LEARNT_AT_ONCE && !self.seen.len().is_power_of_two() {
            return false;
        }
        let before = std::mem::take(&mut self.loops);
        self.walk(to, code);
        self.build();
        !known || self.loops != before
    }

    /// The loops around an address, outermost first, and whether the address is the header of the innermost.
    pub fn loops_at(&self, pc: Pc) -> (Vec<usize>, bool) {
        let Some(node) = self.node_of(pc) else { return (Vec::new(), false) };
        let node = &self.nodes[node];
        let mut chain: Vec<usize> =
            std::iter::successors(node.innermost, |l| self.loops[*l].parent).collect();
        chain.reverse();
        let is_header = chain.last().is_some_and(|l| self.loops[*l].header == pc);
        (chain, is_header)
    }

    fn node_of(&self, pc: Pc) -> Option<usize> {
        let index = self.nodes.partition_point(|node| node.start <= pc).checked_sub(1)?;
        (pc < self.nodes[index].end).then_some(index)
    }

    /// Collect the instructions that can be reached from `from`.
    fn walk(&mut self, from: Pc, code: &dyn Code) {
        let mut work = vec![from];
        self.leaders.insert(from);
        while let Some(mut pc) = work.pop() {
            while !self.steps.contains_key(&pc) && self.steps.len() < MAX_STEPS {
                let Some(mut step) = code.step(pc) else { break };
                step.ahead = self.inside(step.ahead, code);
                self.steps.insert(pc, step);
                let next = pc + u64::from(step.length);
                let ends = step.ahead != Ahead::Next;
                let target = match step.ahead {
                    Ahead::Branch(target) | Ahead::Jump(target) => Some(target),
                    _ => None,
                };
                if let Some(target) = target {
                    self.leaders.insert(target);
                    work.push(target);
                }
                if matches!(step.ahead, Ahead::Jump(_) | Ahead::Away) || self.leaves(next, code) {
                    break;
                }
                if ends {
                    self.leaders.insert(next);
                }
                pc = next;
            }
        }
    }

    /// Whether another function begins at `pc`.
    fn leaves(&self, pc: Pc, code: &dyn Code) -> bool {
        pc != self.entry && code.entry_of(pc) == Some(pc)
    }

    /// A jump to another function is a call in tail position.
    fn inside(&self, ahead: Ahead, code: &dyn Code) -> Ahead {
        match ahead {
            Ahead::Jump(target) if self.leaves(target, code) => Ahead::Away,
            Ahead::Branch(target) if self.leaves(target, code) => Ahead::Call,
            other => other,
        }
    }

    /// Cut the instructions into blocks, connect them, find the loops.
    fn build(&mut self) {
        self.nodes.clear();
        for (&pc, step) in &self.steps {
            let end = pc + u64::from(step.length);
            match self.nodes.last_mut() {
                Some(node) if node.end == pc && !self.leaders.contains(&pc) => {
                    node.end = end;
                    node.last = pc;
                }
                _ => self.nodes.push(Node { start: pc, end, last: pc, ..Node::default() }),
            }
        }
        for index in 0..self.nodes.len() {
            self.nodes[index].successors = self.successors(&self.nodes[index]);
        }
        for &(from, to) in &self.seen {
            if let (Some(a), Some(b)) = (self.node_of(from), self.node_of(to)) {
                self.nodes[a].successors.push(b);
            }
        }
        self.find_loops();
    }

    fn successors(&self, node: &Node) -> Vec<usize> {
        let targets = match self.steps.get(&node.last).map(|step| step.ahead) {
            Some(Ahead::Next | Ahead::Call) => [Some(node.end), None],
            Some(Ahead::Branch(target)) => [Some(node.end), Some(target)],
            Some(Ahead::Jump(target)) => [Some(target), None],
            Some(Ahead::Away) | None => [None, None],
        };
        targets.into_iter().flatten().filter_map(|pc| self.node_of(pc)).collect()
    }

    fn find_loops(&mut self) {
        self.loops.clear();
        let all: Vec<usize> = (0..self.nodes.len()).collect();
        self.loops_in(&all, None, &BTreeSet::new());
    }

    /// The loops of the subgraph of `members` without the edges into `headers`.
    fn loops_in(&mut self, members: &[usize], parent: Option<usize>, headers: &BTreeSet<usize>) {
        let entry = self.node_of(self.entry);
        for region in regions(members, entry, |n| {
            self.nodes[n].successors.iter().copied().filter(|s| !headers.contains(s))
        }) {
            let header = self.header_of(&region, members);
            let jumps_back = |&&n: &&usize| self.nodes[n].successors.contains(&header);
            let latch = region.iter().filter(jumps_back).map(|&n| self.nodes[n].last).max();
            let start = self.nodes[header].start;
            let index = self.loops.len();
            self.loops.push(CfgLoop { parent, header: start, latch: latch.unwrap_or(start) });
            for &n in &region {
                self.nodes[n].innermost = Some(index);
            }
            let mut headers = headers.clone();
            headers.insert(header);
            self.loops_in(&region, Some(index), &headers);
        }
    }

    /// The node through which a region is entered: in the order of `region`, which is depth-first.
    fn header_of(&self, region: &[usize], members: &[usize]) -> usize {
        let in_region: BTreeSet<usize> = region.iter().copied().collect();
        let outside = members.iter().filter(|m| !in_region.contains(m));
        let entered: BTreeSet<usize> = outside
            .flat_map(|m| &self.nodes[*m].successors)
            .copied()
            .filter(|n| in_region.contains(n))
            .collect();
        let is_entered = |n: &usize| entered.contains(n) || self.nodes[*n].start == self.entry;
        region.iter().copied().find(is_entered).unwrap_or(region[0])
    }
}

/// The strongly connected regions with a cycle among `members`, each in depth-first order, outer ones only (Tarjan,
/// without recursion because functions can be long).
fn regions<I: Iterator<Item = usize>>(
    members: &[usize],
    entry: Option<usize>,
    successors: impl Fn(usize) -> I,
) -> Vec<Vec<usize>> {
    let inside: BTreeSet<usize> = members.iter().copied().collect();
    let next = |n: usize| -> Vec<usize> { successors(n).filter(|s| inside.contains(s)).collect() };
    let mut order: BTreeMap<usize, usize> = BTreeMap::new();
    let mut low: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut stack, mut on_stack) = (Vec::new(), BTreeSet::new());
    let mut found = Vec::new();
    let starts = entry.filter(|e| inside.contains(e)).into_iter().chain(members.iter().copied());
    for start in starts {
        if order.contains_key(&start) {
            continue;
        }
        let mut work = vec![(start, next(start), 0)];
        while let Some((n, succ, at)) = work.last_mut() {
            let n = *n;
            if *at == 0 {
                order.entry(n).or_insert_with(|| {
                    stack.push(n);
                    on_stack.insert(n);
                    low.len()
                });
                let number = order[&n];
                low.entry(n).or_insert(number);
            }
            if let Some(&s) = succ.get(*at) {
                *at += 1;
                if !order.contains_key(&s) {
                    let succ = next(s);
                    work.push((s, succ, 0));
                } else if on_stack.contains(&s) {
                    let bound = order[&s].min(low[&n]);
                    low.insert(n, bound);
                }
                continue;
            }
            work.pop();
            if let Some((parent, ..)) = work.last() {
                let bound = low[&n].min(low[parent]);
                low.insert(*parent, bound);
            }
            if low[&n] == order[&n] {
                let cut = stack.iter().rposition(|m| *m == n).unwrap_or(0);
                let region = stack.split_off(cut);
                on_stack.retain(|m| !region.contains(m));
                if region.len() > 1 || next(n).contains(&n) {
                    found.push(region);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One instruction of length 1 per address.
    struct Toy(Vec<Ahead>);

    impl Code for Toy {
        fn step(&self, pc: Pc) -> Option<Step> {
            self.0.get(pc as usize).map(|&ahead| Step { length: 1, ahead })
        }
        fn entry_of(&self, _: Pc) -> Option<Pc> {
            None
        }
        fn is_wanted(&self, _: Pc) -> bool {
            true
        }
    }

    fn headers(cfg: &Cfg, pc: Pc) -> Vec<Pc> {
        cfg.loops_at(pc).0.iter().map(|&l| cfg.loops()[l].header).collect()
    }

    use Ahead::*;

    #[test]
    fn a_nest_of_two() {
        // 0; 1: outer header; 2: inner header and latch; 3: outer latch; 4: end
        let cfg = Cfg::new(0, &Toy(vec![Next, Next, Branch(2), Branch(1), Away]));
        assert_eq!(headers(&cfg, 2), [1, 2]);
        assert_eq!(headers(&cfg, 3), [1]);
        assert_eq!(headers(&cfg, 4), [0; 0]);
        assert!(cfg.loops_at(2).1 && cfg.loops_at(1).1 && !cfg.loops_at(3).1);
        assert_eq!(cfg.loops()[1].latch, 2);
    }

    #[test]
    fn two_loops_with_one_header_are_one_loop_and_one_inside_or_two() {
        // `continue` makes a second jump back to the same header: still one loop.
        let cfg = Cfg::new(0, &Toy(vec![Next, Branch(4), Branch(1), Jump(1), Away]));
        assert_eq!(cfg.loops().len(), 1);
        assert_eq!(headers(&cfg, 3), [1]);
    }

    #[test]
    fn irreducible_cycles_have_a_header_too() {
        // 0 jumps to 1 or 2; 1 -> 2 -> 1.
        let cfg = Cfg::new(0, &Toy(vec![Branch(2), Next, Branch(1), Away]));
        assert_eq!(cfg.loops().len(), 1);
        assert_eq!(headers(&cfg, 1), headers(&cfg, 2));
    }

    #[test]
    fn edges_that_were_not_foreseen_make_loops() {
        // 1 jumps to a computed address; 3 leads back to 1.
        let code = Toy(vec![Next, Away, Away, Jump(1)]);
        let mut cfg = Cfg::new(0, &code);
        assert!(cfg.loops().is_empty() && !cfg.contains(3));
        cfg.add_edge(1, 3, &code);
        assert_eq!(headers(&cfg, 3), [1]);
        assert_eq!(headers(&cfg, 1), [1]);
    }

    #[test]
    fn while_loops_entered_at_the_test() {
        // 0: jump to 2 (test); 1: body; 2: branch back to 1; 3
        let cfg = Cfg::new(0, &Toy(vec![Jump(2), Next, Branch(1), Away]));
        assert_eq!(headers(&cfg, 1), [2]);
        assert!(cfg.loops_at(2).1);
    }
}
