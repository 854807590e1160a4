// Functions that are all about one nest, which is divided into the question, the new loops and the original: whatever such a function
// is given, does before and behind the nest, and returns. Some nearly are such functions: what they do may not be done twice.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MOST 97
#define NEW __attribute__((noinline))
typedef struct { double a, b, c; } Three;
typedef struct { long n; double *cells; double factors[8]; } Header;
static double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], sums[MOST];
static long calls, size_of_all;
static volatile int looked;

#define PRODUCT(c, a, b)                                                                                               \
  for (long i = 0; i < n; i++)                                                                                         \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = 0; k < n; k++)                                                                                     \
        (c)[i * n + j] += (a)[i * n + k] * (b)[k * n + j];

// What they return.
NEW long returns_number(long n, double *c, double *a, double *b) {
  PRODUCT(c, a, b)
  return n * 3 - 1;
}
NEW Three returns_three(long n, double *c, double *a, double *b) {
  PRODUCT(c, a, b)
  return (Three){n, 2 * n, -n};
}
NEW double returns_cell(long n, double *c, double *a, double *b) {
  PRODUCT(c, a, b)
  return n > 2 ? c[2 * n] : c[0] + 1;
}
NEW float *returns_argument(float *f, long n, double *restrict c, double *restrict a, double *restrict b) {
  PRODUCT(c, a, b)
  return f;
}

// What they do before and behind.
NEW void stores_before(long n, double *c, double *a, double *b) {
  c[0] += 1;
  calls++;
  PRODUCT(c, a, b)
}
NEW void stores_behind(long n, double *c, double *a, double *b) {
  PRODUCT(c, a, b)
  c[0] += 1;
  calls++;
}
NEW void loads_before(double *c, double *a, double *b) {
  long n = size_of_all;
  PRODUCT(c, a, b)
}
NEW void looks_before(long n, double *c, double *a, double *b) {
  if (looked++ % 2)
    return;
  PRODUCT(c, a, b)
}
NEW void prints_behind(long n, double *c, double *a, double *b) {
  PRODUCT(c, a, b)
  printf("%ld ", n);
}
NEW void sums_behind(long n, double *c, double *a, double *b) {
  PRODUCT(c, a, b)
  double sum = 0;
  for (long i = 0; i < n * n; i++)
    sum += c[i];
  sums[0] = sum;
}
NEW void clears_before(long n, double *c, double *a, double *b) {
  memset(c, 0, sizeof(double) * n * n);
  PRODUCT(c, a, b)
}

// What they are given.
NEW void given_whole(Header h, double *c, double *a) {
  long n = h.n;
  h.factors[1] = 3;
  PRODUCT(c, a, h.cells)
  c[0] += h.factors[1] + h.factors[7];
}
NEW void given_many(double d, float f, long n, double *c, double *a, double *b, long x, long y, double e, char z, short w) {
  PRODUCT(c, a, b)
  c[0] += d + f + x + y + e + z + w;
}
NEW void given_more(long n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  double *c = __builtin_va_arg(list, double *), *a = __builtin_va_arg(list, double *), *b = __builtin_va_arg(list, double *);
  PRODUCT(c, a, b)
  __builtin_va_end(list);
}
NEW void has_room(long n, double *c, double *a) {
  double row[MOST];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      row[j] = a[i * n + j] * 2;
      c[j * n + i] += row[j] + c[i * n + j];
    }
}
NEW void has_room_of_size(long n, double *c, double *a) {
  double row[n < 0 ? 1 : n + 1];
  for (long j = 0; j < n; j++)
    row[j] = a[j];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      c[j * n + i] += row[j] + a[j * n + i];
}
NEW void goes_on_as_itself(long n, double *c, double *a, double *b) {
  if (n < 3)
    return;
  PRODUCT(c, a, b)
  goes_on_as_itself(n / 2, c, b, a);
}

// Who calls them.
static void called_here(long n, double *c, double *a, double *b) { PRODUCT(c, a, b) }
__attribute__((always_inline)) static inline void always_here(long n, double *c, double *a, double *b) { PRODUCT(c, a, b) }
__attribute__((cold)) NEW void called_through(long n, double *c, double *a, double *b) { PRODUCT(c, a, b) }
__attribute__((weak)) void may_be_another(long n, double *c, double *a, double *b) { PRODUCT(c, a, b) }
extern __typeof__(called_through) other_name __attribute__((alias("may_be_another")));
static void (*volatile pointer)(long, double *, double *, double *) = called_through;

static void fill(double *cells, unsigned seed) {
  for (int i = 0; i < MOST * MOST; i++)
    cells[i] = (seed = seed * 1664525u + 1013904223u) / 4294967296.0 - 0.5;
}

static void show(const char *name, long n, double more) {
  unsigned long h = 14695981039346656037ul;
  const double *all[] = {A, B, C, sums, &more};
  const int cells[] = {MOST * MOST, MOST * MOST, MOST * MOST, MOST, 1};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < cells[k]; i++) {
      unsigned long bits;
      memcpy(&bits, all[k] + i, 8);
      h = (h ^ bits) * 1099511628211ul;
    }
  printf("%s %ld %lx %ld\n", name, n, h, calls);
}

#define TRY(call) fill(A, 1), fill(B, 2), fill(C, 3), show(#call, n, (call))

static void all(long n, double *c, double *a, double *b) {
  Header h = {n, b, {1, 2, 3, 4, 5, 6, 7, 8}};
  float f = 1;
  size_of_all = n;
  TRY(returns_number(n, c, a, b));
  TRY(returns_three(n, c, a, b).b);
  TRY(returns_cell(n, c, a, b));
  TRY(returns_argument(&f, n, C, A, B) == &f);
  TRY((stores_before(n, c, a, b), 0));
  TRY((stores_behind(n, c, a, b), 0));
  TRY((loads_before(c, a, b), 0));
  TRY((looks_before(n, c, a, b), 0));
  TRY((prints_behind(n, c, a, b), 0));
  TRY((sums_behind(n, c, a, b), 0));
  TRY((clears_before(n, c, a, b), 0));
  TRY((given_whole(h, c, a), h.factors[1]));
  TRY((given_many(1, 2, n, c, a, b, 3, 4, 5, 6, 7), 0));
  TRY((given_more(n, c, a, b), 0));
  TRY((has_room(n, c, a), 0));
  TRY((has_room_of_size(n, c, a), 0));
  TRY((goes_on_as_itself(n, c, a, b), 0));
  TRY((called_here(n, c, a, b), called_here(5, c, b, a), 0));
  TRY((always_here(n, c, a, b), 0));
  TRY((pointer(n, c, a, b), 0));
  TRY((may_be_another(n, c, a, b), 0));
  TRY((other_name(n, c, a, b), 0));
}

int main(void) {
  const long sizes[] = {0, 1, 2, 3, 5, 8, 11, 16, 33, 64, MOST};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    long n = sizes[k];
    all(n, C, A, B);
    all(n / 2, C, C + n, C + 1); // the check fails, if there is one, where there is much to do
    all(n, C, A, A);
  }
  all(-5, C, A, B);
}
