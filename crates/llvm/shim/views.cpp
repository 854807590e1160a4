// Questions to loops, regions, dominators, alias analysis, the target and the remark emitter.
#include "context.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

LLVMValueRef orthant_function(OrthantPass *pass) { return wrap(&pass->function); }

void orthant_demangle(const char *symbol, size_t length, OrthantSink sink, void *data) {
  orthant_send(demangle(std::string_view(symbol, length)), sink, data);
}

// Entries of @llvm.global.annotations are structs { function, text, file, line, arguments }.
static bool annotated(const Function &F, StringRef name) {
  const GlobalVariable *annotations = F.getParent()->getNamedGlobal("llvm.global.annotations");
  const auto *entries =
      annotations && annotations->hasInitializer() ? dyn_cast<ConstantArray>(annotations->getInitializer()) : nullptr;
  if (!entries)
    return false;
  for (const Use &use : entries->operands()) {
    const auto *entry = dyn_cast<ConstantStruct>(use.get());
    if (!entry || entry->getNumOperands() < 2 || entry->getOperand(0)->stripPointerCasts() != &F)
      continue;
    const auto *global = dyn_cast<GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
    const auto *text =
        global && global->hasInitializer() ? dyn_cast<ConstantDataSequential>(global->getInitializer()) : nullptr;
    if (text && text->isCString() && text->getAsCString() == name)
      return true;
  }
  return false;
}

bool orthant_is_optnone(OrthantPass *pass) { return pass->function.hasOptNone(); }

bool orthant_has_annotation(OrthantPass *pass, const char *name) {
  return pass->function.hasFnAttribute(name) || annotated(pass->function, name);
}

void orthant_print_operand(LLVMValueRef value, OrthantSink sink, void *data) {
  std::string text;
  raw_string_ostream OS(text);
  unwrap(value)->printAsOperand(OS, /*PrintType=*/false);
  orthant_send(text, sink, data);
}

void orthant_loops_in_preorder(OrthantPass *pass, OrthantVisitLoop visit, void *data) {
  for (Loop *loop : pass->loops.getLoopsInPreorder())
    visit(data, loop);
}

const Loop *orthant_loop_of(OrthantPass *pass, LLVMBasicBlockRef block) {
  return pass->loops.getLoopFor(unwrap(block));
}

const Loop *orthant_loop_parent(const Loop *loop) { return loop->getParentLoop(); }
unsigned orthant_loop_depth(const Loop *loop) { return loop->getLoopDepth(); }
LLVMBasicBlockRef orthant_loop_header(const Loop *loop) { return wrap(loop->getHeader()); }
LLVMBasicBlockRef orthant_loop_preheader(const Loop *loop) { return wrap(loop->getLoopPreheader()); }
LLVMBasicBlockRef orthant_loop_latch(const Loop *loop) { return wrap(loop->getLoopLatch()); }
bool orthant_loop_contains(const Loop *loop, LLVMBasicBlockRef block) { return loop->contains(unwrap(block)); }

void orthant_loop_blocks(const Loop *loop, OrthantVisitBlock visit, void *data) {
  for (BasicBlock *block : loop->blocks())
    visit(data, wrap(block));
}

void orthant_loop_exiting_blocks(const Loop *loop, OrthantVisitBlock visit, void *data) {
  SmallVector<BasicBlock *, 4> blocks;
  loop->getExitingBlocks(blocks);
  for (BasicBlock *block : blocks)
    visit(data, wrap(block));
}

void orthant_loop_exit_blocks(const Loop *loop, OrthantVisitBlock visit, void *data) {
  SmallVector<BasicBlock *, 4> blocks;
  loop->getUniqueExitBlocks(blocks);
  for (BasicBlock *block : blocks)
    visit(data, wrap(block));
}

// The place in the user's own source: code inlined from another file (a library's iterator, a matrix class) is
// reported where the function itself calls it.
static const DILocation *own_place(const DILocation *at, const Function *F) {
  const DISubprogram *own = F->getSubprogram();
  while (at && own && at->getFile() != own->getFile() && at->getInlinedAt())
    at = at->getInlinedAt();
  return at;
}

// The file as it can be opened from here: debug information keeps the folder apart from the name.
static std::string file_of(const DILocation *at) {
  SmallString<128> here, path(at->getDirectory());
  StringRef name = at->getFilename();
  if (sys::path::is_absolute(name) || path.empty() || path == "." || (!sys::fs::current_path(here) && here == path))
    return name.str();
  sys::path::append(path, name);
  return path.str().str();
}

static OrthantLocation location(const DILocation *at, OrthantSink file, void *data) {
  if (!at || !at->getLine())
    return {0, 0};
  orthant_send(file_of(at), file, data);
  return {at->getLine(), at->getColumn()};
}

static bool names_its_start(const Loop *loop) {
  const MDNode *id = loop->getLoopID();
  return id && any_of(id->operands(), [](const MDOperand &operand) { return isa_and_nonnull<DILocation>(operand.get()); });
}

// clang writes a loop's start into its metadata. flang and rustc do not, and the preheader may stand
// anywhere: there the topmost line of the loop's own control (head, exits, latches) is the line of its head.
static const DILocation *start_of(const Loop *loop) {
  const Function *F = loop->getHeader()->getParent();
  const DILocation *best = own_place(loop->getStartLoc().get(), F);
  if (names_its_start(loop))
    return best;
  auto consider = [&](const Instruction &inst) {
    const DILocation *at = own_place(inst.getDebugLoc().get(), F);
    if (at && at->getLine() && (!best || (at->getFile() == best->getFile() && at->getLine() < best->getLine())))
      best = at;
  };
  SmallVector<BasicBlock *, 4> blocks;
  loop->getExitingBlocks(blocks);
  loop->getLoopLatches(blocks);
  for (const BasicBlock *block : blocks)
    consider(*block->getTerminator());
  for (const Instruction &inst : *loop->getHeader())
    consider(inst);
  return best;
}

static const DILocation *place_of(const Instruction *inst) {
  return own_place(inst->getDebugLoc().get(), inst->getFunction());
}

OrthantLocation orthant_loop_location(const Loop *loop, OrthantSink file, void *data) {
  return location(start_of(loop), file, data);
}

OrthantLocation orthant_inst_location(LLVMValueRef inst, OrthantSink file, void *data) {
  return location(place_of(cast<Instruction>(unwrap(inst))), file, data);
}

static void visit_regions(const Region &region, unsigned depth, OrthantVisitRegion visit, void *data) {
  visit(data, depth, wrap(region.getEntry()), wrap(region.getExit()));
  for (const auto &child : region)
    visit_regions(*child, depth + 1, visit, data);
}

void orthant_regions(OrthantPass *pass, OrthantVisitRegion visit, void *data) {
  visit_regions(*pass->regions.getTopLevelRegion(), 0, visit, data);
}

LLVMBasicBlockRef orthant_region_expand(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef exit) {
  Region region(unwrap(entry), unwrap(exit), &pass->regions, &pass->dominators);
  std::unique_ptr<Region> larger(region.getExpandedRegion());
  return larger ? wrap(larger->getExit()) : nullptr;
}

bool orthant_dominates(OrthantPass *pass, LLVMBasicBlockRef above, LLVMBasicBlockRef below) {
  return pass->dominators.dominates(unwrap(above), unwrap(below));
}

bool orthant_post_dominates(OrthantPass *pass, LLVMBasicBlockRef below, LLVMBasicBlockRef above) {
  return pass->post_dominators.dominates(unwrap(below), unwrap(above));
}

// Intrinsics that only inform the compiler. They are marked as touching memory to keep them in place.
static bool harmless(const CallBase &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::donothing:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::prefetch:
  case Intrinsic::sideeffect:
  case Intrinsic::var_annotation:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(call);
  }
}

OrthantCallEffects orthant_call_effects(LLVMValueRef value) {
  const auto &call = *cast<CallBase>(unwrap(value));
  OrthantCallEffects effects = {};
  effects.is_inline_asm = call.isInlineAsm();
  effects.is_indirect = call.isIndirectCall();
  effects.may_write = !call.onlyReadsMemory();
  effects.writes_errno_only =
      effects.may_write && call.getMemoryEffects().getWithoutLoc(IRMemLocation::ErrnoMem).onlyReadsMemory();
  effects.may_throw = !call.doesNotThrow();
  effects.may_not_return = !call.hasFnAttr(Attribute::WillReturn);
  effects.is_convergent = call.isConvergent() || call.cannotDuplicate();
  effects.is_harmless = harmless(call);
  effects.is_memory_intrinsic = isa<MemIntrinsic>(call);
  return effects;
}

OrthantMemory orthant_memory(LLVMValueRef value) {
  const auto *inst = cast<Instruction>(unwrap(value));
  return {inst->isVolatile(), inst->isAtomic()};
}

bool orthant_touches_no_memory(LLVMValueRef call) {
  return cast<CallBase>(unwrap(call))->doesNotAccessMemory();
}

bool orthant_steps_over_rows(LLVMValueRef address, uint64_t bytes) {
  const Value *at = unwrap(address);
  for (unsigned steps = 0; steps < 16; steps++) {
    const auto *step = dyn_cast<GEPOperator>(at);
    if (!step)
      return false;
    const DataLayout &layout = cast<Instruction>(unwrap(address))->getDataLayout();
    for (auto type = gep_type_begin(step), end = gep_type_end(step); type != end; ++type)
      if (type.isSequential() && type.getIndexedType()->isArrayTy() &&
          layout.getTypeAllocSize(type.getIndexedType()) == bytes)
        return true;
    at = step->getPointerOperand();
  }
  return false;
}

uint64_t orthant_access_bytes(LLVMValueRef value) {
  auto *inst = cast<Instruction>(unwrap(value));
  if (!isa<LoadInst, StoreInst>(inst))
    return 0;
  TypeSize size = inst->getDataLayout().getTypeStoreSize(getLoadStoreType(inst));
  return size.isScalable() ? 0 : size.getFixedValue();
}

static bool unsupported(const Type *type) {
  return isa<ScalableVectorType>(type) || type->isTokenTy() || type->isTargetExtTy() || type->isX86_AMXTy();
}

void orthant_unsupported_type(LLVMValueRef value, OrthantSink sink, void *data) {
  const auto *inst = cast<Instruction>(unwrap(value));
  const Type *found = unsupported(inst->getType()) ? inst->getType() : nullptr;
  for (const Use &use : inst->operands())
    if (!found && unsupported(use->getType()))
      found = use->getType();
  if (!found)
    return;
  std::string text;
  raw_string_ostream OS(text);
  found->print(OS);
  orthant_send(text, sink, data);
}

static_assert(int(AliasResult::NoAlias) == 0 && int(AliasResult::MayAlias) == 1);
static_assert(int(AliasResult::PartialAlias) == 2 && int(AliasResult::MustAlias) == 3);

static MemoryLocation memory(LLVMValueRef pointer, uint64_t bytes) {
  return MemoryLocation(unwrap(pointer), bytes ? LocationSize::precise(bytes) : LocationSize::beforeOrAfterPointer());
}

unsigned orthant_alias(OrthantPass *pass, LLVMValueRef a, uint64_t a_bytes, LLVMValueRef b, uint64_t b_bytes) {
  return pass->alias.alias(memory(a, a_bytes), memory(b, b_bytes));
}

// Only the types: what else is known of the places holds in one iteration of a loop, not across iterations.
const void *orthant_type_tag(LLVMValueRef inst) {
  return cast<Instruction>(unwrap(inst))->getMetadata(LLVMContext::MD_tbaa);
}

bool orthant_types_are_apart(OrthantPass *pass, LLVMValueRef a, LLVMValueRef b) {
  AAMDNodes first, second;
  first.TBAA = cast<Instruction>(unwrap(a))->getMetadata(LLVMContext::MD_tbaa);
  second.TBAA = cast<Instruction>(unwrap(b))->getMetadata(LLVMContext::MD_tbaa);
  if (!first.TBAA || !second.TBAA)
    return false;
  TypeBasedAAResult by_type(pass->function.hasFnAttribute(Attribute::SanitizeType));
  SimpleAAQueryInfo query(pass->alias);
  auto anywhere = [](const AAMDNodes &type) { return MemoryLocation::getBeforeOrAfter(nullptr, type); };
  return by_type.alias(anywhere(first), anywhere(second), query, nullptr) == AliasResult::NoAlias;
}

uint64_t orthant_object_bytes(OrthantPass *pass, LLVMValueRef base) {
  const Value *object = unwrap(base);
  const auto *global = dyn_cast<GlobalVariable>(object);
  const bool is_known = global ? global->hasInitializer() && !global->isInterposable() : isa<AllocaInst>(object);
  uint64_t bytes = 0;
  return is_known && getObjectSize(object, bytes, pass->function.getDataLayout(), nullptr) ? bytes : 0;
}

bool orthant_align_object(LLVMValueRef base, uint64_t bytes) {
  auto *global = dyn_cast<GlobalVariable>(unwrap(base));
  const Align wanted(bytes);
  if (!global || global->isThreadLocal() || !global->canIncreaseAlignment() || global->getAlign().valueOrOne() >= wanted)
    return false;
  global->setAlignment(wanted);
  return true;
}

bool orthant_may_recurse(OrthantPass *pass) {
  const Function &F = pass->function;
  auto may_come_back = [](const Instruction &I) {
    const auto *call = dyn_cast<CallBase>(&I);
    return call && !isa<IntrinsicInst>(call) && !call->hasFnAttr(Attribute::NoCallback);
  };
  return !F.doesNotRecurse() && any_of(instructions(F), may_come_back);
}

bool orthant_may_read(OrthantPass *pass, LLVMValueRef call, LLVMValueRef base) {
  return isRefSet(pass->alias.getModRefInfo(cast<CallBase>(unwrap(call)), memory(base, 0)));
}

static bool has_fma(OrthantPass *pass) {
  const TargetTransformInfo &T = pass->target;
  Type *type = Type::getDoubleTy(pass->function.getContext());
  auto kind = TargetTransformInfo::TCK_RecipThroughput;
  IntrinsicCostAttributes fused(Intrinsic::fma, type, {type, type, type});
  return T.getIntrinsicInstrCost(fused, kind) <= T.getArithmeticInstrCost(Instruction::FMul, type, kind) +
                                                     T.getArithmeticInstrCost(Instruction::FAdd, type, kind);
}

void orthant_target(OrthantPass *pass, OrthantTarget *out) {
  const TargetTransformInfo &T = pass->target;
  using Level = TargetTransformInfo::CacheLevel;
  out->cache_line = T.getCacheLineSize();
  out->l1_size = T.getCacheSize(Level::L1D).value_or(0);
  out->l2_size = T.getCacheSize(Level::L2D).value_or(0);
  out->l1_ways = T.getCacheAssociativity(Level::L1D).value_or(0);
  out->l2_ways = T.getCacheAssociativity(Level::L2D).value_or(0);
  out->vector_bits = T.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  // On some processors LLVM prefers shorter vectors than there are.
  StringRef features = pass->function.getFnAttribute("target-features").getValueAsString();
  out->widest_bits = features.contains("+avx512f") ? std::max(out->vector_bits, 512u) : out->vector_bits;
  out->vector_registers = T.getNumberOfRegisters(T.getRegisterClassForType(/*Vector=*/true));
  out->scalar_registers = T.getNumberOfRegisters(T.getRegisterClassForType(/*Vector=*/false));
  out->has_fma = has_fma(pass);
}

void orthant_target_triple(OrthantPass *pass, OrthantSink sink, void *data) {
  orthant_send(pass->function.getParent()->getTargetTriple().str(), sink, data);
}

void orthant_target_cpu(OrthantPass *pass, OrthantSink sink, void *data) {
  orthant_send(pass->function.getFnAttribute("target-cpu").getValueAsString(), sink, data);
}

template <typename Remark>
static void emit(OrthantPass *pass, StringRef id, const DebugLoc &at, const BasicBlock *block, StringRef text) {
  Remark remark("orthant", id, at, block);
  remark << text;
  pass->remarks.emit(remark);
}

void orthant_remark(OrthantPass *pass, unsigned kind, const char *id, size_t id_length, LLVMValueRef inst,
                    const Loop *loop, const char *text, size_t length) {
  const auto *I = inst ? cast<Instruction>(unwrap(inst)) : nullptr;
  const BasicBlock *block = I ? I->getParent() : loop ? loop->getHeader() : &pass->function.getEntryBlock();
  DebugLoc at(I ? place_of(I) : loop ? start_of(loop) : nullptr);
  StringRef name(id, id_length), message(text, length);
  switch (kind) {
  case 0:
    return emit<OptimizationRemark>(pass, name, at, block, message);
  case 1:
    return emit<OptimizationRemarkMissed>(pass, name, at, block, message);
  default:
    return emit<OptimizationRemarkAnalysis>(pass, name, at, block, message);
  }
}

void orthant_error(OrthantPass *pass, const char *text, size_t length) {
  pass->function.getContext().emitError(StringRef(text, length));
}
