// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Packed triangles: rows of different lengths, one after the other. `beyond`: where the columns reach into the next row, the
// original runs. `vector`: the triangle and a vector that may overlap.
#include "inputs/sum.h"
__attribute__((noinline)) void lower(long n, double *a) {
  for (long j = 0; j < n; j++)
    for (long i = j; i < n; i++)
      a[i * (i + 1) / 2 + j] = 2 * a[i * (i + 1) / 2 + j] + j;
}

__attribute__((noinline)) void upper(long n, double *a) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i <= j; i++)
      a[i * (2 * n - i - 1) / 2 + j] = 2 * a[i * (2 * n - i - 1) / 2 + j] + j;
}

__attribute__((noinline)) void small(int n, float *a) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      a[i * (i + 1) / 2 + j] = 2 * a[i * (i + 1) / 2 + j] + j;
}

__attribute__((noinline)) void beyond(long n, long m, double *a) {
  for (long j = 0; j < m; j++)
    for (long i = n; i < 2 * n; i++)
      a[i * (i + 1) / 2 + j] = 2 * a[i * (i + 1) / 2 + j] + j;
}

__attribute__((noinline)) void vector(long n, const double *a, const double *x, double *y) {
  for (long j = 0; j < n; j++)
    for (long i = j; i < n; i++)
      y[i] += a[i * (i + 1) / 2 + j] * x[j];
}

int main(void) {
  fill();
  lower(30, memory);
  print_sum("lower");
  upper(30, memory);
  print_sum("upper");
  fill_floats();
  small(30, (float *)memory);
  print_sum("small");
  fill();
  beyond(10, 11, memory);
  print_sum("inside");
  beyond(10, 15, memory);
  print_sum("outside");
  vector(30, other, other + 1000, memory);
  print_sum("apart");
  vector(30, memory, other, memory + 400);
  print_sum("overlap");
  vector(30, memory, other, memory + 465);
  print_sum("touching");
}
// CHECK: {{^}}lower
// CHECK: optimized
// CHECK: array a: double[][i + 1 in row i]{{$}}
// CHECK: {{^}}upper
// CHECK: optimized
// CHECK: array a: double[][-i + n in row i]{{$}}
// CHECK: {{^}}small
// CHECK: array a: float[][i + 1 in row i]{{$}}
// CHECK: {{^}}beyond
// CHECK: optimized
// CHECK: array a: double[][i + 1 in row i], valid when n + 1 >= m
// CHECK: {{^}}vector
// CHECK: array a: double[][i + 1 in row i]{{$}}
// CHECK: a_0 and y_2 do not overlap
// CHECK: lower [[LOWER:[0-9a-f]+]]
// CHECK: upper [[UPPER:[0-9a-f]+]]
// CHECK: small [[SMALL:[0-9a-f]+]]
// CHECK: inside [[INSIDE:[0-9a-f]+]]
// CHECK: outside [[OUTSIDE:[0-9a-f]+]]
// CHECK: apart [[APART:[0-9a-f]+]]
// CHECK: overlap [[OVERLAP:[0-9a-f]+]]
// CHECK: touching [[TOUCHING:[0-9a-f]+]]
// CHECK: lower [[LOWER]]
// CHECK: upper [[UPPER]]
// CHECK: small [[SMALL]]
// CHECK: inside [[INSIDE]]
// CHECK: outside [[OUTSIDE]]
// CHECK: apart [[APART]]
// CHECK: overlap [[OVERLAP]]
// CHECK: touching [[TOUCHING]]
// CHECK: lower [[LOWER]]
// CHECK: upper [[UPPER]]
// CHECK: small [[SMALL]]
// CHECK: inside [[INSIDE]]
// CHECK: outside [[OUTSIDE]]
// CHECK: apart [[APART]]
// CHECK: overlap [[OVERLAP]]
// CHECK: touching [[TOUCHING]]
