// New loops that are set aside: functions of their own that most of LLVM's passes leave alone.
//
// LLVM's passes are made for code as people write it. On new loops they take longer than on the rest of a file, and most of that
// is in vain: what is computed twice is written once, loops are in the form that the vectorizer wants, rows are in registers. So
//   - until the vectorizers come, no pass runs on such a function; what is needed of all these is done then, once;
//   - of the passes around the vectorizers those run that make something of it;
//   - behind them it is a function like any other.
// And the function that the loops come from stays what it would be without them, but for the check and a call: that is what runs
// where there is little to do.
#include "context.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// The attribute's value while the vectorizers are at work.
static constexpr StringLiteral AMONG_VECTORIZERS = "vectors";

static const Function *function_of(const Any &unit) {
  if (const auto *F = any_cast<const Function *>(&unit))
    return *F;
  if (const auto *loop = any_cast<const Loop *>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

static bool is_among_vectorizers(const Function &F) {
  return F.getFnAttribute(ORTHANT_ASIDE).getValueAsString() == AMONG_VECTORIZERS;
}

// The passes that run on new loops while the vectorizers are at work. Not among them, for example: LoopLoadElimination, whose work
// is done by registers of blocks, and the vectorizer of straight code, which makes vectors of what was made scalars on purpose.
static bool makes_something(StringRef pass) {
  return StringSwitch<bool>(pass)
      .Cases({"LoopVectorizePass", "LoopUnrollPass", "InstCombinePass", "SimplifyCFGPass", "LICMPass"}, true)
      .Cases({"LoopSimplifyPass", "LCSSAPass"}, true) // the form in which others want loops
      .Default(pass.contains("Orthant"));
}

bool orthant_respect_aside(PassBuilder &PB) {
  PassInstrumentationCallbacks *callbacks = PB.getPassInstrumentationCallbacks();
  if (!callbacks)
    return false;
  callbacks->registerShouldRunOptionalPassCallback([](StringRef pass, Any unit) {
    const Function *F = function_of(unit);
    if (!F || !F->hasFnAttribute(ORTHANT_ASIDE))
      return true;
    return is_among_vectorizers(*F) && makes_something(pass);
  });
  return true;
}

// Loops with more iterations than that stay rolled if the number is known. LLVM would write out some dozens of vectors for a
// row of known length.
static constexpr unsigned MOST_UNROLLED = 64;

static void keep_long_loops(Function &F, FunctionAnalysisManager &FAM) {
  auto &scev = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *loop : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (loop->isInnermost() && scev.getSmallConstantTripCount(loop) > MOST_UNROLLED)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", true);
}

PreservedAnalyses OrthantAsidePass::run(Function &F, FunctionAnalysisManager &FAM) {
  if (!F.hasFnAttribute(ORTHANT_ASIDE))
    return PreservedAnalyses::all();
  // For the passes that follow here.
  F.removeFnAttr(ORTHANT_ASIDE);
  if (is_behind)
    return PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(GVNPass());
  passes.addPass(OrthantRowsNowPass());
  passes.addPass(LoopSimplifyPass());
  FAM.invalidate(F, passes.run(F, FAM));
  keep_long_loops(F, FAM);
  F.addFnAttr(ORTHANT_ASIDE, AMONG_VECTORIZERS);
  return PreservedAnalyses::none();
}
