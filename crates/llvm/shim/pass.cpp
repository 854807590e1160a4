// The pass itself and its registration: where in the pipeline it runs, and what happens to bad options.
#include "context.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include <memory>
#include <vector>

using namespace llvm;

// crates/plugin returns this structure from Rust.
static_assert(sizeof(PassPluginLibraryInfo) == 40 && LLVM_PLUGIN_API_VERSION == 2);

namespace {

void append(void *text, const char *data, size_t length) { static_cast<std::string *>(text)->append(data, length); }

// Something to look at: a natural loop, or a cycle that is none. What we made ourselves is done.
bool has_cycles(Function &F, LoopInfo &LI) {
  if (F.hasFnAttribute(ORTHANT_NEW))
    return false;
  if (!LI.empty())
    return true;
  ReversePostOrderTraversal<const Function *> order(&F);
  return containsIrreducibleCFG<const BasicBlock *>(order, LI);
}

enum class Done { nothing, undone, changed };

// Rust sees the function with its analyses. `outcome`: of somebody who kept the function's body before.
Done run_rust(Function &F, FunctionAnalysisManager &FAM, OrthantRun run, OrthantOutcome *outcome = nullptr) {
  OrthantPass pass = {F,
                      FAM.getResult<LoopAnalysis>(F),
                      FAM.getResult<ScalarEvolutionAnalysis>(F),
                      FAM.getResult<DominatorTreeAnalysis>(F),
                      FAM.getResult<PostDominatorTreeAnalysis>(F),
                      FAM.getResult<RegionInfoAnalysis>(F),
                      FAM.getResult<AAManager>(F),
                      FAM.getResult<TargetIRAnalysis>(F),
                      FAM.getResult<OptimizationRemarkEmitterAnalysis>(F)};
  pass.run = run;
  pass.has_loops = !run.sets_aside;
  if (outcome && !outcome->failure.empty()) {
    orthant_rs_failed(&pass, run.session, outcome->failure.data(), outcome->failure.size());
    return Done::nothing;
  }
  bool is_changed = orthant_rs_run(&pass, run.session);
  if (orthant_finish(pass, /*is_oldest=*/!outcome))
    return Done::undone;
  if (!is_changed)
    return Done::nothing;
  if (outcome)
    *outcome = {true, pass.division};
  if (pass.has_loops)
    F.addFnAttr(ORTHANT_LOOPS);
  for (Function *body : pass.outlined) {
    body->addFnAttr(ORTHANT_NEW);
    body->addFnAttr(ORTHANT_LOOPS);
    if (run.sets_aside)
      body->addFnAttr(ORTHANT_ASIDE);
  }
  return Done::changed;
}

class OrthantFunctionPass : public PassInfoMixin<OrthantFunctionPass> {
  OrthantRun way;
  OrthantOutcome *outcome; // may be null

  template <typename Pass> static void canonicalize(Function &F, FunctionAnalysisManager &FAM, PreservedAnalyses &all) {
    PreservedAnalyses preserved = Pass().run(F, FAM);
    FAM.invalidate(F, preserved);
    all.intersect(preserved);
  }

public:
  OrthantFunctionPass(OrthantRun way, OrthantOutcome *outcome) : way(way), outcome(outcome) {}

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (F.hasOptNone() || !has_cycles(F, FAM.getResult<LoopAnalysis>(F)))
      return PreservedAnalyses::all();
    PreservedAnalyses preserved = PreservedAnalyses::all();
    canonicalize<LoopSimplifyPass>(F, FAM, preserved);
    canonicalize<LCSSAPass>(F, FAM, preserved);
    Done done = run_rust(F, FAM, way, outcome);
    orthant_forget_same_values(F);
    return done == Done::nothing ? preserved : PreservedAnalyses::none();
  }

  // Not required: the host leaves it out of optnone functions and of bisected runs.
  static bool isRequired() { return false; }
};

// Says of optnone functions that they are left alone. Required, or it would not see them.
class OrthantOptNonePass : public PassInfoMixin<OrthantOptNonePass> {
  int session;

public:
  explicit OrthantOptNonePass(int session) : session(session) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (F.hasOptNone() && has_cycles(F, FAM.getResult<LoopAnalysis>(F)))
      run_rust(F, FAM, {session});
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void add_passes(FunctionPassManager &passes, OrthantRun way, OrthantOutcome *outcome = nullptr) {
  passes.addPass(OrthantOptNonePass(way.session));
  passes.addPass(OrthantFunctionPass(way, outcome));
}

// Bad options are an error of the compilation, reported once and by the host's own diagnostics.
class OrthantErrorPass : public PassInfoMixin<OrthantErrorPass> {
  std::shared_ptr<std::string> message;

  void report(LLVMContext &context) {
    if (!message->empty())
      context.emitError(*message);
    message->clear();
  }

public:
  explicit OrthantErrorPass(std::string message) : message(std::make_shared<std::string>(std::move(message))) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    report(F.getContext());
    return PreservedAnalyses::all();
  }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    report(M.getContext());
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct Session {
  int number = -1;
  bool early = false, enabled = false;
  std::string error;
};

Session configure(std::optional<StringRef> params) {
  Session session;
  StringRef text = params.value_or("");
  session.number = orthant_rs_configure(text.data(), text.size(), params.has_value(), &session.early, &session.enabled,
                                        append, &session.error);
  return session;
}

bool parse_name(StringRef name, FunctionPassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
  if (orthant_parse_phases(name, passes))
    return true;
  std::optional<StringRef> params;
  if (name.consume_front("orthant<") && name.consume_back(">"))
    params = name;
  else if (name != "orthant")
    return false;
  Session session = configure(params);
  if (session.number < 0)
    passes.addPass(OrthantErrorPass(session.error));
  else {
    add_passes(passes, {session.number});
    passes.addPass(OrthantRowsPass(/*is_last=*/false)); // whatever comes behind it
  }
  return true;
}

// Before inlining the IR is as the front end wrote it: put it in the form that the analyses need.
FunctionPassManager early_passes(OrthantRun way, OrthantOutcome *outcome) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(IndVarSimplifyPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(OrthantPhasesPass(outcome));
  // Rotation leaves phis of equal values behind, which ScalarEvolution does not look through.
  passes.addPass(InstSimplifyPass());
  passes.addPass(OrthantHoistPass());
  add_passes(passes, way, outcome);
  return passes;
}

// Each function on trial: where nothing comes of it, the host finds the function as it would be without us.
class OrthantEarlyPass : public PassInfoMixin<OrthantEarlyPass> {
  OrthantRun way;

  bool run_on(Function &F, FunctionAnalysisManager &FAM) {
    if (!has_cycles(F, FAM.getResult<LoopAnalysis>(F)))
      return false;
    OrthantOutcome outcome;
    FunctionPassManager passes = early_passes(way, &outcome);
    return orthant_on_trial(F, FAM, passes, outcome);
  }

public:
  explicit OrthantEarlyPass(OrthantRun way) : way(way) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    std::vector<Function *> functions;
    for (Function &F : M)
      if (!F.isDeclaration())
        functions.push_back(&F);
    bool changed = false;
    for (Function *F : functions)
      changed |= run_on(*F, FAM);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  // The passes inside are asked one by one whether they are to run.
  static bool isRequired() { return true; }
};

// Whether there are loads in loops that perhaps read the same each time.
bool has_loads_of_headers(const Function &F, const LoopInfo &LI) {
  return any_of(instructions(F), [&](const Instruction &I) {
    return isa<LoadInst>(I) && (I.getType()->isIntegerTy() || I.getType()->isPointerTy()) && LI.getLoopFor(I.getParent());
  });
}

// Late, the IR is in form already; only loads that the host leaves in loops have to move and turns to be made, on trial.
class OrthantLatePass : public PassInfoMixin<OrthantLatePass> {
  OrthantRun way;

public:
  explicit OrthantLatePass(OrthantRun way) : way(way) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    FunctionPassManager passes;
    LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
    bool is_simple = F.hasOptNone() || LI.empty();
    bool has_phases = !is_simple && orthant_has_phases(F, FAM);
    if (is_simple || (!has_phases && !has_loads_of_headers(F, LI))) {
      add_passes(passes, way);
      return passes.run(F, FAM);
    }
    OrthantOutcome outcome;
    passes.addPass(LoopSimplifyPass());
    if (has_phases) {
      passes.addPass(OrthantPhasesPass(&outcome));
      passes.addPass(InstSimplifyPass());
    }
    passes.addPass(OrthantHoistPass());
    add_passes(passes, way, &outcome);
    return orthant_on_trial(F, FAM, passes, outcome) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  // The passes inside are asked one by one whether they are to run.
  static bool isRequired() { return true; }
};

bool is_after_link(ThinOrFullLTOPhase phase) {
  return phase == ThinOrFullLTOPhase::ThinLTOPostLink || phase == ThinOrFullLTOPhase::FullLTOPostLink;
}

void add_rows(ModulePassManager &passes) {
  FunctionPassManager functions;
  functions.addPass(OrthantRowsPass(/*is_last=*/false));
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
}

void add_around_vectorizers(PassBuilder &PB) {
  PB.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(OrthantAsidePass(/*is_behind=*/false));
  });
  PB.registerVectorizerEndEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level == OptimizationLevel::O0)
      return;
    passes.addPass(OrthantAsidePass(/*is_behind=*/true));
    passes.addPass(OrthantRowsPass(/*is_last=*/true));
  });
}

void add_early(PassBuilder &PB, int session, bool sets_aside) {
  PB.registerPipelineEarlySimplificationEPCallback(
      [session, sets_aside](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
        if (level == OptimizationLevel::O0 || is_after_link(phase))
          return;
        const bool is_all_here = phase == ThinOrFullLTOPhase::None;
        passes.addPass(OrthantEarlyPass({session, sets_aside && is_all_here, /*is_threaded_later=*/true}));
        // Who vectorizes after linking need not have this plugin.
        if (!is_all_here)
          add_rows(passes);
      });
  PB.registerScalarOptimizerLateEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(OrthantWholePass());
  });
}

void add_late(PassBuilder &PB, int session, bool sets_aside) {
  auto add = [session](FunctionPassManager &passes, bool sets_aside) {
    passes.addPass(OrthantLatePass({session, sets_aside}));
    passes.addPass(OrthantRowsNowPass()); // of functions that run in threads, too
  };
  PB.registerVectorizerStartEPCallback([add, sets_aside](FunctionPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      add(passes, sets_aside);
  });
  // Full link-time optimization has no place before its vectorizer; its start is the nearest one.
  PB.registerFullLinkTimeOptimizationEarlyEPCallback([add](ModulePassManager &passes, OptimizationLevel level) {
    if (level == OptimizationLevel::O0)
      return;
    FunctionPassManager functions;
    add(functions, /*sets_aside=*/false);
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
    add_rows(passes);
  });
}

void add_error(PassBuilder &PB, const std::string &message) {
  OrthantErrorPass error(message);
  PB.registerPipelineStartEPCallback(
      [error](ModulePassManager &passes, OptimizationLevel) { passes.addPass(OrthantErrorPass(error)); });
}

std::vector<std::unique_ptr<cl::opt<std::string>>> &declared_options() {
  static std::vector<std::unique_ptr<cl::opt<std::string>>> options;
  return options;
}

struct AtExit {
  ~AtExit() { orthant_rs_at_exit(); }
};

} // namespace

void orthant_declare_option(const char *name, const char *help, const char *metavar, bool is_flag) {
  auto option = std::make_unique<cl::opt<std::string>>(StringRef(name), cl::desc(help), cl::value_desc(metavar),
                                                       is_flag ? cl::ValueOptional : cl::ValueRequired);
  declared_options().push_back(std::move(option));
}

void orthant_given_options(OrthantVisitSetting visit, void *data) {
  for (const auto &option : declared_options())
    if (option->getNumOccurrences())
      visit(data, option->ArgStr.str().c_str(), option->getValue().c_str());
}

void orthant_add_version_printer(void) {
  cl::AddExtraVersionPrinter([](raw_ostream &OS) {
    std::string text;
    orthant_rs_version(append, &text);
    OS << text;
  });
}

void orthant_register(void *pass_builder) {
  static AtExit at_exit;
  (void)at_exit;
  auto &PB = *static_cast<PassBuilder *>(pass_builder);
  PB.registerPipelineParsingCallback(parse_name);
  Session session = configure(std::nullopt);
  if (session.number < 0)
    return add_error(PB, session.error);
  if (!session.enabled)
    return;
  const bool sets_aside = orthant_respect_aside(PB);
  session.early ? add_early(PB, session.number, sets_aside) : add_late(PB, session.number, sets_aside);
  add_around_vectorizers(PB);
}
