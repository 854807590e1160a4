//! What statements compute, for the model: operations, and which value each access reads or writes.
//!
//! Each instruction of a statement is an operation `v0`, `v1`, ...; loads and phis are the values their accesses read, stores
//! are writes. A value from outside of the region is `%k0`, `%k1`, ... by first use. A value that is computed anew from
//! counters wherever it is used is an operation without operands, which depends on the instance.
//!
//! A statement that is one `memcpy`, `memmove` or `memset` of known cells says so ([`Whole`]). Nothing is said about other statements with calls
//! that touch memory, about statements with branches, or with addresses that they compute
//! themselves: there the model's operations would not be all that happens.

use super::flow::Blocks;
use super::statements::{Body, Synthesis};
use crate::pass::{Inst, Loop, Value};
use llvm_sys::LLVMOpcode::*;
use model::{AccessId, Op, Operand, Whole};
use std::collections::HashMap;

/// The accesses and operations of a statement, by instruction.
#[derive(Clone, Default)]
pub struct Links<'p> {
    /// Loads and stores.
    pub memory: HashMap<Inst<'p>, AccessId>,
    /// Values of other statements that are read.
    pub scalar_reads: HashMap<Inst<'p>, AccessId>,
    /// Values that other statements read.
    pub scalar_writes: HashMap<Inst<'p>, AccessId>,
    /// Phis that are read.
    pub phi_reads: HashMap<Inst<'p>, AccessId>,
    /// Phis that get a value.
    pub phi_writes: HashMap<Inst<'p>, AccessId>,
    /// The operations of the model's body, by name.
    pub ops: HashMap<String, Inst<'p>>,
}

impl<'p> Links<'p> {
    /// The instruction whose value a read of a scalar or phi gives.
    pub fn read(&self, access: AccessId) -> Option<Inst<'p>> {
        let mut reads = self.scalar_reads.iter().chain(&self.phi_reads);
        reads.find(|(_, id)| **id == access).map(|(inst, _)| *inst)
    }

    /// Replaces numbers of accesses that have another one in the table.
    pub fn renumber(&mut self, numbers: &HashMap<AccessId, AccessId>) {
        let tables = [
            &mut self.memory,
            &mut self.scalar_reads,
            &mut self.scalar_writes,
            &mut self.phi_reads,
            &mut self.phi_writes,
        ];
        for id in tables.into_iter().flat_map(|table| table.values_mut()) {
            *id = numbers.get(id).copied().unwrap_or(*id);
        }
    }
}

/// Values from outside of the region, by number.
#[derive(Default)]
pub struct Outside<'p> {
    /// The values.
    pub values: Vec<Value<'p>>,
    numbers: HashMap<Value<'p>, usize>,
}

impl<'p> Outside<'p> {
    fn name(&mut self, value: Value<'p>) -> String {
        let next = self.values.len();
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        format!("%k{number}")
    }

    /// The value of a name in a model.
    pub fn find(&self, name: &str) -> Option<Value<'p>> {
        self.values.get(name.strip_prefix("%k")?.parse::<usize>().ok()?).copied()
    }
}

/// Reads the body of a statement.
pub struct Reader<'a, 'p> {
    /// What is computed from counters.
    pub synthesis: &'a Synthesis<'a, 'p>,
    /// The region's blocks.
    pub scope: &'a Blocks<'p>,
    /// The loops around the statement.
    pub chain: &'a [Loop<'p>],
    /// Its accesses; the operations are added.
    pub links: &'a mut Links<'p>,
    /// Values from outside.
    pub outside: &'a mut Outside<'p>,
}

impl<'p> Reader<'_, 'p> {
    /// What the statement computes; empty if that cannot be told.
    pub fn read(mut self, body: &Body<'p>) -> model::Body {
        if body.join.is_some() || !body.insts().all(|inst| self.is_plain(inst)) {
            return model::Body::default();
        }
        let (mut result, mut known) = (model::Body::default(), HashMap::new());
        for inst in body.insts() {
            let value = match inst.opcode() {
                LLVMPHI => self.links.phi_reads.get(&inst).map(|id| Operand::Read(*id)),
                LLVMLoad => self.links.memory.get(&inst).map(|id| Operand::Read(*id)),
                LLVMStore => continue,
                _ => Some(self.op(inst, &mut result, &mut known)),
            };
            let Some(value) = value else { return model::Body::default() };
            known.insert(inst, value);
        }
        for inst in body.insts() {
            if let (LLVMStore, Some(&id)) = (inst.opcode(), self.links.memory.get(&inst)) {
                let value = self.operand(inst.operands()[0], &mut result, &mut known);
                result.stored.push((id, value));
            }
            if let Some(&id) = self.links.scalar_writes.get(&inst) {
                let value = self.operand(inst.value(), &mut result, &mut known);
                result.stored.push((id, value));
            }
        }
        for (phi, value) in body.phi_writes() {
            if let Some(&id) = self.links.phi_writes.get(&phi) {
                let value = self.operand(value, &mut result, &mut known);
                result.stored.push((id, value));
            }
        }
        result
    }

    /// Whether all that the instruction does is in its accesses and its value.
    fn is_plain(&self, inst: Inst<'p>) -> bool {
        let computes_address = inst.pointer().and_then(|pointer| pointer.inst()).is_some_and(|pointer| {
            self.scope.contains(&pointer.block()) && !self.synthesis.is_synthesizable(pointer, self.chain)
        });
        !computes_address && (!inst.is_call() || inst.touches_no_memory())
    }

    fn op(
        &mut self,
        inst: Inst<'p>,
        result: &mut model::Body,
        known: &mut HashMap<Inst<'p>, Operand>,
    ) -> Operand {
        let operands: Vec<_> =
            inst.operands().into_iter().map(|value| self.operand(value, result, known)).collect();
        let operator = operator(inst);
        self.push(inst, operator, operands, is_pure(inst), result)
    }

    fn push(
        &mut self,
        inst: Inst<'p>,
        operator: String,
        operands: Vec<Operand>,
        is_pure: bool,
        result: &mut model::Body,
    ) -> Operand {
        let name = format!("v{}", result.ops.len());
        self.links.ops.insert(name.clone(), inst);
        result.ops.push(Op { name, operator, operands, is_pure });
        Operand::Op(result.ops.len() - 1)
    }

    fn operand(
        &mut self,
        value: Value<'p>,
        result: &mut model::Body,
        known: &mut HashMap<Inst<'p>, Operand>,
    ) -> Operand {
        let Some(inst) = value.inst().filter(|inst| self.scope.contains(&inst.block())) else {
            return Operand::Outside(self.outside.name(value));
        };
        if let Some(known) = known.get(&inst) {
            return known.clone();
        }
        if let Some(id) = self.links.scalar_reads.get(&inst) {
            return Operand::Read(*id);
        }
        // From the counters. Not linked: nothing of the statement executes it.
        let name = format!("v{}", result.ops.len());
        result.ops.push(Op { name, operator: "counters".into(), operands: Vec::new(), is_pure: true });
        let op = Operand::Op(result.ops.len() - 1);
        known.insert(inst, op.clone());
        op
    }
}

/// What a statement does that is one copy or one filling of a range, if that is all it does. (What it touches tells how far that goes.)
pub fn whole(body: &Body<'_>) -> Option<Whole> {
    let [part] = &body.parts[..] else { return None };
    let [inst] = part.insts[..] else { return None };
    if body.join.is_some() || !part.phi_writes.is_empty() || inst.is_volatile() {
        return None;
    }
    // Not those of which each element is moved at once, or which must stay code in place.
    let callee = inst.callee()?;
    match callee.strip_prefix("llvm.")?.split_once(".p")?.0 {
        "memcpy" | "memmove" => Some(Whole::Copy),
        "memset" => {
            let byte = inst.operands().get(1)?.constant()?;
            Some(Whole::Fill(byte as u8))
        }
        _ => None,
    }
}

/// Whether the instruction's value depends on its operands only, whenever and however often it is executed. (The value of
/// `freeze` does not.)
/// What an instruction computes: the name of its opcode or, of LLVM's own functions, theirs without the types.
fn operator(inst: Inst<'_>) -> String {
    let callee = inst.callee();
    let intrinsic = callee.as_deref().and_then(|name| name.strip_prefix("llvm.")?.split('.').next());
    match intrinsic {
        Some(name) => name.to_owned(),
        None => format!("{:?}", inst.opcode()).trim_start_matches("LLVM").to_lowercase(),
    }
}

fn is_pure(inst: Inst<'_>) -> bool {
    match inst.opcode() {
        LLVMAdd | LLVMFAdd | LLVMSub | LLVMFSub | LLVMMul | LLVMFMul | LLVMUDiv | LLVMSDiv | LLVMFDiv
        | LLVMURem | LLVMSRem | LLVMFRem | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor
        | LLVMFNeg | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
        | LLVMFPTrunc | LLVMFPExt | LLVMBitCast | LLVMICmp | LLVMFCmp | LLVMSelect => true,
        LLVMCall => {
            let effects = inst.call_effects();
            let is_intrinsic = inst.callee().is_some_and(|name| name.starts_with("llvm."));
            is_intrinsic && inst.touches_no_memory() && effects.is_some_and(|effects| !effects.is_convergent)
        }
        _ => false,
    }
}
