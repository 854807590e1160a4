//! Laps of a steady loop, many at a time.
//!
//! In the steady state (see `steady`) each lap has the same sequence of events, its *course*. It is drafted in one lap in which everything
//! was expected; from then on whole laps are compared with it. All that is counted follows from the number of laps
//! ([`Tracer::take_laps`]).
//!
//! ```text
//! course:   exec b0 | load a, load b | exec b1 | store c
//! step:     block   | address + n stride, last writer + n shift
//! ```
//!
//! They are taken not lap by lap but *step by step*: all loads of `a`, then all of `b`, and so on, first only their addresses, to
//! know how many laps are alike, then their last writers. What a step needs then stays in registers, and cells of the shadow
//! memory are passed one after the other. The result is the same as long as no two steps, one of them a store, touch the same bytes in
//! different laps ([`Next::meets`]); steps of which that is not certain (`a[i] = a[i - 1]`) are taken lap by lap.
//!
//! What follows the last whole lap that is on the course is taken one by one.

use crate::events::{Access, Event};
use crate::nodes::Nodes;
use crate::shadow::{Cell, Shadow};
use crate::steady::{Expected, Plan, Promise, Stop};
use crate::tracer::{CHECK_EVERY, Tracer};

/// Times in a row that a course may be left in its first lap before it is drafted again.
const MOST_MISSED: u32 = 4;

/// For more stores than that per lap and lap it is not looked which steps are apart.
const MOST_STORES: usize = 8;

/// The course of a steady loop, as far as it is known.
#[derive(Debug, Default)]
pub(crate) enum Course {
    /// From the next lap on it is drafted.
    #[default]
    Unknown,
    /// A lap up to now.
    Draft(Vec<Step>),
    /// A whole lap.
    Known(Vec<Step>),
}

/// One event of a lap.
#[derive(Debug)]
pub(crate) struct Step {
    /// The block of the path.
    stop: u16,
    what: What,
}

#[derive(Debug)]
enum What {
    Exec(u32),
    Access(Next),
}

/// An access, and what the next one would be.
#[derive(Debug)]
struct Next {
    insn: u16,
    stores: bool,
    size: u16,
    slot: u16,
    /// How far it is from the first access of its instruction; `None` if it is the first.
    part: Option<i64>,
    address: u64,
    stride: i64,
    /// The last writer of what is loaded, or who stores. If the writer hops from node to node, it has the node of the one before.
    cell: Cell,
    shift: u32,
    hop: i64,
    /// Loads of what this writer made.
    linked: u64,
    promise: Option<Promise>,
}

/// When two steps touch the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meet {
    /// Their arrays are apart, or they are columns of one table.
    Never,
    /// At most in one and the same lap.
    SameLap,
    Anytime,
}

impl What {
    /// How many of these laps have this as their `n`-th event, as far as can be told without looking at last writers.
    fn laps_alike(&self, laps: std::slice::ChunksExact<'_, Event>, n: usize) -> usize {
        match self {
            What::Exec(block) => {
                let is_alike =
                    |lap: &[Event]| matches!(&lap[n], Event::Exec { block: seen } if seen == block);
                laps.take_while(|lap| is_alike(lap)).count()
            }
            What::Access(next) => next.laps_alike(laps, n),
        }
    }

    fn access(&self) -> Option<&Next> {
        match self {
            What::Exec(_) => None,
            What::Access(next) => Some(next),
        }
    }
}

impl Next {
    fn laps_alike(&self, laps: std::slice::ChunksExact<'_, Event>, n: usize) -> usize {
        let (mut address, mut promise) = (self.address, self.promise);
        let is_alike = |lap: &&[Event]| {
            let Event::Access(seen) = &lap[n] else { return false };
            let same = (seen.insn, seen.size, seen.stores) == (self.insn, self.size, self.stores);
            let kept = promise.as_mut().is_none_or(|promise| {
                let holds = promise.holds(seen);
                promise.advance(1);
                holds
            });
            let expected = seen.address == address;
            address = address.wrapping_add_signed(self.stride);
            expected && same && kept
        };
        laps.take_while(is_alike).count()
    }

    /// When this and the other one touch the same bytes, in so many laps.
    fn meets(&self, other: &Next, laps: usize) -> Meet {
        let (own, others) = (self.range(laps), other.range(laps));
        if own.end <= others.start || others.end <= own.start {
            return Meet::Never;
        }
        let size = u64::from(self.size.max(other.size));
        let (stride, way) = (self.stride.unsigned_abs(), self.address.abs_diff(other.address));
        if self.stride != other.stride || stride == 0 {
            return Meet::Anytime;
        }
        let column = way % stride;
        if column >= size && stride - column >= size {
            return Meet::Never;
        }
        if way.saturating_add(size) <= stride { Meet::SameLap } else { Meet::Anytime }
    }

    /// The bytes from the first to the last that so many laps touch.
    fn range(&self, laps: usize) -> std::ops::Range<i128> {
        let (first, size) = (i128::from(self.address), i128::from(self.size));
        let last = first + i128::from(self.stride) * (laps.max(1) - 1) as i128;
        first.min(last)..first.max(last) + size
    }

    /// For the other part of a wide load: how many laps it has the writer of the first part.
    fn laps_of_one_writer(&self, way: i64, shadow: &mut Shadow, laps: usize) -> usize {
        let size = u32::from(self.size);
        let mut address = self.address.wrapping_add_signed(way.wrapping_neg());
        let one = |cells: &[Cell]| {
            let (first, rest) = cells.split_first()?;
            rest.iter().all(|cell| cell == first).then_some(*first)
        };
        let mut lap = 0;
        while lap < laps {
            let writer = shadow.cells(address, size).and_then(|cells| one(cells));
            let other = shadow.cells(address.wrapping_add_signed(way), size).and_then(|cells| one(cells));
            if writer.is_none() || writer != other {
                break;
            }
            address = address.wrapping_add_signed(self.stride);
            lap += 1;
        }
        lap
    }

    /// Takes accesses as long as they need nothing else than to be counted, at most so many; returns how many.
    #[inline]
    fn pass(&mut self, shadow: &mut Shadow, nodes: &Nodes, laps: usize) -> usize {
        let (address, stride, size) = (self.address, self.stride, u32::from(self.size));
        let (mut next, shift) = (self.cell, self.shift);
        let passed = match (self.stores, self.hop) {
            (true, _) => shadow.walk(address, stride, size, laps, |cells| {
                match cells {
                    [cell] => *cell = next,
                    _ => cells.fill(next),
                }
                next.inner = next.inner.wrapping_add(1);
                true
            }),
            (false, 0) => shadow.walk(address, stride, size, laps, |cells| {
                let expected = match cells {
                    [cell] => *cell == next,
                    _ => cells.iter().all(|cell| *cell == next),
                };
                next.inner = next.inner.wrapping_add(if expected { shift } else { 0 });
                expected
            }),
            (false, hop) => shadow.walk(address, stride, size, laps, |cells| {
                let Some((first, rest)) = cells.split_first() else { return false };
                let expected = rest.iter().all(|cell| cell == first)
                    && (first.stmt, first.inner) == (next.stmt, next.inner)
                    && nodes.hop(next.node, first.node) == Some(hop);
                if expected {
                    next = Cell { inner: next.inner.wrapping_add(shift), ..*first };
                }
                expected
            }),
        };
        self.cell = next;
        self.linked += passed as u64;
        self.address = address.wrapping_add_signed(stride.wrapping_mul(passed as i64));
        passed
    }

    /// Goes on from what is expected; `None` if that is not known, or not by constant steps. `own` stands for who stores.
    fn resume(&mut self, expected: &Expected, promise: Option<Promise>, own: Cell) -> Option<()> {
        // The parts of a wide access have one writer, which a hop to it would miss.
        if !expected.armed || expected.hop != 0 && self.part.is_some() {
            return None;
        }
        self.promise = promise.filter(|_| !self.stores);
        self.stride = expected.stride;
        self.address = expected.address.wrapping_add_signed(self.part.unwrap_or(0));
        self.follow_writer(expected);
        if self.stores {
            (self.cell, self.shift, self.hop) = (own, 1, 0);
        }
        Some(())
    }

    fn follow_writer(&mut self, expected: &Expected) {
        (self.cell, self.shift, self.hop) = (expected.writer, expected.shift, expected.hop);
        self.linked = 0;
    }

    /// So many accesses were as expected, the last one in this run of its block.
    fn settle(&self, expected: &mut Expected, times: u64, serial: u64) {
        if times == 0 || self.part.is_some() {
            return;
        }
        expected.pending += times;
        expected.serial = serial;
        expected.address = self.address;
        if !self.stores {
            self.settle_writer(expected);
        }
    }

    /// Counts the loads of what the writer made.
    fn settle_writer(&self, expected: &mut Expected) {
        expected.linked += self.linked;
        expected.writer = self.cell;
        expected.latest = Cell { inner: self.cell.inner.wrapping_sub(self.shift), ..self.cell };
    }
}

impl Course {
    /// An event was as expected, in this block of the path; an access in this slot.
    #[inline]
    pub fn note(&mut self, event: &Event, stop: usize, slot: u16) {
        if let Course::Draft(steps) = self {
            note(steps, event, stop as u16, slot);
        }
    }

    /// Whether a lap has more events than that.
    pub fn is_longer_than(&self, events: usize) -> bool {
        matches!(self, Course::Known(steps) if steps.len() > events)
    }

    /// A lap begins.
    pub fn begin_lap(&mut self) {
        *self = match std::mem::take(self) {
            Course::Unknown => Course::Draft(Vec::new()),
            Course::Draft(steps) | Course::Known(steps) => Course::Known(steps),
        }
    }

    /// Something was not as expected.
    pub fn interrupt(&mut self) {
        if let Course::Draft(_) = self {
            *self = Course::Unknown;
        }
    }
}

fn note(steps: &mut Vec<Step>, event: &Event, stop: u16, slot: u16) {
    let what = match event {
        Event::Exec { block } => What::Exec(*block),
        Event::Access(Access { insn, stores, size, address, .. }) => {
            let first = steps.iter().rev().find_map(|step| match &step.what {
                What::Access(next) if (step.stop, next.slot, next.part) == (stop, slot, None) => {
                    Some(next.address)
                }
                _ => None,
            });
            What::Access(Next {
                insn: *insn,
                stores: *stores,
                size: *size,
                slot,
                part: first.map(|first| address.wrapping_sub(first) as i64),
                address: *address,
                stride: 0,
                cell: Cell::default(),
                shift: 0,
                hop: 0,
                linked: 0,
                promise: None,
            })
        }
        _ => return,
    };
    steps.push(Step { stop, what });
}

impl Tracer {
    /// At the beginning of a lap: takes whole laps that are on the course; returns how many events that were.
    pub(crate) fn take_laps(&mut self, thread: usize, plan: &mut Plan, events: &[Event]) -> usize {
        let Course::Known(steps) = &mut plan.course else { return 0 };
        let mut steps = std::mem::take(steps);
        let ahead = self.laps_ahead(plan).min((events.len() / steps.len()) as u64) as usize;
        if ahead == 0 || self.resume(thread, plan, &mut steps).is_none() {
            plan.course = Course::Known(steps);
            return 0;
        }
        let laps = laps_alike(&steps, &events[..ahead * steps.len()]);
        let (laps, apart) = self.laps_in_any_order(&steps, laps);
        self.follow(thread, plan, &mut steps, &apart, laps);
        let taken = laps * steps.len();
        self.settle_laps(thread, plan, &steps, &events[..taken]);
        // If it is not even one lap that may be the end of the loop; or laps are different now.
        plan.missed = if laps == 0 { plan.missed + 1 } else { 0 };
        plan.course = if plan.missed > MOST_MISSED { Course::Unknown } else { Course::Known(steps) };
        taken
    }

    /// How many of these laps can be taken step by step, and for each step whether it is apart from the stores in other laps.
    fn laps_in_any_order(&mut self, steps: &[Step], laps: usize) -> (usize, Vec<bool>) {
        let mut apart = vec![true; steps.len()];
        let stores = steps.iter().filter(|step| step.what.access().is_some_and(|next| next.stores)).count();
        if laps == 0 || stores > MOST_STORES * laps {
            return (0, apart);
        }
        let accesses = || steps.iter().enumerate().filter_map(|(n, step)| Some((n, step.what.access()?)));
        let mut neighbours = Vec::new();
        for (s, store) in accesses().filter(|(_, next)| next.stores) {
            for (n, next) in accesses().filter(|(n, _)| *n != s) {
                match store.meets(next, laps) {
                    Meet::Never => {}
                    Meet::SameLap => neighbours.push((s, n)),
                    Meet::Anytime => (apart[s], apart[n]) = (false, false),
                }
            }
        }
        if neighbours.iter().any(|(s, n)| apart[*s] != apart[*n]) {
            apart.fill(false);
        }
        let mut most = laps;
        for (n, next) in accesses().filter(|(_, next)| !next.stores) {
            if let Some(way) = next.part {
                // Its writers are not known beforehand if some of these laps store them.
                most = if apart[n] { next.laps_of_one_writer(way, &mut self.shadow, most) } else { 0 };
            }
        }
        (most, apart)
    }

    /// Laps before something else is due.
    fn laps_ahead(&self, plan: &Plan) -> u64 {
        let blocks = CHECK_EVERY - 1 - self.executed % CHECK_EVERY;
        (blocks / plan.path.len() as u64).min(plan.most.saturating_sub(plan.laps))
    }

    fn resume(&self, thread: usize, plan: &Plan, steps: &mut [Step]) -> Option<()> {
        let walker = &self.threads[thread].walker;
        for step in steps {
            let stop = &plan.path[usize::from(step.stop)];
            if let What::Access(next) = &mut step.what {
                let stmt = stop.first_stmt + u32::from(next.insn);
                let own = Cell { stmt, node: walker.node, inner: walker.inner + 1 };
                let slot = usize::from(next.slot);
                next.resume(&stop.accesses[slot], stop.promises[slot], own)?;
            }
        }
        Some(())
    }

    /// Brings everything that is counted up to date after these events.
    fn settle_laps(&mut self, thread: usize, plan: &mut Plan, steps: &[Step], events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let t = &mut self.threads[thread];
        let (laps, rest) = (events.len() / steps.len(), events.len() % steps.len());
        let blocks = plan.path.len();
        for (n, step) in steps.iter().enumerate() {
            let (times, stop) = (laps + usize::from(n < rest), usize::from(step.stop));
            let What::Access(next) = &step.what else { continue };
            self.accesses += times as u64;
            let serial = t.serial + (times.max(1) - 1) as u64 * blocks as u64 + stop as u64 + 1;
            let stop = &mut plan.path[stop];
            next.settle(&mut stop.accesses[usize::from(next.slot)], times as u64, serial);
            if !next.stores {
                stop.promises[usize::from(next.slot)] = next.promise;
            }
            let last = times.checked_sub(1).map(|lap| &events[lap * steps.len() + n]);
            if let Some(Event::Access(access)) = last.filter(|_| !next.stores) {
                stop.loaded[usize::from(next.slot)] = access.value();
            }
        }
        let begun = steps[..rest].iter().filter(|step| matches!(step.what, What::Exec(_))).count();
        let executed = (laps * blocks + begun) as u64;
        self.executed += executed;
        t.serial += executed;
        t.walker.inner += laps as u32 + u32::from(rest > 0);
        plan.laps += laps as u64 + u64::from(begun == blocks);
        plan.next = begun % blocks;
        t.instance = plan.running().instance;
        t.values_done = 0;
    }

    /// Takes so many laps.
    fn follow(&mut self, thread: usize, plan: &mut Plan, steps: &mut [Step], apart: &[bool], laps: usize) {
        for (step, _) in steps.iter_mut().zip(apart).filter(|(_, apart)| **apart) {
            self.take_step(thread, plan, step, 0..laps);
        }
        if apart.iter().all(|apart| *apart) {
            return;
        }
        for lap in 0..laps {
            for (step, _) in steps.iter_mut().zip(apart).filter(|(_, apart)| !**apart) {
                self.take_step(thread, plan, step, lap..lap + 1);
            }
        }
    }

    /// Takes some laps of one step.
    fn take_step(&mut self, thread: usize, plan: &mut Plan, step: &mut Step, laps: std::ops::Range<usize>) {
        let What::Access(next) = &mut step.what else { return };
        if let Some(promise) = &mut next.promise {
            promise.advance(laps.len() as u64);
        }
        if next.part.is_some() && !next.stores {
            next.address = next.address.wrapping_add_signed(next.stride.wrapping_mul(laps.len() as i64));
            return;
        }
        let mut lap = laps.start;
        while lap < laps.end {
            lap += next.pass(&mut self.shadow, &self.nodes, laps.end - lap);
            if lap < laps.end {
                self.take_otherwise(thread, &mut plan.path[usize::from(step.stop)], next, lap);
                lap += 1;
            }
        }
    }

    /// Takes an access, so many laps further on, whose cells are not as expected: the load of what somebody else wrote, or a store
    /// to where nobody has stored yet.
    fn take_otherwise(&mut self, thread: usize, stop: &mut Stop, next: &mut Next, lap: usize) {
        let (address, size) = (next.address, u32::from(next.size));
        next.address = address.wrapping_add_signed(next.stride);
        if next.stores {
            self.shadow.write(address, size, next.cell);
            next.cell.inner = next.cell.inner.wrapping_add(1);
            return;
        }
        let walker = &self.threads[thread].walker;
        let at = (walker.node, walker.inner + 1 + lap as u32);
        let expected = &mut stop.accesses[usize::from(next.slot)];
        expected.linked += next.linked;
        expected.latest.node = next.cell.node;
        expected.settle_links(&mut self.dependences.list);
        let writer = self.load(stop.instance, (next.insn, next.slot), address, size, at);
        let slot = &self.instances[stop.instance as usize].accesses[usize::from(next.slot)];
        match writer {
            Some(_) => expected.foresee(slot, &self.dependences.list, at, writer),
            None => expected.lose_writer(),
        }
        next.follow_writer(expected);
    }
}

/// Whole laps, up to the first that is not on the course.
fn laps_alike(steps: &[Step], events: &[Event]) -> usize {
    let period = steps.len();
    let alike = |laps: usize, (n, step): (usize, &Step)| {
        step.what.laps_alike(events[..laps * period].chunks_exact(period), n)
    };
    steps.iter().enumerate().fold(events.len() / period, alike)
}
