// Bounds checks in each iteration that lead to code that does not return. Where one fails, all that came before it
// must have been done, and nothing after it. (Without `restrict`: LLVM forgets stores behind it that only the caller sees.)
#include <setjmp.h>
#include <stdio.h>
#define NEW __attribute__((noinline))
#define UNSEEN __attribute__((noinline, optnone))

static jmp_buf back;
static unsigned long failed_at;
__attribute__((noinline, noreturn, cold)) void fail(unsigned long at) {
  failed_at = at;
  longjmp(back, 1);
}

#define checked(a, at, length) (((at) >= (length) ? fail(at) : (void)0), (a) + (at))

// As in Rust: a slice is an address and a length.
NEW void f_add(unsigned long n, unsigned long m, double *a, unsigned long la, double *b, unsigned long lb) {
  for (unsigned long i = 0; i < n; i++)
    for (unsigned long j = 0; j < m; j++)
      *checked(b, i * m + j, lb) += *checked(a, i * m + j, la);
}

NEW void f_multiply(unsigned long n, unsigned long m, unsigned long l, double *a, unsigned long la,
                    double *b, unsigned long lb, double *c, unsigned long lc) {
  for (unsigned long i = 0; i < n; i++)
    for (unsigned long j = 0; j < m; j++)
      for (unsigned long k = 0; k < l; k++)
        *checked(c, i * m + j, lc) += *checked(a, i * l + k, la) * *checked(b, k * m + j, lb);
}

// A part of a matrix: fewer columns than a row has.
NEW void f_part(unsigned long n, unsigned long m, unsigned long row, double *a, unsigned long la) {
  for (unsigned long i = 0; i < n; i++)
    for (unsigned long j = 0; j < m; j++)
      *checked(a, i * row + j, la) *= 3;
}

NEW void f_line(unsigned long n, double *a, unsigned long la, double *b, unsigned long lb) {
  for (unsigned long i = 0; i < n; i++)
    *checked(a, i, la) += *checked(b, 2 * i, lb);
}

// As in ndarray: each subscript is compared with its own size.
NEW void f_sizes(long n, long m, long rows, long cols, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      if (i >= rows || j >= cols)
        fail(i * 1000 + j);
      a[i * cols + j] += i - j;
    }
}

static double A[600], B[600], C[600];

static void fill(void) {
  for (int i = 0; i < 600; i++)
    A[i] = i % 11, B[i] = i % 5 - 2, C[i] = 1;
  failed_at = 0;
}

static void show(const char *what, int failed) {
  double s = 0;
  for (int i = 0; i < 600; i++)
    s += A[i] * (i + 1) + B[i] * (i % 17) + C[i] * (i % 23);
  printf("%s %d %lu %.17g\n", what, failed, failed_at, s);
}

// Calls with volatile copies around setjmp.
#define TRY(what, call)                                                                                                \
  fill();                                                                                                              \
  if (!setjmp(back)) {                                                                                                 \
    call;                                                                                                              \
    show(what, 0);                                                                                                     \
  } else                                                                                                               \
    show(what, 1);

UNSEEN int main(void) {
  TRY("add", f_add(12, 20, A, 240, B, 240))
  TRY("add short a", f_add(12, 20, A, 239, B, 240))
  TRY("add short b", f_add(12, 20, A, 240, B, 101))
  TRY("add none", f_add(12, 0, A, 0, B, 0))
  TRY("add wraps", f_add(3, (1ul << 63) + 1, A, 500, B, 500))
  TRY("multiply", f_multiply(10, 12, 14, A, 140, B, 168, C, 120))
  TRY("multiply longer", f_multiply(10, 12, 14, A, 600, B, 600, C, 600))
  TRY("multiply short a", f_multiply(10, 12, 14, A, 139, B, 168, C, 120))
  TRY("multiply short b", f_multiply(10, 12, 14, A, 140, B, 167, C, 120))
  TRY("multiply short c", f_multiply(10, 12, 14, A, 140, B, 168, C, 119))
  TRY("part", f_part(10, 5, 20, A, 185))
  TRY("part short", f_part(10, 5, 20, A, 184))
  TRY("part overlaps", f_part(10, 25, 20, A, 600))
  TRY("part twice", f_part(10, 5, 0, A, 600))
  TRY("part wraps", f_part(10, 5, (1ul << 62), A, 600))
  TRY("line", f_line(100, A, 100, B, 199))
  TRY("line short a", f_line(100, A, 99, B, 199))
  TRY("line short b", f_line(100, A, 100, B, 198))
  TRY("sizes", f_sizes(10, 12, 10, 12, A))
  TRY("sizes more", f_sizes(10, 12, 15, 20, A))
  TRY("sizes few rows", f_sizes(10, 12, 9, 12, A))
  TRY("sizes few columns", f_sizes(10, 12, 10, 11, A))
  TRY("sizes negative", f_sizes(10, 12, -1, 11, A))
  return 0;
}
