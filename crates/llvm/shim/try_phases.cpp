// The split into phases and its checker, each as a pass that `opt` knows by name, for tests of the checker.
//
// `orthant-phases` splits one loop of a function `f` and leaves `f.before`, with an attribute that says which block of it is the loop's header
// and how many phases there are. The header's phis get names by which the checker finds them again. A test changes the text of `f`
// and asks with `orthant-check-phases` whether the two are still proved to do the same: a line for each such pair on standard error.
#include "context.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

constexpr StringRef BEFORE = ".before", SPLIT = "orthant-split";

void name_phis(const OrthantUnsplit &before) {
  for (auto [number, both] : enumerate(zip(before.header->phis(), before.phis))) {
    auto &[was, is] = both;
    std::string name = "header" + std::to_string(number);
    was.setName(name);
    if (Value *value = is)
      value->setName(name);
  }
}

struct SplitPass : PassInfoMixin<SplitPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    OrthantUnsplit before = {};
    if (F.getName().ends_with(BEFORE) || F.hasOptNone() || !orthant_split_phases(F, FAM, before))
      return PreservedAnalyses::all();
    before.kept->setName(F.getName() + BEFORE);
    before.kept->setLinkage(GlobalValue::ExternalLinkage);
    size_t header = std::distance(before.kept->begin(), before.header->getIterator());
    before.kept->addFnAttr(SPLIT, std::to_string(before.period) + " " + std::to_string(header));
    name_phis(before);
    return PreservedAnalyses::none();
  }
};

struct CheckPass : PassInfoMixin<CheckPass> {
  // What the split was made of, as the attribute says; without a header, there is none.
  static OrthantUnsplit before_of(Function &F) {
    OrthantUnsplit before = {F.getParent()->getFunction((F.getName() + BEFORE).str()), nullptr, 0, {}};
    size_t header = 0;
    if (!before.kept)
      return before;
    auto [period, index] = before.kept->getFnAttribute(SPLIT).getValueAsString().split(' ');
    if (period.getAsInteger(10, before.period) || index.getAsInteger(10, header) || header >= before.kept->size())
      return before;
    before.header = &*std::next(before.kept->begin(), header);
    for (PHINode &phi : before.header->phis())
      before.phis.push_back(F.getValueSymbolTable()->lookup(phi.getName()));
    before.kept->removeFnAttr(SPLIT);
    return before;
  }

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    OrthantUnsplit before = before_of(F);
    if (before.header) {
      std::string why = orthant_check_phases(before, F, FAM);
      errs() << "orthant: " << F.getName() << ": " << (why.empty() ? "proved" : "not proved: " + why) << "\n";
    }
    return PreservedAnalyses::all();
  }
};

} // namespace

bool orthant_parse_phases(StringRef name, FunctionPassManager &passes) {
  if (name == "orthant-phases")
    passes.addPass(SplitPass());
  else if (name == "orthant-check-phases")
    passes.addPass(CheckPass());
  else
    return false;
  return true;
}
