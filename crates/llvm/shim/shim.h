// The C interface between LLVM's C++ classes and Rust (src/ffi.rs mirrors it, declaration by declaration).
//
// Rules:
// - Thin: a function here asks LLVM one question. Decisions are made in Rust.
// - Values, blocks and types cross as LLVM-C references; loops and SCEVs as opaque pointers that live as
//   long as the pass invocation (`OrthantPass`).
// - Text leaves through a `Sink`, lists through a `Visit...` callback: nothing has to be freed by the caller.
// - A null result means "there is none".
#ifndef ORTHANT_SHIM_H
#define ORTHANT_SHIM_H

#include "llvm-c/Types.h"
#include <cstddef>
#include <cstdint>

namespace llvm {
class Loop;
class SCEV;
} // namespace llvm

using llvm::Loop;
using llvm::SCEV;

struct OrthantPass; // one run of the pass over one function, with its analyses

extern "C" {

typedef void (*OrthantSink)(void *data, const char *text, size_t length);
typedef void (*OrthantVisitBlock)(void *data, LLVMBasicBlockRef block);
typedef void (*OrthantVisitValue)(void *data, LLVMValueRef value);
typedef void (*OrthantVisitLoop)(void *data, const Loop *loop);
typedef void (*OrthantVisitRegion)(void *data, unsigned depth, LLVMBasicBlockRef entry, LLVMBasicBlockRef exit);
typedef void (*OrthantVisitSetting)(void *data, const char *name, const char *value);

struct OrthantLocation {
  unsigned line; // 0: unknown
  unsigned column;
};

struct OrthantCallEffects {
  bool is_inline_asm;
  bool is_indirect;
  bool may_write;    // memory visible to the program, or I/O
  bool writes_errno_only; // of all memory it writes at most errno
  bool may_throw;    // may leave by an exception
  bool may_not_return;
  bool is_convergent;
  bool is_harmless;  // an intrinsic that computes nothing (debug, lifetime, assume, ...)
  bool is_memory_intrinsic; // memset, memcpy, memmove
};

struct OrthantMemory {
  bool is_volatile;
  bool is_atomic;
};

struct OrthantTarget {
  unsigned cache_line;        // bytes, 0: unknown
  unsigned l1_size, l2_size;  // bytes, 0: unknown
  unsigned l1_ways, l2_ways;  // 0: unknown
  unsigned vector_bits;       // fixed vector register that LLVM's vectorizers use, 0: none
  unsigned widest_bits;       // widest one that the function may use
  unsigned vector_registers;
  unsigned scalar_registers;
  unsigned has_fma;           // 1: a fused multiplication and addition costs no more than the two
};

struct OrthantRange { // of a SCEV up to 64 bits wide
  int64_t signed_min, signed_max;
  uint64_t unsigned_min, unsigned_max;
};

// src/ffi.rs asserts the same sizes.
static_assert(sizeof(OrthantLocation) == 8 && sizeof(OrthantCallEffects) == 9 && sizeof(OrthantMemory) == 2);
static_assert(sizeof(OrthantTarget) == 40 && sizeof(OrthantRange) == 32);

// ---- views.cpp: the function and its loops ----
LLVMValueRef orthant_function(OrthantPass *pass);
void orthant_demangle(const char *symbol, size_t length, OrthantSink sink, void *data);
bool orthant_is_optnone(OrthantPass *pass);
bool orthant_has_annotation(OrthantPass *pass, const char *name); // by annotate() or as a string attribute
void orthant_print_operand(LLVMValueRef value, OrthantSink sink, void *data);
void orthant_source_name(LLVMValueRef value, OrthantSink sink, void *data); // nothing: no debug variable
// The name with members: `B->size1`.
void orthant_source_path(LLVMValueRef value, OrthantSink sink, void *data);
// What C calls the type that a load or store moves.
void orthant_element_name(LLVMValueRef access, OrthantSink sink, void *data);

void orthant_loops_in_preorder(OrthantPass *pass, OrthantVisitLoop visit, void *data);
const Loop *orthant_loop_of(OrthantPass *pass, LLVMBasicBlockRef block); // innermost
const Loop *orthant_loop_parent(const Loop *loop);
unsigned orthant_loop_depth(const Loop *loop); // outermost: 1
LLVMBasicBlockRef orthant_loop_header(const Loop *loop);
LLVMBasicBlockRef orthant_loop_preheader(const Loop *loop);
LLVMBasicBlockRef orthant_loop_latch(const Loop *loop);
bool orthant_loop_contains(const Loop *loop, LLVMBasicBlockRef block);
void orthant_loop_blocks(const Loop *loop, OrthantVisitBlock visit, void *data);
void orthant_loop_exiting_blocks(const Loop *loop, OrthantVisitBlock visit, void *data);
void orthant_loop_exit_blocks(const Loop *loop, OrthantVisitBlock visit, void *data); // without repetitions
OrthantLocation orthant_loop_location(const Loop *loop, OrthantSink file, void *data);
OrthantLocation orthant_inst_location(LLVMValueRef inst, OrthantSink file, void *data);

// The region tree in pre-order; the top-level region has depth 0 and a null exit.
void orthant_regions(OrthantPass *pass, OrthantVisitRegion visit, void *data);
// The exit of the next larger region with the same entry.
LLVMBasicBlockRef orthant_region_expand(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef exit);

bool orthant_dominates(OrthantPass *pass, LLVMBasicBlockRef above, LLVMBasicBlockRef below);
bool orthant_post_dominates(OrthantPass *pass, LLVMBasicBlockRef below, LLVMBasicBlockRef above);

OrthantCallEffects orthant_call_effects(LLVMValueRef call);
OrthantMemory orthant_memory(LLVMValueRef inst);
bool orthant_touches_no_memory(LLVMValueRef call);
// Whether the address is computed by steps over arrays of that many bytes: rows of a declared size.
bool orthant_steps_over_rows(LLVMValueRef address, uint64_t bytes);
uint64_t orthant_access_bytes(LLVMValueRef inst); // of a load or store; 0: not a fixed number
// The first result or operand type that no model has a place for (scalable vector, token, target type).
void orthant_unsupported_type(LLVMValueRef inst, OrthantSink sink, void *data);
// 0: no alias, 1: may, 2: partial, 3: must. `bytes` 0: unknown extent.
unsigned orthant_alias(OrthantPass *pass, LLVMValueRef a, uint64_t a_bytes, LLVMValueRef b, uint64_t b_bytes);
// The type that a load or store says it moves, to be compared only; null: it says nothing.
const void *orthant_type_tag(LLVMValueRef inst);
// Whether the types of two loads or stores say that they never touch the same memory, in whichever iterations.
bool orthant_types_are_apart(OrthantPass *pass, LLVMValueRef a, LLVMValueRef b);
// The bytes of a global or stack variable; 0: it is none, or they are not known here.
uint64_t orthant_object_bytes(OrthantPass *pass, LLVMValueRef base);
// Lets a global variable begin at a multiple of a power of 2; false: it does so already, or its place is not for us to choose.
bool orthant_align_object(LLVMValueRef base, uint64_t bytes);
bool orthant_may_recurse(OrthantPass *pass); // the function may run while it runs
bool orthant_may_read(OrthantPass *pass, LLVMValueRef call, LLVMValueRef base); // anything addressed from base
void orthant_target(OrthantPass *pass, OrthantTarget *target);
void orthant_target_triple(OrthantPass *pass, OrthantSink sink, void *data);
void orthant_target_cpu(OrthantPass *pass, OrthantSink sink, void *data); // nothing: the function does not say

// Remarks. kind 0: done (-Rpass), 1: missed (-Rpass-missed), 2: analysis (-Rpass-analysis).
// The place is the instruction, or the loop where that is null.
void orthant_remark(OrthantPass *pass, unsigned kind, const char *id, size_t id_length, LLVMValueRef inst,
                    const Loop *loop, const char *text, size_t length);
// An error of the compilation, by the host's own diagnostics.
void orthant_error(OrthantPass *pass, const char *text, size_t length);

// ---- count.cpp: counting the parts of run-time checks ----
// Counts before an instruction how often it is reached and how often each of these holds. At exit, the formats (of printf)
// get the numbers: the table with how often each part was asked behind how often it held, JSON without.
void orthant_count(OrthantPass *pass, LLVMValueRef before, const LLVMValueRef *held, size_t count, const char *table,
                   size_t table_length, const char *json, size_t json_length);

// ---- emit.cpp: changes of the control flow and of SSA form ----
// Puts a block before a region's entry that all edges from outside go through; returns it. Keeps dominators and loops.
LLVMBasicBlockRef orthant_split_entering(OrthantPass *pass, LLVMBasicBlockRef entry, const LLVMBasicBlockRef *region,
                                         size_t count);
// Computes an expression before the block's terminator; null if that is not safe there.
LLVMValueRef orthant_expand(OrthantPass *pass, const SCEV *scev, LLVMBasicBlockRef block);
// The value, or at the end of the block one that is the same number for all who use it, if it may be undefined.
LLVMValueRef orthant_masked_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef address, unsigned alignment,
                                 LLVMValueRef mask); // elements that are not loaded are zero
LLVMValueRef orthant_gather(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef addresses, unsigned alignment,
                            LLVMValueRef mask); // no mask: all
LLVMValueRef orthant_masked_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef address,
                                  unsigned alignment, LLVMValueRef mask);
LLVMValueRef orthant_freeze(LLVMValueRef value, LLVMBasicBlockRef block);
// Ways that lead to the block stay together in it: LLVM makes no copies of what follows for what is known on one of them.
void orthant_keep_whole(OrthantPass *pass, LLVMBasicBlockRef block);
// Puts a block before a region's exit that all edges from the region go through; for each phi of the exit it has a
// phi, in the same order, with the values that come from the region.
LLVMBasicBlockRef orthant_split_exiting(LLVMBasicBlockRef exit, const LLVMBasicBlockRef *region, size_t count);
// Copies the blocks of a region, in their order: the copies are entered from `start`, where the region is from `entering`, and lead to
// `end`, where it leads to `exit`. What is known about the aliases of their accesses is left to others to say.
void orthant_copy_blocks(const LLVMBasicBlockRef *region, size_t count, LLVMBasicBlockRef entering,
                         LLVMBasicBlockRef start, LLVMBasicBlockRef exit, LLVMBasicBlockRef end,
                         LLVMBasicBlockRef *copies);
// A phi in `merge` with the value from every predecessor, which takes the value's place outside the region.
LLVMValueRef orthant_escape(LLVMValueRef inst, LLVMBasicBlockRef merge, const LLVMBasicBlockRef *region, size_t count);
// Makes stack objects live in the whole function if their lifetime starts or ends in these blocks: copies of the blocks
// have no such marks.
void orthant_forget_lifetimes(const LLVMBasicBlockRef *blocks, size_t count);
// Removes blocks that nothing leads to; they need not be finished.
void orthant_delete_blocks(const LLVMBasicBlockRef *blocks, size_t count);
// Turns stack slots into SSA values; slots that cannot be turned stay.
void orthant_promote(OrthantPass *pass, const LLVMValueRef *slots, size_t count);
// One scope for each array, in a domain of their own.
void orthant_alias_scopes(OrthantPass *pass, LLVMMetadataRef *scopes, size_t count);
LLVMMetadataRef orthant_access_group(OrthantPass *pass);
// The access is in the scope `own`, not in `others`, and belongs to `group`; null is none.
void orthant_annotate(LLVMValueRef inst, LLVMMetadataRef own, const LLVMMetadataRef *others, size_t count,
                      LLVMMetadataRef group);
// The accesses of the group do not depend on each other across iterations of the loop with that latch, which LLVM may unroll
// unless it stays rolled.
void orthant_parallel_loop(LLVMBasicBlockRef latch, LLVMMetadataRef group, bool stays_rolled);
// The loop with that latch runs over rows. They are written out at once if the loop around becomes one of vectors, or behind
// LLVM's vectorizers (OrthantRowsPass), or never.
enum OrthantRows { ORTHANT_AT_ONCE, ORTHANT_BEHIND_VECTORIZERS, ORTHANT_NEVER };
void orthant_rows(LLVMBasicBlockRef latch, unsigned when);
// Makes a function of the blocks from entry to after, which the runtime calls in each thread if worth holds; the entry ends with a
// branch by worth. False: it cannot be, and worth counts as false in the blocks. Private variables are used by these blocks
// only, and each thread gets its own.
bool orthant_outline(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMValueRef worth,
                     LLVMValueRef *private_slots, size_t count);
// In these blocks: memory on the stack, of so many bytes each, instead of arrays that start there, unless is_original. The starts
// give way to that memory, which is private. False: it cannot be, because some address there is computed neither from where one
// of all arrays starts nor on the stack.
bool orthant_copy(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMValueRef is_original,
                  LLVMValueRef *arrays, const uint64_t *bytes, size_t count, LLVMValueRef *all, size_t all_count);
// Makes a function of the blocks from entry to after and to the original, if new loops are to be functions of their own and these
// can be. False: they stay where they are. Private variables keep nothing from one of these functions to another.
bool orthant_set_aside(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMBasicBlockRef original,
                       LLVMValueRef *private_slots, size_t count);
// ---- divide.cpp ----
// Plans to make the function the choice between two others, if new loops are to be functions and the function is all about one
// nest: what follows `check`, and the original. False: it is not, or it cannot be. The question ends with the branch to check or original.
bool orthant_divide(OrthantPass *pass, LLVMBasicBlockRef question, LLVMBasicBlockRef check, LLVMBasicBlockRef after,
                    LLVMBasicBlockRef original);
void orthant_run_alone(LLVMBasicBlockRef entry); // worth counts as false in the blocks that begin there
bool orthant_keep(OrthantPass *pass); // the function as it is, for orthant_undo; false: that cannot be
void orthant_undo(OrthantPass *pass); // when the pass is done, the function is what was kept
// What LLVM's verifier says; nothing if all is well.
void orthant_verify(OrthantPass *pass, OrthantSink sink, void *data);

// ---- scev.cpp ----
const SCEV *orthant_scev(OrthantPass *pass, LLVMValueRef value); // null: the type has none
// The value as seen from a loop (null: from outside all loops): final values of inner loops are computed.
const SCEV *orthant_scev_at(OrthantPass *pass, LLVMValueRef value, const Loop *scope);
// With values replaced by others.
const SCEV *orthant_scev_replace(OrthantPass *pass, const SCEV *scev, const LLVMValueRef *from, const LLVMValueRef *to,
                                 size_t count);
// The values before loops that a load has if nothing writes what it reads.
void orthant_same_values(OrthantPass *pass, LLVMValueRef load, OrthantVisitValue visit, void *data);
// The load that a phi has the value of where that load is executed, if it was moved under conditions; null otherwise.
LLVMValueRef orthant_guarded_load(LLVMValueRef value);
const SCEV *orthant_pointer_base(OrthantPass *pass, const SCEV *pointer);
const SCEV *orthant_pointer_offset(OrthantPass *pass, const SCEV *pointer); // in bytes, from its base
const SCEV *orthant_exit_count(OrthantPass *pass, const Loop *loop, LLVMBasicBlockRef exiting);
unsigned orthant_scev_kind(const SCEV *scev);
unsigned orthant_scev_flags(const SCEV *scev); // 1: NW, 2: NUW, 4: NSW
unsigned orthant_scev_operands(const SCEV *scev); // 0 for leaves, CouldNotCompute included
const SCEV *orthant_scev_operand(const SCEV *scev, unsigned index);
const Loop *orthant_scev_loop(const SCEV *scev);       // of a recurrence
LLVMValueRef orthant_scev_value(const SCEV *scev);     // of an unknown
bool orthant_scev_constant(const SCEV *scev, int64_t *value); // false: wider than 64 bits
unsigned orthant_scev_bits(OrthantPass *pass, const SCEV *scev);
bool orthant_scev_is_pointer(const SCEV *scev);
bool orthant_scev_range(OrthantPass *pass, const SCEV *scev, OrthantRange *range); // false: wider than 64 bits
void orthant_scev_print(const SCEV *scev, OrthantSink sink, void *data);

// ---- pass.cpp: the plugin ----
void orthant_declare_option(const char *name, const char *help, const char *metavar, bool is_flag);
void orthant_given_options(OrthantVisitSetting visit, void *data);
void orthant_add_version_printer(void);
void orthant_register(void *pass_builder);

// ---- version.cpp ----
// The LLVM that this was compiled for and the one that is running, e.g. "22.1.8".
void orthant_llvm_versions(OrthantSink built, OrthantSink running, void *built_data, void *running_data);
// Empty when the process has exactly the LLVM that this plugin is bound to; otherwise what else is there.
void orthant_foreign_llvm(OrthantSink sink, void *data);

// ---- what C++ calls in Rust (src/host.rs) ----
// A session: validated options. Returns its number, or -1 with a message.
int orthant_rs_configure(const char *params, size_t length, bool has_params, bool *early, bool *enabled,
                         OrthantSink error, void *data);
bool orthant_rs_run(OrthantPass *pass, int session); // true: the function was changed
// A pass of the shim failed in the function, which stays as it is.
void orthant_rs_failed(OrthantPass *pass, int session, const char *message, size_t length);
void orthant_rs_version(OrthantSink sink, void *data);
void orthant_rs_at_exit(void);
}

#endif
