// Small arrays that each iteration of a loop fills before it reads them, where whole rows are filled and copied by memset, memcpy and
// memmove: as a loop over cells would do it, with lengths that are no whole number of elements, with other bytes than zero, from odd places,
// and with rows that overlap themselves upwards and downwards. What the last iteration leaves is compared, too; so is what happens where
// nothing runs, and where the arrays overlap. Every result is compared bit by bit with what the program computes without Orthant.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long hash(const void *bytes, unsigned long count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (unsigned long i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
#define MORE(a, b) ((a) > (b) ? (a) : (b))
/* a has r * q * p cells, c has 4 * p * p, x and y have 2 * p. */
#define LOOPS(T, name) __attribute__((noinline)) static void name##_##T(int r, int q, int p, T *a, const T *c, T *x, T *y)
#define A(i, j, k) a[((i) * q + (j)) * p + (k)]
#define C(i, j) c[(i) * p + (j)]
#define SUMS(T) FOR(k, 0, p) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k) / (T)64

#define FORMS(T)                                                                                                       \
  /* What LLVM makes of loops over cells. */                                                                           \
  LOOPS(T, whole) {                                                                                                    \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      memset(x, 0, MORE(p, 0) * sizeof(T));                                                                            \
      SUMS(T);                                                                                                         \
      memcpy(&A(i, j, 0), x, MORE(p, 0) * sizeof(T));                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, moved) {                                                                                                    \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) x[k] = (T)k;                                                                                        \
      SUMS(T);                                                                                                         \
      memmove(&A(i, j, 0), x, MORE(p, 0) * sizeof(T));                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  __attribute__((noinline)) static void constant_##T(T a[restrict 2][29][90], const T c[restrict 4 * 90][90], T x[restrict 90]) { \
    FOR(i, 0, 2) FOR(j, 0, 29) {                                                                                       \
      FOR(k, 0, 90) {                                                                                                  \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, 90) x[k] += a[i][j][s] * c[s][k];                                                                    \
      }                                                                                                                \
      FOR(k, 0, 90) a[i][j][k] = x[k];                                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The same with a length that is no whole number of elements, and one of odd bytes. */                              \
  __attribute__((noinline)) static void constant_but_##T(T a[restrict 2][29][90], const T c[restrict 4 * 90][90], T x[restrict 90]) { \
    FOR(i, 0, 2) FOR(j, 0, 29) {                                                                                       \
      memset(x, 0, 90 * sizeof(T));                                                                                    \
      FOR(k, 0, 90) FOR(s, 0, 90) x[k] += a[i][j][s] * c[s][k];                                                        \
      memcpy(a[i][j], x, 90 * sizeof(T) - 2);                                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  __attribute__((noinline)) static void constant_odd_##T(T a[restrict 2][29][90], const T c[restrict 4 * 90][90], T x[restrict 90]) { \
    FOR(i, 0, 2) FOR(j, 0, 29) {                                                                                       \
      memset(x, 0x3f, 90 * sizeof(T));                                                                                 \
      FOR(k, 0, 90) FOR(s, 0, 90) x[k] += a[i][j][s] * c[s][k];                                                        \
      memmove((char *)a[i][j] + 3, (char *)x + 5, 90 * sizeof(T) - 11);                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Not all of the row, so that what is left comes from before; all of it, but half of the last element. */           \
  LOOPS(T, fills_less) {                                                                                               \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      memset(x, 0, MORE(p - 1, 0) * sizeof(T));                                                                        \
      SUMS(T);                                                                                                         \
      memcpy(&A(i, j, 0), x, MORE(p, 0) * sizeof(T));                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, fills_a_part) {                                                                                             \
    (void)y;                                                                                                           \
    if (p > 0)                                                                                                         \
      FOR(i, 0, r) FOR(j, 0, q) {                                                                                      \
        memset(x, 0, p * sizeof(T) - 2);                                                                               \
        SUMS(T);                                                                                                       \
        memcpy(&A(i, j, 0), x, p * sizeof(T) - sizeof(T) / 2);                                                         \
      }                                                                                                                \
  }                                                                                                                    \
  /* More than the sums, bytes that are not zero, and a row from another place. */                                     \
  LOOPS(T, fills_more) {                                                                                               \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      memset(x, 1, MORE(2 * p, 0) * sizeof(T));                                                                        \
      SUMS(T);                                                                                                         \
      memcpy(&A(i, j, 0), x + p / 2, MORE(p, 0) * sizeof(T));                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The row moves within itself: upwards, downwards, and by less than an element. */                                  \
  LOOPS(T, upwards) {                                                                                                  \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p + 1) x[k] = (T)1;                                                                                    \
      SUMS(T);                                                                                                         \
      memmove(x + 1, x, MORE(p, 0) * sizeof(T));                                                                       \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)2;                                                                           \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, downwards) {                                                                                                \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p + 1) x[k] = (T)1;                                                                                    \
      SUMS(T);                                                                                                         \
      memmove(x, x + 1, MORE(p, 0) * sizeof(T));                                                                       \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)2;                                                                           \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, by_a_part) {                                                                                                \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p + 1) x[k] = (T)1;                                                                                    \
      SUMS(T);                                                                                                         \
      memmove((char *)x + 2, x, MORE(p, 0) * sizeof(T));                                                               \
      FOR(k, 0, p) A(i, j, k) = x[k];                                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Through another row, and what is filled is known only here. */                                                    \
  LOOPS(T, through_another) {                                                                                          \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      memset(x, 0, MORE(p, 0) * sizeof(T));                                                                            \
      SUMS(T);                                                                                                         \
      memcpy(y, x, MORE(p, 0) * sizeof(T));                                                                            \
      FOR(k, 0, p) FOR(s, 0, p) y[k] += x[s] * C(s + p, k) / (T)64;                                                    \
      memcpy(&A(i, j, 0), y, MORE(p, 0) * sizeof(T));                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, some_byte) {                                                                                                \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      memset(x, r, MORE(p, 0) * sizeof(T));                                                                            \
      SUMS(T);                                                                                                         \
      memcpy(&A(i, j, 0), x, MORE(p, 0) * sizeof(T));                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Lines that become shorter, and a part of the line before. */                                                      \
  LOOPS(T, shrinking) {                                                                                                \
    (void)r, (void)y;                                                                                                  \
    int i = 0;                                                                                                         \
    FOR(j, 0, (q < p ? q : p)) {                                                                                       \
      memset(x, 0, (unsigned long)(p - j) * sizeof(T));                                                                \
      FOR(k, 0, p - j) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k) / (T)64;                                              \
      memcpy(&A(i, j, j), x, (unsigned long)(p - j) * sizeof(T));                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static void fill_##T(T *cells, int count, int seed) {                                                                \
    FOR(i, 0, count) cells[i] = (T)((i * 7919l + seed) % 101) / (T)7 - (T)(i % 3);                                     \
  }                                                                                                                    \
  static void all_##T(int r, int q, int p, int apart) {                                                                \
    unsigned long lines = (unsigned long)r * q * p + 4096, square = 4ul * p * p + 4096, row = 2ul * p + 64;            \
    T *memory = malloc((lines + square + 2 * row) * sizeof(T));                                                        \
    if (!memory)                                                                                                       \
      exit(1);                                                                                                         \
    /* Not apart: x lies in a, and y in x; where memcpy promises that they do not, only memmove is called. */           \
    T *a = memory, *c = a + lines, *x = apart ? c + square : a + p, *y = apart ? x + row : x + p / 2;                  \
    void (*forms[])(int, int, int, T *, const T *, T *, T *) = {                                                       \
        moved_##T, upwards_##T, downwards_##T, by_a_part_##T, whole_##T, fills_less_##T, fills_a_part_##T,             \
        fills_more_##T, through_another_##T, some_byte_##T, shrinking_##T};                                            \
    for (unsigned form = 0; form < (apart ? sizeof forms / sizeof *forms : 4); form++) {                               \
      fill_##T(memory, (int)(lines + square + 2 * row), (int)form);                                                    \
      FOR(i, 0, (int)square) c[i] = apart ? c[i] : c[i] / (T)64;                                                       \
      forms[form](r, q, p, a, c, x, y);                                                                                \
      printf(#T " %d %d %d %d %u %016lx\n", r, q, p, apart, form, hash(memory, (lines + square + 2 * row) * sizeof(T), form));\
    }                                                                                                                  \
    if (apart && r * q * p >= 2 * 29 * 90 && p >= 90) {                                                                \
      fill_##T(memory, (int)(lines + square + 2 * row), 5);                                                            \
      constant_##T((void *)a, (void *)c, x);                                                                           \
      printf(#T " %016lx\n", hash(memory, (lines + square + 2 * row) * sizeof(T), 7));                                 \
      fill_##T(memory, (int)(lines + square + 2 * row), 5);                                                            \
      constant_but_##T((void *)a, (void *)c, x);                                                                       \
      printf(#T " %016lx\n", hash(memory, (lines + square + 2 * row) * sizeof(T), 8));                                 \
      fill_##T(memory, (int)(lines + square + 2 * row), 5);                                                            \
      constant_odd_##T((void *)a, (void *)c, x);                                                                       \
      printf(#T " %016lx\n", hash(memory, (lines + square + 2 * row) * sizeof(T), 9));                                 \
    }                                                                                                                  \
    free(memory);                                                                                                      \
  }

FORMS(double)
FORMS(unsigned)

int main(void) {
  static const int sizes[][3] = {{0, 0, 0}, {0, 3, 5}, {3, 0, 5}, {3, 5, 0}, {1, 1, 1}, {2, 3, 4}, {2, 8, 8}, {3, 17, 33},
                                 {1, 40, 25}, {4, 31, 37}, {2, 29, 90}, {1, 9, 1100}};
  FOR(at, 0, (int)(sizeof sizes / sizeof *sizes)) FOR(apart, 0, 2) {
    if (!apart && sizes[at][2] > 500)
      continue;
    all_double(sizes[at][0], sizes[at][1], sizes[at][2], apart);
    all_unsigned(sizes[at][0], sizes[at][1], sizes[at][2], apart);
  }
}
