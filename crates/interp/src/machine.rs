//! Executes instances on a memory of 64-bit words; see the crate's header for what they do.

use std::collections::HashMap;

use model::{AccessKind, ReductionOp, Scop, Stmt};

use crate::{Ground, Instance};

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The value of each cell at the end.
    pub memory: Vec<u64>,
    /// What each instance read, mixed, by the instance's number.
    pub inputs: Vec<u64>,
    /// The instance that wrote each cell last.
    pub writers: Vec<Option<usize>>,
}

/// Runs the instances in this order. A cell starts with a value of its own.
pub fn run(scop: &Scop, ground: &Ground, order: &[usize]) -> Outcome {
    let start = |cell: &crate::Cell| {
        hash([1, u64::from(cell.array.0)].into_iter().chain(cell.subscripts.iter().map(|&x| x as u64)))
    };
    let mut outcome = Outcome {
        memory: ground.cells.iter().map(start).collect(),
        inputs: vec![0; ground.instances.len()],
        writers: vec![None; ground.cells.len()],
    };
    let plans: Vec<_> = scop.stmts.iter().map(Plan::new).collect();
    for &number in order {
        let instance = &ground.instances[number];
        execute(&plans[instance.stmt.index()], number, instance, &mut outcome);
    }
    outcome
}

/// What a statement does at each of its accesses.
struct Plan(Vec<Step>);

enum Step {
    Read,
    MustWrite,
    MayWrite,
    /// The read of a reduction: done by the update.
    Old,
    Update(ReductionOp),
}

impl Plan {
    fn new(stmt: &Stmt) -> Plan {
        let updates: HashMap<_, _> = stmt.reductions.iter().map(|r| (r.write, r.op)).collect();
        let step = |access: &model::Access| match (access.kind, updates.get(&access.id)) {
            (_, Some(op)) => Step::Update(*op),
            (AccessKind::Read, None) if stmt.reductions.iter().any(|r| r.read == access.id) => Step::Old,
            (AccessKind::Read, None) => Step::Read,
            (AccessKind::MustWrite, None) => Step::MustWrite,
            (AccessKind::MayWrite, None) => Step::MayWrite,
        };
        Plan(stmt.accesses.iter().map(step).collect())
    }
}

fn execute(plan: &Plan, number: usize, instance: &Instance, outcome: &mut Outcome) {
    let memory = &mut outcome.memory;
    let steps = || plan.0.iter().zip(&instance.touched).enumerate();
    let identity =
        [2, u64::from(instance.stmt.0)].into_iter().chain(instance.counters.iter().map(|&x| x as u64));
    let mut inputs = hash(identity);
    for (at, (_, cells)) in steps().filter(|(_, (step, _))| matches!(step, Step::Read)) {
        for &cell in cells {
            inputs = hash([3, inputs, at as u64, cell as u64, memory[cell]]);
        }
    }
    outcome.inputs[number] = inputs;
    for (at, (step, cells)) in steps() {
        for &cell in cells {
            let value = hash([4, inputs, at as u64, cell as u64]);
            memory[cell] = match step {
                Step::Read | Step::Old => continue,
                Step::MayWrite if hash([5, value]) & 1 == 0 => continue,
                Step::MustWrite | Step::MayWrite => value,
                Step::Update(op) => update(*op, memory[cell], value),
            };
            outcome.writers[cell] = Some(number);
        }
    }
}

/// `old op something`, where something is made of `value` so that the result keeps most of what it was.
fn update(op: ReductionOp, old: u64, value: u64) -> u64 {
    let bit = 1 << (value % 64);
    match op {
        ReductionOp::Add => old.wrapping_add(value),
        ReductionOp::Mul => old.wrapping_mul(value | 1),
        ReductionOp::Min => old.cast_signed().min(value.cast_signed()).cast_unsigned(),
        ReductionOp::Max => old.cast_signed().max(value.cast_signed()).cast_unsigned(),
        ReductionOp::UnsignedMin => old.min(value),
        ReductionOp::UnsignedMax => old.max(value),
        ReductionOp::And => old & !bit,
        ReductionOp::Or => old | bit,
        ReductionOp::Xor => old ^ value,
    }
}

/// Mixes words into one: the finalizer of a splitmix generator after each.
pub(crate) fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0x9e37_79b9_7f4a_7c15, |state: u64, word| {
        let mut z = state.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
