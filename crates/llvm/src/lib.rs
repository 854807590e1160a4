//! Safe views of LLVM 22 for a function pass; detection of loop nests
