// Blocks that stay whole: the original behind a check has one way in.
//
// The check asks first whether there is much to do, which tells that loops run. LLVM's jump threading would lead the way on which the
// check fails past all that this tells: the original would have a second way in, what is computed before it would be chosen there, and
// its loops would be other code than without us. Jump threading copies no block with a call that is convergent, so a call that
// does nothing stands in the block until it has passed; before the effects of the function are told to its callers it is gone.
#include "context.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void orthant_keep_whole(OrthantPass *pass, LLVMBasicBlockRef block) {
  if (!pass->run.is_threaded_later)
    return;
  IRBuilder<> builder(unwrap(block)->getTerminator());
  builder.CreateIntrinsic(Intrinsic::sideeffect, {})->addFnAttr(Attribute::Convergent);
}

static bool is_mark(const User *user, const Function &F) {
  auto *call = dyn_cast<CallInst>(user);
  return call && call->getFunction() == &F && call->isConvergent();
}

PreservedAnalyses OrthantWholePass::run(Function &F, FunctionAnalysisManager &) {
  Function *sideeffect = Intrinsic::getDeclarationIfExists(F.getParent(), Intrinsic::sideeffect);
  if (!sideeffect)
    return PreservedAnalyses::all();
  bool changed = false;
  for (User *user : make_early_inc_range(sideeffect->users()))
    if (is_mark(user, F)) {
      cast<CallInst>(user)->eraseFromParent();
      changed = true;
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
