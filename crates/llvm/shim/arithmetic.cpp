// Integer arithmetic that does not change in a loop and that ScalarEvolution has no expression for (signed division, remainders,
// shifts by variables, bits), moved before it, so that a bound `n / d` or an index `k % m` is a parameter of the nest.
//
// It goes up as far as its operands allow: what stands between two loops of a nest would still be in the nest. An instruction that
// can be executed anywhere is just moved. A division by 0 is undefined where the program executes it, and where it does not,
// nobody looks at the result: so the divisor is replaced by 1 where it is 0 (and where the quotient would overflow), and nothing has
// to be assumed about it.
#include "context.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

bool is_division(const Instruction &I) {
  return I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem || I.getOpcode() == Instruction::UDiv ||
         I.getOpcode() == Instruction::URem;
}

bool is_arithmetic(const Instruction &I) {
  // Conditions stay: a comparison says more than its result.
  return I.getType()->isIntegerTy() && !I.getType()->isIntegerTy(1) && I.getType()->getIntegerBitWidth() <= 64 &&
         isa<BinaryOperator, FPToSIInst, FPToUIInst, SelectInst>(I);
}

class Mover {
  LoopInfo &LI;
  ScalarEvolution &SE;
  DominatorTree &DT;

public:
  Mover(LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT) : LI(LI), SE(SE), DT(DT) {}

  bool run() {
    SmallVector<std::pair<Instruction *, Loop *>, 8> found;
    for (Loop *L : LI.getLoopsInPreorder())
      for (BasicBlock *block : L->blocks())
        for (Instruction &I : *block)
          if (LI.getLoopFor(block) == L && is_arithmetic(I) && L->hasLoopInvariantOperands(&I) && has_no_expression(I))
            found.push_back({&I, L});
    bool changed = false;
    for (auto [I, L] : found)
      if (BasicBlock *to = place(*I, *L)) {
        move(*I, *to->getTerminator());
        changed = true;
      }
    return changed;
  }

private:
  bool has_no_expression(Instruction &I) {
    return isa<SCEVUnknown>(SE.getSCEV(&I)) || (is_division(I) && !isSafeToSpeculativelyExecute(&I));
  }

  // The highest block outside the loop, and in no loop that the preheader is not in, that all operands are known at the end of.
  BasicBlock *place(Instruction &I, Loop &L) {
    BasicBlock *preheader = L.getLoopPreheader(), *found = nullptr;
    if (!preheader || (!isSafeToSpeculativelyExecute(&I) && !is_division(I)))
      return nullptr;
    for (auto *node = DT.getNode(preheader); node; node = node->getIDom()) {
      BasicBlock *block = node->getBlock();
      if (!all_of(I.operands(), [&](Value *V) { return DT.dominates(V, block->getTerminator()); }))
        break;
      Loop *around = LI.getLoopFor(block);
      if (!around || around->contains(preheader))
        found = block;
    }
    return found;
  }

  void move(Instruction &I, Instruction &before) {
    if (!isSafeToSpeculativelyExecute(&I))
      make_safe(I, before);
    SE.forgetValue(&I);
    I.moveBefore(before.getIterator());
    I.dropPoisonGeneratingAnnotations();
    I.dropUBImplyingAttrsAndUnknownMetadata();
    I.updateLocationAfterHoist();
  }

  // A divisor that may be used anywhere.
  static void make_safe(Instruction &I, Instruction &before) {
    IRBuilder<> builder(&before);
    auto known = [&](Value *V) { return isGuaranteedNotToBeUndefOrPoison(V) ? V : builder.CreateFreeze(V); };
    Type *type = I.getType();
    Value *divisor = known(I.getOperand(1));
    Value *is_bad = builder.CreateICmpEQ(divisor, ConstantInt::get(type, 0));
    if (I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem) {
      Value *dividend = known(I.getOperand(0));
      Value *is_least = builder.CreateICmpEQ(dividend, ConstantInt::get(type, APInt::getSignedMinValue(type->getIntegerBitWidth())));
      Value *is_minus_one = builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type));
      is_bad = builder.CreateOr(is_bad, builder.CreateAnd(is_least, is_minus_one));
      I.setOperand(0, dividend);
    }
    I.setOperand(1, builder.CreateSelect(is_bad, ConstantInt::get(type, 1), divisor));
  }
};

} // namespace

bool orthant_move_arithmetic(LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT) { return Mover(LI, SE, DT).run(); }
