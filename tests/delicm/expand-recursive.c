// test: clang -O3 -ffp-contract=off -mllvm -orthant-print-after=schedule %s -o %t.new
// test: run %t.new
// test: llvm clang -O3 -ffp-contract=off %s -o %t.old
// test: run %t.old
// A function that may be called again before it returns gets no scratch memory on the stack: each call would have its own, and
// 2000 times 28 KiB are more than a stack has.
#include <stdio.h>
#define M 20
#define N 1200
static double A[M][M], B[M][N], C[M][N];

static double again(int depth) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double below = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += 1.5 * B[i][j] * A[i][k];
        below += B[k][j] * A[i][k];
      }
      C[i][j] = 0.5 * C[i][j] + 1.5 * B[i][j] * A[i][i] + 1.5 * below;
    }
  return depth ? again(depth - 1) + C[depth % M][3] : 0;
}

int main(void) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++)
      B[i][j] = i * j % 7 * 1e-3, C[i][j] = (i + j) % 5 * 1e-3;
    for (int j = 0; j < M; j++)
      A[i][j] = (i - j) % 3 * 1e-3;
  }
  printf("again %a\n", again(2000));
  return 0;
}
// CHECK: orthant: schedule: again
// CHECK-NOT: scratch
// CHECK: again [[RESULT:.*]]
// CHECK: again [[RESULT]]
