// test: clang -O3 -ffp-contract=off -mllvm -orthant-expand=heap -mllvm -orthant-position=late -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 -ffp-contract=off %s -o %t.old
// test: run %t.old
// Without memory the original loops run.
static long refused;
#define DONE printf("refused %ld times\n", refused)
#include "inputs/symm.h"

extern void *__libc_malloc(size_t);

void *malloc(size_t bytes) {
  if (bytes <= 4096)
    return __libc_malloc(bytes);
  refused++;
  return 0;
}
// CHECK: scratch memory on the heap
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n [[SUM:[0-9a-f]+]]
// CHECK: refused 2 times
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n [[SUM]]
// CHECK: refused 0 times
