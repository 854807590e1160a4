// test: clang -O3 -ffp-contract=off -mllvm -orthant-print-after=schedule %s -o %t.early
// test: run %t.early
// test: clang -O3 -ffp-contract=off -mllvm -orthant-position=late -mllvm -orthant-print-after=schedule %s -o %t.late
// test: run %t.late
// test: llvm clang -O3 -ffp-contract=off %s -o %t.old
// test: run %t.old
// By default the sum becomes an array on the stack, one cell for each j, if that is not too much; with sizes known at run
// time that is checked (expand-room.c).
#include "inputs/symm.h"
// CHECK: orthant: schedule: symm
// CHECK: scratch memory on the stack, 9600 bytes: phi3[400], phi4[400], phi5[400], because no array has free cells
// CHECK: orthant: schedule: symm_n
// CHECK: scratch memory on the stack, of a size known at run time: phi3[p1], phi4[p1], phi5[p1]
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n
// CHECK: orthant: schedule: symm
// CHECK: scratch memory on the stack
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n
// CHECK: symm 1152df6d74d20cbc
