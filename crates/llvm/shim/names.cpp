// What values are called in the source: variables, and members of the structures that they point to.
#include "context.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include <optional>

using namespace llvm;

namespace {

// Something with a name and, if that is known, a type.
struct Named {
  std::string name;
  const DIType *type;
};

// How many members and addresses a name may have: more is nothing that people write.
constexpr unsigned longest = 6;

const DIType *without_names(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    if (tag == dwarf::DW_TAG_pointer_type || tag == dwarf::DW_TAG_reference_type || tag == dwarf::DW_TAG_member)
      return type;
    type = derived->getBaseType();
  }
  return type;
}

// The member at a number of bytes, and the members in it, as `.a.b`.
std::optional<Named> member(const DIType *type, uint64_t offset, unsigned depth) {
  auto *structure = dyn_cast_or_null<DICompositeType>(without_names(type));
  if (!structure || depth > longest)
    return std::nullopt;
  if (structure->getTag() == dwarf::DW_TAG_array_type) {
    const DIType *cell = structure->getBaseType();
    uint64_t size = cell ? cell->getSizeInBits() / 8 : 0;
    if (size == 0)
      return std::nullopt;
    std::string name = "[" + std::to_string(offset / size) + "]";
    if (auto below = member(cell, offset % size, depth + 1))
      return Named{name + below->name, below->type};
    return Named{name, cell};
  }
  for (const DINode *element : structure->getElements()) {
    auto *part = dyn_cast<DIDerivedType>(element);
    bool is_base = part && part->getTag() == dwarf::DW_TAG_inheritance;
    if (!part || (part->getTag() != dwarf::DW_TAG_member && !is_base) || part->isStaticMember())
      continue;
    uint64_t start = part->getOffsetInBits() / 8;
    const DIType *inner = part->getBaseType();
    uint64_t size = (part->getSizeInBits() ? part->getSizeInBits() : inner ? inner->getSizeInBits() : 0) / 8;
    if (offset < start || offset >= start + size)
      continue;
    std::string name = is_base ? "" : ("." + part->getName()).str();
    if (auto below = member(inner, offset - start, depth + 1))
      return Named{name + below->name, below->type};
    if (offset == start && !is_base)
      return Named{name, inner};
  }
  return std::nullopt;
}

// The variable with this value, of the function itself or of one that was inlined. Parameters and whole variables are
// better than others.
std::optional<Named> variable(Value *V, bool is_inlined) {
  SmallVector<DbgVariableRecord *, 4> records;
  findDbgValues(V, records);
  erase_if(records, [&](const DbgVariableRecord *record) {
    return (record->getDebugLoc().getInlinedAt() != nullptr) != is_inlined;
  });
  auto rank = [](const DbgVariableRecord *record) {
    bool is_part = record->getExpression()->getFragmentInfo().has_value();
    return std::pair(is_part, !record->getVariable()->isParameter());
  };
  stable_sort(records, [&](const auto *a, const auto *b) { return rank(a) < rank(b); });
  for (const DbgVariableRecord *record : records) {
    const DILocalVariable *found = record->getVariable();
    auto fragment = record->getExpression()->getFragmentInfo();
    unsigned others = record->getExpression()->getNumElements() - (fragment ? 3 : 0);
    if (record->hasArgList() || others != 0)
      continue;
    if (!fragment)
      return Named{found->getName().str(), found->getType()};
    if (auto part = member(found->getType(), fragment->OffsetInBits / 8, 0))
      return Named{found->getName().str() + part->name, part->type};
  }
  return std::nullopt;
}

std::optional<Named> path(Value *V, unsigned depth);

std::optional<Named> resolve(Value *V, unsigned depth = 0) {
  if (auto own = variable(V, false))
    return own;
  if (auto found = path(V, depth))
    return found;
  return variable(V, true);
}

// A member of what something with a name points to.
std::optional<Named> path(Value *V, unsigned depth) {
  // A load that was moved before a loop, under a condition.
  if (auto *phi = dyn_cast<PHINode>(V); phi && phi->getNumIncomingValues() == 2 && depth < longest)
    for (Value *incoming : phi->incoming_values())
      if (isa<LoadInst>(incoming))
        return resolve(incoming, depth + 1);
  auto *load = dyn_cast<LoadInst>(V);
  if (!load || depth > longest)
    return std::nullopt;
  const DataLayout &layout = load->getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  auto address = resolve(base, depth + 1);
  auto *pointer = address ? dyn_cast_or_null<DIDerivedType>(without_names(address->type)) : nullptr;
  if (!pointer || offset.isNegative())
    return std::nullopt;
  bool is_reference = pointer->getTag() == dwarf::DW_TAG_reference_type;
  if (auto part = member(pointer->getBaseType(), offset.getZExtValue(), 0))
    return Named{address->name + (is_reference ? "." : "->") + part->name.substr(1), part->type};
  if (offset == 0)
    return Named{(is_reference ? "" : "*") + address->name, pointer->getBaseType()};
  return std::nullopt;
}

} // namespace

void orthant_source_name(LLVMValueRef value, OrthantSink sink, void *data) {
  auto found = variable(unwrap(value), false);
  if (!found)
    found = variable(unwrap(value), true);
  if (found && found->name.find('.') == std::string::npos)
    orthant_send(found->name, sink, data);
}

void orthant_source_path(LLVMValueRef value, OrthantSink sink, void *data) {
  if (auto found = resolve(unwrap(value)))
    orthant_send(found->name, sink, data);
}

void orthant_element_name(LLVMValueRef access, OrthantSink sink, void *data) {
  auto *I = cast<Instruction>(unwrap(access));
  Type *type = isa<LoadInst>(I) ? I->getType() : isa<StoreInst>(I) ? I->getOperand(0)->getType() : nullptr;
  if (!type)
    return;
  if (type->isFloatTy() || type->isDoubleTy())
    return orthant_send(type->isFloatTy() ? "float" : "double", sink, data);
  if (type->isPointerTy())
    return orthant_send("pointer", sink, data);
  for (auto [bits, name] : {std::pair(8, "char"), {16, "short"}, {32, "int"}, {64, "long"}})
    if (type->isIntegerTy(bits))
      return orthant_send(name, sink, data);
}
