//! One run of the pass over one function, and views of what it sees.
//!
//! A view is a copy of an LLVM pointer with the lifetime `'p` of the run. Two views are equal when they
//! are the same LLVM object. The IR is not changed while views are used; what changes it consumes the
//! [`Pass`].
//!
//! ```compile_fail
//! // A view cannot leave the run that made it.
//! fn keep(pass: llvm::Pass<'_>) -> llvm::Loop<'static> { pass.loops()[0] }
//! ```

use crate::back::emit::Formats;
use crate::ffi::{self, LLVMLoop, OrthantPass};
pub use crate::ffi::{CallEffects, Target};
use crate::text::{collect, list};
use llvm_sys::core as llvm_c;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use model::SourceLoc;
use std::ffi::{CStr, c_uint, c_void};
use std::marker::PhantomData;

/// One run of the pass over one function.
#[derive(Clone, Copy)]
pub struct Pass<'p> {
    pub(crate) raw: *mut OrthantPass,
    run: PhantomData<&'p ()>,
}

macro_rules! view {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name<'p> {
            pub(crate) raw: $raw,
            run: PhantomData<&'p ()>,
        }

        impl<'p> $name<'p> {
            /// The caller promises that `raw` is not null and lives as long as the run `'p`.
            pub(crate) fn of(raw: $raw) -> Self {
                debug_assert!(!raw.is_null());
                Self { raw, run: PhantomData }
            }

            fn if_any(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then(|| Self::of(raw))
            }
        }
    };
}

view!(
    /// A natural loop.
    Loop(*const LLVMLoop)
);
view!(
    /// A basic block.
    Block(LLVMBasicBlockRef)
);
view!(
    /// An instruction.
    Inst(LLVMValueRef)
);
view!(
    /// Any value: an instruction, an argument, a constant.
    Value(LLVMValueRef)
);

/// A part of the function with one entry and one exit: the blocks that are reached from `entry` without
/// passing `exit`, which itself is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region<'p> {
    /// The block every path into the region goes through.
    pub entry: Block<'p>,
    /// The block every path out of it leads to.
    pub exit: Block<'p>,
}

/// Where a remark stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor<'p> {
    /// At an instruction.
    Inst(Inst<'p>),
    /// At the start of a loop.
    Loop(Loop<'p>),
}

/// Which of the host's remark options shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// `-Rpass`: something was done.
    Done = 0,
    /// `-Rpass-missed`: something was not done.
    Missed = 1,
    /// `-Rpass-analysis`: what was found on the way.
    Analysis = 2,
}

/// What can be told of two pieces of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// They share no byte.
    No,
    /// Nothing is known.
    May,
    /// They overlap.
    Partial,
    /// They start at the same byte.
    Must,
}

// SAFETY (all calls below): a `Pass` is made from the pointer that the shim hands to `orthant_rs_run` and
// does not outlive that call; every view was obtained from it and carries its lifetime, and the IR is not
// changed meanwhile. So the pointers are valid for the questions asked here.
macro_rules! ask {
    ($call:expr) => {
        // SAFETY: see above.
        unsafe { $call }
    };
}

impl<'p> Pass<'p> {
    /// # Safety
    /// `raw` is the shim's context and stays valid, with its function unchanged by others, during `'p`.
    pub(crate) unsafe fn from_raw(raw: *mut OrthantPass) -> Self {
        Self { raw, run: PhantomData }
    }

    pub(crate) fn raw(self) -> *mut OrthantPass {
        self.raw
    }

    pub(crate) fn function(self) -> LLVMValueRef {
        ask!(ffi::orthant_function(self.raw))
    }

    /// Puts a block before a region's entry that all edges from outside go through.
    pub(crate) fn split_entering(self, entry: Block<'p>, region: &[Block<'p>]) -> Block<'p> {
        let blocks: Vec<_> = region.iter().map(|block| block.raw).collect();
        Block::of(ask!(ffi::orthant_split_entering(self.raw, entry.raw, blocks.as_ptr(), blocks.len())))
    }

    /// Computes an expression before a block's terminator, if that is safe.
    pub(crate) fn expand(self, scev: &crate::scev::Scev<'p>, block: Block<'p>) -> Option<Value<'p>> {
        Value::if_any(ask!(ffi::orthant_expand(self.raw, scev.raw, block.raw)))
    }

    /// The value, or at the end of the block one that is the same for all who use it, if it may be undefined.
    pub(crate) fn freeze(self, value: Value<'p>, block: Block<'p>) -> Value<'p> {
        Value::of(ask!(ffi::orthant_freeze(value.raw, block.raw)))
    }

    /// Puts a block before a region's exit that all edges from the region go through.
    pub(crate) fn split_exiting(self, exit: Block<'p>, region: &[Block<'p>]) -> Block<'p> {
        let blocks: Vec<_> = region.iter().map(|block| block.raw).collect();
        Block::of(ask!(ffi::orthant_split_exiting(exit.raw, blocks.as_ptr(), blocks.len())))
    }

    /// Copies of a region's blocks, in their order, with another block that they are entered from, and another that they
    /// leave to.
    pub(crate) fn copy_blocks(
        self,
        region: &[Block<'p>],
        (entering, start): (Block<'p>, Block<'p>),
        (exit, end): (Block<'p>, Block<'p>),
    ) -> Vec<Block<'p>> {
        let blocks: Vec<_> = region.iter().map(|block| block.raw).collect();
        let mut copies = vec![std::ptr::null_mut(); blocks.len()];
        ask!(ffi::orthant_copy_blocks(
            blocks.as_ptr(),
            blocks.len(),
            entering.raw,
            start.raw,
            exit.raw,
            end.raw,
            copies.as_mut_ptr()
        ));
        copies.into_iter().map(Block::of).collect()
    }

    /// A phi that takes a value's place outside the region.
    pub(crate) fn escape(self, inst: Inst<'p>, merge: Block<'p>, region: &[Block<'p>]) -> Value<'p> {
        let blocks: Vec<_> = region.iter().map(|block| block.raw).collect();
        Value::of(ask!(ffi::orthant_escape(inst.raw, merge.raw, blocks.as_ptr(), blocks.len())))
    }

    /// Keeps the ways that lead to a block together in it: what is known on one of them only, LLVM then does not use behind it.
    pub(crate) fn keep_whole(self, block: Block<'p>) {
        ask!(ffi::orthant_keep_whole(self.raw, block.raw));
    }

    /// Makes stack objects live in the whole function if their lifetime starts or ends in these blocks.
    pub(crate) fn forget_lifetimes(self, blocks: &[Block<'p>]) {
        let blocks: Vec<_> = blocks.iter().map(|block| block.raw).collect();
        ask!(ffi::orthant_forget_lifetimes(blocks.as_ptr(), blocks.len()));
    }

    /// Counts before an instruction how often it is reached and how often each of these holds, and has the program print
    /// that by formats of `printf` when it ends.
    pub(crate) fn count(self, before: Inst<'p>, held: &[Value<'p>], formats: &Formats) {
        let held: Vec<_> = held.iter().map(|value| value.raw).collect();
        let (table, json) = (&formats.table, &formats.json);
        ask!(ffi::orthant_count(
            self.raw,
            before.raw,
            held.as_ptr(),
            held.len(),
            table.as_ptr().cast(),
            table.len(),
            json.as_ptr().cast(),
            json.len(),
        ));
    }

    /// Removes blocks that nothing leads to.
    pub(crate) fn delete_blocks(self, blocks: &[Block<'p>]) {
        let blocks: Vec<_> = blocks.iter().map(|block| block.raw).collect();
        ask!(ffi::orthant_delete_blocks(blocks.as_ptr(), blocks.len()));
    }

    /// Turns stack slots into SSA values.
    pub(crate) fn promote(self, slots: &[Value<'p>]) {
        let slots: Vec<_> = slots.iter().map(|slot| slot.raw).collect();
        ask!(ffi::orthant_promote(self.raw, slots.as_ptr(), slots.len()));
    }

    /// Makes a function of the blocks from `entry` to `after` that the runtime calls in each thread if `worth` holds. False: it
    /// cannot; the blocks then do what is to be done alone. `private`: stack variables that only these blocks use, and that each
    /// thread has for itself.
    pub(crate) fn outline(
        self,
        entry: Block<'p>,
        after: Block<'p>,
        worth: Value<'p>,
        private: &[Value<'p>],
    ) -> bool {
        let mut private: Vec<_> = private.iter().map(|value| value.raw).collect();
        ask!(ffi::orthant_outline(
            self.raw,
            entry.raw,
            after.raw,
            worth.raw,
            private.as_mut_ptr(),
            private.len()
        ))
    }

    /// Plans to make the function the choice between two others (`shim/divide.cpp`), if it is all about one nest: `question` ends with a branch
    /// to `check`, where the rest of the check and the new loops begin, or to the original; `ends`: where both meet, and the original.
    pub(crate) fn divide(self, question: Block<'p>, check: Block<'p>, ends: [Block<'p>; 2]) -> bool {
        let [after, original] = ends.map(|block| block.raw);
        ask!(ffi::orthant_divide(self.raw, question.raw, check.raw, after, original))
    }

    /// Makes a function of the blocks from `entry` to where they end if new loops are to be functions of their own (`shim/aside.cpp`) and these
    /// can be. False: they stay where they are. `private`: stack variables in which nothing is kept from one such function to another.
    pub(crate) fn set_aside(self, entry: Block<'p>, ends: [Block<'p>; 2], private: &[Value<'p>]) -> bool {
        let mut private: Vec<_> = private.iter().map(|value| value.raw).collect();
        let [after, original] = ends.map(|block| block.raw);
        ask!(ffi::orthant_set_aside(
            self.raw,
            entry.raw,
            after,
            original,
            private.as_mut_ptr(),
            private.len()
        ))
    }

    /// In the blocks from `entry` to `after`: memory on the stack, so many bytes each, instead of these arrays, unless
    /// `is_original`. The result is that memory; `None`: it cannot be, because some address there is not computed from where one
    /// of `all` arrays starts. Nothing is different then.
    pub(crate) fn copy(
        self,
        entry: Block<'p>,
        after: Block<'p>,
        is_original: Value<'p>,
        arrays: &[(Value<'p>, i64)],
        all: &[Value<'p>],
    ) -> Option<Vec<Value<'p>>> {
        let mut starts: Vec<_> = arrays.iter().map(|(start, _)| start.raw).collect();
        let bytes: Vec<u64> = arrays.iter().map(|(_, bytes)| bytes.unsigned_abs()).collect();
        let mut all: Vec<_> = all.iter().map(|value| value.raw).collect();
        // The starts give way to the memory.
        let is_done = ask!(ffi::orthant_copy(
            self.raw,
            entry.raw,
            after.raw,
            is_original.raw,
            starts.as_mut_ptr(),
            bytes.as_ptr(),
            starts.len(),
            all.as_mut_ptr(),
            all.len()
        ));
        is_done.then(|| starts.into_iter().map(Value::of).collect())
    }

    /// The choice at the end of a region's first block goes to where it runs in one thread.
    pub(crate) fn run_alone(self, entry: Block<'p>) {
        ask!(ffi::orthant_run_alone(entry.raw));
    }

    /// Keeps the function as it is, so that all can be undone; false if that cannot be.
    pub fn keep(self) -> bool {
        ask!(ffi::orthant_keep(self.raw))
    }

    /// When the pass is done, the function will be what was kept.
    pub fn undo(self) {
        ask!(ffi::orthant_undo(self.raw));
    }

    /// What LLVM's verifier says against the function.
    pub fn verify(self) -> Option<String> {
        let message = collect(|sink, data| ask!(ffi::orthant_verify(self.raw, sink, data)));
        (!message.is_empty()).then_some(message)
    }

    /// The function's symbol.
    pub fn symbol(self) -> String {
        value_name(self.function())
    }

    /// The file that is compiled, as the module names it.
    pub fn source_file(self) -> String {
        let mut length = 0;
        let module = ask!(llvm_c::LLVMGetGlobalParent(self.function()));
        let text = ask!(llvm_c::LLVMGetSourceFileName(module, &mut length));
        ask!(crate::text::borrow(text, length))
    }

    /// Whether the user switched optimization off for the function.
    pub fn is_optnone(self) -> bool {
        ask!(ffi::orthant_is_optnone(self.raw))
    }

    /// Whether the function carries this annotation, by `annotate("...")` or as a string attribute.
    pub fn has_annotation(self, name: &CStr) -> bool {
        ask!(ffi::orthant_has_annotation(self.raw, name.as_ptr()))
    }

    /// The blocks in their textual order; the first is the function's entry.
    pub fn blocks(self) -> Vec<Block<'p>> {
        let first = ask!(llvm_c::LLVMGetFirstBasicBlock(self.function()));
        let next = |block: &Block<'p>| Block::if_any(ask!(llvm_c::LLVMGetNextBasicBlock(block.raw)));
        std::iter::successors(Block::if_any(first), next).collect()
    }

    /// All loops, outer before inner, in program order.
    pub fn loops(self) -> Vec<Loop<'p>> {
        let raw = list(|visit, data| ask!(ffi::orthant_loops_in_preorder(self.raw, visit, data)));
        raw.into_iter().map(Loop::of).collect()
    }

    /// The innermost loop around a block.
    pub fn loop_of(self, block: Block<'p>) -> Option<Loop<'p>> {
        Loop::if_any(ask!(ffi::orthant_loop_of(self.raw, block.raw)))
    }

    /// The region tree in pre-order with depths, without the region that is the whole function: its
    /// children have depth 1.
    pub fn regions(self) -> Vec<(u32, Region<'p>)> {
        type Item = (c_uint, LLVMBasicBlockRef, LLVMBasicBlockRef);
        extern "C" fn visit(
            data: *mut c_void,
            depth: c_uint,
            entry: LLVMBasicBlockRef,
            exit: LLVMBasicBlockRef,
        ) {
            // SAFETY: `data` is the vector below, which nobody else touches during the call.
            unsafe { (*data.cast::<Vec<Item>>()).push((depth, entry, exit)) }
        }
        let mut items: Vec<Item> = Vec::new();
        ask!(ffi::orthant_regions(self.raw, visit, (&raw mut items).cast()));
        let region = |(depth, entry, exit): Item| {
            Some((depth, Region { entry: Block::if_any(entry)?, exit: Block::if_any(exit)? }))
        };
        items.into_iter().filter_map(region).collect()
    }

    /// The next larger region with the same entry.
    pub fn larger(self, region: Region<'p>) -> Option<Region<'p>> {
        let exit = ask!(ffi::orthant_region_expand(self.raw, region.entry.raw, region.exit.raw));
        Some(Region { entry: region.entry, exit: Block::if_any(exit)? })
    }

    /// Whether every path to `below` goes through `above`.
    pub fn dominates(self, above: Block<'p>, below: Block<'p>) -> bool {
        ask!(ffi::orthant_dominates(self.raw, above.raw, below.raw))
    }

    /// Whether every path from `above` to the function's end goes through `below`.
    pub fn post_dominates(self, below: Block<'p>, above: Block<'p>) -> bool {
        ask!(ffi::orthant_post_dominates(self.raw, below.raw, above.raw))
    }

    /// How `a_bytes` from `a` and `b_bytes` from `b` overlap; 0 bytes is an unknown extent.
    pub fn alias(self, a: Value<'p>, a_bytes: u64, b: Value<'p>, b_bytes: u64) -> Alias {
        match ask!(ffi::orthant_alias(self.raw, a.raw, a_bytes, b.raw, b_bytes)) {
            0 => Alias::No,
            2 => Alias::Partial,
            3 => Alias::Must,
            _ => Alias::May,
        }
    }

    /// Whether the types of two loads or stores say that they never touch the same memory, in whichever iterations.
    pub fn types_are_apart(self, a: Inst<'p>, b: Inst<'p>) -> bool {
        ask!(ffi::orthant_types_are_apart(self.raw, a.raw, b.raw))
    }

    /// The bytes of a global or stack variable, if that is what it is and they are known here.
    pub fn object_bytes(self, base: Value<'p>) -> Option<u64> {
        Some(ask!(ffi::orthant_object_bytes(self.raw, base.raw))).filter(|bytes| *bytes > 0)
    }

    /// Lets a global variable begin at a multiple of so many bytes, a power of 2. False if it does so already, or if its place is not for
    /// this module to choose.
    pub fn align_object(self, base: Value<'p>, bytes: u64) -> bool {
        bytes.is_power_of_two() && ask!(ffi::orthant_align_object(base.raw, bytes))
    }

    /// Values from before loops around a load: what the load gives if nothing in the loop writes what it reads.
    pub fn same_values(self, load: Inst<'p>) -> Vec<Inst<'p>> {
        let raw = list(|visit, data| ask!(ffi::orthant_same_values(self.raw, load.raw, visit, data)));
        raw.into_iter().map(Inst::of).collect()
    }

    /// Whether the function may be called again before it returns.
    pub fn may_recurse(self) -> bool {
        ask!(ffi::orthant_may_recurse(self.raw))
    }

    /// Whether a call may read memory that is addressed from `base`.
    pub fn may_read(self, call: Inst<'p>, base: Value<'p>) -> bool {
        ask!(ffi::orthant_may_read(self.raw, call.raw, base.raw))
    }

    /// The target machine.
    pub fn target(self) -> Target {
        let mut target = Target::default();
        ask!(ffi::orthant_target(self.raw, &mut target));
        target
    }

    /// What is compiled for: `x86_64-pc-linux-gnu`.
    pub fn target_triple(self) -> String {
        collect(|sink, data| ask!(ffi::orthant_target_triple(self.raw, sink, data)))
    }

    /// The processor that the function is compiled for, if it says that: `znver4`.
    pub fn target_cpu(self) -> Option<String> {
        let name = collect(|sink, data| ask!(ffi::orthant_target_cpu(self.raw, sink, data)));
        (!name.is_empty()).then_some(name)
    }

    /// Makes the compilation fail with this message, through the host's own diagnostics.
    pub fn error(self, message: &str) {
        ask!(ffi::orthant_error(self.raw, message.as_ptr().cast(), message.len()));
    }

    /// Emits a remark through the host's own machinery. `id` is its stable name.
    pub fn remark(self, kind: RemarkKind, id: &str, at: Anchor<'p>, message: &str) {
        let (inst, l) = match at {
            Anchor::Inst(inst) => (inst.raw, std::ptr::null()),
            Anchor::Loop(l) => (std::ptr::null_mut(), l.raw),
        };
        let (id, id_length) = (id.as_ptr().cast(), id.len());
        let (text, length) = (message.as_ptr().cast(), message.len());
        ask!(ffi::orthant_remark(self.raw, kind as c_uint, id, id_length, inst, l, text, length));
    }
}

/// The name for people of a C++, Rust or D symbol; other names stay as they are.
pub fn demangle(symbol: &str) -> String {
    collect(|sink, data| ask!(ffi::orthant_demangle(symbol.as_ptr().cast(), symbol.len(), sink, data)))
}

fn value_name(value: LLVMValueRef) -> String {
    let mut length = 0;
    let text = ask!(llvm_c::LLVMGetValueName2(value, &mut length));
    ask!(crate::text::borrow(text, length))
}

fn source_loc(ask_shim: impl FnOnce(ffi::Sink, *mut c_void) -> ffi::Location) -> Option<SourceLoc> {
    let mut at = ffi::Location { line: 0, column: 0 };
    let file = collect(|sink, data| at = ask_shim(sink, data));
    (at.line > 0).then_some(SourceLoc { file, line: at.line, column: at.column })
}

impl<'p> Loop<'p> {
    /// The loop around this one.
    pub fn parent(self) -> Option<Loop<'p>> {
        Loop::if_any(ask!(ffi::orthant_loop_parent(self.raw)))
    }

    /// 1 for a loop without a parent.
    pub fn depth(self) -> u32 {
        ask!(ffi::orthant_loop_depth(self.raw))
    }

    /// The block that every iteration starts with.
    pub fn header(self) -> Block<'p> {
        Block::of(ask!(ffi::orthant_loop_header(self.raw)))
    }

    /// The only block from which the loop is entered.
    pub fn preheader(self) -> Option<Block<'p>> {
        Block::if_any(ask!(ffi::orthant_loop_preheader(self.raw)))
    }

    /// The only block from which the next iteration starts.
    pub fn latch(self) -> Option<Block<'p>> {
        Block::if_any(ask!(ffi::orthant_loop_latch(self.raw)))
    }

    /// Whether the block is in this loop or a loop in it.
    pub fn contains(self, block: Block<'p>) -> bool {
        ask!(ffi::orthant_loop_contains(self.raw, block.raw))
    }

    /// The blocks, those of inner loops included.
    pub fn blocks(self) -> Vec<Block<'p>> {
        blocks(|visit, data| ask!(ffi::orthant_loop_blocks(self.raw, visit, data)))
    }

    /// The blocks in the loop with a successor outside.
    pub fn exiting_blocks(self) -> Vec<Block<'p>> {
        blocks(|visit, data| ask!(ffi::orthant_loop_exiting_blocks(self.raw, visit, data)))
    }

    /// The blocks outside with a predecessor in the loop, each once.
    pub fn exit_blocks(self) -> Vec<Block<'p>> {
        blocks(|visit, data| ask!(ffi::orthant_loop_exit_blocks(self.raw, visit, data)))
    }

    /// Where the loop starts in the source.
    pub fn loc(self) -> Option<SourceLoc> {
        source_loc(|file, data| ask!(ffi::orthant_loop_location(self.raw, file, data)))
    }
}

fn blocks<'p>(ask_shim: impl FnOnce(ffi::VisitBlock, *mut c_void)) -> Vec<Block<'p>> {
    list(ask_shim).into_iter().map(Block::of).collect()
}

impl<'p> Block<'p> {
    /// The instructions in order.
    pub fn insts(self) -> impl Iterator<Item = Inst<'p>> {
        let first = ask!(llvm_c::LLVMGetFirstInstruction(self.raw));
        let next = |inst: &Inst<'p>| Inst::if_any(ask!(llvm_c::LLVMGetNextInstruction(inst.raw)));
        std::iter::successors(Inst::if_any(first), next)
    }

    /// The last instruction; every block of valid IR has one.
    pub fn terminator(self) -> Option<Inst<'p>> {
        Inst::if_any(ask!(llvm_c::LLVMGetBasicBlockTerminator(self.raw)))
    }

    /// The blocks that control may go to, as often as the terminator names them.
    pub fn successors(self) -> Vec<Block<'p>> {
        let Some(terminator) = self.terminator() else { return Vec::new() };
        let count = ask!(llvm_c::LLVMGetNumSuccessors(terminator.raw));
        (0..count).map(|i| Block::of(ask!(llvm_c::LLVMGetSuccessor(terminator.raw, i)))).collect()
    }

    /// Where the block's first located instruction stands.
    pub fn loc(self) -> Option<SourceLoc> {
        self.insts().find_map(Inst::loc)
    }
}

impl<'p> Inst<'p> {
    /// What it does.
    pub fn opcode(self) -> LLVMOpcode {
        ask!(llvm_c::LLVMGetInstructionOpcode(self.raw))
    }

    /// The block it is in.
    pub fn block(self) -> Block<'p> {
        Block::of(ask!(llvm_c::LLVMGetInstructionParent(self.raw)))
    }

    /// How many operands it has.
    pub fn operands(self) -> Vec<Value<'p>> {
        let count = ask!(llvm_c::LLVMGetNumOperands(self.raw)).max(0) as c_uint;
        (0..count).filter_map(|i| Value::if_any(ask!(llvm_c::LLVMGetOperand(self.raw, i)))).collect()
    }

    /// Where it stands in the source.
    pub fn loc(self) -> Option<SourceLoc> {
        source_loc(|file, data| ask!(ffi::orthant_inst_location(self.raw, file, data)))
    }

    /// Whether it is a call of any kind.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)
    }

    /// The function that a direct call calls, as its symbol.
    pub fn callee(self) -> Option<String> {
        if !self.is_call() {
            return None;
        }
        let callee = ask!(llvm_c::LLVMGetCalledValue(self.raw));
        let name = value_name(callee);
        (!name.is_empty()).then_some(name)
    }

    /// What a call may do; `None` for other instructions.
    pub fn call_effects(self) -> Option<CallEffects> {
        self.is_call().then(|| ask!(ffi::orthant_call_effects(self.raw)))
    }

    /// The load that a phi has the value of where that load is executed; it was moved there under conditions, and nobody
    /// looks at the phi elsewhere.
    pub fn guarded_load(self) -> Option<Inst<'p>> {
        let load = ask!(ffi::orthant_guarded_load(self.raw));
        (!load.is_null()).then(|| Inst::of(load))
    }

    /// Where a load reads from or a store writes to.
    pub fn pointer(self) -> Option<Value<'p>> {
        let position = match self.opcode() {
            LLVMOpcode::LLVMLoad => 0,
            LLVMOpcode::LLVMStore => 1,
            _ => return None,
        };
        self.operands().get(position).copied()
    }

    /// How many bytes a load reads or a store writes; 0 if that is not a fixed number.
    pub fn access_bytes(self) -> u64 {
        ask!(ffi::orthant_access_bytes(self.raw))
    }

    /// What the program says about the type that a load or store moves: equal tags, equal types. Null: nothing.
    pub fn type_tag(self) -> *const c_void {
        ask!(ffi::orthant_type_tag(self.raw))
    }

    /// The alignment that a load or store promises, in bytes.
    pub fn alignment(self) -> u32 {
        match self.pointer() {
            Some(_) => ask!(llvm_c::LLVMGetAlignment(self.raw)),
            None => 1,
        }
    }

    /// A phi's incoming values with the blocks they come from.
    pub fn incoming(self) -> Vec<(Value<'p>, Block<'p>)> {
        if self.opcode() != LLVMOpcode::LLVMPHI {
            return Vec::new();
        }
        let count = ask!(llvm_c::LLVMCountIncoming(self.raw));
        let at = |i| {
            let value = Value::of(ask!(llvm_c::LLVMGetIncomingValue(self.raw, i)));
            (value, Block::of(ask!(llvm_c::LLVMGetIncomingBlock(self.raw, i))))
        };
        (0..count).map(at).collect()
    }

    /// The predicate of an integer comparison.
    pub fn predicate(self) -> Option<LLVMIntPredicate> {
        (self.opcode() == LLVMOpcode::LLVMICmp).then(|| ask!(llvm_c::LLVMGetICmpPredicate(self.raw)))
    }

    /// Whether it is a floating-point operation that may be computed in another order, which can also change the sign of a zero.
    pub fn may_reassociate(self) -> bool {
        self.allows(llvm_sys::LLVMFastMathAllowReassoc | llvm_sys::LLVMFastMathNoSignedZeros)
    }

    /// Whether it is a floating-point operation that may be fused with another one, without rounding between them.
    pub fn may_contract(self) -> bool {
        self.allows(llvm_sys::LLVMFastMathAllowContract)
    }

    fn allows(self, wanted: llvm_sys::LLVMFastMathFlags) -> bool {
        ask!(llvm_c::LLVMCanValueUseFastMathFlags(self.raw)) != 0
            && ask!(llvm_c::LLVMGetFastMathFlags(self.raw)) & wanted == wanted
    }

    /// What a conditional branch or a switch decides by.
    pub fn condition(self) -> Option<Value<'p>> {
        let decides = match self.opcode() {
            LLVMOpcode::LLVMBr => ask!(llvm_c::LLVMIsConditional(self.raw)) != 0,
            LLVMOpcode::LLVMSwitch => true,
            _ => false,
        };
        decides.then(|| self.operands().first().copied()).flatten()
    }

    /// The cases of a switch, read as signed numbers, and where they lead; all other values lead to the first successor.
    /// `None`: no switch, or numbers of more than 64 bits.
    pub fn switch_cases(self) -> Option<Vec<(i64, Block<'p>)>> {
        if self.opcode() != LLVMOpcode::LLVMSwitch {
            return None;
        }
        let count = ask!(llvm_c::LLVMGetNumSuccessors(self.raw));
        let case = |i| {
            let value = Value::of(ask!(llvm_c::LLVMGetSwitchCaseValue(self.raw, i))).constant()?;
            Some((value, Block::of(ask!(llvm_c::LLVMGetSuccessor(self.raw, i)))))
        };
        (1..count).map(case).collect()
    }

    /// The instructions that use its value, each as often as it does.
    pub fn users(self) -> Vec<Inst<'p>> {
        let mut users = Vec::new();
        let mut next = ask!(llvm_c::LLVMGetFirstUse(self.raw));
        while !next.is_null() {
            let user = ask!(llvm_c::LLVMGetUser(next));
            users.extend(Inst::if_any(ask!(llvm_c::LLVMIsAInstruction(user))));
            next = ask!(llvm_c::LLVMGetNextUse(next));
        }
        users
    }

    /// Whether it is a call that neither reads nor writes memory, and always returns.
    pub fn touches_no_memory(self) -> bool {
        self.is_call() && ask!(ffi::orthant_touches_no_memory(self.raw))
    }

    /// Whether it touches volatile memory.
    pub fn is_volatile(self) -> bool {
        ask!(ffi::orthant_memory(self.raw)).is_volatile
    }

    /// Whether it is an atomic access or a fence.
    pub fn is_atomic(self) -> bool {
        ask!(ffi::orthant_memory(self.raw)).is_atomic
    }

    /// The first type it mentions that no model has a place for.
    pub fn unsupported_type(self) -> Option<String> {
        let text = collect(|sink, data| ask!(ffi::orthant_unsupported_type(self.raw, sink, data)));
        (!text.is_empty()).then_some(text)
    }

    /// What a `freeze` passes on; it changes only values that are not defined.
    pub fn frozen(self) -> Option<Value<'p>> {
        let operand = self.operands().first().copied();
        operand.filter(|_| self.opcode() == LLVMOpcode::LLVMFreeze)
    }

    /// What C calls the type of what a load or store moves, if it has a word for it.
    pub fn element_name(self) -> Option<String> {
        let name = collect(|sink, data| ask!(ffi::orthant_element_name(self.raw, sink, data)));
        (!name.is_empty()).then_some(name)
    }

    /// The instruction as a value.
    pub fn value(self) -> Value<'p> {
        Value::of(self.raw)
    }
}

impl<'p> Value<'p> {
    /// Whether this address is computed by steps over arrays of that many bytes.
    pub fn steps_over_rows(self, bytes: u64) -> bool {
        self.inst().is_some() && ask!(ffi::orthant_steps_over_rows(self.raw, bytes))
    }

    /// The instruction that computes it, if one does.
    pub fn inst(self) -> Option<Inst<'p>> {
        Inst::if_any(ask!(llvm_c::LLVMIsAInstruction(self.raw)))
    }

    /// The source variable that it is the value of, by the debug information.
    pub fn source_name(self) -> Option<String> {
        let name = collect(|sink, data| ask!(ffi::orthant_source_name(self.raw, sink, data)));
        (!name.is_empty()).then_some(name)
    }

    /// What people call it: a variable, or a member of what one points to (`B->size1`), or else the operand.
    pub fn readable(self) -> String {
        let path = collect(|sink, data| ask!(ffi::orthant_source_path(self.raw, sink, data)));
        if path.is_empty() { self.operand_text() } else { path }
    }

    /// The value of an integer constant of at most 64 bits, read as signed.
    pub fn constant(self) -> Option<i64> {
        let is_constant = !ask!(llvm_c::LLVMIsAConstantInt(self.raw)).is_null();
        let ty = ask!(llvm_c::LLVMTypeOf(self.raw));
        (is_constant && ask!(llvm_c::LLVMGetIntTypeWidth(ty)) <= 64)
            .then(|| ask!(llvm_c::LLVMConstIntGetSExtValue(self.raw)))
    }

    /// Whether both are of one type.
    pub fn has_type_of(self, other: Value<'p>) -> bool {
        ask!(llvm_c::LLVMTypeOf(self.raw)) == ask!(llvm_c::LLVMTypeOf(other.raw))
    }

    /// The bytes of a value that fills whole bytes and is nothing but its bits: an integer of 8, 16, 32 or 64 bits, a `float`
    /// or a `double`. Not an address: those know where they are from.
    pub fn plain_bytes(self) -> Option<u32> {
        use llvm_sys::LLVMTypeKind::*;
        let ty = ask!(llvm_c::LLVMTypeOf(self.raw));
        match ask!(llvm_c::LLVMGetTypeKind(ty)) {
            LLVMFloatTypeKind => Some(4),
            LLVMDoubleTypeKind => Some(8),
            LLVMIntegerTypeKind => {
                let bits = ask!(llvm_c::LLVMGetIntTypeWidth(ty));
                matches!(bits, 8 | 16 | 32 | 64).then_some(bits / 8)
            }
            _ => None,
        }
    }

    /// Whether its type is `i1`.
    pub fn is_truth(self) -> bool {
        let ty = ask!(llvm_c::LLVMTypeOf(self.raw));
        let is_integer = ask!(llvm_c::LLVMGetTypeKind(ty)) == llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind;
        is_integer && ask!(llvm_c::LLVMGetIntTypeWidth(ty)) == 1
    }

    /// As an operand is written in IR: `%n`, `7`, `@table`.
    pub fn operand_text(self) -> String {
        collect(|sink, data| ask!(ffi::orthant_print_operand(self.raw, sink, data)))
    }
}
