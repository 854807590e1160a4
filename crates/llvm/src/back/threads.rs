//! Loops that run in threads.
//!
//! A loop with the mark [`model::THREADS`] is written so that each thread runs a part of its iterations. What is between
//! `region` and `after` becomes a function of its own when all code is written ([`Fork::outline`]), which the runtime calls in
//! each thread:
//! ```text
//!     fork:    worth = there is enough to do
//!     region:  worth ? number, count = of this thread : 0, 1
//!     share:   the iterations of this thread; has it some?
//!     loop:    ...
//!     after:
//! ```
//! becomes
//! ```text
//!     fork:    worth = there is enough to do
//!              worth ? GOMP_parallel(f, values, 0, 0) : f(values)
//!     after:
//! ```
//! The runtime is libgomp or LLVM's libomp, which has this function, too; both do as `OMP_NUM_THREADS` says. A program that is
//! in a parallel region already gets one thread by default, which then has number 0 of 1: the numbers are asked for where the
//! threads are.
//!
//! # Shares
//! If all iterations have the same bounds inside, each thread gets a piece of the iterations, else they take turns: in a
//! triangle the last iterations are the longest. With `total` iterations, counted from 0, thread `t` of `c` has
//! ```text
//! pieces:  from t * (total / c) + min(t, total % c), as many as total / c, and one more if t < total % c
//! turns:   t, 2 c - 1 - t, 2 c + t, 4 c - 1 - t, ...: dealt there and back
//! ```
//! All of it is computed without signs in 64 bits; a number of an iteration is less than `total`, so no value leaves the loop's
//! range.
//!
//! # Copies
//! Where the schedule says so, each thread has a copy of some arrays on its stack, except the one that runs the last iteration:
//! what that leaves in them is what is in them after the loop. All addresses in the region are computed from where
//! an array starts, which becomes a choice (`shim/outline.cpp`). If some address comes from elsewhere, the loop runs alone.
//!
//! # Enough to do
//! The number of instructions: for each statement its own, times the iterations of the loops around, whose bounds
//! are taken in the middle of the loops around them. In a triangle that is exact. Products end at `MUCH`.

use super::builder::Builder;
use super::emit::Emitter;
use crate::front::lift::ArraySource;
use crate::pass::{Block, Pass, Value};
use astgen::{Expr, For, Node, Variable};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use model::Copied;

/// When loops run in threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forks {
    /// Never.
    #[default]
    Never,
    /// If there is enough to do.
    IfWorth,
    /// Always: for tests.
    Always,
}

/// How many instructions are worth threads: about 20 microseconds. To start threads and to wait for them takes 1 if they wait for
/// that, 50 and more if they sleep, which they do after a while without work (`docs/threads.md`).
pub const ENOUGH: i64 = 120_000;

/// More than enough: the product of two such numbers fits 64 bits.
const MUCH: i64 = 1 << 31;

/// What a vector of iterations counts for.
const LANES: i64 = 4;

/// The greatest step of a loop in which threads take turns: the step over all threads fits 64 bits.
const LONGEST_STEP: i64 = 1 << 31;

/// Code that is to run in threads.
#[derive(Clone)]
pub struct Fork<'p> {
    region: Block<'p>,
    after: Block<'p>,
    worth: Value<'p>,
    /// A stack variable that each thread has for itself.
    private: Option<Value<'p>>,
    copies: Option<Copies<'p>>,
}

/// Arrays of which each thread has a copy.
#[derive(Clone)]
struct Copies<'p> {
    /// Whether this thread runs the last iteration; then it has the arrays themselves.
    is_last: Value<'p>,
    /// Where each array starts, and how many bytes are copied.
    arrays: Vec<(Value<'p>, i64)>,
    /// Where all arrays of the nest start.
    all: Vec<Value<'p>>,
}

impl<'p> Fork<'p> {
    /// Makes the function; if that cannot be, the code runs alone.
    pub fn outline(&self, pass: Pass<'p>) -> bool {
        let can_copy = |copies: &Copies<'p>| {
            pass.copy(self.region, self.after, copies.is_last, &copies.arrays, &copies.all)
        };
        let copied = match &self.copies {
            Some(copies) => can_copy(copies),
            None => Some(Vec::new()),
        };
        let Some(mut private) = copied else {
            pass.run_alone(self.region);
            return false;
        };
        private.extend(self.private);
        pass.outline(self.region, self.after, self.worth, &private)
    }
}

/// The iterations that a loop has.
pub(super) struct Rounds<'p> {
    /// The variable's first value.
    pub(super) first: Value<'p>,
    /// Its last value, or where it ends at the latest.
    pub(super) last: Value<'p>,
    /// How far it goes in each step, if that is not the loop's own number.
    pub(super) strides: Option<Strides<'p>>,
}

/// Steps of two lengths in turn.
#[derive(Clone, Copy)]
pub(super) struct Strides<'p> {
    /// The first one's.
    pub(super) first: Value<'p>,
    /// Of two together.
    pub(super) both: Value<'p>,
}

/// What a thread has to do.
struct Share<'p> {
    rounds: Rounds<'p>,
    /// Whether there is any.
    has_some: Value<'p>,
    /// Whether the loop's last iteration is among them; of no meaning where there is none.
    is_last: Value<'p>,
}

/// A thread's number and how many there are.
struct Crew<'p> {
    number: Value<'p>,
    count: Value<'p>,
}

impl<'p> Emitter<'_, 'p> {
    /// Whether the loop is to run in threads.
    pub(super) fn forks_at(&self, l: &For) -> bool {
        let can_copy = || l.copies.is_empty() || self.starts(&l.copies).is_some();
        self.forks != Forks::Never
            && !self.is_in_threads
            && l.is_threads
            && l.step <= LONGEST_STEP
            && can_copy()
    }

    /// Where these arrays start, and how many bytes are to be copied; `None` if some cannot be.
    fn starts(&self, copies: &[Copied]) -> Option<Vec<(Value<'p>, i64)>> {
        let arrays = &self.lifted.arrays;
        let start = |copied: &Copied| {
            let Some(source) = arrays.get(copied.array.index()) else {
                return Some((self.scratch.variable(copied.array)?, copied.bytes));
            };
            let is_alone = arrays.iter().filter(|other| *other == source).count() == 1;
            match source {
                ArraySource::Base(base) if is_alone => Some((*base, copied.bytes)),
                _ => None,
            }
        };
        copies.iter().map(start).collect()
    }

    fn copies(&self, l: &For, is_last: Value<'p>) -> Option<Copies<'p>> {
        let base = |source: &ArraySource<'p>| match source {
            ArraySource::Base(base) => Some(*base),
            _ => None,
        };
        let all = self.lifted.arrays.iter().filter_map(base).chain(self.scratch.variables()).collect();
        let arrays = self.starts(&l.copies).filter(|arrays| !arrays.is_empty())?;
        Some(Copies { is_last, arrays, all })
    }

    /// A loop that runs in threads.
    pub(super) fn in_threads(&mut self, l: &For) -> Option<()> {
        let (first, last) = (self.expr(&l.first)?, self.expr(&l.last)?);
        let [fork, region, share, after] =
            [c"orthant.fork", c"orthant.region", c"orthant.share", c"orthant.after"]
                .map(|name| self.builder().block(name));
        let runs = self.builder().compare(LLVMIntSLE, first, last);
        self.builder().branch(runs, fork, after);
        self.builder().at_end(fork);
        let worth = self.worth(l, first, last)?;
        let worth = match &l.copies_fit {
            Some(fit) => {
                let fit = self.values.truth(self.expr(fit)?);
                self.builder().binary(LLVMAnd, worth, fit)
            }
            None => worth,
        };
        self.builder().jump(region);
        self.builder().at_end(region);
        let crew = self.crew(worth, region, share)?;
        let Share { rounds, has_some, is_last } = self.share(l, (first, last), &crew);
        let copies = self.copies(l, is_last);
        let shared = self.private_panels(l)?;
        let private = self.panels.memory();
        self.is_in_threads = true;
        self.rounds(l, &rounds, has_some, after)?;
        self.is_in_threads = false;
        self.panels = shared;
        self.forked.push(Fork { region, after, worth, private, copies });
        Some(())
    }

    /// The thread's number and how many there are, at the start of `share`.
    fn crew(&self, worth: Value<'p>, region: Block<'p>, share: Block<'p>) -> Option<Crew<'p>> {
        let b = self.builder();
        let ask = b.block(c"orthant.ask");
        b.branch(worth, ask, share);
        b.at_end(ask);
        let wide = |value| b.resize(value, b.int(64), false);
        let number = wide(b.ask(c"omp_get_thread_num")?);
        let count = wide(b.ask(c"omp_get_num_threads")?);
        b.jump(share);
        b.at_end(share);
        let either = |alone: i64, asked| {
            let phi = b.phi(b.int(64));
            b.add_incoming(phi, b.index(alone), region);
            b.add_incoming(phi, asked, ask);
            phi
        };
        Some(Crew { number: either(0, number), count: either(1, count) })
    }

    /// The iterations of one thread.
    fn share(&self, l: &For, (first, last): (Value<'p>, Value<'p>), crew: &Crew<'p>) -> Share<'p> {
        let b = self.builder();
        let Crew { number, count } = *crew;
        let total = b.binary(LLVMAdd, rounds_after(b, l.step, first, last), b.index(1));
        let at = |round| b.binary(LLVMAdd, first, b.binary(LLVMMul, round, b.index(l.step)));
        if l.together.is_none() && !is_even(l) {
            let (strides, last_one) = (self.turns(l, crew), self.last_turn(total, count));
            let rounds = Rounds { first: at(number), last, strides: Some(strides) };
            let is_last = b.compare(LLVMIntEQ, number, last_one);
            return Share { rounds, has_some: b.compare(LLVMIntULT, number, total), is_last };
        }
        let (each, rest) = (b.binary(LLVMUDiv, total, count), b.binary(LLVMURem, total, count));
        let is_longer = b.compare(LLVMIntULT, number, rest);
        let own = b.binary(LLVMAdd, each, b.resize(is_longer, b.int(64), false));
        let before = b.binary(LLVMAdd, b.binary(LLVMMul, number, each), b.select(is_longer, number, rest));
        let behind = b.binary(LLVMAdd, before, own);
        let end = b.binary(LLVMSub, behind, b.index(1));
        let rounds = Rounds { first: at(before), last: at(end), strides: None };
        let is_last = b.compare(LLVMIntEQ, behind, total);
        Share { rounds, has_some: b.compare(LLVMIntNE, own, b.index(0)), is_last }
    }

    /// Iterations are dealt there and back (0, 1, 2, 2, 1, 0, 0, ...): where they get longer, or shorter, all threads have about as
    /// much to do.
    fn turns(&self, l: &For, crew: &Crew<'p>) -> Strides<'p> {
        let b = self.builder();
        let step = |rounds| b.binary(LLVMMul, rounds, b.index(l.step));
        let twice = |value| b.binary(LLVMShl, value, b.index(1));
        let (both, before) = (twice(crew.count), b.binary(LLVMAdd, twice(crew.number), b.index(1)));
        Strides { first: step(b.binary(LLVMSub, both, before)), both: step(both) }
    }

    /// The thread whose turn it is at the last iteration.
    fn last_turn(&self, total: Value<'p>, count: Value<'p>) -> Value<'p> {
        let b = self.builder();
        let last = b.binary(LLVMSub, total, b.index(1));
        let (turn, there) = (b.binary(LLVMUDiv, last, count), b.binary(LLVMURem, last, count));
        let back = b.binary(LLVMSub, b.binary(LLVMSub, count, b.index(1)), there);
        let is_back = b.resize(turn, b.int(1), false);
        b.select(is_back, back, there)
    }

    /// Whether there is enough to do.
    fn worth(&mut self, l: &For, first: Value<'p>, last: Value<'p>) -> Option<Value<'p>> {
        if self.forks == Forks::Always {
            return Some(self.builder().constant(self.builder().int(1), 1));
        }
        let work = self.work_of_loop(l, first, last)?;
        let b = self.builder();
        Some(b.compare(LLVMIntUGE, work, b.index(ENOUGH)))
    }

    fn work(&mut self, nodes: &[Node]) -> Option<Value<'p>> {
        let mut all = self.builder().index(0);
        for node in nodes {
            let one = match node {
                Node::Stmt { id, .. } => self.builder().index(self.length(*id)?.min(MUCH)),
                Node::For(l) if l.runs_once => {
                    let only = self.expr(&l.first)?;
                    self.variables.insert(l.variable, only);
                    self.work(&l.body)?
                }
                Node::For(l) => {
                    let (first, last) = (self.expr(&l.first)?, self.expr(&l.last)?);
                    self.work_of_loop(l, first, last)?
                }
                Node::If { condition, then, otherwise } => {
                    let holds = self.values.truth(self.expr(condition)?);
                    let (then, otherwise) = (self.work(then)?, self.work(otherwise)?);
                    self.builder().select(holds, then, otherwise)
                }
            };
            let b = self.builder();
            all = at_most(b, b.binary(LLVMAdd, all, one), MUCH);
        }
        Some(all)
    }

    /// What a loop does if its body is as in the middle. A variable of a loop that does not run has its first value, for which
    /// all arithmetic was proved to fit.
    fn work_of_loop(&mut self, l: &For, first: Value<'p>, last: Value<'p>) -> Option<Value<'p>> {
        let b = self.builder();
        let runs = b.compare(LLVMIntSLE, first, last);
        if let Some(end) = l.together {
            let last = self.end_of(l, first, b.select(runs, last, first));
            self.variables.insert(l.variable, first);
            self.variables.insert(end, last);
            let body = self.work(&l.body)?;
            return Some(self.builder().select(runs, body, self.builder().index(0)));
        }
        let rounds = rounds_after(b, l.step, first, last);
        let half = b.binary(LLVMLShr, rounds, b.index(1));
        let middle = b.binary(LLVMAdd, first, b.binary(LLVMMul, half, b.index(l.step)));
        let middle = b.select(runs, middle, first);
        let vectors = if l.is_vector { b.binary(LLVMUDiv, rounds, b.index(LANES)) } else { rounds };
        let trip = b.binary(LLVMAdd, at_most(b, vectors, MUCH - 1), b.index(1));
        let trip = b.select(runs, trip, b.index(0));
        self.variables.insert(l.variable, middle);
        let body = self.work(&l.body)?;
        let b = self.builder();
        Some(at_most(b, b.binary(LLVMMul, trip, body), MUCH))
    }

    /// How many instructions a statement has.
    fn length(&self, id: model::StmtId) -> Option<i64> {
        // What is new is a load and a store.
        let Some(old) = self.old(id) else { return Some(3) };
        let body = &self.lifted.bodies[old.index()];
        Some(body.parts.iter().map(|part| part.insts.len() as i64).sum::<i64>() + 1)
    }
}

/// How many iterations follow the first; the loop must run.
fn rounds_after<'p>(b: &Builder<'p>, step: i64, first: Value<'p>, last: Value<'p>) -> Value<'p> {
    b.binary(LLVMUDiv, b.binary(LLVMSub, last, first), b.index(step))
}

fn at_most<'p>(b: &Builder<'p>, value: Value<'p>, most: i64) -> Value<'p> {
    b.select(b.compare(LLVMIntULT, value, b.index(most)), value, b.index(most))
}

/// Whether all iterations have as much to do: no loop or condition inside depends on which one it is, except that loops run over
/// tiles that begin there.
fn is_even(l: &For) -> bool {
    fn varies(nodes: &[Node], places: &mut Vec<Variable>) -> bool {
        nodes.iter().any(|node| match node {
            Node::For(l) => {
                let depends = |expr: &Expr| places.iter().any(|place| expr.mentions(*place));
                if depends(&l.first) || depends(&l.last) {
                    if !l.runs_once && !l.is_over_tile() {
                        return true;
                    }
                    places.push(l.variable);
                }
                varies(&l.body, places)
            }
            // Cases of whole tiles and of others.
            Node::If { then, otherwise, .. } if !otherwise.is_empty() => {
                varies(then, places) || varies(otherwise, places)
            }
            Node::If { condition, then, .. } => {
                places.iter().any(|place| condition.mentions(*place)) || varies(then, places)
            }
            Node::Stmt { .. } => false,
        })
    }
    !varies(&l.body, &mut vec![l.variable])
}
