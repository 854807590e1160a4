//! Integer values, recomputed from the instructions.
//!
//! Where registers cannot be read, the tracer keeps its own copy of the integer registers: each instruction's result
//! follows from its operands, and what it loads or stores is seen in memory. A result that cannot be followed
//! (a division, a library's return value, a flag) gets a made-up number that was never used before and that stands in no
//! affine relation to any other, so nothing computed from it can be taken for an induction variable by mistake, and
//! everything computed from it by constants keeps its right steps.
//!
//! **Data.** Most integers of a program are data, not induction variables, and folding them would be a waste. A value is
//! *data of depth d* if it comes from a load whose address changes along the loop of depth d, or from an operation
//! that cannot be followed there. Whatever is computed from it in that loop is data too; in a loop further inside it is
//! a base like any other (`p = rows[i]` is data in the loop over `i`; `p + j` is not in the loop over `j`). A result that hardly
//! ever goes on as before (a random number) is data, too, once that is clear.

use crate::code::{MAX_VALUES, Operand, Operation, Value};

/// The integer registers of a thread.
#[derive(Debug, Clone)]
pub struct Values {
    registers: [i64; MAX_VALUES],
    /// The depth at which each register became data; 0: it is none.
    data: [u8; MAX_VALUES],
    state: u64,
}

/// What an instruction sees of memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// What it loaded or stored, if that is known.
    pub value: Option<u64>,
    /// The depth at which that became data; 0: it is none.
    pub data: u8,
}

impl Values {
    /// All registers unknown.
    pub fn new(seed: u64) -> Values {
        let mut values = Values { registers: [0; MAX_VALUES], data: [0; MAX_VALUES], state: seed };
        values.forget(0..MAX_VALUES as u8);
        values
    }

    /// A number never seen before (splitmix64).
    fn made_up(&mut self) -> i64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // In the range of addresses, so that steps from it do not overflow.
        ((z ^ (z >> 31)) >> 17) as i64
    }

    /// These registers hold something unknown.
    pub fn forget(&mut self, registers: impl IntoIterator<Item = u8>) {
        for register in registers {
            self.registers[usize::from(register) % MAX_VALUES] = self.made_up();
            self.data[usize::from(register) % MAX_VALUES] = 0;
        }
    }

    /// A register is known to hold this.
    pub fn set(&mut self, register: u8, value: u64) {
        self.registers[usize::from(register) % MAX_VALUES] = value as i64;
        self.data[usize::from(register) % MAX_VALUES] = 0;
    }

    /// What a register holds.
    pub fn get(&self, register: u8) -> i64 {
        self.registers[usize::from(register) % MAX_VALUES]
    }

    /// Whether a register holds data in a loop of depth `depth`.
    pub fn is_data(&self, register: u8, depth: u8) -> bool {
        self.data(register) >= depth.max(1)
    }

    /// The depth at which a register became data; 0: it is none.
    pub fn data(&self, register: u8) -> u8 {
        self.data[usize::from(register) % MAX_VALUES]
    }

    /// A register holds so much more, and is data if it was.
    pub fn advance(&mut self, register: u8, by: i64) {
        let register = &mut self.registers[usize::from(register) % MAX_VALUES];
        *register = register.wrapping_add(by);
    }

    /// A register receives a result that is not known; whether it is data follows from the operands.
    pub fn invent(&mut self, value: &Value, memory: Memory, depth: u8) {
        if let Some(to) = value.to {
            self.data[usize::from(to) % MAX_VALUES] = self.data_of(value, memory, depth);
            self.registers[usize::from(to) % MAX_VALUES] = self.made_up();
        }
    }

    /// A register has turned out to hold data.
    #[inline]
    pub fn mark_data(&mut self, register: u8, depth: u8) {
        let data = &mut self.data[usize::from(register) % MAX_VALUES];
        *data = depth.max(*data);
    }

    /// Carries out an operation in a loop of depth `depth`. `memory` is what the instruction loaded or, for
    /// [`Operation::Stored`], stored, or for [`Operation::Unknown`] what a front end that reads registers has found. Returns the result, with its sign, if it is not data at this depth.
    #[inline]
    pub fn compute(&mut self, value: &Value, memory: Memory, depth: u8) -> Option<i64> {
        let [a, b] = value.operands.map(|operand| self.operand(operand, memory.value));
        let result = match value.operation {
            Operation::Copy => a,
            Operation::SignExtend(bits) => sign_extended(a, bits),
            Operation::ZeroExtend(bits) => zero_extended(a, bits),
            Operation::Add => a.wrapping_add(b),
            Operation::Subtract => a.wrapping_sub(b),
            Operation::Multiply => a.wrapping_mul(b),
            Operation::And => a & b,
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            Operation::ShiftLeft => a.wrapping_shl(b as u32 & shift_mask(value.bits)),
            Operation::ShiftRight => {
                (zero_extended(a, value.bits) as u64).wrapping_shr(b as u32 & shift_mask(value.bits)) as i64
            }
            Operation::ShiftArithmetic => {
                sign_extended(a, value.bits).wrapping_shr(b as u32 & shift_mask(value.bits))
            }
            Operation::Address { scale, offset } => a.wrapping_add(b << scale).wrapping_add(offset),
            Operation::Stored => memory.value.map_or_else(|| self.made_up(), |m| m as i64),
            Operation::Unknown => memory.value.map_or_else(|| self.made_up(), |found| found as i64),
        };
        let data = self.data_of(value, memory, depth);
        if let Some(to) = value.to {
            self.data[usize::from(to) % MAX_VALUES] = data;
            let register = &mut self.registers[usize::from(to) % MAX_VALUES];
            *register = match value.bits {
                64 => result,
                32 => zero_extended(result, 32),
                bits => (*register & !mask(bits)) | (result & mask(bits)),
            };
        }
        (data == 0 || data < depth).then(|| sign_extended(result, value.bits))
    }

    /// The depth at which a result becomes data.
    #[inline]
    fn data_of(&self, value: &Value, memory: Memory, depth: u8) -> u8 {
        match value.operation {
            Operation::Stored => return memory.data,
            Operation::Unknown => return if memory.value.is_some() { memory.data } else { depth },
            _ => {}
        }
        let [a, b] = value.operands.map(|operand| match operand {
            Operand::Register(r) => self.data[usize::from(r) % MAX_VALUES],
            Operand::Constant(_) => 0,
            Operand::Loaded => memory.data,
        });
        a.max(b)
    }

    #[inline]
    fn operand(&mut self, operand: Operand, memory: Option<u64>) -> i64 {
        match operand {
            Operand::Register(r) => self.registers[usize::from(r) % MAX_VALUES],
            Operand::Constant(c) => c,
            Operand::Loaded => match memory {
                Some(m) => m as i64,
                None => self.made_up(),
            },
        }
    }
}

fn shift_mask(bits: u8) -> u32 {
    if bits == 64 { 63 } else { 31 }
}

fn mask(bits: u8) -> i64 {
    if bits >= 64 { -1 } else { (1i64 << bits) - 1 }
}

fn zero_extended(value: i64, bits: u8) -> i64 {
    value & mask(bits)
}

/// The number in the low bits, with its sign.
pub fn sign_extended(value: i64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits.clamp(1, 64));
    (value << unused) >> unused
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operand::{Constant, Loaded, Register};

    fn run(v: &mut Values, to: u8, bits: u8, operation: Operation, a: Operand, b: Operand) -> Option<i64> {
        v.compute(&Value { to: Some(to), bits, operation, operands: [a, b] }, Memory::default(), 1)
    }

    #[test]
    fn widths_and_signs() {
        let v = &mut Values::new(1);
        let none = Constant(0);
        assert_eq!(run(v, 0, 32, Operation::Copy, Constant(-1), none), Some(-1));
        assert_eq!(run(v, 1, 64, Operation::Copy, Register(0), none), Some(0xffff_ffff));
        assert_eq!(run(v, 1, 8, Operation::Copy, Constant(0), none), Some(0));
        assert_eq!(run(v, 2, 64, Operation::Copy, Register(1), none), Some(0xffff_ff00));
        let address = Operation::Address { scale: 3, offset: -8 };
        run(v, 3, 64, Operation::Copy, Constant(5), none);
        assert_eq!(run(v, 4, 64, address, Constant(100), Register(3)), Some(132));
        assert_eq!(run(v, 4, 32, Operation::ShiftArithmetic, Constant(-8), Constant(1)), Some(-4));
        assert_eq!(run(v, 4, 32, Operation::ShiftRight, Constant(-8), Constant(1)), Some(0x7fff_fffc));
        let extend =
            Value { to: Some(4), bits: 64, operation: Operation::SignExtend(32), operands: [Loaded, none] };
        let memory = Memory { value: Some(0xffff_fffe), data: 0 };
        assert_eq!(v.compute(&extend, memory, 1), Some(-2));
    }

    #[test]
    fn a_result_that_was_read_is_no_data_unless_its_operands_are() {
        let mut v = Values::new(7);
        let divide =
            Value { to: Some(0), bits: 64, operation: Operation::Unknown, operands: [Constant(0); 2] };
        assert_eq!(v.compute(&divide, Memory::default(), 1), None);
        assert_eq!(v.compute(&divide, Memory { value: Some(14), data: 0 }, 1), Some(14));
        assert_eq!((v.get(0), v.is_data(0, 1)), (14, false));
        assert_eq!(v.compute(&divide, Memory { value: Some(14), data: 1 }, 1), None);
    }

    #[test]
    fn unknown_numbers_are_in_no_line() {
        let mut v = Values::new(7);
        let mut next = || {
            v.forget([0]);
            run(&mut v, 0, 64, Operation::Copy, Register(0), Constant(0)).unwrap()
        };
        let (a, b, c) = (next(), next(), next());
        assert_ne!(b.wrapping_sub(a), c.wrapping_sub(b));
    }

    #[test]
    fn data_of_an_outer_loop_is_a_base_inside() {
        let mut v = Values::new(7);
        let load =
            Value { to: Some(0), bits: 64, operation: Operation::Copy, operands: [Loaded, Constant(0)] };
        assert_eq!(v.compute(&load, Memory { value: Some(5), data: 1 }, 1), None);
        let add =
            Value { to: Some(0), bits: 64, operation: Operation::Add, operands: [Register(0), Constant(1)] };
        assert_eq!(v.compute(&add, Memory::default(), 2), Some(6));
        assert_eq!(v.compute(&add, Memory::default(), 1), None);
    }
}
