// Steps in time that take turns: a loop whose iterations use other memory in turn becomes one in which each iteration is a whole turn.
//
// Stencils are often written with two buffers that change places, or with planes by parity:
//   for t < T { for ..: b[..] = f(a[..]); swap(a, b) }        for t < T: for ..: a[(t + 1) % 2][..] = f(a[t % 2][..])
// Where an array lies then depends on t, and no statement has one array. Of such a loop, with the last iteration `last = T - 1` and K = 2,
//   for s <= last / 2 { for ..: b[..] = f(a[..]);             for s <= last / 2 { for ..: a[1][..] = f(a[0][..])
//     if (2 s < last) for ..: a[..] = f(b[..]) }                if (2 s < last) for ..: a[0][..] = f(a[1][..]) }
// does the same: iteration t is phase t % K of iteration t / K. Each phase is a copy of the body, in which all that takes turns is what it is
// in that phase, and which runs if the loop still has that iteration. Nothing is assumed: this is so for all numbers of steps, and
// wherever the arrays lie. That they are apart is assumed, and checked, by whoever models the new loop. What was made is compared with what
// was there by check_phases.cpp, which knows nothing of how it was made.
//
// Terms:
//   - The period K, 2 to 4, is the least common multiple of the periods of all that takes turns and decides about an address.
//   - A value that takes turns has a value for each phase that does not change in the loop. These are (`Turns`):
//     1. phis of the loop's header in a cycle: each one is in the next iteration what the next one of the cycle is in this;
//     2. phis of the header that are x and C - x, or x and x xor C, in turn (`p = 1 - p`), for constants x and C;
//     3. remainders of what grows by a constant from a constant: `x % D`, `x & M`, or a few low bits of x.
//   - What is used behind the loop is chosen there by the last iteration's phase.
//
// The loop must be rotated (one exit, in the latch, after a number of iterations that is known before it) and have loops inside. All
// values are computed by the same instructions from the same operands in the same order, so the bits are the same. The pass runs on
// trial (trial.cpp): where no nest of the function gets new loops, the function is taken back.
#include "context.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// The longest period.
constexpr unsigned MOST_PHASES = 4;
// Numbers with fewer bits have no room for it.
constexpr unsigned LEAST_BITS = 3;
// Loops with more instructions than this stay as they are.
constexpr size_t MOST_INSTRUCTIONS = 2000;
// So many uses of a value are looked at for one in an address.
constexpr size_t MOST_USES = 64;

// What a value is in each phase of its own period, which divides the loop's.
using Values = SmallVector<Value *, MOST_PHASES>;
using Turns = MapVector<Instruction *, Values>;

Value *in_phase(const Values &values, unsigned phase) { return values[phase % values.size()]; }

Value *latch_value(const PHINode &phi, const Loop &loop) { return phi.getIncomingValueForBlock(loop.getLoopLatch()); }

Value *first_value(const PHINode &phi, const Loop &loop) {
  return phi.getIncomingValueForBlock(loop.getLoopPredecessor());
}

PHINode *header_phi(Value *value, const Loop &loop) {
  auto *phi = dyn_cast<PHINode>(value);
  return phi && phi->getParent() == loop.getHeader() ? phi : nullptr;
}

// Phis that change places.
Values values_of_cycle(PHINode &phi, const Loop &loop) {
  Values values;
  for (PHINode *at = &phi; at && values.size() < MOST_PHASES; at = header_phi(latch_value(*at, loop), loop)) {
    values.push_back(first_value(*at, loop));
    if (latch_value(*at, loop) == &phi)
      return values;
  }
  return {};
}

// `x` and `C - x`, or `x` and `x xor C`, in turn.
Values values_of_toggle(PHINode &phi, const Loop &loop) {
  const APInt *first, *by;
  if (!match(first_value(phi, loop), m_APInt(first)) || !phi.getType()->isIntegerTy())
    return {};
  Value *next = latch_value(phi, loop);
  APInt second;
  if (match(next, m_Sub(m_APInt(by), m_Specific(&phi))))
    second = *by - *first;
  else if (match(next, m_Xor(m_Specific(&phi), m_APInt(by))))
    second = *first ^ *by;
  else
    return {};
  return {first_value(phi, loop), ConstantInt::get(phi.getType(), second)};
}

// Something that grows by a constant from a constant in each iteration.
struct Growing {
  APInt first, step;
  bool wraps; // perhaps, as an unsigned number
  bool is_nonnegative;

  static std::optional<Growing> of(Value *value, const Loop &loop, ScalarEvolution &SE) {
    auto *sum = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(value));
    if (!sum || sum->getLoop() != &loop || !sum->isAffine())
      return std::nullopt;
    auto *first = dyn_cast<SCEVConstant>(sum->getStart());
    auto *step = dyn_cast<SCEVConstant>(sum->getStepRecurrence(SE));
    if (!first || !step)
      return std::nullopt;
    const APInt &from = first->getAPInt(), &by = step->getAPInt();
    if (by.getBitWidth() < LEAST_BITS)
      return std::nullopt;
    bool ascends = !from.isNegative() && !by.isNegative();
    bool wraps = !sum->hasNoUnsignedWrap() && !(sum->hasNoSignedWrap() && ascends);
    return Growing{from, by, wraps, SE.isKnownNonNegative(sum)};
  }

  // Its values in turn as a function of them that looks at these remainders only.
  template <typename Of> Values values(const APInt &divisor, Type *type, Of of) const {
    for (unsigned period = 2; period <= MOST_PHASES; ++period) {
      bool overflows = false;
      APInt way = step.umul_ov(APInt(step.getBitWidth(), period), overflows);
      // What is divided by a power of two may wrap: remainders of that stay the same.
      if ((overflows && !divisor.isPowerOf2()) || !way.urem(divisor).isZero())
        continue;
      Values all;
      for (unsigned phase = 0; phase < period; ++phase)
        all.push_back(ConstantInt::get(type, of(first + step * APInt(step.getBitWidth(), phase))));
      return all;
    }
    return {};
  }
};

// `x % D`, `x & M`, and low bits of `x`.
Values values_of_remainder(Instruction &inst, const Loop &loop, ScalarEvolution &SE) {
  Value *of = nullptr;
  const APInt *by = nullptr;
  bool is_and = match(&inst, m_And(m_Value(of), m_APInt(by)));
  bool is_unsigned = !is_and && match(&inst, m_URem(m_Value(of), m_APInt(by)));
  bool is_signed = !is_and && !is_unsigned && match(&inst, m_SRem(m_Value(of), m_APInt(by)));
  bool is_low = match(&inst, m_Trunc(m_Value(of)));
  Type *type = inst.getType();
  if (!(is_and || is_unsigned || is_signed || is_low) || !type->isIntegerTy() || !SE.isSCEVable(of->getType()))
    return {};
  unsigned bits = of->getType()->getIntegerBitWidth();
  if (is_and || is_low) {
    unsigned low = is_and ? by->getActiveBits() : type->getIntegerBitWidth();
    // With more bits the period is longer, unless the low ones never change; that is no remainder then.
    if (low == 0 || low >= bits || low > 16)
      return {};
    auto growing = Growing::of(of, loop, SE);
    if (!growing)
      return {};
    APInt divisor = APInt::getOneBitSet(bits, low);
    return growing->values(divisor, type, [&](const APInt &x) { return is_and ? x & *by : x.trunc(low); });
  }
  // What is said of larger divisors, nobody checks.
  if (!by->isStrictlyPositive() || by->getActiveBits() >= 64)
    return {};
  auto growing = Growing::of(of, loop, SE);
  if (!growing || (is_signed && !growing->is_nonnegative) || (growing->wraps && !by->isPowerOf2()))
    return {};
  return growing->values(*by, type, [&](const APInt &x) { return x.urem(*by); });
}

bool carries_on(const Instruction &inst) {
  return isa<BinaryOperator, CastInst, SelectInst, CmpInst, GetElementPtrInst, PHINode>(inst);
}

// Whether something in the loop is loaded or stored where this value says.
bool decides_about_address(Instruction &value, const Loop &loop) {
  SmallVector<Instruction *, 16> work = {&value};
  SmallPtrSet<Instruction *, 16> seen = {&value};
  while (!work.empty() && seen.size() <= MOST_USES) {
    Instruction *at = work.pop_back_val();
    for (User *user : at->users()) {
      auto *inst = cast<Instruction>(user);
      if (getLoadStorePointerOperand(inst) == at && loop.contains(inst))
        return true;
      if (carries_on(*inst) && loop.contains(inst) && !header_phi(inst, loop) && seen.insert(inst).second)
        work.push_back(inst);
    }
  }
  return false;
}

// All in the loop that takes turns.
Turns turns(const Loop &loop, ScalarEvolution &SE) {
  Turns found;
  auto add = [&](Instruction &inst, Values values) {
    if (values.size() > 1)
      found[&inst] = std::move(values);
  };
  for (PHINode &phi : loop.getHeader()->phis()) {
    add(phi, values_of_cycle(phi, loop));
    add(phi, values_of_toggle(phi, loop));
  }
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block)
      add(inst, values_of_remainder(inst, loop, SE));
  return found;
}

// The period of all that decides about addresses; what has another one is forgotten. 1: there is nothing.
unsigned period(Turns &turns, const Loop &loop) {
  unsigned all = 1;
  for (auto &[inst, values] : turns)
    if (decides_about_address(*inst, loop))
      all = std::lcm(all, unsigned(values.size()));
  turns.remove_if([&](const auto &turn) { return all % turn.second.size() != 0; });
  return all;
}

bool has_form(const Loop &loop) {
  const BasicBlock *latch = loop.getLoopLatch();
  if (loop.isInnermost() || !latch || loop.getExitingBlock() != latch || !isa<BranchInst>(latch->getTerminator()) ||
      !loop.getLoopPredecessor() || !loop.isSafeToClone())
    return false;
  size_t count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += block->size();
  return count <= MOST_INSTRUCTIONS;
}

// Whether all may be in several places: who meets in a call, or comes back to it, depends on where it is.
bool can_be_copied(const Loop &loop) {
  return all_of(loop.blocks(), [](const BasicBlock *block) {
    return none_of(*block, [](const Instruction &inst) {
      auto *call = dyn_cast<CallBase>(&inst);
      return call && (call->isConvergent() || call->hasFnAttr(Attribute::ReturnsTwice));
    });
  });
}

// Whether the number of its last iteration is known before it. Asked last: finding out takes longer than all else here.
bool is_counted(const Loop &loop, ScalarEvolution &SE) {
  const SCEV *last = SE.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(last) || !last->getType()->isIntegerTy())
    return false;
  uint64_t bits = SE.getTypeSizeInBits(last->getType());
  return bits >= LEAST_BITS && bits <= 64;
}

// A loop that is split.
class Splitter {
  Loop &loop;
  const Turns &turns;
  const unsigned period;
  BasicBlock *before, *header, *latch, *exit;
  // The last iteration, counted from 0.
  Value *last;
  // What the first phase's values and blocks are in each phase.
  SmallVector<std::unique_ptr<ValueToValueMapTy>, MOST_PHASES> maps;

  Value *in(unsigned phase, Value *value) const {
    if (auto *inst = dyn_cast<Instruction>(value))
      if (auto found = turns.find(inst); found != turns.end())
        return in_phase(found->second, phase);
    if (phase == 0)
      return value;
    auto found = maps[phase]->find(value);
    return found == maps[phase]->end() ? value : &*found->second;
  }

  BasicBlock *latch_in(unsigned phase) const { return cast<BasicBlock>(in(phase, latch)); }

  void copy(unsigned phase, ArrayRef<BasicBlock *> blocks, ArrayRef<MDNode *> scopes) {
    maps.push_back(std::make_unique<ValueToValueMapTy>());
    ValueToValueMapTy &map = *maps.back();
    SmallVector<BasicBlock *, 16> copies;
    for (BasicBlock *block : blocks) {
      copies.push_back(CloneBasicBlock(block, map, ".phase", header->getParent()));
      map[block] = copies.back();
    }
    // What goes from one iteration to the next comes from the phase before.
    for (PHINode &phi : header->phis()) {
      cast<PHINode>(&*map[&phi])->eraseFromParent();
      map[&phi] = turns.contains(&phi) ? in(phase, &phi) : in(phase - 1, latch_value(phi, loop));
    }
    for (auto &[inst, values] : turns)
      map[inst] = in_phase(values, phase);
    remapInstructionsInBlocks(copies, map);
    cloneAndAdaptNoAliasScopes(scopes, copies, header->getContext(), "phase");
  }

  // The value in whichever phase is the last one that runs.
  Value *in_last_phase(Value *value, BasicBlock *join) {
    if (loop.isLoopInvariant(value))
      return value;
    PHINode *phi = PHINode::Create(value->getType(), period, value->getName() + ".phase");
    for (unsigned phase = 0; phase < period; ++phase)
      phi->addIncoming(in(phase, value), latch_in(phase));
    phi->insertBefore(join->begin());
    return phi;
  }

  // What takes turns, in the last iteration.
  Value *chosen(const Values &values) {
    IRBuilder<> builder(before->getTerminator());
    Value *phase = builder.CreateURem(last, ConstantInt::get(last->getType(), values.size()));
    Value *choice = values.back();
    for (unsigned at = values.size() - 1; at-- > 0;) {
      Value *is_it = builder.CreateICmpEQ(phase, ConstantInt::get(last->getType(), at));
      choice = builder.CreateSelect(is_it, values[at], choice);
    }
    return choice;
  }

  // `x + C` in each iteration is `x + K C` in each turn. Where a turn ends early, nobody looks at it: the flags may stay.
  Value *next_turn(PHINode &phi, IRBuilder<> &builder) {
    const APInt *step;
    auto *sum = dyn_cast<BinaryOperator>(latch_value(phi, loop));
    if (!sum || !match(sum, m_Add(m_Specific(&phi), m_APInt(step))) || step->getBitWidth() < LEAST_BITS)
      return nullptr;
    bool overflows = false;
    APInt way = step->smul_ov(APInt(step->getBitWidth(), period), overflows);
    if (overflows)
      return nullptr;
    return builder.CreateAdd(&phi, ConstantInt::get(phi.getType(), way), sum->getName() + ".turn", sum->hasNoUnsignedWrap(),
                             sum->hasNoSignedWrap());
  }

  // The phases in sequence, each one if the loop has that iteration, and the way to the next turn.
  BasicBlock *join_phases() {
    Type *type = last->getType();
    auto *own = cast<BranchInst>(latch->getTerminator());
    MDNode *hints = own->getMetadata(LLVMContext::MD_loop);
    BasicBlock *join = BasicBlock::Create(header->getContext(), "orthant.turn", header->getParent(), exit);
    IRBuilder<> builder(before->getTerminator());
    Value *last_turn = builder.CreateUDiv(last, ConstantInt::get(type, period), "orthant.last");
    builder.SetInsertPoint(header, header->begin());
    builder.SetCurrentDebugLocation(own->getDebugLoc());
    PHINode *turn = builder.CreatePHI(type, 2, "orthant.s");
    builder.SetInsertPoint(header, header->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(own->getDebugLoc());
    Value *begun = builder.CreateNUWMul(turn, ConstantInt::get(type, period), "orthant.t");
    for (unsigned phase = 0; phase < period; ++phase) {
      Instruction *end = latch_in(phase)->getTerminator();
      builder.SetInsertPoint(end);
      if (phase + 1 < period) {
        // No number wraps: this phase is an iteration, so its number is at most the last one's.
        Value *number = builder.CreateAdd(begun, ConstantInt::get(type, phase), "", /*HasNUW=*/true);
        builder.CreateCondBr(builder.CreateICmpULT(number, last), cast<BasicBlock>(in(phase + 1, header)), join);
      } else {
        builder.CreateBr(join);
      }
    }
    builder.SetInsertPoint(join);
    builder.SetCurrentDebugLocation(own->getDebugLoc());
    for (PHINode &phi : header->phis())
      if (&phi != turn && !turns.contains(&phi)) {
        Value *next = next_turn(phi, builder);
        next_values.push_back({&phi, next ? next : in_last_phase(latch_value(phi, loop), join)});
      }
    turn->addIncoming(ConstantInt::get(type, 0), before);
    turn->addIncoming(builder.CreateNUWAdd(turn, ConstantInt::get(type, 1), "orthant.s.next"), join);
    builder.CreateCondBr(builder.CreateICmpNE(turn, last_turn), header, exit)->setMetadata(LLVMContext::MD_loop, hints);
    return join;
  }

  SmallVector<std::pair<PHINode *, Value *>, 8> next_values;

public:
  Splitter(Loop &loop, const Turns &turns, unsigned period)
      : loop(loop), turns(turns), period(period), before(loop.getLoopPreheader()), header(loop.getHeader()),
        latch(loop.getLoopLatch()), exit(loop.getExitBlock()) {}

  bool split(ScalarEvolution &SE) {
    const SCEV *count = SE.getBackedgeTakenCount(&loop);
    SCEVExpander expander(SE, "orthant.phases");
    if (!expander.isSafeToExpandAt(count, before->getTerminator()))
      return false;
    last = expander.expandCodeFor(count, count->getType(), before->getTerminator()->getIterator());
    // What was known of these numbers is known of the loop's own, too, and need not be believed twice.
    for (Instruction *inst : expander.getAllInsertedInstructions())
      inst->dropPoisonGeneratingFlags();
    SmallVector<BasicBlock *, 16> blocks(loop.blocks());
    SmallVector<MDNode *, 4> scopes;
    identifyNoAliasScopesToClone(blocks, scopes);
    maps.push_back(nullptr);
    for (unsigned phase = 1; phase < period; ++phase)
      copy(phase, blocks, scopes);
    BasicBlock *join = join_phases();
    leave(join);
    SmallVector<Instruction *, MOST_PHASES> own_ends;
    for (unsigned phase = 0; phase < period; ++phase)
      own_ends.push_back(latch_in(phase)->getTerminator());
    for (Instruction *end : own_ends)
      end->eraseFromParent();
    for (auto [phi, next] : next_values) {
      phi->removeIncomingValue(latch, /*DeletePHIIfEmpty=*/false);
      phi->addIncoming(next, join);
    }
    // The first phase is the loop's own body.
    for (auto &[inst, values] : turns) {
      inst->replaceAllUsesWith(values.front());
      inst->eraseFromParent();
    }
    return true;
  }

private:
  // What is used behind the loop; in closed form, phis of the exit have all of it.
  void leave(BasicBlock *join) {
    for (PHINode &phi : exit->phis()) {
      Value *value = phi.getIncomingValueForBlock(latch);
      auto *inst = dyn_cast<Instruction>(value);
      auto found = inst ? turns.find(inst) : turns.end();
      Value *left = found == turns.end() ? in_last_phase(value, join) : chosen(found->second);
      phi.removeIncomingValue(latch, /*DeletePHIIfEmpty=*/false);
      phi.addIncoming(left, join);
    }
  }
};

// The outermost loop that is to be split, with what takes turns and their period.
struct Found {
  Loop *loop;
  Turns turns;
  unsigned period;
};

std::optional<Found> find(Function &F, FunctionAnalysisManager &FAM, function_ref<bool(const Loop &)> wanted) {
  for (Loop *loop : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!wanted(*loop) || !has_form(*loop))
      continue;
    ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    Turns all = turns(*loop, SE);
    unsigned phases = period(all, *loop);
    if (phases >= 2 && phases <= MOST_PHASES && can_be_copied(*loop) && is_counted(*loop, SE))
      return Found{loop, std::move(all), phases};
  }
  return std::nullopt;
}

} // namespace

bool orthant_has_phases(Function &F, FunctionAnalysisManager &FAM) {
  return find(F, FAM, [](const Loop &) { return true; }).has_value();
}

bool orthant_split_phases(Function &F, FunctionAnalysisManager &FAM, OrthantUnsplit &before) {
  if (!orthant_can_go_back(F))
    return false;
  auto is_in_form = [](const Loop &loop) { return loop.isLoopSimplifyForm(); };
  if (!find(F, FAM, is_in_form))
    return false;
  // It remembers what it found out before other passes changed the loop: how long it runs, in other numbers. Whoever checks that has the
  // loop only, so it is asked again without.
  PreservedAnalyses others = PreservedAnalyses::all();
  others.abandon<ScalarEvolutionAnalysis>();
  FAM.invalidate(F, others);
  auto found = find(F, FAM, is_in_form);
  if (!found)
    return false;
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  formLCSSARecursively(*found->loop, FAM.getResult<DominatorTreeAnalysis>(F), &FAM.getResult<LoopAnalysis>(F), &SE);
  before = orthant_before_phases(F, *found->loop, found->period);
  if (Splitter(*found->loop, found->turns, found->period).split(SE)) {
    FAM.invalidate(F, PreservedAnalyses::none());
    return true;
  }
  before.kept->eraseFromParent();
  return false;
}

PreservedAnalyses OrthantPhasesPass::run(Function &F, FunctionAnalysisManager &FAM) {
  bool changed = false;
  OrthantUnsplit before = {};
  while (outcome->failure.empty() && !F.hasOptNone() && orthant_split_phases(F, FAM, before)) {
    changed = true;
    std::string why = F.hasFnAttribute(ORTHANT_BREAK_PHASES) ? "asked to be" : orthant_check_phases(before, F, FAM);
    if (!why.empty()) {
      outcome->failure = "the split into phases is not proved: " + why;
      orthant_take_back(F, before.kept);
      FAM.invalidate(F, PreservedAnalyses::none());
    }
    before.kept->eraseFromParent();
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
