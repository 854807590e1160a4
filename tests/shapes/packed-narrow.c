// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: clang -O3 -mllvm -orthant-position=late %s -o %t.late
// test: run %t.late
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Packed triangles in 32-bit arithmetic: their offsets have squares and negative terms. That they fit is checked where it
// is not proved: rows of 40000 are too long for the check, and the original runs. In `part`, that the unsigned numbers
// do not wrap is not known, and in one call they do.
#include "inputs/sum.h"
__attribute__((noinline)) void upper(int n, double *a) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      a[i * (2 * n - i - 1) / 2 + j] = 2 * a[i * (2 * n - i - 1) / 2 + j] + j;
}

__attribute__((noinline)) void difference(int n, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      a[i * n - i * (i - 1) / 2 + j - i] = 2 * a[i * n - i * (i - 1) / 2 + j - i] + j;
}

__attribute__((noinline)) void columns(int n, float *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i + (2 * n - j - 1) * j / 2] = 2 * a[i + (2 * n - j - 1) * j / 2] + j;
}

__attribute__((noinline)) void positive(unsigned n, double *a) {
  for (unsigned j = 0; j < n; j++)
    for (unsigned i = 0; i <= j; i++)
      a[i * (2 * n - i - 1) / 2 + j] = 2 * a[i * (2 * n - i - 1) / 2 + j] + j;
}

__attribute__((noinline)) void first(int n, int rows, float *a) {
  for (int j = rows; j < n; j++)
    for (int i = 0; i < rows; i++)
      a[i * (2 * n - i - 1) / 2 + j] = 2 * a[i * (2 * n - i - 1) / 2 + j] + j;
}

__attribute__((noinline)) void part(unsigned n, unsigned m, double *a) {
  for (unsigned j = 0; j < m; j++)
    for (unsigned i = 0; i <= j; i++)
      a[i * (2 * n - i - 1) / 2 + j] = 2 * a[i * (2 * n - i - 1) / 2 + j] + j;
}

static float large[150000];

int main(void) {
  fill();
  upper(30, memory);
  print_sum("upper");
  difference(30, memory);
  print_sum("difference");
  positive(30, memory);
  print_sum("positive");
  part(50, 30, memory);
  print_sum("part");
  part(20, 30, memory);
  print_sum("beyond");
  part(0x80000000u + 30, 30, memory);
  print_sum("wrapping");
  fill_floats();
  columns(30, (float *)memory);
  print_sum("columns");
  first(2000, 3, (float *)memory);
  print_sum("first");
  memcpy(large, memory, sizeof memory);
  first(40000, 3, large);
  memcpy(memory, large + 70000, sizeof memory);
  print_sum("long");
}
// CHECK: {{^}}upper
// CHECK: optimized
// CHECK: array a: double[][-i + n in row i]{{$}}
// CHECK: if at run time: n <= 32767 [no wrap
// CHECK: {{^}}difference
// CHECK: array a: double[][-i + n in row i]{{$}}
// CHECK: {{^}}columns
// CHECK: optimized
// CHECK: array a: float[][-i + n in row i]{{$}}
// CHECK: {{^}}positive
// CHECK: optimized
// CHECK: array a: double[][-i + n in row i]{{$}}
// CHECK: if at run time: n <= 32767 [no wrap
// CHECK: {{^}}first
// CHECK: array a: float[][-i + n in row i]{{$}}
// CHECK: upper [[UPPER:[0-9a-f]+]]
// CHECK: difference [[DIFFERENCE:[0-9a-f]+]]
// CHECK: positive [[POSITIVE:[0-9a-f]+]]
// CHECK: part [[PART:[0-9a-f]+]]
// CHECK: beyond [[BEYOND:[0-9a-f]+]]
// CHECK: wrapping [[WRAPPING:[0-9a-f]+]]
// CHECK: columns [[COLUMNS:[0-9a-f]+]]
// CHECK: first [[FIRST:[0-9a-f]+]]
// CHECK: long [[LONG:[0-9a-f]+]]
// CHECK: upper [[UPPER]]
// CHECK: difference [[DIFFERENCE]]
// CHECK: positive [[POSITIVE]]
// CHECK: part [[PART]]
// CHECK: beyond [[BEYOND]]
// CHECK: wrapping [[WRAPPING]]
// CHECK: columns [[COLUMNS]]
// CHECK: first [[FIRST]]
// CHECK: long [[LONG]]
// CHECK: upper [[UPPER]]
// CHECK: difference [[DIFFERENCE]]
// CHECK: positive [[POSITIVE]]
// CHECK: part [[PART]]
// CHECK: beyond [[BEYOND]]
// CHECK: wrapping [[WRAPPING]]
// CHECK: columns [[COLUMNS]]
// CHECK: first [[FIRST]]
// CHECK: long [[LONG]]
// CHECK: upper [[UPPER]]
// CHECK: difference [[DIFFERENCE]]
// CHECK: positive [[POSITIVE]]
// CHECK: part [[PART]]
// CHECK: beyond [[BEYOND]]
// CHECK: wrapping [[WRAPPING]]
// CHECK: columns [[COLUMNS]]
// CHECK: first [[FIRST]]
// CHECK: long [[LONG]]
