// Statements whose instances store more than once, or load what they have stored: one cell updated in turn, which LLVM carries in a
// scalar and stores each time; stores between which something is read that may be the cell, in all iterations or in one; loads of
// what the same instance stored, where another loop overwrites it all later. Every result is compared bit by bit with what the
// program computes without Orthant.
#include <stdio.h>

enum { MOST = 71, CELLS = 2 * MOST * MOST + 4 * MOST };

static unsigned long hash(const void *bytes, size_t count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
#define DOWN(i, from) for (int i = from; i >= 0; i--)
#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#define KERNEL __attribute__((noinline)) static void
// In each of the shapes that LLVM sees otherwise.
#define BOTH(name, E, BODY)                                                                                            \
  KERNEL name##_rows_##E(int n, T t_[n][n], T u_[n][n], T *restrict a, T *restrict b) { BODY }                         \
  KERNEL name##_flat_##E(int n, T *t_, T *u_, T *a, T *b) { BODY }
#define t(i, j) (((T *)t_)[(long)(i) * n + (j)])
#define u(i, j) (((T *)u_)[(long)(i) * n + (j)])

// What a nest of sums needs to get another order, so that the rest is written anew, too.
#define SUMS FOR(i, 0, n) FOR(j, 0, n) FOR(k, 0, n) u(i, j) = u(i, j) + t(k, i) * t(k, j) / 64;

#define FORMS(E)                                                                                                       \
  /* The first stores are overwritten, subscripts tell it. */                                                          \
  BOTH(fold, E, DOWN(i, n - 2) FOR(j, i + 1, n) {                                                                      \
    t(i, j) = MAX(t(i, j), t(i, j - 1)); t(i, j) = MAX(t(i, j), t(i + 1, j));                                          \
    if (i < j - 1) t(i, j) = MAX(t(i, j), t(i + 1, j - 1) + 1);                                                        \
    FOR(k, i + 1, j) t(i, j) = MAX(t(i, j), t(i, k) + t(k + 1, j)); } (void)a; (void)b; (void)u_;)                     \
  BOTH(three, E, FOR(i, 0, n - 1) FOR(j, 1, n - 1) {                                                                   \
    t(i, j) += t(i, j - 1) / 3; t(i, j) += t(i + 1, j) / 5; t(i, j) += t(i, j + 1) / 7; } SUMS (void)a; (void)b;)      \
  /* Between the stores something of another array is read. */                                                         \
  BOTH(between, E, FOR(i, 0, n) FOR(j, 0, n) {                                                                         \
    T x = u(i, j) / 3; t(i, j) = x; x += a[j]; t(i, j) = x + b[j] / 2; } SUMS)                                         \
  /* With i = j the first store is read. */                                                                            \
  BOTH(turned, E, FOR(i, 0, n) FOR(j, 0, n) {                                                                          \
    T x = u(i, j) / 3; t(i, j) = x; t(i, j) = x + t(j, i); } SUMS (void)a; (void)b;)                                   \
  /* The second store hits the first one's cell in one iteration. */                                                   \
  BOTH(once, E, FOR(i, 0, n) FOR(j, 1, n) {                                                                            \
    T x = t(i, j) / 3; t(i, j - 1) = x; t(i, 0) = x + u(i, j); } SUMS (void)a; (void)b;)                               \
  BOTH(shifted, E, FOR(i, 0, n) FOR(j, 1, n) {                                                                         \
    T x = t(i, j) / 3; t(i, 0) = x; t(i, j - 1) = x + u(i, j); } SUMS (void)a; (void)b;)                               \
  /* The second store happens in some iterations. */                                                                   \
  BOTH(some, E, FOR(i, 0, n) FOR(j, 0, n) {                                                                            \
    T x = u(i, j) / 3; t(i, j) = x; if (j > i) t(i, j) = x + u(j, i); } SUMS (void)a; (void)b;)                        \
  BOTH(by_data, E, FOR(i, 0, n) FOR(j, 0, n) {                                                                         \
    T x = u(i, j) / 3; t(i, j) = x; if (u(j, i) > 20) t(i, j) = x + u(j, i); } SUMS (void)a; (void)b;)                 \
  /* What was stored is loaded in one iteration, and overwritten later; or it was there before. */                     \
  BOTH(own, E, FOR(i, 0, n) { T x = b[i] / 3; a[i] = x; b[i] = a[2 * i] + x; } FOR(i, 0, n) a[i] = u(0, i); SUMS)      \
  BOTH(middle, E, FOR(i, 0, n) { T x = b[i] / 3; a[i] = x; b[i] = a[n - 1 - i] + x; }                                  \
       FOR(i, 0, n) a[i] = u(i, 0); SUMS)                                                                              \
  BOTH(passed_on, E, FOR(i, 0, n) { T s = 0; T x = b[i] / 3; a[i] = x; s = a[2 * i] + x;                               \
       FOR(k, 0, n) { s += t(i, k) / 7; u(k, i) = s; } b[i] = s; } FOR(i, 0, n) a[i] = u(0, i); SUMS)                  \
  BOTH(diagonal, E, FOR(i, 0, n) FOR(j, 0, n) { T x = u(i, j) / 3; t(i, j) = x; u(i, j) = t(j, i) + x; }               \
       FOR(i, 0, n) FOR(j, 0, n) t(i, j) = u(j, i) / 2; SUMS (void)a; (void)b;)

#define ONE(name, E)                                                                                                   \
  fill_##E(n); name##_rows_##E(n, (void *)m_##E, (void *)(m_##E + n * n), m_##E + 2 * n * n, m_##E + 2 * n * n + 2 * n); \
  seed = hash(m_##E, sizeof m_##E, seed);                                                                              \
  fill_##E(n); name##_flat_##E(n, m_##E, m_##E + n * n, m_##E + 2 * n * n, m_##E + 2 * n * n + 2 * n);                 \
  seed = hash(m_##E, sizeof m_##E, seed);                                                                              \
  /* Vectors in the matrix: the check fails. */                                                                        \
  fill_##E(n); name##_flat_##E(n, m_##E, m_##E + n * n, m_##E + n / 2, m_##E + n * n + 1);                             \
  seed = hash(m_##E, sizeof m_##E, seed);

#define ALL(E)                                                                                                         \
  static T m_##E[CELLS];                                                                                               \
  static void fill_##E(int n) { FOR(i, 0, CELLS) m_##E[i] = (T)((i * 37 + n) % 101); }                                 \
  static unsigned long all_##E(int n) {                                                                                \
    unsigned long seed = 14695981039346656037ul;                                                                       \
    ONE(fold, E) ONE(three, E) ONE(between, E) ONE(turned, E) ONE(once, E) ONE(shifted, E) ONE(some, E)                \
    ONE(by_data, E) ONE(own, E) ONE(middle, E) ONE(passed_on, E) ONE(diagonal, E)                                      \
    return seed;                                                                                                       \
  }

typedef unsigned number;
#define T number
FORMS(number)
ALL(number)
#undef T
#define T double
FORMS(double)
ALL(double)
#undef T
#define T float
FORMS(float)
ALL(float)

int main(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 8, 15, 17, 33, 40, 48, 61, MOST};
  FOR(i, 0, (int)(sizeof sizes / sizeof *sizes)) {
    int n = sizes[i];
    printf("%d: %lx %lx %lx\n", n, all_number(n), all_double(n), all_float(n));
  }
  return 0;
}
