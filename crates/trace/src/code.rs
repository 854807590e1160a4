//! The code of a program as the tracer sees it: instructions by what they read, write and compute.
//!
//! A front end decodes machine code and describes each straight-line [`Block`] once. Registers are *units*, numbers below
//! [`MAX_UNITS`]; a register whose low part can be written alone is several units, and reading it reads them all.
//! Beside what an instruction touches, it may say how its integer result is computed ([`Value`]), so that induction
//! variables can be found without reading registers.
//!
//! What the code looks like before it runs is asked through [`Code`]: the tracer walks the control flow of a function
//! ahead, so that it knows a loop's header when it first arrives there.

use crate::profile::Class;

/// An address of code.
pub type Pc = u64;

/// Most register units.
pub const MAX_UNITS: usize = 80;

/// Most registers with integer values.
pub const MAX_VALUES: usize = 16;

/// A set of register units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Units(pub u128);

impl Units {
    /// The set with these units.
    pub fn of(units: impl IntoIterator<Item = u8>) -> Units {
        Units(units.into_iter().fold(0, |set, unit| set | 1 << unit))
    }

    /// The units, in order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let unit = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
            rest &= rest - 1;
            Some(unit)
        })
    }

    /// Whether the unit is in the set.
    pub fn contains(self, unit: u8) -> bool {
        self.0 >> unit & 1 == 1
    }

    /// The union.
    pub fn with(self, other: Units) -> Units {
        Units(self.0 | other.0)
    }

    /// The difference.
    pub fn without(self, other: Units) -> Units {
        Units(self.0 & !other.0)
    }
}

/// An operand of an integer operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// An integer register.
    Register(u8),
    /// A constant.
    Constant(i64),
    /// What the instruction loads.
    Loaded,
}

/// An integer operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The first operand.
    Copy,
    /// The first operand, of which only so many bits count, with its sign.
    SignExtend(u8),
    /// The first operand, of which only so many bits count, without sign.
    ZeroExtend(u8),
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left.
    ShiftLeft,
    /// Shift right without sign.
    ShiftRight,
    /// Shift right with sign.
    ShiftArithmetic,
    /// First operand plus second shifted left by `scale`, plus `offset`.
    Address {
        /// The shift.
        scale: u8,
        /// The offset.
        offset: i64,
    },
    /// The instruction stores its result: it is what memory then holds.
    Stored,
    /// Not known how.
    Unknown,
}

/// How an instruction computes an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// The register that receives it; `None` if only memory does.
    pub to: Option<u8>,
    /// Bits of the result: 8, 16, 32 or 64. A result of 32 bits clears the upper half of the register.
    pub bits: u8,
    /// The operation.
    pub operation: Operation,
    /// Its operands.
    pub operands: [Operand; 2],
}

/// An instruction that only moves a register to the stack and back is no statement: the value's maker stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Stores a register (`push`).
    Save(u8),
    /// Loads it again (`pop`).
    Restore(u8),
}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insn {
    /// Its address.
    pub pc: Pc,
    /// Its length in bytes.
    pub length: u8,
    /// What it does.
    pub class: Class,
    /// Units it reads, also for addresses.
    pub reads: Units,
    /// Units it writes.
    pub writes: Units,
    /// Bytes it loads, 0 if none.
    pub loads: u32,
    /// Bytes it stores, 0 if none.
    pub stores: u32,
    /// Whether one execution may access several places.
    pub several: bool,
    /// Whether it moves the stack pointer to the place it stores to, or behind the place it loads from.
    pub stack: bool,
    /// Whether it only saves or restores a register.
    pub transfer: Option<Transfer>,
    /// Its integer results.
    pub values: Vec<Value>,
    /// Whether it is a sum, a product or the like, which can be reordered in exact arithmetic.
    pub associative: bool,
}

impl Insn {
    /// An instruction that does nothing: a start for those that do.
    pub fn nop(pc: Pc, length: u8) -> Insn {
        Insn {
            pc,
            length,
            class: Class::Other,
            reads: Units::default(),
            writes: Units::default(),
            loads: 0,
            stores: 0,
            several: false,
            stack: false,
            transfer: None,
            values: Vec::new(),
            associative: false,
        }
    }
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It goes on with the next instruction.
    Next,
    /// A jump, conditional or not, to an address that stands in it.
    Jump,
    /// A jump to a computed address.
    Indirect,
    /// A call, direct or not; it returns to the next instruction.
    Call,
    /// A return.
    Return,
}

/// Instructions that run one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The instructions; not empty.
    pub insns: Vec<Insn>,
    /// How it ends.
    pub flow: Flow,
}

impl Block {
    /// Its address.
    pub fn pc(&self) -> Pc {
        self.insns.first().map_or(0, |insn| insn.pc)
    }

    /// The address after it.
    pub fn end(&self) -> Pc {
        self.insns.last().map_or(0, |insn| insn.pc + u64::from(insn.length))
    }
}

/// What follows an instruction, looking ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// The next instruction.
    Next,
    /// Either the next instruction or this address.
    Branch(Pc),
    /// This address.
    Jump(Pc),
    /// A call; then the next instruction.
    Call,
    /// Not known, or out of the function.
    Away,
}

/// An instruction, looking ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its length in bytes.
    pub length: u8,
    /// What follows.
    pub ahead: Ahead,
}

/// The code before it runs.
pub trait Code {
    /// The instruction at an address, if there is code.
    fn step(&self, pc: Pc) -> Option<Step>;

    /// The beginning of the function that contains an address, if that is known.
    fn entry_of(&self, pc: Pc) -> Option<Pc>;

    /// Whether statements of this function, and of what it calls, are wanted.
    fn is_wanted(&self, entry: Pc) -> bool;
}
