// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Paper 000, Listings 6 and 7: subscripts that contain sizes, as declared and written out. `pieces`: no single multiple of
// the size brings all subscripts inside (section 4.3); in rows of fewer than 5 the original runs.
#include "inputs/sum.h"
__attribute__((noinline)) void listing6(long L, long N, long M, float A[][N][M]) {
  for (long i = 0; i < L; i++)
    for (long j = 0; j < N; j++)
      for (long k = 0; k < M; k++) {
        A[i][j][k] += i + j + k;
        A[1][1][1] = 1;
        A[0][0][M - 1] += 2;
        A[0][N - 1][0] += 3;
        A[0][N - 1][M - 1] += 4;
      }
}

__attribute__((noinline)) void listing7(long L, long N, long M, float *A) {
  for (long i = 0; i < L; i++)
    for (long j = 0; j < N; j++)
      for (long k = 0; k < M; k++) {
        A[i * N * M + j * M + k] += i + j + k;
        A[N * M + M + 1] = 1;
        A[M - 1] += 2;
        A[N * M - M] += 3;
        A[N * M - 1] += 4;
      }
}

__attribute__((noinline)) void pieces(long L, long N, float *A) {
  for (long j = 0; j < N; j++)
    for (long i = 1; i < L; i++)
      A[i * N + j - 10] = 2 * A[i * N + j - 10] + j;
}

int main(void) {
  float *numbers = (float *)memory;
  fill_floats();
  listing6(4, 5, 6, (void *)numbers);
  print_sum("six");
  listing6(4, 1, 6, (void *)numbers);
  print_sum("flat-six");
  listing7(4, 5, 6, numbers);
  print_sum("seven");
  listing7(4, 5, 1, numbers);
  print_sum("thin-seven");
  pieces(9, 12, numbers + 20);
  print_sum("pieces");
  pieces(9, 3, numbers + 20);
  print_sum("narrow");
}
// CHECK: {{^}}listing6
// CHECK: array A: float[][N][M], valid when M >= 2 and N >= 2
// CHECK: {{^}}listing7
// CHECK: array A: float[][N][M], valid when M >= 2 and N >= 2
// CHECK: {{^}}pieces
// CHECK: array A: float[][N], valid when N >= 5
// CHECK: six [[SIX:[0-9a-f]+]]
// CHECK: flat-six [[FLAT_SIX:[0-9a-f]+]]
// CHECK: seven [[SEVEN:[0-9a-f]+]]
// CHECK: thin-seven [[THIN_SEVEN:[0-9a-f]+]]
// CHECK: pieces [[PIECES:[0-9a-f]+]]
// CHECK: narrow [[NARROW:[0-9a-f]+]]
// CHECK: six [[SIX]]
// CHECK: flat-six [[FLAT_SIX]]
// CHECK: seven [[SEVEN]]
// CHECK: thin-seven [[THIN_SEVEN]]
// CHECK: pieces [[PIECES]]
// CHECK: narrow [[NARROW]]
