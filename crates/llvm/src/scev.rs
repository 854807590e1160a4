//! Scalar evolution as an owned expression graph.
//!
//! LLVM's `SCEV` is a shared, immutable graph. [`Scevs`] copies the parts that are asked for, once per
//! node, so that a graph whose tree would be exponential stays as small as LLVM's own. A node knows its
//! width, its no-wrap flags, its value range and, for a recurrence, its loop. `{a,+,b}<L>` is
//! [`ScevKind::AddRec`] with operands `[a, b]`: the value in iteration `i` of `L` is `a + b*i`.

use crate::ffi::{self, LLVMScev};
use crate::pass::{Block, Inst, Loop, Pass, Value};
use crate::text::collect;
use llvm_sys::prelude::LLVMValueRef;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// One expression.
#[derive(Debug)]
pub struct Scev<'p> {
    /// LLVM's own node; equal nodes are equal expressions.
    pub(crate) raw: *const LLVMScev,
    /// Its shape and operands.
    pub kind: ScevKind<'p>,
    /// The width in bits; 0 for [`ScevKind::CouldNotCompute`].
    pub bits: u32,
    /// Whether it is an address.
    pub is_pointer: bool,
    /// No self-wrap (recurrences), no unsigned wrap, no signed wrap.
    pub flags: Flags,
    /// The values it can have, if it is at most 64 bits wide.
    pub range: Option<Range>,
}

/// What LLVM proved about wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// A recurrence does not come back to its start.
    pub nw: bool,
    /// No unsigned wrap.
    pub nuw: bool,
    /// No signed wrap.
    pub nsw: bool,
}

/// Inclusive bounds of an expression's value, read as signed and as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// As a signed number.
    pub signed: (i64, i64),
    /// As an unsigned number.
    pub unsigned: (u64, u64),
}

/// A shared reference to an expression.
pub type ScevRef<'p> = Rc<Scev<'p>>;

/// The shapes of expressions.
#[derive(Debug)]
#[expect(missing_docs, reason = "LLVM's names; the operands are in order")]
pub enum ScevKind<'p> {
    Constant(i64),
    /// A constant wider than 64 bits.
    WideConstant,
    VScale,
    Truncate(ScevRef<'p>),
    ZeroExtend(ScevRef<'p>),
    SignExtend(ScevRef<'p>),
    PtrToInt(ScevRef<'p>),
    Add(Vec<ScevRef<'p>>),
    Mul(Vec<ScevRef<'p>>),
    /// Dividend and divisor.
    UDiv([ScevRef<'p>; 2]),
    AddRec {
        operands: Vec<ScevRef<'p>>,
        over: Loop<'p>,
    },
    UMax(Vec<ScevRef<'p>>),
    SMax(Vec<ScevRef<'p>>),
    UMin(Vec<ScevRef<'p>>),
    SMin(Vec<ScevRef<'p>>),
    SequentialUMin(Vec<ScevRef<'p>>),
    Unknown(Value<'p>),
    CouldNotCompute,
}

impl<'p> Scev<'p> {
    /// Whether it counts iterations of the loop.
    pub fn varies_in(&self, l: Loop<'p>) -> bool {
        matches!(self.kind, ScevKind::AddRec { over, .. } if over == l)
            || self.operands().iter().any(|operand| operand.varies_in(l))
    }

    /// The operands, in order.
    pub fn operands(&self) -> &[ScevRef<'p>] {
        match &self.kind {
            ScevKind::Truncate(a)
            | ScevKind::ZeroExtend(a)
            | ScevKind::SignExtend(a)
            | ScevKind::PtrToInt(a) => std::slice::from_ref(a),
            ScevKind::Add(all)
            | ScevKind::Mul(all)
            | ScevKind::AddRec { operands: all, .. }
            | ScevKind::UMax(all)
            | ScevKind::SMax(all)
            | ScevKind::UMin(all)
            | ScevKind::SMin(all)
            | ScevKind::SequentialUMin(all) => all,
            ScevKind::UDiv(both) => both,
            ScevKind::Constant(_)
            | ScevKind::WideConstant
            | ScevKind::VScale
            | ScevKind::Unknown(_)
            | ScevKind::CouldNotCompute => &[],
        }
    }
}

/// The copies made so far in one run.
pub struct Scevs<'p> {
    pass: Pass<'p>,
    /// Values and what is written in their place.
    replaced: (Vec<LLVMValueRef>, Vec<LLVMValueRef>),
    copies: RefCell<HashMap<*const LLVMScev, ScevRef<'p>>>,
}

// SAFETY (all calls below): as in `pass.rs`; the SCEVs belong to the run's ScalarEvolution.
macro_rules! ask {
    ($call:expr) => {
        // SAFETY: see above.
        unsafe { $call }
    };
}

impl<'p> Scevs<'p> {
    /// For one run.
    pub fn new(pass: Pass<'p>) -> Self {
        Self::with_replaced(pass, &[])
    }

    /// For one run, with values replaced by others wherever they occur.
    pub fn with_replaced(pass: Pass<'p>, replaced: &[(Inst<'p>, Inst<'p>)]) -> Self {
        let replaced = replaced.iter().map(|(from, to)| (from.raw, to.raw)).unzip();
        Self { pass, replaced, copies: RefCell::default() }
    }

    fn replace(&self, raw: *const LLVMScev) -> *const LLVMScev {
        let (from, to) = &self.replaced;
        match from.len() {
            0 => raw,
            count => ask!(ffi::orthant_scev_replace(self.pass.raw, raw, from.as_ptr(), to.as_ptr(), count)),
        }
    }

    /// How many nodes were copied: a measure of the work done.
    pub fn nodes(&self) -> usize {
        self.copies.borrow().len()
    }

    /// The innermost loop around a block.
    pub fn loop_of(&self, block: Block<'p>) -> Option<Loop<'p>> {
        self.pass.loop_of(block)
    }

    /// The expression of a value; `None` if its type has none.
    pub fn of_value(&self, value: Value<'p>) -> Option<ScevRef<'p>> {
        let raw = ask!(ffi::orthant_scev(self.pass.raw, value.raw));
        (!raw.is_null()).then(|| self.copy(self.replace(raw)))
    }

    /// The expression of a value as seen from inside `scope` (`None`: from outside all loops), where the final
    /// values of loops that have ended are known.
    pub fn of_value_at(&self, value: Value<'p>, scope: Option<Loop<'p>>) -> Option<ScevRef<'p>> {
        let scope = scope.map_or(std::ptr::null(), |l| l.raw);
        let raw = ask!(ffi::orthant_scev_at(self.pass.raw, value.raw, scope));
        (!raw.is_null()).then(|| self.copy(self.replace(raw)))
    }

    /// The address that a pointer expression starts from.
    pub fn base(&self, pointer: &Scev<'p>) -> ScevRef<'p> {
        self.copy(ask!(ffi::orthant_pointer_base(self.pass.raw, pointer.raw)))
    }

    /// The bytes from its base to a pointer expression.
    pub fn offset(&self, pointer: &Scev<'p>) -> ScevRef<'p> {
        self.copy(ask!(ffi::orthant_pointer_offset(self.pass.raw, pointer.raw)))
    }

    /// An expression in LLVM's notation, for messages.
    pub fn text(&self, scev: &Scev<'p>) -> String {
        print(scev.raw)
    }

    /// How often the loop is left otherwise before it is left from `exiting`.
    pub fn exit_count(&self, l: Loop<'p>, exiting: Block<'p>) -> ScevRef<'p> {
        self.copy(self.replace(ask!(ffi::orthant_exit_count(self.pass.raw, l.raw, exiting.raw))))
    }

    /// A value's expression in LLVM's notation, for messages.
    pub fn text_of_value(&self, value: Value<'p>) -> String {
        let raw = ask!(ffi::orthant_scev(self.pass.raw, value.raw));
        if raw.is_null() { value.operand_text() } else { print(raw) }
    }

    /// An exit count in LLVM's notation, for messages.
    pub fn text_of_exit_count(&self, l: Loop<'p>, exiting: Block<'p>) -> String {
        print(ask!(ffi::orthant_exit_count(self.pass.raw, l.raw, exiting.raw)))
    }

    /// Copies a node after its operands, with an explicit stack: operand chains can be long.
    fn copy(&self, root: *const LLVMScev) -> ScevRef<'p> {
        let mut stack = vec![root];
        while let Some(&raw) = stack.last() {
            let pending: Vec<_> = operands(raw).filter(|op| !self.copies.borrow().contains_key(op)).collect();
            if pending.is_empty() {
                stack.pop();
                if !self.copies.borrow().contains_key(&raw) {
                    let node = Rc::new(self.node(raw));
                    self.copies.borrow_mut().insert(raw, node);
                }
            } else {
                stack.extend(pending);
            }
        }
        self.copies.borrow()[&root].clone()
    }

    /// The copy of a node whose operands are copied.
    fn node(&self, raw: *const LLVMScev) -> Scev<'p> {
        let flags = ask!(ffi::orthant_scev_flags(raw));
        let mut range = ffi::Range::default();
        let has_range = ask!(ffi::orthant_scev_range(self.pass.raw, raw, &mut range));
        Scev {
            raw,
            kind: self.kind(raw),
            bits: ask!(ffi::orthant_scev_bits(self.pass.raw, raw)),
            is_pointer: ask!(ffi::orthant_scev_is_pointer(raw)),
            flags: Flags { nw: flags & 1 != 0, nuw: flags & 2 != 0, nsw: flags & 4 != 0 },
            range: has_range.then_some(Range {
                signed: (range.signed_min, range.signed_max),
                unsigned: (range.unsigned_min, range.unsigned_max),
            }),
        }
    }

    /// The numbers are LLVM's; the shim asserts them.
    fn kind(&self, raw: *const LLVMScev) -> ScevKind<'p> {
        let all = || -> Vec<_> { operands(raw).map(|op| self.copies.borrow()[&op].clone()).collect() };
        let at = |index| self.copies.borrow()[&ask!(ffi::orthant_scev_operand(raw, index))].clone();
        match ask!(ffi::orthant_scev_kind(raw)) {
            0 => constant(raw),
            1 => ScevKind::VScale,
            2 => ScevKind::Truncate(at(0)),
            3 => ScevKind::ZeroExtend(at(0)),
            4 => ScevKind::SignExtend(at(0)),
            5 => ScevKind::Add(all()),
            6 => ScevKind::Mul(all()),
            7 => ScevKind::UDiv([at(0), at(1)]),
            8 => ScevKind::AddRec { operands: all(), over: Loop::of(ask!(ffi::orthant_scev_loop(raw))) },
            9 => ScevKind::UMax(all()),
            10 => ScevKind::SMax(all()),
            11 => ScevKind::UMin(all()),
            12 => ScevKind::SMin(all()),
            13 => ScevKind::SequentialUMin(all()),
            14 => ScevKind::PtrToInt(at(0)),
            15 => ScevKind::Unknown(Value::of(ask!(ffi::orthant_scev_value(raw)))),
            // 16, and whatever a later LLVM adds: an expression of which nothing is known.
            _ => ScevKind::CouldNotCompute,
        }
    }
}

fn operands(raw: *const LLVMScev) -> impl Iterator<Item = *const LLVMScev> {
    (0..ask!(ffi::orthant_scev_operands(raw))).map(move |i| ask!(ffi::orthant_scev_operand(raw, i)))
}

fn constant<'p>(raw: *const LLVMScev) -> ScevKind<'p> {
    let mut value = 0;
    match ask!(ffi::orthant_scev_constant(raw, &mut value)) {
        true => ScevKind::Constant(value),
        false => ScevKind::WideConstant,
    }
}

fn print(raw: *const LLVMScev) -> String {
    collect(|sink, data| ask!(ffi::orthant_scev_print(raw, sink, data)))
}
