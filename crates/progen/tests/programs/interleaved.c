// Sums of products over parts that are interleaved: complex numbers, points, colours. Blocks of cells that are two, three or four
// apart, with sizes that are multiples of nothing, triangles, forms that nearly are such sums, cells between them that belong to
// somebody else, operands that overlap the result by a part of a cell. Every result is compared bit by bit with what the program
// computes without Orthant. Each matrix ends where a page begins that must not be touched.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST = 61, MOST_CELLS = 4 * 301 * 301 };

// Memory for some matrices, each between two pages that must not be touched.
enum { PAGE = 4096, PAGES = (MOST_CELLS * 8 + PAGE - 1) / PAGE, MATRICES = 4 };
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

#define ALONE __attribute__((noinline)) static void
#define EACH(n, m)                                                                                                     \
  for (int i = 0; i < n; i++)                                                                                          \
    for (int j = 0; j < m; j++)

#define SUMS(T)                                                                                                        \
  typedef struct {                                                                                                     \
    T re, im;                                                                                                          \
  } two_##T;                                                                                                           \
  typedef struct {                                                                                                     \
    T x, y, z;                                                                                                         \
  } three_##T;                                                                                                         \
  typedef struct {                                                                                                     \
    T r, g, b, a;                                                                                                      \
  } four_##T;                                                                                                          \
  typedef struct {                                                                                                     \
    T a, b, c, d, e;                                                                                                   \
  } five_##T;                                                                                                          \
  typedef struct {                                                                                                     \
    T value;                                                                                                           \
    short tag, other;                                                                                                  \
  } tagged_##T;                                                                                                        \
  static void *fresh_##T(int matrix, int cells) {                                                                      \
    T *a = (T *)end_of(matrix) - cells;                                                                                \
    for (int at = 0; at < cells; at++)                                                                                 \
      a[at] = (T)((at * 7919l + matrix * 31 + 13) % 1009) / (T)3;                                                      \
    return a;                                                                                                          \
  }                                                                                                                    \
  /* The second sum begins behind the store of the first one. */                                                       \
  ALONE product_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                          \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][j].re += a[i][k].re * b[k][j].re - a[i][k].im * b[k][j].im;                                                 \
      c[i][j].im += a[i][k].re * b[k][j].im + a[i][k].im * b[k][j].re;                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* All is loaded before anything is stored. */                                                                       \
  ALONE at_once_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                          \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      two_##T x = a[i][k], y = b[k][j], z = c[i][j];                                                                   \
      z.re += x.re * y.re - x.im * y.im;                                                                               \
      z.im += x.re * y.im + x.im * y.re;                                                                               \
      c[i][j] = z;                                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE scalars_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                          \
    EACH(n, m) {                                                                                                       \
      T re = 0, im = 0;                                                                                                \
      for (int k = 0; k < p; k++) {                                                                                    \
        re += a[i][k].re * b[k][j].re - a[i][k].im * b[k][j].im;                                                       \
        im += a[i][k].re * b[k][j].im + a[i][k].im * b[k][j].re;                                                       \
      }                                                                                                                \
      c[i][j].re = re;                                                                                                 \
      c[i][j].im = im;                                                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE flat_##T(int n, int m, int p, T *c, T *a, T *b, T f) {                                                         \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      T ar = f * a[2 * (i * p + k)], ai = f * a[2 * (i * p + k) + 1];                                                  \
      T br = b[2 * (k * m + j)], bi = b[2 * (k * m + j) + 1];                                                          \
      c[2 * (i * m + j)] -= ar * br - ai * bi;                                                                         \
      c[2 * (i * m + j) + 1] -= ar * bi + ai * br;                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE turned_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[m][p]) {                           \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][j].re += a[i][k].re * b[j][k].re + a[i][k].im * b[j][k].im;                                                 \
      c[i][j].im += a[i][k].im * b[j][k].re - a[i][k].re * b[j][k].im;                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE below_##T(int n, int p, two_##T c[n][n], two_##T a[n][p], two_##T b[p][n]) {                                   \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j <= i; j++)                                                                                     \
        for (int k = 0; k < p; k++) {                                                                                  \
          c[i][j].re += a[i][k].re * b[k][j].re - a[i][k].im * b[k][j].im;                                             \
          c[i][j].im += a[i][k].re * b[k][j].im + a[i][k].im * b[k][j].re;                                             \
        }                                                                                                              \
  }                                                                                                                    \
  ALONE above_##T(int n, int p, two_##T c[n][n], two_##T a[p][n], two_##T b[p][n]) {                                   \
    for (int i = 0; i < n - 1; i++)                                                                                    \
      for (int j = i + 1; j < n; j++)                                                                                  \
        for (int k = 0; k < p; k++) {                                                                                  \
          c[i][j].re += a[k][i].re * b[k][j].re + a[k][i].im * b[k][j].im;                                             \
          c[i][j].im += a[k][i].re * b[k][j].im - a[k][i].im * b[k][j].re;                                             \
        }                                                                                                              \
  }                                                                                                                    \
  ALONE points_##T(int n, int m, int p, three_##T c[n][m], T w[n][p], three_##T b[p][m]) {                             \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][j].x += w[i][k] * b[k][j].x;                                                                                \
      c[i][j].y += w[i][k] * b[k][j].y;                                                                                \
      c[i][j].z -= w[i][k] * b[k][j].z;                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE colours_##T(int n, int m, int p, four_##T c[n][m], T w[p][n], four_##T b[p][m]) {                              \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][j].r += w[k][i] * b[k][j].r;                                                                                \
      c[i][j].g += w[k][i] * b[k][j].g;                                                                                \
      c[i][j].b += w[k][i] * b[k][j].b;                                                                                \
      c[i][j].a += w[k][i];                                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE far_##T(int n, int m, int p, five_##T c[n][m], T w[n][p], five_##T b[p][m]) {                                  \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][j].b += w[i][k] * b[k][j].e;                                                                                \
      c[i][j].d += w[i][k] * b[k][j].a;                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Between the cells there is something that is no number. */                                                        \
  ALONE tagged_sum_##T(int n, int m, int p, tagged_##T c[n][m], T w[n][p], tagged_##T b[p][m]) {                       \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++)                                                                                        \
      c[i][j].value += w[i][k] * b[k][j].value;                                                                        \
  }                                                                                                                    \
  /* The matrices end with the last cell of the sum. */                                                                \
  ALONE even_##T(int n, int m, int p, T *c, T *w, T *b, int step) {                                                    \
    if (step == 2)                                                                                                     \
      EACH(n, m)                                                                                                       \
    for (int k = 0; k < p; k++)                                                                                        \
      c[2 * (i * m + j)] += w[i * p + k] * b[2 * (k * m + j)];                                                         \
    if (step == 3)                                                                                                     \
      EACH(n, m)                                                                                                       \
    for (int k = 0; k < p; k++)                                                                                        \
      c[3 * (i * m + j)] += w[i * p + k] * b[3 * (k * m + j)];                                                         \
    if (step == 4)                                                                                                     \
      EACH(n, m)                                                                                                       \
    for (int k = 0; k < p; k++)                                                                                        \
      c[4 * (i * m + j)] += w[i * p + k] * b[4 * (k * m + j)];                                                         \
  }                                                                                                                    \
  ALONE backwards_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                        \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][m - 1 - j].re += a[i][k].re * b[k][m - 1 - j].im;                                                           \
      c[i][m - 1 - j].im += a[i][k].im * b[k][m - 1 - j].re;                                                           \
    }                                                                                                                  \
  }                                                                                                                    \
  /* One sum needs the other one. */                                                                                   \
  ALONE chained_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                          \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      c[i][j].re += a[i][k].re * b[k][j].re;                                                                           \
      c[i][j].im += c[i][j].re + a[i][k].im * b[k][j].im;                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The parts change places. */                                                                                       \
  ALONE crossed_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                          \
    EACH(n, m)                                                                                                         \
    for (int k = 0; k < p; k++) {                                                                                      \
      T old = c[i][j].re;                                                                                              \
      c[i][j].re = c[i][j].im + a[i][k].re * b[k][j].re;                                                               \
      c[i][j].im = old + a[i][k].im * b[k][j].im;                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The next number's part. */                                                                                        \
  ALONE next_##T(int n, int m, int p, two_##T c[n][m], two_##T a[n][p], two_##T b[p][m]) {                             \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = 0; j < m - 1; j++)                                                                                  \
        for (int k = 0; k < p; k++) {                                                                                  \
          T left = c[i][j].re, right = c[i][j + 1].im;                                                                 \
          c[i][j + 1].im = right + a[i][k].re * b[k][j].re;                                                            \
          c[i][j].re = left + a[i][k].im * b[k][j].im;                                                                 \
        }                                                                                                              \
  }                                                                                                                    \
  ALONE rows_##T(int n, int m, two_##T y[n], two_##T a[n][m], two_##T x[m]) {                                          \
    EACH(n, m) {                                                                                                       \
      two_##T s = y[i];                                                                                                \
      s.re += a[i][j].re * x[j].re - a[i][j].im * x[j].im;                                                             \
      s.im += a[i][j].re * x[j].im + a[i][j].im * x[j].re;                                                             \
      y[i] = s;                                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  ALONE filter_##T(int n, int p, two_##T y[n], two_##T x[n + p], two_##T h[p]) {                                       \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int k = 0; k < p; k++) {                                                                                    \
        y[i].re += h[k].re * x[i + k].re - h[k].im * x[i + k].im;                                                      \
        y[i].im += h[k].re * x[i + k].im + h[k].im * x[i + k].re;                                                      \
      }                                                                                                                \
  }                                                                                                                    \
  static unsigned long all_##T(int n, int m, int p) {                                                                  \
    unsigned long seed = 14695981039346656037ul;                                                                       \
    void *c = fresh_##T(0, 2 * n * m), *a = fresh_##T(1, 2 * n * p), *b = fresh_##T(2, 2 * p * m);                     \
    product_##T(n, m, p, c, a, b);                                                                                     \
    at_once_##T(n, m, p, c, a, b);                                                                                     \
    flat_##T(n, m, p, c, a, b, (T)3);                                                                                  \
    backwards_##T(n, m, p, c, a, b);                                                                                   \
    chained_##T(n, m, p, c, a, b);                                                                                     \
    crossed_##T(n, m, p, c, a, b);                                                                                     \
    next_##T(n, m, p, c, a, b);                                                                                        \
    turned_##T(n, m, p, c, a, fresh_##T(2, 2 * p * m));                                                                \
    seed = hash(c, 2 * n * m * sizeof(T), seed);                                                                       \
    scalars_##T(n, m, p, c, a, b);                                                                                     \
    rows_##T(n, m, fresh_##T(3, 2 * n), c, fresh_##T(1, 2 * m));                                                       \
    seed = hash(end_of(3) - 2 * n * sizeof(T), 2 * n * sizeof(T), seed);                                               \
    filter_##T(n, p, fresh_##T(3, 2 * n), fresh_##T(1, 2 * (n + p)), fresh_##T(2, 2 * p));                             \
    seed = hash(end_of(3) - 2 * n * sizeof(T), 2 * n * sizeof(T), seed);                                               \
    /* The result begins with the second part of an operand's first number, and the other way round. */                \
    c = fresh_##T(0, 2 * n * m + 2 * n * p);                                                                           \
    flat_##T(n, m, p, c, (T *)c + 1, fresh_##T(2, 2 * p * m), (T)1);                                                   \
    flat_##T(n, m, p, (T *)c + 1, c, fresh_##T(2, 2 * p * m), (T)1);                                                   \
    seed = hash(c, (2 * n * m + 2 * n * p) * sizeof(T), seed);                                                         \
    c = fresh_##T(0, 2 * n * n);                                                                                       \
    below_##T(n, p, c, fresh_##T(1, 2 * n * p), fresh_##T(2, 2 * n * p));                                              \
    above_##T(n, p, c, fresh_##T(1, 2 * n * p), fresh_##T(2, 2 * n * p));                                              \
    seed = hash(c, 2 * n * n * sizeof(T), seed);                                                                       \
    c = fresh_##T(0, 3 * n * m);                                                                                       \
    points_##T(n, m, p, c, fresh_##T(1, n * p), fresh_##T(2, 3 * p * m));                                              \
    seed = hash(c, 3 * n * m * sizeof(T), seed);                                                                       \
    c = fresh_##T(0, 4 * n * m);                                                                                       \
    colours_##T(n, m, p, c, fresh_##T(1, n * p), fresh_##T(2, 4 * p * m));                                             \
    seed = hash(c, 4 * n * m * sizeof(T), seed);                                                                       \
    tagged_##T *t = (tagged_##T *)end_of(0) - n * m, *u = (tagged_##T *)end_of(2) - p * m;                             \
    for (int at = 0; at < n * m; at++)                                                                                 \
      t[at] = (tagged_##T){(T)at, (short)(at * 7), (short)~at};                                                        \
    for (int at = 0; at < p * m; at++)                                                                                 \
      u[at] = (tagged_##T){(T)(at % 91), (short)-at, 7};                                                               \
    tagged_sum_##T(n, m, p, (void *)t, fresh_##T(1, n * p), (void *)u);                                                          \
    for (int at = 0; at < n * m; at++)                                                                                 \
      seed = hash(&t[at].other, 2, hash(&t[at].tag, 2, hash(&t[at].value, sizeof(T), seed)));                          \
    for (int step = 2; step <= 4; step++) {                                                                            \
      int cells = step * n * m - (step - 1);                                                                           \
      c = fresh_##T(0, cells);                                                                                         \
      even_##T(n, m, p, c, fresh_##T(1, n * p), fresh_##T(2, step * p * m - (step - 1)), step);                        \
      seed = hash(c, cells * sizeof(T), seed);                                                                         \
    }                                                                                                                  \
    return seed;                                                                                                       \
  }                                                                                                                    \
  static unsigned long far_apart_##T(int n, int m, int p) {                                                            \
    void *c = fresh_##T(0, 5 * n * m);                                                                                 \
    far_##T(n, m, p, c, fresh_##T(1, n * p), fresh_##T(2, 5 * p * m));                                                 \
    return hash(c, 5 * n * m * sizeof(T), 1);                                                                          \
  }

typedef unsigned int word;
SUMS(double)
SUMS(float)
SUMS(word)

static void all_types(int n, int m, int p) {
  printf("%d %d %d: %lx %lx %lx\n", n, m, p, all_double(n, m, p), all_float(n, m, p), all_word(n, m, p));
}

// Parts of several sizes.
typedef struct {
  double value;
  float first, second;
} mixed;

ALONE mixed_sums(int n, int m, int p, mixed c[n][m], double w[n][p], mixed b[p][m]) {
  EACH(n, m)
  for (int k = 0; k < p; k++) {
    c[i][j].value += w[i][k] * b[k][j].value;
    c[i][j].first += (float)w[i][k] * b[k][j].second;
    c[i][j].second -= b[k][j].first;
  }
}

static void test_mixed(int n, int m, int p) {
  mixed *c = (mixed *)end_of(0) - n * m, *b = (mixed *)end_of(2) - p * m;
  for (int at = 0; at < n * m; at++)
    c[at] = (mixed){at % 83, 1.5f * at, 7};
  for (int at = 0; at < p * m; at++)
    b[at] = (mixed){at % 91 / 3.0, 0.25f * at, at};
  mixed_sums(n, m, p, (void *)c, fresh_double(1, n * p), (void *)b);
  printf("mixed %d %d %d: %lx\n", n, m, p, hash(c, n * m * sizeof *c, 1));
}

// Products with constant sizes, whose parts are the last subscript.
#define CONSTANT(T, N, M, P)                                                                                           \
  ALONE constant_##T##_##N##_##M##_##P(T c[N][M][2], T a[N][P][2], T b[P][M][2]) {                                     \
    EACH(N, M)                                                                                                         \
    for (int k = 0; k < P; k++) {                                                                                      \
      c[i][j][0] += a[i][k][0] * b[k][j][0] - a[i][k][1] * b[k][j][1];                                                 \
      c[i][j][1] += a[i][k][0] * b[k][j][1] + a[i][k][1] * b[k][j][0];                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  static void test_constant_##T##_##N##_##M##_##P(void) {                                                              \
    void *c = fresh_##T(0, 2 * N * M);                                                                                 \
    constant_##T##_##N##_##M##_##P(c, fresh_##T(1, 2 * N * P), fresh_##T(2, 2 * P * M));                               \
    printf("constant " #T " %d %d %d: %016lx\n", N, M, P, hash(c, 2 * N * M * sizeof(T), 1));                          \
  }
CONSTANT(double, 48, 48, 48)
CONSTANT(double, 41, 64, 100)
CONSTANT(float, 64, 72, 80)

int main(void) {
  static const int sizes[] = {1, 2, 7, 8, 9, 16, 24, 25, 33, 48, MOST};
  // Several tiles of terms, of rows and of columns.
  static const int large[][3] = {{113, 61, 301}, {20, 301, 130}, {126, 130, 188}};
  enum { COUNT = sizeof sizes / sizeof *sizes, LARGE = sizeof large / sizeof *large };
  reserve();
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++) {
      int n = sizes[i], m = sizes[j], p = sizes[(i * 5 + j * 3) % COUNT];
      all_types(n, m, p);
      printf("far: %lx %lx %lx\n", far_apart_double(n, m, p), far_apart_float(n, m, p), far_apart_word(n, m, p));
    }
  test_mixed(19, 70, 43);
  test_mixed(48, 48, 48);
  for (int i = 0; i < LARGE; i++)
    all_types(large[i][0], large[i][1], large[i][2]);
  test_constant_double_48_48_48();
  test_constant_double_41_64_100();
  test_constant_float_64_72_80();
  return 0;
}
