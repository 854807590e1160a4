// Questions to ScalarEvolution. src/scev.rs turns the answers into an owned expression tree.
#include "context.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// src/scev.rs numbers the kinds the same way.
static_assert(scConstant == 0 && scVScale == 1 && scTruncate == 2 && scZeroExtend == 3 && scSignExtend == 4);
static_assert(scAddExpr == 5 && scMulExpr == 6 && scUDivExpr == 7 && scAddRecExpr == 8);
static_assert(scUMaxExpr == 9 && scSMaxExpr == 10 && scUMinExpr == 11 && scSMinExpr == 12);
static_assert(scSequentialUMinExpr == 13 && scPtrToInt == 14 && scUnknown == 15 && scCouldNotCompute == 16);
static_assert(SCEV::FlagNW == 1 && SCEV::FlagNUW == 2 && SCEV::FlagNSW == 4);

const SCEV *orthant_scev(OrthantPass *pass, LLVMValueRef value) {
  Value *V = unwrap(value);
  return pass->scev.isSCEVable(V->getType()) ? pass->scev.getSCEV(V) : nullptr;
}

const SCEV *orthant_scev_at(OrthantPass *pass, LLVMValueRef value, const Loop *scope) {
  Value *V = unwrap(value);
  return pass->scev.isSCEVable(V->getType()) ? pass->scev.getSCEVAtScope(V, scope) : nullptr;
}

const SCEV *orthant_scev_replace(OrthantPass *pass, const SCEV *scev, const LLVMValueRef *from, const LLVMValueRef *to,
                                 size_t count) {
  if (isa<SCEVCouldNotCompute>(scev))
    return scev;
  ValueToSCEVMapTy map;
  for (size_t at = 0; at < count; at++)
    map[unwrap(from[at])] = pass->scev.getSCEV(unwrap(to[at]));
  return SCEVParameterRewriter::rewrite(scev, pass->scev, map);
}

const SCEV *orthant_pointer_base(OrthantPass *pass, const SCEV *pointer) { return pass->scev.getPointerBase(pointer); }

const SCEV *orthant_pointer_offset(OrthantPass *pass, const SCEV *pointer) {
  return pass->scev.removePointerBase(pointer);
}

const SCEV *orthant_exit_count(OrthantPass *pass, const Loop *loop, LLVMBasicBlockRef exiting) {
  return pass->scev.getExitCount(loop, unwrap(exiting));
}

unsigned orthant_scev_kind(const SCEV *scev) { return scev->getSCEVType(); }

unsigned orthant_scev_flags(const SCEV *scev) {
  auto *Nary = dyn_cast<SCEVNAryExpr>(scev);
  return Nary ? Nary->getNoWrapFlags() : 0;
}

unsigned orthant_scev_operands(const SCEV *scev) {
  return isa<SCEVCouldNotCompute>(scev) ? 0 : scev->operands().size(); // operands() of it ends the process
}

const SCEV *orthant_scev_operand(const SCEV *scev, unsigned index) { return scev->operands()[index]; }

const Loop *orthant_scev_loop(const SCEV *scev) { return cast<SCEVAddRecExpr>(scev)->getLoop(); }

LLVMValueRef orthant_scev_value(const SCEV *scev) { return wrap(cast<SCEVUnknown>(scev)->getValue()); }

bool orthant_scev_constant(const SCEV *scev, int64_t *value) {
  const APInt &constant = cast<SCEVConstant>(scev)->getAPInt();
  if (!constant.isSignedIntN(64))
    return false;
  *value = constant.getSExtValue();
  return true;
}

unsigned orthant_scev_bits(OrthantPass *pass, const SCEV *scev) {
  return isa<SCEVCouldNotCompute>(scev) ? 0 : pass->scev.getTypeSizeInBits(scev->getType());
}

bool orthant_scev_is_pointer(const SCEV *scev) {
  return !isa<SCEVCouldNotCompute>(scev) && scev->getType()->isPointerTy();
}

bool orthant_scev_range(OrthantPass *pass, const SCEV *scev, OrthantRange *range) {
  if (isa<SCEVCouldNotCompute>(scev) || pass->scev.getTypeSizeInBits(scev->getType()) > 64)
    return false;
  ConstantRange S = pass->scev.getSignedRange(scev), U = pass->scev.getUnsignedRange(scev);
  *range = {S.getSignedMin().getSExtValue(), S.getSignedMax().getSExtValue(), U.getUnsignedMin().getZExtValue(),
            U.getUnsignedMax().getZExtValue()};
  return true;
}

void orthant_scev_print(const SCEV *scev, OrthantSink sink, void *data) {
  std::string text;
  raw_string_ostream OS(text);
  scev->print(OS);
  orthant_send(text, sink, data);
}
