// Arrays that overlap by every offset, of one and of several element types. order: reversed
// flags: -fno-strict-aliasing
// undefined: alignment float-cast-overflow
// new loops: scale bytes narrow wide mixed three rows
#include "harness.h"
#define EACH(K) \
  K(scale, double, double) K(bytes, unsigned char, unsigned char) K(narrow, int, double) K(wide, long, short) \
  K(mixed, float, unsigned char)

#ifdef KERNELS
#define KERNEL(name, A, B) \
  void NAME(name)(int n, A *a, B *b) { for (int i = 0; i < n; i++) a[i] = (A)(b[i] * 2 + 1); }
EACH(KERNEL)
// Two arrays are read, one backwards, and one is written with a stride.
void NAME(three)(int n, unsigned long *a, const unsigned long *b, const unsigned long *c) {
  for (int i = 0; i < n; i++)
    a[2 * i] = b[n - 1 - i] + 3 * c[i];
}
// Rows known at run time.
void NAME(rows)(int n, int m, unsigned long *a, const unsigned long *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = 2 * b[i * m + j];
}
#endif

#ifdef MAIN
#define DECLARE(name, A, B) void original##name(int, A *, B *); void optimized##name(int, A *, B *);
EACH(DECLARE)
void originalthree(int, long *, const long *, const long *); void optimizedthree(int, long *, const long *, const long *);
void originalrows(int, int, long *, const long *); void optimizedrows(int, int, long *, const long *);

static unsigned char x[2048] __attribute__((aligned(64))), y[2048] __attribute__((aligned(64)));
#define MID 1024
#define BOTH(call_x, call_y, what, p, q, r) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); call_x; call_y; same(x, y, sizeof x, what, p, q, r); } while (0)
#define CASES(name, A, B) \
  for (int n = 0; n <= 9; n++) \
    for (long off = -8 * (long)sizeof(B); off <= 8 * (long)sizeof(B); off += sizeof(B)) \
      BOTH(original##name(n, (A *)(x + MID), (B *)(x + MID + off)), \
           optimized##name(n, (A *)(y + MID), (B *)(y + MID + off)), #name, n, off, 0);
static void all_cases(void) {
  EACH(CASES)
  for (int n = 0; n <= 5; n++)
    for (long b = -8; b <= 8; b++)
      for (long c = -8; c <= 8; c++) {
        long *p = (long *)(x + MID), *q = (long *)(y + MID);
        BOTH(originalthree(n, p, p + b, p + c), optimizedthree(n, q, q + b, q + c), "three", n, b, c);
      }
  for (int n = 0; n <= 3; n++)
    for (int m = 0; m <= 3; m++)
      for (long b = -12; b <= 12; b++) {
        long *p = (long *)(x + MID), *q = (long *)(y + MID);
        BOTH(originalrows(n, m, p, p + b), optimizedrows(n, m, q, q + b), "rows", n, m, b);
      }
  // Nothing is touched where n is 0 or less, wherever the arrays are.
  for (int n = -2; n <= 0; n++) {
    originalscale(n, 0, 0); optimizedscale(n, 0, 0);
    optimizedthree(n, (long *)8, (long *)8, (long *)(uintptr_t)-8);
    optimizedrows(n, 3, 0, 0); optimizedrows(3, n, 0, 0);
  }
}
#endif
