// Minima and maxima of integers that go from one iteration to the next: as short as they can be, and without branches.
//
// In `x = max(max(x + a, b), c)` the next iteration waits for two maxima. With `x = max(x + a, max(b, c))` it waits for one, and the other is
// computed meanwhile. The operations are associative and commutative, so the result is the same. What is waited for becomes a choice of
// which LLVM is told that it cannot be foreseen: code generation makes branches of others, and which of two scores is the better one no
// processor foresees. All this late, because LLVM puts constants outside and choices back into maxima.
#include "context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

// The blocks of a loop, if one comes after the other; it may be left from any of them.
static SmallVector<BasicBlock *, 4> in_line(const Loop &loop) {
  SmallVector<BasicBlock *, 4> line = {loop.getHeader()};
  while (line.size() <= loop.getNumBlocks()) {
    SmallVector<BasicBlock *, 2> next;
    copy_if(successors(line.back()), std::back_inserter(next), [&](BasicBlock *block) { return loop.contains(block); });
    if (next.size() != 1)
      return {};
    if (next.front() == loop.getHeader())
      return line.size() == loop.getNumBlocks() ? line : SmallVector<BasicBlock *, 4>();
    line.push_back(next.front());
  }
  return {};
}

namespace {
// What goes from the header's phi by arithmetic to what it is in the next iteration, in order.
struct Chain {
  SmallVector<Instruction *, 8> all;
  SmallPtrSet<const Value *, 8> values;

  Chain(PHINode &phi, ArrayRef<BasicBlock *> blocks) {
    SmallPtrSet<const Value *, 16> from = {&phi}, to = {phi.getIncomingValueForBlock(blocks.back())};
    auto is_step = [](const Instruction &inst) { return inst.getType()->isIntegerTy() && !inst.mayReadFromMemory(); };
    for (BasicBlock *block : blocks)
      for (Instruction &inst : make_range(block->getFirstNonPHIIt(), block->end()))
        if (is_step(inst) && any_of(inst.operands(), [&](const Use &use) { return from.contains(use); }))
          from.insert(&inst);
    for (BasicBlock *block : reverse(blocks))
      for (Instruction &inst : reverse(make_range(block->getFirstNonPHIIt(), block->end())))
        if (from.contains(&inst) && to.contains(&inst)) {
          to.insert(inst.op_begin(), inst.op_end());
          all.insert(all.begin(), &inst);
          values.insert(&inst);
        }
    values.insert(&phi);
  }

  bool has(const Value *value) const { return values.contains(value); }

  // Whether something is computed in each iteration. What is only compared with others changes seldom, which is foreseen.
  bool computes() const {
    return any_of(all, [](const Instruction *inst) { return !isa<MinMaxIntrinsic>(inst); });
  }
};
} // namespace

// `max(max(x, b), c)`, of which only x is of the chain and nobody else wants the inner one: `max(x, max(b, c))`.
static void shorten(MinMaxIntrinsic &outer, const Chain &chain) {
  for (unsigned at : {0, 1}) {
    auto *inner = dyn_cast<MinMaxIntrinsic>(outer.getArgOperand(at));
    Value *other = outer.getArgOperand(1 - at);
    if (!inner || inner->getIntrinsicID() != outer.getIntrinsicID() || !inner->hasOneUse() || !chain.has(inner) ||
        chain.has(other))
      continue;
    unsigned first = chain.has(inner->getLHS()) ? 0 : 1;
    Value *waits = inner->getArgOperand(first), *ready = inner->getArgOperand(1 - first);
    if (chain.has(ready))
      continue;
    IRBuilder<> builder(&outer);
    outer.setArgOperand(at, waits);
    outer.setArgOperand(1 - at, builder.CreateBinaryIntrinsic(outer.getIntrinsicID(), ready, other));
    return; // nobody uses the inner one any more
  }
}

static void choose(MinMaxIntrinsic &bound) {
  IRBuilder<> builder(&bound);
  // What is undefined must be the same both times.
  auto once = [&](Value *value) { return isGuaranteedNotToBeUndefOrPoison(value) ? value : builder.CreateFreeze(value); };
  Value *first = once(bound.getLHS()), *second = once(bound.getRHS());
  Value *choice = builder.CreateSelect(builder.CreateICmp(bound.getPredicate(), first, second), first, second);
  if (auto *select = dyn_cast<SelectInst>(choice))
    select->setMetadata(LLVMContext::MD_unpredictable, MDBuilder(bound.getContext()).createUnpredictable());
  bound.replaceAllUsesWith(choice);
  bound.eraseFromParent();
}

static void shorten_from(PHINode &phi, ArrayRef<BasicBlock *> blocks) {
  const Chain chain(phi, blocks);
  if (!chain.computes())
    return;
  for (Instruction *inst : chain.all)
    if (auto *bound = dyn_cast<MinMaxIntrinsic>(inst))
      shorten(*bound, chain);
  for (Instruction *inst : chain.all)
    if (auto *bound = dyn_cast<MinMaxIntrinsic>(inst))
      bound->use_empty() ? (void)bound->eraseFromParent() : choose(*bound);
}

void orthant_shorten_chains(LoopInfo &loops) {
  for (Loop *loop : loops.getLoopsInPreorder())
    if (auto blocks = in_line(*loop); !blocks.empty())
      for (PHINode &phi : loop->getHeader()->phis())
        if (phi.getType()->isIntegerTy())
          shorten_from(phi, blocks);
}
