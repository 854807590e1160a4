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
// that it always gives if it does not. Metadata connects the two, so that a nest can be lifted under that assumption.
#include "context.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
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
    for (Loop *L : LI.getLoopsInPreorder()) {
      for (auto [load, is_safe] : candidates(*L)) {
        Guards guards;
        if (!make_invariant(*L, load->getPointerOperand()) || !find_guards(*L, *load, guards))
          continue;
        changed = true;
        if (Value *known = is_safe ? same_value(*L, *load, guards) : nullptr) {
          load->replaceAllUsesWith(known);
          load->eraseFromParent();
          continue;
        }
        if (Instruction *known = is_safe ? nullptr : equal_copy(*L, *load, guards)) {
          mark(*load, *known);
          copied[{load, L->getHeader()}] = {known, guards};
          continue;
        }
        LoadInst *moving = is_safe ? load : copy(*load);
        Instruction *end = L->getLoopPreheader()->getTerminator();
        Instruction *value = moving;
        if (guards.empty())
          is_safe ? moving->moveBefore(end->getIterator()) : moving->insertBefore(end->getIterator());
        else
          value = put_guarded(*L, *end, *moving, guards);
        if (is_safe) {
          moved.push_back({L->getHeader(), moving->getPointerOperand(), value, guards});
        } else {
          mark(*load, *value);
          copied[{load, L->getHeader()}] = {value, guards};
        }
        if (!guards.empty())
          return true;
      }
    }
    return changed;
  }

private:
  // A load of the same place on the straight way to the loop, with nothing written since.
  static LoadInst *available(Loop &L, LoadInst &load) {
    unsigned left = 100;
    for (BasicBlock *block = L.getLoopPreheader(); block; block = block->getSinglePredecessor())
      for (Instruction &I : reverse(*block)) {
        auto *earlier = dyn_cast<LoadInst>(&I);
        if (earlier && earlier->isSimple() && earlier->getType() == load.getType() &&
            is_same_place(earlier->getPointerOperand(), load))
          return earlier;
        if (I.mayWriteToMemory() || !left--)
          return nullptr;
      }
    return nullptr;
  }

  // The copy of another load of the same place that is executed whenever this one would be.
  Instruction *equal_copy(Loop &L, LoadInst &load, const Guards &guards) {
    if (LoadInst *earlier = available(L, load))
      return earlier;
    for (auto &[of, copy] : copied)
      if (of.second == L.getHeader() && of.first->getType() == load.getType() && is_weaker(copy.guards, guards) &&
          is_same_place(of.first->getPointerOperand(), load))
        return copy.value;
    return nullptr;
  }

  // What has the value of a load before the loop already. Loads that copies are connected with stay.
  Value *same_value(Loop &L, LoadInst &load, const Guards &guards) {
    if (load.hasMetadata(load_mark) || load.hasMetadata(copy_marks))
      return nullptr;
    if (LoadInst *earlier = available(L, load))
      return earlier;
    for (Moved &known : moved) {
      auto *value = dyn_cast_or_null<Instruction>(known.value);
      if (value && known.pointer && known.header == L.getHeader() && value->getType() == load.getType() &&
          is_weaker(known.guards, guards) && is_same_place(known.pointer, load) &&
          DT.dominates(value, L.getLoopPreheader()->getTerminator()))
        return value;
    }
    return nullptr;
  }

  // Whether the first conditions are some of the second.
  static bool is_weaker(const Guards &a, const Guards &b) {
    return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

  static bool is_same_place(const Value *pointer, const LoadInst &load) {
    const DataLayout &layout = load.getDataLayout();
    if (pointer->getType() != load.getPointerOperandType())
      return false;
    APInt from(layout.getIndexTypeSizeInBits(pointer->getType()), 0), to = from;
    const Value *first = pointer->stripAndAccumulateConstantOffsets(layout, from, true);
    const Value *second = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, to, true);
    return first == second && from == to;
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

  // The load again, for a place before the loop.
  LoadInst *copy(LoadInst &load) {
    auto *same = cast<LoadInst>(load.clone());
    same->setName("orthant.copy");
    same->setMetadata(load_mark, nullptr);
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

  // Whether the address does not change, and the loop writes other objects only as far as one can see.
  bool may_be_safe(Loop &L, LoadInst &load, ArrayRef<Instruction *> writes) {
    if (copied.contains({&load, L.getHeader()}) || !can_be_invariant(L, load.getPointerOperand()))
      return false;
    const Value *object = getUnderlyingObject(load.getPointerOperand());
    return all_of(writes, [&](Instruction *write) {
      auto *store = dyn_cast<StoreInst>(write);
      auto *range = dyn_cast<MemIntrinsic>(write);
      const Value *target = store ? store->getPointerOperand() : range ? range->getDest() : nullptr;
      return target && getUnderlyingObject(target) != object;
    });
  }

  static bool can_be_invariant(Loop &L, Value *V, unsigned depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return true;
    return depth < 8 && !I->mayReadFromMemory() && !isa<PHINode>(I) && isSafeToSpeculativelyExecute(I) &&
           all_of(I->operands(), [&](Value *operand) { return can_be_invariant(L, operand, depth + 1); });
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
      if (DT.dominates(edge, &to) && is_known_before(L, branch->getCondition())) {
        guards.push_back({branch->getCondition(), side == 0});
        return true;
      }
    }
    return false;
  }

  // Whether a condition's value in the first iteration is known before the loop: it does not change, or it depends on
  // loads that have a copy and are executed before anything is written.
  bool is_known_before(Loop &L, Value *V, unsigned depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return true;
    if (auto *load = dyn_cast<LoadInst>(I))
      return copied.contains({load, L.getHeader()}) && comes_before_writes(L, *load);
    return depth < 8 && !I->mayReadFromMemory() && !isa<PHINode>(I) && isSafeToSpeculativelyExecute(I) &&
           all_of(I->operands(), [&](Value *operand) { return is_known_before(L, operand, depth + 1); });
  }

  bool comes_before_writes(Loop &L, LoadInst &load) {
    for (BasicBlock *block : L.blocks())
      for (Instruction &I : *block)
        if (I.mayWriteToMemory() && !DT.dominates(&load, &I))
          return false;
    return true;
  }

  // Such a condition, computed before the loop.
  Value *before(Loop &L, Value *V, IRBuilder<> &builder) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return V;
    if (auto *load = dyn_cast<LoadInst>(I))
      return copied[{load, L.getHeader()}].value;
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
