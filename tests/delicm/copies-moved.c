// test: clang -O3 -mavx2 -ffp-contract=off -mllvm -orthant-position=late -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 -mavx2 -ffp-contract=off %s -o %t.old
// test: run %t.old
// Just before the vectorizer, LLVM has made memset of the loop that clears the row and memcpy of those that copy it. Where copies of
// the row pay, these are statements over single cells.
#include <stdio.h>
#include <string.h>
#define LINES 33

__attribute__((noinline)) void constant(double a[restrict LINES][100], double c[restrict 100][100], double x[restrict 100]) {
  for (int q = 0; q < LINES; q++) {
    for (int p = 0; p < 100; p++) {
      x[p] = 0;
      for (int s = 0; s < 100; s++)
        x[p] += a[q][s] * c[s][p];
    }
    for (int p = 0; p < 100; p++)
      a[q][p] = x[p];
  }
}

__attribute__((noinline)) void lines(double *restrict a, double *restrict c, double *restrict x, long count, long n) {
  for (long q = 0; q < count; q++) {
    for (long p = 0; p < n; p++)
      x[p] = 0;
    for (long p = 0; p < n; p++)
      for (long s = 0; s < n; s++)
        x[p] += a[q * n + s] * c[s * n + p];
    for (long p = 0; p < n; p++)
      a[q * n + p] = x[p];
  }
}

/* Not a whole number of elements: the row stays one. */
__attribute__((noinline)) void partly(double *restrict a, double *restrict c, double *restrict x, long count, long n) {
  for (long q = 0; q < count; q++) {
    for (long p = 0; p < n; p++) {
      x[p] = 0;
      for (long s = 0; s < n; s++)
        x[p] += a[q * n + s] * c[s * n + p];
    }
    memcpy(&a[q * n], x, (unsigned long)n * 8 - 3);
  }
}

static double a[LINES * 100], c[100 * 100], x[100];

static void show(const char *name, long n) {
  unsigned long sum = 0, cell;
  for (int i = 0; i < LINES * 100; i++) {
    memcpy(&cell, &a[i], sizeof cell);
    sum = sum * 31 + cell;
  }
  for (int i = 0; i < 100; i++) {
    memcpy(&cell, &x[i], sizeof cell);
    sum = sum * 31 + cell;
  }
  printf("%s %ld: %lx\n", name, n, sum);
}

static void fill(void) {
  for (int i = 0; i < LINES * 100; i++)
    a[i] = i * 7 % 11 / 7.0;
  for (int i = 0; i < 100 * 100; i++)
    c[i] = i * 5 % 13 / 3.0;
  for (int i = 0; i < 100; i++)
    x[i] = i;
}

int main(void) {
  static const long sizes[] = {1, 7, 33, 64, 100};
  fill(), constant((void *)a, (void *)c, x), show("constant", 100);
  for (int i = 0; i < 5; i++) {
    fill(), lines(a, c, x, LINES, sizes[i]), show("lines", sizes[i]);
    fill(), partly(a, c, x, LINES, sizes[i]), show("partly", sizes[i]);
  }
  fill(), lines(a, c, x, LINES, 0), show("lines", 0);
}
// CHECK: orthant: schedule: constant
// CHECK: 6 x 8 in registers
// CHECK: scratch memory on the stack: A2 as A2_x[6][100], because each iteration of a loop fills it anew, of which 6 run at once
// CHECK-NEXT: what copies or fills whole rows does so cell by cell: S3
// CHECK: orthant: schedule: lines
// CHECK: 6 x 8 in registers
// CHECK: scratch memory on the stack: A0 as A0_x[6][p1]
// CHECK-NEXT: what copies or fills whole rows does so cell by cell: S0, S4
// CHECK: orthant: schedule: partly
// CHECK-NOT: cell by cell
// CHECK: constant 100: [[A:[0-9a-f]+]]
// CHECK: lines 1: [[B:[0-9a-f]+]]
// CHECK: partly 1: [[C:[0-9a-f]+]]
// CHECK: lines 7: [[D:[0-9a-f]+]]
// CHECK: partly 7: [[E:[0-9a-f]+]]
// CHECK: lines 33: [[F:[0-9a-f]+]]
// CHECK: partly 33: [[G:[0-9a-f]+]]
// CHECK: lines 64: [[H:[0-9a-f]+]]
// CHECK: partly 64: [[I:[0-9a-f]+]]
// CHECK: lines 100: [[J:[0-9a-f]+]]
// CHECK: partly 100: [[K:[0-9a-f]+]]
// CHECK: lines 0: [[L:[0-9a-f]+]]
// CHECK: constant 100: [[A]]
// CHECK: lines 1: [[B]]
// CHECK: partly 1: [[C]]
// CHECK: lines 7: [[D]]
// CHECK: partly 7: [[E]]
// CHECK: lines 33: [[F]]
// CHECK: partly 33: [[G]]
// CHECK: lines 64: [[H]]
// CHECK: partly 64: [[I]]
// CHECK: lines 100: [[J]]
// CHECK: partly 100: [[K]]
// CHECK: lines 0: [[L]]
