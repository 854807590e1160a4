//! x86-64 instructions as the tracer wants them.
//!
//! Registers become units: each general register has two, its low 16 bits and the rest, so that `sete al` does not seem to
//! need the old `rax`; each vector register one; then flags, the x87 stack and the mask registers. The stack pointer
//! is left out: it is always an induction variable of the calls.
//!
//! `call`, `ret`, `push` and `pop` of registers are no statements: the first two pass only the return address, the
//! others only keep a register for later ([`trace::code::Transfer`]).

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};
use trace::code::{Ahead, Flow, Insn, Operand, Operation, Step, Transfer, Units, Value};
use trace::profile::Class;

const VECTORS: u8 = 32;
const FLAGS: u8 = 64;
const X87: u8 = 65;
const MASKS: u8 = 66;
const STACK_POINTER: u8 = 4;
const FRAME_POINTER: u8 = 5;

/// Integer registers that a call may change: rax, rcx, rdx, rsi, rdi, r8 to r11.
pub const VOLATILE: [u8; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];

/// Registers with a function's result: rax, rdx, xmm0, xmm1.
pub fn results() -> Units {
    Units::of([0, 1, 4, 5, VECTORS, VECTORS + 1, X87])
}

/// Decodes the instruction at the start of `bytes`.
pub fn decode(bytes: &[u8], pc: u64) -> Option<Instruction> {
    let mut decoder = Decoder::with_ip(64, bytes, pc, DecoderOptions::NONE);
    let instruction = decoder.decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// What follows an instruction.
pub fn ahead(i: &Instruction) -> Step {
    let near = matches!(i.op0_kind(), OpKind::NearBranch64 | OpKind::NearBranch32 | OpKind::NearBranch16);
    let ahead = match i.flow_control() {
        FlowControl::ConditionalBranch if near => Ahead::Branch(i.near_branch_target()),
        FlowControl::UnconditionalBranch if near => Ahead::Jump(i.near_branch_target()),
        FlowControl::Call | FlowControl::IndirectCall if i.mnemonic() != Mnemonic::Syscall => Ahead::Call,
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => Ahead::Next,
        _ => Ahead::Away,
    };
    Step { length: i.len() as u8, ahead }
}

/// How a block that ends with this instruction goes on.
pub fn flow(i: &Instruction) -> Flow {
    match i.flow_control() {
        FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => Flow::Jump,
        FlowControl::IndirectBranch => Flow::Indirect,
        FlowControl::Call | FlowControl::IndirectCall if i.mnemonic() != Mnemonic::Syscall => Flow::Call,
        FlowControl::Return => Flow::Return,
        _ => Flow::Next,
    }
}

/// The number of a general register, and how many of its bits are meant.
fn general(register: Register) -> Option<(u8, u8)> {
    let full = register.full_register();
    let number = full.is_gpr64().then(|| full.number() as u8)?;
    Some((number, (register.size() * 8) as u8))
}

/// The units of a register that an access touches.
fn units(register: Register) -> Units {
    if let Some((number, bits)) = general(register) {
        return match (number, bits) {
            (STACK_POINTER, _) => Units::default(),
            (n, 64 | 32) => Units::of([2 * n, 2 * n + 1]),
            (n, _) => Units::of([2 * n]),
        };
    }
    let number = register.number() as u8;
    if register.is_vector_register() {
        Units::of([VECTORS + number % 32])
    } else if register.is_st() || register.is_mm() {
        Units::of([X87])
    } else if register.is_k() {
        Units::of([MASKS + number % 8])
    } else {
        Units::default()
    }
}

fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Describes an instruction.
pub fn describe(i: &Instruction, factory: &mut InstructionInfoFactory) -> Insn {
    let mut insn = Insn::nop(i.ip(), i.len() as u8);
    let info = factory.info(i);
    for used in info.used_registers() {
        let register = units(used.register());
        if reads(used.access()) {
            insn.reads = insn.reads.with(register);
        }
        if writes(used.access()) {
            insn.writes = insn.writes.with(register);
            // A conditional move may keep what was there.
            if matches!(used.access(), OpAccess::CondWrite | OpAccess::ReadCondWrite) {
                insn.reads = insn.reads.with(register);
            }
        }
    }
    insn.stack = matches!(flow(i), Flow::Call | Flow::Return)
        || matches!(i.mnemonic(), Mnemonic::Push | Mnemonic::Pop | Mnemonic::Leave);
    if matches!(flow(i), Flow::Call | Flow::Return) {
        return insn;
    }
    if let Some(transfer) = transfer(i) {
        insn.transfer = Some(transfer);
        insn.reads = Units::default();
        insn.values = values(i);
        return insn;
    }
    for memory in info.used_memory() {
        let size = (memory.memory_size().size() as u32).max(1);
        if reads(memory.access()) {
            insn.loads = insn.loads.max(size);
        }
        if writes(memory.access()) {
            insn.stores = insn.stores.max(size);
        }
    }
    insn.several = i.has_rep_prefix() || i.has_repne_prefix() || i.is_vsib();
    add_flags(i, &mut insn);
    if overwrites(i) && i.op1_register() != i.op0_register() {
        insn.reads = insn.reads.without(units(i.op0_register()));
    }
    insn.class = class(i, &insn);
    insn.associative = associative(i.mnemonic());
    insn.values = values(i);
    insn
}

/// Flags between arithmetic and what uses them as data. Branches decide by them; that is control, not data.
fn add_flags(i: &Instruction, insn: &mut Insn) {
    if i.rflags_modified() != 0 {
        insn.writes = insn.writes.with(Units::of([FLAGS]));
    }
    if i.rflags_read() != 0 && flow(i) == Flow::Next {
        insn.reads = insn.reads.with(Units::of([FLAGS]));
    }
}

fn transfer(i: &Instruction) -> Option<Transfer> {
    if i.mnemonic() == Mnemonic::Leave {
        return Some(Transfer::Restore(2 * FRAME_POINTER));
    }
    let (number, bits) = general(i.op0_register()).filter(|_| i.op0_kind() == OpKind::Register)?;
    match i.mnemonic() {
        Mnemonic::Push if bits == 64 => Some(Transfer::Save(2 * number)),
        Mnemonic::Pop if bits == 64 => Some(Transfer::Restore(2 * number)),
        _ => None,
    }
}

/// Scalar instructions that keep the upper part of a vector register, which nobody looks at.
fn overwrites(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(
        i.mnemonic(),
        Cvtsi2sd | Cvtsi2ss | Cvtss2sd | Cvtsd2ss | Sqrtss | Sqrtsd | Rcpss | Rsqrtss | Roundss | Roundsd
    )
}

fn is_move(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Mov | Movss
            | Movsd
            | Movaps
            | Movups
            | Movapd
            | Movupd
            | Movdqa
            | Movdqu
            | Movd
            | Movq
            | Movlps
            | Movhps
            | Movlpd
            | Movhpd
            | Movzx
            | Movsx
            | Movsxd
            | Vmovss
            | Vmovsd
            | Vmovaps
            | Vmovups
            | Vmovapd
            | Vmovupd
            | Vmovdqa
            | Vmovdqu
            | Vmovd
            | Vmovq
            | Movsb
            | Movsw
            | Movsq
            | Stosb
            | Stosd
            | Stosq
    )
}

fn class(i: &Instruction, insn: &Insn) -> Class {
    let mnemonic = i.mnemonic();
    let touched = insn.reads.with(insn.writes);
    let vector = touched.iter().any(|u| (VECTORS..FLAGS).contains(&u) || u >= X87);
    if is_move(mnemonic) && (insn.loads > 0 || insn.stores > 0) {
        Class::Move
    } else if flow(i) != Flow::Next || matches!(mnemonic, Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Nop) {
        Class::Other
    } else if vector {
        Class::Float
    } else if insn.writes.0 == 0 && insn.stores == 0 {
        Class::Other
    } else {
        Class::Integer
    }
}

fn associative(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Add | Sub
            | Imul
            | And
            | Or
            | Xor
            | Inc
            | Dec
            | Addss
            | Addsd
            | Addps
            | Addpd
            | Subss
            | Subsd
            | Mulss
            | Mulsd
            | Mulps
            | Mulpd
            | Minss
            | Minsd
            | Maxss
            | Maxsd
            | Paddd
            | Paddq
            | Vaddss
            | Vaddsd
            | Vaddps
            | Vaddpd
            | Vmulss
            | Vmulsd
            | Vfmadd231ss
            | Vfmadd231sd
            | Vfmadd231ps
            | Vfmadd231pd
            | Vfmadd213sd
            | Vfmadd213ss
    )
}

/// The operand as an integer.
fn operand(i: &Instruction, n: u32) -> Option<Operand> {
    match i.op_kind(n) {
        OpKind::Register => general(i.op_register(n)).map(|(number, _)| Operand::Register(number)),
        OpKind::Memory => Some(Operand::Loaded),
        OpKind::Immediate8
        | OpKind::Immediate16
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to16
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => Some(Operand::Constant(i.immediate(n) as i64)),
        _ => None,
    }
}

fn bits(i: &Instruction, n: u32) -> u8 {
    match i.op_kind(n) {
        OpKind::Register => (i.op_register(n).size() * 8).min(64) as u8,
        OpKind::Memory => (i.memory_size().size() * 8).clamp(8, 64) as u8,
        _ => 64,
    }
}

/// The high byte of a register (`ah`) is no operand that can be followed.
fn has_high_byte(i: &Instruction) -> bool {
    use Register::{AH, BH, CH, DH};
    (0..i.op_count())
        .any(|n| i.op_kind(n) == OpKind::Register && matches!(i.op_register(n), AH | BH | CH | DH))
}

/// How the integer results are computed; an entry without operation that can be followed for every other general
/// register that the instruction sets.
fn values(i: &Instruction) -> Vec<Value> {
    let unknown = |register: Register| {
        let (number, _) = general(register)?;
        Some(Value {
            to: Some(number),
            bits: 64,
            operation: Operation::Unknown,
            operands: [Operand::Constant(0); 2],
        })
    };
    if let Some(value) = followed(i).filter(|_| !has_high_byte(i)) {
        return vec![value];
    }
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(i);
    let set = info.used_registers().iter().filter(|r| writes(r.access()));
    set.filter_map(|r| unknown(r.register())).filter(|v| v.to != Some(STACK_POINTER)).collect()
}

fn followed(i: &Instruction) -> Option<Value> {
    use Mnemonic::*;
    if i.has_rep_prefix() || i.op_count() == 0 && !matches!(i.mnemonic(), Cdqe | Cwde | Leave) {
        return None;
    }
    let none = Operand::Constant(0);
    let (operation, operands) = match i.mnemonic() {
        Cdqe => return Some(extend_accumulator(64, 32)),
        Cwde => return Some(extend_accumulator(32, 16)),
        Leave => {
            let operands = [Operand::Loaded, none];
            return Some(Value { to: Some(FRAME_POINTER), bits: 64, operation: Operation::Copy, operands });
        }
        Pop => (Operation::Copy, [Operand::Loaded, none]),
        Lea => (address(i)?, [base(i), index(i)]),
        Mov => (Operation::Copy, [operand(i, 1)?, none]),
        Movsx | Movsxd => (Operation::SignExtend(bits(i, 1)), [operand(i, 1)?, none]),
        Movzx => (Operation::ZeroExtend(bits(i, 1)), [operand(i, 1)?, none]),
        Xor | Sub if i.op0_register() == i.op1_register() && i.op1_kind() == OpKind::Register => {
            (Operation::Copy, [none, none])
        }
        Inc => (Operation::Add, [operand(i, 0)?, Operand::Constant(1)]),
        Dec => (Operation::Subtract, [operand(i, 0)?, Operand::Constant(1)]),
        Neg => (Operation::Subtract, [none, operand(i, 0)?]),
        Not => (Operation::Xor, [operand(i, 0)?, Operand::Constant(-1)]),
        Imul if i.op_count() == 3 => (Operation::Multiply, [operand(i, 1)?, operand(i, 2)?]),
        Imul if i.op_count() == 1 => return None,
        mnemonic => (arithmetic(mnemonic)?, [operand(i, 0)?, operand(i, 1)?]),
    };
    destination(i, operation, operands)
}

fn arithmetic(mnemonic: Mnemonic) -> Option<Operation> {
    Some(match mnemonic {
        Mnemonic::Add => Operation::Add,
        Mnemonic::Sub => Operation::Subtract,
        Mnemonic::Imul => Operation::Multiply,
        Mnemonic::And => Operation::And,
        Mnemonic::Or => Operation::Or,
        Mnemonic::Xor => Operation::Xor,
        Mnemonic::Shl | Mnemonic::Sal => Operation::ShiftLeft,
        Mnemonic::Shr => Operation::ShiftRight,
        Mnemonic::Sar => Operation::ShiftArithmetic,
        _ => return None,
    })
}

fn extend_accumulator(bits: u8, from: u8) -> Value {
    Value {
        to: Some(0),
        bits,
        operation: Operation::SignExtend(from),
        operands: [Operand::Register(0), Operand::Constant(0)],
    }
}

/// A result in memory is what memory then holds.
fn destination(i: &Instruction, operation: Operation, operands: [Operand; 2]) -> Option<Value> {
    let bits = bits(i, 0);
    match i.op0_kind() {
        OpKind::Memory => {
            Some(Value { to: None, bits, operation: Operation::Stored, operands: [Operand::Constant(0); 2] })
        }
        OpKind::Register => {
            let (number, _) = general(i.op0_register())?;
            Some(Value { to: Some(number), bits, operation, operands })
        }
        _ => None,
    }
}

fn address(i: &Instruction) -> Option<Operation> {
    let known = |r: Register| r == Register::None || r.is_gpr64() || r.is_ip();
    let scale = i.memory_index_scale().trailing_zeros() as u8;
    let offset = i.memory_displacement64() as i64;
    (known(i.memory_base()) && known(i.memory_index())).then_some(Operation::Address { scale, offset })
}

fn base(i: &Instruction) -> Operand {
    // iced has the absolute address as displacement of an address relative to the instruction.
    general(i.memory_base()).map_or(Operand::Constant(0), |(number, _)| Operand::Register(number))
}

fn index(i: &Instruction) -> Operand {
    general(i.memory_index()).map_or(Operand::Constant(0), |(number, _)| Operand::Register(number))
}

/// The registers that a sequence of instructions reads before it sets them, and those that it sets; without the
/// registers that it only saves.
pub fn summary(instructions: &[Instruction], factory: &mut InstructionInfoFactory) -> (Units, Units) {
    let (mut read, mut set) = (Units::default(), Units::default());
    for i in instructions {
        let insn = describe(i, factory);
        read = read.with(insn.reads.without(set));
        set = set.with(insn.writes);
    }
    (read.without(Units::of([FLAGS])), set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insn(bytes: &[u8]) -> Insn {
        describe(&decode(bytes, 0x1000).unwrap(), &mut InstructionInfoFactory::new())
    }

    #[test]
    fn partial_registers() {
        let sete_al = insn(&[0x0f, 0x94, 0xc0]);
        assert_eq!(sete_al.writes, Units::of([0]));
        assert_eq!(sete_al.reads, Units::of([FLAGS]));
        let movzx = insn(&[0x0f, 0xb6, 0xc0]); // movzx eax, al
        assert_eq!((movzx.reads, movzx.writes), (Units::of([0]), Units::of([0, 1])));
        let zero = insn(&[0x31, 0xc0]); // xor eax, eax
        assert_eq!(zero.reads, Units::default());
        assert_eq!(zero.values[0].operands[0], Operand::Constant(0));
    }

    #[test]
    fn loads_stores_and_values() {
        let add = insn(&[0x83, 0x45, 0xf8, 0x01]); // add dword ptr [rbp-8], 1
        assert_eq!((add.loads, add.stores, add.class), (4, 4, Class::Integer));
        assert_eq!(add.values[0].operation, Operation::Stored);
        let lea = insn(&[0x48, 0x8d, 0x44, 0xc8, 0x10]); // lea rax, [rax+rcx*8+16]
        assert_eq!((lea.loads, lea.stores), (0, 0));
        assert_eq!(lea.values[0].operation, Operation::Address { scale: 3, offset: 16 });
        let mulss = insn(&[0xf3, 0x0f, 0x59, 0x04, 0x8e]); // mulss xmm0, [rsi+rcx*4]
        assert_eq!((mulss.loads, mulss.class, mulss.associative), (4, Class::Float, true));
        assert!(mulss.values.is_empty());
        let cvt = insn(&[0xf2, 0x0f, 0x2a, 0xc7]); // cvtsi2sd xmm0, edi
        assert!(!cvt.reads.contains(VECTORS) && cvt.writes.contains(VECTORS));
    }

    #[test]
    fn calls_and_saved_registers_are_no_statements() {
        let push = insn(&[0x53]); // push rbx
        assert_eq!(push.transfer, Some(Transfer::Save(6)));
        let leave = insn(&[0xc9]);
        assert_eq!((leave.transfer, leave.stack), (Some(Transfer::Restore(10)), true));
        let call = insn(&[0xe8, 0, 0, 0, 0]);
        assert_eq!((call.loads, call.stores), (0, 0));
        assert_eq!(flow(&decode(&[0xe8, 0, 0, 0, 0], 0).unwrap()), Flow::Call);
        assert_eq!(ahead(&decode(&[0x75, 0xfe], 0x10).unwrap()).ahead, Ahead::Branch(0x10));
        assert_eq!(flow(&decode(&[0x0f, 0x05], 0).unwrap()), Flow::Next); // syscall
    }
}
