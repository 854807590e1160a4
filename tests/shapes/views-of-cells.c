// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Bytes (memset), doubles and 64-bit integers in one array: the common cell has 8 bytes, the rows stay. With halves of
// cells, it has 4, and there is one more dimension.
#include "inputs/sum.h"
#include <stdint.h>
typedef union {
  double d;
  int64_t whole;
  int32_t half[2];
} cell;

__attribute__((noinline)) void clear(long n, long m, cell a[n][m], const double *restrict x) {
  for (long i = 0; i < n; i++)
    memset(a[i], 0, m * sizeof(cell));
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[i][j].d += x[j];
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[i][j].whole ^= i + j;
}

__attribute__((noinline)) void halves(long n, long m, cell a[n][m]) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) {
      a[i][j].d *= 1.5;
      a[i][j].half[1] ^= i;
    }
}

__attribute__((noinline)) void fixed(long n, double a[][128]) {
  for (long i = 0; i < n; i++)
    memset(a[i], 0, 128 * sizeof(double));
  for (long j = 1; j < 127; j++)
    for (long i = 0; i < n; i++)
      a[i][j] += a[i][j - 1] + j;
}

int main(void) {
  fill();
  clear(30, 20, (cell(*)[20])memory, other);
  print_sum("clear");
  halves(30, 20, (cell(*)[20])memory);
  print_sum("halves");
  fixed(50, (double(*)[128])memory);
  print_sum("fixed");
}
// CHECK: {{^}}clear
// CHECK: optimized
// CHECK: array a: 8 bytes[][m]{{$}}
// CHECK: {{^}}halves
// CHECK: array a: 4 bytes[][m][2]{{$}}
// CHECK: {{^}}fixed
// CHECK: optimized
// CHECK: array a: double[][128]{{$}}
// CHECK: clear [[CLEAR:[0-9a-f]+]]
// CHECK: halves [[HALVES:[0-9a-f]+]]
// CHECK: fixed [[FIXED:[0-9a-f]+]]
// CHECK: clear [[CLEAR]]
// CHECK: halves [[HALVES]]
// CHECK: fixed [[FIXED]]
// CHECK: clear [[CLEAR]]
// CHECK: halves [[HALVES]]
// CHECK: fixed [[FIXED]]
