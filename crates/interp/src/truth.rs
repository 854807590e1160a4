//! Dependences by brute force: who wrote what each read sees, found by walking through the instances in the program's
//! order. What `dataflow` computes with relations must be this at every value of the parameters.
//!
//! Each cell carries the set of instances whose value it may hold, and whether it may still hold what was there before
//! the nest. A must-write replaces the set by itself, a may-write adds itself; so does an update of a reduction,
//! because the value holds its contribution together with the others.

use std::collections::{BTreeSet, HashMap};

use model::{AccessId, AccessKind, ArrayId, ReductionOp, Scop};

use crate::Ground;

type Pairs = BTreeSet<(usize, usize)>;

/// All dependences of a ground scop, as pairs of numbers of instances, the earlier first.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// A write and a read that may see its value, except for two updates of one reduction.
    pub flow: Pairs,
    /// Two updates of one reduction of which the second may see the first one's contribution.
    pub reduction: Pairs,
    /// All pairs that touch a common cell, at least one of them writing.
    pub conflicts: HashMap<(usize, usize), Conflict>,
    /// Pairs of an instance and a cell: reads that may see what was there before the nest.
    pub live_in: Pairs,
    /// Pairs of an instance and a cell: writes whose value, or a part of it, the cell may hold after the nest.
    pub live_out: Pairs,
}

/// How two instances conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The first writes a cell that the second reads.
    pub flow: bool,
    /// The first reads a cell that the second writes.
    pub anti: bool,
    /// Both write a cell.
    pub output: bool,
    /// Both update a cell by the same operation.
    pub reduction: bool,
}

impl Conflict {
    /// Whether there is more than a common reduction.
    pub fn is_binding(self) -> bool {
        self.flow || self.anti || self.output
    }
}

/// One access of one instance to one cell.
#[derive(Clone, Copy)]
struct Touch {
    instance: usize,
    kind: AccessKind,
    update: Option<(ArrayId, ReductionOp)>,
}

#[derive(Clone)]
struct State {
    before: bool,
    writers: Vec<Touch>,
    history: Vec<Touch>,
}

impl Truth {
    /// Walks through the instances. With `reductions` off, updates are reads and must-writes like others.
    pub fn new(scop: &Scop, ground: &Ground, reductions: bool) -> Truth {
        let updates: HashMap<AccessId, ReductionOp> = scop
            .stmts
            .iter()
            .flat_map(|stmt| &stmt.reductions)
            .filter(|_| reductions)
            .flat_map(|r| [(r.read, r.op), (r.write, r.op)])
            .collect();
        let mut truth = Truth::default();
        let fresh = State { before: true, writers: Vec::new(), history: Vec::new() };
        let mut cells = vec![fresh; ground.cells.len()];
        for (number, instance) in ground.instances.iter().enumerate() {
            let accesses = || scop.stmt(instance.stmt).accesses.iter().zip(&instance.touched);
            let touch = |access: &model::Access| Touch {
                instance: number,
                kind: access.kind,
                update: updates.get(&access.id).map(|op| (access.array, *op)),
            };
            for (access, touched) in accesses().filter(|(access, _)| access.kind == AccessKind::Read) {
                touched.iter().for_each(|&cell| truth.read(touch(access), cell, &cells[cell]));
            }
            for (access, touched) in accesses() {
                touched.iter().for_each(|&cell| truth.conflict(touch(access), &mut cells[cell].history));
            }
            for (access, touched) in accesses().filter(|(access, _)| access.kind != AccessKind::Read) {
                touched.iter().for_each(|&cell| cells[cell].write(touch(access)));
            }
        }
        for (cell, state) in cells.iter().enumerate() {
            truth.live_out.extend(state.writers.iter().map(|writer| (writer.instance, cell)));
        }
        truth
    }

    fn read(&mut self, read: Touch, cell: usize, state: &State) {
        if state.before {
            self.live_in.insert((read.instance, cell));
        }
        for writer in &state.writers {
            let pair = (writer.instance, read.instance);
            match read.update.is_some() && read.update == writer.update {
                true => self.reduction.insert(pair),
                false => self.flow.insert(pair),
            };
        }
    }

    fn conflict(&mut self, touch: Touch, history: &mut Vec<Touch>) {
        let reads = |touch: &Touch| touch.kind == AccessKind::Read;
        for earlier in history.iter().filter(|earlier| earlier.instance != touch.instance) {
            if reads(earlier) && reads(&touch) {
                continue;
            }
            let conflict = self.conflicts.entry((earlier.instance, touch.instance)).or_default();
            match (reads(earlier), reads(&touch)) {
                _ if touch.update.is_some() && touch.update == earlier.update => conflict.reduction = true,
                (true, _) => conflict.anti = true,
                (false, true) => conflict.flow = true,
                (false, false) => conflict.output = true,
            }
        }
        history.push(touch);
    }
}

impl State {
    fn write(&mut self, touch: Touch) {
        if touch.kind == AccessKind::MustWrite && touch.update.is_none() {
            self.before = false;
            // Another write of the same instance is not hidden: which of the two comes first is not modelled.
            self.writers.retain(|writer| writer.instance == touch.instance);
        }
        self.writers.push(touch);
    }
}
