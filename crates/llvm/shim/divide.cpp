// Functions that are all about one nest, divided into three:
//
//   f                    asks whether there is much to do, and goes on as one of the others
//   f.orthant.loops      checks all else and runs the new loops, or goes on as the original; set aside (aside.cpp)
//   f.orthant.original   has the body that the host knows, as it was before anything of ours came to it
//
// What runs where there is little to do is then what would run without us, to the letter, behind one question and a jump. In one
// function with the question and the call of the loops, the original has been through the passes that put it in form for us, its
// arguments wait for the call in other registers, and of a few nanoseconds' work that takes a tenth and more.
//
// The original begins at the beginning, so before the nest nothing may happen that must not happen twice. The rest of the function
// goes with the new loops and misses what LLVM's passes would make of it, so there must be next to nothing: arithmetic, and behind the
// nest what is stored or returned. Where there is more, the new loops alone become a function (outline.cpp).
#include "context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

// Whether another function can be called instead with the same arguments, as the last that this one does.
static bool can_hand_over(const Function &F) {
  auto is_odd = [](const Argument &argument) {
    return argument.hasPassPointeeByValueCopyAttr() || argument.hasSwiftErrorAttr() ||
           argument.hasAttribute(Attribute::SwiftAsync) || argument.hasNestAttr();
  };
  return !F.isVarArg() && !F.isPresplitCoroutine() && !F.hasFnAttribute(Attribute::Naked) &&
         !F.hasFnAttribute(Attribute::AlwaysInline) && none_of(F.args(), is_odd);
}

static bool is_plain(const Instruction &inst, bool may_write) {
  if (auto *call = dyn_cast<CallBase>(&inst)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    return intrinsic && (intrinsic->doesNotAccessMemory() || intrinsic->isAssumeLikeIntrinsic());
  }
  if (inst.isVolatile() || inst.isAtomic())
    return false;
  return may_write || !inst.mayWriteToMemory();
}

// Whether these blocks are a few plain instructions each way.
static bool are_plain(ArrayRef<BasicBlock *> blocks, bool may_write) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> back;
  FindFunctionBackedges(*blocks.front()->getParent(), back);
  auto loops = [&](const auto &edge) { return is_contained(blocks, edge.first); };
  return none_of(back, loops) && all_of(blocks, [&](const BasicBlock *block) {
    return all_of(*block, [&](const Instruction &inst) { return is_plain(inst, may_write); });
  });
}

// Whether a value is arithmetic on arguments that can be done anywhere.
static bool is_of_arguments(const Value *value) {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst)
    return isa<Argument, Constant>(value);
  bool can_move = !isa<PHINode>(inst) && !inst->mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(inst);
  return can_move && all_of(inst->operands(), [](const Use &operand) { return is_of_arguments(operand); });
}

static Value *condition_of(const OrthantDivision &division) {
  return cast<BranchInst>(division.question->getTerminator())->getCondition();
}

bool orthant_divide(OrthantPass *pass, LLVMBasicBlockRef question, LLVMBasicBlockRef check, LLVMBasicBlockRef after,
                    LLVMBasicBlockRef original) {
  Function &F = pass->function;
  OrthantDivision division = {unwrap(question), unwrap(original)};
  if (!pass->run.sets_aside || !pass->kept || !can_hand_over(F) || !is_of_arguments(condition_of(division)))
    return false;
  if (!are_plain(orthant_between(&F.getEntryBlock(), {unwrap(check), unwrap(original)}), /*may_write=*/false) ||
      !are_plain(orthant_between(unwrap(after), {}), /*may_write=*/true))
    return false;
  pass->division = division;
  return true;
}

// A part is what the function is, but for its name.
static void dress(Function &part, const Function &F, StringRef name) {
  part.setName(F.getName() + name);
  part.copyAttributesFrom(&F);
  part.setVisibility(GlobalValue::DefaultVisibility);
  part.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  part.setLinkage(GlobalValue::InternalLinkage);
  part.setSubprogram(F.getSubprogram());
  part.addFnAttr(ORTHANT_NEW);
}

// A description for debuggers belongs to one function.
static Function *with_own_description(Function *part) {
  if (!part->getSubprogram())
    return part;
  ValueToValueMapTy map;
  Function *own = CloneFunction(part, map);
  own->takeName(part);
  part->replaceAllUsesWith(own);
  part->eraseFromParent();
  return own;
}

// The last that a block does: what the other function does with the same arguments.
static CallInst *go_on_as(BasicBlock *block, Function *next) {
  Function *F = block->getParent();
  IRBuilder<> builder(block);
  SmallVector<Value *, 8> arguments;
  for (Argument &argument : F->args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(next, arguments);
  call->setCallingConv(next->getCallingConv());
  AttributeList attributes = next->getAttributes();
  call->setAttributes(attributes.removeFnAttributes(F->getContext()));
  call->setTailCallKind(CallInst::TCK_Tail);
  orthant_give_place(call);
  if (F->getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return call;
}

static bool is_called(const Function &F) {
  return any_of(F.users(), [&](const User *user) {
    auto *call = dyn_cast<CallBase>(user);
    return call && call->getCalledOperand() == &F;
  });
}

static Function *take_body(Function &F) {
  Function *part = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(), "", F.getParent());
  part->splice(part->end(), &F);
  for (auto [from, to] : zip(F.args(), part->args())) {
    from.replaceAllUsesWith(&to);
    to.setName(from.getName());
  }
  return part;
}

// A value of the part, computed from the function's own arguments.
static Value *again(Value *value, Function &F, IRBuilder<> &builder, DenseMap<Value *, Value *> &known) {
  if (auto *argument = dyn_cast<Argument>(value))
    return F.getArg(argument->getArgNo());
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst)
    return value;
  if (Value *found = known.lookup(value))
    return found;
  Instruction *copy = inst->clone();
  for (Use &operand : copy->operands())
    operand.set(again(operand, F, builder, known));
  copy->dropLocation();
  return known[value] = builder.Insert(copy);
}

void orthant_divide_now(Function &F, Function *kept, const OrthantDivision &division) {
  LLVMContext &context = F.getContext();
  dress(*kept, F, ".orthant.original");
  // Inlined where nobody is who could gain, it would be compiled twice.
  if (!is_called(F))
    kept->addFnAttr(Attribute::NoInline);
  Function *original = with_own_description(kept);
  Function *loops = take_body(F);
  dress(*loops, F, ".orthant.loops");
  loops->addFnAttr(Attribute::NoInline); // inlined, the loops would be where all passes see them
  loops->addFnAttr(ORTHANT_LOOPS);
  loops->addFnAttr(ORTHANT_ASIDE);
  BasicBlock *fallback = BasicBlock::Create(context, "orthant.fallback", loops);
  division.original->replaceUsesWithIf(fallback, [](Use &use) { return isa<BranchInst>(use.getUser()); });
  go_on_as(fallback, original)->setIsNoInline();

  BasicBlock *entry = BasicBlock::Create(context, "entry", &F);
  IRBuilder<> builder(entry);
  DenseMap<Value *, Value *> known;
  Value *is_enough = again(condition_of(division), F, builder, known);
  removeUnreachableBlocks(*loops);
  loops = with_own_description(loops);
  BasicBlock *much = BasicBlock::Create(context, "orthant.much", &F), *little = BasicBlock::Create(context, "orthant.little", &F);
  builder.CreateCondBr(is_enough, much, little);
  go_on_as(much, loops);
  go_on_as(little, original);
}
