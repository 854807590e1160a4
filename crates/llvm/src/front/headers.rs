//! Loads that give the same value in all iterations of a nest, if nothing in the nest writes what they read.
//!
//! `C->data[i * C->size1 + j]` loads an address and a size in each iteration. Where LLVM knows that the stores leave them alone,
//! they are moved before the nest (`shim/hoist.cpp`). Where it does not, there is a copy of the load before the loop, executed
//! only if the loop executes the load too, and the nest is lifted as if the loads were their copies: *referentially
//! transparent expressions* of paper 002. That what is written is apart from what is loaded goes to the ledger: the
//! array of what is loaded is read by every statement that writes, so that the check compares them like any two arrays. Where a bound is
//! kept in an array that the nest writes, parameters decide whether it is overwritten ([`assume::invariant_load`]).
//!
//! A copy can stand for a load in a region only if it is outside, and if all loops around the load that it is before are
//! inside: else something between copy and region might write. A phi that only passes such values on is one of them.

use super::Obstacle;
use super::affine::{Evaluated, Stop};
use super::draft::Draft;
use super::flow::Blocks;
use super::lift::{Lifter, obstacle};
use super::memory::{Bytes, Extent, Memory};
use crate::pass::{Anchor, Inst, Pass, Value};
use crate::scev::{ScevKind, Scevs};
use assume::invariant_load;
use isl::Set;
use llvm_sys::LLVMOpcode;
use model::{AccessKind, ArrayId, ArrayKind, Reason, Stmt};
use std::collections::HashMap;

/// What a load that gives one value reads.
pub struct HeaderRead<'p> {
    /// The load.
    pub inst: Inst<'p>,
    /// The address it is relative to.
    pub base: Value<'p>,
    /// `{ [] -> ... }`: which bytes.
    pub extent: Extent,
}

impl<'p> HeaderRead<'p> {
    /// Whether both read the same bytes.
    pub fn is_same(&self, other: &HeaderRead<'p>) -> bool {
        let (a, b) = (&self.extent, &other.extent);
        let is_same_size = matches!((&a.bytes, &b.bytes), (Bytes::Fixed(a), Bytes::Fixed(b)) if a == b);
        self.base == other.base && is_same_size && a.offset.plain_is_equal(&b.offset).unwrap_or(false)
    }
}

/// The loads of a region that are assumed to give one value, with their copies before the region.
pub fn same_values<'p>(pass: Pass<'p>, scope: &Blocks<'p>) -> HashMap<Inst<'p>, Inst<'p>> {
    let insts = || scope.iter().flat_map(|block| block.insts());
    let loads = insts().filter(|inst| inst.opcode() == LLVMOpcode::LLVMLoad);
    let mut same: HashMap<_, _> =
        loads.filter_map(|load| Some((load, copy_for(pass, load, scope)?))).collect();
    if same.is_empty() {
        return same;
    }
    // Phis that only pass on what was loaded; one may depend on another.
    loop {
        let known = same.len();
        for phi in insts().filter(|inst| inst.opcode() == LLVMOpcode::LLVMPHI) {
            if let Some(copy) = passed_on(phi, &same) {
                same.insert(phi, copy);
            }
        }
        if same.len() == known {
            return same;
        }
    }
}

/// The one copy whose value a phi has, whichever way control comes.
fn passed_on<'p>(phi: Inst<'p>, same: &HashMap<Inst<'p>, Inst<'p>>) -> Option<Inst<'p>> {
    let incoming = phi.incoming().into_iter().map(|(value, _)| value.inst());
    let mut copies = incoming.filter(|inst| *inst != Some(phi)).map(|inst| {
        let inst = inst?;
        same.get(&inst).copied().or(same.values().find(|copy| **copy == inst).copied())
    });
    let first = copies.next()??;
    copies.all(|copy| copy == Some(first)).then_some(first)
}

/// The copy that can stand for a load in these blocks.
pub fn copy_for<'p>(pass: Pass<'p>, load: Inst<'p>, scope: &Blocks<'p>) -> Option<Inst<'p>> {
    let stands = |copy: &Inst<'p>| {
        let around = std::iter::successors(pass.loop_of(load.block()), |l| l.parent());
        let mut before = around.take_while(|l| !l.contains(copy.block())).peekable();
        !scope.contains(&copy.block())
            && before.peek().is_some()
            && before.all(|l| scope.contains(&l.header()))
            && pass.dominates(copy.block(), load.block())
    };
    let is_load = load.opcode() == LLVMOpcode::LLVMLoad;
    let copies = if is_load { pass.same_values(load) } else { Vec::new() };
    copies.into_iter().find(stands)
}

/// Expressions in which loads are their copies, and some phis the loads they stand for.
pub fn with_copies<'p>(
    pass: Pass<'p>,
    same: &HashMap<Inst<'p>, Inst<'p>>,
    phis: &[(Inst<'p>, Inst<'p>)],
) -> Scevs<'p> {
    let pairs: Vec<_> = same.iter().map(|(load, copy)| (*load, *copy)).chain(phis.iter().copied()).collect();
    Scevs::with_replaced(pass, &pairs)
}

/// Whether a statement writes more than scalars.
fn writes_memory(stmt: &Stmt, draft: &Draft<'_>) -> bool {
    let is_memory = |array: ArrayId| draft.arrays[array.index()].kind == ArrayKind::Memory;
    stmt.accesses.iter().any(|access| access.kind != AccessKind::Read && is_memory(access.array))
}

impl<'p> Lifter<'_, 'p> {
    /// What such a load reads; its address does not depend on counters.
    pub(super) fn header_read(&self, load: Inst<'p>) -> Result<HeaderRead<'p>, Obstacle<'p>> {
        let refuse = || Obstacle { reason: Reason::MovingBase, at: Anchor::Inst(load) };
        let scevs = self.affine.scevs();
        let pointer = load.pointer().and_then(|pointer| self.affine.expression(pointer, &[]));
        let pointer = pointer.ok_or_else(refuse)?;
        let (base, offset) = (scevs.base(&pointer), scevs.offset(&pointer));
        let base = match base.kind {
            ScevKind::Unknown(value) if self.affine.is_invariant(&base) => value,
            _ => return Err(refuse()),
        };
        let evaluated = self.affine.signed(&offset, &[]).map_err(|_| refuse())?;
        let Evaluated { value, fails } = evaluated;
        match (fails.is_empty(), load.access_bytes()) {
            (Ok(true), bytes) if bytes > 0 => Ok(HeaderRead {
                inst: load,
                base,
                extent: Extent { offset: value, bytes: Bytes::Fixed(bytes) },
            }),
            _ => Err(refuse()),
        }
    }

    /// Statements that write read what must not be written. What is kept in an array that is written is not written itself, by the
    /// parameters: the result has those for which it is.
    pub(super) fn add_header_reads(
        &self,
        memory: &Memory<'p>,
        draft: &mut Draft<'p>,
        stmts: &mut [Stmt],
    ) -> Result<Vec<(Set, Inst<'p>)>, Obstacle<'p>> {
        let mut overwritten = Vec::new();
        for header in &memory.headers {
            let failed = |stop| obstacle(stop, header.inst);
            if memory.shape(header.base).is_some() {
                return Err(Obstacle { reason: Reason::MovingBase, at: Anchor::Inst(header.inst) });
            }
            let array = draft.at(header.base);
            if let Some(written) =
                invariant_load::written(stmts, array).map_err(|error| failed(error.into()))?
            {
                let bad = self.overwrites(draft, header, written).map_err(failed)?;
                overwritten.push((bad, header.inst));
            }
            for stmt in stmts.iter_mut().filter(|stmt| writes_memory(stmt, draft)).collect::<Vec<_>>() {
                let read = draft.header(header, &stmt.domain).map_err(failed)?;
                stmt.accesses.push(read);
            }
        }
        Ok(overwritten)
    }

    /// `{ : ... }`: parameters for which what a load reads is among the cells that are written.
    fn overwrites(&self, draft: &Draft<'p>, header: &HeaderRead<'p>, written: Set) -> Result<Set, Stop> {
        let context = self.affine.context()?;
        let read = draft.header_cells(header)?;
        Ok(invariant_load::overwritten(written, &read)?.intersect(context)?)
    }
}
