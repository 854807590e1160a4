// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Paper 000, sections 4.4 (sizes `beta * P`) and 5 (sizes `P + alpha`; Listings 8 and 9).
#include "inputs/sum.h"
__attribute__((noinline)) void twice(long n, long p, double a[][2 * p][3 * p]) {
  for (long k = 0; k < 3 * p; k++)
    for (long j = 0; j < 2 * p; j++)
      for (long i = 0; i < n; i++)
        a[i][j][k] += i * j + k;
}

__attribute__((noinline)) void twice_flat(long n, long p, double *a) {
  for (long k = 0; k < 3 * p; k++)
    for (long j = 0; j < 2 * p; j++)
      for (long i = 0; i < n; i++)
        a[6 * p * p * i + 3 * p * j + k] += i * j + k;
}

__attribute__((noinline)) void listing8(long Q, long R, long S, double Out[Q + 2][R + 2][S + 2],
                                        double In[Q + 2][R + 2][S + 2]) {
  for (long k = 1; k <= S; k++)
    for (long j = 1; j <= R; j++)
      for (long i = 1; i <= Q; i++)
        Out[i][j][k] += 0.33 * (In[i][j][k] + In[i + 1][j + 1][k + 1] + In[i - 1][j - 1][k - 1]);
}

__attribute__((noinline)) void listing9(long Q, long R, long S, double *Out, const double *In) {
  for (long k = 1; k <= S; k++)
    for (long j = 1; j <= R; j++)
      for (long i = 1; i <= Q; i++)
        Out[i * R * S + 2 * i * S + 2 * i * R + 4 * i + j * S + j * 2 + k] +=
            0.33 * (In[i * R * S + 2 * i * S + 2 * i * R + 4 * i + j * S + j * 2 + k] +
                    In[7 + 2 * j + k + 2 * R + 3 * S + j * S + R * S + 4 * i + 2 * R * i + 2 * S * i + R * S * i] +
                    In[-7 + 2 * j + k - 2 * R - 3 * S + j * S - R * S + 4 * i + 2 * R * i + 2 * S * i + R * S * i]);
}

int main(void) {
  fill();
  twice(5, 4, (void *)memory);
  print_sum("twice");
  twice_flat(5, 4, memory);
  print_sum("flat-twice");
  listing8(5, 6, 7, (void *)memory, (void *)other);
  print_sum("eight");
  listing9(5, 6, 7, memory, other);
  print_sum("nine");
  listing9(5, 6, 7, memory, memory + 1);
  print_sum("overlapping");
}
// CHECK: {{^}}twice 
// CHECK: optimized
// CHECK: array a: double[][2*p][3*p]{{$}}
// CHECK: {{^}}twice_flat
// CHECK: optimized
// CHECK: array a: double[][2*p][3*p]{{$}}
// CHECK: {{^}}listing8
// CHECK: optimized
// CHECK: array In: double[][R + 2][S + 2]{{$}}
// CHECK: array Out: double[][R + 2][S + 2]{{$}}
// CHECK: {{^}}listing9
// CHECK: optimized
// CHECK: array In: double[][R + 2][S + 2]{{$}}
// CHECK: array Out: double[][R + 2][S + 2]{{$}}
// CHECK: twice [[TWICE:[0-9a-f]+]]
// CHECK: flat-twice [[FLAT_TWICE:[0-9a-f]+]]
// CHECK: eight [[EIGHT:[0-9a-f]+]]
// CHECK: nine [[NINE:[0-9a-f]+]]
// CHECK: overlapping [[OVERLAPPING:[0-9a-f]+]]
// CHECK: twice [[TWICE]]
// CHECK: flat-twice [[FLAT_TWICE]]
// CHECK: eight [[EIGHT]]
// CHECK: nine [[NINE]]
// CHECK: overlapping [[OVERLAPPING]]
