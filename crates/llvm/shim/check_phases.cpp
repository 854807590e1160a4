// Whether a loop that was split into phases (phases.cpp) does what it did: translation validation, for every function that is split.
//
// The checker gets the function before the split (a copy, `old` below) and after it (`new`), the header of the loop, the number K of phases,
// and as hints which phis of the new header the old ones are supposed to be. It proves a simulation; all else it finds itself.
//
// Terms:
//   - Iterations of the old loop are t = 0 .. last, where `last` is what LLVM's ScalarEvolution says of the old loop. An iteration of the
//     new loop is a turn s; phase p of it is to be iteration t = K s + p.
//   - A point (B, p) is a block B of the old loop in phase p; outside of the loop there are no phases (OUTSIDE).
//   - `same(x, y, p)`: in phase p, the new value y is what the old value x is in iteration t, whenever x is not poison.
//
// What is proved, by induction over the steps of a run:
//   1. Blocks. From the entry on, each point has one new block, to which the new branches lead exactly where the old ones lead to the point;
//      no block serves two points. The end of an iteration is a point of its own, see 4.
//   2. Instructions. Those of the block are, in the same order, the same operations with operands that are the `same`, with the same or
//      fewer flags and metadata (scopes of aliases that are declared in the loop are others in each phase). What the new block has beside
//      them computes numbers and nothing else; what it lacks had no effects, so that only its value may be missed, which `same` asks for.
//   3. Values. `same(x, y, p)` holds where y stands for x in that phase by 2, for phis of the header also if y is in the phase before what
//      x has next, and if x takes turns and y is what it is in phase p. That is found by executing the loop on what is known before
//      it, K iterations: phis that are then what they were (the same value; the same remainder) are so again and again (returning.h).
//   4. Iterations. The new loop counts s from 0 by 1; phase p < K - 1 goes on to the next one if K s + p < last, all others lead to the end of the
//      turn, and that to the next turn if s != last / K. For every value that `last` can have, in numbers of its width, which hold K: s is at most
//      last / K, so K s does not wrap; phase p is reached with K s + p <= last, so that neither K s + p does; so the phases that
//      run are iterations 0, 1, .. up to the first with t = last, and behind that is no other: s is last / K then.
//      Where there is a next turn all K phases were run, so phis of the header go on from phase K - 1.
//   5. Behind the loop values are those of phase `last mod K`; for each one, the way to the exit is followed from there.
//   6. All else of the function is the same by 1 to 3, its attributes included. LLVM's verifier says that the new function is well-formed.
// So every run of the new function does what a run of the old one does, as long as that is defined. What is believed: LLVM's verifier, its
// ScalarEvolution (the number of iterations; that sums do not wrap; signs), and what it says of poison. Not looked at: what is for debuggers,
// other functions, and hints for loops as far as they are about speed.
//
// Why here and not in Rust: there is no model yet, and what is compared is LLVM's instructions in every detail that LLVM gives them.
#include "context.h"
#include "returning.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace orthant;

namespace {

// The phase of what is not in the loop.
constexpr int OUTSIDE = -1;
// So many instructions that nobody asks for are in a row where one that may be missing is looked for.
constexpr unsigned MOST_BESIDE = 8;

// An expression over values of the old function, as one over those of the new one.
class Moved : public SCEVRewriteVisitor<Moved> {
  function_ref<Value *(Value *)> to;
  function_ref<BasicBlock *(BasicBlock *)> to_block;
  LoopInfo &LI;

public:
  bool is_complete = true;
  // The new values that it is about.
  SmallPtrSet<Value *, 8> leaves;

  Moved(ScalarEvolution &SE, LoopInfo &LI, function_ref<Value *(Value *)> to,
        function_ref<BasicBlock *(BasicBlock *)> to_block)
      : SCEVRewriteVisitor(SE), to(to), to_block(to_block), LI(LI) {}

  const SCEV *fail() {
    is_complete = false;
    return SE.getCouldNotCompute();
  }
  // An expression of which a part is missing cannot be made.
  const SCEV *visit(const SCEV *scev) {
    return is_complete ? SCEVRewriteVisitor::visit(scev) : SE.getZero(Type::getInt1Ty(SE.getContext()));
  }
  const SCEV *visitConstant(const SCEVConstant *constant) { return SE.getConstant(constant->getValue()); }
  const SCEV *visitVScale(const SCEVVScale *) { return fail(); }
  const SCEV *visitUnknown(const SCEVUnknown *unknown) {
    Value *value = to(unknown->getValue());
    if (!value)
      return fail();
    leaves.insert(value);
    return SE.getSCEV(value);
  }
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *sum) {
    BasicBlock *header = to_block(sum->getLoop()->getHeader());
    const Loop *loop = header ? LI.getLoopFor(header) : nullptr;
    if (!loop || loop->getHeader() != header)
      return fail();
    SmallVector<const SCEV *, 3> operands;
    for (const SCEV *operand : sum->operands())
      operands.push_back(visit(operand));
    return SE.getAddRecExpr(operands, loop, SCEV::FlagAnyWrap);
  }
};

// The values of the old loop that are poison only if its exit's condition is, in its first iteration.
SmallPtrSet<const Value *, 16> needed_by_exit(const Loop &loop) {
  SmallPtrSet<const Value *, 16> needed;
  SmallVector<const Value *, 16> work = {cast<BranchInst>(loop.getLoopLatch()->getTerminator())->getCondition()};
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (!needed.insert(value).second)
      continue;
    if (auto *phi = as_header_phi(value, loop))
      work.push_back(first_of(*phi, loop));
    else if (auto *inst = dyn_cast<Instruction>(value); inst && !isa<PHINode>(inst))
      for (const Use &operand : inst->operands())
        if (propagatesPoison(operand))
          work.push_back(operand);
  }
  return needed;
}

class Checker {
  Function &older, &newer;
  const Loop &loop;
  const unsigned period;
  ScalarEvolution &SE;
  FunctionAnalysisManager &FAM;
  Returning returning;
  BasicBlock *old_header, *old_latch, *old_exit;

  struct Point {
    const BasicBlock *block;
    int phase;
    bool operator==(const Point &other) const { return block == other.block && phase == other.phase; }
  };
  // New blocks of points, and back; values of the old function in each phase, the last ones outside.
  SmallVector<DenseMap<const BasicBlock *, BasicBlock *>, 5> blocks;
  DenseMap<const BasicBlock *, Point> points;
  SmallVector<DenseMap<const Value *, Value *>, 5> values;
  struct Phis {
    PHINode *was, *is;
    int phase;
  };
  SmallVector<Phis, 32> phis;

  // The new loop's own.
  BasicBlock *end_of_turn = nullptr;
  SmallVector<BasicBlock *, 4> ends;
  SmallVector<Value *, 4> conditions;
  PHINode *turn = nullptr;
  Value *last = nullptr;

  // Scopes of aliases: those declared in the loop, all old ones, and whose a new one is.
  SmallPtrSet<const Metadata *, 4> declared, old_scopes;
  DenseMap<std::pair<const Metadata *, int>, const Metadata *> new_scopes;
  DenseMap<const Metadata *, std::pair<const Metadata *, int>> owners;

public:
  std::string why;

private:
  bool fail(const Twine &reason, const Value *about = nullptr, int phase = OUTSIDE) {
    if (!why.empty())
      return false;
    raw_string_ostream out(why);
    out << reason;
    if (phase != OUTSIDE)
      out << ", phase " << phase;
    if (about) {
      std::string text;
      raw_string_ostream(text) << *about;
      out << ": `" << StringRef(text).trim() << "`";
    }
    return false;
  }

  size_t index(int phase) const { return phase == OUTSIDE ? period : phase; }

  BasicBlock *block_of(const BasicBlock *block, int phase) const { return blocks[index(phase)].lookup(block); }

  bool lead(const BasicBlock *block, int phase, BasicBlock *to) {
    auto [found, is_new] = blocks[index(phase)].try_emplace(block, to);
    if (!is_new)
      return found->second == to || fail("a branch leads elsewhere", to->getTerminator(), phase);
    Point point = {block, phase};
    return points.try_emplace(to, point).second || fail("a block is two", to->getTerminator(), phase);
  }

  // ---- values

  bool same(Value *was, Value *is, int phase) {
    if (auto *metadata = dyn_cast<MetadataAsValue>(was))
      return isa<MetadataAsValue>(is) && same_metadata(metadata->getMetadata(), cast<MetadataAsValue>(is)->getMetadata(), phase);
    if (auto *argument = dyn_cast<Argument>(was))
      return is == newer.getArg(argument->getArgNo());
    auto *inst = dyn_cast<Instruction>(was);
    if (!inst)
      return was == is;
    if (!loop.contains(inst))
      return values[period].lookup(inst) == is;
    if (phase == OUTSIDE)
      return false;
    if (values[phase].lookup(inst) == is)
      return true;
    if (auto *phi = as_header_phi(inst, loop); phi && phase > 0 && same(next_of(*phi, loop), is, phase - 1))
      return true;
    Value *known = returning.value_in(inst, phase);
    return known && same(known, is, OUTSIDE);
  }

  bool same_metadata(Metadata *was, Metadata *is, int phase) {
    if (auto *value = dyn_cast<LocalAsMetadata>(was))
      return isa<LocalAsMetadata>(is) && same(value->getValue(), cast<LocalAsMetadata>(is)->getValue(), phase);
    auto *one = dyn_cast<MDNode>(was), *other = dyn_cast<MDNode>(is);
    bool has_scopes = one && any_of(one->operands(), [&](const MDOperand &part) { return declared.contains(part.get()); });
    return has_scopes ? other && same_scopes(*one, *other, phase) : was == is;
  }

  // ---- scopes

  static const MDNode *domain_of(const Metadata *scope) {
    auto *node = dyn_cast<MDNode>(scope);
    return node ? AliasScopeNode(node).getDomain() : nullptr;
  }

  void find_scopes() {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &inst : *block)
        if (auto *decl = dyn_cast<NoAliasScopeDeclInst>(&inst))
          for (const MDOperand &scope : decl->getScopeList()->operands())
            declared.insert(scope.get());
    if (declared.empty())
      return;
    for (BasicBlock &block : older)
      for (Instruction &inst : block) {
        auto *decl = dyn_cast<NoAliasScopeDeclInst>(&inst);
        for (MDNode *list : {decl ? decl->getScopeList() : nullptr, inst.getMetadata(LLVMContext::MD_alias_scope),
                             inst.getMetadata(LLVMContext::MD_noalias)})
          if (list)
            for (const MDOperand &scope : list->operands())
              old_scopes.insert(scope.get());
      }
  }

  // What a scope says is about one execution of its declaration, so that each phase needs its own.
  bool same_scope(const Metadata *was, const Metadata *is, int phase) {
    if (phase == OUTSIDE || !declared.contains(was))
      return was == is;
    if (auto found = new_scopes.find({was, phase}); found != new_scopes.end())
      return found->second == is;
    bool is_fresh = was == is || !old_scopes.contains(is);
    if (!is_fresh || !domain_of(was) || domain_of(was) != domain_of(is) || !owners.try_emplace(is, was, phase).second)
      return false;
    new_scopes[{was, phase}] = is;
    return true;
  }

  bool same_scopes(const MDNode &was, const MDNode &is, int phase) {
    if (was.getNumOperands() != is.getNumOperands())
      return false;
    return all_of(zip(was.operands(), is.operands()), [&](auto both) {
      auto &[one, other] = both;
      return one.get() && other.get() && same_scope(one.get(), other.get(), phase);
    });
  }

  // ---- instructions

  // Whether what is said of the new instruction is said of the old one.
  bool claims_no_more(const Instruction &was, const Instruction &is, int phase) {
    if (is.getRawSubclassOptionalData() & ~was.getRawSubclassOptionalData())
      return false;
    SmallVector<std::pair<unsigned, MDNode *>, 4> all;
    is.getAllMetadataOtherThanDebugLoc(all);
    return all_of(all, [&](const auto &kind) {
      MDNode *said = was.getMetadata(kind.first);
      if (kind.first == LLVMContext::MD_DIAssignID)
        return true;
      if (said && (kind.first == LLVMContext::MD_alias_scope || kind.first == LLVMContext::MD_noalias))
        return same_scopes(*said, *kind.second, phase);
      return said == kind.second;
    });
  }

  // Who meets in a call, or comes back to it, depends on where it is.
  static bool may_be_twice(const Instruction &inst) {
    auto *call = dyn_cast<CallBase>(&inst);
    return !call || !(call->isConvergent() || call->cannotDuplicate() || call->hasFnAttr(Attribute::ReturnsTwice));
  }

  bool is_same_instruction(Instruction &was, Instruction &is, int phase) {
    if (!was.isSameOperationAs(&is) || (phase != OUTSIDE && !may_be_twice(was)) || was.getNumOperands() != is.getNumOperands())
      return false;
    for (auto [one, other] : zip(was.operands(), is.operands()))
      if (!isa<BasicBlock>(one) && !same(one, other, phase))
        return false;
    return claims_no_more(was, is, phase);
  }

  // A new instruction that nobody has to ask for, and that nobody notices.
  static bool computes_only(const Instruction &inst) {
    return isa<BinaryOperator, CastInst, ICmpInst, SelectInst, FreezeInst, IntrinsicInst>(inst) && !inst.mayReadOrWriteMemory() &&
           !inst.mayHaveSideEffects() && isSafeToSpeculativelyExecute(&inst);
  }

  // An old instruction that is missed only by those who use it.
  bool may_be_missing(Instruction &inst, int phase) {
    return phase != OUTSIDE && !inst.mayHaveSideEffects() && !inst.isTerminator() && !inst.isEHPad() && returning.value_in(&inst, phase);
  }

  bool pair(Instruction &was, Instruction &is, int phase) { return values[index(phase)].try_emplace(&was, &is).second; }

  bool pair_phis(BasicBlock &was, BasicBlock &is, int phase) {
    if (&was == old_header)
      return phase == 0 || is.phis().empty() || fail("a phase begins with a phi", &is.front(), phase);
    auto next = is.begin();
    for (PHINode &phi : was.phis()) {
      auto *other = dyn_cast<PHINode>(&*next++);
      if (!other || other->getType() != phi.getType() || !claims_no_more(phi, *other, phase))
        return fail("a phi is missing or another", &phi, phase);
      pair(phi, *other, phase);
      phis.push_back({&phi, other, phase});
    }
    return !isa<PHINode>(*next) || fail("there is another phi", &*next, phase);
  }

  // What the new block has for an instruction, at `next` or behind what nobody asks for; the terminator if there is nothing.
  BasicBlock::iterator found_for(Instruction &inst, BasicBlock::iterator next, int phase, unsigned most) {
    for (; !next->isTerminator(); ++next) {
      if (is_same_instruction(inst, *next, phase))
        return next;
      if (most-- == 0 || !computes_only(*next))
        break;
    }
    return next->getParent()->getTerminator()->getIterator();
  }

  // All but phis and the terminator.
  bool pair_others(BasicBlock &was, BasicBlock &is, int phase) {
    auto next = is.getFirstNonPHIIt();
    for (Instruction &inst : make_range(was.getFirstNonPHIIt(), was.getTerminator()->getIterator())) {
      auto found = found_for(inst, next, phase, 0);
      bool is_needed = found->isTerminator() && !may_be_missing(inst, phase);
      if (found->isTerminator())
        found = found_for(inst, next, phase, is_needed ? unsigned(is.size()) : MOST_BESIDE);
      if (!found->isTerminator()) {
        pair(inst, *found, phase);
        next = std::next(found);
      } else if (is_needed)
        return fail("an instruction is missing or another", &inst, phase);
    }
    while (!next->isTerminator() && computes_only(*next))
      ++next;
    return next->isTerminator() || fail("there is another instruction", &*next, phase);
  }

  // ---- ways

  // The phase in which a block is that control gets to from a phase.
  int phase_of(const BasicBlock *block, int from) const {
    if (!loop.contains(block))
      return OUTSIDE;
    return from == OUTSIDE ? 0 : from;
  }

  bool go_on(BasicBlock &was, BasicBlock &is, int phase) {
    Instruction *one = was.getTerminator(), *other = is.getTerminator();
    if (&was == old_latch)
      return end_phase(*other, phase);
    if (!is_same_instruction(*one, *other, phase) || one->getNumSuccessors() != other->getNumSuccessors())
      return fail("a terminator is another", one, phase);
    if (auto *choice = dyn_cast<SwitchInst>(one))
      for (auto [mine, yours] : zip(choice->cases(), cast<SwitchInst>(other)->cases()))
        if (mine.getCaseValue() != yours.getCaseValue())
          return fail("a case is another", one, phase);
    for (unsigned way = 0; way < one->getNumSuccessors(); ++way)
      if (!lead(one->getSuccessor(way), phase_of(one->getSuccessor(way), phase), other->getSuccessor(way)))
        return false;
    return true;
  }

  // Leads to the next phase or to the end of the turn.
  bool end_phase(Instruction &terminator, unsigned phase) {
    auto *branch = dyn_cast<BranchInst>(&terminator);
    bool is_last = phase + 1 == period;
    if (!branch || branch->isConditional() == is_last)
      return fail("a phase does not end as it should", &terminator, phase);
    BasicBlock *end = branch->getSuccessor(is_last ? 0 : 1);
    if (end_of_turn && end_of_turn != end)
      return fail("a phase leads to another end", &terminator, phase);
    end_of_turn = end;
    ends.push_back(branch->getParent());
    if (is_last)
      return true;
    conditions.push_back(branch->getCondition());
    return lead(old_header, phase + 1, branch->getSuccessor(0));
  }

  bool pass(BasicBlock &block, int phase) {
    BasicBlock *is = block_of(&block, phase);
    if (!is)
      return fail("nothing leads to a block", block.getTerminator(), phase);
    return pair_phis(block, *is, phase) && pair_others(block, *is, phase) && go_on(block, *is, phase);
  }

  // In an order in which what is used comes before those who use it, but for phis.
  bool pass_all() {
    ReversePostOrderTraversal<Function *> order(&older);
    bool is_loop_done = false;
    for (BasicBlock *block : order) {
      if (!loop.contains(block)) {
        if (!pass(*block, OUTSIDE))
          return false;
      } else if (!is_loop_done) {
        is_loop_done = true;
        if (!pass_loop(order))
          return false;
      }
    }
    return true;
  }

  bool pass_loop(ReversePostOrderTraversal<Function *> &order) {
    if (!pair_header())
      return false;
    for (unsigned phase = 0; phase < period; ++phase)
      for (BasicBlock *block : order)
        if (loop.contains(block) && !pass(*block, phase))
          return false;
    return end_turn();
  }

  // ---- the loop over turns

  ArrayRef<WeakVH> hints;

  bool pair_header() {
    BasicBlock *header = block_of(old_header, 0);
    if (!header)
      return fail("nothing leads to the loop");
    for (auto [was, hint] : zip(old_header->phis(), hints))
      if (Value *value = hint) {
        auto *is = dyn_cast<PHINode>(value);
        if (!is || is->getParent() != header || is->getType() != was.getType() || !claims_no_more(was, *is, 0))
          continue;
        pair(was, *is, 0);
        phis.push_back({&was, is, 0});
      }
    return true;
  }

  // A new value of the form `times * s + plus`, where no part of it has flags but that it does not wrap as an unsigned number.
  struct Multiple {
    uint64_t times, plus;
  };
  std::optional<Multiple> multiple_of_turn(Value *value) const {
    if (value == turn)
      return Multiple{1, 0};
    const APInt *by;
    auto *op = dyn_cast<BinaryOperator>(value);
    if (!op || !match(op->getOperand(1), m_APInt(by)) || by->getActiveBits() > 8)
      return std::nullopt;
    auto of = multiple_of_turn(op->getOperand(0));
    if (!of || of->times > 16 || of->plus > 16)
      return std::nullopt;
    uint64_t number = by->getZExtValue();
    bool may_wrap_signed = isa<OverflowingBinaryOperator>(op) && op->hasNoSignedWrap();
    if (op->getOpcode() == Instruction::Add && !may_wrap_signed)
      return Multiple{of->times, of->plus + number};
    if (op->getOpcode() == Instruction::Mul && !may_wrap_signed)
      return Multiple{of->times * number, of->plus * number};
    return std::nullopt;
  }

  // The number of the phase's iteration is less than the last one's.
  bool is_guard(Value *condition, unsigned phase) {
    Value *number, *limit;
    if (!match(condition, m_SpecificICmp(ICmpInst::ICMP_ULT, m_Value(number), m_Value(limit))) ||
        cast<ICmpInst>(condition)->hasSameSign())
      return fail("a phase has another condition", condition, phase);
    if (last && last != limit)
      return fail("a phase has another limit", condition, phase);
    last = limit;
    auto multiple = multiple_of_turn(number);
    return (multiple && multiple->times == period && multiple->plus == phase) || fail("a phase has another number", condition, phase);
  }

  // `last / K`, or `last % K`.
  bool is_of_last(Value *value, bool is_rest, uint64_t by) const {
    const APInt *divisor, *number, *all;
    if (match(value, m_APInt(number)) && match(last, m_APInt(all)))
      return number->getBitWidth() == all->getBitWidth() && *number == (is_rest ? APInt(all->getBitWidth(), all->urem(by)) : all->udiv(by));
    auto *op = dyn_cast<BinaryOperator>(value);
    return op && op->getOpcode() == (is_rest ? Instruction::URem : Instruction::UDiv) && op->getOperand(0) == last &&
           match(op->getOperand(1), m_APInt(divisor)) && *divisor == by && !(isa<PossiblyExactOperator>(op) && op->isExact());
  }

  // The branch at the end of a turn, and the phi that counts turns.
  bool end_turn() {
    BasicBlock *header = block_of(old_header, 0);
    auto *branch = end_of_turn ? dyn_cast<BranchInst>(end_of_turn->getTerminator()) : nullptr;
    Value *counter, *last_turn;
    if (!branch || points.contains(end_of_turn) || !branch->isConditional() || branch->getSuccessor(0) != header ||
        !match(branch->getCondition(), m_SpecificICmp(ICmpInst::ICMP_NE, m_Value(counter), m_Value(last_turn))))
      return fail("a turn does not end as it should");
    turn = dyn_cast<PHINode>(counter);
    bool is_counted = turn && turn->getParent() == header && counts();
    for (unsigned phase = 0; is_counted && phase + 1 < period; ++phase)
      is_counted = is_guard(conditions[phase], phase);
    if (!is_counted || !is_of_last(last_turn, /*is_rest=*/false, period))
      return fail("turns are counted in another way", branch);
    MDNode *hints = branch->getMetadata(LLVMContext::MD_loop);
    if (hints && hints != old_latch->getTerminator()->getMetadata(LLVMContext::MD_loop))
      return fail("other hints for the loop", branch);
    return are_predecessors() && only_computes(*end_of_turn) && lead(old_exit, OUTSIDE, branch->getSuccessor(1));
  }

  // From 0 by 1, in numbers that hold the period. That it never wraps may be said.
  bool counts() const {
    BasicBlock *entering = block_of(loop.getLoopPredecessor(), OUTSIDE);
    if (turn->getNumIncomingValues() != 2 || turn->getBasicBlockIndex(entering) < 0 || turn->getBasicBlockIndex(end_of_turn) < 0)
      return false;
    auto *next = dyn_cast<BinaryOperator>(turn->getIncomingValueForBlock(end_of_turn));
    return match(turn->getIncomingValueForBlock(entering), m_Zero()) && next && match(next, m_Add(m_Specific(turn), m_One())) &&
           !next->hasNoSignedWrap() && turn->getType()->isIntegerTy() && turn->getType()->getIntegerBitWidth() >= MIN_WIDTH;
  }
  // Four phases at most.
  static constexpr unsigned MIN_WIDTH = 3;

  bool are_predecessors() {
    SmallPtrSet<BasicBlock *, 4> all(ends.begin(), ends.end());
    bool are_all = pred_size(end_of_turn) == ends.size() && all.size() == ends.size() &&
                   all_of(predecessors(end_of_turn), [&](BasicBlock *block) { return all.contains(block); });
    return are_all || fail("something else leads to the end of a turn");
  }

  bool only_computes(BasicBlock &block) {
    for (Instruction &inst : block)
      if (!isa<PHINode>(inst) && !inst.isTerminator() && !computes_only(inst))
        return fail("there is another instruction", &inst);
    return true;
  }

  // ---- the number of iterations

  // Where the number is poison, the exit's condition is, too: nothing on the way to it makes poison that is not there before.
  bool is_defined(const SmallPtrSetImpl<Value *> &leaves) {
    SmallPtrSet<const Value *, 16> fine;
    for (const Value *value : needed_by_exit(loop))
      if (Value *is = values[period].lookup(value))
        fine.insert(is);
    SmallVector<Value *, 8> work = {last};
    SmallPtrSet<Value *, 16> seen;
    while (!work.empty()) {
      Value *value = work.pop_back_val();
      auto *inst = dyn_cast<Instruction>(value);
      if (!inst || fine.contains(inst) || leaves.contains(inst) || !seen.insert(inst).second)
        continue;
      if (canCreatePoison(cast<Operator>(inst)))
        return fail("the number of iterations may be poison", inst);
      append_range(work, inst->operands());
    }
    return true;
  }

  bool has_right_number() {
    auto to = [&](Value *value) -> Value * {
      if (auto *argument = dyn_cast<Argument>(value))
        return newer.getArg(argument->getArgNo());
      return isa<Instruction>(value) ? values[period].lookup(value) : value;
    };
    auto to_block = [&](BasicBlock *block) { return block_of(block, OUTSIDE); };
    ScalarEvolution &new_SE = FAM.getResult<ScalarEvolutionAnalysis>(newer);
    const SCEV *count = SE.getBackedgeTakenCount(&loop);
    if (isa<SCEVCouldNotCompute>(count) || count->getType() != last->getType())
      return fail("the number of iterations is not known");
    Moved moved(new_SE, FAM.getResult<LoopAnalysis>(newer), to, to_block);
    const SCEV *wanted = moved.visit(count);
    if (!moved.is_complete || new_SE.getSCEV(last) != wanted)
      return fail("the number of iterations is another", last);
    return is_defined(moved.leaves);
  }

  // ---- phis

  // What a phi of the header is in the next turn.
  bool goes_on(PHINode &was, PHINode &is) {
    Value *next = is.getIncomingValueForBlock(end_of_turn), *old_next = next_of(was, loop);
    if (auto *joined = dyn_cast<PHINode>(next); joined && joined->getParent() == end_of_turn)
      next = joined->getIncomingValueForBlock(ends.back());
    return same(old_next, next, period - 1) || is_step(was, is, old_next, next) || fail("another value goes on", &was);
  }

  // K steps at once: `x + C` and `x + K C`. If none of the steps wraps, neither does their sum, unless K C itself does.
  bool is_step(PHINode &was, PHINode &is, Value *old_next, Value *next) const {
    const APInt *step, *way;
    auto *one = dyn_cast<BinaryOperator>(old_next), *all = dyn_cast<BinaryOperator>(next);
    if (!one || !all || !match(one, m_Add(m_Specific(&was), m_APInt(step))) || !match(all, m_Add(m_Specific(&is), m_APInt(way))) ||
        step->getBitWidth() < MIN_WIDTH)
      return false;
    bool overflows = false;
    APInt product = step->smul_ov(APInt(step->getBitWidth(), period), overflows);
    bool may_claim = (!all->hasNoSignedWrap() || (one->hasNoSignedWrap() && !overflows)) &&
                     (!all->hasNoUnsignedWrap() || one->hasNoUnsignedWrap());
    return product == *way && may_claim;
  }

  std::optional<bool> holds(Value *condition, unsigned phase) const {
    CmpPredicate predicate;
    Value *rest;
    const APInt *number;
    if (match(condition, m_APInt(number)))
      return number->isOne();
    if (!match(condition, m_ICmp(predicate, m_Value(rest), m_APInt(number))) || !ICmpInst::isEquality(predicate))
      return std::nullopt;
    for (unsigned by = 2; by <= period; ++by)
      if (period % by == 0 && is_of_last(rest, /*is_rest=*/true, by))
        return (*number == phase % by) == (predicate == ICmpInst::ICMP_EQ);
    return std::nullopt;
  }

  // What leaves the loop if its last iteration is in that phase.
  Value *left_in(Value *value, unsigned phase) const {
    if (auto *joined = dyn_cast<PHINode>(value); joined && joined->getParent() == end_of_turn)
      value = joined->getIncomingValueForBlock(ends[phase]);
    while (auto *choice = dyn_cast<SelectInst>(value)) {
      auto is_true = holds(choice->getCondition(), phase);
      if (!is_true)
        break;
      value = *is_true ? choice->getTrueValue() : choice->getFalseValue();
    }
    return value;
  }

  bool leaves(PHINode &was, Value *is) {
    Value *value = was.getIncomingValueForBlock(old_latch);
    const APInt *number;
    bool is_known = match(last, m_APInt(number));
    for (unsigned phase = 0; phase < period; ++phase)
      if ((!is_known || number->urem(period) == phase) && !same(value, left_in(is, phase), phase))
        return fail("another value leaves the loop", &was, phase);
    return true;
  }

  bool is_same_phi(const Phis &both) {
    for (auto [value, from] : zip(both.is->incoming_values(), both.is->blocks())) {
      auto found = points.find(from);
      if (found == points.end() && from != end_of_turn)
        continue; // nothing leads there
      if (from == end_of_turn) {
        bool is_header = both.was->getParent() == old_header;
        if (!is_header && both.was->getParent() != old_exit)
          return fail("a turn ends elsewhere", both.was);
        if (!(is_header ? goes_on(*both.was, *both.is) : leaves(*both.was, value)))
          return false;
        continue;
      }
      auto [block, phase] = found->second;
      int at = both.was->getBasicBlockIndex(block);
      if (at < 0 || !same(both.was->getIncomingValue(at), value, phase))
        return fail("a phi is another", both.was, both.phase);
    }
    return true;
  }

  bool has_form() const {
    auto *branch = dyn_cast_or_null<BranchInst>(old_latch ? old_latch->getTerminator() : nullptr);
    return loop.getHeader() == old_header && branch && branch->isConditional() && loop.getExitingBlock() == old_latch && old_exit &&
           loop.getLoopPredecessor() && old_exit->getSinglePredecessor() == old_latch && period >= 2 &&
           period < (1u << MIN_WIDTH);
  }

public:
  Checker(const OrthantUnsplit &before, Function &newer, const Loop &loop, ScalarEvolution &SE, FunctionAnalysisManager &FAM)
      : older(*before.kept), newer(newer), loop(loop), period(before.period), SE(SE), FAM(FAM), returning(loop, period, SE),
        old_header(before.header), old_latch(loop.getLoopLatch()), old_exit(loop.getExitBlock()), hints(before.phis) {}

  bool check() {
    if (!has_form())
      return fail("the loop has another form");
    auto personality = [](const Function &F) { return F.hasPersonalityFn() ? F.getPersonalityFn() : nullptr; };
    if (older.getAttributes() != newer.getAttributes() || personality(older) != personality(newer))
      return fail("the function has other attributes");
    blocks.resize(period + 1);
    values.resize(period + 1);
    find_scopes();
    if (!lead(&older.getEntryBlock(), OUTSIDE, &newer.getEntryBlock()) || !pass_all())
      return false;
    return all_of(phis, [&](const Phis &both) { return is_same_phi(both); }) && has_right_number();
  }
};

} // namespace

OrthantUnsplit orthant_before_phases(Function &F, const Loop &loop, unsigned period) {
  OrthantUnsplit before = {orthant_keep_body(F), nullptr, period, {}};
  before.kept->setAttributes(F.getAttributes());
  if (F.hasPersonalityFn())
    before.kept->setPersonalityFn(F.getPersonalityFn());
  for (auto [was, is] : zip(*before.kept, F))
    if (&is == loop.getHeader())
      before.header = &was;
  for (PHINode &phi : loop.getHeader()->phis())
    before.phis.push_back(&phi);
  return before;
}

std::string orthant_check_phases(const OrthantUnsplit &before, Function &F, FunctionAnalysisManager &FAM) {
  std::string broken;
  raw_string_ostream out(broken);
  if (verifyFunction(F, &out))
    return broken;
  Function &kept = *before.kept;
  DominatorTree DT(kept);
  LoopInfo LI(DT);
  AssumptionCache AC(kept);
  TargetLibraryInfo TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  ScalarEvolution SE(kept, TLI, AC, DT, LI);
  const Loop *loop = before.header ? LI.getLoopFor(before.header) : nullptr;
  if (!loop)
    return "there is no loop";
  // What is found on the way makes use of all that is known of how long loops run.
  SE.getBackedgeTakenCount(loop);
  if (!loop->getLoopLatch() || !loop->getLoopPredecessor() || before.period < 2)
    return "the loop has another form";
  Checker checker(before, F, *loop, SE, FAM);
  return checker.check() ? std::string() : checker.why.empty() ? "it is not clear why" : checker.why;
}
