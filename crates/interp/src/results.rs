//! What a scop leaves in memory, computed by the bodies of its statements: for comparing two models of one program.
//!
//! Cells have their array's name and their subscripts as names, so the two models may number them differently. An
//! instance computes what its body says, where an operation without operands depends on the statement's name and the
//! counters; what a write stores that the body does not tell is made of the instance, the access's number, the cell's place
//! among those that the access touches, and all values read, in the order of the accesses' numbers. What moves whole ranges does so. Reductions are reads and
//! writes like others. A may-write happens or not, as a bit of its value says.

use std::collections::HashMap;

use model::{AccessKind, Operand, Scop, Whole};

use crate::machine::hash;
use crate::{Error, Ground, Instance, Options};

/// A cell: the array's name and the subscripts.
pub type CellName = (String, Vec<i64>);

/// The final value of each cell that the nest touches, at these values of [`Scop::params`], in the program's order.
pub fn results(scop: &Scop, params: &[i64]) -> Result<HashMap<CellName, u64>, Error> {
    let mut ground = Ground::new(scop, params, &Options::default())?;
    let mut memory: Vec<u64> =
        ground.cells.iter().map(|cell| initial(&cell.name, &cell.subscripts)).collect();
    // In the order of their names: numbers differ from model to model.
    for cells in ground.instances.iter_mut().flat_map(|instance| &mut instance.touched) {
        cells.sort_by(|a, b| ground.cells[*a].subscripts.cmp(&ground.cells[*b].subscripts));
    }
    for instance in &ground.instances {
        let stored = Evaluation::new(scop, instance, &memory).stores();
        stored.into_iter().for_each(|(cell, value)| memory[cell] = value);
    }
    Ok(ground.cells.into_iter().map(|cell| (cell.name, cell.subscripts)).zip(memory).collect())
}

/// What a cell holds before the nest.
pub fn initial(array: &str, subscripts: &[i64]) -> u64 {
    hash(array.bytes().map(u64::from).chain(subscripts.iter().map(|&x| x as u64)))
}

struct Evaluation<'a> {
    scop: &'a Scop,
    instance: &'a Instance,
    memory: &'a [u64],
    ops: Vec<u64>,
}

impl<'a> Evaluation<'a> {
    fn new(scop: &'a Scop, instance: &'a Instance, memory: &'a [u64]) -> Self {
        let mut evaluation = Evaluation { scop, instance, memory, ops: Vec::new() };
        for op in &scop.stmt(instance.stmt).body.ops {
            let operator = hash(op.operator.bytes().map(u64::from));
            let value = match op.operands.is_empty() {
                true => hash([6, operator, evaluation.identity()]),
                false => {
                    let operands: Vec<_> =
                        op.operands.iter().map(|operand| evaluation.operand(operand)).collect();
                    hash([7, operator].into_iter().chain(operands))
                }
            };
            evaluation.ops.push(value);
        }
        evaluation
    }

    fn identity(&self) -> u64 {
        let name = self.instance.name.bytes().map(u64::from);
        hash(name.chain(self.instance.counters.iter().map(|&x| x as u64)))
    }

    fn operand(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Op(index) => self.ops[*index],
            Operand::Outside(name) => hash([8].into_iter().chain(name.bytes().map(u64::from))),
            Operand::Read(id) => {
                let accesses = &self.scop.stmt(self.instance.stmt).accesses;
                let at = accesses.iter().position(|access| access.id == *id);
                let cells = at.map_or(&[][..], |at| &self.instance.touched[at]);
                match cells {
                    // A copy keeps the value.
                    [cell] => self.memory[*cell],
                    _ => hash(cells.iter().map(|cell| self.memory[*cell])),
                }
            }
        }
    }

    /// What is made of all reads.
    fn opaque(&self) -> u64 {
        let stmt = self.scop.stmt(self.instance.stmt);
        let mut reads: Vec<_> = stmt
            .accesses
            .iter()
            .zip(&self.instance.touched)
            .filter(|(a, _)| a.kind == AccessKind::Read)
            .collect();
        reads.sort_by_key(|(access, _)| access.id);
        let values = reads.into_iter().flat_map(|(_, cells)| cells.iter().map(|cell| self.memory[*cell]));
        hash([9, self.identity()].into_iter().chain(values))
    }

    /// What a statement over whole ranges has for the cell at that place among those it writes.
    fn moved(&self, place: usize) -> Option<u64> {
        let stmt = self.scop.stmt(self.instance.stmt);
        match stmt.body.whole? {
            Whole::Fill(0) => Some(self.operand(&Operand::Outside(Whole::ZERO.into()))),
            Whole::Fill(_) => None,
            Whole::Copy => {
                let read = stmt.accesses.iter().position(|access| access.kind == AccessKind::Read)?;
                Some(self.memory[*self.instance.touched[read].get(place)?])
            }
        }
    }

    fn stores(&self) -> Vec<(usize, u64)> {
        let stmt = self.scop.stmt(self.instance.stmt);
        let opaque = self.opaque();
        let mut stores = Vec::new();
        for (access, cells) in stmt.accesses.iter().zip(&self.instance.touched) {
            if access.kind == AccessKind::Read {
                continue;
            }
            for (place, cell) in cells.iter().enumerate() {
                let value = match (stmt.body.stored(access.id), self.moved(place)) {
                    (Some(value), _) => self.operand(value),
                    (None, Some(moved)) => moved,
                    (None, None) => hash([10, opaque, u64::from(access.id.0), place as u64]),
                };
                if access.kind == AccessKind::MustWrite || hash([11, value]) & 1 == 0 {
                    stores.push((*cell, value));
                }
            }
        }
        stores
    }
}
