// Sums of rows in strict order, as vectors across the rows: all that a term may be made from, what goes on beside the sums, sums that
// are stored where others read, and what nearly has that form. Sizes are around multiples of what vectors and strips have, and each
// array ends where a page begins that must not be touched. Every result is compared bit by bit with what the program
// computes without Orthant; some numbers are infinite or none.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST = 90, PAGE = 4096, PAGES = (MOST * MOST * 8 + PAGE - 1) / PAGE, ARRAYS = 7 };
static char *pages;

static void reserve(void) {
  size_t one = (size_t)(PAGES + 1) * PAGE;
  pages = mmap(NULL, ARRAYS * one, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    exit(1);
  for (int at = 0; at < ARRAYS; at++)
    if (mprotect(pages + at * one, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE))
      exit(1);
}

static void *end_of(int array) { return pages + (size_t)(PAGES + 1) * PAGE * (size_t)array + (size_t)PAGES * PAGE; }

// Numbers that are none may have any bits: a sum that is one counts as that.
#define HASH(T)                                                                                                       \
  static unsigned long hash_##T(const T *a, int count, unsigned long seed) {                                          \
    for (int i = 0; i < count; i++) {                                                                                 \
      T value = a[i] != a[i] ? (T)77 : a[i];                                                                          \
      const unsigned char *bytes = (const void *)&value;                                                              \
      for (size_t at = 0; at < sizeof value; at++)                                                                    \
        seed = (seed ^ bytes[at]) * 1099511628211ul;                                                                  \
    }                                                                                                                 \
    return seed;                                                                                                      \
  }

#define FORM(T, name, ...) __attribute__((noinline)) static void name##_##T(int n, int m, __VA_ARGS__)
#define ROWS for (int i = 0; i < n; i++)
#define ALONG for (int j = 0; j < m; j++)

#define FORMS(T, OTHER, SQRT, ABS, MORE)                                                                              \
  static T *fresh_##T(int array, int cells) {                                                                         \
    T *a = (T *)end_of(array) - cells;                                                                                \
    for (int at = 0; at < cells; at++)                                                                                \
      a[at] = (T)((at * 7919l + array * 31 + 13) % 1009 + 1) / (T)3;                                                  \
    return a;                                                                                                         \
  }                                                                                                                   \
  /* Terms. */                                                                                                        \
  FORM(T, minus, T *y, T a[n][m], const T *x) { ROWS ALONG y[i] -= a[i][j] * x[j]; }                                  \
  FORM(T, alone, T *y, T a[n][m]) { ROWS ALONG y[i] += a[i][j]; }                                                     \
  FORM(T, two, T *y, T a[n][m], T b[n][m], const T *x) { ROWS ALONG y[i] += a[i][j] * x[j] + b[i][j] / x[j]; }        \
  FORM(T, pairs, T *y, T a[n][m], T b[n][m]) { ROWS ALONG y[i] += a[i][j] * b[i][j]; }                                \
  FORM(T, norms, T *y, T a[n][m]) { ROWS ALONG y[i] += SQRT(ABS(a[i][j])) - -a[i][j]; }                               \
  FORM(T, least, T *y, T a[n][m], const T *x) { ROWS ALONG y[i] += a[i][j] < x[j] ? a[i][j] : x[j] * 2; }             \
  FORM(T, scaled, T *y, T a[n][m], const T *x, T f) { ROWS ALONG y[i] += f * a[i][j] * x[j]; }                        \
  FORM(T, common, T *y, T a[n][m], const T *x) { ROWS { y[i] = a[i][0]; ALONG y[i] += x[j]; } }                       \
  FORM(T, bytes, T *y, signed char c[n][m], const T *x) { ROWS ALONG y[i] += (T)c[i][j] * x[j]; }                     \
  FORM(T, wider, OTHER *y, T a[n][m], const T *x) { ROWS ALONG y[i] += (OTHER)a[i][j] * (OTHER)x[j]; }                \
  FORM(T, from, T *y, T a[n][m], const T *x) { ROWS ALONG y[i] = x[j] - y[i] + a[i][j]; }                             \
  FORM(T, fused, T *y, T a[n][m], const T *x) { ROWS ALONG y[i] = MORE(a[i][j], x[j], y[i]); }                        \
  FORM(T, times, T *y, T a[n][m]) { ROWS ALONG y[i] *= a[i][j]; }                                                     \
  /* Beside the sums. */                                                                                              \
  FORM(T, counted, T *y, T a[n][m]) { ROWS ALONG y[i] += a[i][j] * (T)j; }                                            \
  FORM(T, other, T *y, T *z, T a[n][m], const T *x) {                                                                 \
    ROWS ALONG { z[j] += x[j] * a[i][j]; y[i] += z[j] * a[i][j]; }                                                    \
  }                                                                                                                   \
  FORM(T, stored, T *y, T a[n][m], T b[n][m], const T *x) {                                                           \
    ROWS ALONG { b[i][j] = a[i][j] * x[j]; y[i] += b[i][j]; }                                                         \
  }                                                                                                                   \
  FORM(T, changed, T *y, T a[n][m], const T *x) { ROWS ALONG { y[i] += a[i][j]; a[i][j] = a[i][j] * x[j]; } }         \
  FORM(T, maxima, T *y, T *z, T a[n][m]) {                                                                            \
    ROWS { z[i] = a[i][0]; ALONG { y[i] += a[i][j]; z[i] = a[i][j] > z[i] ? a[i][j] : z[i]; } }                       \
  }                                                                                                                   \
  FORM(T, kinds, T *y, T *z, T *w, T a[n][m], const T *x) {                                                           \
    ROWS ALONG { y[i] += a[i][j] * x[j]; z[i] -= a[i][j]; w[i] += x[j] / a[i][j]; }                                   \
  }                                                                                                                   \
  /* Where others read. */                                                                                            \
  FORM(T, lower, T *y, T a[n][n]) {                                                                                   \
    ROWS { for (int j = 0; j < i; j++) y[i] -= a[i][j] * y[j]; y[i] /= a[i][i]; } (void)m;                            \
  }                                                                                                                   \
  FORM(T, upper, T *y, T a[n][n]) {                                                                                   \
    for (int i = n - 1; i >= 0; i--) for (int j = n - 1; j > i; j--) y[i] -= a[i][j] * y[j]; (void)m;                 \
  }                                                                                                                   \
  FORM(T, before, T *y, T a[n][m]) { for (int i = m; i < n; i++) ALONG y[i] += a[i][j] * y[j]; }                      \
  FORM(T, gap, T *y, T a[n][m]) { for (int i = 1; i < n; i++) for (int j = 0; j < m && 0 * j < i; j++) y[i] += a[i][j] * y[0]; } \
  FORM(T, banded, T *y, T a[n][m]) {                                                                                  \
    for (int i = 9; i < n; i++) for (int j = 0; j < m; j++) if (j < 9) y[i] -= a[i][j] * y[i - 9 + j];                \
  }                                                                                                                   \
  FORM(T, back, T *y, T a[n][m], const T *x) { ROWS for (int j = m - 1; j >= 0; j--) y[i] += a[i][j] * x[j]; }        \
  FORM(T, apart, T *y, T a[n][m], const T *x) { ROWS for (int j = 0; j < m; j += 2) y[i] += a[i][j] * x[j]; }         \
  FORM(T, across, T *y, T a[n][n], const T *x) { ROWS for (int j = 0; j < n; j++) y[i] += a[j][i] * x[j]; (void)m; }  \
  static unsigned long all_##T(int n, int m) {                                                                        \
    unsigned long seed = 14695981039346656037ul;                                                                      \
    T *y = fresh_##T(0, n), *z = fresh_##T(1, n > m ? n : m), *x = fresh_##T(2, m), *w = fresh_##T(3, n);             \
    T *a = fresh_##T(4, n * m), *b = fresh_##T(5, n * m), *nn = fresh_##T(6, n * n);                                  \
    signed char *c = (signed char *)end_of(5) - n * m;                                                                \
    void *ga = a, *gb = b, *gn = nn;                                                                                  \
    if (m > 5) { a[m / 2] = (T)INFINITY; x[m - 1] = (T)-0.0; a[n * m - 3] = (T)NAN; }                                 \
    for (int i = 0; i < n; i++)                                                                                       \
      nn[i * n + i] += (T)(40 * n);                                                                                   \
    minus_##T(n, m, y, ga, x), alone_##T(n, m, y, ga), two_##T(n, m, y, ga, gb, x), seed = hash_##T(y, n, seed);      \
    pairs_##T(n, m, w, ga, gb), norms_##T(n, m, w, ga), seed = hash_##T(w, n, seed), w = fresh_##T(3, n);             \
    least_##T(n, m, w, ga, x), scaled_##T(n, m, w, ga, x, (T)7), seed = hash_##T(w, n, seed);                         \
    common_##T(n, m, w, ga, x), seed = hash_##T(w, n, seed), y = fresh_##T(0, n), a = fresh_##T(4, n * m);            \
    from_##T(n, m, y, ga, x), fused_##T(n, m, y, ga, x), counted_##T(n, m, y, ga), seed = hash_##T(y, n, seed);       \
    OTHER wide[MOST];                                                                                                 \
    for (int i = 0; i < n; i++) wide[i] = (OTHER)i;                                                                   \
    wider_##T(n, m, wide, ga, x), seed = hash_##OTHER(wide, n, seed);                                                 \
    other_##T(n, m, y, z, ga, x), seed = hash_##T(z, m, hash_##T(y, n, seed));                                        \
    stored_##T(n, m, y, ga, gb, x), changed_##T(n, m, y, ga, x), seed = hash_##T(a, n * m, hash_##T(y, n, seed));     \
    maxima_##T(n, m, y, z, ga), kinds_##T(n, m, y, z, w, ga, x), seed = hash_##T(z, n, hash_##T(w, n, seed));         \
    seed = hash_##T(b, n * m, hash_##T(y, n, seed)), y = fresh_##T(0, n), z = fresh_##T(1, n);                        \
    lower_##T(n, m, y, gn), seed = hash_##T(y, n, seed), upper_##T(n, m, y, gn), seed = hash_##T(y, n, seed);         \
    if (m < n) before_##T(n, m, z, ga);                                                                               \
    gap_##T(n, m, z, ga), banded_##T(n, m, z, ga), seed = hash_##T(z, n, seed), w = fresh_##T(3, n);                  \
    back_##T(n, m, w, ga, x), apart_##T(n, m, w, ga, x), across_##T(n, m, w, gn, y), seed = hash_##T(w, n, seed);     \
    times_##T(n, m, w, ga), seed = hash_##T(w, n, seed), w = fresh_##T(3, n);                                         \
    /* Rows that the sums lie in, or next to. */                                                                      \
    for (int at = 0; at <= 9 && at + n <= n * m; at += 3)                                                             \
      minus_##T(n, m, a + at, ga, x), seed = hash_##T(a, n * m, seed);                                                \
    for (int at = 0; at < n * m; at++) c[at] = (signed char)(at * 37);                                                \
    bytes_##T(n, m, w, (void *)c, x);                                                                                 \
    return hash_##T(w, n, seed);                                                                                      \
  }

HASH(double)
HASH(float)
FORMS(double, float, sqrt, fabs, fma)
FORMS(float, double, sqrtf, fabsf, fmaf)

int main(void) {
  static const int sizes[] = {1, 2, 4, 7, 8, 9, 15, 16, 17, 24, 31, 40, 65, MOST};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  reserve();
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++) {
      int n = sizes[i], m = sizes[j];
      printf("%d %d: %lx %lx\n", n, m, all_double(n, m), all_float(n, m));
    }
  return 0;
}
