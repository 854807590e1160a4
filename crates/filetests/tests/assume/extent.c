// A variable of which any cell may be touched, and an array that overlaps it. The indices are of another type, so that nobody
// has to ask where they are. order: reversed
// new loops: gather scatter twice lookup signs
#include "harness.h"
#ifdef KERNELS
static long table[64];
long *NAME(table)(void) { return table; }
void NAME(gather)(int n, long *a, const int *at) {
  for (int i = 0; i < n; i++)
    a[i] = table[at[i]] + 1;
}
// Behind the end of the table is not the table.
void NAME(scatter)(int n, long *a, const int *at) {
  for (int i = 0; i < n; i++)
    a[2 * i] = table[at[i] & 7] ^ table[56 + (at[i] & 7)];
}
void NAME(twice)(int n, int m, long *a, const long *b, const int *at) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = b[i] ^ table[at[j]];
}
// Tables that are no longer than their indices can be.
void NAME(lookup)(int n, unsigned char *a, const unsigned char *at, const unsigned char *table) {
  for (int i = 0; i < n; i++)
    a[i] = table[at[i] & 15];
}
void NAME(signs)(int n, short *a, const unsigned char *at, const short *table) {
  for (int i = 0; i < n; i++)
    a[i] = table[(at[i] & 7) - 4] + table[3 - (at[i] & 7)];
}
#endif
#ifdef MAIN
long *originaltable(void); long *optimizedtable(void);
void originalgather(int, long *, const int *); void optimizedgather(int, long *, const int *);
void originalscatter(int, long *, const int *); void optimizedscatter(int, long *, const int *);
void originaltwice(int, int, long *, const long *, const int *); void optimizedtwice(int, int, long *, const long *, const int *);
void originallookup(int, unsigned char *, const unsigned char *, const unsigned char *);
void optimizedlookup(int, unsigned char *, const unsigned char *, const unsigned char *);
void originalsigns(int, short *, const unsigned char *, const short *);
void optimizedsigns(int, short *, const unsigned char *, const short *);
static unsigned char p[512], q[512];
#define TABLES(name, T, n, to, from, shift) \
  do { \
    fill(p, sizeof p, shift); fill(q, sizeof q, shift); \
    original##name(n, (T *)(p + 256) + (to), p + 256 + (from), (T *)(p + 256)); \
    optimized##name(n, (T *)(q + 256) + (to), q + 256 + (from), (T *)(q + 256)); \
    same(p, q, sizeof p, #name, n, to, from); \
  } while (0)
static long x[64], y[64], b[16];
static int at[16];
// An array in the table, or, from 64 on, one elsewhere.
static long *place(long *table, long *other, long offset) { return offset < 64 ? table + offset : other + (offset - 64); }
#define BOTH(name, p, q, r, ...) \
  do { \
    long *first = originaltable(), *second = optimizedtable(); \
    fill(first, 64 * sizeof(long), 3); fill(second, 64 * sizeof(long), 3); fill(x, sizeof x, 5); fill(y, sizeof y, 5); \
    { long *a = place(first, x, r); original##name(__VA_ARGS__); } \
    { long *a = place(second, y, r); optimized##name(__VA_ARGS__); } \
    same(x, y, sizeof x, #name, p, q, r); same(first, second, 64 * sizeof(long), #name, p, q, r); \
  } while (0)
static void all_cases(void) {
  fill(b, sizeof b, 7);
  for (int n = 0; n <= 9; n++)
    for (int to = -24; to <= 24; to++)
      for (int from = -48; from <= 48; from += 3) {
        TABLES(lookup, unsigned char, n, to, from, n);
        TABLES(signs, short, n, to, from, n);
      }
  for (int step = -3; step <= 3; step++) {
    for (int i = 0; i < 16; i++)
      at[i] = (32 + 7 * i * step) & 63;
    for (long offset = 0; offset <= 80; offset++)
      for (int n = 0; n <= 8; n++) {
        if (offset + n <= 64 || offset >= 64)
          BOTH(gather, n, step, offset, n, a, at);
        if (offset + 2 * n <= 65 || offset >= 64)
          BOTH(scatter, n, step, offset, n, a, at);
        for (int m = 1; m <= 3; m++)
          if (offset + n * m <= 64 || offset >= 64)
            BOTH(twice, n, m, offset, n, m, a, b, at);
      }
  }
}
#endif
