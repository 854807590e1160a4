// Counters, bounds and subscripts that wrap. order: reversed
// new loops: narrow narrow_less offset down bound ten_a ten_b ends ends64 condition product
#include "harness.h"

#ifdef KERNELS
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef uint64_t u64;
// Figure 9: a counter of 8 bits.
void NAME(narrow)(u8 n, u8 m, int *a, const int *b) {
  for (u8 i = n; i != m; i++)
    a[i] = b[(u8)(i + n)];
}
void NAME(narrow_less)(u32 n, u32 off, int *a, const int *b) {
  for (u32 i = 0; i < n; i++)
    a[(u8)(i + off)] = b[i];
}
// Subscripts modulo 2^32.
void NAME(offset)(u32 n, u32 off, int *a, const int *b) {
  for (u32 i = 0; i < n; i++)
    a[i + off] = b[i];
}
void NAME(down)(u32 n, u32 off, int *a, const int *b) {
  for (u32 i = 0; i < n; i++)
    a[off - i] = b[i];
}
// The bound itself wraps to 0.
void NAME(bound)(u32 n, int *a, const int *b) {
  for (u32 i = 0; i < n + 1; i++)
    a[i] = b[i];
}
// Figure 10, both programs, without the protection of signed types.
void NAME(ten_a)(u32 p, int *a, const int *b) {
  for (u32 i = p + 1; i < 10; i += 1)
    a[(int)(i - 1)] = b[(int)(i - 1)] + 1;
}
void NAME(ten_b)(u32 p, int *a, const int *b) {
  for (u32 i = p; i < 9; i += 1)
    a[i] = b[i] + 1;
}
// Near the ends of the type.
void NAME(ends)(int lo, int hi, int *a, const int *b) {
  for (int i = lo; i < hi; i++)
    a[(u32)i - (u32)lo] = b[hi - 1 - i];
}
void NAME(ends64)(long lo, long hi, int *a, const int *b) {
  for (long i = lo; i < hi; i++)
    a[(u64)i - (u64)lo] = b[hi - 1 - i];
}
void NAME(condition)(u32 n, u32 m, int *a, const int *b) {
  for (u32 i = 0; i < n; i++)
    if (i + m < 8)
      a[i] = b[i];
}
void NAME(product)(u32 n, u32 m, u32 k, int *a, const int *b) {
  for (u32 i = 0; i < n; i++)
    for (u32 j = 0; j < m; j++)
      a[i * k + j] = b[i * m + j];
}
#endif

#ifdef MAIN
typedef unsigned char u8; typedef unsigned u32;
#define DECLARE(name, ...) void original##name(__VA_ARGS__, int *, const int *); void optimized##name(__VA_ARGS__, int *, const int *);
DECLARE(narrow, u8, u8) DECLARE(narrow_less, u32, u32) DECLARE(offset, u32, u32) DECLARE(down, u32, u32) DECLARE(bound, u32)
DECLARE(ten_a, u32) DECLARE(ten_b, u32) DECLARE(ends, int, int) DECLARE(ends64, long, long) DECLARE(condition, u32, u32)
DECLARE(product, u32, u32, u32)
static int x[600], y[600], b[600];
#define BOTH(name, p, q, ...) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); original##name(__VA_ARGS__, x + 8, b + 8); \
       optimized##name(__VA_ARGS__, y + 8, b + 8); \
       same(x, y, sizeof x, #name, p, q, 0); } while (0)
static void all_cases(void) {
  fill(b, sizeof b, 7);
  for (int n = 0; n < 256; n++)
    for (int m = 0; m < 256; m++)
      BOTH(narrow, n, m, (u8)n, (u8)m);
  for (u32 n = 0; n < 300; n += 7)
    for (u32 off = 0; off < 600; off += 5)
      for (u32 sign = 0; sign < 2; sign++)
        BOTH(narrow_less, n, off, n, sign ? 0u - off : off);
  for (u32 n = 0; n < 20; n++)
    for (u32 off = 0; off < 20; off++) {
      BOTH(offset, n, off, n, off);
      if (off <= 0) continue;
      if (n <= off + 1) BOTH(down, n, off, n, off);
      BOTH(condition, n, off, n, off); BOTH(condition, n, off, n, 0u - off);
    }
  for (int n = -3; n < 20; n++) {
    if (n >= -1) BOTH(bound, n, 0, (u32)n);
    BOTH(ten_a, n, 0, (u32)n); BOTH(ten_b, n, 0, (u32)n);
  }
  for (int k = -3; k < 12; k++) {
    BOTH(ends, k, 0, INT32_MAX - (k < 0 ? 0 : k), INT32_MAX + (k < 0 ? k : 0));
    BOTH(ends, k, 1, INT32_MIN, INT32_MIN + (k < 0 ? 0 : k));
    BOTH(ends, k, 2, INT32_MIN + 3, INT32_MIN + 3 + k);
    BOTH(ends, k, 3, INT32_MAX, INT32_MIN + 3 + k);
    BOTH(ends64, k, 0, INT64_MAX - (k < 0 ? 0 : k), INT64_MAX + (k < 0 ? k : 0));
    BOTH(ends64, k, 1, INT64_MIN, INT64_MIN + (k < 0 ? 0 : k));
    BOTH(ends64, k, 2, -2L, (long)k);
    BOTH(ends64, k, 3, INT64_MAX, INT64_MIN + 3 + k);
  }
  // i * k wraps to small numbers: k is a large power of two.
  for (u32 n = 0; n <= 4; n++)
    for (u32 m = 0; m <= 4; m++)
      for (u32 k = 0; k <= 8; k++) {
        BOTH(product, n * 10 + m, k, n, m, k);
        if (n <= 1 || k == 0) BOTH(product, n * 10 + m, k, n, m, 0u - k);
        if (n <= 2) BOTH(product, n * 10 + m, -(long)k, n, m, (k << 29 & 0x80000000u) * (n < 2));
      }
}
#endif
