// Loops that read the matrix which they write: split at the iteration through which all dependences go, and sums of products
// of cells that are sums themselves. Sizes from 1 on that are multiples of nothing. Every result is compared bit by bit with what
// the program computes without Orthant. The matrix ends where a page begins that must not be touched.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST = 231, PAGE = 4096, PAGES = (MOST * MOST * 8 + PAGE - 1) / PAGE, MATRICES = 2 };
static char *pages;

static void reserve(void) {
  size_t one = (size_t)(PAGES + 1) * PAGE;
  pages = mmap(NULL, MATRICES * one + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    exit(1);
  for (int at = 0; at < MATRICES; at++)
    if (mprotect(pages + PAGE + at * one, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE))
      exit(1);
}

static unsigned long hash(const void *bytes, size_t count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)

#define IN_PLACE(T)                                                                                                    \
  static T *fresh_##T(int matrix, int rows, int columns) {                                                             \
    T *a = (T *)(pages + (size_t)(PAGES + 1) * PAGE * (size_t)(matrix + 1)) - rows * columns;                          \
    /* Products of those in the second one do not grow, so that all cells stay different numbers. */                    \
    T scale = matrix == 1 && (T)1 / (T)2 != 0 ? 8192 : 1;                                                               \
    FOR(at, 0, rows * columns) a[at] = ((T)((at * 7919l + matrix * 31 + 13) % 1009) / (T)7 - (T)(at % 3)) / scale;      \
    return a;                                                                                                          \
  }                                                                                                                    \
  /* Also with a diagonal that is less than zero: row and column k change while k runs. */                             \
  __attribute__((noinline)) static void pivot_##T(int n, T a[n][n]) {                                                  \
    FOR(k, 0, n) FOR(i, 0, n) FOR(j, 0, n) {                                                                           \
      T through = a[i][k] + a[k][j];                                                                                   \
      a[i][j] = a[i][j] < through ? a[i][j] : through;                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  __attribute__((noinline)) static void sum_at_pivot_##T(int n, int m, T a[n][m]) {                                    \
    FOR(k, 0, n) FOR(i, 0, n) FOR(j, 0, m) a[i][j] = a[i][j] - a[i][k] * (T)0.001 + a[k][j] / (T)64;                   \
  }                                                                                                                    \
  /* Through two iterations, and through one that is not where a loop around is. */                                    \
  __attribute__((noinline)) static void two_pivots_##T(int n, T a[n][n]) {                                             \
    FOR(k, 0, n - 1) FOR(i, 0, n) FOR(j, 0, n) a[i][j] = a[i][j] + a[i][k] / (T)16 - a[i][k + 1] / (T)32 - a[k][j] / (T)8; \
  }                                                                                                                    \
  __attribute__((noinline)) static void pivot_behind_##T(int n, T a[n][n]) {                                           \
    FOR(k, 0, n - 1) FOR(i, 0, n) FOR(j, 0, n) a[i][j] = a[i][j] - a[i][k + 1] / (T)16 + a[k][j] / (T)8;               \
  }                                                                                                                    \
  /* The terms are cells that become sums later, or are sums already. */                                               \
  __attribute__((noinline)) static void later_rows_##T(int n, int m, T b[n][m], T a[n][n]) {                           \
    FOR(i, 0, n) FOR(j, 0, m) {                                                                                        \
      FOR(k, i + 1, n) b[i][j] += a[k][i] * b[k][j];                                                                   \
      b[i][j] = b[i][j] / (T)3;                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  __attribute__((noinline)) static void rows_alone_##T(int n, int m, T b[n][m], T a[n][n]) {                           \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, i + 1, n) b[i][j] += a[k][i] * b[k][j];                                           \
  }                                                                                                                    \
  __attribute__((noinline)) static void rows_from_here_##T(int n, int m, T b[n][m], T a[n][n]) {                       \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, i, n) b[i][j] += a[i][k] * b[k][j] / (T)64;                                       \
  }                                                                                                                    \
  __attribute__((noinline)) static void rows_before_##T(int n, int m, T b[n][m], T a[n][n]) {                          \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, 0, i) b[i][j] -= a[i][k] * b[k][j] / (T)64;                                       \
  }                                                                                                                    \
  __attribute__((noinline)) static void some_rows_before_##T(int n, int m, T b[n][m], T a[n][n]) {                     \
    FOR(i, 3, n) FOR(j, 0, m) FOR(k, 0, i - 2) b[i][j] -= a[i][k] * b[k + 1][j] / (T)64;                               \
  }                                                                                                                    \
  /* The last term reads the sum itself, as it is then. */                                                             \
  __attribute__((noinline)) static void up_to_itself_##T(int n, int m, T b[n][m], T a[n][n]) {                         \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, 0, i) b[i][j] -= a[i][k] * b[k + 1][j] / (T)64;                                   \
  }                                                                                                                    \
  __attribute__((noinline)) static void columns_before_##T(int n, int m, T b[n][m], T a[m][m]) {                       \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, 0, j) b[i][j] -= b[i][k] * a[k][j] / (T)64;                                       \
  }                                                                                                                    \
  __attribute__((noinline)) static void other_rows_##T(int n, int m, T b[n][m], T a[n][n]) {                           \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, 0, n) b[i][j] -= a[i][k] * b[k][j] / (T)64;                                       \
  }                                                                                                                    \
  __attribute__((noinline)) static void triangles_##T(int n, T a[n][n]) {                                              \
    FOR(i, 0, n) {                                                                                                     \
      FOR(j, 0, i) {                                                                                                   \
        FOR(k, 0, j) a[i][j] -= a[i][k] * a[k][j];                                                                     \
        a[i][j] = a[i][j] / (T)3;                                                                                      \
      }                                                                                                                \
      FOR(j, i, n) FOR(k, 0, i) a[i][j] -= a[i][k] * a[k][j];                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  __attribute__((noinline)) static void lower_triangle_##T(int n, T a[n][n]) {                                         \
    FOR(i, 0, n) {                                                                                                     \
      FOR(j, 0, i) {                                                                                                   \
        FOR(k, 0, j) a[i][j] -= a[i][k] * a[j][k];                                                                     \
        a[i][j] = a[i][j] / (T)5;                                                                                      \
      }                                                                                                                \
      FOR(k, 0, i) a[i][i] -= a[i][k] * a[i][k];                                                                       \
      a[i][i] = a[i][i] / (T)7;                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  static unsigned long all_##T(int n) {                                                                                \
    unsigned long seed = 14695981039346656037ul;                                                                       \
    T *a = fresh_##T(0, n, n);                                                                                         \
    pivot_##T(n, (void *)a);                                                                                           \
    sum_at_pivot_##T(n, n, (void *)a);                                                                                 \
    two_pivots_##T(n, (void *)a);                                                                                      \
    pivot_behind_##T(n, (void *)a);                                                                                    \
    seed = hash(a, sizeof(T) * n * n, seed);                                                                           \
    FOR(at, 0, 3) {                                                                                                    \
      int m = at == 0 ? n : at == 1 ? (n + 3) / 2 : n < 200 ? n + 17 : n;                                              \
      T *b = fresh_##T(0, n, m);                                                                                       \
      T *small = fresh_##T(1, m > n ? m : n, m > n ? m : n);                                                           \
      later_rows_##T(n, m, (void *)b, (void *)small);                                                                  \
      rows_from_here_##T(n, m, (void *)b, (void *)small);                                                              \
      rows_before_##T(n, m, (void *)b, (void *)small);                                                                 \
      some_rows_before_##T(n, m, (void *)b, (void *)small);                                                            \
      up_to_itself_##T(n, m, (void *)b, (void *)small);                                                                \
      columns_before_##T(n, m, (void *)b, (void *)small);                                                              \
      other_rows_##T(n, m, (void *)b, (void *)small);                                                                  \
      rows_alone_##T(n, m, (void *)b, (void *)small);                                                                  \
      seed = hash(b, sizeof(T) * n * m, seed);                                                                         \
    }                                                                                                                  \
    a = fresh_##T(1, n, n);                                                                                            \
    triangles_##T(n, (void *)a);                                                                                       \
    lower_triangle_##T(n, (void *)a);                                                                                  \
    return hash(a, sizeof(T) * n * n, seed);                                                                           \
  }

typedef unsigned number;
IN_PLACE(double)
IN_PLACE(float)
IN_PLACE(number)

int main(void) {
  static const int sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 48, 49, 63, 77, 130, MOST};
  reserve();
  FOR(i, 0, (int)(sizeof sizes / sizeof *sizes)) {
    int n = sizes[i];
    printf("%d: %lx %lx %lx\n", n, all_double(n), all_float(n), all_number(n));
  }
  return 0;
}
