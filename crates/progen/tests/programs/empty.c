// Nests in which nothing is to be done, however many iterations some of their loops have. Whoever runs through those
// takes for ever.
#include <limits.h>
#include <stdio.h>
#define LONG_LOOP (1 << 27)
#define NEW __attribute__((noinline))
#define UNSEEN __attribute__((noinline, optnone))

// The inner loops go round the outer one if that pays.
NEW void f_columns(int n, int m, double *a) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      a[i * n + j] += 0.5;
}

NEW void f_multiply(int n, int m, int l, double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        c[i * m + j] += a[i * l + k] * b[k * m + j];
}

// Tiled in time.
NEW void f_stencil(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i + 1 < n; i++)
      for (int j = 1; j + 1 < n; j++)
        b[i * n + j] = 0.25 * (a[i * n + j - 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j + 1]);
    for (int i = 1; i + 1 < n; i++)
      for (int j = 1; j + 1 < n; j++)
        a[i * n + j] = b[i * n + j];
  }
}

static double memory[3][1024];

UNSEEN static void show(const char *name) {
  double sum = 0;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 1024; i++) {
      sum += memory[k][i] * (i + 1);
      memory[k][i] = (k * 31 + i * 7) % 64;
    }
  printf("%s %a\n", name, sum);
}

UNSEEN int main(void) {
  static const int sizes[] = {INT_MIN, -1, 0, 1, 2, 7, LONG_LOOP};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  double *a = memory[0], *b = memory[1], *c = memory[2];
  show("start");
  for (int x = 0; x < COUNT; x++)
    for (int y = 0; y < COUNT; y++) {
      int n = sizes[x], m = sizes[y];
      // One of the two loops is empty, or both are short.
      if ((n < 1 || m < 1 || (n < 9 && m < 9)) && n < LONG_LOOP)
        f_columns(n, m, a);
      if (m < 3 || (n < 9 && m < 9))
        f_stencil(n, m, a, b);
      show("two");
      for (int z = 0; z < COUNT; z++) {
        int l = sizes[z];
        // The outer loop alone may be long.
        if (n < 1 || m < 1 || (n < 9 && m < 9 && (l < 1 || l < 9)))
          f_multiply(n, m, l, c, a, b);
        show("three");
      }
    }
  return 0;
}
