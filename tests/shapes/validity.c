// test: orthant explain %s
// test: clang -O3 -g -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -mllvm -orthant-only=^(linear|anywhere|rows|two)$ -c %s -o /dev/null
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// What becomes of conditions. `guarded`, `ranges`: known from the program, from the values that a type has. `empty`: only
// values for which something is accessed matter. `next`: rows of m + 2 are contradicted by the bounds, the other order is
// not. `swapped`: bounds that do not match the declaration. `linear`: no shape, the subscript is affine. `anywhere`, `two`: no shape in which all is affine, so that any cell may
// be touched; `rows`: which leaves the shapes of other arrays alone.
#include "inputs/sum.h"
__attribute__((noinline)) void guarded(long n, long m, double *a) {
  if (m < n)
    return;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i * m + j] += j;
}

__attribute__((noinline)) void ranges(long n, int m, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      a[(i << 31) + j] += j;
}

__attribute__((noinline)) void empty(long n, long m, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 5; j < m; j++)
      a[i * m + j - 5] += j;
}

__attribute__((noinline)) void next(long n, long m, long p, double *a) {
  for (long j = 0; j < m + 5; j++)
    for (long i = 0; i < n; i++)
      a[i * (m + 2) * (p + 3) + j] *= 2;
}

__attribute__((noinline)) void swapped(long n, long m, double a[n][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      a[i][j] = 2 * a[i][j] + j;
}

__attribute__((noinline)) void linear(long n, double *a) {
  for (long j = 0; j < 1000; j++)
    for (long i = 0; i < n; i++)
      a[i * 64 + j] += j;
}

__attribute__((noinline)) void anywhere(long n, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i * i * i + j] += j;
}

__attribute__((noinline)) void rows(long n, long m, const double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      b[i * m + j] += a[i * j];
}

__attribute__((noinline)) void two(long n, long m, long k, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      a[i * m + j] += a[i * k + j];
}

int main(void) {
  fill();
  guarded(20, 30, memory);
  guarded(20, 10, memory);
  print_sum("guarded");
  ranges(1, 30, memory);
  print_sum("ranges");
  empty(20, 30, memory);
  empty(20, -3, memory);
  print_sum("empty");
  next(5, 6, 9, memory);
  next(5, 6, 1, memory);
  print_sum("next");
  swapped(20, 20, (void *)memory);
  swapped(20, 30, (void *)memory);
  swapped(30, 20, (void *)memory);
  print_sum("swapped");
  linear(30, memory);
  print_sum("linear");
  anywhere(20, memory);
  print_sum("anywhere");
  rows(20, 30, other, memory);
  print_sum("rows");
  two(20, 30, 25, memory);
  two(20, 30, 31, memory);
  print_sum("two");
}
// CHECK: {{^}}guarded
// CHECK: array a: double[][m]{{$}}
// CHECK: {{^}}ranges
// CHECK: array a: double[][2147483648]{{$}}
// CHECK: {{^}}empty
// CHECK: array a: double[][m]{{$}}
// CHECK: {{^}}next
// CHECK: array a: double[][m + 2][p + 3], valid when m >= -1 and p >= m + 2{{$}}
// CHECK: {{^}}swapped
// CHECK: array a: double[][m], valid when m >= n{{$}}
// CHECK: {{^}}rows
// CHECK: array b: double[][m]{{$}}
// CHECK: scop linear
// CHECK: write {{.*}} S0[i0, i1] -> a_0[i0 + 64i1] :
// CHECK-NOT: # shape
// CHECK: scop anywhere
// CHECK: maywrite {{.*}} S0[i0, i1] -> a_0[o0] :
// CHECK-NOT: # shape
// CHECK: scop rows
// CHECK: read {{.*}} S0[i0, i1] -> a_0[o0] :
// CHECK: write {{.*}} S0[i0, i1] -> b_1[i0, i1] :
// CHECK: # shape b: double[][m]{{$}}
// CHECK: scop two
// CHECK: maywrite {{.*}} S0[i0, i1] -> a_0[o0] :
// CHECK-NOT: # shape
// CHECK: guarded [[GUARDED:[0-9a-f]+]]
// CHECK: ranges [[RANGES:[0-9a-f]+]]
// CHECK: empty [[EMPTY:[0-9a-f]+]]
// CHECK: next [[NEXT:[0-9a-f]+]]
// CHECK: swapped [[SWAPPED:[0-9a-f]+]]
// CHECK: linear [[LINEAR:[0-9a-f]+]]
// CHECK: anywhere [[ANYWHERE:[0-9a-f]+]]
// CHECK: rows [[ROWS:[0-9a-f]+]]
// CHECK: two [[TWO:[0-9a-f]+]]
// CHECK: guarded [[GUARDED]]
// CHECK: ranges [[RANGES]]
// CHECK: empty [[EMPTY]]
// CHECK: next [[NEXT]]
// CHECK: swapped [[SWAPPED]]
// CHECK: linear [[LINEAR]]
// CHECK: anywhere [[ANYWHERE]]
// CHECK: rows [[ROWS]]
// CHECK: two [[TWO]]
