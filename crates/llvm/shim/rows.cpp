// Rows that are written out behind LLVM's vectorizers: loops marked by orthant_rows.
//
// Rows that wait for themselves run side by side as scalars. LLVM's vectorizer of straight code would put one element of each
// into a vector, which takes longer than what it saves (2 to 3 times as long for the sums of a matrix's rows on a Zen 4). So they
// stay a loop until it has passed.
#include "context.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

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
constexpr size_t MOST_PARTS = 4;

// One pointer for all of them, which begins at a place of which LLVM no longer knows what it was made from: strength reduction would
// look at all ways to add its parts up, for each row and longer than all other passes together.
void share_pointer(ArrayRef<Place> places, Loop &loop, ScalarEvolution &scev) {
  Instruction *before = loop.getLoopPreheader()->getTerminator();
  const Place &first = places.front();
  SCEVExpander expander(scev, "orthant.start");
  if (!expander.isSafeToExpandAt(first.start, before))
    return;
  IRBuilder<> builder(before);
  Value *hidden = builder.CreateStripInvariantGroup(expander.expandCodeFor(first.start, first.start->getType(), before));
  builder.SetInsertPoint(loop.getHeader(), loop.getHeader()->begin());
  PHINode *pointer = builder.CreatePHI(hidden->getType(), 2, "orthant.row");
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  Value *next = builder.CreatePtrAdd(pointer, builder.getInt64(first.step));
  pointer->addIncoming(hidden, loop.getLoopPreheader());
  pointer->addIncoming(next, loop.getLoopLatch());
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

// Addresses of rows that were written out in this loop.
void share_pointers(Loop &loop, ScalarEvolution &scev) {
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
  for (ArrayRef<Place> places : all)
    if (places.size() > 1 && places.front().sum.times.size() > MOST_PARTS)
      share_pointer(places, loop, scev);
}

} // namespace

// Late, LLVM has no pass between this and its vectorizer that unrolls loops, and none that finds what the rows have in common.
void orthant_rows_now(Function &F, FunctionAnalysisManager &FAM) {
  auto is_marked = [](Loop *loop) {
    MDNode *id = loop->getLoopID();
    return id && findOptionMDForLoopID(id, ORTHANT_ROWS_NOW);
  };
  if (none_of(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(), is_marked))
    return;
  FunctionPassManager passes;
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/3, /*OnlyWhenForced=*/true)));
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(DSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  // Which steps do not wrap, which instructions above forget.
  passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  passes.addPass(InstCombinePass());
  FAM.invalidate(F, passes.run(F, FAM));
}

PreservedAnalyses OrthantRowsPass::run(Function &F, FunctionAnalysisManager &FAM) {
  bool is_marked = false;
  SmallVector<WeakVH> around;
  for (Loop *loop : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (take_mark(*loop)) {
      is_marked = true;
      if (Loop *parent = loop->getParentLoop())
        around.push_back(parent->getHeader());
    }
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
  auto &loops = FAM.getResult<LoopAnalysis>(F);
  auto &scev = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (const WeakVH &header : around)
    if (auto *block = dyn_cast_or_null<BasicBlock>(header))
      if (Loop *loop = loops.getLoopFor(block); loop && loop->getHeader() == block)
        share_pointers(*loop, scev);
  return PreservedAnalyses::none();
}
