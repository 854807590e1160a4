// test: clang -O3 -ffp-contract=off -mllvm -orthant-expand=none -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// The sum stays a scalar.
#include "inputs/symm.h"
// CHECK: orthant: schedule: symm
// CHECK-NOT: scratch
// CHECK: symm 1152df6d74d20cbc
// CHECK: symm_n
