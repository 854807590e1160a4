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
use model::{Access, AccessKind, ArrayId, ArrayKind, Reason, Stmt};
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
    let phis = insts().filter(|inst| inst.opcode() == LLVMOpcode::LLVMPHI);
    let phis: Vec<_> = phis.filter_map(|phi| Some((phi, passed_on(pass, phi, scope)?))).collect();
    same.extend(phis);
    same
}

/// Phis that pass values on among themselves are no more than this.
const MOST_PHIS: usize = 16;

/// The one value from before the scope that a phi has, whichever way control comes, if all copies stand for their loads.
fn passed_on<'p>(pass: Pass<'p>, phi: Inst<'p>, scope: &Blocks<'p>) -> Option<Inst<'p>> {
    let (mut phis, mut one, mut at) = (vec![phi], None, 0);
    while let Some(next) = phis.get(at).copied() {
        for (value, _) in next.incoming() {
            let inst = value.inst()?;
            let is_inside = scope.contains(&inst.block());
            let before = if is_inside { copy_for(pass, inst, scope) } else { Some(inst) };
            match before {
                Some(before) if one.is_none_or(|known| known == before) => one = Some(before),
                None if phis.contains(&inst) => {}
                None if inst.opcode() == LLVMOpcode::LLVMPHI && phis.len() < MOST_PHIS => phis.push(inst),
                _ => return None,
            }
        }
        at += 1;
    }
    one
}

/// The value from before these blocks that a load or a phi of them is assumed to have.
pub fn value_before<'p>(pass: Pass<'p>, inst: Inst<'p>, scope: &Blocks<'p>) -> Option<Inst<'p>> {
    match inst.opcode() {
        LLVMOpcode::LLVMPHI => passed_on(pass, inst, scope),
        _ => copy_for(pass, inst, scope),
    }
}

/// The copy that can stand for a load in these blocks.
fn copy_for<'p>(pass: Pass<'p>, load: Inst<'p>, scope: &Blocks<'p>) -> Option<Inst<'p>> {
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
            let written = invariant_load::written(stmts, array).map_err(|error| failed(error.into()))?;
            let mut good = None;
            if let Some(written) = written {
                // Where it is overwritten, the original code runs: those parameters must not look like a dependence.
                let bad = self.overwrites(draft, header, written).map_err(failed)?;
                good = Some(bad.clone().complement().map_err(|error| failed(error.into()))?);
                overwritten.push((bad, header.inst));
            }
            for stmt in stmts.iter_mut().filter(|stmt| writes_memory(stmt, draft)).collect::<Vec<_>>() {
                let read = self.read_if(draft, header, &stmt.domain, good.as_ref()).map_err(failed)?;
                stmt.accesses.push(read);
            }
        }
        Ok(overwritten)
    }

    /// The read of such a value, for these parameters.
    fn read_if(
        &self,
        draft: &mut Draft<'p>,
        header: &HeaderRead<'p>,
        domain: &Set,
        good: Option<&Set>,
    ) -> Result<Access, Stop> {
        match good {
            Some(good) => draft.header(header, &domain.clone().intersect_params(good.clone())?),
            None => draft.header(header, domain),
        }
    }

    /// `{ : ... }`: parameters for which what a load reads is among the cells that are written.
    fn overwrites(&self, draft: &Draft<'p>, header: &HeaderRead<'p>, written: Set) -> Result<Set, Stop> {
        let context = self.affine.context()?;
        let read = draft.header_cells(header)?;
        Ok(invariant_load::overwritten(written, &read)?.intersect(context)?)
    }
}
