//! What a front end has seen, in the order in which it happened.
//!
//! Looking at each event when it happens costs more than the look itself: the emulator's code and ours take turns in the caches. So a
//! front end collects some events of a thread and hands them over together ([`Tracer::take`]), at the latest when another
//! thread goes on, and before anything that changes what is behind the addresses. In the steady state (see `steady`) a loop then goes over
//! the events without looking up anything twice.
//!
//! [`Tracer::exec`], [`Tracer::access`] and so on take one event each; the result is the same.

use crate::code::Units;
use crate::tracer::Tracer;

/// One event of a thread: 24 bytes.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// A block runs ([`Tracer::exec`]).
    Exec {
        /// The number of the block.
        block: u32,
    },
    /// An instruction of the block has accessed memory ([`Tracer::access`]).
    Access(Access),
    /// What an instruction of the block has left in a register ([`Tracer::result`]).
    Result {
        /// Its position in the block.
        insn: u16,
        /// The register.
        register: u8,
        /// What it holds.
        found: u64,
    },
    /// Code that is not described runs ([`Tracer::foreign_exec`]).
    ForeignExec {
        /// Its number ([`Tracer::add_foreign`]).
        code: u32,
    },
    /// Code that is not described has accessed memory ([`Tracer::foreign_access`]).
    ForeignAccess {
        /// Whether it stores.
        stores: bool,
        /// Bytes.
        size: u16,
        /// Where.
        address: u64,
    },
}

/// An access of the block that runs.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// The position of the instruction in its block.
    pub insn: u16,
    /// Whether it stores.
    pub stores: bool,
    /// Whether it is known what was read or written.
    pub known: bool,
    /// Bytes.
    pub size: u16,
    /// Where.
    pub address: u64,
    /// What was read or written, if that is known.
    pub value: u64,
}

impl Access {
    /// What was read or written, if that is known.
    #[inline]
    pub fn value(&self) -> Option<u64> {
        self.known.then_some(self.value)
    }
}

impl Tracer {
    /// Describes code that is looked into no further: the registers it reads before it sets them, and those it sets.
    pub fn add_foreign(&mut self, reads: Units, writes: Units) -> u32 {
        self.foreign.push((reads, writes));
        self.foreign.len() as u32 - 1
    }

    /// Takes events of a thread.
    pub fn take(&mut self, thread: usize, events: &[Event]) {
        self.take_from(thread, events, false);
    }

    /// Takes events of a thread that will go on, all or up to the beginning of a lap that is not complete, which is quicker to take as a
    /// whole; returns how many. The others have to be handed over once more, in front of those that follow.
    pub fn take_most(&mut self, thread: usize, events: &[Event]) -> usize {
        self.take_from(thread, events, true)
    }

    fn take_from(&mut self, thread: usize, events: &[Event], more: bool) -> usize {
        self.ensure_thread(thread);
        let mut at = 0;
        while at < events.len() {
            let (taken, waits) = self.take_steady(thread, &events[at..], more);
            at += taken;
            match events.get(at) {
                Some(event) if !waits => self.take_slowly(thread, *event),
                _ => break,
            }
            at += 1;
        }
        at
    }

    /// Takes an event that was not expected.
    fn take_slowly(&mut self, thread: usize, event: Event) {
        match event {
            Event::Exec { block } => self.exec_slowly(thread, block),
            Event::Access(access) => self.access_slowly(thread, access),
            Event::Result { insn, register, found } => self.result(thread, insn, register, found),
            Event::ForeignExec { code } => {
                let (reads, writes) = self.foreign.get(code as usize).copied().unwrap_or_default();
                self.foreign_exec(thread, reads, writes);
            }
            Event::ForeignAccess { stores, size, address } => {
                self.foreign_access(thread, stores, address, u32::from(size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_small() {
        assert_eq!(size_of::<Event>(), 24);
    }
}
