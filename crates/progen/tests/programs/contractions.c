// Sums of products in all shapes that a block of cells in registers can have at its edges: sizes from 1 on that are
// multiples of nothing, triangles, terms that depend on the row or on the column, several operands, element types.
// Every result is compared bit by bit with what the program computes without Orthant. Each matrix ends where a page begins that
// must not be touched.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST = 77, MOST_CELLS = 523 * 523 };

// Memory for some matrices, each between two pages that must not be touched.
enum { PAGE = 4096, PAGES = (MOST_CELLS * 8 + PAGE - 1) / PAGE, MATRICES = 8 };
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

// The end of a matrix's memory.
static char *end_of(int matrix) { return pages + (size_t)(PAGES + 1) * PAGE * (size_t)(matrix + 1); }

static unsigned long hash(const void *bytes, size_t count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define PRODUCTS(T)                                                                                                   \
  static T *fresh_##T(int matrix, int rows, int columns) {                                                            \
    T *a = (T *)end_of(matrix) - rows * columns;                                                                      \
    for (int at = 0; at < rows * columns; at++)                                                                       \
      a[at] = (T)((at * 7919l + matrix * 31 + 13) % 1009) / (T)3;                                                     \
    return a;                                                                                                         \
  }                                                                                                                   \
  __attribute__((noinline)) static void plain_##T(int n, int m, int p, T c[n][m], T a[n][p], T b[p][m]) {             \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] += a[i][k] * b[k][j];                                                                               \
  }                                                                                                                   \
  __attribute__((noinline)) static void scaled_##T(int n, int m, int p, T c[n][m], T a[p][n], T b[p][m], T f) {       \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] -= f * a[k][i] * b[k][j];                                                                           \
  }                                                                                                                   \
  __attribute__((noinline)) static void weighted_##T(int n, int m, int p, T c[n][m], T a[n][p], T b[p][m], T f) {      \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < m; j++)                                                                                      \
        for (int k = 0; k < p; k++)                                                                                    \
          c[i][j] += (f * a[i][k] + b[0][0]) * b[k][j];                                                                \
  }                                                                                                                    \
  __attribute__((noinline)) static void shared_##T(int n, int m, int p, T c[n][m], T a[p][n], T b[p][m], T d[p][m],   \
                                                   T f) {                                                             \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] += (f * a[k][i] + f) * b[k][j] + f * a[k][i] * d[k][j];                                             \
  }                                                                                                                   \
  /* The weight of a term is the same for all rows. */                                                                 \
  __attribute__((noinline)) static void by_term_##T(int n, int m, int p, T c[n][m], T a[p][n], T b[p][m], T w[p]) {    \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < m; j++)                                                                                      \
        for (int k = 0; k < p; k++)                                                                                    \
          c[i][j] += w[k] * a[k][i] * b[k][j];                                                                         \
  }                                                                                                                    \
  __attribute__((noinline)) static void below_##T(int n, int p, T c[n][n], T a[n][p], T b[p][n]) {                    \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j <= i; j++)                                                                                    \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] += a[i][k] * b[k][j];                                                                               \
  }                                                                                                                   \
  __attribute__((noinline)) static void above_##T(int n, int p, T c[n][n], T a[p][n], T b[p][n]) {                    \
    for (int i = 0; i < n - 1; i++)                                                                                   \
      for (int j = i + 1; j < n; j++)                                                                                 \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] += a[k][i] * b[k][j];                                                                               \
  }                                                                                                                   \
  __attribute__((noinline)) static void terms_of_row_##T(int n, int m, T c[n][m], T a[n][n], T b[n][m]) {             \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = 0; k < i; k++)                                                                                   \
          c[i][j] += a[i][k] * b[k][j];                                                                               \
  }                                                                                                                   \
  __attribute__((noinline)) static void terms_of_column_##T(int n, int m, T c[n][m], T a[n][m], T b[m][m]) {          \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = j; k < m; k++)                                                                                   \
          c[i][j] += a[i][k] * b[k][j];                                                                               \
  }                                                                                                                   \
  __attribute__((noinline)) static void two_##T(int n, int m, int p, T c[n][m], T a[n][p], T b[p][m], T d[p][m]) {    \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] += a[i][k] * b[k][j] - d[k][j] * a[i][k];                                                           \
  }                                                                                                                   \
  __attribute__((noinline)) static void turned_##T(int n, int m, int p, T c[n][m], T a[n][p], T b[m][p]) {            \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        for (int k = 0; k < p; k++)                                                                                   \
          c[i][j] += a[i][k] * b[j][k];                                                                               \
  }                                                                                                                   \
  __attribute__((noinline)) static void twice_turned_##T(int n, int p, T c[n][n], T a[n][p], T b[n][p], T f) {        \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int k = 0; k < p; k++)                                                                                     \
        for (int j = 0; j <= i; j++)                                                                                  \
          c[i][j] += a[j][k] * f * b[i][k] + b[j][k] * f * a[i][k];                                                   \
  }                                                                                                                   \
  __attribute__((noinline)) static void diamond_##T(int n, int m, int p, T c[n][m], T a[n][p], T b[p][m]) {           \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        if (j >= 12 - i && j >= i - 12 && j <= i + 20 && j <= 44 - i)                                                 \
          for (int k = 0; k < p; k++)                                                                                 \
            c[i][j] += a[i][k] * b[k][j];                                                                             \
  }                                                                                                                   \
  /* The last rows have no columns: of a, nothing may be read for them. */                                            \
  __attribute__((noinline)) static void corner_##T(int n, int m, int p, int q, T c[n][m], T a[q][p], T b[p][m]) {     \
    for (int i = 0; i < n; i++)                                                                                       \
      for (int j = 0; j < m; j++)                                                                                     \
        if (j <= 9 - i || (j >= 3 * i && j <= 3 * i + 1 && i < q))                                                    \
          for (int k = 0; k < p; k++)                                                                                 \
            c[i][j] += a[i][k] * b[k][j];                                                                             \
  }                                                                                                                   \
  static unsigned long all_##T(int n, int m, int p) {                                                                 \
    T *ca = fresh_##T(0, n, m), *cb = fresh_##T(0, n, n);                                                             \
    T *np = fresh_##T(1, n, p), *pn = fresh_##T(2, p, n), *pm = fresh_##T(3, p, m), *dm = fresh_##T(4, p, m);         \
    T *nn = fresh_##T(5, n, n), *nm = fresh_##T(6, n, m), *mm = fresh_##T(7, m, m);                                   \
    unsigned long seed = 14695981039346656037ul;                                                                      \
    ca = fresh_##T(0, n, m);                                                                                          \
    plain_##T(n, m, p, (void *)ca, (void *)np, (void *)pm);                                                           \
    scaled_##T(n, m, p, (void *)ca, (void *)pn, (void *)pm, (T)3);                                                    \
    by_term_##T(n, m, p, (void *)ca, (void *)pn, (void *)pm, fresh_##T(5, 1, p));                                      \
    nn = fresh_##T(5, n, n);                                                                                           \
    weighted_##T(n, m, p, (void *)ca, (void *)np, (void *)pm, (T)7);                                                   \
    two_##T(n, m, p, (void *)ca, (void *)np, (void *)pm, (void *)dm);                                                 \
    shared_##T(n, m, p, (void *)ca, (void *)pn, (void *)pm, (void *)dm, (T)7);                                        \
    terms_of_row_##T(n, m, (void *)ca, (void *)nn, (void *)nm);                                                       \
    terms_of_column_##T(n, m, (void *)ca, (void *)nm, (void *)mm);                                                    \
    diamond_##T(n, m, p, (void *)ca, (void *)np, (void *)pm);                                                         \
    if (n > 10) {                                                                                                     \
      int q = m > 45 ? 16 : m > 30 ? 11 : 10;                                                                         \
      corner_##T(n, m, p, q < n ? q : n, (void *)ca, (void *)fresh_##T(2, q < n ? q : n, p), (void *)pm);             \
    }                                                                                                                 \
    turned_##T(n, m, p, (void *)ca, (void *)np, (void *)fresh_##T(2, m, p));                                          \
    seed = hash(ca, sizeof(T) * n * m, seed);                                                                         \
    cb = fresh_##T(0, n, n);                                                                                          \
    below_##T(n, p, (void *)cb, (void *)np, (void *)pn);                                                              \
    above_##T(n, p, (void *)cb, (void *)pn, (void *)pn);                                                              \
    twice_turned_##T(n, p, (void *)cb, (void *)np, (void *)fresh_##T(2, n, p), (T)5);                                 \
    return hash(cb, sizeof(T) * n * n, seed);                                                                         \
  }

typedef unsigned int word;
PRODUCTS(double)
PRODUCTS(float)
PRODUCTS(word)

static void all_types(int n, int m, int p) {
  printf("%d %d %d: %lx %lx %lx\n", n, m, p, all_double(n, m, p), all_float(n, m, p), all_word(n, m, p));
}

// Many small products with constant sizes: a few blocks, short sums, edges.
#define BATCH(T, N, M, P)                                                                                              \
  __attribute__((noinline)) static void batch_##T##_##N##_##M##_##P(int count, T (*c)[N][M], T (*a)[N][P],             \
                                                                    T (*b)[P][M]) {                                    \
    for (int t = 0; t < count; t++)                                                                                    \
      for (int i = 0; i < N; i++)                                                                                      \
        for (int j = 0; j < M; j++)                                                                                    \
          for (int k = 0; k < P; k++)                                                                                  \
            c[t][i][j] += a[t][i][k] * b[t][k][j];                                                                     \
  }                                                                                                                    \
  static void test_batch_##T##_##N##_##M##_##P(void) {                                                                 \
    enum { COUNT = 5 };                                                                                                \
    T *c = fresh_##T(0, COUNT * N, M);                                                                                 \
    batch_##T##_##N##_##M##_##P(COUNT, (T(*)[N][M])c, (T(*)[N][P])fresh_##T(1, COUNT * N, P),                          \
                                (T(*)[P][M])fresh_##T(2, COUNT * P, M));                                               \
    printf("batch " #T " %d %d %d: %016lx\n", N, M, P, hash(c, COUNT * N * M * sizeof *c, 1));                         \
  }
BATCH(double, 32, 32, 32)
BATCH(double, 48, 48, 48)
BATCH(double, 41, 64, 100)
BATCH(float, 44, 32, 16)
BATCH(float, 64, 72, 80)

int main(void) {
  static const int sizes[] = {1, 2, 7, 8, 9, 15, 16, 23, 24, 25, 31, 33, 48, 49, 63, MOST};
  // Several tiles of terms, of rows and of columns.
  static const int large[][3] = {{213, 61, 523}, {301, 523, 40}, {20, 301, 270}, {226, 230, 288}};
  enum { COUNT = sizeof sizes / sizeof *sizes, LARGE = sizeof large / sizeof *large };
  reserve();
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++) {
      int n = sizes[i], m = sizes[j], p = sizes[(i * 5 + j * 3) % COUNT];
      all_types(n, m, p);
    }
  for (int i = 0; i < LARGE; i++)
    all_types(large[i][0], large[i][1], large[i][2]);
  test_batch_double_32_32_32();
  test_batch_double_48_48_48();
  test_batch_double_41_64_100();
  test_batch_float_44_32_16();
  test_batch_float_64_72_80();
  return 0;
}
