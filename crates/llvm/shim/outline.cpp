// New loops that become functions: those that run in threads, which an OpenMP runtime calls in each thread, and those that are
// set aside (aside.cpp).
#include "context.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

SmallVector<BasicBlock *, 32> orthant_between(BasicBlock *entry, ArrayRef<BasicBlock *> ends) {
  SmallSetVector<BasicBlock *, 32> found;
  found.insert(entry);
  for (size_t i = 0; i < found.size(); i++)
    for (BasicBlock *next : successors(found[i]))
      if (!is_contained(ends, next))
        found.insert(next);
  return SmallVector<BasicBlock *, 32>(found.begin(), found.end());
}

// What callers were told about a function that calls a runtime now; what it does to their memory is the same.
static void forget_effects(Function &F) {
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::NoCallback})
    F.removeFnAttr(kind);
}

static Function *extract(Function &F, ArrayRef<BasicBlock *> blocks, bool has_struct, const char *suffix) {
  if (F.isPresplitCoroutine())
    return nullptr;
  CodeExtractorAnalysisCache cache(F);
  CodeExtractor extractor(blocks, nullptr, /*AggregateArgs=*/has_struct, nullptr, nullptr, nullptr, /*AllowVarArgs=*/false,
                          /*AllowAlloca=*/true, nullptr, suffix);
  if (!extractor.isEligible())
    return nullptr;
  SetVector<Value *> inputs, outputs, sunk;
  extractor.findInputsOutputs(inputs, outputs, sunk);
  // No value leaves a loop whose iterations are independent; if one does, it is not to run in threads. Of other loops those are
  // few of which one does.
  return outputs.empty() ? extractor.extractCodeRegion(cache) : nullptr;
}

void orthant_give_place(CallInst *call) {
  Function *F = call->getFunction();
  if (DISubprogram *place = F->getSubprogram(); place && !call->getDebugLoc())
    call->setDebugLoc(DILocation::get(F->getContext(), 0, 0, place));
}

// Instead of the call of the body: the runtime's, if there is enough to do.
static void fork(CallInst *call, Value *worth) {
  Function *F = call->getFunction(), *body = call->getCalledFunction();
  orthant_give_place(call);
  Instruction *many = nullptr, *one = nullptr;
  SplitBlockAndInsertIfThenElse(worth, call->getIterator(), &many, &one);
  IRBuilder<> builder(many);
  builder.SetCurrentDebugLocation(call->getDebugLoc());
  Type *pointer = builder.getPtrTy(), *number = builder.getInt32Ty();
  FunctionCallee parallel =
      F->getParent()->getOrInsertFunction(ORTHANT_FORK, builder.getVoidTy(), pointer, pointer, number, number);
  Value *data = call->arg_empty() ? ConstantPointerNull::get(builder.getPtrTy()) : call->getArgOperand(0);
  // As many threads as the runtime thinks right.
  builder.CreateCall(parallel, {body, data, builder.getInt32(0), builder.getInt32(0)});
  call->moveBefore(one->getIterator());
}

// Variables are in the function whose entry this is.
static void move_to(ArrayRef<LLVMValueRef> variables, BasicBlock &entry) {
  for (LLVMValueRef variable : variables)
    cast<Instruction>(unwrap(variable))->moveBefore(entry.getFirstInsertionPt());
}

void orthant_run_alone(LLVMBasicBlockRef entry) {
  auto *choice = cast<BranchInst>(unwrap(entry)->getTerminator());
  choice->setCondition(ConstantInt::getFalse(choice->getContext()));
}

// The addresses from which another one is computed: by a step, by a choice, as what a loop goes on with, or by hiding from LLVM what it
// is (`strip.invariant.group`).
static SmallVector<const Value *, 4> origins_of(const Value *address) {
  if (auto *step = dyn_cast<GEPOperator>(address))
    return {step->getPointerOperand()};
  if (auto *phi = dyn_cast<PHINode>(address))
    return SmallVector<const Value *, 4>(phi->incoming_values());
  if (auto *choice = dyn_cast<SelectInst>(address))
    return {choice->getTrueValue(), choice->getFalseValue()};
  auto *hidden = dyn_cast<IntrinsicInst>(address);
  bool is_address = hidden && hidden->getIntrinsicID() == Intrinsic::strip_invariant_group;
  if (is_address)
    return {hidden->getArgOperand(0)};
  return {};
}

// Whether each execution computes the same from the same operands.
static bool is_step(const Value *value) { return isa<Instruction>(value) && !isa<PHINode>(value) && !origins_of(value).empty(); }

// Steps from where an array starts that are outside of the blocks are done again where they are used there.
static void pull_in(ArrayRef<BasicBlock *> region, const Value *start) {
  SmallPtrSet<const BasicBlock *, 32> blocks(region.begin(), region.end());
  SmallVector<Instruction *, 32> users;
  for (BasicBlock *block : region)
    for (Instruction &inst : *block)
      users.push_back(&inst);
  while (!users.empty()) {
    Instruction *user = users.pop_back_val();
    for (Use &operand : user->operands()) {
      auto *step = dyn_cast<Instruction>(operand);
      bool is_ours = step && is_step(step) && !blocks.contains(step->getParent()) && getUnderlyingObject(step, 0) == start;
      if (!is_ours || isa<PHINode>(user))
        continue;
      Instruction *again = step->clone();
      again->insertBefore(user->getIterator());
      operand.set(again);
      users.push_back(again);
    }
  }
}

// Whether an address is computed in the blocks from where one of these arrays starts, or is on the stack.
static bool is_from(const Value *address, const SmallPtrSetImpl<const Value *> &starts,
                    const SmallPtrSetImpl<const BasicBlock *> &blocks) {
  SmallSetVector<const Value *, 8> found;
  found.insert(address);
  for (size_t i = 0; i < found.size(); i++) {
    if (starts.contains(found[i]) || isa<AllocaInst>(found[i]))
      continue;
    auto *inst = dyn_cast<Instruction>(found[i]);
    auto origins = origins_of(found[i]);
    if (origins.empty() || (inst && !blocks.contains(inst->getParent())))
      return false;
    found.insert(origins.begin(), origins.end());
  }
  return true;
}

// Whether all that is done to memory there is done at such addresses.
static bool all_are_from(ArrayRef<BasicBlock *> region, const SmallPtrSetImpl<const Value *> &starts) {
  SmallPtrSet<const BasicBlock *, 32> blocks(region.begin(), region.end());
  for (BasicBlock *block : region)
    for (Instruction &inst : *block) {
      auto *call = dyn_cast<CallInst>(&inst);
      if (!inst.mayReadOrWriteMemory())
        continue;
      if (call && !isa<IntrinsicInst>(call) && !call->arg_empty())
        return false;
      for (Value *operand : inst.operands()) {
        bool is_stored = isa<StoreInst>(inst) && operand == cast<StoreInst>(inst).getValueOperand();
        if (is_stored && operand->getType()->isPtrOrPtrVectorTy())
          return false;
        if (operand->getType()->isPtrOrPtrVectorTy() && !isa<Function>(operand) && !is_from(operand, starts, blocks))
          return false;
      }
    }
  return true;
}

bool orthant_copy(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMValueRef is_original,
                  LLVMValueRef *arrays, const uint64_t *bytes, size_t count, LLVMValueRef *all, size_t all_count) {
  auto region = orthant_between(unwrap(entry), unwrap(after));
  SmallPtrSet<const Value *, 8> starts;
  for (size_t i = 0; i < all_count; i++)
    starts.insert(unwrap(all[i]));
  for (size_t i = 0; i < count; i++) {
    if (auto *constant = dyn_cast<Constant>(unwrap(arrays[i])))
      convertUsersOfConstantsToInstructions({constant}, &pass->function);
    pull_in(region, unwrap(arrays[i]));
  }
  auto *choice = dyn_cast<Instruction>(unwrap(is_original));
  if (!choice || !all_are_from(region, starts))
    return false;
  SmallPtrSet<const BasicBlock *, 32> blocks(region.begin(), region.end());
  DominatorTree tree(pass->function);
  auto is_inside = [&](const Use &use) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    return user && blocks.contains(user->getParent());
  };
  auto is_known = [&](const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    return (!origins_of(user).empty() || user->mayReadOrWriteMemory()) && tree.dominates(choice, use);
  };
  for (size_t i = 0; i < count; i++)
    for (const Use &use : unwrap(arrays[i])->uses())
      if (is_inside(use) && !is_known(use))
        return false;
  for (size_t i = 0; i < count; i++) {
    Value *start = unwrap(arrays[i]);
    IRBuilder<> builder(&*unwrap(entry)->getFirstInsertionPt());
    AllocaInst *copy = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes[i]));
    copy->setAlignment(Align(64));
    builder.SetInsertPoint(choice->getParent(), std::next(choice->getIterator()));
    Value *either = builder.CreateSelect(choice, start, copy);
    start->replaceUsesWithIf(either, [&](Use &use) { return use.getUser() != either && is_inside(use); });
    arrays[i] = wrap(copy);
  }
  return true;
}

bool orthant_outline(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMValueRef worth,
                     LLVMValueRef *private_slots, size_t count) {
  ArrayRef<LLVMValueRef> variables(private_slots, count);
  move_to(variables, *unwrap(entry));
  Function *body = extract(pass->function, orthant_between(unwrap(entry), unwrap(after)), /*has_struct=*/true, "orthant.threads");
  move_to(variables, (body ? body : &pass->function)->getEntryBlock());
  if (!body || !body->hasOneUse()) {
    orthant_run_alone(entry);
    return false;
  }
  pass->outlined.push_back(body);
  forget_effects(pass->function);
  forget_effects(*body);
  fork(cast<CallInst>(*body->user_begin()), unwrap(worth));
  return true;
}

static bool is_in(const User *user, ArrayRef<BasicBlock *> region) {
  auto *inst = dyn_cast<Instruction>(user);
  return inst && is_contained(region, inst->getParent());
}

static void erase_unused_steps(Value *start) {
  for (User *user : make_early_inc_range(start->users()))
    if (auto *step = dyn_cast<GetElementPtrInst>(user)) {
      erase_unused_steps(step);
      if (step->use_empty())
        step->eraseFromParent();
    }
}

// The function's variables that are used in these blocks only. Those that are private become two if they are used elsewhere, too.
static SmallVector<LLVMValueRef, 4> variables_of(Function &F, ArrayRef<BasicBlock *> region,
                                                 ArrayRef<LLVMValueRef> private_slots) {
  SmallVector<AllocaInst *, 8> all;
  for (Instruction &inst : F.getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&inst); variable && variable->isStaticAlloca())
      all.push_back(variable);
  SmallVector<LLVMValueRef, 4> found;
  for (AllocaInst *variable : all) {
    erase_unused_steps(variable);
    auto is_inside = [&](const User *user) { return is_in(user, region); };
    if (none_of(variable->users(), is_inside))
      continue;
    if (!all_of(variable->users(), is_inside)) {
      if (!is_contained(private_slots, wrap(variable)))
        continue;
      auto *own = cast<AllocaInst>(variable->clone());
      own->insertBefore(variable->getIterator());
      variable->replaceUsesWithIf(own, [&](Use &use) { return is_inside(use.getUser()); });
      variable = own;
    }
    found.push_back(wrap(variable));
  }
  return found;
}

// Whether this can be computed again anywhere, from the same operands and with the same result.
static bool is_arithmetic(const Instruction &inst) {
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  return isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst>(inst) ||
         (call && isa<MinMaxIntrinsic>(call));
}

namespace {
// Arithmetic outside of some blocks, computed in the first of them, once.
struct Again {
  SmallPtrSet<const BasicBlock *, 32> blocks;
  Instruction *before;
  DenseMap<Value *, Value *> known;

  explicit Again(ArrayRef<BasicBlock *> region)
      : blocks(region.begin(), region.end()), before(&*region.front()->getFirstNonPHIIt()) {}

  Value *of(Value *value) {
    auto *inst = dyn_cast<Instruction>(value);
    if (!inst || blocks.contains(inst->getParent()) || !is_arithmetic(*inst))
      return value;
    if (Value *found = known.lookup(value))
      return found;
    Instruction *copy = inst->clone();
    for (Use &operand : copy->operands())
      operand.set(of(operand));
    copy->insertBefore(before->getIterator());
    return known[value] = copy;
  }
};
} // namespace

// Computes what comes into the blocks by arithmetic in the first of them. In a function of their own LLVM would not know what
// such an argument is: that a row's length is a multiple of its number of cells, or that a number has 32 bits.
static void compute_again(ArrayRef<BasicBlock *> region) {
  Again again(region);
  for (BasicBlock *block : region)
    for (Instruction &inst : *block)
      if (block != region.front() || !isa<PHINode>(inst))
        for (Use &operand : inst.operands())
          operand.set(again.of(operand));
}

bool orthant_set_aside(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMBasicBlockRef original,
                       LLVMValueRef *private_slots, size_t count) {
  Function &F = pass->function;
  if (!pass->run.sets_aside)
    return false;
  auto region = orthant_between(unwrap(entry), {unwrap(after), unwrap(original)});
  compute_again(region); // also steps from where variables start, which then are used inside only
  auto variables = variables_of(F, region, ArrayRef(private_slots, count));
  move_to(variables, *unwrap(entry));
  Function *body = extract(F, region, /*has_struct=*/false, "orthant.loops");
  move_to(variables, (body ? body : &F)->getEntryBlock());
  if (!body) {
    pass->has_loops = true;
    return false;
  }
  pass->outlined.push_back(body);
  // Inlined, the loops would be where all passes see them.
  body->removeFnAttr(Attribute::AlwaysInline);
  body->addFnAttr(Attribute::NoInline);
  if (F.hasSection())
    body->setSection(F.getSection());
  orthant_give_place(cast<CallInst>(*body->user_begin()));
  return true;
}
