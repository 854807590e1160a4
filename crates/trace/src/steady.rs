//! Loops that go round in the same way: most of what they do follows without looking.
//!
//! A *lap* is one iteration of a loop without loops and calls inside: the blocks from its header to the next arrival there. If two laps
//! took the same path, and all streams of domains, register dependences and integer values continue their lines, the thread is
//! in the *steady state*, described by a [`Plan`]. From then on a block only has to be the next one on the path: by induction
//!
//! - each block runs once per lap, so its domain goes on by one;
//! - a register that some block on the path sets was set one lap later than in the lap before, and any other register is still
//!   from before the loop, so register dependences move by one, or stay, in their source;
//! - integers change by the same step per lap as long as they are sums of integers that do, and do not wrap around.
//!
//! An integer that is loaded from a place that stays the same (a spilled counter, a bound) counts as such a sum: it is checked at
//! each load that it goes on as before ([`Promise`]). If it does not, the steady state ends in the middle of a block.
//!
//! Data is left out, also in a register that holds a counter in another place. Integers that are no data and do not change like that
//! (`i % 10`, at first) are computed and recorded in every lap, all integers of the loop then: the state is *live*
//! ([`Plan::live`]). Everything else is as above.
//!
//! Nothing of that is recorded until the path is left ([`Tracer::leave_steady`]): then each line is made longer by the number of
//! laps, and registers get the makers and values that they have after the last block ([`Again`]).
//!
//! Nothing follows about memory, so every access is looked at. But most go on as the ones before ([`Expected`]): the address is one stride
//! further, and its last writer is the instance after, or is the same, or is nobody. Then it is only counted; otherwise what was counted is
//! added to the lines, and it is recorded in the usual way. Often only the writer is another one (vector instructions wrote several numbers at
//! once); then only that is recorded.
//!
//! Finding a steady state costs more than a few laps. A loop that has left it after a few laps gets more and more laps to
//! prove itself ([`Instance::patience`]).
//!
//! Example: `for (i..n) s += a[i]` compiled to one block that adds, counts and jumps back. In lap 3 the path has repeated: until the
//! loop ends only the load's address and its last writer are checked.

use crate::code::{Flow, MAX_VALUES, Operand, Operation, Units, Value};
use crate::course::Course;
use crate::events::{Access, Event};
use crate::nodes::Nodes;
use crate::position::Lap;
use crate::shadow::Cell;
use crate::tracer::{AccessSlot, Dependence, Instance, NONE, Prepared, Tracer, ValueSlot};
use crate::values::{Memory, Values};

/// Laps that must be the same as the one before before looking for a steady state.
const ALIKE: u32 = 1;
/// Longest path.
const LONGEST: usize = 64;
/// Laps after which finding the steady state has paid.
const PAID: u64 = 12;
/// Most laps that a loop is watched before it is looked at once more.
const MOST_PATIENT: u32 = 16;

/// Nobody is that: stands for a writer that cannot be foreseen.
const UNFORESEEN: Cell = Cell { stmt: u32::MAX, node: 0, inner: 0 };

/// An access, and what would be the next of its kind.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// Whether the address's line has a direction.
    pub armed: bool,
    /// Whether one run of the block may access several places.
    several: bool,
    /// Whether the address has changed along the loop, so that what is loaded is data.
    moves: bool,
    pub address: u64,
    pub stride: i64,
    /// For loads: the stream of the last writer and who that would be; none: nobody.
    pub stream: u32,
    pub writer: Cell,
    pub shift: u32,
    /// From access to access in the last outer coordinate of the writer; `writer` then has the node of the one before.
    pub hop: i64,
    /// Loads of what this writer made that have not been recorded.
    pub linked: u64,
    /// Accesses that were as expected and have not been recorded, the block's run at the last one, and its writer.
    pub pending: u64,
    pub serial: u64,
    pub latest: Cell,
}

/// What would be loaded next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Promise {
    pub next: u64,
    pub step: i64,
}

impl Promise {
    /// Whether these bytes were loaded.
    #[inline]
    pub fn holds(&self, seen: &Access) -> bool {
        let unused = 64 - 8 * u32::from(seen.size).clamp(1, 8);
        seen.known && (seen.value ^ self.next) << unused == 0
    }

    #[inline]
    pub fn advance(&mut self, laps: u64) {
        self.next = self.next.wrapping_add_signed(self.step.wrapping_mul(laps as i64));
    }
}

/// A block on the path.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    pub instance: u32,
    block: u32,
    pub first_stmt: u32,
    /// Its accesses, by slot.
    pub accesses: Vec<Expected>,
    /// Dependence streams that go on, and by which step of their labels.
    streams: Vec<(u32, i64)>,
    /// Integer results that go on, and by which step.
    values: Vec<(u16, i64)>,
    /// What was loaded last, by slot.
    pub loaded: Vec<Option<u64>>,
    /// What integers that are no data rely on, by slot.
    pub promises: Vec<Option<Promise>>,
}

/// A steady state.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub path: Vec<Stop>,
    /// The next block on the path.
    pub next: usize,
    /// Laps that are complete.
    pub laps: u64,
    /// Laps until some integer could wrap around.
    pub most: u64,
    /// The loop's counter when it began.
    start: u32,
    version: u32,
    /// The depth of the loop.
    depth: u8,
    /// The step of each integer register per lap; `None`: data.
    steps: [Option<i64>; MAX_VALUES],
    /// Whether integers are computed and recorded in every lap.
    live: bool,
    pub course: Course,
    /// Times in a row that the course was left in its first lap.
    pub missed: u32,
}

/// What a thread remembers of its way through a loop.
#[derive(Debug, Default)]
pub(crate) struct Laps {
    current: Vec<u32>,
    previous: Vec<u32>,
    alike: u32,
    /// The integer registers at the beginning of the lap before this one.
    before: Option<Values>,
    plan: Option<Box<Plan>>,
}

impl Laps {
    /// Whether the thread is in the steady state.
    #[inline]
    pub fn is_steady(&self) -> bool {
        self.plan.is_some()
    }

    /// Whether it is, and integers are computed all the same.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.live)
    }

    fn forget(&mut self) {
        self.current.clear();
        self.previous.clear();
        (self.alike, self.before) = (0, None);
    }
}

impl Tracer {
    /// Takes events as long as they are expected; returns how many, and whether the rest is the beginning of a lap. That is left for later
    /// if there is `more` to come.
    #[inline]
    pub(crate) fn take_steady(&mut self, thread: usize, events: &[Event], more: bool) -> (usize, bool) {
        let Some(mut plan) = self.threads[thread].laps.plan.take() else { return (0, false) };
        let expected = match plan.version == self.functions.version {
            true => self.take_expected(thread, &mut plan, events, more),
            false => (0, false),
        };
        self.threads[thread].laps.plan = Some(plan);
        expected
    }

    fn take_expected(
        &mut self,
        thread: usize,
        plan: &mut Plan,
        events: &[Event],
        more: bool,
    ) -> (usize, bool) {
        let mut at = 0;
        while let Some(mut event) = events.get(at) {
            if plan.next == 0 && !plan.live && matches!(event, Event::Exec { .. }) {
                plan.course.begin_lap();
                at += self.take_laps(thread, plan, &events[at..]);
                let Some(next) = events.get(at) else { break };
                event = next;
                if more && at > 0 && plan.next == 0 && plan.course.is_longer_than(events.len() - at) {
                    return (at, true);
                }
            }
            if !self.is_expected(thread, plan, event) {
                plan.course.interrupt();
                break;
            }
            at += 1;
        }
        (at, false)
    }

    /// Takes an event that is expected; false (and nothing done) if it is not.
    #[inline]
    fn is_expected(&mut self, thread: usize, plan: &mut Plan, event: &Event) -> bool {
        match event {
            Event::Exec { block } => {
                let stop = plan.next;
                let expected = self.steady_step(thread, plan, *block);
                plan.course.note(event, stop, 0);
                expected
            }
            Event::Access(access) => match self.slot(plan, access) {
                Some(slot) if self.steady_access(thread, plan, access, slot) => {
                    plan.course.note(event, plan.at(), slot);
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The slot of an access of the block that runs.
    #[inline]
    fn slot(&self, plan: &Plan, access: &Access) -> Option<u16> {
        let block = &self.blocks[plan.path[plan.at()].block as usize];
        Some(block.slots.get(usize::from(access.insn))?[usize::from(access.stores)])
    }

    /// Takes a block that is the next one on the path; false (and nothing done) if it is not.
    #[inline]
    fn steady_step(&mut self, thread: usize, plan: &mut Plan, block: u32) -> bool {
        let stop = &plan.path[plan.next];
        // Now and then everything is brought up to date, so that memory can be looked after.
        let due = (self.executed + 1).is_multiple_of(crate::tracer::CHECK_EVERY);
        if stop.block != block || plan.laps >= plan.most || due {
            return false;
        }
        if plan.live {
            self.finish_values(thread, usize::MAX);
        }
        let t = &mut self.threads[thread];
        t.walker.inner += u32::from(plan.next == 0);
        t.instance = stop.instance;
        t.values_done = 0;
        t.serial += 1;
        self.executed += 1;
        plan.advance();
        true
    }

    /// A block runs in the usual way. Returns whether the steady state begins with it.
    #[inline]
    pub(crate) fn note_lap(&mut self, thread: usize, instance: u32, lap: Lap) -> bool {
        let laps = &mut self.threads[thread].laps;
        match lap {
            Lap::Same if laps.current.len() < LONGEST => laps.current.push(instance),
            Lap::Next if laps.current.len() < LONGEST => return self.next_lap(thread, instance),
            _ => laps.forget(),
        }
        false
    }

    fn next_lap(&mut self, thread: usize, instance: u32) -> bool {
        let t = &mut self.threads[thread];
        let laps = &mut t.laps;
        laps.alike = if laps.current == laps.previous { laps.alike + 1 } else { 0 };
        std::mem::swap(&mut laps.previous, &mut laps.current);
        laps.current.clear();
        laps.current.push(instance);
        let before = laps.before.take();
        if laps.alike + 1 >= ALIKE {
            laps.before = Some(t.values.clone());
        }
        // Looking is not free: if nothing comes of it, it is done at distances that double.
        let patience = self.instances[instance as usize].patience.max(ALIKE);
        if laps.alike < patience
            || !(laps.alike / patience).is_power_of_two()
            || !laps.alike.is_multiple_of(patience)
        {
            return false;
        }
        let old = self.instances[instance as usize].old_plan.take();
        let plan = before.and_then(|before| self.plan(thread, &before, old));
        let laps = &mut self.threads[thread].laps;
        laps.plan = plan;
        laps.is_steady()
    }

    /// The steady state that begins with the lap that begins now, if there is one; `old` is that of an earlier entry.
    fn plan(&self, thread: usize, before: &Values, old: Option<Box<Plan>>) -> Option<Box<Plan>> {
        let t = &self.threads[thread];
        let path = &t.laps.previous;
        let distinct = path.iter().enumerate().all(|(n, i)| !path[..n].contains(i));
        if !distinct || path.first() != t.laps.current.first() {
            return None;
        }
        let mut plan = old.unwrap_or_default();
        if !plan.path.iter().map(|stop| &stop.instance).eq(path) {
            (plan.course, plan.missed, plan.path) = (Course::Unknown, 0, Vec::new());
            plan.path.resize_with(path.len(), Stop::default);
        }
        plan.depth = self.contexts.get(t.walker.context).depth;
        plan.steps = steps_at_start(&t.values, before, plan.depth);
        let mut run = Trial {
            tracer: self,
            node: t.walker.node,
            inner: t.walker.inner,
            depth: plan.depth,
            makers: t.registers.clone(),
            written: Units::default(),
            values: t.values.clone(),
            steps: plan.steps,
            most: u64::MAX,
            live: false,
        };
        for &number in path {
            run.written = run.written.with(self.prepared(number).writes);
        }
        for (stop, number) in plan.path.iter_mut().zip(path) {
            *stop = run.stop(*number, std::mem::take(stop))?;
        }
        plan.live = run.live || !run.closes(&t.values, &plan.steps);
        if plan.live {
            for stop in &mut plan.path {
                stop.values.clear();
                stop.promises.fill(None);
            }
        }
        (plan.next, plan.laps, plan.start) = (0, 0, t.walker.inner);
        plan.most = if plan.live { u64::MAX } else { run.most };
        plan.version = self.functions.version;
        plan.advance();
        Some(plan)
    }

    fn prepared(&self, instance: u32) -> &Prepared {
        &self.blocks[self.instances[instance as usize].block as usize]
    }

    /// The thread leaves the path: everything is as if each block had been looked at.
    pub(crate) fn leave_steady(&mut self, thread: usize) {
        self.leave_steady_at(thread, u16::MAX);
    }

    /// An access in the steady state that is not what integers rely on: the steady state ends before it.
    pub(crate) fn check_promise(&mut self, thread: usize, slot: u16, access: &Access) {
        let Some(plan) = &mut self.threads[thread].laps.plan else { return };
        let Some(Some(promise)) = plan.running().promises.get_mut(usize::from(slot)) else { return };
        if promise.holds(access) {
            promise.advance(1);
        } else {
            self.leave_steady_at(thread, access.insn);
        }
    }

    /// As if the steady state had ended before the integer results of this instruction of the block that runs.
    fn leave_steady_at(&mut self, thread: usize, insn: u16) {
        let Some(mut plan) = self.threads[thread].laps.plan.take() else { return };
        self.threads[thread].laps.forget();
        let header = &mut self.instances[plan.path[0].instance as usize];
        header.patience = match plan.laps < PAID {
            true => (4 * header.patience.max(ALIKE)).min(MOST_PATIENT),
            false => ALIKE,
        };
        let node = self.threads[thread].walker.node;
        for stop in &mut plan.path {
            let slots = &mut self.instances[stop.instance as usize].accesses;
            for (access, slot) in stop.accesses.iter_mut().zip(slots) {
                access.settle(slot, &mut self.dependences.list, node);
            }
        }
        let running = &plan.path[plan.at()];
        let values = &self.blocks[running.block as usize].values;
        let done = values.iter().take_while(|(at, _)| *at < insn).count();
        for (n, stop) in plan.path.iter().enumerate() {
            let values_done = if n == plan.at() { done } else { usize::MAX };
            self.extend(stop, plan.laps + u64::from(n < plan.next), values_done);
        }
        let walker = &self.threads[thread].walker;
        let (context, rounds) = (walker.context, u64::from(walker.inner - plan.start));
        self.contexts.get_mut(context).iterations += rounds;
        self.restore_makers(thread, &plan);
        if !plan.live {
            self.restore_values(thread, &plan, done);
        }
        let header = plan.path[0].instance as usize;
        self.instances[header].old_plan = Some(plan);
    }

    /// All lines of a block go on for so many points; those of values that are not done yet for one less.
    fn extend(&mut self, stop: &Stop, points: u64, values_done: usize) {
        let instance = &mut self.instances[stop.instance as usize];
        instance.count += points;
        instance.domain.iter_mut().for_each(|domain| domain.line.extend_by(points, [1, 0]));
        for &(value, step) in &stop.values {
            // There is none if the block is only counted.
            if let Some(slot) = instance.values.get_mut(usize::from(value)) {
                let points = points - u64::from(usize::from(value) >= values_done);
                slot.stream.line.extend_by(points, [1, step]);
            }
        }
        for &(stream, step) in &stop.streams {
            self.dependences.list[stream as usize].stream.line.extend_by(points, [1, step]);
        }
    }

    fn restore_makers(&mut self, thread: usize, plan: &Plan) {
        let Tracer { threads, instances, blocks, .. } = self;
        let t = &mut threads[thread];
        let (node, now) = (t.walker.node, t.walker.inner);
        // What follows on the path was last run in the lap before.
        let earlier =
            plan.path[plan.next..].iter().map(|stop| (stop, now.wrapping_sub(u32::from(plan.next > 0))));
        let later = plan.path[..plan.next].iter().map(|stop| (stop, now));
        let earlier = earlier.filter(|_| plan.laps > 0);
        for (stop, inner) in earlier.chain(later) {
            let instance = &instances[stop.instance as usize];
            for &(unit, insn) in &blocks[stop.block as usize].outgoing {
                t.registers[usize::from(unit)] = instance.cell(insn, node, inner);
            }
        }
    }

    /// Integer registers after the last block, of which so many results are done: the lap before this one, and what has run of this
    /// one, are carried out again.
    fn restore_values(&mut self, thread: usize, plan: &Plan, done: usize) {
        let Tracer { threads, instances, blocks, .. } = self;
        let t = &mut threads[thread];
        let mut again = Again { values: &mut t.values, exact: [true; MAX_VALUES], depth: plan.depth };
        let of = |stop: &Stop| (&blocks[stop.block as usize], &instances[stop.instance as usize]);
        let last = |n: usize| if n + 1 == plan.next { done } else { usize::MAX };
        if plan.laps > 0 {
            again.skip(&plan.steps, plan.laps - 1);
            for (n, stop) in plan.path.iter().enumerate() {
                // Of blocks that have run once more only what they loaded then is known.
                let known: &[_] = if n < plan.next { &[] } else { &stop.loaded };
                let whole = plan.next > 0 || n + 1 < plan.path.len();
                again.run(of(stop), known, if whole { usize::MAX } else { done });
            }
        }
        for (n, stop) in plan.path[..plan.next].iter().enumerate() {
            again.run(of(stop), &stop.loaded, last(n));
        }
        t.values_done = done;
    }

    /// Takes an access that is as expected; false (and nothing done) if it is not.
    #[inline]
    fn steady_access(&mut self, thread: usize, plan: &mut Plan, seen: &Access, slot: u16) -> bool {
        if self.options.memory_dependences {
            return false;
        }
        let t = &self.threads[thread];
        let (node, inner, serial, number) = (t.walker.node, t.walker.inner, t.serial, t.instance);
        let (live, depth) = (plan.live, plan.depth);
        let stop = plan.running();
        let slot = usize::from(slot);
        let Some(access) = stop.accesses.get_mut(slot).filter(|a| a.armed) else { return false };
        // The other half of a wide access adds nothing, if it has the same writer.
        let again = access.serial == serial && access.pending > 0;
        if if again { !access.several } else { seen.address != access.address } {
            return false;
        }
        let promise = stop.promises[slot].as_mut().filter(|_| !seen.stores);
        if promise.as_ref().is_some_and(|promise| !promise.holds(seen)) {
            return false;
        }
        let Some(cells) = self.shadow.cells(seen.address, u32::from(seen.size)) else { return false };
        let Some((&mut first, rest)) = cells.split_first_mut() else { return false };
        let uniform = rest.iter().all(|cell| *cell == first);
        if seen.stores {
            cells.fill(Cell { stmt: stop.first_stmt + u32::from(seen.insn), node, inner });
        } else if !uniform || (again && first != access.latest) {
            return false;
        }
        self.accesses += 1;
        if let Some(promise) = promise {
            promise.advance(1);
        }
        if !again {
            access.count(serial);
            if seen.stores || access.is_writer(first, &self.nodes) {
                access.count_writer(first);
            } else {
                access.settle_links(&mut self.dependences.list);
                let at = (seen.insn, slot as u16);
                self.load(number, at, seen.address, u32::from(seen.size), (node, inner));
                let known = &self.instances[number as usize].accesses[slot];
                access.foresee(known, &self.dependences.list, (node, inner), Some(first));
            }
            access.latest = first;
        }
        if live {
            let data = if again || access.moves { depth } else { 0 };
            self.memory_value(thread, number, seen.insn, seen.stores, Memory { value: seen.value(), data });
        } else if !seen.stores {
            stop.loaded[slot] = seen.value();
        }
        true
    }

    /// Records what was only counted of an access of the block that runs.
    pub(crate) fn settle(&mut self, thread: usize, slot: u16) {
        let t = &mut self.threads[thread];
        let node = t.walker.node;
        let Some(stop) = t.laps.plan.as_mut().map(|plan| plan.running()) else { return };
        let number = stop.instance;
        let Some(access) = stop.accesses.get_mut(usize::from(slot)) else { return };
        let instance = &mut self.instances[number as usize];
        access.settle(&mut instance.accesses[usize::from(slot)], &mut self.dependences.list, node);
        access.armed = false;
    }

    /// After an access was recorded in the usual way: what the next one would be.
    pub(crate) fn expect(&mut self, thread: usize, slot: u16, stores: bool, writer: Cell) {
        let t = &mut self.threads[thread];
        let (node, inner) = (t.walker.node, t.walker.inner);
        let Some(stop) = t.laps.plan.as_mut().map(|plan| plan.running()) else { return };
        let instance = &self.instances[stop.instance as usize];
        let (Some(access), Some(known)) =
            (stop.accesses.get_mut(usize::from(slot)), instance.accesses.get(usize::from(slot)))
        else {
            return;
        };
        *access = Expected::after(known, stores, &self.dependences.list, (node, inner), Some(writer));
    }

    /// In the steady state an instruction has loaded or stored something: what it loads is kept for later, or its integer
    /// results are recorded at once.
    #[inline]
    pub(crate) fn steady_value(&mut self, thread: usize, insn: u16, slot: u16, stores: bool, memory: Memory) {
        let t = &mut self.threads[thread];
        let Some(plan) = &mut t.laps.plan else { return };
        if plan.live {
            let number = t.instance;
            self.memory_value(thread, number, insn, stores, memory);
        } else if !stores && let Some(loaded) = plan.running().loaded.get_mut(usize::from(slot)) {
            *loaded = memory.value;
        }
    }
}

impl Expected {
    /// What follows an access at a position (node, innermost coordinate) of which the last writer was this; if it is not known who that
    /// was, whoever would go on in line.
    fn after(
        slot: &AccessSlot,
        stores: bool,
        dependences: &[Dependence],
        (node, inner): (u32, u32),
        writer: Option<Cell>,
    ) -> Expected {
        let mut next = Expected { stream: NONE, ..Expected::default() };
        let Some((address, stride, _)) = slot.address.line.next_label(node, 0, inner) else { return next };
        (next.armed, next.several, next.moves) = (true, slot.several, slot.moves);
        (next.address, next.stride) = (address as u64, stride);
        if !stores {
            next.foresee(slot, dependences, (node, inner), writer);
        }
        next
    }

    /// Who wrote what is loaded next, if the last writer was this; if it is not known who that was, whoever would go on in line.
    pub fn foresee(
        &mut self,
        slot: &AccessSlot,
        dependences: &[Dependence],
        (node, inner): (u32, u32),
        writer: Option<Cell>,
    ) {
        (self.stream, self.shift, self.hop, self.writer) = (NONE, 0, 0, Cell::default());
        if writer.is_some_and(|writer| writer.stmt == 0) {
            return;
        }
        let mut from = slot.sources.iter().filter_map(|(stmt, stream)| {
            let known = &dependences.get(*stream as usize)?.stream;
            let (label, shift, hop, source) = match writer {
                None => {
                    let (label, shift, hop) = known.line.next_label(node, known.line.source(), inner)?;
                    (label, shift, hop, known.line.source())
                }
                Some(writer) => {
                    let (label, shift, hop) = known.next_label(node, writer.node, inner)?;
                    (label, shift, hop, writer.node)
                }
            };
            let cell = Cell { stmt: *stmt, node: source, inner: label as u32 };
            let wanted = writer.is_none_or(|writer| writer.stmt == *stmt) && i32::try_from(shift).is_ok();
            wanted.then_some((*stream, shift as u32, hop, cell))
        });
        match (from.next(), from.next()) {
            (Some((stream, shift, hop, cell)), None) => {
                (self.stream, self.shift, self.hop, self.writer) = (stream, shift, hop, cell);
                self.latest = Cell { inner: cell.inner.wrapping_sub(shift), ..cell };
            }
            (None, None) if writer.is_none() => {}
            _ => self.writer = UNFORESEEN,
        }
    }

    /// It cannot be told who wrote what is loaded next.
    pub fn lose_writer(&mut self) {
        (self.stream, self.shift, self.hop, self.writer) = (NONE, 0, 0, UNFORESEEN);
    }

    /// One more access was as expected, in this run of the block.
    #[inline]
    fn count(&mut self, serial: u64) {
        self.pending += 1;
        self.serial = serial;
        self.address = self.address.wrapping_add_signed(self.stride);
    }

    /// So was its writer, this one.
    #[inline]
    fn count_writer(&mut self, writer: Cell) {
        self.linked += 1;
        self.writer = Cell {
            stmt: self.writer.stmt,
            node: if self.hop == 0 { self.writer.node } else { writer.node },
            inner: self.writer.inner.wrapping_add(self.shift),
        };
    }

    /// Whether this is the writer that is expected.
    #[inline]
    fn is_writer(&self, cell: Cell, nodes: &Nodes) -> bool {
        if self.hop == 0 {
            return cell == self.writer;
        }
        (cell.stmt, cell.inner) == (self.writer.stmt, self.writer.inner)
            && nodes.hop(self.writer.node, cell.node) == Some(self.hop)
    }

    /// Adds what was counted to the lines.
    fn settle(&mut self, slot: &mut AccessSlot, dependences: &mut [Dependence], node: u32) {
        self.settle_links(dependences);
        let pending = std::mem::take(&mut self.pending);
        if pending == 0 {
            return;
        }
        slot.address.line.extend(pending);
        slot.serial = self.serial;
        slot.last = (self.address.wrapping_add_signed(self.stride.wrapping_neg()), node);
    }

    /// Adds what was counted to the line of the writer.
    pub fn settle_links(&mut self, dependences: &mut [Dependence]) {
        let linked = std::mem::take(&mut self.linked);
        if let Some(dependence) = dependences.get_mut(self.stream as usize).filter(|_| linked > 0) {
            let step = [1, i64::from(self.shift as i32)];
            dependence.stream.line.extend_to(linked, step, self.latest.node);
        }
    }
}

impl Plan {
    /// The position of the block that runs.
    #[inline]
    pub fn at(&self) -> usize {
        if self.next == 0 { self.path.len() - 1 } else { self.next - 1 }
    }

    /// The block that runs.
    #[inline]
    pub fn running(&mut self) -> &mut Stop {
        let at = self.at();
        &mut self.path[at]
    }

    #[inline]
    fn advance(&mut self) {
        self.next += 1;
        if self.next == self.path.len() {
            self.next = 0;
            self.laps += 1;
        }
    }
}

/// Blocks that have run, carried out again to know what the integer registers hold.
struct Again<'a> {
    values: &'a mut Values,
    /// Whether it is known what a register holds.
    exact: [bool; MAX_VALUES],
    depth: u8,
}

impl Again<'_> {
    /// Goes on by some laps, of which only the integers that change by constant steps are known afterwards.
    fn skip(&mut self, steps: &[Option<i64>; MAX_VALUES], laps: u64) {
        for (register, step) in steps.iter().enumerate() {
            self.values.advance(register as u8, step.unwrap_or(0).wrapping_mul(laps as i64));
            self.exact[register] = step.is_some() || laps == 0;
        }
    }

    /// Runs the first `done` results of a block; `loaded` is what it has loaded, by slot, as far as that is known.
    fn run(&mut self, (prepared, instance): (&Prepared, &Instance), loaded: &[Option<u64>], done: usize) {
        for (n, (insn, value)) in prepared.values.iter().enumerate().take(done) {
            let known = prepared.slots[usize::from(*insn)][0];
            let found = loaded.get(usize::from(known)).copied().flatten();
            let memory = Memory { value: found, data: data_in_memory(prepared, instance, *insn, value) };
            let exact = self.is_exact(value, found.is_some());
            if exact {
                self.values.compute(value, memory, self.depth);
            } else {
                self.values.invent(value, memory, self.depth);
            }
            let Some(to) = value.to else { continue };
            self.exact[usize::from(to) % MAX_VALUES] = exact;
            if instance.values.get(n).is_some_and(|slot| slot.data) {
                self.values.mark_data(to, self.depth);
            }
        }
    }

    fn is_exact(&self, value: &Value, loaded: bool) -> bool {
        let is_exact = |register: u8| self.exact[usize::from(register) % MAX_VALUES];
        let operand = |operand: &Operand| match operand {
            Operand::Register(register) => is_exact(*register),
            Operand::Constant(_) => true,
            Operand::Loaded => loaded,
        };
        !matches!(value.operation, Operation::Stored | Operation::Unknown)
            && value.operands.iter().all(operand)
            && (value.bits >= 32 || value.to.is_none_or(is_exact))
    }
}

/// The depth at which what an instruction loads, or stores, becomes data.
fn data_in_memory(prepared: &Prepared, instance: &Instance, insn: u16, value: &Value) -> u8 {
    let slots = prepared.slots[usize::from(insn)];
    let slot = slots[usize::from(value.operation == Operation::Stored)];
    let access = instance.accesses.get(usize::from(slot));
    if access.is_some_and(|access| access.moves) { instance.depth } else { 0 }
}

/// The steps of the integer registers from the lap before to this one; `None`: data.
fn steps_at_start(now: &Values, before: &Values, depth: u8) -> [Option<i64>; MAX_VALUES] {
    std::array::from_fn(|register| {
        let register = register as u8;
        let data = [now, before].iter().any(|values| values.is_data(register, depth));
        (!data).then(|| now.get(register).wrapping_sub(before.get(register)))
    })
}

/// One lap carried out on paper.
struct Trial<'a> {
    tracer: &'a Tracer,
    node: u32,
    inner: u32,
    depth: u8,
    makers: Vec<Cell>,
    /// Registers that some block on the path sets.
    written: Units,
    values: Values,
    /// The step per lap of what each integer register holds now; `None`: data.
    steps: [Option<i64>; MAX_VALUES],
    most: u64,
    live: bool,
}

impl Trial<'_> {
    /// A block of the path; `old` is what it was when the loop was steady before, or anything else that can be overwritten.
    fn stop(&mut self, number: u32, old: Stop) -> Option<Stop> {
        let instance = &self.tracer.instances[number as usize];
        let prepared = self.tracer.prepared(number);
        let odd = |insn: &crate::code::Insn| insn.stack || insn.transfer.is_some();
        if prepared.block.flow == Flow::Call || prepared.block.insns.iter().any(odd) {
            return None;
        }
        let at = [i64::from(self.inner), 0];
        if let Some(domain) = &instance.domain
            && !domain.line.goes_on(self.node, 0, at, [1, 0])
        {
            return None;
        }
        let Stop { mut accesses, streams, mut values, mut loaded, mut promises, .. } = old;
        let streams = self.streams(instance, prepared, streams)?;
        for &(unit, insn) in &prepared.outgoing {
            self.makers[usize::from(unit)] = instance.cell(insn, self.node, self.inner);
        }
        promises.clear();
        promises.resize(prepared.accesses.len(), None);
        loaded.clear();
        loaded.resize(prepared.accesses.len(), None);
        self.live = self.live || self.values_of(instance, prepared, &mut values, &mut promises).is_none();
        let before = (self.node, self.inner.wrapping_sub(1));
        accesses.clear();
        accesses.extend(instance.accesses.iter().zip(&prepared.accesses).map(|(slot, (_, stores, _))| {
            Expected::after(slot, *stores, &self.tracer.dependences.list, before, None)
        }));
        let (block, first_stmt) = (instance.block, instance.first_stmt);
        Some(Stop { instance: number, block, first_stmt, accesses, streams, values, loaded, promises })
    }

    /// The streams of the registers that come in; `None` if one does not go on as before.
    fn streams(
        &self,
        instance: &Instance,
        prepared: &Prepared,
        mut found: Vec<(u32, i64)>,
    ) -> Option<Vec<(u32, i64)>> {
        found.clear();
        for (incoming, sources) in prepared.incoming.iter().zip(&instance.incoming) {
            let low = self.makers[usize::from(incoming.unit)];
            let high =
                incoming.pair.map(|pair| (pair, self.makers[usize::from(pair)])).filter(|(_, h)| *h != low);
            for (unit, maker) in [Some((incoming.unit, low)), high].into_iter().flatten() {
                if maker.stmt == 0 {
                    continue;
                }
                let number = sources.iter().find(|(stmt, _)| *stmt == maker.stmt)?.1;
                let dependence =
                    self.tracer.dependences.list.get(number as usize).filter(|_| number != NONE)?;
                let step = [1, i64::from(self.written.contains(unit))];
                let point = [i64::from(self.inner), i64::from(maker.inner)];
                if !dependence.stream.line.goes_on(self.node, maker.node, point, step)
                    || found.iter().any(|(known, _)| *known == number)
                {
                    return None;
                }
                found.push((number, step[1]));
            }
        }
        Some(found)
    }

    /// The integer results that go on by a constant step; `None` if one does not, and is no data.
    fn values_of(
        &mut self,
        instance: &Instance,
        prepared: &Prepared,
        found: &mut Vec<(u16, i64)>,
        promises: &mut [Option<Promise>],
    ) -> Option<()> {
        found.clear();
        for (n, (insn, value)) in prepared.values.iter().enumerate() {
            let slot = instance.values.get(n);
            let promise = slot.and_then(|slot| self.promise(value, slot));
            let step = self.step_of(value, promise.map(|promise| promise.step));
            let data = data_in_memory(prepared, instance, *insn, value);
            let memory = Memory { value: promise.map(|promise| promise.next), data };
            let result = self.values.compute(value, memory, self.depth);
            if slot.map_or(result.is_none(), |slot| slot.data) {
                self.take_data(value, slot.is_some());
                continue;
            }
            let (step, result) = (step?, result?);
            self.most = self.most.min(laps_in_range(result, step, value.bits));
            if let Some(slot) = slot {
                let point = [i64::from(self.inner), result];
                if !slot.stream.line.goes_on(self.node, 0, point, [1, step]) {
                    return None;
                }
            }
            if let Some(promise) = promise {
                *promises.get_mut(usize::from(prepared.slots[usize::from(*insn)][0]))? = Some(promise);
            }
            found.push((n as u16, step));
            if let Some(to) = value.to {
                self.steps[usize::from(to) % MAX_VALUES] = Some(step);
            }
        }
        Some(())
    }

    /// A result is data; if it is recorded, that may have turned out only there.
    fn take_data(&mut self, value: &Value, recorded: bool) {
        if let Some(to) = value.to {
            self.steps[usize::from(to) % MAX_VALUES] = None;
            if recorded {
                self.values.mark_data(to, self.depth);
            }
        }
    }

    /// What would be loaded next, if a result is just that, perhaps extended.
    fn promise(&self, value: &Value, slot: &ValueSlot) -> Option<Promise> {
        let moves =
            matches!(value.operation, Operation::Copy | Operation::SignExtend(_) | Operation::ZeroExtend(_));
        if !moves || value.operands[0] != Operand::Loaded || slot.data {
            return None;
        }
        let (next, step, _) = slot.stream.line.next_label(self.node, 0, self.inner.wrapping_sub(1))?;
        Some(Promise { next: next as u64, step })
    }

    /// The step per lap of a result; `loaded` is that of what is loaded.
    fn step_of(&mut self, value: &Value, loaded: Option<i64>) -> Option<i64> {
        let [a, b] = value.operands.map(|operand| match operand {
            Operand::Register(r) => self.steps[usize::from(r) % MAX_VALUES],
            Operand::Constant(_) => Some(0),
            Operand::Loaded => loaded,
        });
        let (a, b) = (a?, b?);
        let constant = |operand| match operand {
            Operand::Register(r) => self.values.get(r),
            Operand::Constant(c) => c,
            Operand::Loaded => 0,
        };
        let step = match value.operation {
            Operation::Copy => a,
            Operation::Add => a.checked_add(b)?,
            Operation::Subtract => a.checked_sub(b)?,
            Operation::Address { scale, .. } => a.checked_add(b.checked_mul(1 << scale)?)?,
            Operation::Multiply if a == 0 => b.checked_mul(constant(value.operands[0]))?,
            Operation::Multiply if b == 0 => a.checked_mul(constant(value.operands[1]))?,
            Operation::SignExtend(_) | Operation::ZeroExtend(_) if loaded.is_some() => a,
            Operation::SignExtend(bits) | Operation::ZeroExtend(bits) => {
                let narrow = crate::values::sign_extended(constant(value.operands[0]), bits);
                self.most = self.most.min(laps_in_range(narrow, a, bits));
                a
            }
            Operation::Stored | Operation::Unknown => return None,
            _ if a == 0 && b == 0 => 0,
            // The sign, as long as it stays the same.
            Operation::ShiftArithmetic
                if b == 0 && constant(value.operands[1]) == i64::from(value.bits) - 1 =>
            {
                let number = crate::values::sign_extended(constant(value.operands[0]), value.bits);
                self.most = self.most.min(laps_in_range(number, a, value.bits));
                0
            }
            Operation::ShiftLeft if b == 0 => {
                let by = constant(value.operands[1]) & if value.bits == 64 { 63 } else { 31 };
                a.checked_mul(1i64.checked_shl(by as u32)?)?
            }
            _ => return None,
        };
        // A narrow result is only a part of its register.
        let same = |to: u8| self.steps[usize::from(to) % MAX_VALUES] == Some(0);
        (value.bits >= 32 || step == 0 && value.to.is_none_or(same)).then_some(step)
    }

    /// Whether the lap ends with each integer register one step further than it began, and data where data was.
    fn closes(&self, start: &Values, steps: &[Option<i64>; MAX_VALUES]) -> bool {
        let further = |register: u8| {
            let step = steps[usize::from(register)];
            let value =
                step.is_none_or(|step| self.values.get(register) == start.get(register).wrapping_add(step));
            value
                && step == self.steps[usize::from(register)]
                && start.data(register) == self.values.data(register)
        };
        (0..MAX_VALUES as u8).all(further)
    }
}

/// Laps for which a number of so many bits keeps its sign and does not overflow.
fn laps_in_range(value: i64, step: i64, bits: u8) -> u64 {
    let most = i64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
    let room = match (step, value) {
        (0, _) => return u64::MAX,
        (1.., 0..) => most.saturating_sub(value),
        (1.., _) => -1 - value,
        (_, 0..) => value,
        (_, _) => value.saturating_sub(-most - 1),
    };
    room.max(0) as u64 / step.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_until_a_number_wraps() {
        assert_eq!(laps_in_range(100, 1, 8), 27);
        assert_eq!(laps_in_range(-100, -1, 8), 28);
        assert_eq!(laps_in_range(-10, 3, 32), 3);
        assert_eq!(laps_in_range(10, -3, 32), 3);
        assert_eq!(laps_in_range(0, 8, 64), (i64::MAX / 8) as u64);
        assert_eq!(laps_in_range(5, 0, 32), u64::MAX);
    }
}
