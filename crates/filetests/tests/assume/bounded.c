// Loops that end by `!=`, with the bound below the start. order: reversed
// new loops: ne8 ne16 ne32 step beside far
#include "harness.h"
#ifdef KERNELS
typedef unsigned char u8; typedef unsigned short u16;
void NAME(ne8)(u8 lo, u8 hi, int *a, const int *b) {
  for (u8 i = lo; i != hi; i++)
    a[i] = b[i];
}
void NAME(ne16)(u16 lo, u16 hi, int *a, const int *b) {
  for (u16 i = lo; i != hi; i++)
    a[(u8)i] = b[(u8)(i - lo)];
}
void NAME(ne32)(unsigned lo, unsigned hi, int *a, const int *b) {
  for (unsigned i = lo; i != hi; i++)
    a[i - lo] = b[i - lo];
}
void NAME(step)(u8 lo, u8 hi, int *a, const int *b) {
  for (u8 i = lo; i != hi; i += 4)
    a[i] = b[i];
}
void NAME(nested)(u8 lo, u8 hi, int *a, const int *b) {
  for (u8 i = 0; i != hi; i++)
    for (u8 j = lo; j != i; j++)
      a[j] = b[(u8)(i + j)];
}
// There is something to do even where the second loop goes round.
void NAME(beside)(u8 lo, u8 hi, int *a, const int *b) {
  for (int i = 0; i < 4; i++)
    a[300 + i] = b[i];
  for (u8 j = lo; j != hi; j++)
    a[j] = b[j] + 1;
}
// Nor is it asked that a loop runs that starts so late.
void NAME(far)(u8 lo, u8 hi, int *a, const int *b) {
  for (int i = 0; i < 4; i++)
    a[300 + i] = b[i] + lo;
  for (u8 j = 40; j != hi; j++)
    a[j] = b[j] + 1;
}
void NAME(pointers)(int *first, int *last, const int *b) {
  for (int *at = first; at != last; at++)
    *at = b[at - first];
}
#endif
#ifdef MAIN
typedef unsigned char u8; typedef unsigned short u16;
#define DECLARE(name, T) void original##name(T, T, int *, const int *); void optimized##name(T, T, int *, const int *);
DECLARE(ne8, u8) DECLARE(ne16, u16) DECLARE(ne32, unsigned) DECLARE(step, u8) DECLARE(nested, u8) DECLARE(beside, u8)
DECLARE(far, u8)
void originalpointers(int *, int *, const int *); void optimizedpointers(int *, int *, const int *);
static int x[600], y[600], b[600];
#define BOTH(name, lo, hi) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); original##name(lo, hi, x, b); optimized##name(lo, hi, y, b); \
       same(x, y, sizeof x, #name, lo, hi, 0); } while (0)
static void all_cases(void) {
  fill(b, sizeof b, 7);
  for (int lo = 0; lo < 256; lo++)
    for (int hi = 0; hi < 256; hi++) {
      BOTH(ne8, (u8)lo, (u8)hi);
      if (lo % 8 == 5) BOTH(beside, (u8)lo, (u8)hi);
      if (lo % 8 == 3) BOTH(far, (u8)lo, (u8)hi);
      if ((hi - lo) % 4 == 0) BOTH(step, (u8)lo, (u8)hi);
      if (lo % 16 == 1 && hi % 16 == 3) BOTH(nested, (u8)lo, (u8)hi);
      if (lo % 16 == 1 && hi % 16 == 3) {
        BOTH(ne16, (u16)(lo * 250), (u16)(hi * 250));
        BOTH(ne16, (u16)(lo / 4), (u16)(hi / 2));
      }
    }
  for (int n = 0; n < 20; n++) {
    BOTH(ne32, 0u - (unsigned)n, 10u); BOTH(ne32, 10u, 10u + n); BOTH(ne32, 0x7ffffff0u, 0x7ffffff0u + n);
    fill(x, sizeof x, 1), fill(y, sizeof y, 1);
    originalpointers(x + 3, x + 3 + n, b), optimizedpointers(y + 3, y + 3 + n, b);
    same(x, y, sizeof x, "pointers", n, 0, 0);
  }
}
#endif
