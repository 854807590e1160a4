//! Laps of a steady loop, many at a time.
//!
//! In the steady state (see `steady`) each lap has the same sequence of events, its *course*. It is drafted in one lap in which everything
//! was expected; from then on whole laps are compared with it. Per event that takes a comparison, for an access one of its address and one
//! of its last writer, or an update of that. All that is counted follows from the number of events that were as expected
//! ([`Tracer::take_laps`]).
//!
//! ```text
//! course:   exec b0 | load a, load b | exec b1 | store c
//! step:     block   | address + n stride, last writer + n shift
//! ```
//!
//! Courses stop in front of the first event that is not as expected. It, and what follows up to the next lap, is taken one by one.

use crate::events::{Access, Event};
use crate::nodes::Nodes;
use crate::shadow::{Cell, Shadow};
use crate::steady::{Expected, Plan, Promise, Stop};
use crate::tracer::{CHECK_EVERY, Tracer};

/// Times in a row that a course may be left in its first lap before it is drafted again.
const MOST_MISSED: u32 = 4;

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

/// What an access on the course was.
enum Met {
    /// As expected.
    Expected,
    /// As expected, but this one wrote it last.
    Writer(Cell),
    /// Something else; nothing was done.
    Other,
}

impl Next {
    /// Takes an access.
    #[inline(always)]
    fn take(&mut self, seen: &Access, shadow: &mut Shadow, nodes: &Nodes) -> Met {
        if (seen.address, seen.insn, seen.size, seen.stores)
            != (self.address, self.insn, self.size, self.stores)
        {
            return Met::Other;
        }
        if self.promise.as_ref().is_some_and(|promise| !promise.holds(seen)) {
            return Met::Other;
        }
        let Some(cells) = shadow.cells(seen.address, u32::from(seen.size)) else { return Met::Other };
        let mut met = Met::Expected;
        if self.stores {
            cells.fill(self.cell);
        } else {
            let Some((first, rest)) = cells.split_first() else { return Met::Other };
            if rest.iter().any(|cell| cell != first) {
                return Met::Other;
            }
            if self.is_writer(first, nodes) {
                self.cell.node = first.node;
                self.linked += 1;
            } else if self.part.is_some() {
                return Met::Other;
            } else {
                met = Met::Writer(*first);
            }
        }
        self.address = self.address.wrapping_add_signed(self.stride);
        self.cell.inner = self.cell.inner.wrapping_add(self.shift);
        if let Some(promise) = &mut self.promise {
            promise.advance(1);
        }
        met
    }

    #[inline(always)]
    fn is_writer(&self, cell: &Cell, nodes: &Nodes) -> bool {
        match self.hop {
            0 => *cell == self.cell,
            hop => {
                (cell.stmt, cell.inner) == (self.cell.stmt, self.cell.inner)
                    && nodes.hop(self.cell.node, cell.node) == Some(hop)
            }
        }
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
    /// At the beginning of a lap: takes events as long as they are on the course; returns how many.
    pub(crate) fn take_laps(&mut self, thread: usize, plan: &mut Plan, events: &[Event]) -> usize {
        let Course::Known(steps) = &mut plan.course else { return 0 };
        let mut steps = std::mem::take(steps);
        let laps = self.laps_ahead(plan).min((events.len() / steps.len()) as u64) as usize;
        if laps == 0 || self.resume(thread, plan, &mut steps).is_none() {
            plan.course = Course::Known(steps);
            return 0;
        }
        let ahead = laps * steps.len();
        let taken = self.follow(thread, plan, &mut steps, &events[..ahead]);
        self.settle_laps(thread, plan, &steps, &events[..taken]);
        // If it is not even one lap that may be the end of the loop; or laps are different now.
        plan.missed = if taken < steps.len() { plan.missed + 1 } else { 0 };
        plan.course = if plan.missed > MOST_MISSED { Course::Unknown } else { Course::Known(steps) };
        taken
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

    /// Goes along the events lap by lap as long as they are on the course; returns how many are.
    fn follow(&mut self, thread: usize, plan: &mut Plan, steps: &mut [Step], events: &[Event]) -> usize {
        let mut taken = 0;
        for (lap, events) in events.chunks_exact(steps.len()).enumerate() {
            for (step, event) in steps.iter_mut().zip(events) {
                let met = match (&mut step.what, event) {
                    (What::Exec(block), Event::Exec { block: seen }) if block == seen => Met::Expected,
                    (What::Access(next), Event::Access(seen)) => {
                        next.take(seen, &mut self.shadow, &self.nodes)
                    }
                    _ => Met::Other,
                };
                match (met, &mut step.what) {
                    (Met::Writer(writer), What::Access(next)) => {
                        let stop = &mut plan.path[usize::from(step.stop)];
                        self.change_writer(thread, stop, next, writer, lap as u32);
                    }
                    (Met::Other, _) => return taken,
                    _ => {}
                }
                taken += 1;
            }
        }
        taken
    }

    /// A load has found another writer, so many laps further on: that is recorded.
    fn change_writer(&mut self, thread: usize, stop: &mut Stop, next: &mut Next, writer: Cell, laps: u32) {
        let walker = &self.threads[thread].walker;
        let (node, inner) = (walker.node, walker.inner + 1 + laps);
        let expected = &mut stop.accesses[usize::from(next.slot)];
        next.cell.inner = next.cell.inner.wrapping_sub(next.shift);
        expected.linked += next.linked;
        expected.latest.node = next.cell.node;
        expected.settle_links(&mut self.dependences.list);
        self.record_flow(stop.instance, (next.insn, next.slot), writer, (node, inner));
        let slot = &self.instances[stop.instance as usize].accesses[usize::from(next.slot)];
        expected.foresee(slot, &self.dependences.list, (node, inner), Some(writer));
        next.follow_writer(expected);
    }
}
