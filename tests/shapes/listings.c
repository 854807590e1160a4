// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: clang -O3 -g -mllvm -orthant-schedule=identity -mllvm -orthant-only=figure1 -mllvm -orthant-count-checks %s -o %t.counted
// test: run %t.counted
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Paper 000, Listings 1, 2, 3 and 5 and Figure 1 (4: listing4.c; 6, 7: listing-6-7.c; 8, 9: multiples-and-sums.c). In Figure 1, the blue values
// of the parameters are valid, the red ones are not: the rows overlap, the check fails, and the original runs.
#include "inputs/sum.h"
#include <stddef.h>
__attribute__((noinline)) void constantSize(float A[1024][4096]) {
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 4096; j++)
      A[i][j] = i + j;
}

__attribute__((noinline)) void parametricSize(int n, int m, float A[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = i + j;
}

__attribute__((noinline)) void gemm(long n, long m, long p, float A[n][p], float B[p][m], float C[n][m]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < p; k++)
        C[i][j] += A[i][k] * B[k][j];
}

__attribute__((noinline)) void subarray(float *A, size_t n0, size_t n1, size_t n2, size_t o0, size_t o1, size_t o2, size_t s0,
                                        size_t s1, size_t s2) {
  for (size_t i = 0; i < s0; i++)
    for (size_t j = 0; j < s1; j++)
      for (size_t k = 0; k < s2; k++)
        A[(n2 * (n1 * o0 + o1) + o2) + n1 * n2 * i + n2 * j + k] = 1;
}

__attribute__((noinline)) void figure1(float *A, size_t n1, size_t o0, size_t o1, size_t s0, size_t s1) {
  for (size_t j = 0; j < s1; j++)
    for (size_t i = 0; i < s0; i++)
      A[n1 * (i + o0) + j + o1] = 2 * A[n1 * (i + o0) + j + o1] + j;
}

static float large[1024][4096];

int main(void) {
  float *numbers = (float *)memory, *others = (float *)other;
  fill_floats();
  constantSize(large);
  memcpy(memory, large[1000], sizeof large[1000]);
  print_sum("one");
  parametricSize(30, 20, (void *)numbers);
  print_sum("two");
  gemm(20, 21, 22, (void *)others, (void *)(others + 1000), (void *)numbers);
  print_sum("three");
  subarray(numbers, 8, 9, 10, 1, 2, 3, 4, 5, 6);
  subarray(numbers, 8, 9, 10, 1, 7, 3, 4, 5, 9);
  print_sum("five");
  figure1(numbers, 9, 1, 3, 3, 6);
  print_sum("blue");
  figure1(numbers, 9, 5, 6, 3, 6);
  print_sum("red");
}
// CHECK: {{^}}constantSize
// CHECK: array A: float[][4096]{{$}}
// CHECK: {{^}}parametricSize
// CHECK: array A: float[][m]{{$}}
// CHECK: {{^}}gemm
// CHECK: array A: float[][p]{{$}}
// CHECK: array B: float[][m]{{$}}
// CHECK: array C: float[][m]{{$}}
// CHECK: {{^}}subarray
// CHECK: array A: float[][n1][n2], valid when o1 >= 0 and o2 >= 0 and n1 >= o1 + s1 and n2 >= o2 + s2
// CHECK: {{^}}figure1
// CHECK: array A: float[][n1], valid when o1 >= 0 and n1 >= o1 + s1
// CHECK: one [[ONE:[0-9a-f]+]]
// CHECK: two [[TWO:[0-9a-f]+]]
// CHECK: three [[THREE:[0-9a-f]+]]
// CHECK: five [[FIVE:[0-9a-f]+]]
// CHECK: blue [[BLUE:[0-9a-f]+]]
// CHECK: red [[RED:[0-9a-f]+]]
// CHECK: one [[ONE]]
// CHECK: two [[TWO]]
// CHECK: three [[THREE]]
// CHECK: five [[FIVE]]
// CHECK: blue [[BLUE]]
// CHECK: red [[RED]]
// CHECK: one [[ONE]]
// CHECK: two [[TWO]]
// CHECK: three [[THREE]]
// CHECK: five [[FIVE]]
// CHECK: blue [[BLUE]]
// CHECK: red [[RED]]
// CHECK: figure1: the check was made 2 times
// CHECK: 1 of 2: {{.*}}o1 + s1{{.*}} [shape
// CHECK: one [[ONE]]
// CHECK: two [[TWO]]
// CHECK: three [[THREE]]
// CHECK: five [[FIVE]]
// CHECK: blue [[BLUE]]
// CHECK: red [[RED]]
