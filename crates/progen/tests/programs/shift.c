// Loops that change a matrix which the next iteration of the loop around them reads first of all: such an update may wait for that
// iteration, but for what is needed before; and some that nearly may. Sizes are multiples of nothing, constants and known at run time
// (then rows that are written out share cells that must be told apart); the test makes the caches small. Every result is compared bit by bit with what the program computes without Orthant.
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
  /* The reader is one column ahead or behind. */                                                                      \
  LOOPS(T, M, N, ahead) {                                                                                              \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N - 1) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j + 1];                                                  \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, M, N, behind) {                                                                                             \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 1, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j - 1];                                                      \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* All of it is needed before. */                                                                                    \
  LOOPS(T, M, N, all_first) {                                                                                          \
    FOR(k, 0, N) {                                                                                                     \
      T sum = 0;                                                                                                       \
      FOR(i, 0, M) FOR(j, 0, N) sum += a[i][j];                                                                        \
      q[0][k] = sum / (T)128;                                                                                          \
      FOR(j, 0, N) FOR(i, 0, M) r[k][j] += q[0][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] / (T)2 - q[0][k] / (T)64 * r[k][j];                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  /* What the update reads, the next iteration changes before. */                                                      \
  LOOPS(T, M, N, changed) {                                                                                            \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][0] = a[i][k] / (T)3 + q[i][0] / (T)2;                                                          \
      FOR(j, 0, N) FOR(i, 0, M) r[k][j] += q[i][0] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][0] / (T)64 * r[k][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The reader writes what the update of the iteration before reads. */                                               \
  LOOPS(T, M, N, same_row) {                                                                                           \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N) FOR(i, 0, M) r[0][j] += q[i][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[0][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Two readers. */                                                                                                   \
  LOOPS(T, M, N, two_readers) {                                                                                        \
    FOR(k, 0, N - 1) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) r[k + 1][j] -= a[i][j] / (T)8;                                                         \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j];                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* What the update reads is a cell away from what the reader writes, and one that it writes only then. */            \
  LOOPS(T, M, N, next_cell) {                                                                                          \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N - 1) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                      \
      FOR(j, 0, N - 1) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k][j + 1];                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Rows from the end. */                                                                                             \
  LOOPS(T, M, N, from_end) {                                                                                           \
    FOR(k, 0, N) {                                                                                                     \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N) FOR(i, 0, M) r[N - 1 - k][j] += q[i][k] * a[i][j];                                                  \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[N - 1 - k][j];                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The update reads the row that the reader writes in its place. */                                                  \
  LOOPS(T, M, N, next_row) {                                                                                           \
    FOR(k, 0, N - 1) {                                                                                                 \
      FOR(i, 0, M) q[i][k] = a[i][k] / (T)3;                                                                           \
      FOR(j, 0, N) FOR(i, 0, M) r[k][j] += q[i][k] * a[i][j];                                                          \
      FOR(j, 0, N) FOR(i, 0, M) a[i][j] = a[i][j] - q[i][k] / (T)64 * r[k + 1][j];                                     \
    }                                                                                                                  \
  }

#define RUN(T, M, N)                                                                                                   \
  static void all_##T##_##M##_##N(void) {                                                                              \
    static T a[M][N], q[M][N], r[N][N];                                                                                \
    void (*forms[])(T[M][N], T[M][N], T[N][N]) = {orthogonal_##T##_##M##_##N, two_first_##T##_##M##_##N,               \
                                                  ahead_##T##_##M##_##N,      behind_##T##_##M##_##N,                  \
                                                  all_first_##T##_##M##_##N,  changed_##T##_##M##_##N,                 \
                                                  same_row_##T##_##M##_##N,   two_readers_##T##_##M##_##N,             \
                                                  next_cell_##T##_##M##_##N,  from_end_##T##_##M##_##N,                \
                                                  next_row_##T##_##M##_##N};                                           \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      FOR(i, 0, M) FOR(j, 0, N) a[i][j] = (T)((i * 7919l + j * 31 + 13) % 101) / (T)7 - (T)(j % 3);                    \
      FOR(i, 0, M) FOR(j, 0, N) q[i][j] = (T)((i * 31l + j * 17) % 11) / (T)5;                                         \
      FOR(i, 0, N) FOR(j, 0, N) r[i][j] = (T)((i * 13l + j * 7) % 5) / (T)3;                                           \
      forms[form](a, q, r);                                                                                            \
      unsigned long sum = hash(a, sizeof a, hash(q, sizeof q, hash(r, sizeof r, 1469598103934665603ul)));              \
      printf(#T " " #M " " #N " %u %016lx\n", form, sum);                                                              \
    }                                                                                                                  \
  }

#define BOTH(T, M, N) FORMS(T, M, N) RUN(T, M, N)
BOTH(double, 61, 53)
BOTH(double, 131, 67)
BOTH(double, 5, 45)
BOTH(float, 61, 53)
BOTH(unsigned, 77, 60)

// The same with sizes that are known at run time; once with matrices of their own, and once with some that overlap.
#undef LOOPS
#define LOOPS(T, M, N, name)                                                                                           \
  __attribute__((noinline)) static void name##_##T(int M, int N, T a[M][N], T q[M][N], T r[N][N])
FORMS(double, m, n)
FORMS(float, m, n)
FORMS(unsigned, m, n)

#define RUN_ANY(T)                                                                                                     \
  static void all_##T(int m, int n, long apart) {                                                                      \
    enum { CELLS = 140 * 140 };                                                                                        \
    static T memory[3 * CELLS];                                                                                        \
    T *a = memory, *q = a + apart, *r = q + apart;                                                                     \
    void (*forms[])(int m, int n, T[m][n], T[m][n], T[n][n]) = {                                                       \
        orthogonal_##T, two_first_##T,   ahead_##T,     behind_##T,   all_first_##T, changed_##T,                      \
        same_row_##T,   two_readers_##T, next_cell_##T, from_end_##T, next_row_##T};                                   \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      FOR(i, 0, 3 * CELLS) memory[i] = (T)((i * 7919l + 13) % 101) / (T)7 - (T)(i % 3);                                \
      forms[form](m, n, (void *)a, (void *)q, (void *)r);                                                              \
      printf(#T " %d %d %ld %u %016lx\n", m, n, apart, form, hash(memory, sizeof memory, 1469598103934665603ul));       \
    }                                                                                                                  \
  }
RUN_ANY(double)
RUN_ANY(float)
RUN_ANY(unsigned)

int main(void) {
  all_double_61_53();
  all_double_131_67();
  all_double_5_45();
  all_float_61_53();
  all_unsigned_77_60();
  static const int sizes[][2] = {{1, 1}, {2, 1}, {3, 2}, {8, 9}, {61, 53}, {131, 67}, {5, 45}, {64, 64}, {139, 140}};
  static const long distances[] = {140 * 140, 1, 53, 2000};
  FOR(at, 0, (int)(sizeof sizes / sizeof *sizes)) FOR(far, 0, 4) {
    all_double(sizes[at][0], sizes[at][1], distances[far]);
    all_float(sizes[at][0], sizes[at][1], distances[far]);
    all_unsigned(sizes[at][0], sizes[at][1], distances[far]);
  }
}
