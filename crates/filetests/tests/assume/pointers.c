// Kernels of Fortran: pointers.f90. order: reversed
// kernels: scale columns bound steps
// new loops: scale bound
#include "harness.h"
#ifdef MAIN
#define DECLARE(name, ...) void original##name(__VA_ARGS__); void optimized##name(__VA_ARGS__);
DECLARE(scale, long, long *, long *)
DECLARE(columns, long, long, long, long *)
DECLARE(bound, long *, long *)
DECLARE(steps, int, int, int, long *)
static long x[256], y[256];
static void fill_longs(long *to) {
  for (long i = 0; i < 256; i++)
    to[i] = i % 5;
}
#define BOTH(name, p, q, r, ...) \
  do { fill_longs(x); fill_longs(y); { long *a = x + 128; original##name(__VA_ARGS__); } \
       { long *a = y + 128; optimized##name(__VA_ARGS__); } same(x, y, sizeof x, #name, p, q, r); } while (0)
static void all_cases(void) {
  for (long n = 0; n <= 9; n++)
    for (long at = -10; at <= 10; at++) {
      BOTH(scale, n, at, 0, n, a, a + at);
      BOTH(bound, n, at, 0, (a[at] = n, a + at), a);
      for (long ld = 1; ld <= 9; ld++)
        BOTH(columns, n, at, ld, n, at, ld, a);
      for (int step = -3; step <= 3; step++)
        if (step != 0)
          BOTH(steps, n, at, step, (int)n, (int)at, step, a);
    }
}
#endif
