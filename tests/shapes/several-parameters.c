// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Sizes that are affine in several parameters, as declared and written out; dimensions that share a parameter.
#include "inputs/sum.h"
__attribute__((noinline)) void declared(long n, long m, double a[][n + m][2 * n + 1]) {
  for (long k = 0; k < 2 * n + 1; k++)
    for (long j = 0; j < n + m; j++)
      for (long i = 0; i < n; i++)
        a[i][j][k] += i * j + k;
}

__attribute__((noinline)) void expanded(long n, long m, double *a) {
  for (long k = 0; k < 2 * n + 1; k++)
    for (long j = 0; j < n + m; j++)
      for (long i = 0; i < n; i++)
        a[2 * i * n * n + i * n + 2 * i * m * n + i * m + 2 * j * n + j + k] += i * j + k;
}

__attribute__((noinline)) void squares(long n, double a[][n + 1][n + 1]) {
  for (long k = 0; k <= n; k++)
    for (long j = 0; j <= n; j++)
      for (long i = 0; i < n; i++)
        a[i][j][k] += i * j + k;
}

__attribute__((noinline)) void wider(long n, double a[][n][n + 2]) {
  for (long k = 0; k < n + 2; k++)
    for (long j = 0; j < n; j++)
      for (long i = 0; i < n; i++)
        a[i][j][k] += i * j + k;
}

int main(void) {
  fill();
  declared(5, 6, (void *)memory);
  print_sum("declared");
  expanded(5, 6, memory);
  print_sum("expanded");
  squares(7, (void *)memory);
  print_sum("squares");
  wider(7, (void *)memory);
  print_sum("wider");
}
// CHECK: {{^}}declared
// CHECK: optimized
// CHECK: array a: double[][m + n][2*n + 1]{{$}}
// CHECK: {{^}}expanded
// CHECK: optimized
// CHECK: array a: double[][m + n][2*n + 1]{{$}}
// CHECK: {{^}}squares
// CHECK: optimized
// CHECK: array a: double[][n + 1][n + 1]{{$}}
// CHECK: {{^}}wider
// CHECK: optimized
// CHECK: array a: double[][n][n + 2]{{$}}
// CHECK: declared [[DECLARED:[0-9a-f]+]]
// CHECK: expanded [[EXPANDED:[0-9a-f]+]]
// CHECK: squares [[SQUARES:[0-9a-f]+]]
// CHECK: wider [[WIDER:[0-9a-f]+]]
// CHECK: declared [[DECLARED]]
// CHECK: expanded [[EXPANDED]]
// CHECK: squares [[SQUARES]]
// CHECK: wider [[WIDER]]
