// Passes on trial: their work on a function stays if it was worth it, and is taken back without a trace otherwise.
#include "context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

Function *orthant_keep_body(Function &F) {
  Function *kept = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(),
                                    "orthant.kept", F.getParent());
  ValueToValueMapTy map;
  for (auto [from, to] : zip(F.args(), kept->args()))
    map[&from] = &to;
  SmallVector<ReturnInst *, 4> returns;
  // The body comes back to where it was: all that describes it (debug information above all) stays the same.
  MetadataPredicate as_it_is = [](const Metadata *) { return true; };
  CloneFunctionBodyInto(*kept, F, map, RF_NoModuleLevelChanges, returns, "", nullptr, nullptr, nullptr, &as_it_is);
  // But for what links stores to variables: a link must not join two functions.
  DenseMap<DIAssignID *, DIAssignID *> links;
  for (Instruction &instruction : instructions(*kept))
    at::remapAssignID(links, instruction);
  return kept;
}

bool orthant_can_go_back(const Function &F) {
  return none_of(F, [](const BasicBlock &block) { return block.hasAddressTaken(); });
}

void orthant_take_back(Function &F, Function *kept) {
  for (BasicBlock &block : F)
    block.dropAllReferences();
  while (!F.empty())
    F.begin()->eraseFromParent();
  for (auto [from, to] : zip(kept->args(), F.args()))
    from.replaceAllUsesWith(&to);
  F.splice(F.end(), kept);
}

// The body that was kept is the original of a divided function, or not needed any more.
static void end(Function &F, Function *kept, const OrthantDivision &division) {
  if (division.question)
    orthant_divide_now(F, kept, division);
  else
    kept->eraseFromParent();
}

bool orthant_keep(OrthantPass *pass) {
  if (orthant_can_go_back(pass->function))
    pass->kept = orthant_keep_body(pass->function);
  return pass->kept;
}

void orthant_undo(OrthantPass *pass) { pass->is_undone = true; }

bool orthant_finish(OrthantPass &pass, bool is_oldest) {
  if (!pass.kept)
    return false;
  if (pass.is_undone) {
    orthant_take_back(pass.function, pass.kept);
    for (Function *body : pass.outlined)
      body->eraseFromParent();
  }
  end(pass.function, pass.kept, is_oldest && !pass.is_undone ? pass.division : OrthantDivision{});
  return pass.is_undone;
}

bool orthant_on_trial(Function &F, FunctionAnalysisManager &FAM, FunctionPassManager &passes, const OrthantOutcome &outcome) {
  Function *kept = orthant_can_go_back(F) ? orthant_keep_body(F) : nullptr;
  PreservedAnalyses preserved = passes.run(F, FAM);
  bool goes_back = kept && !outcome.is_changed;
  if (goes_back)
    orthant_take_back(F, kept);
  if (kept)
    end(F, kept, outcome.division);
  FAM.invalidate(F, goes_back ? PreservedAnalyses::none() : preserved);
  return !goes_back;
}
