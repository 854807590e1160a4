//! Compares a schedule with the program's own order.

use std::fmt;

use isl::{Schedule, UnionMap};
use model::{ArrayKind, Scop};

use crate::{Error, Ground, Options, Outcome, Sequence, original, run, scheduled};

/// Whether a schedule does what the program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// It does, on so many instances.
    Same(usize),
    /// A cell ends with another value.
    Cell {
        /// The first such cell, by array and subscripts.
        cell: String,
        /// Who writes it last in the program's order.
        original: Option<String>,
        /// Who writes it last under the schedule.
        scheduled: Option<String>,
    },
    /// All cells end the same, but this instance, the first in the program's order, reads other values.
    Read(String),
    /// The schedule does not run this instance once, but so many times.
    NotOnce(String, usize),
}

impl Agreement {
    /// Whether the schedule does what the program does.
    pub fn is_same(&self) -> bool {
        matches!(self, Agreement::Same(_))
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nobody = || "nobody".to_owned();
        match self {
            Agreement::Same(count) => write!(f, "the same on {count} instances"),
            Agreement::Cell { cell, original, scheduled } if original == scheduled => {
                let writer = original.clone().unwrap_or_else(nobody);
                write!(f, "{cell} differs: {writer} writes it last in both orders, with other values")
            }
            Agreement::Cell { cell, original, scheduled } => {
                let (first, second) = (original.clone(), scheduled.clone());
                let (first, second) = (first.unwrap_or_else(nobody), second.unwrap_or_else(nobody));
                write!(
                    f,
                    "{cell} differs: {first} writes it last in the program, {second} under the schedule"
                )
            }
            Agreement::Read(instance) => write!(f, "{instance} reads other values"),
            Agreement::NotOnce(instance, times) => write!(f, "the schedule runs {instance} {times} times"),
        }
    }
}

/// Whether the schedule does what the program does at these values of [`Scop::params`].
pub fn agree(scop: &Scop, schedule: &Schedule, params: &[i64]) -> Result<Agreement, Error> {
    agree_map(scop, &schedule.get_map()?, params, &Options::default())
}

/// Whether the schedule `{ S[i] -> [t0, t1, ...] }` does what the program does.
pub fn agree_map(
    scop: &Scop,
    schedule: &UnionMap,
    params: &[i64],
    options: &Options,
) -> Result<Agreement, Error> {
    let ground = Ground::new(scop, params, options)?;
    Ok(match scheduled(scop, &ground, schedule)? {
        Sequence::NotOnce(number, times) => Agreement::NotOnce(ground.instances[number].to_string(), times),
        Sequence::Complete(order, _) => {
            let (first, second) = (run(scop, &ground, &original(&ground)), run(scop, &ground, &order));
            compare(scop, &ground, &first, &second, options)
        }
    })
}

fn compare(scop: &Scop, ground: &Ground, first: &Outcome, second: &Outcome, options: &Options) -> Agreement {
    let counts =
        |at: &usize| options.scalars || scop.array(ground.cells[*at].array).kind == ArrayKind::Memory;
    let differing =
        (0..ground.cells.len()).filter(counts).filter(|&at| first.memory[at] != second.memory[at]);
    let writer =
        |outcome: &Outcome, at: usize| outcome.writers[at].map(|number| ground.instances[number].to_string());
    if let Some(at) = differing.min_by_key(|&at| &ground.cells[at]) {
        return Agreement::Cell {
            cell: ground.cells[at].to_string(),
            original: writer(first, at),
            scheduled: writer(second, at),
        };
    }
    match (0..ground.instances.len()).find(|&at| options.reads && first.inputs[at] != second.inputs[at]) {
        Some(at) => Agreement::Read(ground.instances[at].to_string()),
        None => Agreement::Same(ground.instances.len()),
    }
}
