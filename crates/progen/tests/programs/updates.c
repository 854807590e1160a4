// Updates of cells that may come in any order, because each combines the cell with something by one operation on integers, and such
// that nearly may: of floating-point numbers, by two operations, with terms that read the cell itself, with somebody who looks
// before the last one. Sizes from 1 on that are multiples of nothing. Every result is compared bit by bit with what the program
// computes without Orthant. No sum overflows in the program's own order, but the sums of `head_first` would in another. The
// matrix ends where a page begins that must not be touched.
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST = 311, PAGE = 4096, PAGES = (MOST * MOST * 8 + PAGE - 1) / PAGE, MATRICES = 3 };
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
#define DOWN(i, from) for (int i = from; i >= 0; i--)
#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define KERNEL __attribute__((noinline)) static void

// A triangle whose cells are made of pairs of cells that were finished before: row i from below, column j from the left.
#define FOLD(name, T, HEAD, TERM)                                                                                      \
  KERNEL name##_##T(int n, T t[n][n], T u[n][n]) {                                                                     \
    DOWN(i, n - 1) FOR(j, i + 1, n) {                                                                                  \
      HEAD;                                                                                                            \
      FOR(k, i + 1, j) { TERM; }                                                                                       \
    }                                                                                                                  \
    (void)u;                                                                                                           \
  }
// One operation, also in the head.
#define SAME_OPERATION(T)                                                                                              \
  FOLD(greatest, T, t[i][j] = MAX(t[i][j], t[i][j - 1]); t[i][j] = MAX(t[i][j], t[i + 1][j]);                          \
       if (i < j - 1) t[i][j] = MAX(t[i][j], t[i + 1][j - 1] + 1), t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]))      \
  FOLD(least, T, t[i][j] = MIN(t[i][j], t[i][j - 1] + u[i][j]), t[i][j] = MIN(t[i][j], t[i][k] + t[k + 1][j] - 3))      \
  FOLD(either, T, t[i][j] |= t[i][j - 1] >> 1, t[i][j] |= t[i][k] & t[k + 1][j])                                       \
  FOLD(both, T, t[i][j] &= t[i + 1][j] | 5, t[i][j] &= t[i][k] | t[k + 1][j])                                          \
  FOLD(parity, T, t[i][j] ^= t[i][j - 1], t[i][j] ^= t[i][k] & (t[k + 1][j] | 1))                                      \
  /* Under conditions on counters; and the terms in another order. */                                                  \
  FOLD(some, T, t[i][j] = MAX(t[i][j], t[i][j - 1]);                                                                   \
       if (j > 5) t[i][j] = MAX(t[i][j], u[i][j]), if (k > i + 2 && k < j - 1) t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j])) \
  KERNEL backwards_##T(int n, T t[n][n]) {                                                                             \
    DOWN(i, n - 1) FOR(j, i + 1, n) {                                                                                  \
      t[i][j] = MAX(t[i][j], t[i][j - 1]);                                                                             \
      for (int k = j - 1; k > i; k--)                                                                                  \
        t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]);                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The head reads a cell that is finished later than the one before. */                                              \
  KERNEL knapsack_##T(int n, T t[n][n], T u[n][n]) {                                                                   \
    FOR(i, 1, n) FOR(j, 1, n) {                                                                                        \
      t[i][j] = MAX(t[i][j], t[i][j - 1]);                                                                             \
      FOR(k, 0, j) t[i][j] = MAX(t[i][j], t[i - 1][k] + u[k][j]);                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL columns_##T(int n, T t[n][n], T u[n][n]) {                                                                    \
    FOR(i, 0, n) {                                                                                                     \
      t[0][i] = MAX(t[0][i], u[i][0]);                                                                                 \
      FOR(j, 0, n) t[0][i] = MAX(t[0][i], u[j][i]);                                                                    \
    }                                                                                                                  \
  }
// The order matters: something else is done to the cell, or with it.
#define NEARLY(T)                                                                                                      \
  FOLD(two_operations, T, t[i][j] = MAX(t[i][j], t[i][j - 1]),                                                         \
       t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]); t[i][j] = MIN(t[i][j], u[k][j] + 9))                             \
  FOLD(other_head, T, t[i][j] = MIN(t[i][j], t[i][j - 1]), t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]))              \
  FOLD(set_first, T, t[i][j] = u[i][j] / 2, t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]))                             \
  KERNEL change_last_##T(int n, T t[n][n]) {                                                                           \
    DOWN(i, n - 1) FOR(j, i + 1, n) {                                                                                  \
      FOR(k, i + 1, j) t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]);                                                  \
      t[i][j] = t[i][j] / 3 + t[i][j - 1] / 2;                                                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  /* With k = i and with k = j the term reads the cell. */                                                             \
  KERNEL itself_##T(int n, T t[n][n]) {                                                                                \
    DOWN(i, n - 1) FOR(j, i + 1, n) {                                                                                  \
      t[i][j] = MAX(t[i][j], t[i][j - 1]);                                                                             \
      FOR(k, i, j + 1) t[i][j] = MAX(t[i][j], t[i][k] / 2 + t[k][j] / 3 + 1);                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  FOLD(looked_at, T, t[i][j] = MAX(t[i][j], t[i][j - 1]),                                                              \
       u[k][j] = t[i][j]; t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]))                                               \
  FOLD(twice, T, t[i][j] = MAX(t[i][j], t[i][j - 1]), t[i][j] = MAX(t[i][j], t[i][j] / 2 + t[i][k] / 3))               \
  FOLD(by_data, T, t[i][j] = MAX(t[i][j], t[i][j - 1]),                                                                \
       if (t[i][k] + t[k + 1][j] > t[i][j] + 1) t[i][j] = t[i][k] + t[k + 1][j])                                       \
  FOLD(neighbour, T, t[i][j] = MAX(t[i][j], t[i][j - 1]),                                                              \
       t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]); t[i][j - 1] = MIN(t[i][j - 1], u[k][j]))                         \
  KERNEL shortest_##T(int n, T t[n][n]) {                                                                              \
    FOR(k, 0, n) FOR(i, 0, n) FOR(j, 0, n) t[i][j] = MIN(t[i][j], t[i][k] + t[k][j]);                                  \
  }                                                                                                                    \
  KERNEL edits_##T(int n, T t[n][n], T u[n][n]) {                                                                      \
    FOR(i, 1, n) FOR(j, 1, n) {                                                                                        \
      t[i][j] = MIN(t[i - 1][j] + 1, t[i][j - 1] + 1);                                                                 \
      t[i][j] = MIN(t[i][j], t[i - 1][j - 1] + (u[0][i] != u[1][j]));                                                  \
    }                                                                                                                  \
  }
// Sums; of signed numbers only such that do not overflow in the program's own order.
#define SUMS(T)                                                                                                        \
  FOLD(sum, T, t[i][j] += t[i][j - 1] & 7, t[i][j] += (t[i][k] & 15) * (t[k + 1][j] & 3))                              \
  FOLD(difference, T, t[i][j] -= t[i][j - 1] & 7, t[i][j] -= (t[i][k] & 15) * (t[k + 1][j] & 3) + 1)                   \
  FOLD(chain, T, t[i][j] += t[i][j - 1] & 7, t[i][j] = t[i][j] + (t[i][k] & 15) - (t[k + 1][j] & 3))                   \
  KERNEL product_##T(int n, T t[n][n], T u[n][n], T v[n][n]) {                                                         \
    FOR(i, 0, n) FOR(j, 0, n) {                                                                                        \
      t[i][j] += 5;                                                                                                    \
      FOR(k, 0, n) t[i][j] += (u[k][i] & 255) * (v[k][j] & 255);                                                       \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL totals_##T(int n, T t[n][n], T u[n][n]) {                                                                     \
    FOR(i, 0, n) FOR(j, 0, n) t[0][i] += u[j][i] & 1023;                                                               \
  }

// Numbers up to `most`, each different from its neighbours.
#define FRESH(T)                                                                                                       \
  static T *fresh_##T(int matrix, int n, long most) {                                                                  \
    T *a = (T *)(pages + (size_t)(PAGES + 1) * PAGE * (size_t)(matrix + 1)) - n * n;                                   \
    FOR(at, 0, n *n) a[at] = (T)((at * 7919l + matrix * 31 + 13) % most) - (T)(at % 3);                                \
    return a;                                                                                                          \
  }
#define RUN(name, T, most)                                                                                             \
  {                                                                                                                    \
    T *t = fresh_##T(0, n, most), *u = fresh_##T(1, n, most);                                                          \
    name##_##T(n, (void *)t, (void *)u);                                                                               \
    seed = hash(u, sizeof(T) * n * n, hash(t, sizeof(T) * n * n, seed));                                               \
  }
#define RUN_IN_PLACE(name, T, most)                                                                                    \
  {                                                                                                                    \
    T *t = fresh_##T(0, n, most);                                                                                      \
    name##_##T(n, (void *)t);                                                                                          \
    seed = hash(t, sizeof(T) * n * n, seed);                                                                           \
  }
#define INTEGERS(T)                                                                                                    \
  FRESH(T) SAME_OPERATION(T) SUMS(T) static unsigned long all_##T(int n) {                                             \
    unsigned long seed = 14695981039346656037ul;                                                                       \
    RUN(greatest, T, 101) RUN(least, T, 1009) RUN(either, T, 1009) RUN(both, T, 1009) RUN(parity, T, 1009)             \
    RUN(some, T, 101) RUN_IN_PLACE(backwards, T, 101) RUN(knapsack, T, 101) RUN(columns, T, 1009)                      \
    RUN(sum, T, 101) RUN(difference, T, 101) RUN(chain, T, 101) RUN(totals, T, 1009)                                   \
    T *t = fresh_##T(0, n, 101), *u = fresh_##T(1, n, 1009), *v = fresh_##T(2, n, 1009);                               \
    product_##T(n, (void *)t, (void *)u, (void *)v);                                                                   \
    return hash(t, sizeof(T) * n * n, seed);                                                                           \
  }
#define NEARLY_INTEGERS(T)                                                                                             \
  NEARLY(T) static unsigned long nearly_##T(int n) {                                                                   \
    unsigned long seed = 14695981039346656037ul;                                                                       \
    RUN(two_operations, T, 101) RUN(other_head, T, 101) RUN(set_first, T, 101) RUN_IN_PLACE(change_last, T, 11)        \
    RUN_IN_PLACE(itself, T, 101) RUN(looked_at, T, 101) RUN(twice, T, 101) RUN(by_data, T, 101)                        \
    RUN(neighbour, T, 101) RUN_IN_PLACE(shortest, T, 1009) RUN(edits, T, 7)                                            \
    return seed;                                                                                                       \
  }

typedef unsigned number;
typedef unsigned char byte;
INTEGERS(int)
INTEGERS(number)
INTEGERS(byte)
NEARLY_INTEGERS(int)

// Of floating-point numbers: with zeros of both signs and with what is no number.
FRESH(double)
FOLD(greatest, double, t[i][j] = MAX(t[i][j], t[i][j - 1]), t[i][j] = MAX(t[i][j], t[i][k] * t[k + 1][j]))
FOLD(least, double, t[i][j] = MIN(t[i][j], t[i][j - 1]), t[i][j] = MIN(t[i][j], t[i][k] * t[k + 1][j]))
FOLD(sum, double, t[i][j] += t[i][j - 1] / 64, t[i][j] += t[i][k] * t[k + 1][j] / 1000)
FOLD(fmax, double, t[i][j] = __builtin_fmax(t[i][j], t[i][j - 1]),
     t[i][j] = __builtin_fmax(t[i][j], t[i][k] * t[k + 1][j]))
static unsigned long all_double(int n) {
  unsigned long seed = 14695981039346656037ul;
  RUN(greatest, double, 3) RUN(least, double, 3) RUN(sum, double, 101) RUN(fmax, double, 3)
  double *t = fresh_double(0, n, 3), *u = fresh_double(1, n, 3);
  FOR(at, 0, n * n / 7) t[at * 7] = at % 2 ? -0.0 : __builtin_nan("");
  greatest_double(n, (void *)t, (void *)u);
  least_double(n, (void *)t, (void *)u);
  // Which NaN it is, nobody says.
  FOR(at, 0, n * n) if (t[at] != t[at]) t[at] = 77;
  return hash(t, sizeof(double) * n * n, seed);
}

// Signed and unsigned extremes of one cell are two operations.
KERNEL two_orders(int n, int t[n][n]) {
  DOWN(i, n - 1) FOR(j, i + 1, n) {
    t[i][j] = MAX(t[i][j], t[i][j - 1]);
    FOR(k, i + 1, j) {
      unsigned old = (unsigned)t[i][j], term = (unsigned)t[i][k] - 50u;
      t[i][j] = (int)MAX(old, term);
    }
  }
}

// The head makes room for the terms: without it the sum overflows.
KERNEL head_first(int n, int t[n][n]) {
  DOWN(i, n - 1) FOR(j, i + 1, n) {
    t[i][j] -= 1 << 30;
    FOR(k, i + 1, j) t[i][j] += 8000000 + ((t[i][k] ^ t[k + 1][j]) & 7);
  }
}
static unsigned long others(int n) {
  unsigned long seed = 14695981039346656037ul;
  int *t = fresh_int(0, n, 101);
  two_orders(n, (void *)t);
  seed = hash(t, sizeof(int) * n * n, seed);
  t = fresh_int(0, n, 101);
  FOR(at, 0, n * n) t[at] += INT_MAX - 1000;
  head_first(n, (void *)t);
  return hash(t, sizeof(int) * n * n, seed);
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 31, 33, 34, 37, 41, 48, 65, 77, 100, 131, MOST};
  reserve();
  FOR(i, 0, (int)(sizeof sizes / sizeof *sizes)) {
    int n = sizes[i];
    printf("%d: %lx %lx %lx %lx %lx %lx\n", n, all_int(n), all_number(n), all_byte(n), nearly_int(n), all_double(n),
           others(n));
  }
  return 0;
}
