// Small arrays that each iteration of a loop fills before it reads them, so that each iteration of a strip may have a copy of its own; and
// some that only look like that. What the last iteration leaves is compared, too; so is what is there where no iteration runs, and
// what happens where the arrays overlap. Sizes known at run time, constant ones, and those of arrays as parameters. Every result is
// compared bit by bit with what the program computes without Orthant.
#include <stdio.h>
#include <stdlib.h>

static unsigned long hash(const void *bytes, unsigned long count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (unsigned long i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
/* a has r * q * p cells, c has 4 * p * p, x and y have 2 * p. */
#define LOOPS(T, name) __attribute__((noinline)) static void name##_##T(int r, int q, int p, T *a, const T *c, T *x, T *y)
#define A(i, j, k) a[((i) * q + (j)) * p + (k)]
#define C(i, j) c[(i) * p + (j)]

#define FORMS(T)                                                                                                       \
  /* Lines times a matrix, in place. */                                                                                \
  LOOPS(T, lines) {                                                                                                    \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) {                                                                                                   \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                                     \
      }                                                                                                                \
      FOR(k, 0, p) A(i, j, k) = x[k];                                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The same with the sum in a scalar, and with arrays as parameters. */                                              \
  __attribute__((noinline)) static void in_scalar_##T(int r, int q, int p, T a[r][q][p], const T c[4 * p][p], T x[p], T y[p]) {\
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) {                                                                                                   \
        T sum = y[k];                                                                                                  \
        FOR(s, 0, p) sum += a[i][j][s] * c[s][k];                                                                      \
        x[k] = sum;                                                                                                    \
      }                                                                                                                \
      FOR(k, 0, p) a[i][j][k] = x[k];                                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Constant sizes. */                                                                                                \
  __attribute__((noinline)) static void constant_##T(T a[3][29][37], const T c[4 * 37][37], T x[37]) {                 \
    FOR(i, 0, 3) FOR(j, 0, 29) {                                                                                       \
      FOR(k, 0, 37) {                                                                                                  \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, 37) x[k] += a[i][j][s] * c[s][k];                                                                    \
      }                                                                                                                \
      FOR(k, 0, 37) a[i][j][k] = x[k];                                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Two arrays, each used by the other's loops. */                                                                    \
  LOOPS(T, two_arrays) {                                                                                               \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) x[k] = 1, y[k] = (T)k;                                                                              \
      FOR(k, 0, p) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                          \
      FOR(k, 0, p) FOR(s, 0, p) y[k] -= A(i, j, s) * C(s + p, k);                                                      \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)2 + y[p - 1 - k] / (T)3;                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Rows filtered upwards, then along the row; behind the nest the last row is read. */                               \
  LOOPS(T, filter) {                                                                                                   \
    FOR(j, 0, r * q - 4) {                                                                                             \
      FOR(k, 0, p) {                                                                                                   \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, 5) x[k] += a[(j + s) * p + k] * c[s];                                                                \
      }                                                                                                                \
      FOR(k, 1, p - 1) a[j * p + k] = (x[k - 1] + x[k] + x[k + 1]) / (T)3;                                             \
    }                                                                                                                  \
    FOR(k, 0, p) y[k] = x[k] + (T)1;                                                                                   \
  }                                                                                                                    \
  /* What was filled is read by a sum, too, and in two loops. */                                                       \
  LOOPS(T, sum_of_sums) {                                                                                              \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) x[k] = 0;                                                                                           \
      FOR(k, 0, p) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                          \
      FOR(k, 0, p) y[k] = x[k] / (T)4;                                                                                 \
      FOR(k, 0, p) FOR(s, 0, p) y[k] += x[s] / (T)8 * C(s + p, k);                                                     \
      FOR(k, 0, p) A(i, j, k) = y[k] / (T)16;                                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Lines that grow, and lines that become shorter: what is left then comes from many iterations. */                  \
  LOOPS(T, growing) {                                                                                                  \
    (void)r, (void)y;                                                                                                  \
    FOR(j, 0, q) {                                                                                                     \
      FOR(k, 0, (j + 1 < p ? j + 1 : p)) {                                                                             \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, p) x[k] += A(0, j, s) * C(s, k);                                                                     \
      }                                                                                                                \
      FOR(k, 0, (j + 1 < p ? j + 1 : p)) A(0, j, k) = x[k];                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, shrinking) {                                                                                                \
    (void)r, (void)y, (void)q;                                                                                         \
    FOR(j, 0, p) {                                                                                                     \
      FOR(k, j, p) {                                                                                                   \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, p) x[k] += a[s] * C(s, k);                                                                           \
      }                                                                                                                \
      FOR(k, j, p) a[j * p + k] = x[k];                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The first cell is not filled anew; only the first iteration fills it; only some cells are filled. */              \
  LOOPS(T, but_the_first) {                                                                                            \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 1, p) x[k] = 0;                                                                                           \
      FOR(k, 0, p) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k) / (T)64;                                                  \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)64;                                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, at_first) {                                                                                                 \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      if (j == 0)                                                                                                      \
        FOR(k, 0, p) x[k] = 0;                                                                                         \
      FOR(k, 0, p) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k) / (T)64;                                                  \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)64;                                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, if_positive) {                                                                                              \
    (void)y;                                                                                                           \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) if (A(i, j, k) > 0) x[k] = 0;                                                                       \
      FOR(k, 0, p) FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k) / (T)64;                                                  \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)64;                                                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The row is read between the lines, and what the one before left is read first. */                                 \
  LOOPS(T, between) {                                                                                                  \
    FOR(i, 0, r) {                                                                                                     \
      FOR(j, 0, q) {                                                                                                   \
        FOR(k, 0, p) {                                                                                                 \
          x[k] = 0;                                                                                                    \
          FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                                   \
        }                                                                                                              \
        FOR(k, 0, p) A(i, j, k) = x[k] / (T)64;                                                                        \
      }                                                                                                                \
      FOR(k, 0, p) y[k] += x[k];                                                                                       \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, from_before) {                                                                                              \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) y[k] = x[k] / (T)64;                                                                                \
      FOR(k, 0, p) {                                                                                                   \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                                     \
      }                                                                                                                \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)64 + y[k];                                                                   \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Something else goes from line to line. */                                                                         \
  LOOPS(T, carried) {                                                                                                  \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) {                                                                                                   \
        x[k] = 0;                                                                                                      \
        FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                                     \
      }                                                                                                                \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)64 + y[k];                                                                   \
      FOR(k, 0, p) y[k] = y[k] / (T)2 + x[k] / (T)128;                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* It is read before the nest, and written behind it. */                                                             \
  LOOPS(T, around) {                                                                                                   \
    FOR(k, 0, p) y[k] = x[k] * (T)3;                                                                                   \
    FOR(i, 0, r) FOR(j, 0, q) {                                                                                        \
      FOR(k, 0, p) {                                                                                                   \
        x[k] = y[k];                                                                                                   \
        FOR(s, 0, p) x[k] += A(i, j, s) * C(s, k);                                                                     \
      }                                                                                                                \
      FOR(k, 0, p) A(i, j, k) = x[k] / (T)64;                                                                          \
    }                                                                                                                  \
    FOR(k, 0, p / 2) x[k] += (T)1;                                                                                     \
  }                                                                                                                    \
  static void fill_##T(T *cells, int count, int seed) {                                                                \
    FOR(i, 0, count) cells[i] = (T)((i * 7919l + seed) % 101) / (T)7 - (T)(i % 3);                                     \
  }                                                                                                                    \
  static void all_##T(int r, int q, int p, int apart) {                                                                \
    unsigned long lines = (unsigned long)r * q * p + 4096, square = 4ul * p * p + 4096, row = 2ul * p + 64;            \
    T *memory = malloc((lines + square + 2 * row) * sizeof(T));                                                        \
    if (!memory)                                                                                                       \
      exit(1);                                                                                                         \
    /* Not apart: x lies in a, and y in x. */                                                                          \
    T *a = memory, *c = a + lines, *x = apart ? c + square : a + p, *y = apart ? x + row : x + p / 2;                  \
    void (*forms[])(int, int, int, T *, const T *, T *, T *) = {                                                       \
        lines_##T, two_arrays_##T, filter_##T, sum_of_sums_##T, growing_##T, shrinking_##T, but_the_first_##T, at_first_##T,\
        if_positive_##T, between_##T, from_before_##T, carried_##T, around_##T};                                       \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      fill_##T(memory, (int)(lines + square + 2 * row), (int)form);                                                    \
      /* What is added to itself must not become too large. */                                                         \
      FOR(i, 0, (int)square) c[i] = apart ? c[i] : c[i] / (T)64;                                                       \
      forms[form](r, q, p, a, c, x, y);                                                                                \
      printf(#T " %d %d %d %d %u %016lx\n", r, q, p, apart, form, hash(memory, (lines + square + 2 * row) * sizeof(T), form));\
    }                                                                                                                  \
    fill_##T(memory, (int)(lines + square + 2 * row), 5);                                                              \
    FOR(i, 0, (int)square) c[i] = apart ? c[i] : c[i] / (T)64;                                                         \
    if (r > 0 && q > 0 && p > 0)                                                                                       \
      in_scalar_##T(r, q, p, (void *)a, (void *)c, x, y);                                                              \
    if (r * q * p >= 3 * 29 * 37 && p >= 37)                                                                           \
      constant_##T((void *)a, (void *)c, x);                                                                           \
    printf(#T " %d %d %d %d %016lx\n", r, q, p, apart, hash(memory, (lines + square + 2 * row) * sizeof(T), 7));       \
    free(memory);                                                                                                      \
  }

FORMS(double)
FORMS(float)
FORMS(unsigned)

int main(void) {
  static const int sizes[][3] = {{0, 0, 0}, {0, 3, 5}, {3, 0, 5}, {3, 5, 0}, {1, 1, 1}, {2, 3, 4}, {2, 8, 8}, {3, 17, 33},
                                 {1, 40, 25}, {4, 31, 37}, {2, 16, 64}, {1, 9, 1100}};
  FOR(at, 0, (int)(sizeof sizes / sizeof *sizes)) FOR(apart, 0, 2) {
    if (!apart && sizes[at][2] > 500)
      continue;
    all_double(sizes[at][0], sizes[at][1], sizes[at][2], apart);
    all_float(sizes[at][0], sizes[at][1], sizes[at][2], apart);
    all_unsigned(sizes[at][0], sizes[at][1], sizes[at][2], apart);
  }
}
