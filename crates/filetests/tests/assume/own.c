// Nests that keep their own order and gain from the check alone: a copy of them runs where the arrays do not overlap.
// flags: -fno-strict-aliasing
// new loops: stencil last product
#include "harness.h"
typedef unsigned long word;

#ifdef KERNELS
// What one iteration reads the next one reads again.
void NAME(stencil)(int steps, int n, word *a, word *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 3 * (a[i - 1] + a[i]) + a[i + 1];
    for (int i = 1; i < n - 1; i++)
      a[i] = 5 * (b[i - 1] + b[i]) + b[i + 1];
  }
}
// A value lives on after the loops.
word NAME(last)(int steps, int n, word *a, word *b) {
  word last = 7;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 3 * (a[i - 1] + a[i]) + a[i + 1];
    for (int i = 1; i < n - 1; i++) {
      last = 5 * (b[i - 1] + b[i]) + b[i + 1];
      a[i] = last;
    }
  }
  return last;
}
// A cell is updated again and again.
void NAME(product)(int n, int m, word *q, word *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      q[i] += A[i * m + j] * A[j];
}
#endif

#ifdef MAIN
#define DECLARE(version) \
  void version##stencil(int, int, word *, word *); \
  word version##last(int, int, word *, word *); \
  void version##product(int, int, word *, word *);
DECLARE(original) DECLARE(optimized)
enum { WORDS = 512, AT = 200 };
static word x[WORDS], y[WORDS];

// Both arrays, so many words apart.
static void at(int n, int m, long off) {
  fill(x, sizeof x, 3); fill(y, sizeof y, 3);
  word *p = x + AT, *q = y + AT;
  originalstencil(n, m, p, p + off);
  optimizedstencil(n, m, q, q + off);
  same(x, y, sizeof x, "stencil", n, m, off);
  word before = originallast(n, m, p, p + off), after = optimizedlast(n, m, q, q + off);
  same(x, y, sizeof x, "last", n, m, off);
  same(&before, &after, sizeof before, "last value", n, m, off);
  originalproduct(n, m, p, p + off);
  optimizedproduct(n, m, q, q + off);
  same(x, y, sizeof x, "product", n, m, off);
}

static void all_cases(void) {
  for (int n = -1; n <= 5; n++)
    for (int m = -1; m <= 9; m++)
      for (long off = -100; off <= 100; off += (off < -12 || off >= 12) ? 11 : 1)
        at(n, m, off);
}
#endif
