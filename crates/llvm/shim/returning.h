// What values of a loop are in all iterations of a phase, for the checker of the split into phases (check_phases.cpp).
//
// The loop is executed for one turn, K iterations, on what is known before it: phis of its header are what comes in, then what they have next, and so
// on. Each is a value that does not change in the loop (a number, or a pointer that changes places with another), or a remainder by a
// number D. A phi that behind the turn is what it was before it is so behind every turn, if that follows from such phis alone: those that are not drop
// out, and the turn is executed again with the others, until all that are left return. So this is an induction over turns.
//   a, b = x, y; each iteration: a, b = b, a        K = 2: (x, y), (y, x), (x, y)
//   t = 5; each iteration: t = t + 4                remainders by 3, K = 3: 2, 0, 1, 2, if no sum wraps
// Where sums wrap, remainders by powers of two stay right; for others the sum's flags or ScalarEvolution must say that it does not.
// What is poison in the old loop may be said to be anything.
#ifndef ORTHANT_RETURNING_H
#define ORTHANT_RETURNING_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <optional>

namespace orthant {

using namespace llvm;
using namespace llvm::PatternMatch;

// What takes turns is computed in a few steps; more are not followed.
constexpr unsigned MOST_STEPS = 8;
// Phis that do not return drop out, and with them those that need them. Where this does not end, nothing is known.
constexpr unsigned MOST_ROUNDS = 8;
// A low part of a number with more bits than that is no remainder.
constexpr unsigned MOST_BITS = 16;

inline Value *next_of(const PHINode &phi, const Loop &loop) { return phi.getIncomingValueForBlock(loop.getLoopLatch()); }

inline Value *first_of(const PHINode &phi, const Loop &loop) {
  return phi.getIncomingValueForBlock(loop.getLoopPredecessor());
}

inline const PHINode *as_header_phi(const Value *value, const Loop &loop) {
  auto *phi = dyn_cast<PHINode>(value);
  return phi && phi->getParent() == loop.getHeader() ? phi : nullptr;
}

// What values of the old loop are in all iterations of a phase.
class Returning {
  const Loop &loop;
  const unsigned period;
  ScalarEvolution &SE;
  // What phis of the header are in each phase of a turn, and behind it.
  template <typename T> using States = SmallVector<DenseMap<const PHINode *, T>, 5>;
  States<Value *> exact;
  // Remainders by each number that was asked for.
  std::map<uint64_t, States<uint64_t>> remainders;

  // Executes a turn, without those phis that are not behind it what they were before it, until all that are left return.
  template <typename T, typename First, typename Next> void settle(States<T> &states, First first, Next next) const {
    SmallVector<const PHINode *, 8> left;
    for (const PHINode &phi : loop.getHeader()->phis())
      left.push_back(&phi);
    for (unsigned round = 0; round < MOST_ROUNDS; ++round) {
      states.clear();
      states.resize(period + 1);
      for (const PHINode *phi : left)
        if (auto value = first(*phi))
          states[0].try_emplace(phi, *value);
      for (unsigned phase = 0; phase < period; ++phase)
        for (const PHINode *phi : left)
          if (auto value = next(*phi, phase))
            states[phase + 1].try_emplace(phi, *value);
      size_t before = left.size();
      erase_if(left, [&](const PHINode *phi) {
        auto begin = states[0].find(phi), end = states[period].find(phi);
        return begin == states[0].end() || end == states[period].end() || begin->second != end->second;
      });
      if (left.size() == before)
        return;
    }
    states.clear();
    states.resize(period + 1);
  }

  bool is_nonnegative(Value *value) const { return SE.isKnownNonNegative(SE.getSCEV(value)); }

  // Whether an operation on unsigned numbers gives the number that it would give without end, if it is not poison.
  bool is_exact(const BinaryOperator &op) const {
    Value *left = op.getOperand(0), *right = op.getOperand(1);
    if (op.hasNoUnsignedWrap())
      return true;
    if (op.getOpcode() == Instruction::Shl)
      return false;
    bool grows = op.getOpcode() != Instruction::Sub && op.hasNoSignedWrap();
    return (grows && is_nonnegative(left) && is_nonnegative(right)) ||
           SE.willNotOverflow(op.getOpcode(), /*Signed=*/false, SE.getSCEV(left), SE.getSCEV(right));
  }

  std::optional<uint64_t> remainder_of(const BinaryOperator &op, uint64_t by, unsigned phase, unsigned steps) {
    auto left = remainder(op.getOperand(0), by, phase, steps + 1);
    if (op.getOpcode() == Instruction::Shl) {
      const APInt *bits;
      if (!left || !match(op.getOperand(1), m_APInt(bits)) || bits->uge(63))
        return std::nullopt;
      return uint64_t((unsigned __int128)(*left) * ((uint64_t(1) << bits->getZExtValue()) % by) % by);
    }
    auto right = left ? remainder(op.getOperand(1), by, phase, steps + 1) : std::nullopt;
    if (!right)
      return std::nullopt;
    switch (op.getOpcode()) {
    case Instruction::Add:
    case Instruction::Or:
      return (*left + *right) % by;
    case Instruction::Sub:
      return (*left + by - *right) % by;
    default:
      return uint64_t((unsigned __int128)(*left) * *right % by);
    }
  }

  // Of a sum, difference or product.
  bool keeps_remainders(const BinaryOperator &op, uint64_t by) const {
    switch (op.getOpcode()) {
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(op).isDisjoint();
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
      return divides(by, *op.getType()) || is_exact(op);
    default:
      return false;
    }
  }

  // Whether numbers of a type that wrap keep their remainders.
  static bool divides(uint64_t by, const Type &type) {
    return isPowerOf2_64(by) && Log2_64(by) <= type.getIntegerBitWidth();
  }

  std::optional<uint64_t> remainder_of(const CastInst &cast, uint64_t by, unsigned phase, unsigned steps) {
    Value *of = cast.getOperand(0);
    if (!of->getType()->isIntegerTy())
      return std::nullopt;
    bool is_kept = isa<ZExtInst>(cast) || (isa<TruncInst>(cast) && divides(by, *cast.getType())) ||
                   (isa<SExtInst>(cast) && (divides(by, *of->getType()) || is_nonnegative(of)));
    return is_kept ? remainder(of, by, phase, steps + 1) : std::nullopt;
  }

  // What a phi of the header has next.
  std::optional<uint64_t> next_remainder(const PHINode &phi, uint64_t by, unsigned phase) {
    if (auto next = remainder(next_of(phi, loop), by, phase, 0))
      return next;
    // The sum may wrap behind the last iteration, where nobody looks at the phi.
    auto *sum = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&phi)));
    auto now = remainders[by][phase].find(&phi);
    if (!sum || sum->getLoop() != &loop || !sum->isAffine() || now == remainders[by][phase].end())
      return std::nullopt;
    auto *step = dyn_cast<SCEVConstant>(sum->getStepRecurrence(SE));
    bool ascends = step && step->getAPInt().isNonNegative() && SE.isKnownNonNegative(sum->getStart());
    if (!step || !(sum->hasNoUnsignedWrap() || (sum->hasNoSignedWrap() && ascends)))
      return std::nullopt;
    return (now->second + step->getAPInt().urem(by)) % by;
  }

  const States<uint64_t> &settled(uint64_t by) {
    auto [found, is_new] = remainders.try_emplace(by);
    if (is_new) {
      auto first = [&](const PHINode &phi) { return remainder(first_of(phi, loop), by, 0, 0); };
      auto next = [&](const PHINode &phi, unsigned phase) { return next_remainder(phi, by, phase); };
      settle(found->second, first, next);
    }
    return found->second;
  }

  // The remainder of an unsigned number, if that is not poison.
  std::optional<uint64_t> remainder(Value *value, uint64_t by, unsigned phase, unsigned steps) {
    if (!value->getType()->isIntegerTy() || steps > MOST_STEPS)
      return std::nullopt;
    if (auto *number = dyn_cast<ConstantInt>(value))
      return number->getValue().urem(by);
    if (auto *phi = as_header_phi(value, loop)) {
      const States<uint64_t> &states = settled(by);
      auto found = states[phase].find(phi);
      return found == states[phase].end() ? std::nullopt : std::optional<uint64_t>(found->second);
    }
    if (auto *op = dyn_cast<BinaryOperator>(value))
      return keeps_remainders(*op, by) ? remainder_of(*op, by, phase, steps) : std::nullopt;
    auto *cast = dyn_cast<CastInst>(value);
    return cast ? remainder_of(*cast, by, phase, steps) : std::nullopt;
  }

  // Of an instruction that is a remainder: what is divided, and by what.
  std::optional<std::pair<Value *, uint64_t>> as_remainder(const Instruction &inst) const {
    Value *of = inst.getNumOperands() ? inst.getOperand(0) : nullptr;
    const APInt *by;
    if (match(&inst, m_URem(m_Value(), m_APInt(by))) || match(&inst, m_SRem(m_Value(), m_APInt(by)))) {
      bool is_number = by->isStrictlyPositive() && by->getActiveBits() < 64;
      bool is_unsigned = inst.getOpcode() == Instruction::URem || is_nonnegative(of);
      return is_number && is_unsigned ? std::optional(std::pair(of, by->getZExtValue())) : std::nullopt;
    }
    unsigned bits = 0;
    if (match(&inst, m_And(m_Value(), m_APInt(by))))
      bits = by->getActiveBits();
    else if (isa<TruncInst>(inst))
      bits = inst.getType()->getIntegerBitWidth();
    return bits > 0 && bits <= MOST_BITS ? std::optional(std::pair(of, uint64_t(1) << bits)) : std::nullopt;
  }

  // A number that the instruction computes from numbers.
  Value *folded(Instruction &inst, unsigned phase, unsigned steps) {
    if (!isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(inst))
      return nullptr;
    SmallVector<Constant *, 3> numbers;
    for (Value *operand : inst.operands()) {
      Value *number = value_in(operand, phase, steps + 1);
      if (!number || !isa<ConstantInt>(number))
        return nullptr;
      numbers.push_back(cast<Constant>(number));
    }
    return dyn_cast_or_null<ConstantInt>(ConstantFoldInstOperands(&inst, numbers, inst.getDataLayout()));
  }

  Value *value_in(Value *value, unsigned phase, unsigned steps) {
    if (loop.isLoopInvariant(value))
      return value;
    if (auto *phi = as_header_phi(value, loop))
      return exact[phase].lookup(phi);
    auto &inst = *cast<Instruction>(value);
    if (steps > MOST_STEPS || !inst.getType()->isIntegerTy())
      return nullptr;
    if (auto division = as_remainder(inst))
      if (auto rest = remainder(division->first, division->second, phase, 0)) {
        APInt number(inst.getType()->getIntegerBitWidth(), *rest, /*isSigned=*/false, /*implicitTrunc=*/true);
        const APInt *mask;
        return ConstantInt::get(inst.getType(), match(&inst, m_And(m_Value(), m_APInt(mask))) ? number & *mask : number);
      }
    return folded(inst, phase, steps);
  }

public:
  Returning(const Loop &loop, unsigned period, ScalarEvolution &SE) : loop(loop), period(period), SE(SE) {
    auto first = [&](const PHINode &phi) { return std::optional(first_of(phi, loop)); };
    auto next = [&](const PHINode &phi, unsigned phase) {
      Value *value = value_in(next_of(phi, loop), phase, 0);
      return value ? std::optional(value) : std::nullopt;
    };
    settle(exact, first, next);
  }

  // Something that does not change in the loop; null: nothing is known.
  Value *value_in(Value *value, unsigned phase) { return value_in(value, phase, 0); }
};

} // namespace orthant

#endif
