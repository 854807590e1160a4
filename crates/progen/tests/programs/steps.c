// Matrices that are changed in strips of columns, some steps at a time, behind the columns that these steps need of each other; and some
// that nearly may. Sizes are multiples of nothing, constants and known at run time; the test makes the caches so that strips have
// room and the matrices have not. Every result is compared bit by bit with what the program computes without Orthant.
#include <stdio.h>

static unsigned long hash(const void *bytes, unsigned long count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (unsigned long i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
#define LOOPS(T, M, N, name) __attribute__((noinline)) static void name##_##T##_##M##_##N(T a[M][N], T q[M][N], T r[N][N])

#define FORMS(T, M, N)                                                                                                 \
  /* Columns that are made orthogonal to each other, as in the method of Gram and Schmidt. */                          \
  LOOPS(T, M, N, orthogonal) {                                                                                         \
    FOR(k, 0, N) {                                                                                                     \
      T sum = 1;                                                                                                       \
      FOR(i, 0, M) sum += a[i][k] * a[i][k];                                                                           \
      r[k][k] = sum;                                                                                                   \
      FOR(i, 0, M) q[i][k] = a[i][k] / (r[k][k] == 0 ? (T)1 : r[k][k]);                                                \
      FOR(j, k + 1, N) {                                                                                               \
        r[k][j] = 0;                                                                                                   \
        FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                                     \
        FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] * r[k][j];                                                            \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* All columns, of which two are needed before. */                                                                   \
  LOOPS(T, M, N, two_first) {                                                                                          \
    FOR(k, 0, N - 1) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3 + a[i][k + 1];                                                             \
      FOR(j, 0, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Of the columns that are needed before, the furthest is five ahead, and what is written of them is read again. */  \
  LOOPS(T, M, N, few_ahead) {                                                                                          \
    FOR(k, 0, N - 5) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3 + a[i][k + 5] - a[i][k + 2];                                               \
      FOR(i, 0, M) a[i][k] = a[i][k] / (T)2 + q[i][k];                                                                 \
      FOR(j, k + 1, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                      \
      FOR(j, k + 1, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  /* A column that is always needed is far from the others. */                                                         \
  LOOPS(T, M, N, first_column) {                                                                                       \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3 + a[i][0];                                                                 \
      FOR(j, 0, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Columns need those beside them: of the left, of the right, of the left a step before. */                          \
  LOOPS(T, M, N, from_left) {                                                                                          \
    FOR(k, 0, N - 1) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, k + 1, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                      \
      FOR(j, k + 1, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j] + a[i][j - 1] / (T)8;                \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, M, N, from_right) {                                                                                         \
    FOR(k, 0, N - 1) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, k + 1, N - 1) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                  \
      FOR(j, k + 1, N - 1) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j] + a[i][j + 1] / (T)8;            \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, M, N, read_left) {                                                                                          \
    FOR(k, 0, N - 1) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, k + 1, N) FOR(i, 0, M) r[k][j] += q[i][k] * (a[i][j] + a[i][j - 1]);                                      \
      FOR(j, k + 1, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  /* What is needed before reads sums of columns far behind. */                                                        \
  LOOPS(T, M, N, far_sums) {                                                                                           \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3 + r[k > 0 ? k - 1 : 0][N - 1] / (T)64;                                     \
      FOR(j, k + 1, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                      \
      FOR(j, k + 1, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The reader writes what the update of the iteration before reads. */                                               \
  LOOPS(T, M, N, same_row) {                                                                                           \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N) FOR(i, 0, M) r[0][j] += q[i][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[0][j];                                         \
    }                                                                                                                  \
  }

#define FILL(T, cells) FOR(i, 0, cells) memory[i] = (T)((i * 7919l + 13) % 101) / (T)7 - (T)(i % 3)

#define RUN(T, M, N)                                                                                                   \
  static void all_##T##_##M##_##N(void) {                                                                              \
    enum { CELLS = M * N > N * N ? M * N : N * N };                                                                    \
    static T memory[3 * CELLS];                                                                                        \
    void (*forms[])(T[M][N], T[M][N], T[N][N]) = {                                                                     \
        orthogonal_##T##_##M##_##N, two_first_##T##_##M##_##N, few_ahead_##T##_##M##_##N,                              \
        first_column_##T##_##M##_##N, from_left_##T##_##M##_##N, from_right_##T##_##M##_##N,                           \
        read_left_##T##_##M##_##N, far_sums_##T##_##M##_##N, same_row_##T##_##M##_##N};                                \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      FILL(T, 3 * CELLS);                                                                                              \
      forms[form]((void *)memory, (void *)(memory + CELLS), (void *)(memory + 2 * CELLS));                             \
      printf(#T " " #M " " #N " %u %016lx\n", form, hash(memory, sizeof memory, 1469598103934665603ul));               \
    }                                                                                                                  \
  }

FORMS(double, 131, 117)
RUN(double, 131, 117)

// The same with sizes that are known at run time; once with matrices of their own, and once with some that overlap.
#undef LOOPS
#define LOOPS(T, M, N, name)                                                                                           \
  __attribute__((noinline)) static void name##_##T(int M, int N, T a[M][N], T q[M][N], T r[N][N])
FORMS(double, m, n)
FORMS(float, m, n)

#define RUN_ANY(T)                                                                                                     \
  static void all_##T(int m, int n, long apart) {                                                                      \
    enum { CELLS = 140 * 140 };                                                                                        \
    static T memory[3 * CELLS];                                                                                        \
    T *a = memory, *q = a + apart, *r = q + apart;                                                                     \
    void (*forms[])(int m, int n, T[m][n], T[m][n], T[n][n]) = {                                                       \
        orthogonal_##T, two_first_##T, few_ahead_##T, first_column_##T, from_left_##T,                                 \
        from_right_##T, read_left_##T, far_sums_##T, same_row_##T};                                                    \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      FILL(T, 3 * CELLS);                                                                                              \
      forms[form](m, n, (void *)a, (void *)q, (void *)r);                                                              \
      printf(#T " %d %d %ld %u %016lx\n", m, n, apart, form, hash(memory, sizeof memory, 1469598103934665603ul));      \
    }                                                                                                                  \
  }
RUN_ANY(double)
RUN_ANY(float)

int main(void) {
  all_double_131_117();
  static const int sizes[][2] = {{1, 1}, {2, 1}, {3, 2}, {8, 9}, {61, 53}, {64, 64}, {31, 16}, {5, 97}, {139, 140}, {1030, 19}};
  static const long distances[] = {140 * 140, 1, 2000};
  FOR(at, 0, (int)(sizeof sizes / sizeof *sizes)) FOR(far, 0, 3) {
    all_double(sizes[at][0], sizes[at][1], distances[far]);
    all_float(sizes[at][0], sizes[at][1], distances[far]);
  }
}
