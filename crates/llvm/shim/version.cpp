// Which LLVM is this, and is it the host's?
//
// The plugin is bound to one libLLVM. A host that brings another one (an older clang, rustc with its own
// copy, a statically linked build) would hand over objects of a different layout: it must be refused.
#include "context.h"
#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"
#include <dlfcn.h>
#include <link.h>
#include <string>

using namespace llvm;

namespace {
// dladdr names the file that holds an address.
std::string file_of(void *address) {
  Dl_info info;
  return address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

bool is_llvm(StringRef path) {
  StringRef name = path.rsplit('/').second;
  return (name.empty() ? path : name).starts_with("libLLVM");
}

struct Search {
  std::string ours, other;
};

int visit_object(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  StringRef path = info->dlpi_name ? info->dlpi_name : "";
  if (is_llvm(path) && path != search->ours)
    search->other = path.str();
  return 0;
}
} // namespace

void orthant_llvm_versions(OrthantSink built, OrthantSink running, void *built_data, void *running_data) {
  orthant_send(LLVM_VERSION_STRING, built, built_data);
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  orthant_send(std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch), running,
               running_data);
}

void orthant_foreign_llvm(OrthantSink sink, void *data) {
  Search search{file_of(reinterpret_cast<void *>(&LLVMGetVersion)), ""};
  dl_iterate_phdr(visit_object, &search);
  if (search.other.empty()) {
    // A host with LLVM linked in statically exports the same symbol from its own file.
    std::string first = file_of(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
    if (!first.empty() && first != search.ours)
      search.other = first;
  }
  orthant_send(search.other, sink, data);
}
