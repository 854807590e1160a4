// Loads of values that do not change in a loop nest (sizes and addresses in the header of a matrix), moved before it.
//
// A load moves before a loop if its address does not change in the loop and nothing in the loop writes what it reads; and if
// it is executed whenever the loop is entered, or under conditions that do not change in the loop either. In the latter case
// it is executed under the same conditions before the loop, so that no memory is touched that the program does not touch.
// LLVM's own pass does not do the latter, and what it does besides (it keeps cells in registers) is not wanted early.
//
// A load of what another one has loaded before the loop is not moved but replaced by that one, so that one size is one value.
//
// Where LLVM cannot tell whether the loop writes what is read, the load stays, and a copy of it before the loop has the value
// that it always gives if it does not. Metadata connects the two, so that a nest can be lifted under that assumption. The address of
// such a load may be loaded like that itself (`to->matrix->rows`): the copy reads where the first copy says, which is what the
// program reads in the first iteration, because nothing is written before.
#include "context.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// The mark of a load, and on a copy the marks of all loads that it is a copy of.
constexpr const char *load_mark = "orthant.load";
constexpr const char *copy_marks = "orthant.copy";
// The mark of a phi that has the value of a moved load where that is executed; nothing else uses the phi.
constexpr const char *guarded_mark = "orthant.guarded";

// Loads and writes of a loop beyond this are too many to be compared.
constexpr size_t most_pairs = 10000;

// A condition in a loop, and whether it has to hold or not to hold.
using Guards = SmallVector<std::pair<Value *, bool>, 4>;
// What has a load's value before a loop, and when.
struct Copy {
  Instruction *value;
  Guards guards;
};
// Loads that have a copy before a loop, the loop given by its header.
using Copied = MapVector<std::pair<const LoadInst *, const BasicBlock *>, Copy>;

// A load that was moved before a loop: from where it loads, and what has its value there. Both may be moved further.
struct Moved {
  const BasicBlock *header;
  WeakTrackingVH pointer, value;
  Guards guards;
};
// What a function's rounds know of each other.
struct History {
  Copied copied;
  SmallVector<Moved, 8> moved;
};

class Hoister {
  LoopInfo &LI;
  ScalarEvolution &SE;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  AAResults &AA;
  Copied &copied;
  SmallVectorImpl<Moved> &moved;

public:
  Hoister(Function &F, FunctionAnalysisManager &FAM, History &history)
      : LI(FAM.getResult<LoopAnalysis>(F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)), PDT(FAM.getResult<PostDominatorTreeAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)), copied(history.copied), moved(history.moved) {}

  // Moves or copies one load that must be guarded, or all that need not be; true if it did something. A guard changes the
  // control flow, so that everything is asked anew after it.
  bool run() {
    bool changed = false;
    if (orthant_move_arithmetic(LI, SE, DT))
      return true;
    for (Loop *L : LI.getLoopsInPreorder()) {
      for (auto [load, is_unwritten] : candidates(*L)) {
        Guards guards;
        const bool is_safe = is_unwritten && make_invariant(*L, load->getPointerOperand());
        if (!is_safe && !has_known_address(*L, *load))
          continue;
        LoadInst *earlier = available(*L, *load);
        if (earlier && is_safe && is_free(*load)) {
          replace(*load, *earlier);
          changed = true;
          continue;
        }
        if (earlier && !is_safe) {
          add_copy(*L, *load, *earlier, {});
          changed = true;
          continue;
        }
        if (!find_guards(*L, *load, guards))
          continue;
        if (Instruction *known = is_safe ? moved_before(*L, *load, guards) : equal_copy(*L, *load, guards)) {
          is_safe ? replace(*load, *known) : add_copy(*L, *load, *known, guards);
          changed = true;
          continue;
        }
        if (!is_safe && !is_known_before(*L, load->getPointerOperand(), Exactly))
          continue;
        changed = true;
        Instruction *end = L->getLoopPreheader()->getTerminator();
        LoadInst *moving = is_safe ? load : copy(*L, *load, *end);
        Instruction *value = moving;
        if (guards.empty())
          is_safe ? moving->moveBefore(end->getIterator()) : moving->insertBefore(end->getIterator());
        else
          value = put_guarded(*L, *end, *moving, guards);
        if (is_safe)
          moved.push_back({L->getHeader(), moving->getPointerOperand(), value, guards});
        else
          add_copy(*L, *load, *value, guards);
        if (!guards.empty())
          return true;
      }
    }
    return changed;
  }

private:
  // A load of the same place on all ways to the loop, with nothing written since.
  LoadInst *available(Loop &L, LoadInst &load) {
    unsigned left = 100;
    for (BasicBlock *block = L.getLoopPreheader(); block; block = above(block))
      for (Instruction &I : reverse(*block)) {
        auto *earlier = dyn_cast<LoadInst>(&I);
        if (earlier && earlier->isSimple() && earlier->getType() == load.getType() && is_same_place(L, earlier->getPointerOperand(), load))
          return earlier;
        if (I.mayWriteToMemory() || !left--)
          return nullptr;
      }
    return nullptr;
  }

  // The next block on all ways to a block, if nothing is written in between.
  BasicBlock *above(BasicBlock *block) {
    auto *node = DT.getNode(block)->getIDom();
    SmallVector<BasicBlock *, 8> work(predecessors(block));
    SmallPtrSet<BasicBlock *, 16> between;
    while (node && !work.empty()) {
      BasicBlock *next = work.pop_back_val();
      if (next == node->getBlock() || !between.insert(next).second)
        continue;
      if (between.size() > 16 || any_of(*next, [](Instruction &I) { return I.mayWriteToMemory(); }))
        return nullptr;
      append_range(work, predecessors(next));
    }
    return node ? node->getBlock() : nullptr;
  }

  // The copy of another load of the same place that is executed whenever this one would be.
  Instruction *equal_copy(Loop &L, LoadInst &load, const Guards &guards) {
    for (auto &[of, copy] : copied)
      if (of.second == L.getHeader() && of.first->getType() == load.getType() && is_weaker(copy.guards, guards) &&
          is_same_place(L, of.first->getPointerOperand(), load))
        return copy.value;
    return nullptr;
  }

  // What has the value of a load that was moved before the loop, from the same place.
  Instruction *moved_before(Loop &L, LoadInst &load, const Guards &guards) {
    if (!is_free(load))
      return nullptr;
    for (Moved &known : moved) {
      auto *value = dyn_cast_or_null<Instruction>(known.value);
      if (value && known.pointer && known.header == L.getHeader() && value->getType() == load.getType() &&
          is_weaker(known.guards, guards) && is_same_place(L, known.pointer, load) &&
          DT.dominates(value, L.getLoopPreheader()->getTerminator()))
        return value;
    }
    return nullptr;
  }

  // Whether the first conditions are some of the second.
  static bool is_weaker(const Guards &a, const Guards &b) {
    return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

  // Loads that copies are connected with stay.
  static bool is_free(const LoadInst &load) { return !load.hasMetadata(load_mark) && !load.hasMetadata(copy_marks); }

  static void replace(LoadInst &load, Instruction &known) {
    load.replaceAllUsesWith(&known);
    load.eraseFromParent();
  }

  bool is_same_place(Loop &L, const Value *pointer, const LoadInst &load) {
    const DataLayout &layout = load.getDataLayout();
    if (pointer->getType() != load.getPointerOperandType())
      return false;
    APInt from(layout.getIndexTypeSizeInBits(pointer->getType()), 0), to = from;
    const Value *first = pointer->stripAndAccumulateConstantOffsets(layout, from, true);
    const Value *second = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, to, true);
    return copy_or_self(L, first) == copy_or_self(L, second) && from == to;
  }

  // What a load of the loop always gives, if it has a copy, or a phi that only passes it on.
  const Value *copy_or_self(Loop &L, const Value *V) {
    if (auto *phi = dyn_cast<PHINode>(V); phi && L.contains(phi)) {
      const Value *one = passed_on(L, *phi);
      return one ? one : V;
    }
    auto *load = dyn_cast<LoadInst>(V);
    auto known = load ? copied.find({load, L.getHeader()}) : copied.end();
    return known == copied.end() ? V : known->second.value;
  }

  // The one value that a phi has, whichever way control comes: a copy, or what is one. Phis may pass it round among themselves.
  Value *passed_on(Loop &L, const PHINode &phi) {
    Value *one = nullptr;
    SmallSetVector<const PHINode *, 8> phis;
    phis.insert(&phi);
    for (size_t at = 0; at < phis.size(); at++)
      for (Value *V : phis[at]->incoming_values()) {
        auto *more = dyn_cast<PHINode>(V);
        if (more && L.contains(more)) {
          phis.insert(more);
          continue;
        }
        auto *load = dyn_cast<LoadInst>(V);
        auto known = load ? copied.find({load, L.getHeader()}) : copied.end();
        Value *value = known != copied.end() ? known->second.value : V;
        auto *computed = dyn_cast<Instruction>(value);
        if ((computed && L.contains(computed)) || (one && one != value) || phis.size() > 16)
          return nullptr;
        one = value;
      }
    return one;
  }

  void add_copy(Loop &L, LoadInst &load, Instruction &copy, const Guards &guards) {
    mark(load, copy);
    copied[{&load, L.getHeader()}] = {&copy, guards};
  }

  static void mark(LoadInst &load, Instruction &copy) {
    LLVMContext &context = load.getContext();
    if (!load.getMetadata(load_mark))
      load.setMetadata(load_mark, MDNode::getDistinct(context, {}));
    SmallVector<Metadata *, 4> marks = {load.getMetadata(load_mark)};
    if (MDNode *others = copy.getMetadata(copy_marks))
      marks.append(others->op_begin(), others->op_end());
    copy.setMetadata(copy_marks, MDNode::get(context, marks));
  }

  // The load again, for a place before the loop, where its address is computed.
  LoadInst *copy(Loop &L, LoadInst &load, Instruction &end) {
    auto *same = cast<LoadInst>(load.clone());
    same->setName("orthant.copy");
    same->setMetadata(load_mark, nullptr);
    IRBuilder<> builder(&end);
    same->setOperand(0, before(L, load.getPointerOperand(), builder));
    return same;
  }

  // Simple loads of numbers and addresses whose memory the loop does not write: certainly, or perhaps.
  SmallVector<std::pair<LoadInst *, bool>, 8> candidates(Loop &L) {
    SmallVector<LoadInst *, 8> loads;
    SmallVector<std::pair<LoadInst *, bool>, 8> found;
    SmallVector<Instruction *, 8> writes;
    if (!L.getLoopPreheader())
      return found;
    for (BasicBlock *block : L.blocks())
      for (Instruction &I : *block) {
        bool is_call = isa<CallBase>(I) && I.mayWriteToMemory() && !isa<MemIntrinsic>(I);
        if (I.mayThrow() || !isGuaranteedToTransferExecutionToSuccessor(&I) || I.isVolatile() || I.isAtomic() || is_call)
          return found; // what comes after it is perhaps not executed
        if (I.mayWriteToMemory())
          writes.push_back(&I);
        auto *load = dyn_cast<LoadInst>(&I);
        if (load && load->isSimple() && (load->getType()->isIntegerTy() || load->getType()->isPointerTy()))
          loads.push_back(load);
      }
    if (loads.size() * writes.size() > most_pairs)
      return found;
    for (LoadInst *load : loads) {
      MemoryLocation place = MemoryLocation::get(load);
      bool is_safe =
          none_of(writes, [&](Instruction *write) { return isModSet(AA.getModRefInfo(write, place)); });
      if (is_safe || may_be_safe(L, *load, writes))
        found.push_back({load, is_safe});
    }
    return found;
  }

  // Whether the load has no copy yet, and its address is known before the loop, because it does not change or is loaded by a load
  // that has a copy.
  bool has_known_address(Loop &L, LoadInst &load) {
    return !copied.contains({&load, L.getHeader()}) && is_known_before(L, load.getPointerOperand(), ByCopies);
  }

  // Whether the address is known before the loop, and nothing there is written as far as one can see.
  bool may_be_safe(Loop &L, LoadInst &load, ArrayRef<Instruction *> writes) {
    if (!has_known_address(L, load))
      return false;
    const Value *object = getUnderlyingObject(load.getPointerOperand());
    return all_of(writes, [&](Instruction *write) {
      auto *store = dyn_cast<StoreInst>(write);
      auto *range = dyn_cast<MemIntrinsic>(write);
      Value *target = store ? store->getPointerOperand() : range ? range->getDest() : nullptr;
      return target && (getUnderlyingObject(target) != object || may_write_elsewhere(L, *target, load));
    });
  }

  // Whether a write to the same array is to other cells, perhaps, so that a bound that is kept there can be assumed to stay. Where
  // the load is no bound, its cell is one like all others.
  bool may_write_elsewhere(Loop &L, Value &target, LoadInst &load) {
    const SCEV *to = SE.getSCEV(&target);
    return isa<SCEVAddRecExpr>(to) && !SE.isLoopInvariant(to, &L) && is_bound(L, load);
  }

  // Whether the loop, or one inside, ends by a comparison with what is loaded.
  bool is_bound(Loop &L, Instruction &value, unsigned depth = 0) {
    return any_of(value.users(), [&](User *user) {
      auto *I = dyn_cast<Instruction>(user);
      if (!I || !L.contains(I) || depth > 4)
        return false;
      if (isa<ICmpInst>(I))
        return any_of(I->users(), [&](User *branch) { return isa<BranchInst>(branch) && decides_about_loop(*cast<BranchInst>(branch)); });
      return isa<CastInst, BinaryOperator, SelectInst, MinMaxIntrinsic>(I) && I->getType()->isIntegerTy() && is_bound(L, *I, depth + 1);
    });
  }

  // Whether a branch leaves a loop, or leads to one.
  bool decides_about_loop(BranchInst &branch) {
    Loop *around = LI.getLoopFor(branch.getParent());
    return (around && around->isLoopExiting(branch.getParent())) || any_of(branch.successors(), [&](BasicBlock *next) {
      BasicBlock *after = next->getSingleSuccessor();
      return LI.isLoopHeader(next) || (after && LI.isLoopHeader(after));
    });
  }

  // Moves the computation of a value before the loop, if that is possible without touching memory.
  bool make_invariant(Loop &L, Value *V) {
    bool changed = false;
    return L.isLoopInvariant(V) || L.makeLoopInvariant(V, changed, L.getLoopPreheader()->getTerminator());
  }

  // The conditions under which the loop, once entered, executes the load's block in its first iteration.
  bool find_guards(Loop &L, LoadInst &load, Guards &guards) {
    BasicBlock *block = load.getParent();
    auto is_on_the_way = [&](Loop *inner) { return !inner->contains(block) && !DT.dominates(block, inner->getHeader()); };
    // Nothing in the loop is volatile, atomic or a call with effects: if it has to make progress, it ends.
    auto may_not_end = [&](Loop *inner) {
      return isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(inner)) && !isMustProgress(inner);
    };
    if (any_of(L.getLoopsInPreorder(), [&](Loop *inner) { return is_on_the_way(inner) && may_not_end(inner); }))
      return false;
    while (block != L.getHeader()) {
      BasicBlock *from = DT.getNode(block)->getIDom()->getBlock();
      if (!PDT.dominates(block, from) && !add_guard(L, *from, *block, guards))
        return false;
      block = from;
    }
    std::reverse(guards.begin(), guards.end());
    return true;
  }

  bool add_guard(Loop &L, BasicBlock &from, BasicBlock &to, Guards &guards) {
    auto *branch = dyn_cast<BranchInst>(from.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return false;
    for (unsigned side : {0u, 1u}) {
      BasicBlockEdge edge(&from, branch->getSuccessor(side));
      if (DT.dominates(edge, &to) && is_known_before(L, branch->getCondition(), Exactly)) {
        guards.push_back({branch->getCondition(), side == 0});
        return true;
      }
    }
    return false;
  }

  // Whether a value is known before the loop: it does not change, or it depends on loads that have a copy. `Exactly`: it is the
  // value in the first iteration, because those loads are executed before anything is written.
  enum Known { ByCopies, Exactly };
  bool is_known_before(Loop &L, Value *V, Known how, unsigned depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return true;
    if (auto *load = dyn_cast<LoadInst>(I))
      return copied.contains({load, L.getHeader()}) && (how == ByCopies || comes_before_writes(L, *load));
    if (auto *phi = dyn_cast<PHINode>(I))
      return depth < 8 && passed_on(L, *phi) && (how == ByCopies || is_known_at_first(L, *phi, depth));
    return depth < 8 && !I->mayReadFromMemory() && isSafeToSpeculativelyExecute(I) &&
           all_of(I->operands(), [&](Value *operand) { return is_known_before(L, operand, how, depth + 1); });
  }

  // Whether what a phi has when it is first reached is known exactly: at the start of a loop that is what comes from before it.
  bool is_known_at_first(Loop &L, PHINode &phi, unsigned depth) {
    Loop *around = LI.getLoopFor(phi.getParent());
    const bool is_start = around && around->getHeader() == phi.getParent();
    return all_of(phi.blocks(), [&](BasicBlock *from) {
      return (is_start && around->contains(from)) ||
             is_known_before(L, phi.getIncomingValueForBlock(from), Exactly, depth + 1);
    });
  }

  bool comes_before_writes(Loop &L, LoadInst &load) {
    for (BasicBlock *block : L.blocks())
      for (Instruction &I : *block)
        if (I.mayWriteToMemory() && !DT.dominates(&load, &I))
          return false;
    return true;
  }

  // Such a value, computed before the loop.
  Value *before(Loop &L, Value *V, IRBuilder<> &builder) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return V;
    if (auto *load = dyn_cast<LoadInst>(I))
      return copied[{load, L.getHeader()}].value;
    if (auto *phi = dyn_cast<PHINode>(I))
      return passed_on(L, *phi);
    Instruction *copy = I->clone();
    for (Use &operand : copy->operands())
      operand.set(before(L, operand.get(), builder));
    return builder.Insert(copy);
  }

  // Executes the load under conditions; what takes its place is 0 where it is not executed.
  Instruction *put_guarded(Loop &L, Instruction &end, LoadInst &load, const Guards &guards) {
    IRBuilder<> builder(&end);
    Value *all = nullptr;
    for (auto [condition, wanted] : guards) {
      Value *known = before(L, condition, builder);
      Value *holds = wanted ? known : builder.CreateNot(known);
      // The later ones mean nothing where an earlier one does not hold.
      all = all ? builder.CreateLogicalAnd(all, holds) : holds;
    }
    BasicBlock *unguarded = end.getParent();
    Instruction *then = SplitBlockAndInsertIfThen(all, end.getIterator(), false);
    PHINode *value = PHINode::Create(load.getType(), 2, "orthant.hoisted");
    value->insertBefore(end.getParent()->begin());
    load.replaceAllUsesWith(value);
    value->addIncoming(&load, then->getParent());
    value->addIncoming(Constant::getNullValue(load.getType()), unguarded);
    value->setMetadata(guarded_mark, MDNode::get(value->getContext(), {}));
    load.getParent() ? load.moveBefore(then->getIterator()) : load.insertBefore(then->getIterator());
    return value;
  }
};

} // namespace

PreservedAnalyses OrthantHoistPass::run(Function &F, FunctionAnalysisManager &FAM) {
  PreservedAnalyses preserved = PreservedAnalyses::all();
  // Each round moves at least one load out of at least one loop, so that there are few.
  History history;
  for (unsigned rounds = 0; rounds < 64 && Hoister(F, FAM, history).run(); rounds++) {
    preserved = PreservedAnalyses::none();
    FAM.invalidate(F, preserved);
  }
  return preserved;
}

void orthant_same_values(OrthantPass *pass, LLVMValueRef load, OrthantVisitValue visit, void *data) {
  auto *mark = cast<Instruction>(unwrap(load))->getMetadata(load_mark);
  if (!mark)
    return;
  for (Instruction &I : instructions(pass->function))
    if (MDNode *marks = I.getMetadata(copy_marks); marks && is_contained(marks->operands(), mark))
      visit(data, wrap(&I));
}

LLVMValueRef orthant_guarded_load(LLVMValueRef value) {
  auto *phi = dyn_cast<PHINode>(unwrap(value));
  if (!phi || !phi->getMetadata(guarded_mark))
    return nullptr;
  return wrap(dyn_cast<LoadInst>(phi->getIncomingValue(0)));
}

void orthant_forget_same_values(Function &F) {
  for (Instruction &I : instructions(F))
    for (const char *kind : {load_mark, copy_marks, guarded_mark})
      I.setMetadata(kind, nullptr);
}
