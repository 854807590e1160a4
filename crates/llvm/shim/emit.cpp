// Changes of the control flow and of SSA form that the C interface of LLVM has no words for.
#include "context.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

using Blocks = SmallPtrSet<BasicBlock *, 32>;

static Blocks blocks(const LLVMBasicBlockRef *region, size_t count) {
  Blocks all;
  for (size_t i = 0; i < count; i++)
    all.insert(unwrap(region[i]));
  return all;
}

LLVMBasicBlockRef orthant_split_entering(OrthantPass *pass, LLVMBasicBlockRef entry, const LLVMBasicBlockRef *region,
                                         size_t count) {
  BasicBlock *block = unwrap(entry);
  Blocks inside = blocks(region, count);
  if (block == &pass->function.getEntryBlock()) { // the region's instructions stay in their block
    BasicBlock *first = BasicBlock::Create(block->getContext(), "orthant.entry", &pass->function, block);
    BranchInst::Create(block, first);
    pass->dominators.setNewRoot(first);
    return wrap(first);
  }
  SmallVector<BasicBlock *, 4> outside;
  for (BasicBlock *predecessor : predecessors(block))
    if (!inside.contains(predecessor) && !is_contained(outside, predecessor))
      outside.push_back(predecessor);
  return wrap(SplitBlockPredecessors(block, outside, ".orthant", &pass->dominators, &pass->loops, nullptr,
                                     /*PreserveLCSSA=*/true));
}

namespace {
// Quotients whose divisor may be zero: to divide where the program does not could divide by zero. Takes them from where the program has
// divided, or divides where it is about to.
class QuotientsAsInProgram : public SCEVRewriteVisitor<QuotientsAsInProgram> {
public:
  QuotientsAsInProgram(OrthantPass &pass, SCEVExpander &expander, Instruction *before)
      : SCEVRewriteVisitor(pass.scev), pass(pass), expander(expander), before(before) {}

  const SCEV *visitUDivExpr(const SCEVUDivExpr *quotient) {
    if (SE.isKnownNonZero(quotient->getRHS()))
      return SCEVRewriteVisitor::visitUDivExpr(quotient);
    if (Instruction *known = computed(quotient))
      return SE.getUnknown(known);
    Value *anew = isNext(quotient) ? divided(quotient) : nullptr;
    return anew ? SE.getUnknown(anew) : SCEVRewriteVisitor::visitUDivExpr(quotient);
  }

private:
  // An exact division is poison where the quotient is not.
  bool is(Instruction &inst, const SCEV *quotient) {
    return inst.getOpcode() == Instruction::UDiv && !inst.isExact() && SE.getSCEV(&inst) == quotient;
  }

  Instruction *computed(const SCEV *quotient) {
    for (Instruction &inst : instructions(pass.function))
      if (is(inst, quotient) && pass.dominators.dominates(&inst, before))
        return &inst;
    return nullptr;
  }

  // Whether the program cannot but divide after `before`.
  bool isNext(const SCEV *quotient) {
    SmallPtrSet<BasicBlock *, 8> seen;
    BasicBlock *block = before->getParent();
    while ((block = block->getSingleSuccessor()) && seen.insert(block).second)
      for (Instruction &inst : *block) {
        if (is(inst, quotient))
          return true;
        if (!isGuaranteedToTransferExecutionToSuccessor(&inst))
          return false;
      }
    return false;
  }

  Value *divided(const SCEVUDivExpr *quotient) {
    const SCEV *dividend = visit(quotient->getLHS()), *divisor = visit(quotient->getRHS());
    if (!expander.isSafeToExpandAt(dividend, before) || !expander.isSafeToExpandAt(divisor, before))
      return nullptr;
    Type *type = quotient->getType();
    Value *operands[] = {expander.expandCodeFor(dividend, type, before), expander.expandCodeFor(divisor, type, before)};
    return BinaryOperator::CreateUDiv(operands[0], operands[1], "orthant.quotient", before->getIterator());
  }

  OrthantPass &pass;
  SCEVExpander &expander;
  Instruction *before;
};
} // namespace

LLVMValueRef orthant_expand(OrthantPass *pass, const SCEV *scev, LLVMBasicBlockRef block) {
  Instruction *before = unwrap(block)->getTerminator();
  SCEVExpander expander(pass->scev, "orthant");
  if (!expander.isSafeToExpandAt(scev, before)) {
    scev = QuotientsAsInProgram(*pass, expander, before).visit(scev);
    if (!expander.isSafeToExpandAt(scev, before))
      return nullptr;
  }
  return wrap(expander.expandCodeFor(scev, scev->getType(), before));
}

LLVMValueRef orthant_masked_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef address, unsigned alignment,
                                 LLVMValueRef mask) {
  Type *of = unwrap(type);
  return wrap(unwrap(builder)->CreateMaskedLoad(of, unwrap(address), Align(alignment), unwrap(mask),
                                                Constant::getNullValue(of)));
}

LLVMValueRef orthant_gather(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef addresses, unsigned alignment,
                            LLVMValueRef mask) {
  Type *of = unwrap(type);
  return wrap(unwrap(builder)->CreateMaskedGather(of, unwrap(addresses), Align(alignment),
                                                  mask ? unwrap(mask) : nullptr, Constant::getNullValue(of)));
}

LLVMValueRef orthant_masked_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef address,
                                  unsigned alignment, LLVMValueRef mask) {
  return wrap(unwrap(builder)->CreateMaskedStore(unwrap(value), unwrap(address), Align(alignment), unwrap(mask)));
}

LLVMValueRef orthant_freeze(LLVMValueRef value, LLVMBasicBlockRef block) {
  Value *V = unwrap(value);
  if (isGuaranteedNotToBeUndefOrPoison(V))
    return value;
  return wrap(new FreezeInst(V, "orthant.known", unwrap(block)->getTerminator()->getIterator()));
}

LLVMBasicBlockRef orthant_split_exiting(LLVMBasicBlockRef exit, const LLVMBasicBlockRef *region, size_t count) {
  BasicBlock *after = unwrap(exit);
  Blocks inside = blocks(region, count);
  SmallVector<BasicBlock *, 4> leaving;
  for (BasicBlock *predecessor : predecessors(after))
    if (inside.contains(predecessor))
      leaving.push_back(predecessor);
  BasicBlock *merge = BasicBlock::Create(after->getContext(), "orthant.merge", after->getParent(), after);
  for (PHINode &phi : after->phis()) {
    PHINode *merged = PHINode::Create(phi.getType(), leaving.size(), "orthant.out", merge);
    for (BasicBlock *from : leaving) { // one entry for each edge, as the verifier wants it
      merged->addIncoming(phi.getIncomingValueForBlock(from), from);
      phi.removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
    }
    phi.addIncoming(merged, merge);
  }
  for (BasicBlock *from : leaving)
    from->getTerminator()->replaceSuccessorWith(after, merge);
  BranchInst::Create(after, merge);
  return wrap(merge);
}

void orthant_copy_blocks(const LLVMBasicBlockRef *region, size_t count, LLVMBasicBlockRef entering,
                         LLVMBasicBlockRef start, LLVMBasicBlockRef exit, LLVMBasicBlockRef end,
                         LLVMBasicBlockRef *copies) {
  ValueToValueMapTy map;
  map[unwrap(entering)] = unwrap(start);
  map[unwrap(exit)] = unwrap(end);
  SmallVector<BasicBlock *, 32> made;
  for (size_t i = 0; i < count; i++) {
    BasicBlock *block = unwrap(region[i]);
    made.push_back(CloneBasicBlock(block, map, ".orthant", block->getParent()));
    map[block] = made.back();
    copies[i] = wrap(made.back());
  }
  remapInstructionsInBlocks(made, map);
  for (BasicBlock *copy : made)
    for (Instruction &inst : *copy)
      for (unsigned kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
        inst.setMetadata(kind, nullptr);
}

LLVMValueRef orthant_escape(LLVMValueRef value, LLVMBasicBlockRef into, const LLVMBasicBlockRef *region, size_t count) {
  auto *inst = cast<Instruction>(unwrap(value));
  BasicBlock *merge = unwrap(into);
  Blocks inside = blocks(region, count);
  PHINode *merged = PHINode::Create(inst->getType(), 2, "orthant.live", merge->begin());
  inst->replaceUsesWithIf(merged, [&](Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    return !inside.contains(user->getParent()) && user->getParent() != merge;
  });
  for (BasicBlock *from : predecessors(merge))
    merged->addIncoming(inst, from);
  return wrap(merged);
}

void orthant_forget_lifetimes(const LLVMBasicBlockRef *region, size_t count) {
  SmallPtrSet<Value *, 8> objects;
  for (BasicBlock *block : blocks(region, count))
    for (Instruction &inst : *block)
      if (auto *mark = dyn_cast<LifetimeIntrinsic>(&inst))
        objects.insert(mark->getArgOperand(0));
  SmallVector<Instruction *, 16> marks;
  for (Value *object : objects)
    for (User *user : object->users())
      if (auto *mark = dyn_cast<LifetimeIntrinsic>(user))
        marks.push_back(mark);
  for (Instruction *mark : marks)
    mark->eraseFromParent();
}

void orthant_delete_blocks(const LLVMBasicBlockRef *dead, size_t count) {
  SmallVector<BasicBlock *, 32> all;
  for (size_t i = 0; i < count; i++)
    all.push_back(unwrap(dead[i]));
  DeleteDeadBlocks(all);
}

void orthant_promote(OrthantPass *pass, const LLVMValueRef *slots, size_t count) {
  DominatorTree dominators(pass->function);
  SmallVector<AllocaInst *, 16> promotable;
  for (size_t i = 0; i < count; i++)
    if (auto *slot = cast<AllocaInst>(unwrap(slots[i])); isAllocaPromotable(slot))
      promotable.push_back(slot);
  PromoteMemToReg(promotable, dominators);
}

void orthant_verify(OrthantPass *pass, OrthantSink sink, void *data) {
  std::string text;
  raw_string_ostream OS(text);
  bool is_broken = verifyFunction(pass->function, &OS);
  for (Function *body : pass->outlined)
    is_broken |= verifyFunction(*body, &OS);
  if (is_broken)
    orthant_send(text.empty() ? "the function is broken" : text, sink, data);
}

void orthant_alias_scopes(OrthantPass *pass, LLVMMetadataRef *scopes, size_t count) {
  MDBuilder builder(pass->function.getContext());
  MDNode *domain = builder.createAnonymousAliasScopeDomain("orthant");
  for (size_t i = 0; i < count; i++)
    scopes[i] = wrap(builder.createAnonymousAliasScope(domain, "array"));
}

LLVMMetadataRef orthant_access_group(OrthantPass *pass) {
  return wrap(MDNode::getDistinct(pass->function.getContext(), {}));
}

static MDNode *node_of(LLVMContext &context, const LLVMMetadataRef *scopes, size_t count) {
  SmallVector<Metadata *, 16> all;
  for (size_t i = 0; i < count; i++)
    all.push_back(unwrap(scopes[i]));
  return MDNode::get(context, all);
}

void orthant_annotate(LLVMValueRef value, LLVMMetadataRef own, const LLVMMetadataRef *others, size_t count,
                      LLVMMetadataRef group) {
  auto *inst = cast<Instruction>(unwrap(value));
  LLVMContext &context = inst->getContext();
  if (own && count) {
    inst->setMetadata(LLVMContext::MD_alias_scope, node_of(context, &own, 1));
    inst->setMetadata(LLVMContext::MD_noalias, node_of(context, others, count));
  }
  if (group)
    inst->setMetadata(LLVMContext::MD_access_group, unwrap<MDNode>(group));
}

static MDNode *fact(LLVMContext &context, StringRef name) {
  return MDNode::get(context, {MDString::get(context, name)});
}

static void say_of_loop(LLVMBasicBlockRef latch, ArrayRef<Metadata *> facts) {
  Instruction *branch = unwrap(latch)->getTerminator();
  SmallVector<Metadata *, 4> all = {nullptr};
  all.append(facts.begin(), facts.end());
  MDNode *loop = MDNode::getDistinct(branch->getContext(), all);
  loop->replaceOperandWith(0, loop); // a loop's identity
  branch->setMetadata(LLVMContext::MD_loop, loop);
}

void orthant_parallel_loop(LLVMBasicBlockRef latch, LLVMMetadataRef group, bool stays_rolled) {
  LLVMContext &context = unwrap(latch)->getContext();
  MDNode *accesses = MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), unwrap(group)});
  SmallVector<Metadata *, 2> facts = {accesses};
  if (stays_rolled)
    facts.push_back(fact(context, "llvm.loop.unroll.disable"));
  say_of_loop(latch, facts);
}

void orthant_rows(LLVMBasicBlockRef latch, unsigned when) {
  LLVMContext &context = unwrap(latch)->getContext();
  if (when == ORTHANT_AT_ONCE)
    return say_of_loop(latch, {fact(context, "llvm.loop.unroll.full"), fact(context, ORTHANT_ROWS_NOW)});
  auto *no = ConstantAsMetadata::get(ConstantInt::getFalse(context));
  MDNode *scalar = MDNode::get(context, {MDString::get(context, "llvm.loop.vectorize.enable"), no});
  SmallVector<Metadata *, 3> facts = {scalar, fact(context, "llvm.loop.unroll.disable")};
  if (when == ORTHANT_BEHIND_VECTORIZERS)
    facts.push_back(fact(context, ORTHANT_ROWS));
  say_of_loop(latch, facts);
}
