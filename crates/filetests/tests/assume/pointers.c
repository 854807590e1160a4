// Kernels of Fortran: pointers.f90. order: reversed
// kernels: scale columns combine bound steps
// new loops: scale columns combine bound
#include "harness.h"
#ifdef MAIN
#define DECLARE(name, ...) void original##name(__VA_ARGS__); void optimized##name(__VA_ARGS__);
DECLARE(scale, long, long *, long *)
DECLARE(columns, long, long, long, long *)
DECLARE(combine, const int *, const int *, long *, const int *, const long *, const int *, const long *, const int *)
DECLARE(bound, long *, long *)
DECLARE(steps, int, int, int, long *)
static long x[256], y[256], factors[256];
static void fill_longs(long *to) {
  for (long i = 0; i < 256; i++)
    to[i] = i % 5;
}
#define BOTH(name, p, q, r, ...) \
  do { fill_longs(x); fill_longs(y); { long *a = x + 128; original##name(__VA_ARGS__); } \
       { long *a = y + 128; optimized##name(__VA_ARGS__); } same(x, y, sizeof x, #name, p, q, r); } while (0)
// Columns that overlap (`ld < n`), all in one place (`ld <= 0`), or are longer than what is touched.
static void leading_dimensions(int n, int m) {
  for (int ldc = -1; ldc <= 6; ldc++)
    for (int lda = -1; lda <= 6; lda++)
      for (int ldb = 3; ldb <= 5; ldb++)
        BOTH(combine, 100 * n + m, lda, ldc, &n, &m, a - 10, &ldc, factors + 60, &lda, factors + 70, &ldb);
}
static void all_cases(void) {
  fill_longs(factors);
  for (int n = -1; n <= 5; n++)
    for (int m = -1; m <= 5; m++)
      leading_dimensions(n, m);
  for (long n = 0; n <= 9; n++)
    for (long at = -10; at <= 10; at++) {
      BOTH(scale, n, at, 0, n, a, a + at);
      BOTH(bound, n, at, 0, (a[at] = n, a + at), a);
      for (long ld = -2; ld <= 9; ld++)
        BOTH(columns, n, at, ld, n, at, ld, a);
      for (int step = -3; step <= 3; step++)
        if (step != 0)
          BOTH(steps, n, at, step, (int)n, (int)at, step, a);
    }
}
#endif
