// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Rows that are longer than what is touched: a pitch in bytes, BLAS's column-major matrices with `lda`, a sub-matrix. Where a
// row would reach into the next one, or the pitch is no multiple of a cell, the original runs.
#include "inputs/sum.h"
__attribute__((noinline)) void image(long n, long m, long pitch, char *pixels) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) {
      float *row = (float *)(pixels + i * pitch);
      row[j] = 2 * row[j] + j;
    }
}

__attribute__((noinline)) void dgemm(int m, int n, int k, const double *a, int lda, const double *b, int ldb,
                                     double *c, int ldc) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < k; l++)
        c[i + j * ldc] += a[i + l * lda] * b[l + j * ldb];
}

__attribute__((noinline)) void part(long n, long m, long ld, long row, long column, double *a) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[(row + i) * ld + column + j] = 2 * a[(row + i) * ld + column + j] + j;
}

int main(void) {
  fill_floats();
  image(30, 20, 128, (char *)memory);
  print_sum("image");
  image(30, 20, 36, (char *)memory);
  print_sum("short-pitch");
  image(30, 20, 126, (char *)memory);
  print_sum("odd-pitch");
  fill();
  dgemm(8, 9, 10, other, 12, other + 1000, 13, memory, 14);
  print_sum("dgemm");
  dgemm(8, 9, 10, other, 12, other + 1000, 13, memory, 5);
  print_sum("short-ldc");
  dgemm(8, 9, 10, memory + 3, 12, other + 1000, 13, memory, 14);
  print_sum("overlapping");
  part(20, 10, 40, 5, 25, memory);
  print_sum("part");
  part(20, 10, 40, 5, 35, memory);
  print_sum("beyond");
  part(20, 10, 40, 5, -5, memory);
  print_sum("before");
}
// CHECK: {{^}}image
// CHECK: optimized
// CHECK: array pixels: float[][pitch/4], valid when (pitch) mod 4 = 0 and pitch >= 4m
// CHECK: {{^}}dgemm
// CHECK: optimized
// CHECK: array a: double[][lda], valid when lda >= m
// CHECK: array b: double[][ldb], valid when ldb >= k
// CHECK: array c: double[][ldc], valid when ldc >= m
// CHECK: {{^}}part
// CHECK: optimized
// CHECK: array a: double[][ld], valid when column >= 0 and ld >= column + m
// CHECK: image [[IMAGE:[0-9a-f]+]]
// CHECK: short-pitch [[SHORT_PITCH:[0-9a-f]+]]
// CHECK: odd-pitch [[ODD_PITCH:[0-9a-f]+]]
// CHECK: dgemm [[DGEMM:[0-9a-f]+]]
// CHECK: short-ldc [[SHORT_LDC:[0-9a-f]+]]
// CHECK: overlapping [[OVERLAPPING:[0-9a-f]+]]
// CHECK: part [[PART:[0-9a-f]+]]
// CHECK: beyond [[BEYOND:[0-9a-f]+]]
// CHECK: before [[BEFORE:[0-9a-f]+]]
// CHECK: image [[IMAGE]]
// CHECK: short-pitch [[SHORT_PITCH]]
// CHECK: odd-pitch [[ODD_PITCH]]
// CHECK: dgemm [[DGEMM]]
// CHECK: short-ldc [[SHORT_LDC]]
// CHECK: overlapping [[OVERLAPPING]]
// CHECK: part [[PART]]
// CHECK: beyond [[BEYOND]]
// CHECK: before [[BEFORE]]
