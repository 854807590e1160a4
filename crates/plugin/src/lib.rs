//! liborthant.so: the LLVM pass plugin
