// For kernels to which addresses are data: both versions work on the same memory, one after the other, from the same start.
#include "harness.h"
#ifdef MAIN
// With room around it for sizes that were overwritten.
static long memory[4096], expected[4096];
#define MID 2048
// Small numbers.
static void fill_longs(void) {
  for (long i = 0; i < 4096; i++)
    memory[i] = i % 3;
}
#define BOTH(name, prepare, p, q, r, ...) \
  do { \
    fill_longs(); prepare; \
    if (!ENDS(original##name(__VA_ARGS__))) break; \
    memcpy(expected, memory, sizeof memory); \
    fill_longs(); prepare; \
    if (!ENDS(optimized##name(__VA_ARGS__))) expected[0]++; \
    same(memory, expected, sizeof memory, #name, p, q, r); \
  } while (0)
#endif
