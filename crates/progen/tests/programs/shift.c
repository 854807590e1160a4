// Loops that change a matrix which the next iteration of the loop around them reads first of all: such an update may wait for that
// iteration, but for what is needed before; and some that nearly may. Constant sizes, multiples of nothing; the test makes the caches
// small. Every result is compared bit by bit with what the program computes without Orthant.
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
  static void all_##T##_##M##_##N(void) {                                                                              \
    static T a[M][N], q[M][N], r[N][N];                                                                                \
    void (*forms[])(T[M][N], T[M][N], T[N][N]) = {orthogonal_##T##_##M##_##N, two_first_##T##_##M##_##N,               \
                                                  ahead_##T##_##M##_##N,      behind_##T##_##M##_##N,                  \
                                                  all_first_##T##_##M##_##N,  changed_##T##_##M##_##N,                 \
                                                  same_row_##T##_##M##_##N,   two_readers_##T##_##M##_##N};            \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      FOR(i, 0, M) FOR(j, 0, N) a[i][j] = (T)((i * 7919l + j * 31 + 13) % 101) / (T)7 - (T)(j % 3);                    \
      FOR(i, 0, M) FOR(j, 0, N) q[i][j] = (T)((i * 31l + j * 17) % 11) / (T)5;                                         \
      FOR(i, 0, N) FOR(j, 0, N) r[i][j] = (T)((i * 13l + j * 7) % 5) / (T)3;                                           \
      forms[form](a, q, r);                                                                                            \
      unsigned long sum = hash(a, sizeof a, hash(q, sizeof q, hash(r, sizeof r, 1469598103934665603ul)));              \
      printf(#T " " #M " " #N " %u %016lx\n", form, sum);                                                              \
    }                                                                                                                  \
  }

FORMS(double, 61, 53)
FORMS(double, 131, 67)
FORMS(double, 5, 45)
FORMS(float, 61, 53)
FORMS(unsigned, 77, 60)

int main(void) {
  all_double_61_53();
  all_double_131_67();
  all_double_5_45();
  all_float_61_53();
  all_unsigned_77_60();
}
