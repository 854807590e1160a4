// Rows that are written out behind LLVM's vectorizers: loops marked by orthant_rows.
//
// Rows that wait for themselves run side by side as scalars. LLVM's vectorizer of straight code would put one element of each
// into a vector, which takes longer than what it saves (2 to 3 times as long for the sums of a matrix's rows on a Zen 4). So they
// stay a loop until it has passed.
#include "context.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

// Marks the loop for LLVM's unroller if it was marked for us.
bool take_mark(Loop &loop) {
  MDNode *id = loop.getLoopID();
  if (!id || !findOptionMDForLoopID(id, ORTHANT_ROWS))
    return false;
  LLVMContext &context = loop.getHeader()->getContext();
  MDNode *all = MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.full")});
  loop.setLoopID(makePostTransformationMetadata(context, id, {"llvm.loop.unroll.", ORTHANT_ROWS}, {all}));
  return true;
}

} // namespace

PreservedAnalyses OrthantRowsPass::run(Function &F, FunctionAnalysisManager &FAM) {
  bool is_marked = false;
  for (Loop *loop : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    is_marked |= take_mark(*loop);
  if (!is_marked)
    return PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/3, /*OnlyWhenForced=*/true)));
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  // What stands still along the rows goes into registers.
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  // Addresses that differ by a constant have one base: strength reduction takes ten times as long for one of each.
  passes.addPass(SeparateConstOffsetFromGEPPass());
  passes.addPass(EarlyCSEPass());
  passes.run(F, FAM);
  return PreservedAnalyses::none();
}
