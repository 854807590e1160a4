// Counting how often the parts of a run-time check hold: counters in the module, and a destructor that prints them. Nothing
// but the C library is needed.
#include "context.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

// The counters of one check: how often it was reached, then how often its first, its first two, ... parts held.
struct Counters {
  Module &M;
  ArrayType *type;
  GlobalVariable *cells;

  Counters(Module &M, size_t parts)
      : M(M), type(ArrayType::get(Type::getInt64Ty(M.getContext()), parts + 1)),
        cells(new GlobalVariable(M, type, false, GlobalValue::InternalLinkage, ConstantAggregateZero::get(type),
                                 "orthant.counts")) {}

  Value *cell(IRBuilder<> &builder, size_t index) { return builder.CreateConstInBoundsGEP2_64(type, cells, 0, index); }

  void add(IRBuilder<> &builder, size_t index, Value *held) {
    builder.CreateAtomicRMW(AtomicRMWInst::Add, cell(builder, index), builder.CreateZExt(held, builder.getInt64Ty()),
                            MaybeAlign(8), AtomicOrdering::Monotonic);
  }

  // Calls a function of printf's kind: the format gets the number of runs, and for each part how often it held; `of` how
  // many times that was asked.
  void print(IRBuilder<> &builder, StringRef name, Value *to, StringRef format, bool with_asked) {
    SmallVector<Value *, 16> arguments = {to, builder.CreateGlobalString(format, "orthant.format")};
    auto count = [&](size_t index) { return builder.CreateLoad(builder.getInt64Ty(), cell(builder, index)); };
    arguments.push_back(count(0));
    for (size_t index = 1; index < type->getNumElements(); index++) {
      arguments.push_back(count(index));
      if (with_asked)
        arguments.push_back(count(index - 1));
    }
    auto *signature = FunctionType::get(builder.getInt32Ty(), {to->getType(), builder.getPtrTy()}, true);
    builder.CreateCall(M.getOrInsertFunction(name, signature), arguments);
  }
};

} // namespace

void orthant_count(OrthantPass *pass, LLVMValueRef before, const LLVMValueRef *held, size_t count, const char *table,
                   size_t table_length, const char *json, size_t json_length) {
  Module &M = *pass->function.getParent();
  Counters counters(M, count);
  IRBuilder<> builder(cast<Instruction>(unwrap(before)));
  counters.add(builder, 0, builder.getTrue());
  for (size_t index = 0; index < count; index++)
    counters.add(builder, index + 1, unwrap(held[index]));

  LLVMContext &context = M.getContext();
  auto *printer = Function::Create(FunctionType::get(Type::getVoidTy(context), false), GlobalValue::InternalLinkage,
                                   "orthant.print_counts", M);
  auto block = [&](const char *name) { return BasicBlock::Create(context, name, printer); };
  BasicBlock *entry = block("entry"), *ran = block("ran"), *file = block("file"), *write = block("write"), *end = block("end");
  builder.SetInsertPoint(entry);
  Value *runs = builder.CreateLoad(builder.getInt64Ty(), counters.cell(builder, 0));
  builder.CreateCondBr(builder.CreateIsNull(runs), end, ran);
  builder.SetInsertPoint(ran);
  Type *pointer = builder.getPtrTy();
  FunctionCallee getenv = M.getOrInsertFunction("getenv", pointer, pointer);
  Value *name = builder.CreateCall(getenv, {builder.CreateGlobalString("ORTHANT_COUNTS", "orthant.variable")});
  counters.print(builder, "dprintf", builder.getInt32(2), StringRef(table, table_length), true);
  builder.CreateCondBr(builder.CreateIsNull(name), end, file);
  builder.SetInsertPoint(file);
  FunctionCallee fopen = M.getOrInsertFunction("fopen", pointer, pointer, pointer);
  Value *stream = builder.CreateCall(fopen, {name, builder.CreateGlobalString("a", "orthant.mode")});
  builder.CreateCondBr(builder.CreateIsNull(stream), end, write);
  builder.SetInsertPoint(write);
  counters.print(builder, "fprintf", stream, StringRef(json, json_length), false);
  builder.CreateCall(M.getOrInsertFunction("fclose", builder.getInt32Ty(), pointer), {stream});
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  appendToGlobalDtors(M, printer, 65535);
}
