// Loops that run in threads: their code becomes a function of its own, which an OpenMP runtime calls in each thread.
#include "context.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

// The blocks between two, with the first one in front.
static SmallVector<BasicBlock *, 32> between(BasicBlock *entry, BasicBlock *after) {
  SmallSetVector<BasicBlock *, 32> found;
  found.insert(entry);
  for (size_t i = 0; i < found.size(); i++)
    for (BasicBlock *next : successors(found[i]))
      if (next != after)
        found.insert(next);
  return SmallVector<BasicBlock *, 32>(found.begin(), found.end());
}

// What callers were told about a function that calls a runtime now; what it does to their memory is the same.
static void forget_effects(Function &F) {
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::NoCallback})
    F.removeFnAttr(kind);
}

static Function *extract(Function &F, ArrayRef<BasicBlock *> blocks) {
  if (F.isPresplitCoroutine())
    return nullptr;
  CodeExtractorAnalysisCache cache(F);
  CodeExtractor extractor(blocks, nullptr, /*AggregateArgs=*/true, nullptr, nullptr, nullptr, /*AllowVarArgs=*/false,
                          /*AllowAlloca=*/true, nullptr, "orthant.threads");
  if (!extractor.isEligible())
    return nullptr;
  SetVector<Value *> inputs, outputs, sunk;
  extractor.findInputsOutputs(inputs, outputs, sunk);
  // No value leaves a loop whose iterations are independent; if one does, it is not to run in threads.
  return outputs.empty() ? extractor.extractCodeRegion(cache) : nullptr;
}

// Instead of the call of the body: the runtime's, if there is enough to do.
static void fork(CallInst *call, Value *worth) {
  Function *F = call->getFunction(), *body = call->getCalledFunction();
  if (DISubprogram *place = F->getSubprogram(); place && !call->getDebugLoc())
    call->setDebugLoc(DILocation::get(F->getContext(), 0, 0, place));
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

// A variable is in the function whose entry this is.
static void move_to(Instruction *variable, BasicBlock &entry) {
  if (variable)
    variable->moveBefore(entry.getFirstInsertionPt());
}

bool orthant_outline(OrthantPass *pass, LLVMBasicBlockRef entry, LLVMBasicBlockRef after, LLVMValueRef worth,
                     LLVMValueRef private_slot) {
  auto *choice = cast<BranchInst>(unwrap(entry)->getTerminator());
  auto *variable = private_slot ? cast<Instruction>(unwrap(private_slot)) : nullptr;
  move_to(variable, *unwrap(entry));
  Function *body = extract(pass->function, between(unwrap(entry), unwrap(after)));
  move_to(variable, (body ? body : &pass->function)->getEntryBlock());
  if (!body || !body->hasOneUse()) {
    choice->setCondition(ConstantInt::getFalse(choice->getContext()));
    return false;
  }
  pass->outlined.push_back(body);
  body->addFnAttr(ORTHANT_THREADS);
  forget_effects(pass->function);
  forget_effects(*body);
  fork(cast<CallInst>(*body->user_begin()), unwrap(worth));
  return true;
}
