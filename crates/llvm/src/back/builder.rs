//! Writing instructions: LLVM's builder with the few shapes that new loops need.
//!
//! All integer arithmetic of loops is in 64 bits and was proved not to wrap ([`astgen`]).
//!
//! What is computed twice in a block is written once, and nothing is written for `x + 0`, `x * 1` and the like: LLVM's passes would find
//! that out as well, one after the other, and take longer for it than for the rest of what is written.

use crate::ffi;
use crate::pass::{Block, Inst, Pass, Value};
use llvm_sys::core as llvm_c;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMGEPFlagNUSW, LLVMIntPredicate, LLVMOpcode};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::marker::PhantomData;

/// A place to write instructions at.
pub struct Builder<'p> {
    raw: LLVMBuilderRef,
    context: LLVMContextRef,
    function: LLVMValueRef,
    created: RefCell<Vec<Block<'p>>>,
    /// What was written without effects, and may be used by what follows in the block.
    known: RefCell<HashMap<Computed<'p>, Value<'p>>>,
    /// Whether writing goes on behind all that is in the block.
    is_last: Cell<bool>,
}

/// What was computed where, and from what.
type Computed<'p> = (Block<'p>, Pure, Vec<LLVMValueRef>);

/// An operation whose result depends on its operands only; LLVM numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pure {
    Binary(i32),
    Exact(i32),
    Compare(i32),
    Select,
    Element(LLVMTypeRef, bool),
    Spread(i64),
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type<'p>(LLVMTypeRef, PhantomData<&'p ()>);

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

// SAFETY (all calls below): the builder belongs to the run's context and function; values and blocks carry the run's
// lifetime. What is written is checked by LLVM's verifier at the end.
macro_rules! ask {
    ($call:expr) => {
        // SAFETY: see above.
        unsafe { $call }
    };
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        ask!(llvm_c::LLVMDisposeBuilder(self.raw));
    }
}

impl<'p> Builder<'p> {
    /// A builder without a place yet.
    pub fn new(pass: Pass<'p>) -> Self {
        let function = pass.function();
        let context = ask!(llvm_c::LLVMGetModuleContext(llvm_c::LLVMGetGlobalParent(function)));
        Self {
            raw: ask!(llvm_c::LLVMCreateBuilderInContext(context)),
            context,
            function,
            created: RefCell::default(),
            known: RefCell::default(),
            is_last: Cell::new(false),
        }
    }

    /// A new block at the end of the function.
    pub fn block(&self, name: &std::ffi::CStr) -> Block<'p> {
        let raw = ask!(llvm_c::LLVMAppendBasicBlockInContext(self.context, self.function, name.as_ptr()));
        self.created.borrow_mut().push(Block::of(raw));
        Block::of(raw)
    }

    /// Blocks that were made by others count as made by this builder.
    pub fn adopt(&self, blocks: &[Block<'p>]) {
        self.created.borrow_mut().extend_from_slice(blocks);
    }

    /// All blocks that this builder made.
    pub fn created(&self) -> Vec<Block<'p>> {
        self.created.borrow().clone()
    }

    /// No value in particular.
    pub fn poison(&self, ty: Type<'p>) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMGetPoison(ty.0)))
    }

    /// Writes at the end of a block from now on.
    pub fn at_end(&self, block: Block<'p>) {
        ask!(llvm_c::LLVMPositionBuilderAtEnd(self.raw, block.raw));
        self.is_last.set(true);
    }

    /// Writes before an instruction from now on.
    pub fn before(&self, inst: Inst<'p>) {
        ask!(llvm_c::LLVMPositionBuilderBefore(self.raw, inst.raw));
        self.is_last.set(inst.block().terminator() == Some(inst));
    }

    /// The block written to.
    pub fn here(&self) -> Block<'p> {
        Block::of(ask!(llvm_c::LLVMGetInsertBlock(self.raw)))
    }

    /// An integer type.
    pub fn int(&self, bits: u32) -> Type<'p> {
        Type(ask!(llvm_c::LLVMIntTypeInContext(self.context, bits)), PhantomData)
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value<'p>) -> Type<'p> {
        Type(ask!(llvm_c::LLVMTypeOf(value.raw)), PhantomData)
    }

    /// A constant, read as signed.
    pub fn constant(&self, ty: Type<'p>, value: i64) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMConstInt(ty.0, value as u64, 1)))
    }

    /// All bits zero, for a type of which memory can have values.
    pub fn zero(&self, ty: Type<'p>) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMConstNull(ty.0)))
    }

    /// `i64`.
    pub fn index(&self, value: i64) -> Value<'p> {
        self.constant(self.int(64), value)
    }

    /// What `write` writes, or what it wrote before in this block.
    fn once(&self, what: Pure, operands: &[Value<'p>], write: impl FnOnce() -> LLVMValueRef) -> Value<'p> {
        if !self.is_last.get() {
            return Value::of(write());
        }
        let key = (self.here(), what, operands.iter().map(|operand| operand.raw).collect());
        *self.known.borrow_mut().entry(key).or_insert_with(|| Value::of(write()))
    }

    /// Whether it is this number, of 64 bits.
    fn is_number(&self, value: Value<'p>, number: i64) -> bool {
        value == self.index(number)
    }

    /// One of the operands, if it is the result.
    fn simpler(&self, op: LLVMOpcode, a: Value<'p>, b: Value<'p>) -> Option<Value<'p>> {
        use LLVMOpcode::*;
        match op {
            LLVMAdd if self.is_number(a, 0) => Some(b),
            LLVMMul if self.is_number(a, 1) => Some(b),
            LLVMAdd | LLVMSub if self.is_number(b, 0) => Some(a),
            LLVMMul if self.is_number(b, 1) => Some(a),
            LLVMAnd | LLVMOr if a == b => Some(a),
            _ => None,
        }
    }

    /// An arithmetic operation.
    pub fn binary(&self, op: LLVMOpcode, a: Value<'p>, b: Value<'p>) -> Value<'p> {
        let write = || ask!(llvm_c::LLVMBuildBinOp(self.raw, op, a.raw, b.raw, NO_NAME));
        self.simpler(op, a, b).unwrap_or_else(|| self.once(Pure::Binary(op as i32), &[a, b], write))
    }

    /// An operation on 64-bit numbers that was proved not to wrap.
    pub fn exact(&self, op: LLVMOpcode, a: Value<'p>, b: Value<'p>) -> Value<'p> {
        let write = || {
            let result = ask!(llvm_c::LLVMBuildBinOp(self.raw, op, a.raw, b.raw, NO_NAME));
            if !ask!(llvm_c::LLVMIsAInstruction(result)).is_null()
                && matches!(op, LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul)
            {
                ask!(llvm_c::LLVMSetNSW(result, 1));
            }
            result
        };
        self.simpler(op, a, b).unwrap_or_else(|| self.once(Pure::Exact(op as i32), &[a, b], write))
    }

    /// An integer comparison.
    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value<'p>, b: Value<'p>) -> Value<'p> {
        let write = || ask!(llvm_c::LLVMBuildICmp(self.raw, predicate, a.raw, b.raw, NO_NAME));
        self.once(Pure::Compare(predicate as i32), &[a, b], write)
    }

    /// One of two values.
    pub fn select(&self, condition: Value<'p>, then: Value<'p>, otherwise: Value<'p>) -> Value<'p> {
        if then == otherwise {
            return then;
        }
        let write =
            || ask!(llvm_c::LLVMBuildSelect(self.raw, condition.raw, then.raw, otherwise.raw, NO_NAME));
        self.once(Pure::Select, &[condition, then, otherwise], write)
    }

    /// The number in another width, read as signed or as unsigned.
    pub fn resize(&self, value: Value<'p>, ty: Type<'p>, is_signed: bool) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMBuildIntCast2(self.raw, value.raw, ty.0, is_signed.into(), NO_NAME)))
    }

    /// An address as a number.
    pub fn address(&self, pointer: Value<'p>, ty: Type<'p>) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMBuildPtrToInt(self.raw, pointer.raw, ty.0, NO_NAME)))
    }

    /// The address some bytes further. `is_exact`: the sum is known not to wrap.
    pub fn displace(&self, pointer: Value<'p>, bytes: Value<'p>, is_exact: bool) -> Value<'p> {
        self.element(pointer, self.int(8), bytes, is_exact)
    }

    /// A type of so many bytes.
    pub fn sized(&self, bytes: u64) -> Type<'p> {
        match bytes {
            1 | 2 | 4 | 8 => self.int(bytes as u32 * 8),
            _ => Type(ask!(llvm_c::LLVMArrayType2(self.int(8).0, bytes)), PhantomData),
        }
    }

    /// The address so many elements further. `is_exact`: the sum is known not to wrap.
    pub fn element(&self, pointer: Value<'p>, of: Type<'p>, index: Value<'p>, is_exact: bool) -> Value<'p> {
        if self.is_number(index, 0) {
            return pointer;
        }
        let flags = if is_exact { LLVMGEPFlagNUSW } else { 0 };
        let write = || {
            let mut index = index.raw;
            ask!(llvm_c::LLVMBuildGEPWithNoWrapFlags(
                self.raw,
                of.0,
                pointer.raw,
                &mut index,
                1,
                NO_NAME,
                flags
            ))
        };
        self.once(Pure::Element(of.0, is_exact), &[pointer, index], write)
    }

    /// A stack slot; the builder must be in the function's entry block.
    pub fn slot(&self, ty: Type<'p>) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMBuildAlloca(self.raw, ty.0, c"orthant.slot".as_ptr())))
    }

    /// A stack variable of so many bytes; the builder must be in the function's entry block.
    pub fn array_slot(&self, bytes: u64, alignment: u32) -> Value<'p> {
        let ty = ask!(llvm_c::LLVMArrayType2(self.int(8).0, bytes));
        let slot = ask!(llvm_c::LLVMBuildAlloca(self.raw, ty, c"orthant.scratch".as_ptr()));
        ask!(llvm_c::LLVMSetAlignment(slot, alignment));
        Value::of(slot)
    }

    /// The type of addresses.
    pub fn pointer(&self) -> Type<'p> {
        Type(ask!(llvm_c::LLVMPointerTypeInContext(self.context, 0)), PhantomData)
    }

    /// No address.
    pub fn null(&self) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMConstNull(self.pointer().0)))
    }

    /// What `malloc` gives. `None`: something else has that name.
    pub fn allocate(&self, bytes: Value<'p>) -> Option<Value<'p>> {
        let ty = self.signature(self.pointer(), self.int(64));
        let of_free = self
            .signature(Type(ask!(llvm_c::LLVMVoidTypeInContext(self.context)), PhantomData), self.pointer());
        self.function(c"free", of_free)?;
        let function = self.function(c"malloc", ty)?;
        // What is known of the function's effects was found out before it called this.
        for name in ["memory", "nofree"] {
            let kind = ask!(llvm_c::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
            ask!(llvm_c::LLVMRemoveEnumAttributeAtIndex(
                self.function,
                llvm_sys::LLVMAttributeFunctionIndex,
                kind
            ));
        }
        Some(self.call(ty, function, bytes))
    }

    /// Calls `free`.
    pub fn free(&self, pointer: Value<'p>) {
        let nothing = Type(ask!(llvm_c::LLVMVoidTypeInContext(self.context)), PhantomData);
        let ty = self.signature(nothing, self.pointer());
        if let Some(function) = self.function(c"free", ty) {
            self.call(ty, function, pointer);
        }
    }

    /// Says that memory will be wanted soon, and written; it need not exist.
    pub fn prefetch(&self, address: Value<'p>) {
        const NAME: &str = "llvm.prefetch";
        let module = ask!(llvm_c::LLVMGetGlobalParent(self.function));
        let id = ask!(llvm_c::LLVMLookupIntrinsicID(NAME.as_ptr().cast(), NAME.len()));
        let mut types = [self.pointer().0];
        let function = ask!(llvm_c::LLVMGetIntrinsicDeclaration(module, id, types.as_mut_ptr(), 1));
        let ty = ask!(llvm_c::LLVMIntrinsicGetType(self.context, id, types.as_mut_ptr(), 1));
        let number = |value: i64| self.constant(self.int(32), value).raw;
        // For writing, in all caches, data.
        let mut arguments = [address.raw, number(1), number(3), number(1)];
        ask!(llvm_c::LLVMBuildCall2(self.raw, ty, function, arguments.as_mut_ptr(), 4, NO_NAME));
    }

    /// The same address, of which LLVM no longer knows what it was made from.
    pub fn hidden(&self, address: Value<'p>) -> Value<'p> {
        const NAME: &str = "llvm.strip.invariant.group";
        let module = ask!(llvm_c::LLVMGetGlobalParent(self.function));
        let id = ask!(llvm_c::LLVMLookupIntrinsicID(NAME.as_ptr().cast(), NAME.len()));
        let mut types = [self.type_of(address).0];
        let function = ask!(llvm_c::LLVMGetIntrinsicDeclaration(module, id, types.as_mut_ptr(), 1));
        let ty = ask!(llvm_c::LLVMIntrinsicGetType(self.context, id, types.as_mut_ptr(), 1));
        self.call(ty, function, address)
    }

    /// What a function without parameters of the program gives, a number of 32 bits. `None`: something else has that name.
    pub fn ask(&self, name: &std::ffi::CStr) -> Option<Value<'p>> {
        let ty = ask!(llvm_c::LLVMFunctionType(self.int(32).0, std::ptr::null_mut(), 0, 0));
        let function = self.function(name, ty)?;
        Some(Value::of(ask!(llvm_c::LLVMBuildCall2(
            self.raw,
            ty,
            function,
            std::ptr::null_mut(),
            0,
            NO_NAME
        ))))
    }

    fn signature(&self, result: Type<'p>, argument: Type<'p>) -> LLVMTypeRef {
        let mut arguments = [argument.0];
        ask!(llvm_c::LLVMFunctionType(result.0, arguments.as_mut_ptr(), 1, 0))
    }

    fn call(&self, ty: LLVMTypeRef, function: LLVMValueRef, argument: Value<'p>) -> Value<'p> {
        let mut arguments = [argument.raw];
        Value::of(ask!(llvm_c::LLVMBuildCall2(self.raw, ty, function, arguments.as_mut_ptr(), 1, NO_NAME)))
    }

    /// The module's function of that name and type, declared if need be. `None`: it has another type.
    fn function(&self, name: &std::ffi::CStr, ty: LLVMTypeRef) -> Option<LLVMValueRef> {
        let module = ask!(llvm_c::LLVMGetGlobalParent(self.function));
        let known = ask!(llvm_c::LLVMGetNamedFunction(module, name.as_ptr()));
        if known.is_null() {
            return Some(ask!(llvm_c::LLVMAddFunction(module, name.as_ptr(), ty)));
        }
        (ask!(llvm_c::LLVMGlobalGetValueType(known)) == ty).then_some(known)
    }

    /// The content of a slot.
    pub fn load(&self, ty: Type<'p>, slot: Value<'p>) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMBuildLoad2(self.raw, ty.0, slot.raw, NO_NAME)))
    }

    /// Sets a slot's content.
    pub fn store(&self, value: Value<'p>, slot: Value<'p>) {
        ask!(llvm_c::LLVMBuildStore(self.raw, value.raw, slot.raw));
    }

    /// The content of memory at an address of that alignment.
    pub fn load_at(&self, ty: Type<'p>, address: Value<'p>, alignment: u32) -> Value<'p> {
        let load = self.load(ty, address);
        ask!(llvm_c::LLVMSetAlignment(load.raw, alignment));
        load
    }

    /// Sets the content of memory at an address of that alignment; the instruction.
    pub fn store_at(&self, value: Value<'p>, address: Value<'p>, alignment: u32) -> Value<'p> {
        let store = ask!(llvm_c::LLVMBuildStore(self.raw, value.raw, address.raw));
        ask!(llvm_c::LLVMSetAlignment(store, alignment));
        Value::of(store)
    }

    /// Goes on at a block.
    pub fn jump(&self, to: Block<'p>) {
        ask!(llvm_c::LLVMBuildBr(self.raw, to.raw));
    }

    /// Goes on at one of two blocks.
    pub fn branch(&self, condition: Value<'p>, then: Block<'p>, otherwise: Block<'p>) {
        ask!(llvm_c::LLVMBuildCondBr(self.raw, condition.raw, then.raw, otherwise.raw));
    }

    /// An empty phi.
    pub fn phi(&self, ty: Type<'p>) -> Value<'p> {
        Value::of(ask!(llvm_c::LLVMBuildPhi(self.raw, ty.0, NO_NAME)))
    }

    /// Another incoming value of a phi.
    pub fn add_incoming(&self, phi: Value<'p>, value: Value<'p>, from: Block<'p>) {
        let (mut value, mut block) = (value.raw, from.raw);
        ask!(llvm_c::LLVMAddIncoming(phi.raw, &mut value, &mut block, 1));
    }

    /// Removes an instruction that nobody uses.
    pub fn erase(&self, inst: Inst<'p>) {
        ask!(llvm_c::LLVMInstructionEraseFromParent(inst.raw));
    }

    /// Takes back that integer arithmetic does not overflow.
    pub fn may_overflow(&self, inst: Inst<'p>) {
        if matches!(inst.opcode(), LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul) {
            ask!(llvm_c::LLVMSetNSW(inst.raw, 0));
            ask!(llvm_c::LLVMSetNUW(inst.raw, 0));
        }
    }

    /// A copy of a branch or switch with another condition and other targets.
    pub fn copy_branch(&self, branch: Inst<'p>, condition: Option<Value<'p>>, targets: &[Block<'p>]) {
        let copy = ask!(llvm_c::LLVMInstructionClone(branch.raw));
        if let Some(condition) = condition {
            ask!(llvm_c::LLVMSetOperand(copy, 0, condition.raw));
        }
        for (position, target) in targets.iter().enumerate() {
            ask!(llvm_c::LLVMSetSuccessor(copy, position as u32, target.raw));
        }
        ask!(llvm_c::LLVMInsertIntoBuilder(self.raw, copy));
    }

    /// The size of a number.
    pub fn bits(&self, ty: Type<'p>) -> Option<u32> {
        use llvm_sys::LLVMTypeKind::*;
        match ask!(llvm_c::LLVMGetTypeKind(ty.0)) {
            LLVMFloatTypeKind => Some(32),
            LLVMDoubleTypeKind => Some(64),
            LLVMIntegerTypeKind => {
                let bits = ask!(llvm_c::LLVMGetIntTypeWidth(ty.0));
                matches!(bits, 8 | 16 | 32 | 64).then_some(bits)
            }
            _ => None,
        }
    }

    /// A vector type.
    pub fn vector(&self, of: Type<'p>, lanes: i64) -> Type<'p> {
        Type(ask!(llvm_c::LLVMVectorType(of.0, lanes as u32)), PhantomData)
    }

    /// A vector with one value everywhere.
    pub fn spread(&self, value: Value<'p>, lanes: i64) -> Value<'p> {
        let write = || {
            let ty = self.vector(self.type_of(value), lanes);
            let mask = self.vector(self.int(32), lanes);
            let none = self.poison(ty).raw;
            let zero = self.index(0).raw;
            let one = ask!(llvm_c::LLVMBuildInsertElement(self.raw, none, value.raw, zero, NO_NAME));
            let zeros = ask!(llvm_c::LLVMConstNull(mask.0));
            ask!(llvm_c::LLVMBuildShuffleVector(self.raw, one, none, zeros, NO_NAME))
        };
        self.once(Pure::Spread(lanes), &[value], write)
    }

    /// The vector whose elements are those of two vectors, one behind the other, with these numbers; `None`: any.
    pub fn shuffled(&self, a: Value<'p>, b: Value<'p>, elements: &[Option<i64>]) -> Value<'p> {
        let number = |element: &Option<i64>| match element {
            Some(number) => self.constant(self.int(32), *number),
            None => self.poison(self.int(32)),
        };
        let mut mask: Vec<_> = elements.iter().map(|element| number(element).raw).collect();
        let mask = ask!(llvm_c::LLVMConstVector(mask.as_mut_ptr(), mask.len() as u32));
        Value::of(ask!(llvm_c::LLVMBuildShuffleVector(self.raw, a.raw, b.raw, mask, NO_NAME)))
    }

    /// A mask that is known.
    pub fn mask(&self, elements: impl Iterator<Item = bool>) -> Value<'p> {
        let mut mask: Vec<_> =
            elements.map(|element| self.constant(self.int(1), i64::from(element)).raw).collect();
        Value::of(ask!(llvm_c::LLVMConstVector(mask.as_mut_ptr(), mask.len() as u32)))
    }

    /// A vector with this number, the next one, and so on.
    pub fn counting(&self, first: Value<'p>, lanes: i64) -> Value<'p> {
        let mut numbers: Vec<_> = (0..lanes).map(|number| self.index(number).raw).collect();
        let numbers = Value::of(ask!(llvm_c::LLVMConstVector(numbers.as_mut_ptr(), lanes as u32)));
        self.binary(LLVMOpcode::LLVMAdd, self.spread(first, lanes), numbers)
    }

    /// A vector of which only some elements are loaded; the others are 0.
    pub fn load_masked(
        &self,
        ty: Type<'p>,
        address: Value<'p>,
        alignment: u32,
        mask: Value<'p>,
    ) -> Value<'p> {
        Value::of(ask!(ffi::orthant_masked_load(self.raw, ty.0, address.raw, alignment, mask.raw)))
    }

    /// A vector of elements at these addresses; with a mask, those that are not loaded are 0.
    pub fn gather(
        &self,
        ty: Type<'p>,
        addresses: Value<'p>,
        alignment: u32,
        mask: Option<Value<'p>>,
    ) -> Value<'p> {
        let mask = mask.map_or(std::ptr::null_mut(), |mask| mask.raw);
        Value::of(ask!(ffi::orthant_gather(self.raw, ty.0, addresses.raw, alignment, mask)))
    }

    /// Stores some elements of a vector; the instruction.
    pub fn store_masked(
        &self,
        value: Value<'p>,
        address: Value<'p>,
        alignment: u32,
        mask: Value<'p>,
    ) -> Value<'p> {
        Value::of(ask!(ffi::orthant_masked_store(self.raw, value.raw, address.raw, alignment, mask.raw)))
    }

    /// Whether [`Builder::widen`] can make a vector operation of the instruction that gives each element the same bits.
    pub fn can_widen(inst: Inst<'p>) -> bool {
        use LLVMOpcode::*;
        match inst.opcode() {
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg | LLVMAdd | LLVMSub | LLVMMul | LLVMAnd
            | LLVMOr | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc
            | LLVMFPExt => true,
            LLVMCall => inst.callee().is_some_and(|name| is_elementwise(&name)),
            _ => false,
        }
    }

    /// The instruction on vectors, which are the operands. What it knew about overflow is forgotten; what it allows in
    /// floating point is kept.
    pub fn widen(&self, inst: Inst<'p>, operands: &[Value<'p>], lanes: i64) -> Option<Value<'p>> {
        use LLVMOpcode::*;
        let ty = self.vector(self.type_of(inst.value()), lanes);
        let wide = match (inst.opcode(), operands) {
            (LLVMFNeg, [a]) => ask!(llvm_c::LLVMBuildFNeg(self.raw, a.raw, NO_NAME)),
            (LLVMCall, _) => self.widen_call(inst, operands, ty)?,
            (op, [a]) => ask!(llvm_c::LLVMBuildCast(self.raw, op, a.raw, ty.0, NO_NAME)),
            (op, [a, b]) => ask!(llvm_c::LLVMBuildBinOp(self.raw, op, a.raw, b.raw, NO_NAME)),
            _ => return None,
        };
        let is_inst = !ask!(llvm_c::LLVMIsAInstruction(wide)).is_null();
        if is_inst && ask!(llvm_c::LLVMCanValueUseFastMathFlags(inst.raw)) != 0 {
            let flags = ask!(llvm_c::LLVMGetFastMathFlags(inst.raw));
            ask!(llvm_c::LLVMSetFastMathFlags(wide, flags));
        }
        Some(Value::of(wide))
    }

    fn widen_call(&self, inst: Inst<'p>, operands: &[Value<'p>], ty: Type<'p>) -> Option<LLVMValueRef> {
        let intrinsic = ask!(llvm_c::LLVMGetIntrinsicID(llvm_c::LLVMGetCalledValue(inst.raw)));
        let module = ask!(llvm_c::LLVMGetGlobalParent(self.function));
        let (mut types, mut all) = ([ty.0], operands.iter().map(|value| value.raw).collect::<Vec<_>>());
        let callee =
            ask!(llvm_c::LLVMGetIntrinsicDeclaration(module, intrinsic, types.as_mut_ptr(), types.len()));
        let signature =
            ask!(llvm_c::LLVMIntrinsicGetType(self.context, intrinsic, types.as_mut_ptr(), types.len()));
        let count = all.len() as u32;
        Some(ask!(llvm_c::LLVMBuildCall2(self.raw, signature, callee, all.as_mut_ptr(), count, NO_NAME)))
    }

    /// Lets the function have vectors of this size in registers.
    pub fn allow_vectors(&self, bits: u32) {
        const NAME: &str = "min-legal-vector-width";
        let value = bits.to_string();
        let function = llvm_sys::LLVMAttributeFunctionIndex;
        let old = ask!(llvm_c::LLVMGetStringAttributeAtIndex(
            self.function,
            function,
            NAME.as_ptr().cast(),
            NAME.len() as u32
        ));
        if !old.is_null() {
            let mut length = 0;
            let text = ask!(llvm_c::LLVMGetStringAttributeValue(old, &mut length));
            let text = ask!(std::slice::from_raw_parts(text.cast::<u8>(), length as usize));
            let known = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u32>().ok());
            if known.is_some_and(|known| known >= bits) {
                return;
            }
        }
        let attribute = ask!(llvm_c::LLVMCreateStringAttribute(
            self.context,
            NAME.as_ptr().cast(),
            NAME.len() as u32,
            value.as_ptr().cast(),
            value.len() as u32
        ));
        ask!(llvm_c::LLVMAddAttributeAtIndex(self.function, function, attribute));
    }

    /// A copy of an instruction with other operands, in their order. Facts that hold for the old order of execution only
    /// (alias scopes, access groups, in which range the parts of a sum are) are dropped.
    pub fn copy(&self, inst: Inst<'p>, operands: &[Value<'p>]) -> Inst<'p> {
        let copy = ask!(llvm_c::LLVMInstructionClone(inst.raw));
        for (position, operand) in operands.iter().enumerate() {
            ask!(llvm_c::LLVMSetOperand(copy, position as u32, operand.raw));
        }
        for kind in ["alias.scope", "noalias", "llvm.access.group", "llvm.mem.parallel_loop_access", "range"]
        {
            let name = (kind.as_ptr().cast(), kind.len() as u32);
            let id = ask!(llvm_c::LLVMGetMDKindIDInContext(self.context, name.0, name.1));
            ask!(llvm_c::LLVMSetMetadata(copy, id, std::ptr::null_mut()));
        }
        ask!(llvm_c::LLVMInsertIntoBuilder(self.raw, copy));
        Inst::of(copy)
    }
}

/// Intrinsics of one type that do to each element of a vector what they do to a number.
fn is_elementwise(callee: &str) -> bool {
    const NAMES: [&str; 8] = [
        "llvm.fmuladd.",
        "llvm.fma.",
        "llvm.fabs.",
        "llvm.sqrt.",
        "llvm.smax.",
        "llvm.smin.",
        "llvm.umax.",
        "llvm.umin.",
    ];
    NAMES.iter().any(|name| callee.starts_with(name))
}
