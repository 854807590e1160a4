// Minima and maxima of integers that go from one iteration to the next, alone and beside statements that do not wait: programs that look
// for the best way through a table. Rows lie behind tables of pointers; some of them are the same row, overlap by a cell, or are the table of
// costs. Every result is compared bit by bit with what the program computes without Orthant.
#include <stdio.h>
#include <stdlib.h>

static unsigned long hash(const void *bytes, unsigned long count, unsigned long seed) {
  const unsigned char *at = bytes;
  for (unsigned long i = 0; i < count; i++)
    seed = (seed ^ at[i]) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
/* x, y, z and the costs a to d have m + 2 cells, t has n. */
#define LOOPS(T, name)                                                                                                 \
  __attribute__((noinline)) static void name##_##T(int n, int m, const unsigned char *t, T **x, T **y, T **z, T **costs)

#define FORMS(T)                                                                                                       \
  /* A profile: matches and insertions wait for the row before only, deletions for the cell before. */                 \
  LOOPS(T, profile) {                                                                                                  \
    FOR(i, 1, n) {                                                                                                     \
      T *here = x[i], *over = y[i], *into = z[i], *above = x[i - 1], *skipped = y[i - 1], *inserted = z[i - 1];        \
      T *a = costs[0], *b = costs[1], *c = costs[2], *d = costs[3], *letter = costs[4 + t[i] % 4], other;              \
      FOR(k, 1, m + 1) {                                                                                               \
        here[k] = above[k - 1] + a[k - 1];                                                                             \
        if ((other = inserted[k - 1] + b[k - 1]) > here[k])                                                            \
          here[k] = other;                                                                                             \
        if ((other = skipped[k - 1] + c[k]) > here[k])                                                                 \
          here[k] = other;                                                                                             \
        here[k] += letter[k];                                                                                          \
        if (here[k] < (T)7)                                                                                            \
          here[k] = (T)7;                                                                                              \
        over[k] = over[k - 1] + d[k - 1];                                                                              \
        if ((other = here[k - 1] + a[k - 1]) > over[k])                                                                \
          over[k] = other;                                                                                             \
        if (over[k] < (T)7)                                                                                            \
          over[k] = (T)7;                                                                                              \
        if (k < m) {                                                                                                   \
          into[k] = above[k] + b[k];                                                                                   \
          if ((other = inserted[k] + c[k]) > into[k])                                                                  \
            into[k] = other;                                                                                           \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Bounds of both kinds, which may not change places, and what only a running maximum is. */                         \
  LOOPS(T, bounded) {                                                                                                  \
    FOR(i, 1, n) {                                                                                                     \
      T *from = x[i - 1], *to = x[i], *most = y[i], *a = costs[t[i] % 8], sum = 3, best = 0;                           \
      FOR(k, 0, m) {                                                                                                   \
        sum = MIN(MAX((T)(sum + a[k]), from[k]), (T)99);                                                               \
        to[k] = sum;                                                                                                   \
        best = MAX(best, from[k]);                                                                                     \
        most[k] = best;                                                                                                \
      }                                                                                                                \
      z[i][0] = best;                                                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Two chains that meet, of which one is used behind the loop, and one that is left early. */                        \
  LOOPS(T, twofold) {                                                                                                  \
    FOR(i, 1, n) {                                                                                                     \
      T *from = x[i - 1], *to = y[i], *a = costs[0], *b = costs[1], u = 1, v = 2;                                      \
      FOR(k, 0, m) {                                                                                                   \
        T old = u;                                                                                                     \
        u = MAX(MAX((T)(u - a[k]), from[k]), (T)(v - b[k]));                                                           \
        v = MAX(MAX((T)(v + b[k]), (T)5), (T)(old + a[k]));                                                            \
        to[k] = u + v;                                                                                                 \
      }                                                                                                                \
      z[i][1] = u;                                                                                                     \
      FOR(k, 0, m) {                                                                                                   \
        v = MIN(MIN((T)(v + a[k]), b[k]), from[k]);                                                                    \
        z[i][2] = v;                                                                                                   \
        if (b[k] == (T)13)                                                                                             \
          break;                                                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
  }

#define MOST 300
#define RUN(T, name)                                                                                                   \
  do {                                                                                                                 \
    FOR(cell, 0, 40 * MOST) memory[cell] = (T)(cell * 2654435761u >> 20);                                              \
    FOR(i, 0, n) {                                                                                                     \
      x[i] = memory + (alias & 1 ? 1 + i % 2 : i) * MOST;                                                              \
      y[i] = alias & 2 ? x[i] + MOST / 2 + i : memory + (10 + i) * MOST;                                               \
      z[i] = alias & 4 ? y[0] + 1 : memory + (20 + i) * MOST;                                                          \
    }                                                                                                                  \
    FOR(kind, 0, 8) costs[kind] = alias & 8 && kind == 1 ? x[n - 1] + 2 : memory + (30 + kind) * MOST;                 \
    name##_##T(n, m, text, x, y, z, costs);                                                                            \
    printf(#name " " #T " %d %d %d %lx\n", n, m, alias, hash(memory, 40 * MOST * sizeof(T), 14695981039346656037ul));   \
  } while (0)

#define ALL(T)                                                                                                         \
  FORMS(T)                                                                                                             \
  static void all_##T(void) {                                                                                          \
    static const int sizes[] = {-3, 0, 1, 2, 3, 7, 39, 41, 64, 100, 131};                                              \
    static T memory[40 * MOST], *x[10], *y[10], *z[10], *costs[8];                                                     \
    static unsigned char text[10];                                                                                     \
    FOR(i, 0, 10) text[i] = i * 7;                                                                                     \
    FOR(size, 0, 11) FOR(alias, 0, 16) {                                                                               \
      int n = 2 + size % 8, m = sizes[size];                                                                           \
      RUN(T, profile);                                                                                                 \
      RUN(T, bounded);                                                                                                 \
      RUN(T, twofold);                                                                                                 \
    }                                                                                                                  \
  }

typedef unsigned char byte;
typedef unsigned word;
ALL(int)
ALL(word)
ALL(long)
ALL(short)
ALL(byte)

int main(void) {
  all_int();
  all_word();
  all_long();
  all_short();
  all_byte();
  return 0;
}
