// New loops that are set aside: functions of their own that most of LLVM's passes leave alone.
//
// LLVM's passes are made for code as people write it. On new loops they take longer than on the rest of a file, and most of that
// is in vain: what is computed twice is written once, loops are in the form that the vectorizer wants, rows are in registers. So
//   - until the vectorizers come, no pass runs on such a function; what is needed of all these is done then, once;
//   - what is read twice is found without a look across iterations where our own vectors are (load_once);
//   - then only the vectorizer of loops runs, and behind it what its code wants, once. Nothing is unrolled: what is to be written out
//     is written out by ourselves (rows.cpp), and LLVM's unroller makes more code of the rest, not faster one;
//   - behind them it is a function like any other.
// And the function that the loops come from stays what it would be without them, but for the question whether there is much to do and
// a call of what checks all else and runs the loops: that is what runs where there is little to do.
#include "context.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// The attribute's values while the vectorizers are at work; the second one where blocks of our own have vectors already.
static constexpr StringLiteral AMONG_VECTORIZERS = "vectors", WITH_BLOCKS = "blocks";

static const Function *function_of(const Any &unit) {
  if (const auto *F = any_cast<const Function *>(&unit))
    return *F;
  if (const auto *loop = any_cast<const Loop *>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

static bool has_value(const Function &F, StringRef value) {
  return F.getFnAttribute(ORTHANT_ASIDE).getValueAsString() == value;
}

static bool is_among_vectorizers(const Function &F) { return has_value(F, AMONG_VECTORIZERS) || has_value(F, WITH_BLOCKS); }

// The passes that run on new loops while the vectorizers are at work. Not among them, for example: LoopLoadElimination, whose work
// is done by registers of blocks, and the vectorizer of straight code, which makes vectors of what was made scalars on purpose.
static bool makes_something(StringRef pass) {
  return StringSwitch<bool>(pass)
      .Cases({"LoopVectorizePass", "LoopSimplifyPass", "LCSSAPass"}, true) // the others make the form in which it wants loops
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

// LLVM looks for what to keep in a register around a loop by comparing all of its accesses with each other. In a loop around blocks these
// are many, and nothing is left to find: blocks keep their cells in registers already.
static constexpr unsigned MOST_ACCESSES = 100;

static FunctionToLoopPassAdaptor move_out() {
  LICMOptions options;
  options.MssaNoAccForPromotionCap = MOST_ACCESSES;
  return createFunctionToLoopPassAdaptor(LICMPass(options), /*UseMemorySSA=*/true);
}

static bool has_vectors(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return I.getType()->isVectorTy(); });
}

// Removes loads of what is known. Stencils have values of the iteration before, which GVN finds: a fifth of jacobi-2d's time. In blocks
// of vectors nothing is left to find but for what is read twice in one iteration, and GVN takes longer to see that than all else here.
static void load_once(bool has_blocks, FunctionPassManager &passes) {
  if (has_blocks)
    passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  else
    passes.addPass(GVNPass());
}

// What LLVM's vectorizer says of the loops that it made vectors of.
static constexpr StringLiteral VECTORIZED = "llvm.loop.isvectorized";

static bool has_mark(const LoopInfo &loops, StringRef mark) {
  return any_of(loops.getLoopsInPreorder(), [&](const Loop *loop) { return findOptionMDForLoop(loop, mark); });
}

// What the vectorizer's code wants. Where rows are written out next (rows.cpp), the same comes then.
static void tidy_vectors(const LoopInfo &loops, bool has_blocks, FunctionPassManager &passes) {
  if (!has_mark(loops, VECTORIZED) || has_mark(loops, ORTHANT_ROWS))
    return;
  // Beside blocks the vectorizer's loops are the lesser part, and most of what InstCombine looks at is as it was when it last did.
  if (!has_blocks)
    passes.addPass(InstCombinePass());
  passes.addPass(move_out());
}

PreservedAnalyses OrthantAsidePass::run(Function &F, FunctionAnalysisManager &FAM) {
  if (!F.hasFnAttribute(ORTHANT_ASIDE))
    return PreservedAnalyses::all();
  const bool has_blocks = is_behind ? has_value(F, WITH_BLOCKS) : has_vectors(F);
  // For the passes that follow here.
  F.removeFnAttr(ORTHANT_ASIDE);
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  if (is_behind) {
    tidy_vectors(FAM.getResult<LoopAnalysis>(F), has_blocks, passes);
    return passes.run(F, FAM);
  }
  passes.addPass(InstCombinePass());
  passes.addPass(move_out());
  load_once(has_blocks, passes);
  passes.addPass(OrthantRowsNowPass());
  passes.addPass(LoopSimplifyPass());
  passes.run(F, FAM);
  F.addFnAttr(ORTHANT_ASIDE, has_blocks ? WITH_BLOCKS : AMONG_VECTORIZERS);
  return PreservedAnalyses::none();
}
