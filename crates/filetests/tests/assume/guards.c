// Memory that the original does not touch is not touched to find out whether the new loops may run. order: own
// flags: -fno-strict-aliasing
// held: always
// undefined: null alignment
// new loops: inner grid guarded later nested quotient remainder perhaps whole
#include "harness.h"
struct matrix { long rows, columns; long *data; };
struct holder { struct matrix *matrix; long other; };
#ifdef KERNELS
void NAME(inner)(long n, const long *m, long *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < *m; j++)
      a[i] += 3 * j;
}
void NAME(grid)(const int *first, const int *second, int *rhs) {
  for (int j = 0; j < *first + 1; j++)
    for (int i = 0; i < *second + 1; i++)
      rhs[j] += i;
}
void NAME(guarded)(long n, int flag, const long *m, long *a) {
  for (long i = 0; i < n; i++)
    if (flag)
      for (long j = 0; j < *m; j++)
        a[i] += 3 * j;
}
void NAME(nested)(long n, struct holder *to) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < to->matrix->rows; j++)
      to->matrix->data[i] += j;
}
void NAME(later)(long n, const long *m, long *a) {
  for (long i = 0; i < n; i++)
    if (i > 3)
      for (long j = 0; j < *m; j++)
        a[i] += 3 * j;
}
void NAME(quotient)(unsigned long n, unsigned long m, unsigned long d, long *a) {
  for (unsigned long i = 0; i < n; i++)
    for (unsigned long j = 0; j < m / d; j++)
      a[i] += j;
}
void NAME(remainder)(int n, int m, int d, long *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m % d; j++)
      a[i] += j;
}
// The bound of the inner loop has no value where that is not executed.
void NAME(perhaps)(long n, long m, int flag, long *a) {
  long bound;
  if (flag)
    bound = m;
  for (long i = 0; i < n; i++)
    if (flag)
      for (long j = 0; j < bound; j++)
        a[i] += 3 * j;
}
void NAME(whole)(long n, const long *a, long *b) {
  for (long i = 0; i < n; i++)
    b[i] = a[i] + 1;
}
#endif
#ifdef MAIN
void originalinner(long, const long *, long *); void optimizedinner(long, const long *, long *);
void originalgrid(const int *, const int *, int *); void optimizedgrid(const int *, const int *, int *);
void originalguarded(long, int, const long *, long *); void optimizedguarded(long, int, const long *, long *);
void originalnested(long, struct holder *); void optimizednested(long, struct holder *);
void originallater(long, const long *, long *); void optimizedlater(long, const long *, long *);
void originalquotient(unsigned long, unsigned long, unsigned long, long *);
void optimizedquotient(unsigned long, unsigned long, unsigned long, long *);
void originalremainder(int, int, int, long *); void optimizedremainder(int, int, int, long *);
void originalperhaps(long, long, int, long *); void optimizedperhaps(long, long, int, long *);
void originalwhole(long, const long *, long *); void optimizedwhole(long, const long *, long *);
static long x[64], y[64];
#define BOTH(name, p, q, first, second) \
  do { fill(x, sizeof x, 1); fill(y, sizeof y, 1); { long *a = x; if (!ENDS(original##name first)) break; } \
       { long *a = y; if (!ENDS(optimized##name second)) y[0]++; } same(x, y, sizeof x, #name, p, q, 0); } while (0)
#define ALIKE(name, p, q, ...) BOTH(name, p, q, (__VA_ARGS__), (__VA_ARGS__))
static void all_cases(void) {
  unsigned char *page = between_guards(1);
  const long *forbidden = (const long *)(page + PAGE);
  long *last = (long *)(page + PAGE) - 1;
  for (long n = -2; n <= 6; n++) {
    *last = 4;
    ALIKE(inner, n, 0, n, n > 0 ? last : forbidden, a);
    ALIKE(guarded, n, 0, n, 0, forbidden, a);
    ALIKE(guarded, n, 1, n, 1, n > 0 ? last : forbidden, a);
    ALIKE(later, n, 0, n, n > 4 ? last : forbidden, a);
    int first = (int)n, second = 3;
    const int *bound = n + 1 > 0 ? &second : (const int *)forbidden;
    ALIKE(grid, n, 0, &first, bound, (int *)a);
    struct holder *holder = (struct holder *)(page + PAGE) - 1;
    struct matrix *matrix = (struct matrix *)(page + 64);
    // The last field of a matrix at the end of the page is forbidden; it has no rows.
    struct matrix *part = (struct matrix *)(last - 1);
    ALIKE(nested, n, 0, n, n > 0 ? (holder->matrix = matrix, *matrix = (struct matrix){3, 3, a}, holder) : (struct holder *)forbidden);
    ALIKE(nested, n, 1, n, (holder = (struct holder *)page, holder->matrix = part, part->rows = 0, part->columns = 9, holder));
    for (unsigned long d = 0; d <= 3; d++) {
      unsigned long count = n < 0 ? 0 : (unsigned long)n;
      if (count == 0 || d > 0) {
        ALIKE(quotient, n, d, count, 9, d, a);
        ALIKE(remainder, n, d, (int)count, 9, (int)d, a);
      }
    }
    for (long m = 0; m <= 3; m++) {
      ALIKE(perhaps, n, m, n, m, 0, a);
      ALIKE(perhaps, n, m, n, m, 1, a);
    }
    // Arrays that end where the page ends, and begin where it begins.
    if (n >= 0) {
      ALIKE(whole, n, 0, n, (const long *)(page + PAGE) - n, a);
      ALIKE(whole, n, 1, n, (const long *)page, a);
    }
  }
}
#endif
