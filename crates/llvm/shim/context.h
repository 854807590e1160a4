// What one run of the pass hands to the accessors.
#ifndef ORTHANT_CONTEXT_H
#define ORTHANT_CONTEXT_H

#include "shim.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/RegionInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include <string>

// What starts threads: libgomp's function, which LLVM's libomp has, too.
#define ORTHANT_FORK "GOMP_parallel"
// The attribute of functions that we made of new loops.
#define ORTHANT_NEW "orthant-new"
// The attribute of functions with new loops, until OrthantRowsPass has seen them.
#define ORTHANT_LOOPS "orthant-loops"
// The attribute of functions that most of LLVM's passes leave alone (aside.cpp).
#define ORTHANT_ASIDE "orthant-aside"
// The attribute of functions in which a split into phases counts as wrong, for tests.
#define ORTHANT_BREAK_PHASES "orthant-break-phases"
// What is said of loops that OrthantRowsPass writes out.
#define ORTHANT_ROWS "orthant.rows"
// The same before LLVM's vectorizers.
#define ORTHANT_ROWS_NOW "orthant.rows.now"

namespace llvm {
class PassBuilder;
}

// How the pass is to run at its place in the pipeline.
struct OrthantRun {
  int session;
  bool sets_aside = false;        // new loops become functions
  bool is_threaded_later = false; // LLVM's jump threading is to come (whole.cpp)
};

// A function that is all about one nest: where it asks whether there is much to do, and where its own loops begin (divide.cpp).
struct OrthantDivision {
  llvm::BasicBlock *question = nullptr, *original = nullptr;
};

// What a run of the pass leaves to those who run it.
struct OrthantOutcome {
  bool is_changed = false;       // Rust changed the function
  OrthantDivision division = {}; // to be done with the body that the host knows
  std::string failure = {};      // a pass before failed in the function, which is what it was before that
};

struct OrthantPass {
  llvm::Function &function;
  llvm::LoopInfo &loops;
  llvm::ScalarEvolution &scev;
  llvm::DominatorTree &dominators;
  llvm::PostDominatorTree &post_dominators;
  llvm::RegionInfo &regions;
  llvm::AAResults &alias;
  llvm::TargetTransformInfo &target;
  llvm::OptimizationRemarkEmitter &remarks;
  llvm::Function *kept = nullptr; // the body as it was, if somebody asked for that
  bool is_undone = false;         // it is to come back when the pass is done
  llvm::SmallVector<llvm::Function *, 2> outlined = {}; // the functions that new loops became
  OrthantRun run = {};
  bool has_loops = true; // unless all of them became functions
  OrthantDivision division = {};
};

// If the pass is to be undone, puts the body that was kept back into the function. True if it did: no analysis is valid then.
// A division is done with the body that was kept, unless somebody has an older one.
bool orthant_finish(OrthantPass &pass, bool is_oldest);

// The body of a function, kept in a function of its own that nobody calls.
llvm::Function *orthant_keep_body(llvm::Function &F);
// Whether a body that was kept can come back: the address of a block cannot move from one function to another.
bool orthant_can_go_back(const llvm::Function &F);
// The function gets the body that was kept, which is then empty.
void orthant_take_back(llvm::Function &F, llvm::Function *kept);

// Runs the passes; takes back what they did unless the outcome says otherwise afterwards. True if something stays.
bool orthant_on_trial(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::FunctionPassManager &passes,
                      const OrthantOutcome &outcome);

// Divides a function; `kept` has the body that its original gets, and is gone afterwards.
void orthant_divide_now(llvm::Function &F, llvm::Function *kept, const OrthantDivision &division);

// The blocks from one to others, with the first one in front.
llvm::SmallVector<llvm::BasicBlock *, 32> orthant_between(llvm::BasicBlock *entry, llvm::ArrayRef<llvm::BasicBlock *> ends);

// LLVM asks for a place of each call between functions with debug information.
void orthant_give_place(llvm::CallInst *call);

// Moves arithmetic that ScalarEvolution does not know before the loops in which it does not change; true if it did.
bool orthant_move_arithmetic(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE, llvm::DominatorTree &DT);

// Moves loads of values that do not change in a loop nest before it.
struct OrthantHoistPass : llvm::PassInfoMixin<OrthantHoistPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Loops whose iterations take turns with memory become loops over whole turns (phases.cpp). What is not proved to do the same is
// taken back, and the outcome says so.
struct OrthantPhasesPass : llvm::PassInfoMixin<OrthantPhasesPass> {
  OrthantOutcome *outcome;
  explicit OrthantPhasesPass(OrthantOutcome *outcome) : outcome(outcome) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// A function before a loop of it is split into phases.
struct OrthantUnsplit {
  llvm::Function *kept;       // its body
  llvm::BasicBlock *header;   // of the loop, there
  unsigned period;            // the number of phases
  llvm::SmallVector<llvm::WeakVH, 8> phis; // what the header's phis are in the function; those that are gone, nothing
};
OrthantUnsplit orthant_before_phases(llvm::Function &F, const Loop &loop, unsigned period);
// Why the split function is not proved to do the same (check_phases.cpp); empty: it is.
std::string orthant_check_phases(const OrthantUnsplit &before, llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// For tests of the checker (try_phases.cpp): `orthant-phases` splits a loop and leaves the function before that beside it, and
// `orthant-check-phases` says whether the two are proved to do the same.
bool orthant_parse_phases(llvm::StringRef name, llvm::FunctionPassManager &passes);
// Splits one loop; `before` gets the function before that. False: there is none to be split.
bool orthant_split_phases(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, OrthantUnsplit &before);

// Whether there are such loops.
bool orthant_has_phases(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Most of LLVM's passes leave functions that are set aside alone (aside.cpp). False: they do not ask.
bool orthant_respect_aside(llvm::PassBuilder &PB);

// Comes behind LLVM's jump threading (whole.cpp).
struct OrthantWholePass : llvm::PassInfoMixin<OrthantWholePass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

// Comes before LLVM's vectorizers and behind them, to functions that are set aside.
struct OrthantAsidePass : llvm::PassInfoMixin<OrthantAsidePass> {
  bool is_behind;
  explicit OrthantAsidePass(bool is_behind) : is_behind(is_behind) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; } // or it would be left out, too
};

// Writes out rows that LLVM's vectorizers are to see without a loop (rows.cpp).
struct OrthantRowsNowPass : llvm::PassInfoMixin<OrthantRowsNowPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Writes out the iterations of marked loops (rows.cpp).
struct OrthantRowsPass : llvm::PassInfoMixin<OrthantRowsPass> {
  bool is_last; // LLVM's vectorizers have passed
  explicit OrthantRowsPass(bool is_last) : is_last(is_last) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Sums of rows that are written out in the loop with this header, in vectors (sums.cpp). The header of the loop that does so; nothing is left
// as it was where there is one, and no analysis is valid.
llvm::BasicBlock *orthant_sum_in_vectors(llvm::BasicBlock &header, llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Iterations wait for fewer minima and maxima of those before them (chains.cpp).
void orthant_shorten_chains(llvm::LoopInfo &loops);

// The last that is done to new loops: LLVM's strength reduction leaves them alone (steps.cpp).
void orthant_settle_steps(const llvm::LoopInfo &loops);

// Removes the marks that OrthantHoistPass leaves.
void orthant_forget_same_values(llvm::Function &F);

inline void orthant_send(llvm::StringRef text, OrthantSink sink, void *data) { sink(data, text.data(), text.size()); }

#endif
