// Figure 13: columns beyond the end of a row, which are cells of the next rows. order: reversed
// flags: -fno-strict-aliasing
// undefined: bounds vla-bound
// new loops: fixed columns volume flat vla cube
#include "harness.h"
#ifdef KERNELS
typedef long Row[8];
void NAME(fixed)(int start, int num, Row *A, Row *B) {
  for (int i = start; i < start + num; i++)
    for (int j = start; j < start + num; j++)
      A[i][j] = B[i][j] + j;
}
void NAME(columns)(int n, int m, int from, Row *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j + from] = 100 * i + j;
}
// Figure 1: the innermost subscript stays inside, the one before it need not.
typedef long Plane[4][3];
void NAME(volume)(int n, int m, Plane *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 3; k++)
        A[i][j][k] = 100 * i + 10 * j + k;
}
void NAME(flat)(int n, int m, int k, long *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      a[i * m + j] = 100 * i + j;
}
void NAME(vla)(long n, long m, long k, long from, long a[n][m]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < k; j++)
      a[i][j + from] = 100 * i + j;
}
void NAME(cube)(long n, long m, long k, long w, long v, long *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < w; j++)
      for (long l = 0; l < v; l++)
        a[(i * m + j) * k + l] = 100 * i + 10 * j + l;
}
#endif
#ifdef MAIN
typedef long Row[8];
typedef long Plane[4][3];
void originalvolume(int, int, Plane *); void optimizedvolume(int, int, Plane *);
void originalfixed(int, int, Row *, Row *); void optimizedfixed(int, int, Row *, Row *);
void originalcolumns(int, int, int, Row *); void optimizedcolumns(int, int, int, Row *);
void originalflat(int, int, int, long *); void optimizedflat(int, int, int, long *);
void originalvla(long, long, long, long, long *); void optimizedvla(long, long, long, long, long *);
void originalcube(long, long, long, long, long, long *); void optimizedcube(long, long, long, long, long, long *);
static long x[1024], y[1024], b[1024];
#define MID 256
#define BOTH(name, p, q, r, ...) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); { long *a = x + MID; original##name(__VA_ARGS__); } \
       { long *a = y + MID; optimized##name(__VA_ARGS__); } same(x, y, sizeof x, #name, p, q, r); } while (0)
static void all_cases(void) {
  fill(b, sizeof b, 7);
  for (int start = -8; start <= 12; start++)
    for (int num = 0; num <= 14; num++)
      BOTH(fixed, start, num, 0, start, num, (Row *)a, (Row *)(b + MID));
  for (int n = 0; n <= 6; n++)
    for (int m = 0; m <= 20; m++)
      for (int from = -10; from <= 10; from++)
        BOTH(columns, n, m, from, n, m, from, (Row *)a);
  for (int n = 0; n <= 6; n++)
    for (int m = 0; m <= 20; m++)
      BOTH(volume, n, m, 0, n, m, (Plane *)a);
  for (int n = 0; n <= 5; n++)
    for (int m = -6; m <= 6; m++)
      for (int k = 0; k <= 9; k++) {
        BOTH(flat, n, m, k, n, m, k, a);
        for (int from = -7; from <= 7; from += 2)
          BOTH(vla, n, m, k, n, m, k, from, a);
      }
  for (int n = 0; n <= 2; n++)
    for (int m = -2; m <= 3; m++)
      for (int k = -3; k <= 3; k++)
        for (int w = 0; w <= 4; w++)
          for (int v = 0; v <= 4; v++)
            BOTH(cube, n, m, k, n, m, k, w, v, a);
}
#endif
