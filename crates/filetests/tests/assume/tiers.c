// Loops in three versions: fast where nothing overlaps, weaker where only b and a do, and the original.
// flags: -fno-strict-aliasing
#include "harness.h"
typedef unsigned long word;

#ifdef KERNELS
// A product, and before it a copy that may well be made in place.
void NAME(scaled)(int n, word *a, word *b, word *A, word *B, word *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        b[(i * n + j) * n + k] = 2 * a[(i * n + j) * n + k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
// The copy comes last, and a value lives on after the loops.
word NAME(kept)(int n, word *a, word *b, word *A, word *B, word *C) {
  word last = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        last = 3 * a[(i * n + j) * n + k];
        b[(i * n + j) * n + k] = last;
      }
  return last;
}
// The copy takes hardly any time: there is one version, which lets b and a overlap.
void NAME(small)(int n, word *a, word *b, word *A, word *B, word *C) {
  for (int i = 0; i < n; i++)
    b[i] = 2 * a[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
// Nobody would expect this to be called in place, unless it was counted.
void NAME(mirrored)(int n, word *a, word *b, word *A, word *B, word *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        b[(i * n + j) * n + k] = 2 * a[((n - 1 - i) * n + j) * n + k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
#endif

#ifdef MAIN
#define DECLARE(version) \
  void version##scaled(int, word *, word *, word *, word *, word *); \
  void version##small(int, word *, word *, word *, word *, word *); \
  void version##mirrored(int, word *, word *, word *, word *, word *); \
  word version##kept(int, word *, word *, word *, word *, word *);
DECLARE(original) DECLARE(optimized)
enum { N = 7, WORDS = 4096, AT = 1024 };
static word x[WORDS], y[WORDS];

// All arrays at these offsets from each other, in words.
static void at(int n, long a, long b, long c) {
  fill(x, sizeof x, 3); fill(y, sizeof y, 3);
  word *p = x + AT, *q = y + AT;
  originalscaled(n, p + a, p + b, p + 1000, p + 1100, p + c);
  optimizedscaled(n, q + a, q + b, q + 1000, q + 1100, q + c);
  same(x, y, sizeof x, "scaled", a, b, c);
  originalsmall(n, p + a, p + b, p + 1000, p + 1100, p + c);
  optimizedsmall(n, q + a, q + b, q + 1000, q + 1100, q + c);
  same(x, y, sizeof x, "small", a, b, c);
  originalmirrored(n, p + a, p + b, p + 1000, p + 1100, p + c);
  optimizedmirrored(n, q + a, q + b, q + 1000, q + 1100, q + c);
  same(x, y, sizeof x, "mirrored", a, b, c);
  word before = originalkept(n, p + a, p + b, p + 1000, p + 1100, p + c);
  word after = optimizedkept(n, q + a, q + b, q + 1000, q + 1100, q + c);
  same(x, y, sizeof x, "kept", a, b, c);
  same(&before, &after, sizeof before, "kept value", a, b, c);
}

static void all_cases(void) {
  for (int n = 0; n <= N; n++) {
    at(n, 0, 500, 1200);
    for (long off = -8; off <= 8; off++) {
      at(n, 0, off, 1200);       // b and a overlap
      at(n, 0, 500, 1000 + off); // C and A do
      at(n, 0, 1200 + off, 1200);
      at(n, 0, off, 1100 + off);
    }
  }
}
#endif
