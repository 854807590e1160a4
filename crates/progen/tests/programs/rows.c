// Rows that are written out, in all shapes that a strip of them can have at its edges: sizes from 1 on that are multiples of
// nothing, rows that begin and end at different places, rows skewed against each other, several loops inside, element types.
// Every result is compared bit by bit with what the program computes without Orthant. Each matrix ends where a page begins that
// must not be touched.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

// Memory for some matrices, each before a page that must not be touched.
enum { MOST = 150, PAGE = 4096, PAGES = (MOST * MOST * 8 + PAGE - 1) / PAGE, MATRICES = 9 };
static char *pages;

static void reserve(void) {
  size_t one = (size_t)(PAGES + 1) * PAGE;
  pages = mmap(NULL, MATRICES * one, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    exit(1);
  for (int at = 0; at < MATRICES; at++)
    if (mprotect(pages + at * one, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE))
      exit(1);
}

static void *end_of(int matrix) { return pages + (size_t)(PAGES + 1) * PAGE * (size_t)matrix + (size_t)PAGES * PAGE; }

static unsigned long hash(const void *bytes, size_t count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FORMS(T)                                                                                                      \
  static T *fresh_##T(int matrix, int cells) {                                                                        \
    T *a = (T *)end_of(matrix) - cells;                                                                               \
    for (int at = 0; at < cells; at++)                                                                                \
      a[at] = (T)((at * 7919l + matrix * 31 + 13) % 1009 + 1) / (T)3;                                                 \
    return a;                                                                                                         \
  }                                                                                                                   \
  __attribute__((noinline)) static void sums_##T(int n, int m, T y[n], T a[n][m], T x[m]) {                           \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        y[i] += a[i][j] * x[j];                                                                                       \
  }                                                                                                                   \
  __attribute__((noinline)) static void both_##T(int n, int m, T y[n], T z[m], T a[n][m], T x[m], T w[n]) {           \
    for (int i = 0; i < n; i++) {                                                                                     \
      y[i] = 0;                                                                                                       \
      for (int j = 0; j < m; j++) {                                                                                   \
        z[j] += w[i] * a[i][j];                                                                                       \
        y[i] += a[i][j] * x[j];                                                                                       \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
  __attribute__((noinline)) static void then_##T(int n, int m, T y[n], T z[m], T a[n][m], T x[m]) {                   \
    for (int i = 0; i < n; i++) {                                                                                     \
      y[i] = 0;                                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        y[i] = y[i] + a[i][j] * x[j];                                                                                 \
      for (int j = 0; j < m; j++)                                                                                     \
        z[j] = z[j] + a[i][j] * y[i];                                                                                 \
    }                                                                                                                 \
  }                                                                                                                   \
  __attribute__((noinline)) static void lower_##T(int n, T x[n], T b[n], T a[n][n]) {                                 \
    for (int i = 0; i < n; i++) {                                                                                     \
      x[i] = b[i];                                                                                                    \
      for (int j = 0; j < i; j++)                                                                                     \
        x[i] -= a[i][j] * x[j];                                                                                       \
      x[i] = x[i] / a[i][i];                                                                                          \
    }                                                                                                                 \
  }                                                                                                                   \
  __attribute__((noinline)) static void upper_##T(int n, T x[n], T b[n], T a[n][n]) {                                 \
    for (int i = n - 1; i >= 0; i--) {                                                                                \
      x[i] = b[i];                                                                                                    \
      for (int j = i + 1; j < n; j++)                                                                                 \
        x[i] -= a[i][j] * x[j];                                                                                       \
    }                                                                                                                 \
  }                                                                                                                   \
  __attribute__((noinline)) static void below_##T(int n, T y[n], T a[n][n], T x[n]) {                                 \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j <= i; j++)                                                                                    \
        y[i] += a[i][j] * x[j];                                                                                       \
  }                                                                                                                   \
  __attribute__((noinline)) static void above_##T(int n, T y[n], T a[n][n], T x[n]) {                                 \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = i; j < n; j++)                                                                                     \
        y[i] -= a[i][j] * x[j];                                                                                       \
  }                                                                                                                   \
  __attribute__((noinline)) static void columns_##T(int n, int m, T y[m], T a[n][m]) {                                \
    for (int j = 0; j < m; j++)                                                                                       \
      for (int i = 0; i < n; i++)                                                                                     \
        y[j] += a[i][j];                                                                                              \
  }                                                                                                                   \
  /* In place, from all eight neighbours. */                                                                          \
  __attribute__((noinline)) static void nine_##T(int t, int n, int m, T a[n][m]) {                                    \
    for (int s = 0; s < t; s++)                                                                                       \
      for (int i = 1; i < n - 1; i++)                                                                                 \
        for (int j = 1; j < m - 1; j++)                                                                               \
          a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +          \
                     a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / (T)9;                                         \
  }                                                                                                                   \
  __attribute__((noinline)) static void five_##T(int n, int m, T a[n][m], T f) {                                      \
    for (int i = 1; i < n; i++)                                                                                       \
      for (int j = 1; j < m; j++)                                                                                     \
        a[i][j] = (a[i - 1][j] + a[i][j - 1]) * f + a[i][j] / f;                                                      \
  }                                                                                                                   \
  __attribute__((noinline)) static void along_##T(int n, int m, T a[n][m], T f) {                                     \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 1; j < m; j++)                                                                                     \
        a[i][j] = a[i][j - 1] / f + a[i][j];                                                                          \
  }                                                                                                                   \
  /* There and back again. */                                                                                         \
  __attribute__((noinline)) static void sweeps_##T(int n, int m, T p[n][m], T q[n][m], T u[m][n], T f) {              \
    for (int i = 1; i < n - 1; i++) {                                                                                 \
      p[i][0] = 0;                                                                                                    \
      q[i][0] = 1;                                                                                                    \
      for (int j = 1; j < m - 1; j++) {                                                                               \
        p[i][j] = f / (f * p[i][j - 1] + 2);                                                                          \
        q[i][j] = (u[j][i - 1] + u[j][i] - u[j][i + 1] - f * q[i][j - 1]) / (f * p[i][j - 1] + 2);                    \
      }                                                                                                               \
      u[m - 1][i] = 1;                                                                                                \
      for (int j = m - 2; j >= 1; j--)                                                                                \
        u[j][i] = p[i][j] * u[j + 1][i] + q[i][j];                                                                    \
    }                                                                                                                 \
  }                                                                                                                   \
  __attribute__((noinline)) static void paths_##T(int n, T d[n][n]) {                                                 \
    for (int k = 0; k < n; k++)                                                                                       \
      for (int i = 0; i < n; i++)                                                                                     \
        for (int j = 0; j < n; j++)                                                                                   \
          d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];                                        \
  }                                                                                                                   \
  /* Two matrices at once, as much of each as the other has. */                                                       \
  __attribute__((noinline)) static void pair_##T(int n, int m, T y[n], T z[n], T a[n][m], T b[n][m], T x[m], T f) {   \
    for (int i = 0; i < n; i++) {                                                                                     \
      z[i] = 0;                                                                                                       \
      y[i] = 0;                                                                                                       \
      for (int j = 0; j < m; j++) {                                                                                   \
        z[i] = a[i][j] * x[j] + z[i];                                                                                 \
        y[i] = b[i][j] * x[j] + y[i];                                                                                 \
      }                                                                                                               \
      y[i] = f * z[i] + f * y[i];                                                                                     \
    }                                                                                                                 \
  }                                                                                                                   \
  static unsigned long all_##T(int n, int m) {                                                                        \
    unsigned long seed = 14695981039346656037ul;                                                                      \
    T *y = fresh_##T(0, n), *z = fresh_##T(1, m), *x = fresh_##T(2, m), *w = fresh_##T(3, n);                         \
    T *a = fresh_##T(4, n * m), *b = fresh_##T(5, n * m), *u = fresh_##T(6, m * n), *nn = fresh_##T(7, n * n);        \
    T *v = fresh_##T(8, n);                                                                                           \
    sums_##T(n, m, y, (void *)a, x);                                                                                  \
    seed = hash(y, sizeof(T) * n, seed);                                                                              \
    both_##T(n, m, y, z, (void *)a, x, w);                                                                            \
    seed = hash(z, sizeof(T) * m, hash(y, sizeof(T) * n, seed));                                                      \
    then_##T(n, m, y, z, (void *)a, x);                                                                               \
    seed = hash(z, sizeof(T) * m, hash(y, sizeof(T) * n, seed));                                                      \
    pair_##T(n, m, y, v, (void *)a, (void *)b, x, (T)5);                                                              \
    seed = hash(v, sizeof(T) * n, hash(y, sizeof(T) * n, seed));                                                      \
    for (int i = 0; i < n; i++)                                                                                       \
      nn[i * n + i] += (T)(40 * n);                                                                                   \
    lower_##T(n, y, w, (void *)nn);                                                                                   \
    upper_##T(n, v, y, (void *)nn);                                                                                   \
    seed = hash(v, sizeof(T) * n, hash(y, sizeof(T) * n, seed));                                                      \
    below_##T(n, y, (void *)nn, w);                                                                                   \
    above_##T(n, y, (void *)nn, v);                                                                                   \
    columns_##T(n, m, z, (void *)a);                                                                                  \
    seed = hash(z, sizeof(T) * m, hash(y, sizeof(T) * n, seed));                                                      \
    sweeps_##T(n, m, (void *)a, (void *)b, (void *)u, (T)3);                                                          \
    seed = hash(u, sizeof(T) * n * m, hash(b, sizeof(T) * n * m, seed));                                              \
    nine_##T(3, n, m, (void *)b);                                                                                     \
    five_##T(n, m, (void *)b, (T)3);                                                                                  \
    along_##T(n, m, (void *)b, (T)3);                                                                                 \
    paths_##T(n, (void *)nn);                                                                                         \
    return hash(nn, sizeof(T) * n * n, hash(b, sizeof(T) * n * m, seed));                                             \
  }

typedef unsigned int word;
FORMS(double)
FORMS(float)
FORMS(word)

int main(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 50, 64, 75, 131, MOST};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  reserve();
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++) {
      int n = sizes[i], m = sizes[j];
      printf("%d %d: %lx %lx %lx\n", n, m, all_double(n, m), all_float(n, m), all_word(n, m));
    }
  return 0;
}
