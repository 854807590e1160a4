// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Loops that go backwards, rows that are stored backwards, and a negative distance between rows (for which the condition
// does not hold: the original runs).
#include "inputs/sum.h"
__attribute__((noinline)) void turn(long n, long m, double *restrict a, const double *restrict b) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[(n - 1 - i) * m + (m - 1 - j)] += 2 * b[i * m + j];
}

__attribute__((noinline)) void down(long n, long m, double a[n][m]) {
  for (long j = m - 2; j >= 0; j--)
    for (long i = n - 2; i >= 0; i--)
      a[i][j] += a[i + 1][j + 1];
}

__attribute__((noinline)) void upwards(long n, long m, long ld, double *a) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[j - i * ld] = 2 * a[j - i * ld] + j;
}

int main(void) {
  fill();
  turn(30, 20, memory, other);
  print_sum("turn");
  down(30, 20, (double(*)[20])memory);
  print_sum("down");
  upwards(30, 20, 20, memory + 1000);
  print_sum("inside");
  upwards(30, 20, 7, memory + 1000);
  print_sum("overlapping");
  upwards(30, 20, -25, memory + 1000);
  print_sum("reversed");
}
// CHECK: {{^}}turn
// CHECK: optimized
// CHECK: array b: double[][m]{{$}}
// CHECK: array a: double[][m]{{$}}
// CHECK: {{^}}down
// CHECK: array a: double[][m]{{$}}
// CHECK: {{^}}upwards
// CHECK: optimized
// CHECK: array a: double[][ld], valid when ld >= m
// CHECK: turn [[TURN:[0-9a-f]+]]
// CHECK: down [[DOWN:[0-9a-f]+]]
// CHECK: inside [[INSIDE:[0-9a-f]+]]
// CHECK: overlapping [[OVERLAPPING:[0-9a-f]+]]
// CHECK: reversed [[REVERSED:[0-9a-f]+]]
// CHECK: turn [[TURN]]
// CHECK: down [[DOWN]]
// CHECK: inside [[INSIDE]]
// CHECK: overlapping [[OVERLAPPING]]
// CHECK: reversed [[REVERSED]]
