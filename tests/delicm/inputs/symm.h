/* Two versions of a product with a symmetric matrix, of which the sum `below` has no free cell in any array. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define M 150
#define N 400

__attribute__((noinline)) void symm(double (*restrict C)[N], double (*restrict A)[M], double (*restrict B)[N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double below = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += 1.5 * B[i][j] * A[i][k];
        below += B[k][j] * A[i][k];
      }
      C[i][j] = 1.2 * C[i][j] + 1.5 * B[i][j] * A[i][i] + 1.5 * below;
    }
}

__attribute__((noinline)) void symm_n(double *restrict C, double *restrict A, double *restrict B, long m, long n) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double below = 0;
      for (long k = 0; k < i; k++) {
        C[k * n + j] += 1.5 * B[i * n + j] * A[i * m + k];
        below += B[k * n + j] * A[i * m + k];
      }
      C[i * n + j] = 1.2 * C[i * n + j] + 1.5 * B[i * n + j] * A[i * m + i] + 1.5 * below;
    }
}

static double A[M][M], B[M][N], C[M][N];

static void fill(void) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < M; j++)
      A[i][j] = (i * 7 + j * 3) % 11 / 7.0;
    for (int j = 0; j < N; j++) {
      B[i][j] = (i + j * 5) % 13 / 3.0;
      C[i][j] = (i * j) % 17 / 5.0;
    }
  }
}

/* All bits of C in one number. */
static unsigned long bits(void) {
  unsigned long sum = 0, cell;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      memcpy(&cell, &C[i][j], sizeof cell);
      sum = sum * 31 + cell;
    }
  return sum;
}

int main(void) {
  fill();
  symm(C, A, B);
  printf("symm %lx\n", bits());
  fill();
  symm_n(&C[0][0], &A[0][0], &B[0][0], M, N);
  printf("symm_n %lx\n", bits());
#ifdef DONE
  DONE;
#endif
}
