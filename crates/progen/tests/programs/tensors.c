// Contractions with several free and several summed indices, in different orders and transposed; batches of small matrices; complex
// numbers with their parts side by side. Each with sums in memory and in a scalar where both may be, for sizes that are multiples
// of nothing and for sizes too small for new loops. Every result is compared bit by bit with what the program computes without
// Orthant.
#include <stdio.h>
#include <stdlib.h>

static unsigned long hash(const void *bytes, unsigned long count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (unsigned long i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
#define LOOPS(T, name) __attribute__((noinline)) static void name##_##T(int n, int m, T *restrict c, const T *restrict a, const T *restrict b)

#define FORMS(T)                                                                                                       \
  /* c[i][j][k] += a[i][l][h] * b[h][k][l][j] */                                                                       \
  LOOPS(T, two_sums) {                                                                                                 \
    FOR(i, 0, n) FOR(j, 0, m) FOR(k, 0, n) FOR(l, 0, m) FOR(h, 0, n)                                                   \
      c[(i * m + j) * n + k] += a[(i * m + l) * n + h] * b[((h * n + k) * m + l) * m + j];                             \
  }                                                                                                                    \
  /* The same with a sum in a scalar, and another order of its indices. */                                             \
  LOOPS(T, two_sums_in_scalar) {                                                                                       \
    FOR(i, 0, n) FOR(j, 0, m) {                                                                                        \
      T sum = 0;                                                                                                       \
      FOR(l, 0, m) FOR(h, 0, n) sum += a[(l * n + i) * n + h] * b[(h * m + l) * m + j];                                \
      c[i * m + j] = sum;                                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, three_sums) {                                                                                               \
    FOR(i, 0, n) FOR(j, 0, m) FOR(x, 0, 3) FOR(y, 0, m) FOR(z, 0, 5)                                                   \
      c[i * m + j] += a[((i * 3 + x) * m + y) * 5 + z] * b[((x * m + y) * 5 + z) * m + j];                             \
  }                                                                                                                    \
  /* Inner products of rows of two matrices of pairs. */                                                               \
  LOOPS(T, pairs) {                                                                                                    \
    FOR(i, 0, n) FOR(j, 0, n) FOR(p, 0, m) FOR(q, 0, m) {                                                              \
      T sum = 0;                                                                                                       \
      FOR(e, 0, n) FOR(f, 0, 4) sum += a[((p * m + q) * n + e) * 4 + f] * b[((i * n + j) * n + e) * 4 + f];            \
      c[((i * n + j) * m + p) * m + q] = b[i * n + j] + sum / (T)2;                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, both_transposed) {                                                                                          \
    FOR(i, 0, n) FOR(j, 0, m) {                                                                                        \
      T sum = 0;                                                                                                       \
      FOR(k, 0, n) sum += a[k * n + i] * b[j * n + k];                                                                 \
      c[i * m + j] = sum;                                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, batch) {                                                                                                    \
    FOR(t, 0, 7) FOR(i, 0, n) FOR(j, 0, m) {                                                                           \
      T sum = 0;                                                                                                       \
      FOR(k, 0, n) sum += a[(t * n + i) * n + k] * b[(t * n + k) * m + j];                                             \
      c[(t * n + i) * m + j] += sum;                                                                                   \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, batch_of_vectors) {                                                                                         \
    FOR(t, 0, 9) FOR(i, 0, n) {                                                                                        \
      T sum = 0;                                                                                                       \
      FOR(k, 0, m) sum += a[(t * n + i) * m + k] * b[t * m + k];                                                       \
      c[t * n + i] = sum;                                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, complex_product) {                                                                                          \
    FOR(i, 0, n) FOR(k, 0, m) {                                                                                        \
      T re = a[2 * (i * m + k)], im = a[2 * (i * m + k) + 1];                                                          \
      FOR(j, 0, n) {                                                                                                   \
        c[2 * (i * n + j)] += re * b[2 * (k * n + j)] - im * b[2 * (k * n + j) + 1];                                   \
        c[2 * (i * n + j) + 1] += re * b[2 * (k * n + j) + 1] + im * b[2 * (k * n + j)];                               \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, complex_columns) {                                                                                          \
    FOR(i, 0, n) FOR(j, 0, m) {                                                                                        \
      T re = c[2 * (i * m + j)] * b[2 * j] - c[2 * (i * m + j) + 1] * b[2 * j + 1];                                    \
      c[2 * (i * m + j) + 1] = c[2 * (i * m + j)] * b[2 * j + 1] + c[2 * (i * m + j) + 1] * b[2 * j];                  \
      c[2 * (i * m + j)] = re + a[0];                                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  LOOPS(T, small_matrices) {                                                                                           \
    FOR(t, 0, n) FOR(i, 0, 4) FOR(j, 0, 4) FOR(k, 0, 4)                                                                \
      c[t * 16 + i * 4 + j] += a[t * 16 + i * 4 + k] * b[t * 16 + k * 4 + j];                                          \
    FOR(t, 0, n) FOR(i, 0, 3) c[t * 3 + i] -= a[t * 3 + i] * (T)m;                                                     \
  }                                                                                                                    \
  static void all_##T(int n, int m) {                                                                                  \
    enum { CELLS = 150000 };                                                                                           \
    T *a = malloc(CELLS * sizeof(T)), *b = malloc(CELLS * sizeof(T)), *c = malloc(CELLS * sizeof(T));                  \
    if (!a || !b || !c)                                                                                                \
      exit(1);                                                                                                         \
    void (*forms[])(int, int, T *restrict, const T *restrict, const T *restrict) = {                                   \
        two_sums_##T, two_sums_in_scalar_##T, three_sums_##T,      pairs_##T,           both_transposed_##T,           \
        batch_##T,    batch_of_vectors_##T,   complex_product_##T, complex_columns_##T, small_matrices_##T};           \
    for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {                                             \
      FOR(i, 0, CELLS) {                                                                                               \
        a[i] = (T)((i * 7919l + 13) % 101) / (T)7 - (T)(i % 3);                                                        \
        b[i] = (T)((i * 31l + 17) % 97) / (T)9;                                                                        \
        c[i] = (T)((i * 13l + 5) % 11);                                                                                \
      }                                                                                                                \
      forms[form](n, m, c, a, b);                                                                                      \
      printf(#T " %d %d %u %016lx\n", n, m, form, hash(c, CELLS * sizeof(T), 1469598103934665603ul));                  \
    }                                                                                                                  \
    free(a), free(b), free(c);                                                                                         \
  }

FORMS(double)
FORMS(float)
FORMS(int)

int main(void) {
  static const int sizes[][2] = {{0, 0}, {1, 1}, {2, 3}, {4, 4}, {7, 9}, {8, 8}, {13, 17}, {16, 16}, {17, 12}, {18, 19}};
  FOR(at, 0, (int)(sizeof sizes / sizeof *sizes)) {
    all_double(sizes[at][0], sizes[at][1]);
    all_float(sizes[at][0], sizes[at][1]);
    all_int(sizes[at][0], sizes[at][1]);
  }
}
