//! Stage `emit`: the loop tree of a model as new code, guarded by the model's assumptions.
//!
//! Two steps, because LLVM's analyses hold only until control flow changes: [`prepare`] does for all models of a
//! function what needs them (a block before each region, parameters and invariant values in it), then [`emit`] writes the
//! code of one model at a time. The new code is written beside the function and joined to it when it is complete; if it
//! cannot be completed, it is removed, and the function does what it did.

use super::block::Places;
use super::builder::{Builder, Type};
use super::check::{ADDRESS, Scan, Writer};
use super::facts::Facts;
use super::kept::Kept;
use super::panel::{Around, PanelMemory, Panels};
use super::part::spreads_for_nothing;
use super::rewrite::{Place, Rewrite, Source, cell_facts, op_named};
use super::scratch::{Memory, needs_heap};
use super::threads::{Fork, Forks, Rounds};
use super::values::{Head, Hoisted, Sum, Values};
use crate::front::affine::is_invariant;
use crate::front::bodies::Links;
use crate::front::exits::{Exit, ExitValue};
use crate::front::flow::region_blocks;
use crate::front::lift::{ArraySource, Lifted, Touched};
use crate::front::statements::{Body, Part};
use crate::pass::{Block, Inst, Loop, Pass, Value};
use crate::scev::{Scev, ScevKind, ScevRef};
use assume::{Check, Conjunct, Rows, Test};
use astgen::{Expr, For, Node, Op, Strip, Variable};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use model::{AccessId, AccessKind, ArrayId, CodeSize, Operand, Stmt, StmtId, Whole};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A region that is ready to be rewritten.
pub struct Prepared<'p> {
    pub(super) entering: Block<'p>,
    /// Before it, if rows have to be looked at or memory is asked for in between; otherwise the same.
    before: Block<'p>,
    entry: Block<'p>,
    pub(super) blocks: Vec<Block<'p>>,
    pub(super) params: Vec<Value<'p>>,
    hoisted: Hoisted<'p>,
}

/// Does what needs LLVM's analyses; `branches`: whether the check may have branches inside. `None`: some value cannot be
/// computed before the region.
pub fn prepare<'p>(
    pass: Pass<'p>,
    lifted: &Lifted<'p>,
    rewrite: Option<&Rewrite>,
    branches: bool,
) -> Option<Prepared<'p>> {
    let scope = region_blocks(lifted.region);
    // In the order of the function, in which copies are made.
    let blocks: Vec<_> = pass.blocks().into_iter().filter(|block| scope.contains(block)).collect();
    let before = pass.split_entering(lifted.region.entry, &blocks);
    let has_rows = lifted.arrays.iter().any(|source| matches!(source, ArraySource::Rows(_)));
    let entering = if has_rows || needs_heap(rewrite) || branches {
        pass.split_entering(lifted.region.entry, &blocks)
    } else {
        before
    };
    let is_invariant = |scev: &Scev<'p>| is_invariant(scev, &scope);
    let mut hoisted = Hoisted::default();
    for scev in lifted.params.iter().cloned().chain(needed(lifted)) {
        if !hoisted.prepare(pass, &scev, before, &is_invariant) {
            return None;
        }
    }
    let builder = Builder::new(pass);
    builder.before(before.terminator()?);
    let values = Values {
        builder: &builder,
        hoisted: &hoisted,
        scevs: &lifted.scevs,
        around: lifted.around,
        next: HashMap::new(),
        sums: HashMap::new(),
        head: None,
    };
    let param = |scev: &ScevRef<'p>| {
        let value = values.scev(scev, &[], &[], false)?;
        // Where the program does not look at it, it may be undefined; the check and the new loops do look.
        Some(builder.resize(pass.freeze(value, before), builder.int(64), true))
    };
    let params = lifted.params.iter().map(param).collect::<Option<Vec<_>>>()?;
    Some(Prepared { entering, before, entry: lifted.region.entry, blocks, params, hoisted })
}

/// The expressions that statements and exits will ask for.
fn needed<'p>(lifted: &Lifted<'p>) -> Vec<ScevRef<'p>> {
    let mut found = Vec::new();
    for (body, chain) in lifted.bodies.iter().zip(&lifted.chains) {
        for value in body.uses().filter(|value| value.inst().is_some()) {
            add_expression(lifted, value, chain, &mut found);
        }
    }
    for exit in lifted.exit_phis.iter().chain(&lifted.live_out) {
        if let ExitValue::Expression(value) = exit.value {
            add_expression(lifted, value, &[], &mut found);
        }
    }
    found
}

/// Adds a value's expression, and those of the operands of instructions in it that are copied.
fn add_expression<'p>(
    lifted: &Lifted<'p>,
    value: Value<'p>,
    chain: &[Loop<'p>],
    found: &mut Vec<ScevRef<'p>>,
) {
    let Some(scev) = lifted.expression(value, chain) else { return };
    let mut work = vec![scev.clone()];
    found.push(scev);
    while let Some(part) = work.pop() {
        work.extend(part.operands().iter().cloned());
        if let ScevKind::Unknown(value) = part.kind
            && let Some(inst) = value.inst().filter(|inst| lifted.scope.contains(&inst.block()))
        {
            inst.operands().into_iter().for_each(|op| add_expression(lifted, op, chain, found));
        }
    }
}

/// How much code was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// The nest's own.
    pub own: CodeSize,
    /// The new loops and their check.
    pub added: CodeSize,
}

/// Why there are no new loops.
pub enum Failure {
    /// A value could not be computed; the function does what it did.
    Undone,
    /// LLVM's verifier found the function broken: it must be undone, or not be compiled. This is its message.
    Broken(String),
}

/// How a program prints what it counted: formats of `printf`.
#[derive(Clone, Debug)]
pub struct Formats {
    /// For people: the number of runs, then for each conjunct how often it held and how often it was asked.
    pub table: String,
    /// A line of JSON: the number of runs, then for each conjunct how often it held.
    pub json: String,
}

/// One version of the new loops.
#[derive(Clone, Copy)]
pub struct Loops<'a> {
    /// What the lifted model became, if the statements of the loops are of that.
    pub rewrite: Option<&'a Rewrite>,
    /// The loops.
    pub nodes: &'a [Node],
    /// The cells of statements in blocks, and of those that share rows.
    pub places: &'a Places,
    /// The arrays that may overlap.
    pub overlap: &'a [(ArrayId, ArrayId)],
    /// Whether they are the nest's own, and may be a copy of it.
    pub are_own: bool,
    /// When marked loops run in threads.
    pub forks: Forks,
}

/// New loops that may become a function of their own, together with what is checked where there is much to do.
#[derive(Clone)]
pub struct Aside<'p> {
    /// Where it is asked whether there is much to do, if that comes first.
    question: Option<Block<'p>>,
    start: Block<'p>,
    /// Where all versions and the original meet.
    after: Block<'p>,
    /// Where the original begins.
    original: Block<'p>,
    /// Memory of panels, which all nests of a function have together.
    memory: Option<Value<'p>>,
}

impl<'p> Aside<'p> {
    /// Plans to divide the function into these loops and its original, if it has nothing else.
    pub fn divide(&self, pass: Pass<'p>) -> bool {
        let ends = [self.after, self.original];
        self.question.is_some_and(|question| pass.divide(question, self.start, ends))
    }

    /// Makes the function, if that is wanted and can be. Loops in threads must be functions already.
    pub fn set(&self, pass: Pass<'p>) -> bool {
        pass.set_aside(self.start, [self.after, self.original], self.memory.as_slice())
    }
}

/// New loops that are in the function.
pub struct Emitted<'p> {
    /// How much code was written.
    pub growth: Growth,
    /// What is to run in threads and does not yet.
    pub forks: Vec<Fork<'p>>,
    /// The versions of the loops.
    pub versions: Vec<Aside<'p>>,
}

/// Writes the new loops and the check. The function is changed. Of two versions the second is for when the first part of the
/// check holds ([`Check::weak`]).
pub fn emit<'p>(
    pass: Pass<'p>,
    lifted: &Lifted<'p>,
    prepared: &Prepared<'p>,
    versions: &[Loops<'_>],
    memory: &PanelMemory<'p>,
    (check, counting): (&Check, Option<&Formats>),
) -> Result<Emitted<'p>, Failure> {
    let builder = Builder::new(pass);
    let emitter = |loops| Emitter::new((pass, lifted), prepared, &builder, loops);
    let mut emitters: Vec<_> = versions.iter().map(emitter).collect();
    let written = catch_unwind(AssertUnwindSafe(|| {
        let quick = check.quick().filter(|_| counting.is_none() && versions.len() == 1);
        let checked = emitters.first_mut()?.write_all_of(check, quick)?;
        let written = emitters.iter_mut().zip(versions).map(|(emitter, loops)| emitter.write(loops, memory));
        let versions = written.collect::<Option<Vec<_>>>()?;
        Some(Written { checked, exit: emitters.first()?.exit()?, versions })
    }));
    let (Ok(Some(written)), Some(first)) = (written, emitters.first()) else {
        // Nothing leads to the new blocks yet: without them the function does what it did.
        pass.delete_blocks(&builder.created());
        return Err(Failure::Undone);
    };
    let own = size_of(region_blocks(lifted.region));
    let after = first.join(&written, check, counting);
    let check_apart = Some(written.checked.place).filter(|place| *place != prepared.entering);
    let aside = |(version, emitter): (&Version<'p>, &Emitter<'_, 'p>)| Aside {
        question: check_apart.map(|_| prepared.before),
        start: check_apart.unwrap_or(version.start),
        after,
        original: prepared.entering,
        memory: emitter.panels.memory(),
    };
    let versions = written.versions.iter().zip(&emitters).map(aside).collect();
    let slots: Vec<_> = emitters.iter().flat_map(Emitter::all_slots).collect();
    pass.promote(&slots);
    let forks = emitters.iter().flat_map(|emitter| emitter.forked.iter().cloned()).collect();
    match pass.verify() {
        Some(message) => Err(Failure::Broken(message)),
        None => Ok(Emitted { growth: Growth { own, added: size_of(builder.created()) }, forks, versions }),
    }
}

fn size_of<'p>(blocks: impl IntoIterator<Item = Block<'p>>) -> CodeSize {
    let counts: Vec<_> = blocks.into_iter().map(|block| block.insts().count()).collect();
    CodeSize { blocks: counts.len(), instructions: counts.iter().sum() }
}

/// The check as values before the region.
struct Checked<'p> {
    /// Whether all assumptions hold.
    holds: Value<'p>,
    /// Whether the first holds, whether the first two do, and so on; not known where the check has a quick part.
    held: Vec<Value<'p>>,
    /// Whether those hold without which rows must not be looked at or the rest is not worth a look, and where that begins.
    scan: Option<(Value<'p>, Block<'p>)>,
    /// At whose end it is known: `entering`, or a block before that leads there where the check does not hold.
    place: Block<'p>,
}

/// New code that nothing leads to yet.
struct Written<'p> {
    checked: Checked<'p>,
    /// The block that the region leads to.
    exit: Block<'p>,
    /// The loops; if there is a weaker version, it is the second.
    versions: Vec<Version<'p>>,
}

/// One version of the loops.
pub(super) struct Version<'p> {
    /// Its first block.
    pub(super) start: Block<'p>,
    /// Its last block, which has no terminator yet.
    pub(super) end: Block<'p>,
    /// The values that the phis of the exit block get.
    pub(super) phis: Vec<(Inst<'p>, Value<'p>)>,
    /// The values that take the place of instructions after the region.
    pub(super) live: Vec<(Inst<'p>, Value<'p>)>,
}

/// Writes the code of one model.
pub(super) struct Emitter<'a, 'p> {
    pub(super) pass: Pass<'p>,
    pub(super) lifted: &'a Lifted<'p>,
    pub(super) rewrite: Option<&'a Rewrite>,
    pub(super) prepared: &'a Prepared<'p>,
    pub(super) values: Values<'a, 'p>,
    /// The accesses of each statement's instructions, by the statement's number in the model that the loops are of.
    pub(super) links: Vec<Links<'p>>,
    pub(super) facts: Facts<'p>,
    pub(super) scratch: Memory<'p>,
    pub(super) places: &'a Places,
    /// Bits of the widest vector.
    pub(super) widest_bits: u32,
    /// Bits of the vectors that LLVM makes unless it is told otherwise.
    pub(super) preferred_bits: u32,
    /// Whether a loaded value is spread over a vector without the units that multiply and add.
    pub(super) spreads_for_nothing: bool,
    slots: Vec<Slot<'p>>,
    /// Cells in registers while rows are written out.
    pub(super) in_registers: Vec<Kept<'p>>,
    /// The slots of all that ever were.
    more_slots: RefCell<Vec<Value<'p>>>,
    /// What is found out about arrays of rows, by their number.
    scans: BTreeMap<usize, Scan<'p>>,
    pub(super) variables: HashMap<Variable, Value<'p>>,
    /// The innermost loop around what is written.
    pub(super) innermost: Option<Around>,
    pub(super) panels: Panels<'p>,
    /// Whether the operands of blocks may be kept: nothing overlaps.
    pub(super) may_have_panels: bool,
    /// When marked loops run in threads.
    pub(super) forks: Forks,
    /// Whether what is written runs in threads.
    pub(super) is_in_threads: bool,
    /// What is to run in threads.
    pub(super) forked: Vec<Fork<'p>>,
}

/// Where a scalar or a phi's cell is on the stack.
struct Slot<'p> {
    source: ArraySource<'p>,
    address: Value<'p>,
    ty: Type<'p>,
}

/// An instance of a statement while it is written.
struct Instance<'p> {
    /// The statement of the lifted model.
    id: StmtId,
    /// The statement of the model that the loops are of.
    new: StmtId,
    /// The counters of the lifted model.
    counters: Vec<Value<'p>>,
    /// Those of the model that the loops are of.
    own: Vec<Value<'p>>,
    /// What takes the place of its instructions.
    copies: HashMap<Inst<'p>, Value<'p>>,
    /// What takes the place of a hammock's inner blocks and of its join.
    blocks: HashMap<Block<'p>, Block<'p>>,
    /// Values that go to cells of arrays when all else is done.
    deferred: Vec<(AccessId, Value<'p>)>,
}

/// A forwarded operand tree while it is written.
struct Tree<'a, 'p> {
    made: HashMap<String, Value<'p>>,
    stmt: &'a Stmt,
}

impl<'a, 'p> Emitter<'a, 'p> {
    fn new(
        (pass, lifted): (Pass<'p>, &'a Lifted<'p>),
        prepared: &'a Prepared<'p>,
        builder: &'a Builder<'p>,
        loops: &Loops<'a>,
    ) -> Self {
        let scratch = loops.rewrite.map_or(0, |rewrite| rewrite.scop.arrays.len() - lifted.arrays.len());
        Emitter {
            pass,
            lifted,
            rewrite: loops.rewrite,
            prepared,
            values: Values {
                builder,
                hoisted: &prepared.hoisted,
                scevs: &lifted.scevs,
                around: lifted.around,
                next: HashMap::new(),
                sums: HashMap::new(),
                head: None,
            },
            links: loops.rewrite.map_or_else(|| lifted.links.clone(), |rewrite| rewrite.links(&lifted.links)),
            facts: Facts::new(pass, &lifted.arrays, loops.overlap, scratch),
            scratch: Memory::default(),
            places: loops.places,
            widest_bits: pass.target().widest_bits,
            preferred_bits: pass.target().vector_bits,
            spreads_for_nothing: spreads_for_nothing(pass),
            slots: Vec::new(),
            in_registers: Vec::new(),
            more_slots: RefCell::default(),
            scans: BTreeMap::new(),
            variables: HashMap::new(),
            innermost: None,
            panels: Panels::default(),
            may_have_panels: loops.overlap.is_empty(),
            forks: loops.forks,
            is_in_threads: false,
            forked: Vec::new(),
        }
    }
}

impl<'p> Emitter<'_, 'p> {
    pub(super) fn builder(&self) -> &Builder<'p> {
        self.values.builder
    }

    /// Slots that only this version has are made with it.
    fn write_all_of(&mut self, check: &Check, quick: Option<usize>) -> Option<Checked<'p>> {
        self.make_scans()?;
        let is_plain = self.scans.is_empty() && !needs_heap(self.rewrite);
        match quick.filter(|_| is_plain && self.prepared.before != self.prepared.entering) {
            Some(quick) => self.write_quick_check(check, quick),
            None => self.write_check(check),
        }
    }

    fn write(&mut self, loops: &Loops<'_>, memory: &PanelMemory<'p>) -> Option<Version<'p>> {
        if loops.are_own
            && let Some(copy) = self.write_copy()
        {
            return Some(copy);
        }
        self.make_slots()?;
        self.make_panels(loops.nodes, memory);
        let start = self.builder().block(c"orthant.start");
        self.builder().at_end(start);
        self.write_initial_values();
        self.place_scratch()?;
        self.nodes(loops.nodes)?;
        self.free_scratch();
        let exit = self.exit()?;
        let (phis, live) = (self.exit_phis(exit)?, self.live_out(exit)?);
        Some(Version { start, end: self.builder().here(), phis, live })
    }

    /// Leads control into the new code and out of it, to the block that is returned.
    fn join(&self, written: &Written<'p>, check: &Check, counting: Option<&Formats>) -> Block<'p> {
        let merge = self.pass.split_exiting(written.exit, &self.prepared.blocks);
        let escapes = written.versions.first().map(|version| &version.live).into_iter().flatten();
        let escape =
            |(inst, _): &(Inst<'p>, Value<'p>)| self.pass.escape(*inst, merge, &self.prepared.blocks);
        let merged: Vec<_> = escapes.map(escape).collect();
        written.versions.iter().for_each(|version| self.leave_version(version, merge, &merged));
        if let Some(old) = written.checked.place.terminator() {
            if let Some(formats) = counting {
                self.pass.count(old, &written.checked.held, formats);
            }
            self.builder().before(old);
            self.choose(written, check.weak);
            self.builder().erase(old);
        }
        if let (Some((holds, scan)), Some(old)) = (written.checked.scan, self.prepared.before.terminator()) {
            let holds = self.pass.freeze(holds, self.prepared.before);
            self.builder().before(old);
            self.builder().branch(holds, scan, self.prepared.entering);
            self.builder().erase(old);
        }
        self.pass.forget_lifetimes(&self.prepared.blocks);
        merge
    }

    /// Leads from the end of a version to where all versions meet; `merged`: what takes the place of its live values there.
    fn leave_version(&self, version: &Version<'p>, merge: Block<'p>, merged: &[Value<'p>]) {
        self.builder().at_end(version.end);
        self.builder().jump(merge);
        for (phi, value) in &version.phis {
            let merged = phi.incoming().into_iter().find(|(_, from)| *from == merge);
            if let Some((merged, _)) = merged {
                self.builder().add_incoming(merged, *value, version.end);
            }
        }
        for (merged, (_, value)) in merged.iter().zip(&version.live) {
            self.builder().add_incoming(*merged, *value, version.end);
        }
    }

    /// The branch to the loops, where the check is known. The original's way in stays as it is: the choice between
    /// versions comes after it.
    fn choose(&self, written: &Written<'p>, weak: Option<usize>) {
        let Checked { holds, held, place, .. } = &written.checked;
        let Prepared { entering, entry, .. } = *self.prepared;
        let original = if *place == entering { entry } else { entering };
        // The addresses that are compared may be undefined where the program does not use them.
        let settled = |value: Value<'p>| self.pass.freeze(value, *place);
        let b = self.builder();
        match (&written.versions[..], weak) {
            ([strong, second], Some(enough)) => {
                let enough = enough.checked_sub(1).and_then(|last| held.get(last).copied());
                let enough = settled(enough.unwrap_or_else(|| b.constant(b.int(1), 1)));
                let holds = settled(*holds);
                let choice = b.block(c"orthant.choice");
                b.branch(enough, choice, original);
                b.at_end(choice);
                b.branch(holds, strong.start, second.start);
            }
            (versions, _) => {
                if let Some(version) = versions.first() {
                    b.branch(settled(*holds), version.start, original);
                }
            }
        }
    }

    fn all_slots(&self) -> Vec<Value<'p>> {
        let scans = self.scans.values().flat_map(|scan| scan.slots());
        let scans = scans.chain(self.scratch.slots()).chain(self.panels.slots());
        let scans = scans.chain(self.more_slots.borrow().clone());
        self.slots.iter().map(|slot| slot.address).chain(scans).collect()
    }

    /// Slots for what is found out about rows.
    fn make_scans(&mut self) -> Option<()> {
        let first = self.pass.blocks().first()?.insts().next()?;
        self.builder().before(first);
        for (index, source) in self.lifted.arrays.iter().enumerate() {
            if let ArraySource::Rows(_) = source {
                self.scans.insert(index, Scan::new(self.values.builder));
            }
        }
        self.make_scratch()
    }

    /// One stack slot for each scalar and each phi's cell.
    fn make_slots(&mut self) -> Option<()> {
        let first = self.pass.blocks().first()?.insts().next()?;
        self.builder().before(first);
        let inner = self.lifted.bodies.iter().flat_map(|body| body.inner_phis()).map(ArraySource::Phi);
        for source in self.lifted.arrays.iter().copied().chain(inner) {
            if let ArraySource::Scalar(inst) | ArraySource::Phi(inst) = source {
                let ty = self.builder().type_of(inst.value());
                self.slots.push(Slot { source, address: self.builder().slot(ty), ty });
            }
        }
        Some(())
    }

    /// Another slot, made while code is written.
    pub(super) fn new_slot(&self, ty: Type<'p>) -> Option<Value<'p>> {
        let (b, here) = (self.builder(), self.builder().here());
        b.before(self.pass.blocks().first()?.insts().next()?);
        let slot = b.slot(ty);
        b.at_end(here);
        self.more_slots.borrow_mut().push(slot);
        Some(slot)
    }

    /// Whether all assumptions hold. The first ones say whether there is much to do, at the end of `before`; only then the others are
    /// looked at, in a block of their own, which can be set aside with the loops.
    fn write_quick_check(&self, check: &Check, quick: usize) -> Option<Checked<'p>> {
        let (first, rest) = check.conjuncts.split_at(quick);
        let b = self.builder();
        let (params, arrays) = (&self.prepared.params[..], &self.lifted.arrays[..]);
        let known = RefCell::default();
        let writer = Writer { values: &self.values, params, arrays, scans: &self.scans, known };
        b.before(self.prepared.before.terminator()?);
        let is_enough = *writer.write(first)?.last()?;
        let place = b.block(c"orthant.check");
        b.at_end(place);
        let holds = *writer.write(rest)?.last()?;
        b.jump(self.prepared.entering);
        // That there is much to do tells that loops run; if LLVM used that, the original would have two ways in and other code.
        self.pass.keep_whole(self.prepared.entering);
        Some(Checked { holds, held: Vec::new(), scan: Some((is_enough, place)), place })
    }

    /// Whether all assumptions hold, computed at the end of `entering`. Where there are rows to be looked at: after a part
    /// that is computed at the end of `before`, and the blocks in between.
    fn write_check(&self, check: &Check) -> Option<Checked<'p>> {
        let b = self.builder();
        let (params, arrays) = (&self.prepared.params[..], &self.lifted.arrays[..]);
        let known = RefCell::default();
        let writer = Writer { values: &self.values, params, arrays, scans: &self.scans, known };
        let is_early = |conjunct: &&Conjunct| !matches!(conjunct.test, Test::Rows(_) | Test::Apart(_));
        let early = check.conjuncts.iter().take_while(is_early).count();
        let (early, late) = check.conjuncts.split_at(early);
        b.before(self.prepared.before.terminator()?);
        let all = |held: &[Value<'p>]| held.last().copied().unwrap_or_else(|| writer.truth(true));
        let mut held = writer.write(early)?;
        let first = all(&held);
        let mut holds = first;
        let rows = late.iter().filter_map(|conjunct| conjunct.test.rows());
        let rows: Vec<_> = rows.collect();
        let mut scan = None;
        if !rows.is_empty() {
            self.scans.values().for_each(|scan| scan.clear(b, false));
            let block = b.block(c"orthant.scan");
            scan = Some((holds, block));
            b.at_end(block);
            rows.into_iter().try_for_each(|rows| writer.scan(rows))?;
            b.jump(self.prepared.entering);
            b.before(self.prepared.entering.terminator()?);
            holds = b.constant(b.int(1), 1);
        }
        let apart = writer.write(late)?;
        held.extend(apart.iter().map(|apart| b.select(first, *apart, writer.truth(false))));
        let mut holds = b.select(holds, all(&apart), writer.truth(false));
        if needs_heap(self.rewrite) {
            let (block, has_memory) = self.allocate()?;
            scan = Some((holds, block));
            holds = has_memory;
        }
        Some(Checked { holds, held, scan, place: self.prepared.entering })
    }

    /// Phis at the region's entry have a first value that no statement writes; the other slots have none, which is said
    /// so that no old content is carried along.
    fn write_initial_values(&self) {
        let inside: HashSet<_> = self.prepared.blocks.iter().copied().collect();
        for Slot { source, address, ty } in &self.slots {
            self.builder().store(self.builder().poison(*ty), *address);
            if let ArraySource::Phi(phi) = source
                && inside.contains(&phi.block())
            {
                let from_outside = phi.incoming().into_iter().find(|(_, from)| !inside.contains(from));
                if let Some((value, _)) = from_outside {
                    self.builder().store(value, *address);
                }
            }
        }
    }

    /// The slot of a scalar or a phi.
    fn slot(&self, source: ArraySource<'p>) -> Option<&Slot<'p>> {
        self.slots.iter().find(|slot| slot.source == source)
    }

    fn load_slot(&self, source: ArraySource<'p>) -> Option<Value<'p>> {
        let slot = self.slot(source)?;
        Some(self.builder().load(slot.ty, slot.address))
    }

    fn nodes(&mut self, nodes: &[Node]) -> Option<()> {
        nodes.iter().try_for_each(|node| match node {
            Node::For(l) => match self.block_of(l) {
                Some(block) => self.write_block(l, &block),
                None if l.runs_once => self.once(l),
                None if self.forks_at(l) => self.in_threads(l),
                None => self.for_loop(l),
            },
            Node::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            Node::Stmt { id, counters } => self.stmt(*id, counters),
        })
    }

    pub(super) fn expr(&self, expr: &Expr) -> Option<Value<'p>> {
        self.values.expr(expr, &self.variables, &self.prepared.params)
    }

    fn once(&mut self, l: &For) -> Option<()> {
        let only = self.expr(&l.first)?;
        self.variables.insert(l.variable, only);
        self.nodes(&l.body)
    }

    /// A loop with its test at the end, behind a test whether it runs at all.
    fn for_loop(&mut self, l: &For) -> Option<()> {
        let (first, last) = (self.expr(&l.first)?, self.expr(&l.last)?);
        let after = self.builder().block(c"orthant.after");
        let runs = self.builder().compare(LLVMIntSLE, first, last);
        self.rounds(l, &Rounds { first, last, strides: None }, runs, after)
    }

    /// The iterations of a loop, if it runs.
    pub(super) fn rounds(
        &mut self,
        l: &For,
        rounds: &Rounds<'p>,
        runs: Value<'p>,
        after: Block<'p>,
    ) -> Option<()> {
        let preheader = self.builder().block(c"orthant.preheader");
        self.builder().branch(runs, preheader, after);
        self.builder().at_end(preheader);
        self.forget_panels();
        if let Some(end) = l.together {
            self.at_once(l, rounds, end)?;
            self.builder().jump(after);
            self.builder().at_end(after);
            return Some(());
        }
        if is_whole_strip(l) {
            self.keep_cells(l, rounds.first)?;
        }
        let head = self.builder().block(c"orthant.loop");
        self.builder().jump(head);
        self.builder().at_end(head);
        let variable = self.builder().phi(self.builder().int(64));
        self.builder().add_incoming(variable, rounds.first, preheader);
        self.variables.insert(l.variable, variable);
        // Not at the end: the body may use it, and LLVM then sees what one iteration leaves for the next.
        let stride = rounds.strides.map(|strides| {
            let stride = self.builder().phi(self.builder().int(64));
            self.builder().add_incoming(stride, strides.first, preheader);
            stride
        });
        let next = match stride {
            Some(stride) => self.builder().binary(LLVMAdd, variable, stride),
            None => {
                let next = self.builder().exact(LLVMAdd, variable, self.builder().index(l.step));
                self.values.next.insert(variable, (l.step, next));
                next
            }
        };
        let group = l.is_vector.then(|| self.facts.open());
        let around = self.innermost.replace(Around::of(l));
        let outer_head = std::mem::replace(&mut self.values.head, skewed_head(l, preheader));
        self.nodes(&l.body)?;
        (self.innermost, self.values.head) = (around, outer_head);
        let is_fixed = is_whole_strip(l);
        let b = self.builder();
        let goes_on = match stride {
            // The next value may be beyond all numbers.
            Some(stride) => b.compare(LLVMIntUGE, b.binary(LLVMSub, rounds.last, variable), stride),
            // LLVM then knows how many there are, whatever it knows of the first.
            None if is_fixed && l.step == 1 => b.compare(LLVMIntNE, variable, rounds.last),
            None => b.compare(LLVMIntSLE, next, rounds.last),
        };
        let latch = b.here();
        if let (Some(stride), Some(strides)) = (stride, rounds.strides) {
            b.add_incoming(stride, b.binary(LLVMSub, strides.both, stride), latch);
        }
        let end = if self.in_registers.is_empty() { after } else { b.block(c"orthant.end") };
        b.branch(goes_on, head, end);
        b.add_incoming(variable, next, latch);
        if let Some(group) = group {
            self.facts.close(group, latch, is_row_of_tile(l) || self.ends_with_tile(&l.last));
        } else if l.strip.is_some() {
            self.facts.rows(latch, is_fixed);
        } else if matches!(&l.body[..], [Node::For(rows)] if rows.strip.is_some()) {
            // Of as many rows there is enough to do without several iterations at once.
            self.facts.rows(latch, false);
        }
        if !self.in_registers.is_empty() {
            self.builder().at_end(end);
            self.store_kept();
            self.builder().jump(after);
        }
        self.builder().at_end(after);
        Some(())
    }

    /// Whether a loop with this last value ends with a tile around it, if not earlier: it is too short to do several vectors at once.
    fn ends_with_tile(&self, last: &Expr) -> bool {
        match last {
            Expr::Op(Op::Min, ends) => ends.iter().any(|end| self.ends_with_tile(end)),
            Expr::Op(Op::Add, sum) => match sum[..] {
                [Expr::Variable(tile), Expr::Int(more)] => {
                    let next = self.variables.get(&tile).and_then(|tile| self.values.next.get(tile));
                    ROW_OF_TILE.contains(&more) && next.is_some_and(|(step, _)| *step > 1)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// All iterations of a loop at once.
    fn at_once(&mut self, l: &For, rounds: &Rounds<'p>, end: Variable) -> Option<()> {
        self.variables.insert(l.variable, rounds.first);
        let last = self.end_of(l, rounds.first, rounds.last);
        self.variables.insert(end, last);
        self.nodes(&l.body)
    }

    /// The end of the last of the iterations from `first` to `last`.
    pub(super) fn end_of(&self, l: &For, first: Value<'p>, last: Value<'p>) -> Value<'p> {
        let b = self.builder();
        let after = b.binary(LLVMURem, b.binary(LLVMSub, last, first), b.index(l.step));
        b.binary(LLVMAdd, b.binary(LLVMSub, last, after), b.index(l.step - 1))
    }

    fn branch(&mut self, condition: &Expr, then: &[Node], otherwise: &[Node]) -> Option<()> {
        let holds = self.values.truth(self.expr(condition)?);
        let [yes, no, after] =
            [c"orthant.then", c"orthant.else", c"orthant.join"].map(|name| self.builder().block(name));
        self.builder().branch(holds, yes, no);
        for (block, nodes) in [(yes, then), (no, otherwise)] {
            self.builder().at_end(block);
            self.nodes(nodes)?;
            self.builder().jump(after);
        }
        self.builder().at_end(after);
        Some(())
    }

    /// The value of a counter; if it is a sum, its parts are kept for addresses.
    fn counter(&mut self, counter: &Expr) -> Option<Value<'p>> {
        let value = self.fixed(counter, false)?;
        if let Some(innermost) = self.innermost.map(|around| around.variable)
            && let Some((constant, others)) = sum(counter, innermost)
        {
            let others = others.into_iter().map(|(expr, is_negative)| self.fixed(expr, is_negative));
            let others = others.collect::<Option<_>>()?;
            let variable = *self.variables.get(&innermost)?;
            self.values.sums.insert(value, Sum { variable, constant, others });
        }
        Some(value)
    }

    /// An expression or its negative; what a skewed vector loop does not change is computed before it.
    fn fixed(&mut self, expr: &Expr, is_negative: bool) -> Option<Value<'p>> {
        let b = self.builder();
        let write = || {
            let value = self.expr(expr)?;
            Some(if is_negative { b.binary(LLVMSub, b.index(0), value) } else { value })
        };
        let is_moving = self.innermost.is_none_or(|around| expr.mentions(around.variable));
        let Some(head) = self.values.head.as_ref().filter(|_| !is_moving) else { return write() };
        let value = self.values.in_head(head, write);
        let mut head = self.values.head.take()?;
        head.fixed.extend(value);
        self.values.head = Some(head);
        value
    }

    /// One instance of a statement.
    fn stmt(&mut self, id: StmtId, counters: &[Expr]) -> Option<()> {
        let own = self.counters(counters)?;
        let (new, Some(id)) = (id, self.old(id)) else { return self.write_new(id, &own) };
        let old = self.rewrite.and_then(|rewrite| rewrite.stmts[new.index()].strip.map(|_| rewrite));
        let counters = match old {
            Some(rewrite) => self.counters(&rewrite.old_counters(new, counters)?)?,
            None => own.clone(),
        };
        let body = &self.lifted.bodies[id.index()];
        let (copies, deferred) = Default::default();
        let blocks = self.copied_blocks(body);
        let mut instance = Instance { id, new, counters, own, copies, blocks, deferred };
        self.read_ahead(&mut instance)?;
        for part in &body.parts {
            if let Some(&copy) = instance.blocks.get(&part.block) {
                self.builder().at_end(copy);
            }
            self.part(part, &mut instance)?;
            if body.join.is_some() {
                self.leave(part, &instance)?;
            }
        }
        if let Some(join) = body.join {
            self.builder().at_end(instance.blocks[&join]);
        }
        self.write_behind(&instance)
    }

    fn counters(&mut self, counters: &[Expr]) -> Option<Vec<Value<'p>>> {
        counters.iter().map(|counter| self.counter(counter)).collect()
    }

    /// A statement that the lifted model does not have: what its body says is stored, and nothing else.
    fn write_new(&self, id: StmtId, counters: &[Value<'p>]) -> Option<()> {
        let (rewrite, b) = (self.rewrite?, self.builder());
        let body = &rewrite.scop.stmt(id).body;
        let [(write, value)] = &body.stored[..] else { return None };
        let place_of = |access| rewrite.stmts[id.index()].places.get(access);
        let to = place_of(write)?;
        // Bits, whatever they stand for.
        let ty = b.int(u32::try_from(to.cell_bytes * 8).ok()?);
        let value = match value {
            _ if !body.ops.is_empty() => return None,
            Operand::Read(read) => {
                let (address, touched, alignment) = self.address(place_of(read)?, counters, true)?;
                let load = b.load_at(ty, address, alignment);
                self.facts.annotate(load, touched);
                load
            }
            Operand::Outside(name) if name == Whole::ZERO => b.zero(ty),
            _ => return None,
        };
        let (address, touched, alignment) = self.address(to, counters, true)?;
        let store = b.store_at(value, address, alignment);
        self.facts.annotate(store, touched);
        Some(())
    }

    /// A block for each inner block of a hammock, and one for what follows it.
    fn copied_blocks(&self, body: &Body<'p>) -> HashMap<Block<'p>, Block<'p>> {
        let inner =
            body.parts.iter().skip(1).map(|part| (part.block, self.builder().block(c"orthant.inner")));
        let mut blocks: HashMap<_, _> = inner.collect();
        blocks.extend(body.join.map(|join| (join, self.builder().block(c"orthant.joined"))));
        blocks
    }

    /// What is executed of one block: its reads, its instructions, then its writes to phis' cells.
    fn part(&self, part: &Part<'p>, instance: &mut Instance<'p>) -> Option<()> {
        let links = &self.links[instance.new.index()];
        for &inst in &part.insts {
            let is_executed = self.rewrite.is_none_or(|rewrite| rewrite.executes(instance.new, links, inst));
            let copy = match instance.copies.get(&inst) {
                Some(&known) => known,
                None if is_executed => self.inst(inst, instance)?,
                None => continue,
            };
            instance.copies.insert(inst, copy);
            if self.slot(ArraySource::Scalar(inst)).is_some() {
                self.write_cell(ArraySource::Scalar(inst), links.scalar_writes.get(&inst), copy, instance)?;
            }
        }
        self.phi_writes(part, instance)
    }

    /// Writes a scalar or a phi's cell: its slot, or later the cell that it became.
    fn write_cell(
        &self,
        source: ArraySource<'p>,
        access: Option<&AccessId>,
        value: Value<'p>,
        instance: &mut Instance<'p>,
    ) -> Option<()> {
        if let (Some(rewrite), Some(&access)) = (self.rewrite, access) {
            if rewrite.scop.stmt(instance.new).access(access).is_none() {
                return Some(());
            }
            if rewrite.stmts[instance.new.index()].places.contains_key(&access) {
                instance.deferred.push((access, value));
                return Some(());
            }
        }
        self.builder().store(value, self.slot(source)?.address);
        Some(())
    }

    /// The branch at the end of a block of a hammock.
    fn leave(&self, part: &Part<'p>, instance: &Instance<'p>) -> Option<()> {
        let branch = part.block.terminator()?;
        let condition = match branch.condition() {
            Some(condition) => Some(self.operand(condition, instance, false)?),
            None => None,
        };
        let targets = part.block.successors().into_iter().map(|next| instance.blocks.get(&next).copied());
        self.builder().copy_branch(branch, condition, &targets.collect::<Option<Vec<_>>>()?);
        Some(())
    }

    fn inst(&self, inst: Inst<'p>, instance: &Instance<'p>) -> Option<Value<'p>> {
        if inst.opcode() == LLVMPHI {
            return self.load_slot(ArraySource::Phi(inst));
        }
        if let Some(kept) = self.links[instance.new.index()].memory.get(&inst)
            && let Some(kept) = self.kept(instance.new, *kept)
        {
            return self.inst_in_register(inst, kept, instance);
        }
        if let Some(place) = self.moved(inst, instance) {
            return self.inst_at(inst, place, instance);
        }
        let touched = self.lifted.memory.get(&inst).copied();
        let is_exact = touched.is_some_and(|touched| touched.is_exact);
        let operand = |value| self.operand(value, instance, is_exact);
        let operands = inst.operands().into_iter().map(operand).collect::<Option<Vec<_>>>()?;
        let copy = self.copy(inst, &operands);
        if let Some(touched) = touched {
            self.facts.annotate(copy, touched);
        }
        Some(copy)
    }

    /// Where the cell of a load or store is, if the lifted model has it elsewhere.
    fn moved(&self, inst: Inst<'p>, instance: &Instance<'p>) -> Option<&Place> {
        let access = self.links[instance.new.index()].memory.get(&inst)?;
        self.rewrite?.stmts[instance.new.index()].places.get(access)
    }

    /// A load or store of a cell that the lifted model has elsewhere.
    fn inst_at(&self, inst: Inst<'p>, place: &Place, instance: &Instance<'p>) -> Option<Value<'p>> {
        let (address, touched, alignment) = self.cell(place, instance)?;
        let b = self.builder();
        let (access, value) = match inst.opcode() {
            LLVMLoad => {
                let load = b.load_at(b.type_of(inst.value()), address, alignment);
                (load, load)
            }
            LLVMStore => {
                let value = self.operand(*inst.operands().first()?, instance, false)?;
                (b.store_at(value, address, alignment), value)
            }
            _ => return None,
        };
        self.facts.annotate(access, touched);
        Some(value)
    }

    /// A load or store of a cell that is in a register.
    fn inst_in_register(
        &self,
        inst: Inst<'p>,
        kept: &Kept<'p>,
        instance: &Instance<'p>,
    ) -> Option<Value<'p>> {
        if inst.opcode() == LLVMLoad {
            return Some(self.builder().load(kept.ty, kept.slot));
        }
        let value = self.operand(*inst.operands().first()?, instance, false)?;
        self.builder().store(value, kept.slot);
        Some(value)
    }

    /// A copy of an instruction. Partial results of a reduction are others in another order, and may overflow.
    pub(super) fn copy(&self, inst: Inst<'p>, operands: &[Value<'p>]) -> Value<'p> {
        let copy = self.builder().copy(inst, operands);
        if self.lifted.reduced.contains(&inst) {
            self.builder().may_overflow(copy);
        }
        copy.value()
    }

    /// The statement of the lifted model.
    pub(super) fn old(&self, id: StmtId) -> Option<StmtId> {
        match self.rewrite {
            Some(rewrite) => rewrite.stmts[id.index()].old,
            None => Some(id),
        }
    }

    fn operand(&self, value: Value<'p>, instance: &Instance<'p>, is_exact: bool) -> Option<Value<'p>> {
        let Some(inst) = value.inst() else { return Some(value) };
        if !self.lifted.scope.contains(&inst.block()) {
            return Some(value);
        }
        if let Some(&copy) = instance.copies.get(&inst) {
            return Some(copy);
        }
        let chain = &self.lifted.chains[instance.id.index()];
        if let Some(scev) = self.lifted.expression(value, chain) {
            return self.values.scev(&scev, chain, &instance.counters, is_exact);
        }
        self.load_slot(ArraySource::Scalar(inst))
    }

    /// All values are read before the first is written: phis may exchange theirs.
    fn phi_writes(&self, part: &Part<'p>, instance: &mut Instance<'p>) -> Option<()> {
        let links = &self.links[instance.new.index()];
        let is_written = |(phi, _): &&(Inst<'p>, Value<'p>)| match (self.rewrite, links.phi_writes.get(phi)) {
            (Some(rewrite), Some(id)) => rewrite.scop.stmt(instance.new).access(*id).is_some(),
            _ => true,
        };
        let read =
            |(phi, value): &(Inst<'p>, Value<'p>)| Some((*phi, self.operand(*value, instance, false)?));
        let values = part.phi_writes.iter().filter(is_written).map(read).collect::<Option<Vec<_>>>()?;
        for (phi, value) in values {
            self.write_cell(ArraySource::Phi(phi), links.phi_writes.get(&phi), value, instance)?;
        }
        Some(())
    }

    /// Loads what the statement reads from cells that the lifted model reads from elsewhere, and computes what takes the
    /// place of reads that are gone.
    fn read_ahead(&self, instance: &mut Instance<'p>) -> Option<()> {
        let Some(rewrite) = self.rewrite else { return Some(()) };
        let (stmt, new) = (rewrite.scop.stmt(instance.new), &rewrite.stmts[instance.new.index()]);
        let links = &self.links[instance.new.index()];
        for read in stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if let (Some(place), Some(inst)) = (new.places.get(&read.id), links.read(read.id)) {
                let ty = self.builder().type_of(inst.value());
                let value = self.load_place(read.id, place, ty, instance)?;
                instance.copies.insert(inst, value);
            }
        }
        let mut tree = Tree { made: HashMap::new(), stmt };
        for (read, source) in &new.replaced {
            let inst = links.read(*read)?;
            if let Some(value) = self.source(source, inst.value(), &mut tree, instance)? {
                instance.copies.insert(inst, value);
            }
        }
        Some(())
    }

    /// A value of a forwarded tree; the inner `None`: nobody needs it any more.
    fn source(
        &self,
        source: &Source,
        like: Value<'p>,
        tree: &mut Tree<'_, 'p>,
        instance: &Instance<'p>,
    ) -> Option<Option<Value<'p>>> {
        match source {
            Source::Outside(name) if name == Whole::ZERO => {
                Some(Some(self.builder().zero(self.builder().type_of(like))))
            }
            Source::Outside(name) => Some(Some(self.lifted.outside.find(name)?)),
            Source::Load(id) if tree.stmt.access(*id).is_none() => Some(None),
            Source::Load(id) => {
                let place = self.rewrite?.stmts[instance.new.index()].places.get(id)?;
                self.load_place(*id, place, self.builder().type_of(like), instance).map(Some)
            }
            Source::Op(name) if op_named(tree.stmt, name).is_none() => Some(None),
            Source::Op(name) => self.copied_op(name, tree, instance).map(Some),
        }
    }

    fn copied_op(&self, name: &str, tree: &mut Tree<'_, 'p>, instance: &Instance<'p>) -> Option<Value<'p>> {
        if let Some(&made) = tree.made.get(name) {
            return Some(made);
        }
        let (from, from_op) = self.rewrite?.stmts[instance.new.index()].copies.get(name)?;
        let inst = *self.lifted.links[from.index()].ops.get(from_op)?;
        let (op, originals) = (op_named(tree.stmt, name)?, inst.operands());
        let mut operands = Vec::new();
        for (operand, original) in op.operands.iter().zip(originals) {
            let source = match operand {
                Operand::Read(id) => Source::Load(*id),
                Operand::Op(index) => Source::Op(tree.stmt.body.ops[*index].name.clone()),
                Operand::Outside(name) => Source::Outside(name.clone()),
            };
            operands.push(self.source(&source, original, tree, instance)??);
        }
        let copy = self.copy(inst, &operands);
        tree.made.insert(name.to_owned(), copy);
        Some(copy)
    }

    /// Stores what became cells of arrays.
    fn write_behind(&self, instance: &Instance<'p>) -> Option<()> {
        for (access, value) in &instance.deferred {
            let place = self.rewrite?.stmts[instance.new.index()].places.get(access)?;
            if let Some(kept) = self.kept(instance.new, *access) {
                self.builder().store(*value, kept.slot);
                continue;
            }
            let (address, touched, alignment) = self.cell(place, instance)?;
            let store = self.builder().store_at(*value, address, alignment);
            self.facts.annotate(store, touched);
        }
        Some(())
    }

    fn load_place(
        &self,
        access: AccessId,
        place: &Place,
        ty: Type<'p>,
        instance: &Instance<'p>,
    ) -> Option<Value<'p>> {
        if let Some(kept) = self.kept(instance.new, access) {
            return Some(self.builder().load(kept.ty, kept.slot));
        }
        let (address, touched, alignment) = self.cell(place, instance)?;
        let load = self.builder().load_at(ty, address, alignment);
        self.facts.annotate(load, touched);
        Some(load)
    }

    /// The address of a cell that a statement touches, what it is one of, and its alignment.
    fn cell(&self, place: &Place, instance: &Instance<'p>) -> Option<(Value<'p>, Touched, u32)> {
        self.cell_of_twin(place, instance).or_else(|| self.address(place, &instance.own, true))
    }

    /// The same if an instruction of the statement is to that cell: its address.
    fn cell_of_twin(&self, place: &Place, instance: &Instance<'p>) -> Option<(Value<'p>, Touched, u32)> {
        let (new, twin) = (instance.new.index(), place.twin?);
        if self.rewrite?.stmts[new].places.contains_key(&twin) {
            return None;
        }
        let (inst, _) = self.links[new].memory.iter().find(|(_, id)| **id == twin)?;
        let touched = *self.lifted.memory.get(inst).filter(|touched| touched.array == place.array)?;
        let operands = inst.operands();
        let pointer = match inst.opcode() {
            LLVMLoad => *operands.first()?,
            LLVMStore => *operands.get(1)?,
            _ => return None,
        };
        let chain = &self.lifted.chains[instance.id.index()];
        let scev = self.lifted.expression(pointer, chain)?;
        // Under a condition the instruction need not run.
        let is_exact = touched.is_exact && self.lifted.bodies[instance.id.index()].join.is_none();
        let address = self.values.scev(&scev, chain, &instance.counters, is_exact)?;
        let (_, alignment) = cell_facts(self.lifted, place.array, place.cell_bytes);
        Some((address, touched, alignment))
    }

    /// The address of a cell, what it is one of, and its alignment. `is_inside`: the array has such a cell.
    pub(super) fn address(
        &self,
        place: &Place,
        counters: &[Value<'p>],
        is_inside: bool,
    ) -> Option<(Value<'p>, Touched, u32)> {
        let mut base = match self.lifted.arrays.get(place.array.index()) {
            Some(ArraySource::Base(base) | ArraySource::Rows(base)) => *base,
            Some(_) => return None,
            None => self.scratch.base(place.array)?,
        };
        let known: Vec<_> = self.prepared.params.iter().chain(counters).copied().collect();
        let expr = |expr: &Expr| self.values.expr(expr, &HashMap::new(), &known);
        let mut subscripts = place.subscripts.iter();
        let mut cell = match subscripts.next() {
            Some(first) => expr(first)?,
            None => self.builder().index(0),
        };
        let (b, mut is_row) = (self.builder(), false);
        match &place.rows {
            Rows::Even(sizes) => {
                let last = sizes.len().saturating_sub(1);
                for (at, (size, subscript)) in sizes.iter().zip(subscripts).enumerate() {
                    let row = b.binary(LLVMMul, cell, expr(size)?);
                    cell = expr(subscript)?;
                    if at < last {
                        cell = b.binary(LLVMAdd, row, cell);
                    } else {
                        // On its own: LLVM then sees which cells of a row are different ones.
                        let way = b.binary(LLVMMul, row, b.index(place.cell_bytes));
                        (base, is_row) = (b.displace(base, way, false), true);
                    }
                }
            }
            Rows::Packed { growth, slope } => {
                let grown = b.binary(LLVMMul, cell, b.index(*growth));
                let twice = b.binary(LLVMMul, cell, b.binary(LLVMAdd, grown, expr(slope)?));
                let row = b.binary(LLVMAShr, twice, b.index(1));
                cell = b.binary(LLVMAdd, row, expr(subscripts.next()?)?);
            }
            Rows::Anywhere => {
                let place = b.displace(base, b.binary(LLVMMul, cell, b.index(ADDRESS)), false);
                base = b.load_at(b.type_of(base), place, 1);
                cell = expr(subscripts.next()?)?;
            }
        }
        let bytes = self.builder().binary(LLVMMul, cell, self.builder().index(place.cell_bytes));
        let (is_exact, alignment) = self.facts_of(place);
        let address = self.builder().displace(base, bytes, is_exact && is_inside && !is_row);
        Some((address, Touched { array: place.array, is_exact }, alignment))
    }

    /// What is known of addresses of an array's cells, as of [`cell_facts`].
    pub(super) fn facts_of(&self, place: &Place) -> (bool, u32) {
        match self.scratch.base(place.array) {
            Some(_) => (true, self.scratch_alignment(place.cell_bytes)),
            None => cell_facts(self.lifted, place.array, place.cell_bytes),
        }
    }

    /// The block that the region leads to now: a block before the next region may have come between.
    pub(super) fn exit(&self) -> Option<Block<'p>> {
        let successors = self.prepared.blocks.iter().flat_map(|block| block.successors());
        let mut outside: Vec<_> = successors.filter(|block| !self.is_inside(*block)).collect();
        outside.dedup();
        match outside[..] {
            [exit] => Some(exit),
            _ => None,
        }
    }

    /// The values of the exit block's phis. Preparing another region may have added some.
    fn exit_phis(&self, exit: Block<'p>) -> Option<Vec<(Inst<'p>, Value<'p>)>> {
        let phis = exit.insts().take_while(|inst| inst.opcode() == LLVMPHI);
        phis.map(|phi| Some((phi, self.exit_phi(phi)?))).collect()
    }

    fn exit_phi(&self, phi: Inst<'p>) -> Option<Value<'p>> {
        // The phi that lift saw, or one that stands before it since.
        let passes_on = |out: &Exit<'p>| out.inst.incoming().iter().any(|(value, _)| *value == phi.value());
        let known = self.lifted.exit_phis.iter().find(|out| out.inst == phi || passes_on(out));
        if let Some(known) = known {
            return self.exit_value(known.value, ArraySource::Phi(known.inst));
        }
        let mut values: Vec<_> =
            phi.incoming().into_iter().filter(|(_, from)| self.is_inside(*from)).collect();
        values.dedup_by_key(|(value, _)| *value);
        let [(value, _)] = values[..] else { return None };
        match value.inst() {
            Some(inst) if self.is_inside(inst.block()) => self.final_value(inst),
            _ => Some(value),
        }
    }

    /// What has the values that [`Emitter::escaping`] names at the end of the new loops.
    fn live_out(&self, exit: Block<'p>) -> Option<Vec<(Inst<'p>, Value<'p>)>> {
        self.escaping(exit).into_iter().map(|inst| Some((inst, self.final_value(inst)?))).collect()
    }

    /// The region's values that are used after it now, other than by phis of the exit block.
    pub(super) fn escaping(&self, exit: Block<'p>) -> Vec<Inst<'p>> {
        let is_exit_phi = |user: &Inst<'p>| user.opcode() == LLVMPHI && user.block() == exit;
        let escapes = |inst: &Inst<'p>| {
            inst.users().iter().any(|user| !self.is_inside(user.block()) && !is_exit_phi(user))
        };
        let insts = self.prepared.blocks.iter().flat_map(|block| block.insts().collect::<Vec<_>>());
        insts.filter(escapes).collect()
    }

    pub(super) fn is_inside(&self, block: Block<'p>) -> bool {
        self.prepared.blocks.contains(&block)
    }

    /// An instruction's value after its last execution.
    fn final_value(&self, inst: Inst<'p>) -> Option<Value<'p>> {
        let value = match self.lifted.expression(inst.value(), &[]) {
            Some(_) => ExitValue::Expression(inst.value()),
            None => ExitValue::Cell,
        };
        self.exit_value(value, ArraySource::Scalar(inst))
    }

    /// A value at the end of the new loops.
    fn exit_value(&self, value: ExitValue<'p>, source: ArraySource<'p>) -> Option<Value<'p>> {
        match value {
            ExitValue::Outside(value) => Some(value),
            ExitValue::Expression(value) => {
                let scev = self.lifted.expression(value, &[])?;
                self.values.scev(&scev, &[], &[], false)
            }
            ExitValue::Cell => self.load_slot(source),
        }
    }
}

/// The parts of `variable + constant + others`, which may be negative; `None` if the expression is no such sum.
fn sum(expr: &Expr, variable: Variable) -> Option<(i64, Vec<(&Expr, bool)>)> {
    let (mut constant, mut others, mut work) = (0i64, Vec::new(), vec![(expr, false)]);
    while let Some((expr, is_negative)) = work.pop() {
        match expr {
            Expr::Op(Op::Add, parts) => work.extend(parts.iter().rev().map(|part| (part, is_negative))),
            Expr::Op(Op::Neg, parts) => work.extend(parts.iter().map(|part| (part, !is_negative))),
            Expr::Op(Op::Sub, parts) => {
                let [a, b] = &parts[..] else { return None };
                work.extend([(b, !is_negative), (a, is_negative)]);
            }
            Expr::Int(number) => {
                let number = if is_negative { number.checked_neg()? } else { *number };
                constant = constant.checked_add(number)?;
            }
            other => others.push((other, is_negative)),
        }
    }
    let at = others.iter().position(|other| *other == (&Expr::Variable(variable), false))?;
    others.remove(at);
    let is_sum = constant != 0 || !others.is_empty();
    (is_sum && !others.iter().any(|(other, _)| other.mentions(variable))).then_some((constant, others))
}

/// Where the rows of a vector loop begin, if it is skewed: a counter in it is the sum of its variable and others, and one of the
/// loops around is not a variable either.
fn skewed_head<'p>(l: &For, block: Block<'p>) -> Option<Head<'p>> {
    let is_skewed = l.is_vector && has_skewed(&l.body, l.variable)?;
    is_skewed.then(|| Head { block, fixed: HashSet::new() })
}

/// `None`: there are loops.
fn has_skewed(nodes: &[Node], variable: Variable) -> Option<bool> {
    nodes.iter().try_fold(false, |has, node| match node {
        Node::For(_) => None,
        Node::If { then, otherwise, .. } => {
            Some(has | has_skewed(then, variable)? | has_skewed(otherwise, variable)?)
        }
        Node::Stmt { counters, .. } => {
            let is_skewed = |counter| sum(counter, variable).is_some_and(|(_, others)| !others.is_empty());
            let sums = counters.iter().filter(|counter| matches!(counter, Expr::Op(..)));
            Some(has | (counters.iter().any(is_skewed) && sums.count() > 1))
        }
    })
}

/// Whether a loop over rows is to be written out.
fn is_whole_strip(l: &For) -> bool {
    l.strip == Some(Strip::Whole) && l.extent().is_some()
}

/// Whether a vector loop runs through a row of a tile or of a block. LLVM would unroll it completely: that gains nothing, and strength
/// reduction then takes longer than all other passes together (`jacobi-2d`), or the comparison of all addresses with each other (`lu`).
fn is_row_of_tile(l: &For) -> bool {
    l.extent().is_some_and(|count| ROW_OF_TILE.contains(&count))
}

const ROW_OF_TILE: std::ops::RangeInclusive<i64> = 16..=256;
