// test: clang -O3 -mavx2 -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 -mavx2 %s -o %t.old
// test: run %t.old
// Nothing is assumed about alignment: cells at odd addresses stay that, in vectors, too, whose instructions for aligned memory would fail.
#include <stdio.h>
#include <string.h>
typedef double odd __attribute__((aligned(1)));
__attribute__((noinline)) void product(long n, odd *c, const odd *a, const odd *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
__attribute__((noinline)) void copy(long n, odd *a, const odd *b) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < n; i++)
      a[i * n + j] = 2 * b[i * n + j];
}
static char memory[3][8 * 40 * 40 + 64];
int main(void) {
  for (int at = 0; at < 16; at++) {
    odd *a = (odd *)(memory[0] + at), *b = (odd *)(memory[1] + 3 * at), *c = (odd *)(memory[2] + (at ^ 5));
    for (int i = 0; i < 40 * 40; i++)
      a[i] = 1 + i % 7, b[i] = 2 + i % 5, c[i] = 0;
    product(37, c, a, b);
    copy(39, b, c);
    unsigned long sum = 0, bits;
    for (int i = 0; i < 40 * 40; i++) {
      double both = b[i] + 3 * c[i];
      memcpy(&bits, &both, sizeof bits);
      sum = (sum ^ bits) * 1099511628211u + 1;
    }
    printf("sum %d %lx\n", at, sum);
  }
}
// CHECK: schedule: product
// CHECK: times the speed
// CHECK: schedule: copy
// CHECK: times the speed
// CHECK: sum 0 [[SUM0:[0-9a-f]+]]
// CHECK: sum 1 [[SUM1:[0-9a-f]+]]
// CHECK: sum 2 [[SUM2:[0-9a-f]+]]
// CHECK: sum 3 [[SUM3:[0-9a-f]+]]
// CHECK: sum 4 [[SUM4:[0-9a-f]+]]
// CHECK: sum 5 [[SUM5:[0-9a-f]+]]
// CHECK: sum 6 [[SUM6:[0-9a-f]+]]
// CHECK: sum 7 [[SUM7:[0-9a-f]+]]
// CHECK: sum 8 [[SUM8:[0-9a-f]+]]
// CHECK: sum 9 [[SUM9:[0-9a-f]+]]
// CHECK: sum 10 [[SUM10:[0-9a-f]+]]
// CHECK: sum 11 [[SUM11:[0-9a-f]+]]
// CHECK: sum 12 [[SUM12:[0-9a-f]+]]
// CHECK: sum 13 [[SUM13:[0-9a-f]+]]
// CHECK: sum 14 [[SUM14:[0-9a-f]+]]
// CHECK: sum 15 [[SUM15:[0-9a-f]+]]
// CHECK: sum 0 [[SUM0]]
// CHECK: sum 1 [[SUM1]]
// CHECK: sum 2 [[SUM2]]
// CHECK: sum 3 [[SUM3]]
// CHECK: sum 4 [[SUM4]]
// CHECK: sum 5 [[SUM5]]
// CHECK: sum 6 [[SUM6]]
// CHECK: sum 7 [[SUM7]]
// CHECK: sum 8 [[SUM8]]
// CHECK: sum 9 [[SUM9]]
// CHECK: sum 10 [[SUM10]]
// CHECK: sum 11 [[SUM11]]
// CHECK: sum 12 [[SUM12]]
// CHECK: sum 13 [[SUM13]]
// CHECK: sum 14 [[SUM14]]
// CHECK: sum 15 [[SUM15]]
