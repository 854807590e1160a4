//! A model that was changed since it was lifted: what its statements do in terms of the old ones.
//!
//! - A scalar whose access is now one of an array is loaded from that cell before anything else of the statement happens, or
//!   stored to it behind all else: an instance reads before it writes.
//! - A read that was replaced gives what its replacement gives: a load of a cell, a copy of another statement's
//!   instruction, or a value from outside.
//! - Accesses and operations that are gone are not executed.
//! - A load or store whose access is now one of another array goes to that cell. A loop may have become two ([`Strip`]).
//! - A statement that the lifted model does not have, or has over whole ranges of cells, copies one cell to another, or makes one zero.

use crate::front::bodies::Links;
use crate::front::lift::{ArraySource, Lifted};
use crate::pass::Inst;
use assume::Rows;
use astgen::{Expr, Op};
use llvm_sys::LLVMOpcode::*;
use model::{AccessId, ArrayId, Scop, Stmt, StmtId};
use std::collections::HashMap;

/// A loop of the lifted model that is two loops in the changed one: over strips, and over the iterations of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// How many loops are around it.
    pub at: usize,
    /// How many iterations a strip has.
    pub size: i64,
}

impl Strip {
    /// The counters of the lifted model.
    fn old(self, counters: &[Expr]) -> Option<Vec<Expr>> {
        let (strip, inside) = (counters.get(self.at)?.clone(), counters.get(self.at + 1)?.clone());
        let first = Expr::Op(Op::Mul, vec![Expr::Int(self.size), strip]);
        let mut old = counters.to_vec();
        old.splice(self.at..self.at + 2, [Expr::Op(Op::Add, vec![first, inside])]);
        Some(old)
    }
}

/// A changed model.
pub struct Rewrite {
    /// The model.
    pub scop: Scop,
    /// For each of its statements what is new.
    pub stmts: Vec<Rewritten>,
    /// The memory of its scratch arrays, if it has any.
    pub scratch: Option<Scratch>,
}

/// The scratch arrays of a model; the lifted one has none.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Each with the factors of its size in bytes.
    pub arrays: Vec<(ArrayId, Vec<Expr>)>,
    /// Where their memory is.
    pub place: ScratchPlace,
}

/// Where scratch arrays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScratchPlace {
    /// On the heap, each of at most so many bytes.
    Heap(i64),
    /// On the stack; all sizes are numbers.
    Stack,
    /// On the stack, where each has room for so many bytes, a multiple of [`super::scratch::ALIGNMENT`].
    Room(i64),
}

impl ScratchPlace {
    /// How many bytes an array may have, if that is to be tested.
    pub fn limit(self) -> Option<i64> {
        match self {
            ScratchPlace::Heap(bytes) | ScratchPlace::Room(bytes) => Some(bytes),
            ScratchPlace::Stack => None,
        }
    }
}

/// A statement of a changed model.
#[derive(Default)]
pub struct Rewritten {
    /// Its number in the lifted model. `None`: it is new, and copies what it reads to what it writes, or fills that with zeros.
    pub old: Option<StmtId>,
    /// If one of its loops has become two: which.
    pub strip: Option<Strip>,
    /// The cells of accesses that the lifted model does not have like that.
    pub places: HashMap<AccessId, Place>,
    /// What takes the place of reads of scalars that are gone.
    pub replaced: Vec<(AccessId, Source)>,
    /// The numbers of accesses that are others than in the lifted model, by those: the statement is a part of one.
    pub numbers: HashMap<AccessId, AccessId>,
    /// Operations of the statement that are copies: of which statement of the lifted model, and their name there.
    pub copies: HashMap<String, (StmtId, String)>,
}

/// A value in a statement.
#[derive(Clone, Debug)]
pub enum Source {
    /// What the access reads.
    Load(AccessId),
    /// The result of the operation of that name.
    Op(String),
    /// A value from outside of the region.
    Outside(String),
}

/// Where the cell of an access is. In the expressions, the parameters are followed by the statement's counters.
#[derive(Clone, Debug)]
pub struct Place {
    /// The array.
    pub array: ArrayId,
    /// The subscripts, outermost first.
    pub subscripts: Vec<Expr>,
    /// How far rows are from each other.
    pub rows: Rows,
    /// Bytes per cell.
    pub cell_bytes: i64,
    /// Another access of the statement that is always to the same cell. LLVM sees that only if both have the same address.
    pub twin: Option<AccessId>,
}

impl Rewrite {
    /// For each statement the accesses of its instructions, given those of the lifted model.
    pub fn links<'p>(&self, lifted: &[Links<'p>]) -> Vec<Links<'p>> {
        let links = |new: &Rewritten| {
            let mut links = new.old.map_or_else(Links::default, |old| lifted[old.index()].clone());
            links.renumber(&new.numbers);
            links
        };
        self.stmts.iter().map(links).collect()
    }

    /// The counters of a statement in the lifted model, by those in this one.
    pub fn old_counters(&self, at: StmtId, counters: &[Expr]) -> Option<Vec<Expr>> {
        match self.stmts[at.index()].strip {
            Some(strip) => strip.old(counters),
            None => Some(counters.to_vec()),
        }
    }

    /// Whether the statement still executes the instruction.
    pub fn executes<'p>(&self, at: StmtId, links: &Links<'p>, inst: Inst<'p>) -> bool {
        let stmt = self.scop.stmt(at);
        let has = |access: Option<&AccessId>| access.is_none_or(|id| stmt.access(*id).is_some());
        match inst.opcode() {
            LLVMLoad | LLVMStore => has(links.memory.get(&inst)),
            LLVMPHI => has(links.phi_reads.get(&inst)),
            _ => match links.ops.iter().find(|(_, op)| **op == inst) {
                Some((name, _)) => op_named(stmt, name).is_some(),
                None => true,
            },
        }
    }
}

/// The instruction that an operation of a statement stands for.
pub fn rewritten_op<'p>(
    stmts: &[Rewritten],
    lifted: &[Links<'p>],
    at: StmtId,
    name: &str,
) -> Option<Inst<'p>> {
    let new = &stmts[at.index()];
    let (from, name) = match new.copies.get(name) {
        Some((from, name)) => (*from, name.as_str()),
        None => (new.old?, name),
    };
    lifted[from.index()].ops.get(name).copied()
}

/// The statement's operation of that name.
pub fn op_named<'a>(stmt: &'a Stmt, name: &str) -> Option<&'a model::Op> {
    stmt.body.ops.iter().find(|op| op.name == name)
}

/// What is known of addresses of an array's cells: whether all that the program computes are exact, and the alignment of
/// each cell.
pub fn cell_facts(lifted: &Lifted<'_>, array: ArrayId, cell_bytes: i64) -> (bool, u32) {
    let touches = lifted.memory.iter().filter(|(_, touched)| touched.array == array);
    let is_base = matches!(lifted.arrays.get(array.index()), Some(ArraySource::Base(_)));
    let (mut is_exact, mut alignment) = (is_base, None);
    for (inst, touched) in touches {
        is_exact &= touched.is_exact;
        let promised = inst.alignment().max(1);
        alignment = Some(alignment.map_or(promised, |least: u32| least.min(promised)));
    }
    // Cells are multiples of their size from the base, and one of them is aligned like that: so all are, up to the
    // largest power of two in the size.
    let own = 1 << cell_bytes.unsigned_abs().trailing_zeros().min(6);
    (is_exact, alignment.unwrap_or(1).min(own))
}
