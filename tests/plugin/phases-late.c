// test: clang -O3 -march=x86-64-v3 -ffp-contract=off -mllvm -orthant-position=late -mllvm -orthant-print-after=schedule -c %s -o /dev/null
// The same at the late position. An iteration of the new loop is two steps, of which the second one may be
// missing, and the two are tiled together as those of a stencil that is written that way.
double *swapped(int steps, int n, int m, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        b[i * m + j] = a[i * m + j] + a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j];
    double *other = a;
    a = b;
    b = other;
  }
  return a;
}
void rows(long steps, int n, int m, double (*a)[m], double (*b)[m]) {
  for (long t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
    double(*other)[m] = a;
    a = b;
    b = other;
  }
}
void planes(int steps, int n, int m, double a[2][n][m]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        a[(t + 1) % 2][i][j] =
            a[t % 2][i][j] + a[t % 2][i][j - 1] + a[t % 2][i][j + 1] + a[t % 2][i - 1][j] + a[t % 2][i + 1][j];
}
// output:
// orthant: schedule: swapped
// T(S0): (0)
// T(S9): (1)
// T(S10): (2, i0, 2i0 + i1, 0, 2i0 + i2)
// T(S11): (2, i0, 2i0 + i1 + 1, 1, 2i0 + i2 + 1)
// T(S12): (3)
// band (i0, 2i0 + i1, 2i0 + i2): permutable, tiled 64 x 32 x -, innermost loop distributed, innermost loop parallel
// about 3.2 times the speed
// orthant: schedule: rows
// T(S0): (i0, 2i0 + i1, 0, 2i0 + i2)
// T(S1): (i0, 2i0 + i1 + 1, 1, 2i0 + i2 + 1)
// band (i0, 2i0 + i1, 2i0 + i2): permutable, tiled 64 x 32 x -, innermost loop distributed, innermost loop parallel
// about 3.2 times the speed
// orthant: schedule: planes
// T(S0): (i0, 2i0 + i1, 0, 2i0 + i2)
// T(S1): (i0, 2i0 + i1 + 1, 1, 2i0 + i2 + 1)
// band (i0, 2i0 + i1, 2i0 + i2): permutable, tiled 64 x 32 x -, innermost loop distributed, innermost loop parallel
// about 3.2 times the speed
