// Kernels of Rust: slices.rs. order: reversed
// kernels: copied square raw
// new loops: copied square raw
#include "harness.h"
#ifdef MAIN
static jmp_buf failed;
_Noreturn void fail(long code) { longjmp(failed, (int)code); }
void rust_eh_personality(void) {}
#define DECLARE(name, ...) void original##name(__VA_ARGS__); void optimized##name(__VA_ARGS__);
DECLARE(copied, size_t, long *, size_t, const long *, size_t)
DECLARE(square, size_t, size_t, long *, size_t)
DECLARE(raw, size_t, long *, const long *)
static long x[128], y[128];
#define RUN(to, call) do { int code = setjmp(failed); if (code == 0) call; to[127] = code; } while (0)
#define BOTH(name, p, q, r, ...) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); { long *a = x + 32; RUN(x, original##name(__VA_ARGS__)); } \
       { long *a = y + 32; RUN(y, optimized##name(__VA_ARGS__)); } same(x, y, sizeof x, #name, p, q, r); } while (0)
static void all_cases(void) {
  for (size_t n = 0; n <= 8; n++)
    for (size_t m = 0; m <= 8; m++) {
      for (size_t len = 0; len <= 70; len += 7)
        BOTH(square, n, m, len, n, m, a, len);
      for (size_t len = 0; len <= 8; len++)
        BOTH(copied, n, m, len, n, a, m, a + 40, len);
    }
  for (size_t n = 0; n <= 8; n++)
    for (long at = -10; at <= 10; at++)
      BOTH(raw, n, at, 0, n, a, a + at);
}
#endif
