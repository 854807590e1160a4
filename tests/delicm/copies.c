// test: clang -O3 -mavx2 -ffp-contract=off -mllvm -orthant-count-checks -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 -mavx2 -ffp-contract=off %s -o %t.old
// test: run %t.old
// Each line is multiplied by a matrix by way of one row for all. Each line of a strip gets a row of its own on the stack; what the last
// line left is in the row afterwards. With sizes known at run time 65536 bytes are room for six rows of 1365 numbers; with more the original
// loops run.
#include <stdio.h>
#include <string.h>
#define LINES 33
#define MOST 1400

__attribute__((noinline)) void constant(double a[restrict LINES][100], double c[restrict 60][100], double x[restrict 60]) {
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
    for (long p = 0; p < n; p++) {
      x[p] = 0;
      for (long s = 0; s < n; s++)
        x[p] += a[q * n + s] * c[s * n + p];
    }
    for (long p = 0; p < n; p++)
      a[q * n + p] = x[p];
  }
}

/* It may be called again before it returns: each call would have rows of its own. */
double again(double *restrict a, double *restrict c, double *restrict x, long count, long n) {
  for (long q = 0; q < count; q++) {
    for (long p = 0; p < n; p++) {
      x[p] = 0;
      for (long s = 0; s < n; s++)
        x[p] += a[q * n + s] * c[s * n + p];
    }
    for (long p = 0; p < n; p++)
      a[q * n + p] = x[p];
  }
  return count > 1 ? again(a, c, x, count / 2, n) + x[0] : x[0];
}

static double a[LINES * MOST], c[MOST * MOST], x[MOST];

static void fill(void) {
  for (int i = 0; i < LINES * MOST; i++)
    a[i] = i * 7 % 11 / 7.0;
  for (int i = 0; i < MOST * MOST; i++)
    c[i] = i * 5 % 13 / 3.0;
  for (int i = 0; i < MOST; i++)
    x[i] = i;
}

static unsigned long bits(void) {
  unsigned long sum = 0, cell;
  for (int i = 0; i < LINES * MOST; i++) {
    memcpy(&cell, &a[i], sizeof cell);
    sum = sum * 31 + cell;
  }
  for (int i = 0; i < MOST; i++) {
    memcpy(&cell, &x[i], sizeof cell);
    sum = sum * 31 + cell;
  }
  return sum;
}

int main(void) {
  static const long sizes[][2] = {{0, 50}, {33, 0}, {33, 61}, {32, 64}, {20, 300}, {3, 1365}, {7, 1366}, {7, MOST}};
  fill();
  constant((void *)a, (void *)c, x);
  printf("constant: %lx\n", bits());
  for (int i = 0; i < 8; i++) {
    fill();
    lines(a, c, x, sizes[i][0], sizes[i][1]);
    printf("%ld x %ld: %lx\n", sizes[i][0], sizes[i][1], bits());
  }
  fill();
  double last = again(a, c, x, 30, 40);
  printf("again: %a %lx\n", last, bits());
  fflush(stdout);
}
// CHECK: orthant: schedule: constant
// CHECK: 6 x 8 in registers
// CHECK: scratch memory on the stack: A0 as A0_x[6][100], because each iteration of a loop fills it anew, of which 6 run at once
// CHECK: orthant: schedule: lines
// CHECK: scratch memory on the stack: A0 as A0_x[6][p1]
// CHECK: orthant: schedule: again
// CHECK-NOT: scratch
// CHECK: constant: [[A:[0-9a-f]+]]
// CHECK: 0 x 50: [[B:[0-9a-f]+]]
// CHECK: 33 x 0: [[C:[0-9a-f]+]]
// CHECK: 33 x 61: [[D:[0-9a-f]+]]
// CHECK: 32 x 64: [[E:[0-9a-f]+]]
// CHECK: 20 x 300: [[F:[0-9a-f]+]]
// CHECK: 3 x 1365: [[G:[0-9a-f]+]]
// CHECK: 7 x 1366: [[H:[0-9a-f]+]]
// CHECK: 7 x 1400: [[I:[0-9a-f]+]]
// CHECK: again: [[J:.*]]
// CHECK: 4 of {{ *}}6: A0_x has at most 65536 bytes
// CHECK: constant: [[A]]
// CHECK: 0 x 50: [[B]]
// CHECK: 33 x 0: [[C]]
// CHECK: 33 x 61: [[D]]
// CHECK: 32 x 64: [[E]]
// CHECK: 20 x 300: [[F]]
// CHECK: 3 x 1365: [[G]]
// CHECK: 7 x 1366: [[H]]
// CHECK: 7 x 1400: [[I]]
// CHECK: again: [[J]]
