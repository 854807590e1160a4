// Sums of rows that are written out, in strict order and in vectors.
//
// Behind rows.cpp an innermost loop along R rows has R sums side by side, each a chain through a phi of the header:
//   for j: q0 += A[0][j] * p[j]; ... q7 += A[7][j] * p[j]
// The terms of one row for L iterations lie behind each other, so they are computed as a vector. The sums of L rows are a vector, too, to which
// the terms of one iteration after the other are added, in order. Between the two stands a transposition in registers, of L vectors
// along the rows (`w0` to `w7`) into L vectors across them (`t0` to `t7`):
//   for j, L at a time: w0 = A[0][j..j+L] * p[j..j+L]; ... w7 = A[7][j..j+L] * p[j..j+L]
//                       t = transposed(w); q = q + t0; q = q + t1; ... q = q + t7
//   for the rest: as before
// LLVM has no such vectors: it gathers columns or adds scalars up. So much is done between one load of a row and the next that the processor
// sees few of them coming, so what is loaded is fetched ahead (`AHEAD`).
//
// Why the bits are the same: each operation has the operands that it had, for each row and iteration, and each sum gets its terms in
// their order. That loads and stores of L iterations come together is right, because
//   - each of them moves by its own size in each iteration: different iterations touch different cells by it, and each of the L cells is
//     touched by the original, too;
//   - a store and any other access either have the same address in each iteration, and stay in their order, or never touch the same
//     memory, whatever the iterations (alias analysis of whole objects, and the scopes that the run-time check stands for).
// A sum that is stored in each iteration where it began (a triangular system: `x[r] -= L[r][j] * x[j]` for j < r) is stored behind the
// vectors, if nobody else touches that cell: what the others read by then ends before it.
// All else (other chains, calls, conditions, values that leave the loop otherwise) leaves the loop as it is.
#include "context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

// Registers have parts of this size, within which most shuffles stay.
constexpr unsigned PART_BITS = 128;

// So many bytes are fetched ahead, of all rows together: products of a matrix of 32 MB and a vector on a Zen 5 take 0.95 ms without and 0.6 ms
// with it; two products at once, in the third cache, 0.60 ms without, 0.71 ms with twice as much. Within the second cache there is no difference.
constexpr uint64_t AHEAD = 12 << 10;

// Farther than this no cells are apart by a constant, and more iterations no loop has that ends before another number.
constexpr uint64_t FAR = uint64_t(1) << 40;

// One sum: `phi = update(phi, operands)` in each iteration.
struct Chain {
  PHINode *phi;
  Instruction *update;
  unsigned place;              // of the phi among the update's operands
  StoreInst *store = nullptr; // of each update, to one cell

  // Of what is added the operands, without the phi and without whom a call calls.
  SmallVector<unsigned, 2> others() const {
    SmallVector<unsigned, 2> all;
    unsigned count = isa<CallInst>(update) ? cast<CallInst>(update)->arg_size() : update->getNumOperands();
    for (unsigned at = 0; at < count; ++at)
      if (at != place)
        all.push_back(at);
    return all;
  }

  bool is_like(const Chain &other) const {
    auto callee = [](const Instruction *inst) {
      auto *call = dyn_cast<IntrinsicInst>(inst);
      return call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
    };
    return place == other.place && update->getOpcode() == other.update->getOpcode() && update->getType() == other.update->getType() &&
           callee(update) == callee(other.update) && update->getRawSubclassOptionalData() == other.update->getRawSubclassOptionalData();
  }
};

// As many chains as a vector has lanes.
using Group = SmallVector<Chain, 8>;

bool is_float(const Type *type) { return type->isFloatTy() || type->isDoubleTy(); }

// Operations on numbers that are done for each lane as they are for one.
bool can_be_widened(const Instruction &inst) {
  if (auto *call = dyn_cast<IntrinsicInst>(&inst)) {
    constexpr Intrinsic::ID known[] = {Intrinsic::fma,    Intrinsic::fmuladd, Intrinsic::fabs,  Intrinsic::sqrt, Intrinsic::copysign,
                                       Intrinsic::minnum, Intrinsic::maxnum,  Intrinsic::floor, Intrinsic::ceil, Intrinsic::trunc};
    return is_contained(known, call->getIntrinsicID()) && is_float(call->getType());
  }
  if (isa<FCmpInst>(inst))
    return is_float(inst.getOperand(0)->getType());
  if (isa<BinaryOperator, UnaryOperator, SelectInst>(inst))
    return is_float(inst.getType());
  return isa<FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst>(inst) && is_float(inst.getType());
}

// A loop whose sums are to become vectors.
class Summer {
  Loop &loop;
  ScalarEvolution &SE;
  AAResults &alias;
  const TargetTransformInfo &target;
  const DataLayout &layout;
  SmallVector<BasicBlock *, 4> blocks; // in their order
  SmallVector<Group, 4> groups;
  SmallVector<PHINode *, 2> counters; // what moves by a constant in each iteration
  unsigned lanes = 0;
  const SCEV *last = nullptr; // the number of the last iteration
  bool has_stores = false;
  SmallPtrSet<const SCEV *, 32> streams; // what is loaded, by where it begins

  // Of the vector loop
  IRBuilder<> builder;
  BasicBlock *ready = nullptr;
  DenseMap<Value *, Value *> wide;   // vectors along the rows
  DenseMap<Value *, Value *> narrow; // addresses of the first of L iterations
  DenseMap<std::pair<Value *, unsigned>, Value *> spread;
  DenseMap<std::pair<const SCEV *, Type *>, Value *> loaded;

  bool is_inside(const Value *value) const {
    auto *inst = dyn_cast<Instruction>(value);
    return inst && loop.contains(inst);
  }

  // One block after the other, left at the end of the last one.
  bool find_blocks() {
    BasicBlock *at = loop.getHeader();
    while (blocks.size() < loop.getNumBlocks()) {
      blocks.push_back(at);
      if (at == loop.getLoopLatch())
        break;
      at = at->getSingleSuccessor();
      if (!at || !loop.contains(at))
        return false;
    }
    return blocks.size() == loop.getNumBlocks() && loop.getExitingBlock() == loop.getLoopLatch() && loop.getExitBlock() &&
           isa<BranchInst>(loop.getLoopLatch()->getTerminator());
  }

  std::optional<Chain> chain_of(PHINode &phi) const {
    auto *update = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!update || !loop.contains(update) || !is_float(phi.getType()) || !phi.hasOneUse() || *phi.user_begin() != update)
      return std::nullopt;
    Chain chain{&phi, update, phi.use_begin()->getOperandNo()};
    unsigned uses = 0;
    for (User *user : update->users()) {
      auto *store = dyn_cast<StoreInst>(user);
      if (store && is_inside(store) && store->isSimple() && loop.isLoopInvariant(store->getPointerOperand()))
        chain.store = store;
      else if (!is_inside(user) || user == &phi)
        continue;
      ++uses;
    }
    bool is_sum = update->getOpcode() == Instruction::FAdd || (update->getOpcode() == Instruction::FSub && chain.place == 0);
    if (auto *call = dyn_cast<IntrinsicInst>(update))
      is_sum = chain.place == 2 && (call->getIntrinsicID() == Intrinsic::fmuladd || call->getIntrinsicID() == Intrinsic::fma);
    return is_sum && uses == (chain.store ? 1 : 0) ? std::optional(chain) : std::nullopt;
  }

  // The chains of like sums in groups of as many as a register holds; nothing but they and counters goes from one iteration to the next.
  bool find_groups() {
    SmallVector<Group, 4> kinds;
    for (PHINode &phi : loop.getHeader()->phis()) {
      if (is_counter(phi)) {
        counters.push_back(&phi);
        continue;
      }
      auto chain = chain_of(phi);
      if (!chain)
        return false;
      auto same = find_if(kinds, [&](const Group &kind) { return kind.front().is_like(*chain); });
      if (same == kinds.end())
        same = kinds.insert(kinds.end(), Group());
      same->push_back(*chain);
    }
    if (kinds.empty() || !choose_lanes(kinds))
      return false;
    for (const Group &kind : kinds)
      for (size_t at = 0; at < kind.size(); at += lanes)
        groups.emplace_back(kind.begin() + at, kind.begin() + at + lanes);
    return true;
  }

  bool is_counter(PHINode &phi) const {
    auto *moves = SE.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&phi)) : nullptr;
    return moves && moves->getLoop() == &loop && moves->isAffine() && isa<SCEVConstant>(moves->getStepRecurrence(SE)) &&
           phi.getType()->isIntegerTy();
  }

  // As many as divide all kinds, at most what a register holds. Registers of two would gain nothing.
  bool choose_lanes(ArrayRef<Group> kinds) {
    unsigned bits = 0;
    for (const Group &kind : kinds) {
      unsigned own = kind.front().phi->getType()->getScalarSizeInBits();
      if (bits && own != bits)
        return false;
      bits = own;
    }
    uint64_t room = target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    for (lanes = room / bits; lanes > 2; lanes /= 2)
      if (lanes * bits >= PART_BITS && all_of(kinds, [&](const Group &kind) { return kind.size() % lanes == 0; }))
        return true;
    return false;
  }

  bool is_update(const Instruction *inst) const {
    return any_of(groups, [&](const Group &group) {
      return any_of(group, [&](const Chain &chain) { return chain.update == inst; });
    });
  }

  bool is_sums_store(const Instruction *inst) const {
    return any_of(groups, [&](const Group &group) {
      return any_of(group, [&](const Chain &chain) { return chain.store == inst; });
    });
  }

  // An access that is neither volatile nor atomic, to the cell behind that of the iteration before.
  bool moves_on(Instruction &access) const {
    bool is_simple = isa<LoadInst>(access) ? cast<LoadInst>(access).isSimple() : cast<StoreInst>(access).isSimple();
    Type *type = getLoadStoreType(&access);
    if (!is_simple || !(is_float(type) || isa<IntegerType>(type)) || layout.getTypeSizeInBits(type) != 8 * layout.getTypeStoreSize(type) ||
        layout.getTypeStoreSize(type) != layout.getTypeAllocSize(type))
      return false;
    auto *moves = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(getLoadStorePointerOperand(&access)));
    if (!moves || moves->getLoop() != &loop || !moves->isAffine())
      return false;
    auto *step = dyn_cast<SCEVConstant>(moves->getStepRecurrence(SE));
    return step && step->getAPInt() == layout.getTypeStoreSize(type).getFixedValue() && can_be_copied(getLoadStorePointerOperand(&access));
  }

  // Arithmetic of addresses, down to the counters.
  bool can_be_copied(Value *value, unsigned depth = 8) const {
    auto *inst = dyn_cast<Instruction>(value);
    if (!inst || !loop.contains(inst))
      return true;
    if (auto *phi = dyn_cast<PHINode>(inst))
      return is_contained(counters, phi);
    return depth > 0 && (isa<GetElementPtrInst, CastInst>(inst) || (isa<BinaryOperator>(inst) && !inst->isIntDivRem())) &&
           all_of(inst->operands(), [&](Value *operand) { return can_be_copied(operand, depth - 1); });
  }

  static const Value *address(const Instruction &access) { return getLoadStorePointerOperand(&access); }

  const SCEV *moving_address(const Instruction &access) const { return SE.getSCEV(const_cast<Value *>(address(access))); }

  // Whether they never touch the same memory, whatever the iterations.
  bool are_apart(const Instruction &store, const Instruction &other) const {
    auto whole = [](const Instruction &inst) { return MemoryLocation::getBeforeOrAfter(address(inst), inst.getAAMetadata()); };
    return alias.isNoAlias(whole(store), whole(other));
  }

  // Whether they have the same cell in each iteration.
  bool are_same(const Instruction &one, const Instruction &other) const {
    return moving_address(one) == moving_address(other) &&
           getLoadStoreType(const_cast<Instruction *>(&one)) == getLoadStoreType(const_cast<Instruction *>(&other));
  }

  // Whether the one cell of a store lies behind all cells of the other access, by a distance that is known. Cells from the first to the last
  // iteration's follow each other in memory without a gap, so they do not go round its end.
  bool is_behind(const StoreInst &store, const Instruction &other) const {
    auto *moves = dyn_cast<SCEVAddRecExpr>(moving_address(other));
    if (!moves || moves->getLoop() != &loop)
      return is_behind(store, other, moving_address(other));
    Type *type = SE.getEffectiveSCEVType(moves->getType());
    auto is_behind_that_of = [&](const SCEV *iteration) {
      return SE.getTypeSizeInBits(iteration->getType()) <= SE.getTypeSizeInBits(type) &&
             is_behind(store, other, moves->evaluateAtIteration(SE.getNoopOrZeroExtend(iteration, type), SE));
    };
    if (is_behind_that_of(last))
      return true;
    // The last iteration comes before any of these, if there are so many.
    auto *least = dyn_cast<SCEVSMinExpr>(last);
    return least && any_of(least->operands(), [&](const SCEV *each) {
      return SE.getSignedRangeMax(each).ult(FAR) && is_behind_that_of(each);
    });
  }

  bool is_behind(const StoreInst &store, const Instruction &other, const SCEV *end) const {
    auto *distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(moving_address(store), end));
    uint64_t size = layout.getTypeStoreSize(getLoadStoreType(const_cast<Instruction *>(&other))).getFixedValue();
    return distance && distance->getAPInt().uge(size) && distance->getAPInt().ult(FAR);
  }

  // Cells of sums' stores: nobody else's.
  bool has_own_cell(StoreInst &store, ArrayRef<Instruction *> accesses) const {
    return all_of(accesses, [&](Instruction *other) {
      auto *sum = is_sums_store(other) ? cast<StoreInst>(other) : nullptr;
      return other == &store || are_apart(store, *other) || is_behind(store, *other) || (sum && is_behind(*sum, store));
    });
  }

  // Whether everything in the loop has a form that is known here.
  bool is_understood() {
    SmallPtrSet<const Value *, 32> vectors;
    SmallVector<Instruction *, 16> accesses, stores;
    auto is_data = [&](const Value *value) { return !is_inside(value) || vectors.contains(value); };
    for (BasicBlock *block : blocks)
      for (Instruction &inst : make_range(block->getFirstNonPHIIt(), block->getTerminator()->getIterator())) {
        if (is_sums_store(&inst)) {
          accesses.push_back(&inst);
        } else if (isa<LoadInst, StoreInst>(inst)) {
          if (!moves_on(inst) || (isa<StoreInst>(inst) && !is_data(inst.getOperand(0))))
            return false;
          accesses.push_back(&inst);
          if (isa<StoreInst>(inst)) {
            stores.push_back(&inst);
          } else {
            vectors.insert(&inst);
            streams.insert(moving_address(inst));
          }
        } else if (is_update(&inst)) {
          // Its operands are looked at below: all of them are known then.
        } else if (can_be_widened(inst)) {
          if (!all_of(inst.operand_values(), [&](const Value *value) { return isa<Function>(value) || is_data(value); }))
            return false;
          vectors.insert(&inst);
        } else if (inst.mayHaveSideEffects() || inst.mayReadFromMemory()) {
          return false;
        }
      }
    for (const Group &group : groups)
      for (const Chain &chain : group)
        for (unsigned at : chain.others())
          if (!is_data(chain.update->getOperand(at)))
            return false;
    has_stores = !stores.empty();
    for (Instruction *store : stores)
      for (Instruction *other : accesses)
        if (store != other && !is_sums_store(other) && !are_same(*store, *other) && !are_apart(*store, *other))
          return false;
    for (const Group &group : groups)
      for (const Chain &chain : group)
        if (chain.store && !has_own_cell(*chain.store, accesses))
          return false;
    return all_of(loop.getExitBlock()->phis(), [&](const PHINode &phi) {
      auto *left = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
      return !left || !loop.contains(left) || is_update(left);
    });
  }

  // The number of the last iteration is known.
  bool is_counted() {
    last = SE.getBackedgeTakenCount(&loop);
    return !isa<SCEVCouldNotCompute>(last) && last->getType()->isIntegerTy() && SE.getTypeSizeInBits(last->getType()) <= 64;
  }

  Value *vector_of(Value *value) {
    if (Value *known = wide.lookup(value))
      return known;
    // It does not change in the loop.
    return wide[value] = IRBuilder<>(ready->getTerminator()).CreateVectorSplat(lanes, value);
  }

  // What the address of the first of L iterations is made from.
  Value *copy_of(Value *value) {
    auto *inst = dyn_cast<Instruction>(value);
    if (!inst || !loop.contains(inst))
      return value;
    if (Value *known = narrow.lookup(value))
      return known;
    Instruction *copy = inst->clone();
    for (Use &use : copy->operands())
      use.set(copy_of(use));
    builder.Insert(copy);
    return narrow[value] = copy;
  }

  // To read it, and to keep it in all caches. Nothing happens where there is no memory.
  void fetch_ahead(Value *address) {
    Value *ahead = builder.CreatePtrAdd(address, builder.getInt64(AHEAD / streams.size()));
    builder.CreateIntrinsic(Intrinsic::prefetch, {ahead->getType()},
                            {ahead, builder.getInt32(/*read*/ 0), builder.getInt32(/*locality*/ 3), builder.getInt32(/*data*/ 1)});
  }

  void widen(Instruction &inst) {
    Type *type = VectorType::get(inst.getType()->isVoidTy() ? inst.getOperand(0)->getType() : inst.getType(), lanes, false);
    builder.SetCurrentDebugLocation(inst.getDebugLoc());
    if (auto *load = dyn_cast<LoadInst>(&inst)) {
      // Between the sums' stores LLVM loads again.
      Value *&known = loaded[{moving_address(*load), type}];
      if (known && !has_stores) {
        wide[load] = known;
        return;
      }
      Value *address = copy_of(load->getPointerOperand());
      LoadInst *vector = builder.CreateAlignedLoad(type, address, load->getAlign());
      fetch_ahead(address);
      vector->setAAMetadata(load->getAAMetadata());
      wide[load] = known = vector;
    } else if (auto *store = dyn_cast<StoreInst>(&inst)) {
      Value *value = vector_of(store->getValueOperand());
      StoreInst *vector = builder.CreateAlignedStore(value, copy_of(store->getPointerOperand()), store->getAlign());
      vector->setAAMetadata(store->getAAMetadata());
    } else if (auto *call = dyn_cast<IntrinsicInst>(&inst)) {
      SmallVector<Value *, 3> operands;
      for (Value *operand : call->args())
        operands.push_back(vector_of(operand));
      CallInst *vector = builder.CreateIntrinsic(type, call->getIntrinsicID(), operands);
      vector->copyIRFlags(call);
      wide[call] = vector;
    } else {
      SmallVector<Value *, 3> operands;
      for (Value *operand : inst.operand_values())
        operands.push_back(vector_of(operand));
      wide[&inst] = widened(inst, operands, type);
    }
  }

  Value *widened(Instruction &inst, ArrayRef<Value *> operands, Type *type) {
    Value *result;
    if (auto *compare = dyn_cast<FCmpInst>(&inst))
      result = builder.CreateFCmp(compare->getPredicate(), operands[0], operands[1]);
    else if (isa<SelectInst>(inst))
      result = builder.CreateSelect(operands[0], operands[1], operands[2]);
    else if (isa<UnaryOperator>(inst))
      result = builder.CreateUnOp(cast<UnaryOperator>(inst).getOpcode(), operands[0]);
    else if (auto *conversion = dyn_cast<CastInst>(&inst))
      result = builder.CreateCast(conversion->getOpcode(), operands[0], type);
    else
      result = builder.CreateBinOp(cast<BinaryOperator>(inst).getOpcode(), operands[0], operands[1]);
    if (auto *made = dyn_cast<Instruction>(result))
      made->copyIRFlags(&inst);
    return result;
  }

  // A network of shuffles: in each stage the units with even numbers of two neighbours become one vector and those with odd numbers another,
  // in each segment by itself. After log2(n) stages vector i has the units i of all n.
  void deal(MutableArrayRef<Value *> vectors, unsigned segment, unsigned unit) {
    auto mask = [&](unsigned odd) {
      SmallVector<int, 16> all;
      for (unsigned start = 0; start < lanes; start += segment)
        for (unsigned of = 0; of < 2; ++of)
          for (unsigned at = odd * unit; at < segment; at += 2 * unit)
            for (unsigned lane = 0; lane < unit; ++lane)
              all.push_back(int(of * lanes + start + at + lane));
      return all;
    };
    SmallVector<int, 16> even = mask(0), odd = mask(1);
    for (size_t stages = vectors.size(); stages > 1; stages /= 2) {
      SmallVector<Value *, 16> next(vectors.size());
      for (size_t at = 0; at < vectors.size() / 2; ++at) {
        next[at] = builder.CreateShuffleVector(vectors[2 * at], vectors[2 * at + 1], even);
        next[at + vectors.size() / 2] = builder.CreateShuffleVector(vectors[2 * at], vectors[2 * at + 1], odd);
      }
      copy(next, vectors.begin());
    }
  }

  // Vector c has lane c of all vectors: first within the parts of registers, then the parts.
  SmallVector<Value *, 16> transposed(ArrayRef<Value *> rows) {
    unsigned unit = PART_BITS / rows.front()->getType()->getScalarSizeInBits(), parts = lanes / unit;
    SmallVector<Value *, 16> vectors(rows), columns(lanes);
    for (unsigned part = 0; part < parts; ++part)
      deal(MutableArrayRef(vectors).slice(part * unit, unit), unit, 1);
    for (unsigned lane = 0; lane < unit; ++lane) {
      SmallVector<Value *, 8> across;
      for (unsigned part = 0; part < parts; ++part)
        across.push_back(vectors[part * unit + lane]);
      deal(across, lanes, unit);
      for (unsigned part = 0; part < parts; ++part)
        columns[part * unit + lane] = across[part];
    }
    return columns;
  }

  // What all rows have in common, in one of L iterations.
  Value *spread_over_rows(Value *value, unsigned iteration) {
    if (!is_inside(value))
      return vector_of(value);
    Value *&known = spread[{value, iteration}];
    if (known)
      return known;
    if (auto *load = dyn_cast<LoadInst>(value); load && !has_stores) {
      // Processors spread what they load; nothing has stored there since.
      Value *address = builder.CreateConstGEP1_64(load->getType(), copy_of(load->getPointerOperand()), iteration);
      LoadInst *one = builder.CreateAlignedLoad(load->getType(), address, load->getAlign());
      one->setAAMetadata(load->getAAMetadata());
      return known = builder.CreateVectorSplat(lanes, one);
    }
    SmallVector<int, 16> mask(lanes, int(iteration));
    return known = builder.CreateShuffleVector(vector_of(value), mask);
  }

  // One operand of the sums, for each of L iterations across the rows.
  SmallVector<Value *, 16> across(const Group &group, unsigned operand) {
    Value *first = group.front().update->getOperand(operand);
    bool is_common = all_of(group, [&](const Chain &chain) { return vector_of(chain.update->getOperand(operand)) == vector_of(first); });
    SmallVector<Value *, 16> all;
    if (is_common) {
      for (unsigned iteration = 0; iteration < lanes; ++iteration)
        all.push_back(spread_over_rows(first, iteration));
      return all;
    }
    for (const Chain &chain : group)
      all.push_back(vector_of(chain.update->getOperand(operand)));
    return transposed(all);
  }

  // The sum after L iterations.
  Value *add(const Group &group, Value *sum) {
    const Chain &first = group.front();
    builder.SetCurrentDebugLocation(first.update->getDebugLoc());
    DenseMap<unsigned, SmallVector<Value *, 16>> operands;
    for (unsigned at : first.others())
      operands[at] = across(group, at);
    for (unsigned iteration = 0; iteration < lanes; ++iteration) {
      auto operand = [&](unsigned at) { return at == first.place ? sum : operands[at][iteration]; };
      Value *next;
      if (auto *call = dyn_cast<IntrinsicInst>(first.update))
        next = builder.CreateIntrinsic(sum->getType(), call->getIntrinsicID(), {operand(0), operand(1), operand(2)});
      else
        next = builder.CreateBinOp(cast<BinaryOperator>(first.update)->getOpcode(), operand(0), operand(1));
      if (auto *made = dyn_cast<Instruction>(next))
        made->copyIRFlags(first.update);
      sum = next;
    }
    return sum;
  }

  // What the sums of a group are before the loop.
  Value *first_sum(const Group &group, BasicBlock *before) {
    IRBuilder<> starts(ready->getTerminator());
    Value *vector = PoisonValue::get(VectorType::get(group.front().phi->getType(), lanes, false));
    for (unsigned lane = 0; lane < lanes; ++lane)
      vector = starts.CreateInsertElement(vector, group[lane].phi->getIncomingValueForBlock(before), uint64_t(lane));
    return vector;
  }

public:
  Summer(Loop &loop, ScalarEvolution &SE, AAResults &alias, const TargetTransformInfo &target)
      : loop(loop), SE(SE), alias(alias), target(target), layout(loop.getHeader()->getDataLayout()),
        builder(loop.getHeader()->getContext()) {}

  bool has_form() {
    return loop.isInnermost() && loop.isLoopSimplifyForm() && find_blocks() && is_counted() && find_groups() && is_understood();
  }

  // before:  are there L iterations?  -> ready, or the loop as it was
  // ready:   -> head
  // head:    L iterations of all rows -> head or done
  // done:    are there more?          -> the loop as it was, from there, or the exit
  // The vector loop's header; nothing if the number of iterations cannot be computed before the loop.
  BasicBlock *write() {
    BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader(), *exit = loop.getExitBlock();
    SCEVExpander expander(SE, "orthant.sums");
    if (!expander.isSafeToExpandAt(last, before->getTerminator()))
      return nullptr;
    auto block = [&](const char *name) { return BasicBlock::Create(header->getContext(), name, header->getParent(), header); };
    ready = block("orthant.sums.ready");
    BasicBlock *head = block("orthant.sums"), *done = block("orthant.sums.done");
    BranchInst::Create(head, ready);
    builder.SetCurrentDebugLocation(loop.getLoopLatch()->getTerminator()->getDebugLoc());

    // The last iteration's number and not how many there are: that may be too large for its type.
    Value *end = expander.expandCodeFor(last, last->getType(), before->getTerminator()->getIterator());
    Constant *length = ConstantInt::get(end->getType(), lanes), *one = ConstantInt::get(end->getType(), 1);
    builder.SetInsertPoint(before->getTerminator());
    Value *is_even = builder.CreateICmpEQ(builder.CreateURem(end, length), builder.CreateSub(length, one));
    Value *turns = builder.CreateAdd(builder.CreateUDiv(end, length), builder.CreateZExt(is_even, end->getType()));
    builder.CreateCondBr(builder.CreateICmpEQ(turns, ConstantInt::get(end->getType(), 0)), header, ready);
    before->getTerminator()->eraseFromParent();

    builder.SetInsertPoint(head);
    PHINode *turn = builder.CreatePHI(end->getType(), 2, "orthant.turn");
    turn->addIncoming(ConstantInt::get(end->getType(), 0), ready);
    for (PHINode *counter : counters) {
      PHINode *own = builder.CreatePHI(counter->getType(), 2);
      own->addIncoming(counter->getIncomingValueForBlock(before), ready);
      narrow[counter] = own;
    }
    SmallVector<PHINode *, 4> sums;
    for (const Group &group : groups) {
      Value *first = first_sum(group, before);
      sums.push_back(builder.CreatePHI(first->getType(), 2, "orthant.sum"));
      sums.back()->addIncoming(first, ready);
    }
    write_iterations();
    for (auto [group, sum] : zip(groups, sums))
      sum->addIncoming(add(group, sum), head);
    SmallVector<Value *, 2> moved;
    for (PHINode *counter : counters) {
      const APInt &step = cast<SCEVConstant>(cast<SCEVAddRecExpr>(SE.getSCEV(counter))->getStepRecurrence(SE))->getAPInt();
      moved.push_back(builder.CreateAdd(narrow[counter], ConstantInt::get(counter->getType(), step * lanes)));
      cast<PHINode>(narrow[counter])->addIncoming(moved.back(), head);
    }
    Value *next = builder.CreateNUWAdd(turn, one);
    turn->addIncoming(next, head);
    keep_rolled(builder.CreateCondBr(builder.CreateICmpULT(next, turns), head, done));

    builder.SetInsertPoint(done);
    DenseMap<const Value *, Value *> left;
    for (auto [group, sum] : zip(groups, sums))
      for (auto [lane, chain] : enumerate(group)) {
        Value *own = left[chain.update] = builder.CreateExtractElement(sum->getIncomingValueForBlock(head), uint64_t(lane));
        chain.phi->addIncoming(own, done);
        if (chain.store)
          builder.Insert(store_of(chain, own));
      }
    for (auto [counter, value] : zip(counters, moved))
      counter->addIncoming(value, done);
    for (PHINode &phi : exit->phis()) {
      Value *value = phi.getIncomingValueForBlock(loop.getLoopLatch());
      Value *known = left.lookup(value);
      phi.addIncoming(known ? known : value, done);
    }
    builder.CreateCondBr(is_even, exit, header);
    return head;
  }

private:
  static StoreInst *store_of(const Chain &chain, Value *sum) {
    auto *store = cast<StoreInst>(chain.store->clone());
    store->setOperand(0, sum);
    return store;
  }

  // Vectors along the rows.
  void write_iterations() {
    for (BasicBlock *block : blocks)
      for (Instruction &inst : make_range(block->getFirstNonPHIIt(), block->getTerminator()->getIterator()))
        if (!is_update(&inst) && !is_sums_store(&inst) && (isa<LoadInst, StoreInst>(inst) || can_be_widened(inst)))
          widen(inst);
  }

  static void keep_rolled(BranchInst *latch) {
    LLVMContext &context = latch->getContext();
    auto mark = [&](const char *name) { return MDNode::get(context, MDString::get(context, name)); };
    MDNode *id = MDNode::getDistinct(context, {nullptr, mark("llvm.loop.unroll.disable")});
    id->replaceOperandWith(0, id);
    latch->setMetadata(LLVMContext::MD_loop, id);
  }
};

} // namespace

BasicBlock *orthant_sum_in_vectors(BasicBlock &header, Function &F, FunctionAnalysisManager &FAM) {
  auto &loops = FAM.getResult<LoopAnalysis>(F);
  auto &scev = FAM.getResult<ScalarEvolutionAnalysis>(F);
  Loop *loop = loops.getLoopFor(&header);
  if (!loop || loop->getHeader() != &header || !loop->isInnermost())
    return nullptr;
  formLCSSA(*loop, FAM.getResult<DominatorTreeAnalysis>(F), &loops, &scev);
  Summer summer(*loop, scev, FAM.getResult<AAManager>(F), FAM.getResult<TargetIRAnalysis>(F));
  BasicBlock *head = summer.has_form() ? summer.write() : nullptr;
  if (head)
    FAM.invalidate(F, PreservedAnalyses::none());
  return head;
}
