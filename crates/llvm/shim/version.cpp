// Which LLVM is this, and is it the host's?
//
// The plugin is bound to one libLLVM. A host that brings another one (an older clang, rustc with its own
// copy, a statically linked build) would hand over objects of a different layout: it must be refused.
#include "context.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include <dlfcn.h>
#include <link.h>
#include <string>

using namespace llvm;

namespace {
// dladdr names the file that holds an address. It goes through all symbols of the file on its way, which are many in LLVM's.
std::string file_of(void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

bool holds(const dl_phdr_info &object, const void *address) {
  auto at = reinterpret_cast<ElfW(Addr)>(address);
  return any_of(ArrayRef(object.dlpi_phdr, object.dlpi_phnum), [&](const ElfW(Phdr) & part) {
    ElfW(Addr) start = object.dlpi_addr + part.p_vaddr;
    return part.p_type == PT_LOAD && at >= start && at - start < part.p_memsz;
  });
}

bool is_llvm(StringRef path) {
  StringRef name = path.rsplit('/').second;
  return (name.empty() ? path : name).starts_with("libLLVM");
}

struct Search {
  void *ours; // an address in it
  std::string other = {};
};

int visit_object(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  StringRef path = info->dlpi_name ? info->dlpi_name : "";
  if (is_llvm(path) && !holds(*info, search->ours))
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
  Search search{reinterpret_cast<void *>(&LLVMGetVersion)};
  dl_iterate_phdr(visit_object, &search);
  if (search.other.empty()) {
    // A host with LLVM linked in statically exports the same symbol from its own file.
    void *first = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    if (first && first != search.ours)
      search.other = file_of(first);
  }
  orthant_send(search.other, sink, data);
}
