// How loops go on from one iteration to the next, without LLVM's strength reduction.
//
// LLVM's strength reduction looks at all ways to compute the addresses in a loop from one another, and takes a tenth of the time of
// a compilation with new loops. These are written so that little is left to gain: what is next to each other has one base, and what
// an x86 computes in an address costs nothing. So
//   - products of a loop's variable and something that does not change in the loop become variables themselves (reduce_products):
//     the byte of row i of a matrix is a sum, not a product;
//   - LLVM no longer knows how the variables go on (hide_steps): an expectation or a barrier stands there, of which code generation
//     makes nothing. ScalarEvolution then sees no even steps, and strength reduction nothing to do.
// Nobody comes behind it who wants to know: it runs behind the vectorizers, on functions of new loops only.
#include "context.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A variable that grows by the same number in each iteration.
struct Counter {
  PHINode *variable;
  const APInt *step;
};

std::optional<Counter> counter(PHINode &phi, const Loop &loop) {
  Counter found{&phi, nullptr};
  const Value *next = phi.getIncomingValueForBlock(loop.getLoopLatch());
  if (!phi.getType()->isIntegerTy(64) || !match(next, m_Add(m_Specific(&phi), m_APInt(found.step))))
    return std::nullopt;
  return found;
}

// Up to this factor, a power of two, a product is a part of an address.
constexpr unsigned MOST_SHIFTED = 3;

// What the variable is multiplied by, if the product is worth a variable of its own.
Value *factor(Instruction &product, const Counter &of, const Loop &loop) {
  Value *by = nullptr;
  const APInt *shift;
  if (match(&product, m_c_Mul(m_Specific(of.variable), m_Value(by))) && loop.isLoopInvariant(by))
    return by;
  if (match(&product, m_Shl(m_Specific(of.variable), m_APInt(shift))) && shift->ugt(MOST_SHIFTED) && shift->ult(64))
    return ConstantInt::get(product.getType(), APInt::getOneBitSet(64, shift->getZExtValue()));
  return nullptr;
}

// A product gives way to a variable that grows by a multiple of the step. Equal products are one already. Sums wrap as products do.
void replace(Instruction &product, Value *by, const Counter &of, const Loop &loop) {
  BasicBlock *before = loop.getLoopPreheader();
  IRBuilder<> builder(before->getTerminator());
  Value *first = builder.CreateMul(of.variable->getIncomingValueForBlock(before), by);
  Value *step = builder.CreateMul(ConstantInt::get(by->getType(), *of.step), by);
  builder.SetInsertPoint(of.variable);
  PHINode *sum = builder.CreatePHI(product.getType(), 2, "orthant.step");
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  sum->addIncoming(first, before);
  sum->addIncoming(builder.CreateAdd(sum, step), loop.getLoopLatch());
  product.replaceAllUsesWith(sum);
  product.eraseFromParent();
}

void reduce_products(const Loop &loop) {
  SmallVector<Counter> counters;
  for (PHINode &phi : loop.getHeader()->phis())
    if (auto found = counter(phi, loop))
      counters.push_back(*found);
  for (const Counter &each : counters)
    for (User *user : make_early_inc_range(each.variable->users()))
      if (auto *inst = cast<Instruction>(user); loop.contains(inst))
        if (Value *by = factor(*inst, each, loop))
          replace(*inst, by, each, loop);
}

void hide_steps(const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  IRBuilder<> builder(latch->getTerminator());
  for (PHINode &variable : loop.getHeader()->phis()) {
    Value *next = variable.getIncomingValueForBlock(latch);
    if (loop.isLoopInvariant(next))
      continue;
    if (next->getType()->isPointerTy())
      variable.setIncomingValueForBlock(latch, builder.CreateStripInvariantGroup(next));
    else if (next->getType()->isIntegerTy() && !next->getType()->isIntegerTy(1)) {
      Value *known[] = {next, ConstantInt::get(next->getType(), 0)};
      variable.setIncomingValueForBlock(latch, builder.CreateIntrinsic(Intrinsic::expect, {next->getType()}, known));
    }
  }
}

} // namespace

void orthant_settle_steps(const LoopInfo &loops) {
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopPreheader() || !loop->getLoopLatch())
      continue;
    if (loop->isInnermost())
      reduce_products(*loop);
    hide_steps(*loop);
  }
}
