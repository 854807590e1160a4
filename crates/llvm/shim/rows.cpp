// Rows that are written out: loops marked by orthant_rows.
//
// OrthantRowsNowPass runs before LLVM's vectorizers, at the late position. It writes out rows in a loop that LLVM is to make vectors of,
// which must not have a loop inside. At the early position LLVM's unroller does so on its way.
//
// OrthantRowsPass runs behind LLVM's vectorizers. Rows that wait for themselves run side by side as scalars. LLVM's vectorizer of
// straight code would put one element of each into a vector, which takes longer than what it saves (2 to 3 times as long for the sums
// of a matrix's rows on a Zen 4). So they stay a loop until it has passed.
//
// The same pass gives what lies apart by constants in a loop one pointer, and lets LLVM no longer know what that was made from
// (share_pointer): of starts with the bounds of tiles in them strength reduction takes longer than all other passes together.
// It does so in all loops of functions with new loops and others where nobody comes later who could use what it hides, otherwise
// around rows. In functions of new loops alone nothing is left for strength reduction at all (steps.cpp), so there only loops with many
// addresses get such pointers. Other machines than an x86 have no addresses of two registers and a number, and want it.
#include "context.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include <map>

using namespace llvm;

namespace {

// The loops with this mark, inner ones first.
SmallVector<Loop *> marked_loops(const LoopInfo &loops, StringRef mark) {
  SmallVector<Loop *> all = loops.getLoopsInPreorder();
  erase_if(all, [&](Loop *loop) {
    MDNode *id = loop->getLoopID();
    return !id || !findOptionMDForLoopID(id, mark);
  });
  std::reverse(all.begin(), all.end());
  return all;
}

// Writes these loops out and no others, whatever their own marks say, and finds what the iterations have in common.
void write_out(ArrayRef<Loop *> marked, Function &F, FunctionAnalysisManager &FAM) {
  auto &loops = FAM.getResult<LoopAnalysis>(F);
  auto &scev = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &dominators = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &assumptions = FAM.getResult<AssumptionAnalysis>(F);
  SmallSetVector<Loop *, 4> outermost;
  for (Loop *loop : marked)
    outermost.insert(loop->getOutermostLoop());
  for (Loop *loop : outermost) {
    simplifyLoop(loop, &dominators, &loops, &scev, &assumptions, nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*loop, dominators, &loops, &scev);
  }
  for (Loop *loop : marked) {
    UnrollLoopOptions all = {};
    all.Count = scev.getSmallConstantTripCount(loop);
    all.Force = true;
    if (all.Count)
      UnrollLoop(loop, all, &loops, &scev, &dominators, &assumptions, &FAM.getResult<TargetIRAnalysis>(F),
                 &FAM.getResult<OptimizationRemarkEmitterAnalysis>(F), /*PreserveLCSSA=*/true);
  }
  PreservedAnalyses kept;
  kept.preserve<LoopAnalysis>();
  kept.preserve<DominatorTreeAnalysis>();
  kept.preserve<ScalarEvolutionAnalysis>();
  FAM.invalidate(F, kept);
  FunctionPassManager passes;
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FAM.invalidate(F, passes.run(F, FAM));
}

// A sum of multiples, and a constant.
struct Sum {
  MapVector<const SCEV *, int64_t> times;
  int64_t constant = 0;

  // False: too large.
  bool add(const SCEV *part, int64_t by, ScalarEvolution &scev) {
    if (auto *number = dyn_cast<SCEVConstant>(part)) {
      int64_t more;
      return number->getAPInt().getSignificantBits() <= 64 && !MulOverflow(number->getAPInt().getSExtValue(), by, more) &&
             !AddOverflow(constant, more, constant);
    }
    if (auto *sum = dyn_cast<SCEVAddExpr>(part))
      return all_of(sum->operands(), [&](const SCEV *each) { return add(each, by, scev); });
    if (auto *moves = dyn_cast<SCEVAddRecExpr>(part); moves && moves->isAffine()) {
      const SCEV *step = moves->getStepRecurrence(scev);
      const SCEV *way = scev.getAddRecExpr(scev.getZero(step->getType()), step, moves->getLoop(), SCEV::FlagAnyWrap);
      return add(moves->getStart(), by, scev) && !AddOverflow(times[way], by, times[way]);
    }
    auto *product = dyn_cast<SCEVMulExpr>(part);
    auto *factor = product && product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    int64_t more;
    if (factor)
      return factor->getAPInt().getSignificantBits() <= 64 && !MulOverflow(factor->getAPInt().getSExtValue(), by, more) &&
             add(product->getOperand(1), more, scev);
    return !AddOverflow(times[part], by, times[part]);
  }

  // Whether only the constants are different.
  bool is_apart(const Sum &other) const {
    auto is_covered = [](const Sum &one, const Sum &by) {
      return all_of(one.times, [&](auto &each) { return by.times.lookup(each.first) == each.second; });
    };
    return is_covered(*this, other) && is_covered(other, *this);
  }
};

// An access whose address moves on evenly.
struct Place {
  Instruction *access;
  const SCEV *start;
  Sum sum;
  int64_t step;

  bool is_apart(const Place &other) const { return step == other.step && sum.is_apart(other.sum); }
};

std::optional<Place> moving(Instruction &access, Loop &loop, ScalarEvolution &scev) {
  const Value *address = getLoadStorePointerOperand(&access);
  auto *moves = address ? dyn_cast<SCEVAddRecExpr>(scev.getSCEV(const_cast<Value *>(address))) : nullptr;
  if (!moves || moves->getLoop() != &loop || !moves->isAffine())
    return std::nullopt;
  auto *step = dyn_cast<SCEVConstant>(moves->getStepRecurrence(scev));
  if (!step || step->getAPInt().getBitWidth() != 64)
    return std::nullopt;
  Place place{&access, moves->getStart(), {}, step->getAPInt().getSExtValue()};
  if (!place.sum.add(place.start, 1, scev))
    return std::nullopt;
  return place;
}

// Of so many parts of a sum strength reduction can look at all ways to add them up.
constexpr size_t MOST_PARTS = 1;

// Whether a part of the sum is an address that is hidden already.
bool is_hidden(const Sum &sum) {
  return any_of(sum.times, [](auto &each) {
    auto *part = dyn_cast<SCEVUnknown>(each.first);
    auto *call = part ? dyn_cast<IntrinsicInst>(part->getValue()) : nullptr;
    return call && call->getIntrinsicID() == Intrinsic::strip_invariant_group;
  });
}

// How far the addresses of a loop that move by the same step have moved.
using Moved = std::map<int64_t, PHINode *>;

PHINode *moved(int64_t step, Loop &loop, Moved &known) {
  PHINode *&bytes = known[step];
  if (!bytes) {
    IRBuilder<> builder(loop.getHeader(), loop.getHeader()->begin());
    bytes = builder.CreatePHI(builder.getInt64Ty(), 2, "orthant.moved");
    builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
    bytes->addIncoming(builder.getInt64(0), loop.getLoopPreheader());
    bytes->addIncoming(builder.CreateAdd(bytes, builder.getInt64(step)), loop.getLoopLatch());
  }
  return bytes;
}

// One pointer for all of them, which begins at a place of which LLVM no longer knows what it was made from: strength reduction would
// look at all ways to add its parts up, for each row and longer than all other passes together. What moves is one number for all
// pointers with that step: sixteen rows have sixteen starts, not sixteen sums to compute in each iteration.
void share_pointer(ArrayRef<Place> places, Loop &loop, SCEVExpander &expander, Moved &known) {
  Instruction *before = loop.getLoopPreheader()->getTerminator();
  const Place &first = places.front();
  if (!expander.isSafeToExpandAt(first.start, before))
    return;
  IRBuilder<> builder(before);
  Value *start = builder.CreateStripInvariantGroup(expander.expandCodeFor(first.start, first.start->getType(), before));
  PHINode *bytes = moved(first.step, loop, known);
  builder.SetInsertPoint(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
  Value *pointer = builder.CreatePtrAdd(start, bytes, "orthant.row");
  for (const Place &place : places) {
    builder.SetInsertPoint(place.access);
    unsigned operand = isa<LoadInst>(place.access) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex();
    Value *old = place.access->getOperand(operand);
    // Numbers of addresses wrap, and so may these.
    int64_t offset = int64_t(uint64_t(place.sum.constant) - uint64_t(first.sum.constant));
    place.access->setOperand(operand, builder.CreatePtrAdd(pointer, builder.getInt64(offset)));
    RecursivelyDeleteTriviallyDeadInstructions(old);
  }
}

// So many addresses are computed in each iteration without a pointer that they share.
constexpr size_t FEW_ADDRESSES = 4;

bool has_many_addresses(const Loop &loop) {
  SmallPtrSet<const Value *, 8> addresses;
  if (!loop.isInnermost())
    return false;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block)
      if (const Value *address = getLoadStorePointerOperand(&inst))
        addresses.insert(address->stripInBoundsConstantOffsets());
  return count_if(addresses, [&](const Value *each) { return !loop.isLoopInvariant(each); }) > int(FEW_ADDRESSES);
}

// The addresses in this loop.
void share_pointers(Loop &loop, ScalarEvolution &scev, SCEVExpander &expander) {
  if (!loop.isInnermost() || !loop.isLoopSimplifyForm())
    return;
  std::vector<std::vector<Place>> all;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block)
      if (auto place = moving(inst, loop, scev)) {
        auto same = find_if(all, [&](ArrayRef<Place> group) { return group.front().is_apart(*place); });
        if (same == all.end())
          same = all.insert(all.end(), std::vector<Place>());
        same->push_back(*place);
      }
  Moved known;
  for (ArrayRef<Place> places : all)
    if (places.front().sum.times.size() > MOST_PARTS && !is_hidden(places.front().sum))
      share_pointer(places, loop, expander, known);
}

// Strict sums of rows in vectors, where they have that form. Their loops are around rows, too.
void sum_in_vectors(SmallVectorImpl<WeakVH> &around, Function &F, FunctionAnalysisManager &FAM) {
  for (size_t at = 0, end = around.size(); at < end; ++at)
    if (auto *header = cast_or_null<BasicBlock>(around[at]))
      if (BasicBlock *head = orthant_sum_in_vectors(*header, F, FAM))
        around.push_back(head);
}

} // namespace

// Late, LLVM has no pass between this and its vectorizer that unrolls loops, and none that finds what the rows have in common.
PreservedAnalyses OrthantRowsNowPass::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<Loop *> marked = marked_loops(FAM.getResult<LoopAnalysis>(F), ORTHANT_ROWS_NOW);
  if (marked.empty())
    return PreservedAnalyses::all();
  write_out(marked, F, FAM);
  FunctionPassManager passes;
  passes.addPass(DSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  // Which steps do not wrap, which instructions above forget.
  passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  passes.addPass(InstCombinePass());
  passes.run(F, FAM);
  return PreservedAnalyses::none();
}

PreservedAnalyses OrthantRowsPass::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<Loop *> marked = marked_loops(FAM.getResult<LoopAnalysis>(F), ORTHANT_ROWS);
  const bool has_loops = is_last && F.hasFnAttribute(ORTHANT_LOOPS);
  const bool settles = has_loops && F.hasFnAttribute(ORTHANT_NEW) && F.getParent()->getTargetTriple().isX86();
  if (is_last)
    F.removeFnAttr(ORTHANT_LOOPS);
  if (marked.empty() && !has_loops)
    return PreservedAnalyses::all();
  SmallVector<WeakVH> around;
  for (Loop *loop : marked)
    if (Loop *parent = loop->getParentLoop())
      around.push_back(parent->getHeader());
  if (!marked.empty()) {
    write_out(marked, F, FAM);
    FunctionPassManager passes;
    // What stands still along the rows goes into registers.
    passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
    passes.addPass(InstCombinePass());
    // Addresses that differ by a constant have one base: strength reduction takes ten times as long for one of each.
    passes.addPass(SeparateConstOffsetFromGEPPass());
    passes.addPass(EarlyCSEPass());
    passes.run(F, FAM);
    if (is_last)
      sum_in_vectors(around, F, FAM);
  }
  auto &loops = FAM.getResult<LoopAnalysis>(F);
  auto &scev = FAM.getResult<ScalarEvolutionAnalysis>(F);
  SCEVExpander expander(scev, "orthant.start");
  for (Loop *loop : loops.getLoopsInPreorder())
    if (is_contained(around, loop->getHeader()) || (settles ? has_many_addresses(*loop) : has_loops))
      share_pointers(*loop, scev, expander);
  if (has_loops)
    orthant_shorten_chains(loops);
  if (settles)
    orthant_settle_steps(loops);
  return PreservedAnalyses::none();
}
