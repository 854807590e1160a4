//! Events in, streams out.
//!
//! A front end describes each block of code once ([`Tracer::add_block`]) and then tells, thread by thread and in the
//! order of execution, which block runs ([`Tracer::exec`]) and which memory its instructions access
//! ([`Tracer::access`]), one by one or many at a time ([`crate::events`]). From that the tracer makes, for every instruction in every calling context,
//!
//! - the *domain*: one stream per block and context, shared by its instructions;
//! - *addresses* and integer *values*: one stream each (Section 4.1, instruction streams);
//! - *flow dependences*: from each value that is used to the instance that made it, through registers and memory.
//!
//! **Inside a block** the makers of most register values are known beforehand: the instruction above, in the same
//! iteration. They need no events (`Prepared::inner`); only registers that were set before the block are looked up.
//!
//! **Outside loops** nothing is recorded; a value made there is nobody's (statement 0).
//!
//! **Code that is not described** (libraries) counts as part of the call that reached it: its accesses
//! ([`Tracer::foreign_access`]) and the registers it reads ([`Tracer::foreign_exec`]) are the call's.

use crate::code::{Block, Code, Flow, Operand, Operation, Transfer, Units, Value};
use crate::context::Contexts;
use crate::events::{Access, Event};
use crate::nodes::Nodes;
use crate::position::{Functions, Land, Lap, Move, Stepped, Walker};
use crate::profile::{Carrier, DependenceKind};
use crate::shadow::{Cell, Shadow};
use crate::steady::{Laps, Plan};
use crate::stream::{LabelKind, Stream};
use crate::values::{Memory, Values};
use fold::Mode;
use std::collections::HashMap;

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// How often bounds on memory are checked: every so many blocks.
pub(crate) const CHECK_EVERY: u64 = 1 << 14;

/// What to record.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only blocks and loops.
    pub survey: bool,
    /// How streams may be over-approximated. In the paper's modes addresses and values are widened in any case, as there; in
    /// [`Mode::Auto`] values are, and addresses if they have more than a few pieces.
    pub mode: Mode,
    /// Fold exactly as the paper does, without strides and extra dimensions.
    pub paper: bool,
    /// Also record output and anti dependences through memory.
    pub memory_dependences: bool,
    /// Bytes that shadow memory and coordinates may take before they are forgotten.
    pub max_bytes: usize,
    /// Coordinates that nobody refers to are dropped when there are this many, and then when their number has doubled.
    pub collect_at: usize,
    /// Whether laps that are all alike are recorded together (see `steady`); the result is the same.
    pub steady: bool,
    /// Most dependence streams.
    pub max_dependences: usize,
    /// Most blocks in contexts that are recorded.
    pub max_instances: usize,
    /// Most statements in the profile; nests that do not fit, the least costly first, have loops only.
    pub max_statements: usize,
    /// Registers that hold a function's result, and registers a call may change (integer registers).
    pub results: Units,
    /// Integer registers a call may change.
    pub volatile: Vec<u8>,
    /// The integer register that is the stack pointer.
    pub stack_pointer: u8,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            survey: false,
            mode: Mode::Auto,
            paper: false,
            memory_dependences: false,
            max_bytes: 2 << 30,
            collect_at: 1 << 22,
            steady: true,
            max_dependences: 200_000,
            max_instances: 200_000,
            max_statements: 10_000,
            results: Units::default(),
            volatile: Vec::new(),
            stack_pointer: 4,
        }
    }
}

impl Options {
    fn fold(&self, mode: Mode) -> fold::Options {
        if self.paper { fold::Options::paper(mode) } else { fold::Options::with_mode(mode) }
    }

    /// For dependences.
    pub(crate) fn of_dependences(&self) -> fold::Options {
        self.fold(self.mode)
    }

    /// For addresses. A border (`x == 0 ? c : c - 1`) or two buffers in turns are a few exact pieces; beyond that, and in the
    /// paper's modes, the directions that are not affine become unknown.
    pub(crate) fn of_addresses(&self) -> fold::Options {
        match self.mode {
            Mode::Auto => fold::Options { widen_early: true, ..self.fold(Mode::Auto) },
            _ => self.of_values(),
        }
    }

    /// For values: widened, and given up on where dependences are. What is known of them is their steps, if they have any.
    pub(crate) fn of_values(&self) -> fold::Options {
        self.fold(match self.mode {
            Mode::Exact | Mode::Widen => Mode::Widen,
            _ => Mode::WidenGiveUp,
        })
    }

    /// For domains.
    pub(crate) fn of_domains(&self) -> fold::Options {
        self.fold(self.mode)
    }
}

/// A register that a block reads and has not set itself.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    pub unit: u8,
    /// The other half of the same register, if it is read too.
    pub pair: Option<u8>,
    /// The instructions that read it.
    pub users: Vec<u16>,
}

/// A block with what follows from its instructions alone.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub block: Block,
    pub incoming: Vec<Incoming>,
    /// Who sets a register last.
    pub outgoing: Vec<(u8, u16)>,
    /// Register dependences inside: maker, user.
    pub inner: Vec<(u16, u16)>,
    /// Saved registers: instruction, unit, and the instruction that set it, if one in the block did.
    saves: Vec<(u16, u8, Option<u16>)>,
    /// Restored registers that nobody in the block uses or sets again: instruction, unit.
    restores: Vec<(u16, u8)>,
    /// Integer results: instruction, how.
    pub values: Vec<(u16, Value)>,
    /// Per instruction the position of its load and of its store among the accesses.
    pub slots: Vec<[u16; 2]>,
    /// The accesses: instruction, whether it stores, bytes.
    pub accesses: Vec<(u16, bool, u32)>,
    pub writes: Units,
}

const NO_SLOT: u16 = u16::MAX;

impl Prepared {
    fn new(block: Block) -> Prepared {
        let mut p = Prepared {
            incoming: Vec::new(),
            outgoing: Vec::new(),
            inner: Vec::new(),
            saves: Vec::new(),
            restores: Vec::new(),
            values: Vec::new(),
            slots: Vec::new(),
            accesses: Vec::new(),
            writes: Units::default(),
            block,
        };
        let mut set: HashMap<u8, u16> = HashMap::new();
        let mut used_after_restore = Units::default();
        let insns = std::mem::take(&mut p.block.insns);
        for (n, insn) in insns.iter().enumerate() {
            let n = n as u16;
            for unit in insn.reads.iter() {
                used_after_restore = used_after_restore.with(Units::of([unit]));
                match set.get(&unit) {
                    Some(&maker) if !p.inner.contains(&(maker, n)) => p.inner.push((maker, n)),
                    Some(_) => {}
                    None => p.comes_in(unit, n),
                }
            }
            if let Some(Transfer::Save(unit)) = insn.transfer {
                p.saves.push((n, unit, set.get(&unit).copied()));
            }
            if let Some(Transfer::Restore(unit)) = insn.transfer {
                p.restores.retain(|r| r.1 != unit);
                p.restores.push((n, unit));
                used_after_restore = used_after_restore.without(Units::of([unit, unit ^ 1]));
            }
            for unit in insn.writes.iter() {
                set.insert(unit, n);
                p.writes = p.writes.with(Units::of([unit]));
            }
            if insn.transfer.is_none() {
                p.restores.retain(|r| !insn.writes.contains(r.1));
            }
            let mut slot = |stores: bool, bytes: u32| match bytes {
                0 => NO_SLOT,
                _ => {
                    p.accesses.push((n, stores, bytes));
                    p.accesses.len() as u16 - 1
                }
            };
            let slots = [slot(false, insn.loads), slot(true, insn.stores)];
            p.slots.push(slots);
            p.values.extend(insn.values.iter().map(|value| (n, *value)));
        }
        p.restores.retain(|r| !used_after_restore.contains(r.1));
        p.outgoing = set.into_iter().collect();
        p.outgoing.sort_unstable();
        p.block.insns = insns;
        p
    }

    fn comes_in(&mut self, unit: u8, user: u16) {
        // The halves of one register are neighbours, the lower one even.
        let known = self.incoming.iter_mut().find(|i| i.unit == unit || i.pair == Some(unit));
        if let Some(known) = known {
            if !known.users.contains(&user) {
                known.users.push(user);
            }
            return;
        }
        let low = self.incoming.iter_mut().find(|i| i.unit ^ 1 == unit && i.users == [user]);
        match low {
            Some(low) => low.pair = Some(unit),
            None => self.incoming.push(Incoming { unit, pair: None, users: vec![user] }),
        }
    }
}

/// Dependence streams that end at one place, by the statement they come from.
type Sources = Vec<(u32, u32)>;

/// An access of an instance.
#[derive(Debug)]
pub(crate) struct AccessSlot {
    /// The run of the block for which the address has been recorded.
    pub serial: u64,
    pub address: Stream,
    /// The address and the outer coordinates of the last access.
    pub last: (u64, u32),
    /// Whether the address has changed along the innermost loop.
    pub moves: bool,
    pub sources: Sources,
    /// For stores: streams from reads, if anti dependences are recorded.
    anti: Sources,
    pub several: bool,
}

/// An integer result of an instance.
#[derive(Debug)]
pub(crate) struct ValueSlot {
    pub stream: Stream,
    /// Whether some value was data and is missing, or the values are irregular: then all of them are data.
    pub data: bool,
}

impl ValueSlot {
    #[inline]
    fn push(&mut self, nodes: &Nodes, options: &fold::Options, node: u32, inner: u32, value: Option<i64>) {
        match value {
            Some(value) if !self.data => self.stream.push(nodes, options, node, 0, [i64::from(inner), value]),
            _ => self.data = true,
        }
        // Whatever is computed here from iteration to iteration, it is no induction variable.
        self.data |= self.stream.is_irregular();
    }
}

/// A block in a context.
#[derive(Debug)]
pub(crate) struct Instance {
    pub context: u32,
    pub block: u32,
    pub depth: u8,
    /// Whether its statements are recorded.
    pub full: bool,
    pub count: u64,
    /// The number of its first statement.
    pub first_stmt: u32,
    pub domain: Option<Box<Stream>>,
    pub incoming: Vec<Sources>,
    pub accesses: Vec<AccessSlot>,
    pub values: Vec<ValueSlot>,
    /// Dependences on registers and on memory that the code that is called uses.
    call_sources: Sources,
    call_memory: Sources,
    moves: Vec<(u32, u32, Move)>,
    moves_version: u32,
    /// Laps that must be alike before a steady state is looked for, if it is the header of a loop.
    pub patience: u32,
    /// Its last steady state, to be used again.
    pub old_plan: Option<Box<Plan>>,
}

impl Instance {
    /// One of its statements at a position; nobody, if it is not recorded.
    #[inline]
    pub fn cell(&self, insn: u16, node: u32, inner: u32) -> Cell {
        match self.full {
            true => Cell { stmt: self.first_stmt + u32::from(insn), node, inner },
            false => Cell::default(),
        }
    }
}

/// A dependence stream.
#[derive(Debug)]
pub(crate) struct Dependence {
    pub source: u32,
    /// The instance, and the instruction or (for registers that come in) the position among `incoming`.
    pub target: (u32, Target),
    pub kind: DependenceKind,
    pub carrier: Carrier,
    pub stream: Stream,
}

/// All dependence streams.
#[derive(Debug)]
pub(crate) struct Dependences {
    pub list: Vec<Dependence>,
    /// The depth of each statement.
    depths: Vec<u8>,
    options: fold::Options,
    most: usize,
    /// Instances of dependences for which there was no room.
    pub lost: u64,
}

/// Where a dependence ends.
#[derive(Clone, Copy)]
struct End {
    target: (u32, Target),
    kind: DependenceKind,
    carrier: Carrier,
    depth: u8,
    node: u32,
    inner: u32,
}

impl End {
    /// What an instruction of an instance loads, at a position (node, innermost coordinate).
    fn of_load((number, insn): (u32, u16), depth: u8, (node, inner): (u32, u32)) -> End {
        let (kind, carrier) = (DependenceKind::Flow, Carrier::Memory);
        End { target: (number, Target::Insn(insn)), kind, carrier, depth, node, inner }
    }
}

impl Dependences {
    /// What `cell` made is used at `end`; `sources` are the streams that end there.
    #[inline]
    fn record(&mut self, sources: &mut Sources, nodes: &Nodes, cell: Cell, end: End) {
        if cell.stmt == 0 {
            return;
        }
        let number = match sources.iter().find(|(stmt, _)| *stmt == cell.stmt) {
            Some(&(_, number)) => number,
            None => self.open(sources, cell.stmt, end),
        };
        if let Some(dependence) = self.list.get_mut(number as usize) {
            let point = [i64::from(end.inner), i64::from(cell.inner)];
            dependence.stream.push(nodes, &self.options, end.node, cell.node, point);
        } else {
            self.lost += 1;
        }
    }

    #[cold]
    fn open(&mut self, sources: &mut Sources, source: u32, end: End) -> u32 {
        let depth = self.depths.get(source as usize).copied().unwrap_or(0);
        let number = if depth > 0 && self.list.len() < self.most { self.list.len() as u32 } else { NONE };
        sources.push((source, number));
        if number != NONE {
            let stream = Stream::new(end.depth, LabelKind::Instance(depth));
            let (target, kind, carrier) = (end.target, end.kind, end.carrier);
            self.list.push(Dependence { source, target, kind, carrier, stream });
        }
        number
    }
}

/// Which instructions of a block are at the end of a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// This one.
    Insn(u16),
    /// All users of this register.
    Incoming(u16),
}

/// A thread of the program.
#[derive(Debug)]
pub(crate) struct Thread {
    pub walker: Walker,
    /// The instance that runs, or [`NONE`].
    pub instance: u32,
    pub serial: u64,
    pub registers: Vec<Cell>,
    saved: Vec<Cell>,
    pub values: Values,
    /// Integer results of the current block that are done.
    pub values_done: usize,
    /// Its way through the innermost loop.
    pub laps: Laps,
    /// Registers that foreign code has set since it was called.
    foreign_writes: Units,
    /// The instance whose call may be running, and its position.
    called_from: Option<(u32, u32, u32)>,
}

/// Makes streams from events.
pub struct Tracer {
    pub(crate) options: Options,
    pub(crate) address_options: fold::Options,
    pub(crate) value_options: fold::Options,
    pub(crate) domain_options: fold::Options,
    pub(crate) code: Box<dyn Code>,
    pub(crate) blocks: Vec<Prepared>,
    pub(crate) contexts: Contexts,
    pub(crate) nodes: Nodes,
    pub(crate) functions: Functions,
    pub(crate) instances: Vec<Instance>,
    by_block: HashMap<(u32, u32), u32>,
    /// Instance and instruction of each statement; the first is nobody.
    pub(crate) statements: Vec<(u32, u16)>,
    pub(crate) dependences: Dependences,
    pub(crate) threads: Vec<Thread>,
    pub(crate) shadow: Shadow,
    readers: Shadow,
    /// Registers that code which is not described reads and sets.
    pub(crate) foreign: Vec<(Units, Units)>,
    pub(crate) accesses: u64,
    pub(crate) executed: u64,
    collect_at: usize,
    pub(crate) forgot: bool,
    pub(crate) instances_lost: u64,
    /// Whether statements are recorded, or only counted.
    recording: bool,
}

impl Tracer {
    /// A tracer for this code.
    pub fn new(code: Box<dyn Code>, options: Options) -> Tracer {
        Tracer {
            address_options: options.of_addresses(),
            value_options: options.of_values(),
            domain_options: options.of_domains(),
            code,
            blocks: Vec::new(),
            contexts: Contexts::default(),
            nodes: Nodes::default(),
            functions: Functions::default(),
            instances: Vec::new(),
            by_block: HashMap::new(),
            statements: vec![(NONE, 0)],
            dependences: Dependences {
                list: Vec::new(),
                depths: vec![0],
                options: options.of_dependences(),
                most: options.max_dependences,
                lost: 0,
            },
            threads: Vec::new(),
            shadow: Shadow::default(),
            readers: Shadow::default(),
            foreign: Vec::new(),
            accesses: 0,
            executed: 0,
            collect_at: options.collect_at,
            forgot: false,
            instances_lost: 0,
            recording: !options.survey,
            options,
        }
    }

    /// Describes a block; its number is what [`Tracer::exec`] takes.
    pub fn add_block(&mut self, block: Block) -> u32 {
        self.blocks.push(Prepared::new(block));
        self.blocks.len() as u32 - 1
    }

    /// Threads seen.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Blocks executed and memory accesses, so far.
    pub fn events(&self) -> u64 {
        self.executed + self.accesses
    }

    /// Outermost loops, so far.
    pub fn nests(&self) -> usize {
        let contexts = (1..self.contexts.count() as u32).map(|c| self.contexts.get(c));
        contexts.filter(|c| c.depth == 1 && c.is_dimension() && c.iterations > 1).count()
    }

    /// Brings all threads up to date.
    fn leave_all(&mut self) {
        (0..self.threads.len()).for_each(|thread| self.leave_steady(thread));
    }

    /// Statements are recorded from now on, or only counted. Whatever was made before is nobody's.
    pub fn record(&mut self, on: bool) {
        self.leave_all();
        let on = on && !self.options.survey;
        if on && !self.recording {
            self.shadow.clear();
            self.readers.clear();
            for t in &mut self.threads {
                t.registers.fill(Cell::default());
                t.saved.clear();
                t.values.forget(0..crate::code::MAX_VALUES as u8);
                t.values_done = usize::MAX;
                t.called_from = None;
                t.foreign_writes = Units::default();
            }
        }
        self.recording = on;
    }

    #[inline]
    pub(crate) fn ensure_thread(&mut self, thread: usize) {
        if self.threads.len() <= thread {
            self.add_threads(thread);
        }
    }

    #[cold]
    fn add_threads(&mut self, thread: usize) {
        while self.threads.len() <= thread {
            let number = self.threads.len() as u32;
            self.threads.push(Thread {
                walker: Walker::new(number),
                instance: NONE,
                serial: 0,
                registers: vec![Cell::default(); crate::code::MAX_UNITS],
                saved: Vec::new(),
                values: Values::new(u64::from(number)),
                values_done: 0,
                laps: Laps::default(),
                foreign_writes: Units::default(),
                called_from: None,
            });
        }
    }

    /// A block runs on a thread.
    pub fn exec(&mut self, thread: usize, block: u32) {
        self.ensure_thread(thread);
        if self.take_steady(thread, &[Event::Exec { block }], false).0 == 1 {
            return;
        }
        self.exec_slowly(thread, block);
    }

    /// A block runs that was not expected.
    pub(crate) fn exec_slowly(&mut self, thread: usize, block: u32) {
        self.leave_steady(thread);
        if self.recording {
            self.finish_values(thread, usize::MAX);
        }
        let (instance, lap) = self.step(thread, block);
        let t = &mut self.threads[thread];
        t.instance = instance;
        t.serial += 1;
        t.values_done = 0;
        self.executed += 1;
        if self.executed.is_multiple_of(CHECK_EVERY) {
            self.check_memory();
        }
        if self.recording && self.options.steady && self.note_lap(thread, instance, lap) {
            return;
        }
        self.instances[instance as usize].count += 1;
        if !self.recording {
            return;
        }
        if self.threads[thread].walker.returned {
            self.take_results(thread);
        }
        self.registers(thread, instance);
        if self.blocks[block as usize].block.flow == Flow::Call {
            let t = &mut self.threads[thread];
            t.foreign_writes = Units::default();
            t.called_from = Some((instance, t.walker.node, t.walker.inner));
        }
    }

    /// Moves the thread; returns the instance of the block there, and what that was in the innermost loop.
    #[inline]
    fn step(&mut self, thread: usize, block: u32) -> (u32, Lap) {
        let Tracer { contexts, nodes, functions, code, threads, instances, blocks, .. } = self;
        let t = &mut threads[thread];
        let mut land = Land { contexts, nodes, functions, code: code.as_ref() };
        let last = t.instance;
        if last != NONE {
            let from = &instances[last as usize];
            if from.moves_version == land.functions.version
                && let Some((_, to, step)) = from.moves.iter().find(|(b, ..)| *b == block)
            {
                t.walker.returned = blocks[from.block as usize].block.flow == Flow::Call;
                t.walker.repeat(&mut land, step);
                return (*to, if t.walker.returned { Lap::Other } else { step.lap() });
            }
        }
        (self.step_slowly(thread, block), Lap::Other)
    }

    fn step_slowly(&mut self, thread: usize, block: u32) -> u32 {
        let Tracer { contexts, nodes, functions, code, threads, instances, blocks, .. } = self;
        let t = &mut threads[thread];
        let mut land = Land { contexts, nodes, functions, code: code.as_ref() };
        let last = (t.instance != NONE).then(|| {
            let number = instances[t.instance as usize].block as usize;
            (t.instance, &blocks[number].block)
        });
        let pc = blocks[block as usize].block.pc();
        let after_return = last.is_none_or(|(_, block)| block.flow == Flow::Return);
        let stepped = t.walker.step(&mut land, last, pc);
        let (context, version) = (t.walker.context, functions.version);
        let to = self.instance(context, block);
        if let Stepped::Inside(from, step) = stepped
            && from != NONE
            && !after_return
        {
            let from = &mut self.instances[from as usize];
            if from.moves_version != version {
                from.moves.clear();
                from.moves_version = version;
            }
            if from.moves.len() < 64 {
                from.moves.push((block, to, step));
            }
        }
        to
    }

    pub(crate) fn instance(&mut self, context: u32, block: u32) -> u32 {
        let fresh = self.instances.len() as u32;
        let number = *self.by_block.entry((context, block)).or_insert(fresh);
        if number == fresh {
            let instance = self.new_instance(context, block);
            self.instances.push(instance);
        }
        number
    }

    fn new_instance(&mut self, context: u32, block: u32) -> Instance {
        let at = self.contexts.get(context);
        let (depth, wanted) = (at.depth, at.wanted);
        let prepared = &self.blocks[block as usize];
        let mut full = depth > 0 && wanted && !self.options.survey;
        if full && self.instances.len() >= self.options.max_instances {
            self.instances_lost += 1;
            full = false;
        }
        let first_stmt = if full { self.statements.len() as u32 } else { 0 };
        let number = self.instances.len() as u32;
        let slot = |_: &(u16, bool, u32)| AccessSlot {
            serial: 0,
            address: Stream::new(depth, LabelKind::Integer),
            last: (0, NONE),
            moves: false,
            sources: Vec::new(),
            anti: Vec::new(),
            several: false,
        };
        let value = |_| ValueSlot { stream: Stream::new(depth, LabelKind::Integer), data: false };
        let some = |n: usize| if full { n } else { 0 };
        if full {
            let insns = prepared.block.insns.len();
            self.statements.extend((0..insns as u16).map(|insn| (number, insn)));
            self.dependences.depths.extend(std::iter::repeat_n(depth, insns));
        }
        Instance {
            context,
            block,
            depth,
            full,
            count: 0,
            first_stmt,
            domain: full.then(|| Box::new(Stream::new(depth, LabelKind::None))),
            incoming: vec![Vec::new(); some(prepared.incoming.len())],
            accesses: prepared.accesses.iter().take(some(usize::MAX)).map(slot).collect(),
            values: (0..some(prepared.values.len())).map(value).collect(),
            call_sources: Vec::new(),
            call_memory: Vec::new(),
            moves: Vec::new(),
            moves_version: self.functions.version,
            patience: 0,
            old_plan: None,
        }
    }

    /// Domain and register dependences of a block that starts to run.
    fn registers(&mut self, thread: usize, number: u32) {
        let Tracer { threads, instances, blocks, nodes, dependences, domain_options, .. } = self;
        let t = &mut threads[thread];
        let instance = &mut instances[number as usize];
        let prepared = &blocks[instance.block as usize];
        let (node, inner) = (t.walker.node, t.walker.inner);
        t.saved.clear();
        for &(_, unit, maker) in &prepared.saves {
            let own = |insn| instance.cell(insn, node, inner);
            t.saved.push(maker.map_or(t.registers[usize::from(unit)], own));
        }
        if let Some(domain) = &mut instance.domain {
            domain.push(nodes, domain_options, node, 0, [i64::from(inner), 0]);
        }
        for (n, (incoming, sources)) in prepared.incoming.iter().zip(&mut instance.incoming).enumerate() {
            let end = End {
                target: (number, Target::Incoming(n as u16)),
                kind: DependenceKind::Flow,
                carrier: Carrier::Register,
                depth: instance.depth,
                node,
                inner,
            };
            let low = t.registers[usize::from(incoming.unit)];
            dependences.record(sources, nodes, low, end);
            if let Some(pair) = incoming.pair {
                let high = t.registers[usize::from(pair)];
                if high != low {
                    dependences.record(sources, nodes, high, end);
                }
            }
        }
        for &(unit, insn) in &prepared.outgoing {
            t.registers[usize::from(unit)] = instance.cell(insn, node, inner);
        }
    }

    /// An instruction of the block that runs (by its position there) accessed memory. `value` is what it read or wrote,
    /// if that is known and at most 8 bytes.
    pub fn access(
        &mut self,
        thread: usize,
        insn: u16,
        stores: bool,
        address: u64,
        size: u32,
        value: Option<u64>,
    ) {
        self.ensure_thread(thread);
        let (known, value) = (value.is_some(), value.unwrap_or(0));
        let access = Access { insn, stores, known, size: size as u16, address, value };
        if self.take_steady(thread, &[Event::Access(access)], false).0 == 0 {
            self.access_slowly(thread, access);
        }
    }

    /// An access that was not expected.
    pub(crate) fn access_slowly(&mut self, thread: usize, access: Access) {
        let (Access { insn, stores, address, .. }, size) = (access, u32::from(access.size));
        let number = self.threads[thread].instance;
        if number == NONE {
            return;
        }
        self.accesses += 1;
        if !self.recording {
            return;
        }
        let block = self.instances[number as usize].block as usize;
        let Some(&slots) = self.blocks[block].slots.get(usize::from(insn)) else { return };
        let at = slots[usize::from(stores)];
        if !stores {
            self.check_promise(thread, at, &access);
        }
        let steady = self.threads[thread].laps.is_steady() && !self.options.memory_dependences;
        if steady {
            self.settle(thread, at);
        }
        let moves = self.note_address(thread, number, at, address);
        let data = if moves { self.instances[number as usize].depth } else { 0 };
        let memory = Memory { value: access.value(), data };
        if self.threads[thread].laps.is_steady() {
            self.steady_value(thread, insn, at, stores, memory);
        } else {
            self.memory_value(thread, number, insn, stores, memory);
            if self.blocks[block].block.insns[usize::from(insn)].stack {
                let top = if stores { address } else { address.wrapping_add(u64::from(size)) };
                self.threads[thread].values.set(self.options.stack_pointer, top);
            }
            if let Some(transfer) = self.blocks[block].block.insns[usize::from(insn)].transfer {
                return self.transfer(thread, block, insn, transfer, address, size);
            }
        }
        let instance = &self.instances[number as usize];
        if instance.accesses.get(usize::from(at)).is_none() {
            if stores {
                self.shadow.write(address, size, Cell::default());
            }
            return;
        }
        let walker = &self.threads[thread].walker;
        let (node, inner) = (walker.node, walker.inner);
        let own = instance.cell(insn, node, inner);
        let end = End::of_load((number, insn), instance.depth, (node, inner));
        let writer =
            if stores { Some(own) } else { self.load(number, (insn, at), address, size, (node, inner)) };
        if let Some(writer) = writer.filter(|_| steady) {
            self.expect(thread, at, stores, writer);
        }
        if self.options.memory_dependences {
            self.memory_dependences(number, insn, stores, address, size, own, end);
        }
        if stores {
            self.shadow.write(address, size, own);
        }
    }

    /// An access (instruction and slot) of an instance loads these bytes, at a position (node, innermost coordinate): who made them is
    /// recorded. Returns the one writer, if there is just one; nobody is one, too.
    pub(crate) fn load(
        &mut self,
        number: u32,
        (insn, slot): (u16, u16),
        address: u64,
        size: u32,
        (node, inner): (u32, u32),
    ) -> Option<Cell> {
        let Tracer { instances, nodes, dependences, shadow, .. } = self;
        let instance = &mut instances[number as usize];
        let own = instance.cell(insn, node, inner);
        let end = End::of_load((number, insn), instance.depth, (node, inner));
        let sources = &mut instance.accesses.get_mut(usize::from(slot))?.sources;
        let (mut writer, mut writers) = (Cell::default(), 0);
        shadow.read(address, size, |cell| {
            (writer, writers) = (cell, writers + 1);
            if cell != own {
                dependences.record(sources, nodes, cell, end);
            }
        });
        (writers <= 1 && writer != own).then_some(writer)
    }

    /// Records the address of an access; returns whether it changes along the innermost loop.
    #[inline]
    fn note_address(&mut self, thread: usize, number: u32, slot: u16, address: u64) -> bool {
        let Tracer { threads, instances, nodes, address_options, .. } = self;
        let t = &threads[thread];
        let Some(slot) = instances[number as usize].accesses.get_mut(usize::from(slot)) else { return false };
        if slot.serial == t.serial {
            slot.several = true;
            return true;
        }
        let (node, inner) = (t.walker.node, t.walker.inner);
        slot.serial = t.serial;
        slot.moves |= slot.last.1 == node && slot.last.0 != address;
        slot.last = (address, node);
        slot.address.push(nodes, address_options, node, 0, [i64::from(inner), address as i64]);
        slot.moves
    }

    /// Output dependences, and anti dependences on the latest read of each byte.
    #[allow(clippy::too_many_arguments)] // one access, and who makes it
    fn memory_dependences(
        &mut self,
        number: u32,
        insn: u16,
        stores: bool,
        address: u64,
        size: u32,
        own: Cell,
        end: End,
    ) {
        let Tracer { instances, blocks, nodes, dependences, shadow, readers, .. } = self;
        if !stores {
            return readers.write(address, size, own);
        }
        let instance = &mut instances[number as usize];
        let slot = blocks[instance.block as usize].slots[usize::from(insn)][1];
        let Some(slot) = instance.accesses.get_mut(usize::from(slot)) else { return };
        let mut record = |cell: Cell, kind: DependenceKind| {
            if cell != own {
                let sources = if kind == DependenceKind::Anti { &mut slot.anti } else { &mut slot.sources };
                dependences.record(sources, nodes, cell, End { kind, ..end });
            }
        };
        shadow.read(address, size, |cell| record(cell, DependenceKind::Output));
        readers.read(address, size, |cell| record(cell, DependenceKind::Anti));
        readers.write(address, size, Cell::default());
    }

    /// A register goes to memory or comes back: whoever made it stays its maker.
    fn transfer(
        &mut self,
        thread: usize,
        block: usize,
        insn: u16,
        transfer: Transfer,
        address: u64,
        size: u32,
    ) {
        let Tracer { threads, blocks, shadow, .. } = self;
        let t = &mut threads[thread];
        let prepared = &blocks[block];
        match transfer {
            Transfer::Save(_) => {
                let at = prepared.saves.iter().position(|(n, ..)| *n == insn);
                let cell = at.and_then(|at| t.saved.get(at)).copied().unwrap_or_default();
                shadow.write(address, size, cell);
            }
            Transfer::Restore(_) => {
                let Some(&(_, unit)) = prepared.restores.iter().find(|(n, _)| *n == insn) else { return };
                let mut found = Cell::default();
                shadow.read(address, size, |cell| found = cell);
                t.registers[usize::from(unit)] = found;
                t.registers[usize::from(unit ^ 1)] = found;
            }
        }
    }

    /// Integer results of the current block up to an instruction, those that need no memory event.
    pub(crate) fn finish_values(&mut self, thread: usize, until: usize) {
        let t = &mut self.threads[thread];
        if t.instance == NONE {
            return;
        }
        let instance = &mut self.instances[t.instance as usize];
        let values = &self.blocks[instance.block as usize].values;
        while let Some((insn, value)) = values.get(t.values_done)
            && usize::from(*insn) < until
        {
            note_value(t, instance, (&self.nodes, &self.value_options), value, Memory::default());
        }
    }

    /// An instruction of the block that runs (by its position there) has left this in a register, which could not be recomputed.
    /// Front ends that can read registers tell it before the next instruction runs.
    pub fn result(&mut self, thread: usize, insn: u16, register: u8, found: u64) {
        let Some(t) = self.threads.get(thread).filter(|t| self.recording && t.instance != NONE) else {
            return;
        };
        if t.laps.is_steady() && !t.laps.is_live() {
            // It is data there.
            return;
        }
        self.finish_values(thread, usize::from(insn));
        let t = &mut self.threads[thread];
        let instance = &mut self.instances[t.instance as usize];
        let prepared = &self.blocks[instance.block as usize];
        let Some((at, value)) = prepared.values.get(t.values_done) else { return };
        if (*at, value.to, value.operation) != (insn, Some(register), Operation::Unknown) {
            return;
        }
        let reads = prepared.block.insns[usize::from(insn)].reads;
        let data =
            (0..crate::code::MAX_VALUES as u8).filter(|r| reads.contains(2 * r)).map(|r| t.values.data(r));
        let memory = Memory { value: Some(found), data: data.max().unwrap_or(0) };
        note_value(t, instance, (&self.nodes, &self.value_options), value, memory);
    }

    /// The integer results of an instruction that has just accessed memory.
    pub(crate) fn memory_value(
        &mut self,
        thread: usize,
        number: u32,
        insn: u16,
        stores: bool,
        memory: Memory,
    ) {
        self.finish_values(thread, usize::from(insn));
        let t = &mut self.threads[thread];
        let instance = &mut self.instances[number as usize];
        let values = &self.blocks[instance.block as usize].values;
        while let Some((at, value)) = values.get(t.values_done) {
            let due = match stores {
                true => value.operation == Operation::Stored,
                false => value.operands.contains(&Operand::Loaded),
            };
            if *at != insn || !due {
                return;
            }
            note_value(t, instance, (&self.nodes, &self.value_options), value, memory);
        }
    }

    /// Code that is not described runs on a thread; `reads` are the registers it reads before it sets them.
    pub fn foreign_exec(&mut self, thread: usize, reads: Units, writes: Units) {
        if !self.recording {
            return;
        }
        if thread < self.threads.len() {
            self.leave_steady(thread);
        }
        let Tracer { threads, instances, blocks, nodes, dependences, .. } = self;
        let Some(t) = threads.get_mut(thread) else { return };
        let fresh = reads.without(t.foreign_writes);
        t.foreign_writes = t.foreign_writes.with(reads).with(writes);
        let Some(instance) = instances.get_mut(t.instance as usize).filter(|i| i.full && fresh.0 != 0) else {
            return;
        };
        let end =
            call_end(t.instance, instance, &blocks[instance.block as usize], &t.walker, Carrier::Register);
        for unit in fresh.iter() {
            let cell = t.registers[usize::from(unit)];
            if cell.stmt != call_cell(instance, end).stmt {
                dependences.record(&mut instance.call_sources, nodes, cell, end);
            }
        }
    }

    /// Code that is not described accesses memory.
    pub fn foreign_access(&mut self, thread: usize, stores: bool, address: u64, size: u32) {
        self.accesses += 1;
        if !self.recording {
            return;
        }
        let Tracer { threads, instances, blocks, nodes, dependences, shadow, .. } = self;
        let Some(t) = threads.get_mut(thread) else { return };
        let Some(instance) = instances.get_mut(t.instance as usize).filter(|i| i.full) else {
            if stores {
                shadow.write(address, size, Cell::default());
            }
            return;
        };
        let end =
            call_end(t.instance, instance, &blocks[instance.block as usize], &t.walker, Carrier::Memory);
        let own = call_cell(instance, end);
        if stores {
            shadow.write(address, size, own);
        } else {
            shadow.read(address, size, |cell| {
                if cell != own {
                    dependences.record(&mut instance.call_memory, nodes, cell, end);
                }
            });
        }
    }

    /// After a call of code that is not described: its results are the call's, other registers that it may change are
    /// nobody's.
    fn take_results(&mut self, thread: usize) {
        let Tracer { threads, instances, blocks, options, .. } = self;
        let t = &mut threads[thread];
        t.values.forget(options.volatile.iter().copied());
        // The return address is off the stack again.
        t.values.set(options.stack_pointer, t.values.get(options.stack_pointer).wrapping_add(8) as u64);
        let Some(caller) = t.called_from.take() else { return };
        let instance = &instances[caller.0 as usize];
        let insn = blocks[instance.block as usize].block.insns.len() as u32 - 1;
        let cell = match instance.full {
            true => Cell { stmt: instance.first_stmt + insn, node: caller.1, inner: caller.2 },
            false => Cell::default(),
        };
        for unit in options.results.iter().filter(|unit| t.foreign_writes.contains(*unit)) {
            t.registers[usize::from(unit)] = cell;
        }
        t.foreign_writes = Units::default();
    }

    /// Keeps memory within bounds: drops coordinates that nobody refers to; forgets writers if that is not enough.
    fn check_memory(&mut self) {
        if self.nodes.count() >= self.collect_at {
            self.collect_nodes();
            self.collect_at = (2 * self.nodes.count()).max(self.options.collect_at);
        }
        if self.shadow.bytes() + self.readers.bytes() + 8 * self.nodes.count() > self.options.max_bytes {
            self.shadow.clear();
            self.readers.clear();
            self.collect_nodes();
            self.forgot = true;
        }
    }

    fn collect_nodes(&mut self) {
        self.leave_all();
        self.flush();
        let Tracer { nodes, shadow, readers, threads, contexts, .. } = self;
        let mut used: Vec<u32> = contexts.entered_mut().map(|node| *node).collect();
        for t in threads.iter_mut() {
            used.extend(
                t.registers.iter().chain(&t.saved).filter(|cell| cell.stmt != 0).map(|cell| cell.node),
            );
            used.extend(t.walker.nodes_mut().map(|node| *node));
            used.extend(t.called_from.map(|(_, node, _)| node));
        }
        let written = shadow.cells_mut().chain(readers.cells_mut()).filter(|cell| cell.stmt != 0);
        let moved = nodes.collect(used.into_iter().chain(written.map(|cell| cell.node)));
        let cells = shadow.cells_mut().chain(readers.cells_mut());
        for cell in cells.chain(threads.iter_mut().flat_map(|t| t.registers.iter_mut().chain(&mut t.saved))) {
            cell.node = if cell.stmt == 0 { 0 } else { moved.to(cell.node) };
        }
        for t in threads.iter_mut() {
            t.walker.nodes_mut().for_each(|node| *node = moved.to(*node));
            t.called_from = t.called_from.map(|(i, node, inner)| (i, moved.to(node), inner));
        }
        contexts.entered_mut().for_each(|node| *node = moved.to(*node));
    }

    /// Hands on every line that refers to nodes.
    fn flush(&mut self) {
        let Tracer { instances, dependences, nodes, address_options, value_options, domain_options, .. } =
            self;
        for instance in instances {
            instance.domain.iter_mut().for_each(|s| s.flush(nodes, domain_options));
            instance.accesses.iter_mut().for_each(|s| s.address.flush(nodes, address_options));
            instance.values.iter_mut().for_each(|s| s.stream.flush(nodes, value_options));
        }
        for dependence in &mut dependences.list {
            dependence.stream.flush(nodes, &dependences.options);
        }
    }

    /// Nothing more will happen: the last results.
    pub(crate) fn end(&mut self) {
        self.leave_all();
        for thread in 0..self.threads.len() {
            if self.recording {
                self.finish_values(thread, usize::MAX);
            }
        }
    }
}

/// Carries out and records the next integer result of the block that runs.
#[inline]
fn note_value(
    t: &mut Thread,
    instance: &mut Instance,
    (nodes, options): (&Nodes, &fold::Options),
    value: &Value,
    memory: Memory,
) {
    let result = t.values.compute(value, memory, instance.depth);
    if let Some(slot) = instance.values.get_mut(t.values_done) {
        slot.push(nodes, options, t.walker.node, t.walker.inner, result);
        if let Some(to) = value.to.filter(|_| slot.data) {
            t.values.mark_data(to, instance.depth);
        }
    }
    t.values_done += 1;
}

/// The end of a dependence on a call of foreign code.
fn call_end(number: u32, instance: &Instance, block: &Prepared, walker: &Walker, carrier: Carrier) -> End {
    End {
        target: (number, Target::Insn(block.block.insns.len() as u16 - 1)),
        kind: DependenceKind::Flow,
        carrier,
        depth: instance.depth,
        node: walker.node,
        inner: walker.inner,
    }
}

fn call_cell(instance: &Instance, end: End) -> Cell {
    let Target::Insn(insn) = end.target.1 else { return Cell::default() };
    Cell { stmt: instance.first_stmt + u32::from(insn), node: end.node, inner: end.inner }
}
