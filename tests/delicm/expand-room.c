// test: clang -O3 -ffp-contract=off -mllvm -orthant-count-checks -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 -ffp-contract=off %s -o %t.old
// test: run %t.old
// Scratch memory on the stack for sizes known at run time: 65536 bytes for three sums are room for 2728 numbers each. With one more
// the original loops run.
#include <stdio.h>
#include <string.h>
#define M 90
#define MOST 3001

__attribute__((noinline)) void symm_n(double *restrict C, double *restrict A, double *restrict B, long m, long n) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double below = 0;
      for (long k = 0; k < i; k++) {
        C[k * n + j] += 1.5 * B[i * n + j] * A[i * m + k];
        below += B[k * n + j] * A[i * m + k];
      }
      C[i * n + j] = 1.2 * C[i * n + j] + 1.5 * B[i * n + j] * A[i * m + i] + 1.5 * below;
    }
}

static double A[M * M], B[M * MOST], C[M * MOST];

static unsigned long bits(long n) {
  unsigned long sum = 0, cell;
  for (int i = 0; i < M * M; i++)
    A[i] = i * 7 % 11 / 7.0;
  for (int i = 0; i < M * MOST; i++) {
    B[i] = i * 5 % 13 / 3.0;
    C[i] = i * 3 % 17 / 5.0;
  }
  symm_n(C, A, B, M, n);
  for (int i = 0; i < M * MOST; i++) {
    memcpy(&cell, &C[i], sizeof cell);
    sum = sum * 31 + cell;
  }
  return sum;
}

int main(void) {
  static const long sizes[] = {400, 1001, 2727, 2728, 2729, 2730, MOST};
  for (int i = 0; i < 7; i++)
    printf("%ld: %lx\n", sizes[i], bits(sizes[i]));
  fflush(stdout);
}
// CHECK: scratch memory on the stack, of a size known at run time: phi3[p1], phi4[p1], phi5[p1]
// CHECK: 400: [[A:[0-9a-f]+]]
// CHECK: 1001: [[B:[0-9a-f]+]]
// CHECK: 2727: [[C:[0-9a-f]+]]
// CHECK: 2728: [[D:[0-9a-f]+]]
// CHECK: 2729: [[E:[0-9a-f]+]]
// CHECK: 2730: [[F:[0-9a-f]+]]
// CHECK: 3001: [[G:[0-9a-f]+]]
// CHECK: 4 of {{ *}}7: phi3_x has at most 21824 bytes
// CHECK: 400: [[A]]
// CHECK: 1001: [[B]]
// CHECK: 2727: [[C]]
// CHECK: 2728: [[D]]
// CHECK: 2729: [[E]]
// CHECK: 2730: [[F]]
// CHECK: 3001: [[G]]
