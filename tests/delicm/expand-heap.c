// test: clang -O3 -ffp-contract=off -mllvm -orthant-expand=heap -mllvm -orthant-print-after=schedule %s -o %t.early
// test: run %t.early
// test: clang -O3 -ffp-contract=off -mllvm -orthant-expand=heap -mllvm -orthant-position=late -mllvm -orthant-print-after=schedule %s -o %t.late
// test: run %t.late
// test: llvm clang -O3 -ffp-contract=off %s -o %t.old
// test: run %t.old
// Memory from malloc, also for sizes known at run time; all of it is given back.
static long blocks, most;
#define DONE printf("%s, %ld blocks are left\n", most ? "memory was asked for" : "no memory", blocks)
#include "inputs/symm.h"

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

/* stdio asks for its own before. */
void *malloc(size_t bytes) {
  if (bytes > 4096)
    blocks++, most = bytes;
  return __libc_malloc(bytes);
}

void free(void *block) {
  if (most)
    blocks--;
  __libc_free(block);
}
// CHECK: scratch memory on the heap, 9600 bytes: phi3[400], phi4[400], phi5[400]
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n [[SUM:[0-9a-f]+]]
// CHECK: memory was asked for, 0 blocks are left
// CHECK: scratch memory on the heap, of a size known at run time
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n [[SUM]]
// CHECK: memory was asked for, 0 blocks are left
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n [[SUM]]
// CHECK: no memory, 0 blocks are left
