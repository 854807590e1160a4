// Errors that happen: what was done before them is done. order: reversed
// new loops: checked square two
#include "harness.h"
extern jmp_buf failed;
_Noreturn void fail(long code);
#ifdef KERNELS
void NAME(checked)(long n, long size, long *a, const long *b) {
  for (long i = 0; i < n; i++) {
    if (i >= size)
      fail(i);
    a[i] = 2 * b[i];
  }
}
void NAME(square)(long n, long m, long size, long *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      if ((unsigned long)(i * m + j) >= (unsigned long)size)
        fail(i * 100 + j);
      a[i * m + j] = i - j;
    }
}
void NAME(two)(long n, long low, long high, long *a) {
  for (long i = 0; i < n; i++) {
    if (i + low < 0)
      fail(-i);
    a[i] = i;
    if (i > high)
      fail(i);
    a[i] += 5;
  }
}
#endif
#ifdef MAIN
jmp_buf failed;
_Noreturn void fail(long code) { longjmp(failed, (int)code + 1000); }
void originalchecked(long, long, long *, const long *); void optimizedchecked(long, long, long *, const long *);
void originalsquare(long, long, long, long *); void optimizedsquare(long, long, long, long *);
void originaltwo(long, long, long, long *); void optimizedtwo(long, long, long, long *);
static long x[65], y[65], b[65];
#define RUN(to, call) \
  do { int code = setjmp(failed); if (code == 0) call; to[64] = code; } while (0)
#define BOTH(name, p, q, r, ...) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); { long *a = x; RUN(x, original##name(__VA_ARGS__)); } \
       { long *a = y; RUN(y, optimized##name(__VA_ARGS__)); } same(x, y, sizeof x, #name, p, q, r); } while (0)
static void all_cases(void) {
  fill(b, sizeof b, 5);
  for (long n = -1; n <= 7; n++)
    for (long size = -2; size <= 9; size++) {
      BOTH(checked, n, size, 0, n, size, a, b);
      for (long m = 0; m <= 7; m++)
        BOTH(square, n, m, size * 5, n, m, size * 5, a);
      for (long low = -3; low <= 3; low++)
        BOTH(two, n, low, size, n, low, size, a);
    }
}
#endif
