// Rows so long that offsets go round the address space, where all rows are the first. order: reversed
// flags: -fwrapv
// undefined: pointer-overflow
// new loops: rows
#include "harness.h"

#ifdef KERNELS
void NAME(rows)(unsigned long n, unsigned long m, unsigned long size, long *a) {
  for (unsigned long i = 0; i < n; i++)
    for (unsigned long j = 0; j < m; j++)
      a[i * size + j] = 8 * i + j;
}
#endif

#ifdef MAIN
#define DECLARE(version) void version##rows(unsigned long, unsigned long, unsigned long, long *);
DECLARE(original) DECLARE(optimized)
static long x[600], y[600];
static void all_cases(void) {
  for (unsigned long n = 0; n < 8; n++)
    for (unsigned long m = 0; m < 8; m++)
      for (unsigned long size = 0; size < 12; size++)
        // In bytes the last three are 0: all rows are one, and what is written last counts.
        for (int high = 60; high < 64; high++) {
          unsigned long bytes = size < 9 ? size : 1ul << high;
          if (high == 60 && size >= 9)
            continue;
          fill(x, sizeof x, 1); fill(y, sizeof y, 1);
          originalrows(n, m, bytes, x), optimizedrows(n, m, bytes, y);
          same(x, y, sizeof x, "rows", n, m, bytes);
        }
}
#endif
