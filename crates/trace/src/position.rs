//! Where a thread is: its calls, its loops, its iteration vector.
//!
//! The tracer tells a [`Walker`] which block runs next; the walker decides from how the last block ended and from the
//! function's loops ([`crate::cfg`]) whether that is a call, a return, the next iteration of a loop, an entry into loops
//! or an exit from some.
//!
//! - **Loops** count from 0. Arriving at the header of a loop that is active is its next iteration; arriving in a loop
//!   that is not active enters it.
//! - **Recursion.** A call of a function that is active enters the *recursion* of its first activation: a dimension
//!   that counts each such call, and each return into one (with the loops there starting again), so that iteration
//!   vectors only grow. Contexts stay finite, however deep the recursion.
//! - **`longjmp` and exceptions** arrive in a function further up without a return: the calls in between are dropped.
//! - **Library code is not seen.** A call whose next block is the one after it went through such code.
//! - A function that is entered without a call (a signal's handler, a callback) counts as called from where the thread
//!   was.
//!
//! Moves inside one function are the same every time they happen in the same context, so they are remembered with the
//! block they start from ([`Move`]).

use crate::cfg::Cfg;
use crate::code::{Block, Code, Flow, Pc};
use crate::context::{Contexts, Kind, OUTSIDE};
use crate::nodes::{Nodes, ROOT};
use std::collections::HashMap;

/// Most dimensions; loops further inside are not counted.
pub const MAX_DEPTH: u8 = 12;

/// Most calls that are kept apart; deeper ones share the context of the last.
const MAX_CALLS: usize = 100_000;

/// A dimension that is active.
#[derive(Debug, Clone, Copy)]
struct Active {
    context: u32,
    /// The position around it.
    node: u32,
    inner: u32,
    outer: u32,
}

/// A call that is active.
#[derive(Debug, Clone, Copy)]
struct Frame {
    function: u32,
    /// The call, and where it returns to.
    site: Pc,
    returns_to: Pc,
    /// The context of the call, and of the place it was called from.
    context: u32,
    caller: u32,
    /// The position at which it was called.
    node: u32,
    inner: u32,
    /// Active dimensions below those of this call.
    base: usize,
    /// The instance from which it was called.
    from: u32,
    /// The frame that entered the innermost recursion around it.
    recursion: Option<usize>,
}

/// A move inside a function: leave so many loops, then go on or enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    leave: u8,
    again: bool,
    enter: Vec<u32>,
}

/// What a step is in the innermost loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lap {
    /// On in the same iteration.
    Same,
    /// To the next iteration.
    Next,
    /// Out of it, into another, or through a call.
    Other,
}

impl Move {
    /// What the move is in the innermost loop.
    #[inline]
    pub fn lap(&self) -> Lap {
        match self.leave == 0 && self.enter.is_empty() {
            true if self.again => Lap::Next,
            true => Lap::Same,
            false => Lap::Other,
        }
    }
}

/// What the walker needs to know beside the thread's own state.
pub struct Land<'a> {
    /// The contexts.
    pub contexts: &'a mut Contexts,
    /// The outer coordinates.
    pub nodes: &'a mut Nodes,
    /// The functions.
    pub functions: &'a mut Functions,
    /// The code.
    pub code: &'a dyn Code,
}

/// The functions that have been called.
#[derive(Debug, Default)]
pub struct Functions {
    list: Vec<(Pc, Cfg)>,
    by_entry: HashMap<Pc, u32>,
    /// Counts the changes of any control-flow graph.
    pub version: u32,
}

impl Functions {
    /// The function at an address.
    fn at(&mut self, entry: Pc, code: &dyn Code) -> u32 {
        let fresh = self.list.len() as u32;
        let function = *self.by_entry.entry(entry).or_insert(fresh);
        if function == fresh {
            self.list.push((entry, Cfg::new(entry, code)));
        }
        function
    }

    /// Header and latch of the loops around an address of a function, outermost first.
    pub fn loops_around(&mut self, entry: Pc, pc: Pc, code: &dyn Code) -> Vec<(Pc, Pc)> {
        let function = self.at(entry, code);
        let cfg = self.cfg(function);
        let of = |l: &usize| (cfg.loops()[*l].header, cfg.loops()[*l].latch);
        cfg.loops_at(pc).0.iter().map(of).collect()
    }

    /// An execution has gone from one address of a function to another.
    fn learn(&mut self, function: u32, from: Pc, to: Pc, code: &dyn Code) {
        if self.list[function as usize].1.add_edge(from, to, code) {
            self.version += 1;
        }
    }

    fn cfg(&self, function: u32) -> &Cfg {
        &self.list[function as usize].1
    }

    fn entry(&self, function: u32) -> Pc {
        self.list[function as usize].0
    }

    fn is_entry(&self, pc: Pc, code: &dyn Code) -> bool {
        self.by_entry.contains_key(&pc) || code.entry_of(pc) == Some(pc)
    }
}

/// What a step was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stepped {
    /// A move inside the function, starting from this instance of a block: it may be remembered there.
    Inside(u32, Move),
    /// A call, a return, or something else.
    Elsewhere,
}

/// Where a thread is.
#[derive(Debug)]
pub struct Walker {
    /// The innermost context.
    pub context: u32,
    /// The outer coordinates.
    pub node: u32,
    /// The innermost coordinate.
    pub inner: u32,
    /// Whether the last step came back from code that is not seen.
    pub returned: bool,
    active: Vec<Active>,
    frames: Vec<Frame>,
    /// For each function the first frame of it.
    first: HashMap<u32, usize>,
    thread: u32,
}

impl Walker {
    /// A thread that has not run yet.
    pub fn new(thread: u32) -> Walker {
        Walker {
            context: OUTSIDE,
            node: ROOT,
            inner: 0,
            returned: false,
            active: Vec::new(),
            frames: Vec::new(),
            first: HashMap::new(),
            thread,
        }
    }

    /// Nodes that the thread's position needs.
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        let active = self.active.iter_mut().map(|a| &mut a.node);
        let frames = self.frames.iter_mut().map(|f| &mut f.node);
        active.chain(frames).chain([&mut self.node])
    }

    /// Carries out a move that was made before from the same block in the same context.
    #[inline]
    pub fn repeat(&mut self, land: &mut Land<'_>, step: &Move) {
        for _ in 0..step.leave {
            self.leave(land.contexts);
        }
        if step.again {
            self.iterate(land.contexts);
        }
        for &context in &step.enter {
            self.enter(land, context);
        }
    }

    /// The thread goes from the end of `last` (an instance and its block) to `pc`.
    pub fn step(&mut self, land: &mut Land<'_>, last: Option<(u32, &Block)>, pc: Pc) -> Stepped {
        self.returned = false;
        let Some((from, block)) = last else {
            self.start(land, pc);
            return Stepped::Elsewhere;
        };
        match block.flow {
            Flow::Call if pc == block.end() => {
                self.returned = true;
                self.inside(land, from, block, pc)
            }
            Flow::Call => self.call_or_unwind(land, from, block, pc),
            Flow::Return => self.come_back(land, from, block, pc),
            Flow::Next | Flow::Jump | Flow::Indirect => self.jump(land, from, block, pc),
        }
    }

    fn start(&mut self, land: &mut Land<'_>, pc: Pc) {
        self.context = land.contexts.child(OUTSIDE, Kind::Thread(self.thread), false);
        self.call(land, 0, u32::MAX, pc, 0);
    }

    /// Whether an instruction is in the current function.
    fn is_here(&self, functions: &Functions, pc: Pc) -> bool {
        self.frames.last().is_some_and(|frame| functions.cfg(frame.function).contains(pc))
    }

    fn call_or_unwind(&mut self, land: &mut Land<'_>, from: u32, block: &Block, pc: Pc) -> Stepped {
        let site = block.insns.last().map_or(0, |insn| insn.pc);
        if !land.functions.is_entry(pc, land.code)
            && let Some(frame) = self.frame_of(land, pc)
        {
            return self.unwind(land, frame, from, block, pc);
        }
        self.call(land, site, from, pc, block.end());
        Stepped::Elsewhere
    }

    /// The innermost frame whose function has an instruction at `pc`.
    fn frame_of(&self, land: &Land<'_>, pc: Pc) -> Option<usize> {
        let entry = land.code.entry_of(pc);
        self.frames.iter().rposition(|frame| {
            land.functions.cfg(frame.function).contains(pc)
                || entry == Some(land.functions.entry(frame.function))
        })
    }

    /// The thread has left all calls above a frame at once and goes on there at `pc`.
    fn unwind(&mut self, land: &mut Land<'_>, frame: usize, from: u32, block: &Block, pc: Pc) -> Stepped {
        let above = self.frames.get(frame + 1).map(|call| (self.frames[frame].function, call.site));
        while self.frames.len() - 1 > frame {
            self.pop(land.contexts);
        }
        self.refresh(land);
        self.returned = true;
        match above {
            Some((function, site)) => {
                land.functions.learn(function, site, pc, land.code);
                self.arrive(land, pc);
                Stepped::Elsewhere
            }
            None => self.inside(land, from, block, pc),
        }
    }

    fn come_back(&mut self, land: &mut Land<'_>, from: u32, block: &Block, pc: Pc) -> Stepped {
        let frame = self.frames.iter().rposition(|frame| frame.returns_to == pc);
        let Some(frame) = frame else { return self.return_away(land, from, block, pc) };
        let before = self.frames[frame].from;
        while self.frames.len() > frame {
            self.pop(land.contexts);
        }
        let stale = self.refresh(land);
        let step = self.arrive(land, pc);
        if stale { Stepped::Elsewhere } else { Stepped::Inside(before, step) }
    }

    /// Out of a function that library code has called, and into the next such function or into somewhere else.
    fn return_away(&mut self, land: &mut Land<'_>, from: u32, block: &Block, pc: Pc) -> Stepped {
        let Some(top) = self.frames.last().copied().filter(|_| self.frames.len() > 1) else {
            return self.jump(land, from, block, pc);
        };
        self.pop(land.contexts);
        self.refresh(land);
        if land.functions.is_entry(pc, land.code) {
            self.call(land, top.site, top.from, pc, top.returns_to);
            return Stepped::Elsewhere;
        }
        match self.frame_of(land, pc) {
            Some(frame) => self.unwind(land, frame, from, block, pc),
            None => self.jump(land, from, block, pc),
        }
    }

    fn jump(&mut self, land: &mut Land<'_>, from: u32, block: &Block, pc: Pc) -> Stepped {
        if self.is_here(land.functions, pc) {
            return self.inside(land, from, block, pc);
        }
        let returns_to = self.frames.last().map_or(0, |frame| frame.returns_to);
        if pc == returns_to {
            // Through a jump into library code, which returned for us.
            self.returned = true;
            return self.come_back(land, from, block, pc);
        }
        let entry = land.functions.is_entry(pc, land.code);
        if entry && matches!(block.flow, Flow::Jump | Flow::Indirect) {
            // A call in tail position takes the caller's place.
            let site = block.insns.last().map_or(0, |insn| insn.pc);
            let before = self.frames.last().map_or(u32::MAX, |frame| frame.from);
            if !self.frames.is_empty() {
                self.pop(land.contexts);
            }
            self.call(land, site, before, pc, returns_to);
            return Stepped::Elsewhere;
        }
        let same = self.frames.last().map(|frame| land.functions.entry(frame.function));
        if !entry
            && same != land.code.entry_of(pc)
            && let Some(frame) = self.frame_of(land, pc)
        {
            return self.unwind(land, frame, from, block, pc);
        }
        if entry || same.is_none() {
            self.call(land, 0, from, pc, 0);
            return Stepped::Elsewhere;
        }
        self.inside(land, from, block, pc)
    }

    /// A step inside the current function, along an edge that is new if it was not foreseen.
    fn inside(&mut self, land: &mut Land<'_>, from: u32, block: &Block, pc: Pc) -> Stepped {
        let Some(function) = self.frames.last().map(|frame| frame.function) else {
            self.start(land, pc);
            return Stepped::Elsewhere;
        };
        if !land.functions.cfg(function).contains(pc) || block.flow == Flow::Indirect {
            let last = block.insns.last().map_or(0, |insn| insn.pc);
            land.functions.learn(function, last, pc, land.code);
        }
        Stepped::Inside(from, self.arrive(land, pc))
    }

    /// Leaves and enters loops of the current function so that `pc` is in the right ones.
    fn arrive(&mut self, land: &mut Land<'_>, pc: Pc) -> Move {
        let Some(frame) = self.frames.last().copied() else {
            return Move { leave: 0, again: false, enter: Vec::new() };
        };
        let cfg = land.functions.cfg(frame.function);
        let (chain, is_header) = cfg.loops_at(pc);
        let wanted: Vec<(Pc, Pc)> =
            chain.iter().map(|l| (cfg.loops()[*l].header, cfg.loops()[*l].latch)).collect();
        let own = frame.base + usize::from(self.frames.len() - 1 == frame.recursion.unwrap_or(usize::MAX));
        let have = &self.active[own.min(self.active.len())..];
        let same = have.iter().zip(&wanted).take_while(
            |(a, w)| matches!(land.contexts.get(a.context).kind, Kind::Loop { header, .. } if header == w.0),
        );
        let common = same.count();
        let leave = have.len() - common;
        let again = is_header && common == wanted.len() && common > 0;
        for _ in 0..leave {
            self.leave(land.contexts);
        }
        if again {
            self.iterate(land.contexts);
        }
        let mut enter = Vec::new();
        for &(header, latch) in &wanted[common..] {
            if land.contexts.get(self.context).depth >= MAX_DEPTH {
                break;
            }
            let context = land.contexts.child(self.context, Kind::Loop { header, latch }, false);
            self.enter(land, context);
            enter.push(context);
        }
        Move { leave: leave as u8, again, enter }
    }

    #[inline]
    fn iterate(&mut self, contexts: &mut Contexts) {
        self.inner = self.inner.saturating_add(1);
        contexts.get_mut(self.context).iterations += 1;
    }

    #[inline]
    fn enter(&mut self, land: &mut Land<'_>, context: u32) {
        self.active.push(Active { context, node: self.node, inner: self.inner, outer: self.context });
        let at = land.contexts.get_mut(context);
        at.entries += 1;
        at.iterations += 1;
        let start = match at.last {
            Some((node, inner, last)) if (node, inner) == (self.node, self.inner) => {
                at.continued = true;
                last + 1
            }
            _ => 0,
        };
        self.node = land.nodes.enter(self.node, self.inner);
        self.inner = start;
        self.context = context;
    }

    #[inline]
    fn leave(&mut self, contexts: &mut Contexts) {
        let Some(active) = self.active.pop() else { return };
        contexts.get_mut(active.context).last = Some((active.node, active.inner, self.inner));
        self.node = active.node;
        self.inner = active.inner;
        self.context = active.outer;
    }

    fn call(&mut self, land: &mut Land<'_>, site: Pc, from: u32, entry: Pc, returns_to: Pc) {
        let function = land.functions.at(entry, land.code);
        let mut frame = Frame {
            function,
            site,
            returns_to,
            context: self.context,
            caller: self.context,
            node: self.node,
            inner: self.inner,
            base: self.active.len(),
            from,
            recursion: self.frames.last().and_then(|f| f.recursion),
        };
        match self.first.get(&function).copied() {
            Some(first) => {
                frame.recursion = self.recur(land, first, entry, frame.recursion);
            }
            None if self.frames.len() < MAX_CALLS => {
                self.first.insert(function, self.frames.len());
                let wanted = land.code.is_wanted(entry);
                self.context = land.contexts.child(self.context, Kind::Call { site, entry }, wanted);
            }
            None => {}
        }
        frame.context = self.context;
        self.frames.push(frame);
        self.arrive(land, entry);
    }

    /// Enters the recursion of the activation in frame `first`.
    fn recur(
        &mut self,
        land: &mut Land<'_>,
        first: usize,
        entry: Pc,
        around: Option<usize>,
    ) -> Option<usize> {
        let base = self.frames[first];
        if land.contexts.get(base.context).depth >= MAX_DEPTH {
            return around;
        }
        let context = land.contexts.child(base.context, Kind::Recursion { entry }, false);
        self.active.push(Active { context, node: self.node, inner: self.inner, outer: self.context });
        self.recur_at(land, context, base.node, base.inner);
        self.context = context;
        Some(self.frames.len())
    }

    /// The position of the next iteration of a recursion.
    fn recur_at(&mut self, land: &mut Land<'_>, context: u32, node: u32, inner: u32) {
        let at = land.contexts.get_mut(context);
        let next = match at.last {
            Some((n, i, last)) if (n, i) == (node, inner) => last + 1,
            _ => {
                at.entries += 1;
                0
            }
        };
        at.last = Some((node, inner, next));
        at.iterations += 1;
        self.node = land.nodes.enter(node, inner);
        self.inner = next;
    }

    /// After a return: if the frame is part of a recursion that has gone on meanwhile, it goes on with a new iteration.
    /// Returns whether that was so.
    fn refresh(&mut self, land: &mut Land<'_>) -> bool {
        let Some(recursion) = self.frames.last().and_then(|frame| frame.recursion) else { return false };
        let start = self.frames[recursion].base;
        let Some(entered) = self.active.get(start).copied() else { return false };
        let Some((node, inner, last)) = land.contexts.get(entered.context).last else { return false };
        let current = self.active.get(start + 1).map_or(self.inner, |next| next.inner);
        if current == last {
            return false;
        }
        self.recur_at(land, entered.context, node, inner);
        for index in start + 1..self.active.len() {
            self.active[index].node = self.node;
            self.active[index].inner = self.inner;
            self.node = land.nodes.enter(self.node, self.inner);
            self.inner = 0;
        }
        for frame in recursion + 1..self.frames.len() {
            let (node, inner) = match self.active.get(self.frames[frame].base) {
                Some(active) => (active.node, active.inner),
                None => (self.node, self.inner),
            };
            (self.frames[frame].node, self.frames[frame].inner) = (node, inner);
        }
        true
    }

    /// Leaves the innermost call.
    fn pop(&mut self, contexts: &mut Contexts) {
        let Some(frame) = self.frames.pop() else { return };
        let recursion = frame.recursion == Some(self.frames.len());
        while self.active.len() > frame.base + usize::from(recursion) {
            self.leave(contexts);
        }
        if recursion && let Some(active) = self.active.pop() {
            // The recursion goes on counting from the latest call, not from this one.
            (self.node, self.inner) = (active.node, active.inner);
        }
        self.context = frame.caller;
        if self.first.get(&frame.function) == Some(&self.frames.len()) {
            self.first.remove(&frame.function);
        }
    }
}
