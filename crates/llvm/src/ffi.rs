//! `shim/shim.h` in Rust, declaration by declaration.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};
use std::ffi::{c_char, c_uint, c_void};

/// One run of the pass over one function (`shim/context.h`).
#[repr(C)]
pub struct OrthantPass {
    _private: [u8; 0],
}

/// `llvm::Loop`.
#[repr(C)]
pub struct LLVMLoop {
    _private: [u8; 0],
}

/// `llvm::SCEV`.
#[repr(C)]
pub struct LLVMScev {
    _private: [u8; 0],
}

pub type Sink = extern "C" fn(*mut c_void, *const c_char, usize);
pub type VisitBlock = extern "C" fn(*mut c_void, LLVMBasicBlockRef);
pub type VisitValue = extern "C" fn(*mut c_void, LLVMValueRef);
pub type VisitLoop = extern "C" fn(*mut c_void, *const LLVMLoop);
pub type VisitRegion = extern "C" fn(*mut c_void, c_uint, LLVMBasicBlockRef, LLVMBasicBlockRef);
pub type VisitSetting = extern "C" fn(*mut c_void, *const c_char, *const c_char);

#[repr(C)]
pub struct Location {
    pub line: c_uint,
    pub column: c_uint,
}

/// What a call may do besides computing its result.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "documented in shim.h")]
pub struct CallEffects {
    pub is_inline_asm: bool,
    pub is_indirect: bool,
    pub may_write: bool,
    pub writes_errno_only: bool,
    pub may_throw: bool,
    pub may_not_return: bool,
    pub is_convergent: bool,
    pub is_harmless: bool,
    pub is_memory_intrinsic: bool,
}

#[repr(C)]
pub struct Memory {
    pub is_volatile: bool,
    pub is_atomic: bool,
}

/// What the target description says of the machine. 0 means that it does not say.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it; sizes are in bytes")]
pub struct Target {
    pub cache_line: c_uint,
    pub l1_size: c_uint,
    pub l2_size: c_uint,
    pub l1_ways: c_uint,
    pub l2_ways: c_uint,
    pub vector_bits: c_uint,
    pub widest_bits: c_uint,
    pub vector_registers: c_uint,
    pub scalar_registers: c_uint,
    pub has_fma: c_uint,
}

#[repr(C)]
#[derive(Default)]
pub struct Range {
    pub signed_min: i64,
    pub signed_max: i64,
    pub unsigned_min: u64,
    pub unsigned_max: u64,
}

// shim/shim.h asserts the same sizes.
const _: () =
    assert!(size_of::<Location>() == 8 && size_of::<CallEffects>() == 9 && size_of::<Memory>() == 2);
const _: () = assert!(size_of::<Target>() == 40 && size_of::<Range>() == 32);

unsafe extern "C" {
    pub fn orthant_function(pass: *mut OrthantPass) -> LLVMValueRef;
    pub fn orthant_demangle(symbol: *const c_char, length: usize, sink: Sink, data: *mut c_void);
    pub fn orthant_is_optnone(pass: *mut OrthantPass) -> bool;
    pub fn orthant_has_annotation(pass: *mut OrthantPass, name: *const c_char) -> bool;
    pub fn orthant_print_operand(value: LLVMValueRef, sink: Sink, data: *mut c_void);
    pub fn orthant_source_name(value: LLVMValueRef, sink: Sink, data: *mut c_void);
    pub fn orthant_source_path(value: LLVMValueRef, sink: Sink, data: *mut c_void);
    pub fn orthant_element_name(value: LLVMValueRef, sink: Sink, data: *mut c_void);

    pub fn orthant_loops_in_preorder(pass: *mut OrthantPass, visit: VisitLoop, data: *mut c_void);
    pub fn orthant_loop_of(pass: *mut OrthantPass, block: LLVMBasicBlockRef) -> *const LLVMLoop;
    pub fn orthant_loop_parent(l: *const LLVMLoop) -> *const LLVMLoop;
    pub fn orthant_loop_depth(l: *const LLVMLoop) -> c_uint;
    pub fn orthant_loop_header(l: *const LLVMLoop) -> LLVMBasicBlockRef;
    pub fn orthant_loop_preheader(l: *const LLVMLoop) -> LLVMBasicBlockRef;
    pub fn orthant_loop_latch(l: *const LLVMLoop) -> LLVMBasicBlockRef;
    pub fn orthant_loop_contains(l: *const LLVMLoop, block: LLVMBasicBlockRef) -> bool;
    pub fn orthant_loop_blocks(l: *const LLVMLoop, visit: VisitBlock, data: *mut c_void);
    pub fn orthant_loop_exiting_blocks(l: *const LLVMLoop, visit: VisitBlock, data: *mut c_void);
    pub fn orthant_loop_exit_blocks(l: *const LLVMLoop, visit: VisitBlock, data: *mut c_void);
    pub fn orthant_loop_location(l: *const LLVMLoop, file: Sink, data: *mut c_void) -> Location;
    pub fn orthant_inst_location(inst: LLVMValueRef, file: Sink, data: *mut c_void) -> Location;

    pub fn orthant_regions(pass: *mut OrthantPass, visit: VisitRegion, data: *mut c_void);
    pub fn orthant_region_expand(
        pass: *mut OrthantPass,
        entry: LLVMBasicBlockRef,
        exit: LLVMBasicBlockRef,
    ) -> LLVMBasicBlockRef;

    pub fn orthant_dominates(
        pass: *mut OrthantPass,
        above: LLVMBasicBlockRef,
        below: LLVMBasicBlockRef,
    ) -> bool;
    pub fn orthant_post_dominates(
        pass: *mut OrthantPass,
        below: LLVMBasicBlockRef,
        above: LLVMBasicBlockRef,
    ) -> bool;

    pub fn orthant_call_effects(call: LLVMValueRef) -> CallEffects;
    pub fn orthant_memory(inst: LLVMValueRef) -> Memory;
    pub fn orthant_touches_no_memory(call: LLVMValueRef) -> bool;
    pub fn orthant_access_bytes(inst: LLVMValueRef) -> u64;
    pub fn orthant_unsupported_type(inst: LLVMValueRef, sink: Sink, data: *mut c_void);
    pub fn orthant_alias(
        pass: *mut OrthantPass,
        a: LLVMValueRef,
        a_bytes: u64,
        b: LLVMValueRef,
        b_bytes: u64,
    ) -> c_uint;
    pub fn orthant_type_tag(inst: LLVMValueRef) -> *const c_void;
    pub fn orthant_types_are_apart(pass: *mut OrthantPass, a: LLVMValueRef, b: LLVMValueRef) -> bool;
    pub fn orthant_object_bytes(pass: *mut OrthantPass, base: LLVMValueRef) -> u64;
    pub fn orthant_align_object(base: LLVMValueRef, bytes: u64) -> bool;
    pub fn orthant_may_recurse(pass: *mut OrthantPass) -> bool;
    pub fn orthant_may_read(pass: *mut OrthantPass, call: LLVMValueRef, base: LLVMValueRef) -> bool;
    pub fn orthant_target(pass: *mut OrthantPass, target: *mut Target);
    pub fn orthant_target_triple(pass: *mut OrthantPass, sink: Sink, data: *mut c_void);
    pub fn orthant_target_cpu(pass: *mut OrthantPass, sink: Sink, data: *mut c_void);

    pub fn orthant_remark(
        pass: *mut OrthantPass,
        kind: c_uint,
        id: *const c_char,
        id_length: usize,
        inst: LLVMValueRef,
        l: *const LLVMLoop,
        text: *const c_char,
        length: usize,
    );
    pub fn orthant_error(pass: *mut OrthantPass, text: *const c_char, length: usize);

    pub fn orthant_split_entering(
        pass: *mut OrthantPass,
        entry: LLVMBasicBlockRef,
        region: *const LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMBasicBlockRef;
    pub fn orthant_expand(
        pass: *mut OrthantPass,
        scev: *const LLVMScev,
        block: LLVMBasicBlockRef,
    ) -> LLVMValueRef;
    pub fn orthant_masked_load(
        builder: LLVMBuilderRef,
        ty: LLVMTypeRef,
        address: LLVMValueRef,
        alignment: c_uint,
        mask: LLVMValueRef,
    ) -> LLVMValueRef;
    pub fn orthant_gather(
        builder: LLVMBuilderRef,
        ty: LLVMTypeRef,
        addresses: LLVMValueRef,
        alignment: c_uint,
        mask: LLVMValueRef,
    ) -> LLVMValueRef;
    pub fn orthant_masked_store(
        builder: LLVMBuilderRef,
        value: LLVMValueRef,
        address: LLVMValueRef,
        alignment: c_uint,
        mask: LLVMValueRef,
    ) -> LLVMValueRef;
    pub fn orthant_freeze(value: LLVMValueRef, block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub fn orthant_keep_whole(pass: *mut OrthantPass, block: LLVMBasicBlockRef);
    pub fn orthant_split_exiting(
        exit: LLVMBasicBlockRef,
        region: *const LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMBasicBlockRef;
    pub fn orthant_copy_blocks(
        region: *const LLVMBasicBlockRef,
        count: usize,
        entering: LLVMBasicBlockRef,
        start: LLVMBasicBlockRef,
        exit: LLVMBasicBlockRef,
        end: LLVMBasicBlockRef,
        copies: *mut LLVMBasicBlockRef,
    );
    pub fn orthant_escape(
        inst: LLVMValueRef,
        merge: LLVMBasicBlockRef,
        region: *const LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMValueRef;
    pub fn orthant_forget_lifetimes(blocks: *const LLVMBasicBlockRef, count: usize);
    pub fn orthant_delete_blocks(blocks: *const LLVMBasicBlockRef, count: usize);
    pub fn orthant_promote(pass: *mut OrthantPass, slots: *const LLVMValueRef, count: usize);
    pub fn orthant_alias_scopes(pass: *mut OrthantPass, scopes: *mut LLVMMetadataRef, count: usize);
    pub fn orthant_count(
        pass: *mut OrthantPass,
        before: LLVMValueRef,
        held: *const LLVMValueRef,
        count: usize,
        table: *const c_char,
        table_length: usize,
        json: *const c_char,
        json_length: usize,
    );
    pub fn orthant_steps_over_rows(address: LLVMValueRef, bytes: u64) -> bool;
    pub fn orthant_access_group(pass: *mut OrthantPass) -> LLVMMetadataRef;
    pub fn orthant_annotate(
        inst: LLVMValueRef,
        own: LLVMMetadataRef,
        others: *const LLVMMetadataRef,
        count: usize,
        group: LLVMMetadataRef,
    );
    pub fn orthant_parallel_loop(latch: LLVMBasicBlockRef, group: LLVMMetadataRef, stays_rolled: bool);
    pub fn orthant_rows(latch: LLVMBasicBlockRef, when: c_uint);
    pub fn orthant_outline(
        pass: *mut OrthantPass,
        entry: LLVMBasicBlockRef,
        after: LLVMBasicBlockRef,
        worth: LLVMValueRef,
        private: *mut LLVMValueRef,
        count: usize,
    ) -> bool;
    pub fn orthant_divide(
        pass: *mut OrthantPass,
        question: LLVMBasicBlockRef,
        check: LLVMBasicBlockRef,
        after: LLVMBasicBlockRef,
        original: LLVMBasicBlockRef,
    ) -> bool;
    pub fn orthant_set_aside(
        pass: *mut OrthantPass,
        entry: LLVMBasicBlockRef,
        after: LLVMBasicBlockRef,
        original: LLVMBasicBlockRef,
        private: *mut LLVMValueRef,
        count: usize,
    ) -> bool;
    pub fn orthant_copy(
        pass: *mut OrthantPass,
        entry: LLVMBasicBlockRef,
        after: LLVMBasicBlockRef,
        is_original: LLVMValueRef,
        arrays: *mut LLVMValueRef,
        bytes: *const u64,
        count: usize,
        all: *mut LLVMValueRef,
        all_count: usize,
    ) -> bool;
    pub fn orthant_run_alone(entry: LLVMBasicBlockRef);
    pub fn orthant_keep(pass: *mut OrthantPass) -> bool;
    pub fn orthant_undo(pass: *mut OrthantPass);
    pub fn orthant_verify(pass: *mut OrthantPass, sink: Sink, data: *mut c_void);

    pub fn orthant_scev(pass: *mut OrthantPass, value: LLVMValueRef) -> *const LLVMScev;
    pub fn orthant_scev_at(
        pass: *mut OrthantPass,
        value: LLVMValueRef,
        scope: *const LLVMLoop,
    ) -> *const LLVMScev;
    pub fn orthant_scev_replace(
        pass: *mut OrthantPass,
        scev: *const LLVMScev,
        from: *const LLVMValueRef,
        to: *const LLVMValueRef,
        count: usize,
    ) -> *const LLVMScev;
    pub fn orthant_same_values(
        pass: *mut OrthantPass,
        load: LLVMValueRef,
        visit: VisitValue,
        data: *mut c_void,
    );
    pub fn orthant_guarded_load(value: LLVMValueRef) -> LLVMValueRef;
    pub fn orthant_pointer_base(pass: *mut OrthantPass, pointer: *const LLVMScev) -> *const LLVMScev;
    pub fn orthant_pointer_offset(pass: *mut OrthantPass, pointer: *const LLVMScev) -> *const LLVMScev;
    pub fn orthant_exit_count(
        pass: *mut OrthantPass,
        l: *const LLVMLoop,
        exiting: LLVMBasicBlockRef,
    ) -> *const LLVMScev;
    pub fn orthant_scev_kind(scev: *const LLVMScev) -> c_uint;
    pub fn orthant_scev_flags(scev: *const LLVMScev) -> c_uint;
    pub fn orthant_scev_operands(scev: *const LLVMScev) -> c_uint;
    pub fn orthant_scev_operand(scev: *const LLVMScev, index: c_uint) -> *const LLVMScev;
    pub fn orthant_scev_loop(scev: *const LLVMScev) -> *const LLVMLoop;
    pub fn orthant_scev_value(scev: *const LLVMScev) -> LLVMValueRef;
    pub fn orthant_scev_constant(scev: *const LLVMScev, value: *mut i64) -> bool;
    pub fn orthant_scev_bits(pass: *mut OrthantPass, scev: *const LLVMScev) -> c_uint;
    pub fn orthant_scev_is_pointer(scev: *const LLVMScev) -> bool;
    pub fn orthant_scev_range(pass: *mut OrthantPass, scev: *const LLVMScev, range: *mut Range) -> bool;
    pub fn orthant_scev_print(scev: *const LLVMScev, sink: Sink, data: *mut c_void);

    pub fn orthant_declare_option(
        name: *const c_char,
        help: *const c_char,
        metavar: *const c_char,
        is_flag: bool,
    );
    pub fn orthant_given_options(visit: VisitSetting, data: *mut c_void);
    pub fn orthant_add_version_printer();
    pub fn orthant_register(pass_builder: *mut c_void);

    pub fn orthant_llvm_versions(
        built: Sink,
        running: Sink,
        built_data: *mut c_void,
        running_data: *mut c_void,
    );
    pub fn orthant_foreign_llvm(sink: Sink, data: *mut c_void);
}
