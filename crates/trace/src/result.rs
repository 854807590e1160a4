//! From the streams of a finished run to the [`Profile`].
//!
//! **Induction variables** (Section 4.3). The paper calls an integer instruction an induction variable if its value is
//! affine in all pieces, and leaves out all its dependences. That would also take a sum over zeros for one, and it would
//! not take `p++` for one if `p` starts anew for each row that was allocated separately. Here a statement is an
//! induction variable *along a dimension*: the members of dimension `d` are the largest set in which every member has
//! an integer value with a known coefficient along `d`, touches memory, if at all, at a place that does not move along
//! `d` (a variable on the stack), and uses, of what is made inside the loop of `d`, only what members make. A dependence
//! carried by `d` from such a statement is left out: the value can be computed from the iteration. A statement that is a
//! member for all its dimensions is an induction variable as in the paper, and all its dependences are left out.

use crate::code::Insn;
use crate::context::{Kind, OUTSIDE};
use crate::folded::{folded, identity, projected};
use crate::profile::{
    Access, AccessKind, Address, Carrier, Class, Collection, Dependence, DependenceKind, FORMAT, Folded,
    Frame, FromNest, Label, Loop, LoopKind, Nest, Piece, Profile, Statement, Totals,
};
use crate::tracer::{Target, Tracer};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most dependences between two nests that are described one by one.
const MOST_BETWEEN: u32 = 1000;

/// A dependence between two statements, by number.
struct Edge {
    source: u32,
    target: u32,
    kind: DependenceKind,
    carrier: Carrier,
    /// Position of its relation.
    relation: usize,
}

/// Induction variables.
struct Induction {
    /// Per dimension its members.
    along: HashMap<u32, HashSet<u32>>,
}

impl Induction {
    fn is_along(&self, stmt: u32, dimension: u32) -> bool {
        self.along.get(&dimension).is_some_and(|members| members.contains(&stmt))
    }

    fn is_full(&self, stmt: u32, dimensions: &[u32]) -> bool {
        !dimensions.is_empty() && dimensions.iter().all(|d| self.is_along(stmt, *d))
    }
}

/// What has been folded for an instance.
struct Ready {
    domain: Folded,
    identity: usize,
    accesses: Vec<(Folded, bool)>,
    values: Vec<Option<Folded>>,
}

struct Builder {
    tracer: Tracer,
    totals: Totals,
    relations: Vec<Folded>,
    ready: HashMap<u32, Ready>,
    edges: Vec<Edge>,
    /// Per outermost dimension its nest.
    nests: HashMap<u32, usize>,
    /// Per dimension its position in the nest.
    loops: HashMap<u32, u32>,
    /// Nests without statements for lack of room.
    dropped: usize,
}

impl Tracer {
    /// The run is over: everything that was found. Names and source lines are left for whoever has the files.
    pub fn finish(mut self) -> Profile {
        self.end();
        let totals = Totals { accesses: self.accesses, threads: self.threads() as u32, ..Totals::default() };
        let mut builder = Builder {
            tracer: self,
            totals,
            relations: Vec::new(),
            ready: HashMap::new(),
            edges: Vec::new(),
            nests: HashMap::new(),
            loops: HashMap::new(),
            dropped: 0,
        };
        builder.drop_details();
        builder.fold_instances();
        builder.fold_dependences();
        builder.profile()
    }
}

fn place(pc: u64) -> Address {
    Address { file: 0, offset: pc }
}

impl Builder {
    /// Drops what was recorded of nests for which the profile has no room, the least costly ones first.
    fn drop_details(&mut self) {
        let costs = self.costs();
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        let roots: Vec<Option<u32>> =
            self.tracer.instances.iter().map(|i| self.outermost(i.context)).collect();
        for (instance, root) in self.tracer.instances.iter().zip(&roots).filter(|(i, _)| i.domain.is_some()) {
            let insns = self.tracer.blocks[instance.block as usize].block.insns.len();
            *sizes.entry(root.unwrap_or(OUTSIDE)).or_default() += insns;
        }
        let mut order: Vec<(u32, usize)> = sizes.into_iter().collect();
        order.sort_by_key(|(root, _)| std::cmp::Reverse(costs[*root as usize]));
        let mut left = self.tracer.options.max_statements;
        let fits = |(root, size): (u32, usize)| match left.checked_sub(size) {
            Some(rest) => {
                left = rest;
                None
            }
            None => Some(root),
        };
        let dropped: HashSet<u32> = order.into_iter().filter_map(fits).collect();
        self.dropped = dropped.len();
        for (instance, root) in self.tracer.instances.iter_mut().zip(&roots) {
            if root.is_some_and(|root| dropped.contains(&root)) {
                instance.domain = None;
            }
        }
        let Tracer { dependences, instances, statements, .. } = &mut self.tracer;
        let kept = |number: u32| instances.get(number as usize).is_some_and(|i| i.domain.is_some());
        dependences.list.retain(|d| kept(d.target.0) && kept(statements[d.source as usize].0));
    }

    fn fold_instances(&mut self) {
        for number in 0..self.tracer.instances.len() {
            let instance = &mut self.tracer.instances[number];
            let (Some(domain), true) = (instance.domain.take(), instance.count > 0) else { continue };
            let accesses = std::mem::take(&mut instance.accesses);
            let values = std::mem::take(&mut instance.values);
            let nodes = &self.tracer.nodes;
            let Some((domain, lost)) = domain.finish(nodes, &self.tracer.domain_options) else { continue };
            let real = repeats(&self.tracer.contexts, self.tracer.instances[number].context);
            let domain = projected(domain, &real, None);
            self.relations.push(folded(&identity(&domain), lost));
            let Tracer { address_options, value_options, .. } = &self.tracer;
            let mut label = |stream: crate::stream::Stream, options: &fold::Options| {
                let found = stream.finish(nodes, options);
                let most = found.as_ref().map_or(0, |(folding, _)| folding.stats.max_intermediate);
                self.totals.instruction_intermediate += most as u64;
                found.map_or_else(Folded::default, |(f, lost)| folded(&projected(f, &real, None), lost))
            };
            let ready = Ready {
                domain: folded(&domain, lost),
                identity: self.relations.len() - 1,
                accesses: accesses
                    .into_iter()
                    .map(|a| (label(a.address, address_options), a.several))
                    .collect(),
                values: values
                    .into_iter()
                    .map(|v| (!v.data).then(|| label(v.stream, value_options)))
                    .collect(),
            };
            self.ready.insert(number as u32, ready);
        }
    }

    fn fold_dependences(&mut self) {
        for dependence in std::mem::take(&mut self.tracer.dependences.list) {
            let options = &self.tracer.options.of_dependences();
            let Some((folding, lost)) = dependence.stream.finish(&self.tracer.nodes, options) else {
                continue;
            };
            self.totals.dependence_intermediate += folding.stats.max_intermediate as u64;
            let ends = [dependence.source, self.first_stmt(dependence.target.0)]
                .map(|stmt| repeats(&self.tracer.contexts, self.context_of(stmt)));
            let folding = projected(folding, &ends[1], Some(&ends[0]));
            self.relations.push(folded(&folding, lost));
            let relation = self.relations.len() - 1;
            let (number, target) = dependence.target;
            let instance = &self.tracer.instances[number as usize];
            let prepared = &self.tracer.blocks[instance.block as usize];
            let insns = match target {
                Target::Insn(insn) => vec![insn],
                Target::Incoming(n) => prepared.incoming[usize::from(n)].users.clone(),
            };
            let (source, kind, carrier) = (dependence.source, dependence.kind, dependence.carrier);
            for insn in insns {
                let target = instance.first_stmt + u32::from(insn);
                self.edges.push(Edge { source, target, kind, carrier, relation });
            }
        }
        for (number, ready) in &self.ready {
            let instance = &self.tracer.instances[*number as usize];
            for &(maker, user) in &self.tracer.blocks[instance.block as usize].inner {
                let [source, target] = [maker, user].map(|insn| instance.first_stmt + u32::from(insn));
                let (kind, carrier) = (DependenceKind::Flow, Carrier::Register);
                self.edges.push(Edge { source, target, kind, carrier, relation: ready.identity });
            }
        }
        self.edges.sort_by_key(|e| (e.target, e.source, e.relation));
        for edge in &self.edges {
            let relation = &self.relations[edge.relation];
            self.totals.dependence_points += relation.points;
            self.totals.dependence_points_affine += relation.points_affine;
            self.totals.dependence_pieces += relation.pieces.len() as u64;
        }
    }

    /// Counts a statement as Section 6 of the paper does: its instances are affine if it has no memory access, or where
    /// the address is.
    fn count(totals: &mut Totals, statement: &Statement) {
        let addresses = || statement.accesses.iter().map(|access| &access.address);
        let affine = addresses().map(|a| a.points_affine).min().unwrap_or(statement.domain.points);
        let pieces = addresses().map(|a| a.pieces.len()).chain([statement.domain.pieces.len()]).max();
        totals.instruction_points += statement.domain.points;
        totals.instruction_points_affine += affine.min(statement.domain.points);
        totals.instruction_pieces += pieces.unwrap_or(0) as u64;
    }

    fn first_stmt(&self, instance: u32) -> u32 {
        self.tracer.instances[instance as usize].first_stmt
    }

    fn context_of(&self, stmt: u32) -> u32 {
        let (instance, _) = self.tracer.statements[stmt as usize];
        self.tracer.instances[instance as usize].context
    }

    /// The loops around a context that repeat, outermost first.
    fn dimensions(&self, context: u32) -> Vec<u32> {
        let contexts = &self.tracer.contexts;
        contexts.dimensions(context).into_iter().filter(|c| contexts.get(*c).repeats()).collect()
    }

    fn outermost(&self, context: u32) -> Option<u32> {
        self.dimensions(context).first().copied()
    }

    /// Instructions executed in each context and inside it.
    fn costs(&self) -> Vec<u64> {
        let mut costs = vec![0u64; self.tracer.contexts.count()];
        for instance in &self.tracer.instances {
            let insns = self.tracer.blocks[instance.block as usize].block.insns.len() as u64;
            costs[instance.context as usize] += instance.count * insns;
        }
        for context in (1..costs.len()).rev() {
            costs[self.tracer.contexts.get(context as u32).parent as usize] += costs[context];
        }
        costs
    }

    fn profile(mut self) -> Profile {
        let costs = self.costs();
        let all = costs.first().copied().unwrap_or(0);
        self.totals.instructions = all;
        let mut profile = Profile { format: FORMAT, ..Profile::default() };
        profile.nests = self.empty_nests(&costs);
        self.totals.instructions_in_loops = profile.nests.iter().map(|nest| nest.instructions).sum();
        self.add_loops(&mut profile.nests, &costs);
        let induction = self.induction();
        let ids = self.add_statements(&mut profile.nests, &induction);
        self.add_dependences(&mut profile.nests, &induction, &ids);
        let options = &self.tracer.options;
        profile.collection = Collection {
            survey: options.survey,
            sampled: false,
            values: "recomputed".to_owned(),
            mode: options.mode.name().to_owned(),
            memory_dependences: options.memory_dependences,
            ..Collection::default()
        };
        profile.totals = std::mem::take(&mut self.totals);
        self.warn(&mut profile);
        profile
    }

    fn warn(&self, profile: &mut Profile) {
        if self.tracer.forgot {
            profile.warn(
                "memory-limit",
                "the memory for last writers was full and was emptied: dependences between what ran before and \
                 after that are missing; give --memory more, or choose functions with --only",
            );
        }
        if self.tracer.dependences.lost > 0 {
            let n = self.tracer.dependences.lost;
            profile.warn("dependence-limit", format!("{n} dependence instances were not recorded: too many pairs of statements depend on each other; choose functions with --only"));
        }
        if self.dropped > 0 {
            let n = self.dropped;
            profile.warn("statement-limit", format!("of {n} nests only the loops are shown: there are too many statements; choose functions with --only"));
        }
        if self.tracer.instances_lost > 0 {
            let n = self.tracer.instances_lost;
            profile.warn("context-limit", format!("{n} blocks were only counted: too many blocks in too many calling contexts; choose functions with --only"));
        }
    }

    /// One nest per outermost loop, most costly first.
    fn empty_nests(&mut self, costs: &[u64]) -> Vec<Nest> {
        let contexts = &self.tracer.contexts;
        let is_outermost = |c: &u32| contexts.get(*c).repeats() && self.dimensions(*c).len() == 1;
        let mut roots: Vec<u32> = (1..contexts.count() as u32).filter(is_outermost).collect();
        roots.sort_by_key(|c| std::cmp::Reverse(costs[*c as usize]));
        let all = costs[0].max(1) as f64;
        let nest = |(id, &root): (usize, &u32)| Nest {
            id: id as u32,
            context: self.frames(contexts.get(root).parent, None),
            thread: contexts.thread(root),
            instructions: costs[root as usize],
            share: costs[root as usize] as f64 / all,
            ..Nest::default()
        };
        let nests = roots.iter().enumerate().map(nest).collect();
        self.nests = roots.iter().enumerate().map(|(n, root)| (*root, n)).collect();
        nests
    }

    /// The calls from a context outwards to `until`, outermost first.
    fn frames(&self, context: u32, until: Option<u32>) -> Vec<Frame> {
        let contexts = &self.tracer.contexts;
        let mut frames: Vec<Frame> = contexts
            .outwards(context)
            .take_while(|c| Some(*c) != until)
            .filter_map(|c| match contexts.get(c).kind {
                Kind::Call { site, entry } => {
                    Some(Frame { address: place(entry), call: place(site), ..Frame::default() })
                }
                _ => None,
            })
            .collect();
        frames.reverse();
        frames
    }

    fn add_loops(&mut self, nests: &mut [Nest], costs: &[u64]) {
        for c in 1..self.tracer.contexts.count() as u32 {
            let contexts = &self.tracer.contexts;
            let context = contexts.get(c);
            let (kind, header, latch) = match context.kind {
                Kind::Loop { header, latch } => (LoopKind::Loop, header, latch),
                Kind::Recursion { entry } => (LoopKind::Recursion, entry, entry),
                _ => continue,
            };
            if !context.repeats() {
                continue;
            }
            let dimensions = self.dimensions(c);
            let around = dimensions.len().checked_sub(2).map(|n| dimensions[n]);
            let Some(&nest) = dimensions.first().and_then(|root| self.nests.get(root)) else { continue };
            let nest = &mut nests[nest];
            let id = nest.loops.len() as u32;
            nest.loops.push(Loop {
                id,
                parent: around.and_then(|p| self.loops.get(&p).copied()),
                dimension: dimensions.len() as u32 - 1,
                kind,
                calls: around.map_or_else(Vec::new, |p| self.frames(context.parent, Some(p))),
                address: place(header),
                latch: place(latch),
                entries: context.entries,
                iterations: context.iterations,
                instructions: costs[c as usize],
                ..Loop::default()
            });
            self.loops.insert(c, id);
        }
    }

    /// For each dimension (by its context) the statements that are induction variables along it.
    fn induction(&self) -> Induction {
        let mut along: HashMap<u32, HashSet<u32>> = HashMap::new();
        for (number, ready) in &self.ready {
            let instance = &self.tracer.instances[*number as usize];
            let dimensions = self.dimensions(instance.context);
            for insn in 0..self.tracer.blocks[instance.block as usize].block.insns.len() as u16 {
                for (d, dimension) in dimensions.iter().enumerate() {
                    if self.steps_along(instance.block, ready, insn, d) {
                        along.entry(*dimension).or_default().insert(instance.first_stmt + u32::from(insn));
                    }
                }
            }
        }
        // Only what is made inside the loop of a dimension counts against its members.
        let ends = |e: &Edge| [e.source, e.target].map(|s| self.dimensions(self.context_of(s)));
        let common = |[a, b]: [Vec<u32>; 2]| -> Vec<u32> {
            a.into_iter().zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
        };
        let flow: Vec<(&Edge, Vec<u32>)> = self
            .edges
            .iter()
            .filter(|e| e.kind == DependenceKind::Flow)
            .map(|e| (e, common(ends(e))))
            .collect();
        loop {
            let mut changed = false;
            for (edge, dimensions) in &flow {
                let carrier = self.carried_by(edge, dimensions.len());
                // A dependence carried further out brings a value from before this run of the loop.
                let inside = carrier.map_or(0, |c| c);
                for dimension in &dimensions[inside.min(dimensions.len())..] {
                    let members = along.entry(*dimension).or_default();
                    if !members.contains(&edge.source) {
                        changed |= members.remove(&edge.target);
                    }
                }
            }
            if !changed {
                return Induction { along };
            }
        }
    }

    /// The first of the common dimensions in which source and target can differ.
    fn carried_by(&self, edge: &Edge, common: usize) -> Option<usize> {
        let relation = &self.relations[edge.relation];
        (0..common).find(|d| distance(relation, *d) != Some(0))
    }

    /// Whether an instruction computes integers that change by a constant along dimension `d`, or stay, and accesses
    /// memory only at places that stay.
    fn steps_along(&self, block: u32, ready: &Ready, insn: u16, d: usize) -> bool {
        let prepared = &self.tracer.blocks[block as usize];
        let mut values =
            prepared.values.iter().zip(&ready.values).filter(|((at, _), _)| *at == insn).peekable();
        let steps = values.peek().is_some()
            && values.all(|(_, v)| v.as_ref().is_some_and(|v| coefficient(v, d).is_some()));
        let mut own = prepared.accesses.iter().zip(&ready.accesses).filter(|((at, ..), _)| *at == insn);
        steps && own.all(|(_, (address, several))| !several && stride(address, d) == Some(0))
    }

    /// Adds the statements; returns for each number its nest and its position there.
    fn add_statements(&mut self, nests: &mut [Nest], induction: &Induction) -> BTreeMap<u32, (usize, u32)> {
        let mut order: Vec<(usize, u32, u64, u32)> = Vec::new();
        for number in self.ready.keys() {
            let instance = &self.tracer.instances[*number as usize];
            let Some(&nest) = self.outermost(instance.context).and_then(|root| self.nests.get(&root)) else {
                continue;
            };
            let pc = self.tracer.blocks[instance.block as usize].block.pc();
            order.push((nest, instance.context, pc, *number));
        }
        order.sort_unstable();
        let mut ids = BTreeMap::new();
        for (nest, _, _, number) in order {
            let instance = &self.tracer.instances[number as usize];
            let prepared = &self.tracer.blocks[instance.block as usize];
            let called = self.ready.contains_key(&number) && prepared.block.flow == crate::code::Flow::Call;
            for (n, insn) in prepared.block.insns.iter().enumerate() {
                if insn.transfer.is_some() {
                    continue;
                }
                let stmt = instance.first_stmt + n as u32;
                let id = nests[nest].statements.len() as u32;
                ids.insert(stmt, (nest, id));
                let mut statement = self.statement(number, n as u16, insn);
                statement.id = id;
                statement.induction = induction.is_full(stmt, &self.dimensions(instance.context));
                if called && n + 1 == prepared.block.insns.len() {
                    statement.class = Class::Call;
                }
                Builder::count(&mut self.totals, &statement);
                nests[nest].statements.push(statement);
            }
        }
        ids
    }

    fn statement(&self, number: u32, n: u16, insn: &Insn) -> Statement {
        let instance = &self.tracer.instances[number as usize];
        let prepared = &self.tracer.blocks[instance.block as usize];
        let ready = &self.ready[&number];
        let accesses = prepared.accesses.iter().zip(&ready.accesses).filter(|((at, ..), _)| *at == n);
        let value = prepared.values.iter().zip(&ready.values).find(|((at, _), _)| *at == n);
        let stmt = instance.first_stmt + u32::from(n);
        let own = |e: &&Edge| e.source == stmt && e.target == stmt && e.kind == DependenceKind::Flow;
        let first = self.edges.partition_point(|e| e.target < stmt);
        let to_it = || self.edges[first..].iter().take_while(|e| e.target == stmt);
        Statement {
            address: place(insn.pc),
            class: insn.class,
            loops: self
                .dimensions(instance.context)
                .iter()
                .filter_map(|c| self.loops.get(c).copied())
                .collect(),
            instances: instance.count,
            domain: ready.domain.clone(),
            accesses: accesses
                .map(|((_, stores, size), (address, several))| access(*stores, *size, address, *several))
                .collect(),
            value: value.and_then(|(_, folded)| folded.clone()),
            accumulates: insn.associative && to_it().any(|e| own(&e)),
            ..Statement::default()
        }
    }

    /// Whether a dependence only passes an induction variable on.
    fn is_induction(&self, edge: &Edge, induction: &Induction) -> bool {
        let [a, b] = [edge.source, edge.target].map(|s| self.dimensions(self.context_of(s)));
        let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let carrier = self.carried_by(edge, common);
        induction.is_full(edge.source, &a)
            || induction.is_full(edge.target, &b)
            || carrier.is_some_and(|d| induction.is_along(edge.source, a[d]))
    }

    fn add_dependences(
        &mut self,
        nests: &mut [Nest],
        induction: &Induction,
        ids: &BTreeMap<u32, (usize, u32)>,
    ) {
        let mut between: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for edge in &self.edges {
            let (Some(&(from, source)), Some(&(to, target))) = (ids.get(&edge.source), ids.get(&edge.target))
            else {
                continue;
            };
            if from != to {
                let streams = between.entry((to, from)).or_default();
                *streams += 1;
                if *streams <= MOST_BETWEEN
                    && self.are_neighbours(edge)
                    && !self.is_induction(edge, induction)
                {
                    let dependence = self.dependence(edge, source, target, Vec::new());
                    nests[to].from_neighbours.push(FromNest { nest: from as u32, dependence });
                }
                continue;
            }
            if self.is_induction(edge, induction) {
                nests[to].induction_dependences += 1;
                continue;
            }
            let relation = &self.relations[edge.relation];
            let [a, b] = [source, target].map(|s| &nests[to].statements[s as usize].loops);
            let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            let distance: Vec<Option<i64>> = (0..common).map(|d| distance(relation, d)).collect();
            nests[to].dependences.push(self.dependence(edge, source, target, distance));
        }
        for ((to, from), count) in between {
            nests[to].from_nests.push((from as u32, count));
        }
    }

    /// A dependence between statements at these positions in their nests.
    fn dependence(&self, edge: &Edge, source: u32, target: u32, distance: Vec<Option<i64>>) -> Dependence {
        let contexts = &self.tracer.contexts;
        let threads = [edge.source, edge.target].map(|s| contexts.thread(self.context_of(s)));
        Dependence {
            source,
            target,
            kind: edge.kind,
            carrier: edge.carrier,
            carried_by: distance.iter().position(|d| *d != Some(0)).map(|d| d as u32),
            distance,
            relation: self.relations[edge.relation].clone(),
            across_threads: threads[0] != threads[1],
        }
    }

    /// Whether source and target are in outermost loops of the same call.
    fn are_neighbours(&self, edge: &Edge) -> bool {
        let around = |stmt: u32| {
            let root = self.outermost(self.context_of(stmt))?;
            Some(self.tracer.contexts.get(root).parent)
        };
        around(edge.source).is_some() && around(edge.source) == around(edge.target)
    }
}

/// For each dimension of a context whether it repeats.
fn repeats(contexts: &crate::context::Contexts, context: u32) -> Vec<bool> {
    contexts.dimensions(context).iter().map(|c| contexts.get(*c).repeats()).collect()
}

fn access(stores: bool, size: u32, address: &Folded, several: bool) -> Access {
    let dim = address.pieces.first().and_then(|p| p.labels.first()).map_or(0, |l| l.coefficients.len());
    let stride = (0..dim).map(|d| stride(address, d));
    Access {
        kind: if stores { AccessKind::Write } else { AccessKind::Read },
        size,
        stride: stride.collect(),
        address: address.clone(),
        several,
    }
}

/// The coefficient along dimension `d` of a stream with one label, if it is known and the same in all pieces.
fn coefficient(folded: &Folded, d: usize) -> Option<i64> {
    let of = |p: &Piece| p.labels.first()?.coefficients.get(d).copied().flatten();
    // Where a dimension has one value only there is nothing to see.
    let mut all = folded.pieces.iter().filter(|p| is_wide(p, d)).map(of);
    let first = all.next().unwrap_or(Some(0))?;
    (folded.exact_domain && all.all(|c| c == Some(first))).then_some(first)
}

/// By how much an address changes along dimension `d`, if that is known and always the same: inside of the pieces, and from one
/// to the other unless they are over-approximated.
fn stride(address: &Folded, d: usize) -> Option<i64> {
    let step = coefficient(address, d)?;
    let steady = |(p, q)| !can_follow(p, q, d) || are_one(p, q, d, step);
    pairs(&address.pieces).all(steady).then_some(step)
}

fn pairs(pieces: &[Piece]) -> impl Iterator<Item = (&Piece, &Piece)> {
    pieces.iter().enumerate().flat_map(|(n, p)| pieces[n + 1..].iter().map(move |q| (p, q)))
}

fn is_wide(piece: &Piece, d: usize) -> bool {
    piece.low.get(d) < piece.high.get(d)
}

/// Whether a step along dimension `d` can lead from one piece to the other; if that is not clear, it can.
fn can_follow(p: &Piece, q: &Piece, d: usize) -> bool {
    let overlap = |k: usize| p.low[k] <= q.high[k] && q.low[k] <= p.high[k];
    (0..p.low.len()).all(|k| k == d || overlap(k))
}

/// Whether two pieces have parts of one affine function, that with coefficient `along` in dimension `d`. Of over-approximated ones
/// nobody knows.
fn are_one(p: &Piece, q: &Piece, d: usize, along: i64) -> bool {
    let (Some(f), Some(g)) = (p.labels.first(), q.labels.first()) else { return true };
    if !f.exact || !g.exact {
        return true;
    }
    let common = |k: usize| match (is_wide(p, k), is_wide(q, k)) {
        (true, true) if f.coefficients[k] != g.coefficients[k] => None,
        (true, _) => f.coefficients[k],
        (false, true) => g.coefficients[k],
        (false, false) => Some(if k == d { along } else { 0 }),
    };
    let Some(whole) = (0..p.low.len()).map(common).collect::<Option<Vec<i64>>>() else { return false };
    // A dimension with one value has coefficient 0, so that the constant contains its share.
    let rest = |label: &Label, piece: &Piece| {
        let mut fixed = (0..whole.len()).filter(|k| !is_wide(piece, *k));
        let share = |rest: i64, k: usize| rest.checked_sub(whole[k].checked_mul(piece.low[k])?);
        label.constant.and_then(|constant| fixed.try_fold(constant, share))
    };
    let [a, b] = [rest(f, p), rest(g, q)];
    a.is_some() && a == b
}

/// Target minus source along dimension `d`, if that is constant.
fn distance(relation: &Folded, d: usize) -> Option<i64> {
    let of = |piece: &Piece| {
        let label = piece.labels.get(d)?;
        let unit = label.coefficients.iter().enumerate().all(|(k, c)| *c == Some(i64::from(k == d)));
        // A dimension with one value has coefficient 0 and the value as constant.
        let fixed = label.coefficients.iter().all(|c| *c == Some(0)) && piece.low[d] == piece.high[d];
        match (unit, fixed) {
            (true, _) => label.constant?.checked_neg(),
            (_, true) => piece.low[d].checked_sub(label.constant?),
            _ => None,
        }
        .filter(|_| label.exact)
    };
    let first = relation.pieces.first().and_then(of)?;
    let all_known = relation.pieces.iter().map(|piece| piece.points).sum::<u64>() == relation.points;
    (all_known && relation.pieces.iter().all(|piece| of(piece) == Some(first))).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fold::{Folder, Options};

    /// `address` over `[0, 9]^2`.
    fn accessed(address: impl Fn(i64, i64) -> i64) -> Folded {
        let mut folder = Folder::new(2, 1, Options::default()).unwrap();
        for (i, j) in (0..10).flat_map(|i| (0..10).map(move |j| (i, j))) {
            folder.push(&[i, j], &[address(i, j)]).unwrap();
        }
        folded(&folder.finish(), 0)
    }

    #[test]
    fn strides_hold_from_piece_to_piece() {
        let clamped = accessed(|i, j| 100 * i + 4 * (j - 1).max(0));
        assert!(clamped.exact && clamped.pieces.len() > 1);
        assert_eq!([0, 1].map(|d| stride(&clamped, d)), [Some(100), None]);
        let in_turns = accessed(|i, j| 5000 * (i % 2) + 4 * j);
        assert!(in_turns.exact);
        assert_eq!([0, 1].map(|d| stride(&in_turns, d)), [None, Some(4)]);
        let whole = accessed(|i, j| 100 * i + 4 * j);
        assert_eq!([0, 1].map(|d| stride(&whole, d)), [Some(100), Some(4)]);
    }

    #[test]
    fn parts_of_one_function_have_its_stride() {
        let mut folder = Folder::new(2, 1, Options::default()).unwrap();
        let used = (0..10).flat_map(|i| (0..10).map(move |j| (i, j))).filter(|(i, j)| *i != 4 && *j != 3);
        used.for_each(|(i, j)| folder.push(&[i, j], &[100 * i + 4 * j]).unwrap());
        let apart = folded(&folder.finish(), 0);
        assert!(apart.exact && apart.pieces.len() > 1);
        assert_eq!([0, 1].map(|d| stride(&apart, d)), [Some(100), Some(4)]);
    }

    #[test]
    fn places_that_differ_have_no_stride() {
        let rows = accessed(|i, j| [0, 700, 150, 900, 410][(i / 2) as usize] + 4 * j);
        assert_eq!(stride(&rows, 0), None);
    }
}
