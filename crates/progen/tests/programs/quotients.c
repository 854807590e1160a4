// Sizes that are quotients of sizes, as in the passes of a Fourier transform. Whether the divisor is zero is the program's
// business: new loops may use the quotient where the program has computed it, and nowhere else.
#include <stdio.h>
#include <stdlib.h>
#define MOST 4096
#define NEW __attribute__((noinline))
typedef unsigned long size;
static double in[MOST], out[MOST];

// One row for each part.
NEW void parts(size n, size factor, size stride, double *a, double *b) {
  size m = n / factor;
  for (size e = 0; e < factor; e++)
    for (size i = 0; i < m; i++)
      b[stride * (i + e * m)] = 2 * a[stride * (i + e * m)];
}

// Pairs of rows, the second from the end.
NEW void pairs(size n, size factor, double *a, double *b) {
  size m = n / factor;
  for (size e = 1; e < (factor - 1) / 2 + 1; e++)
    for (size i = 0; i < m; i++) {
      b[i + e * m] = a[i + e * m] + a[i + (factor - e) * m];
      b[i + (factor - e) * m] = a[i + e * m] - a[i + (factor - e) * m];
    }
}

// A quotient of a quotient.
NEW void twice(size n, size product, size factor, double *a, double *b) {
  size q = n / product, rows = product / factor;
  for (size row = 0; row < rows; row++)
    for (size k = 0; k < q; k++)
      b[row * q + k] += a[k * rows + row];
}

// No division by zero where there is none in the program.
NEW void only_if(size n, size factor, double *a, double *b) {
  if (factor != 0) {
    size m = n / factor;
    for (size i = 0; i < m; i++)
      for (size j = 0; j < m; j++)
        b[i * m + j] = a[j * m + i];
  } else {
    for (size i = 0; i < n; i++)
      for (size j = 0; j < n; j++)
        b[i * n + j] = a[j * n + i] + 1;
  }
}

// Divided anew in each iteration, and only in some.
NEW void inside(size n, size factor, double *a, double *b) {
  for (size i = 0; i < n; i++)
    if (i < factor)
      for (size j = 0; j < n / factor; j++)
        b[i * n + j] = a[j * n + i];
}

static void begin(void) {
  for (size i = 0; i < MOST; i++) {
    in[i] = (double)(i * 7 % 31) / 3;
    out[i] = (double)(i % 13);
  }
}

static void end(const char *name) {
  double sum = 0;
  for (size i = 0; i < MOST; i++)
    sum = sum * 0.75 + out[i] * (double)(i % 17);
  printf("%s %a\n", name, sum);
}

int main(void) {
  for (size n = 1; n <= 60; n += 1 + n / 4)
    for (size factor = 1; factor <= 9; factor += 2) {
      begin(), parts(n * 10, factor, 2, in, out), end("parts");
      begin(), parts(n * 20, factor, 1, in, out), end("parts");
      begin(), pairs(n * 9, factor, in, out), end("pairs");
      begin(), twice(n * 12, factor * 3, factor, in, out), end("twice");
      begin(), only_if(n, factor - 1, in, out), end("only_if");
      begin(), inside(n, factor - 1, in, out), end("inside");
    }
  return 0;
}
