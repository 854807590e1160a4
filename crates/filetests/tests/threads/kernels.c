// Loops of all kinds that run in threads; `recurse` has them at each level.
#include <stdlib.h>
#define FOR(i, from, to) for (int i = from; i < to; i++)

void rows(int n, double *restrict a, const double *restrict b) {
  FOR(i, 0, n) FOR(j, 0, n) a[i * n + j] = b[i * n + j] * 3 + i;
}
void columns(int n, double *restrict y, const double *restrict a) {
  FOR(i, 0, n) FOR(j, 0, n) y[j] += a[i * n + j];
}
void triangle(int n, double *restrict a, const double *restrict b) {
  FOR(i, 0, n) FOR(j, 0, i + 1) FOR(k, 0, n) a[i * n + j] += b[i * n + k] * b[j * n + k];
}
void product(int n, double *restrict c, const double *restrict b) {
  FOR(i, 0, n) FOR(j, 0, n) FOR(k, 0, n) c[i * n + j] += b[i * n + k] * b[k * n + j];
}
void wavefront(int n, double *restrict a, const double *restrict b) {
  FOR(i, 1, n) FOR(j, 1, n) a[i * n + j] = (a[(i - 1) * n + j] + a[i * n + j - 1]) * 0.5 + b[j];
}
void steps(int n, double *restrict a, double *restrict b) {
  FOR(t, 0, 5) {
    FOR(i, 1, n - 1) FOR(j, 1, n - 1) b[i * n + j] = a[(i - 1) * n + j] + a[(i + 1) * n + j] - a[i * n + j];
    FOR(i, 1, n - 1) FOR(j, 1, n - 1) a[i * n + j] = b[i * n + j - 1] * 0.5 + b[i * n + j + 1] * 0.25;
  }
}
// With k fixed, rows and columns depend on each other through those of number k only.
void pivot(int n, double *restrict a, const double *restrict b) {
  FOR(k, 0, n) FOR(i, 0, n) FOR(j, 0, n) {
    double through = a[i * n + k] + a[k * n + j];
    a[i * n + j] = a[i * n + j] < through ? a[i * n + j] : through;
  }
}
// Wavefronts in a triangle, with a loop inside.
void folding(int n, double *restrict a, const double *restrict b) {
  for (int i = n - 1; i >= 0; i--)
    FOR(j, i + 1, n) FOR(k, i + 1, j) a[i * n + j] += a[i * n + k] * 0.01 + a[k * n + j] * 0.02;
}
// Wavefronts over tiles in time.
void in_place(int n, double *restrict a, const double *restrict b) {
  FOR(t, 0, 9) FOR(i, 1, n - 1) FOR(j, 1, n - 1)
    a[i * n + j] = (a[(i - 1) * n + j + 1] + a[i * n + j - 1] + a[(i + 1) * n + j - 1]) * 0.25 + a[i * n + j] * 0.125;
}
// Each iteration needs the line for itself; what the last one leaves in it is used.
void line(int n, double *restrict a, const double *restrict b) {
  double line[40];
  if (n < 40) return;
  FOR(i, 0, n) {
    FOR(p, 0, 40) line[p] = b[i * n + p] * 2 + i;
    FOR(p, 0, 40) a[i * n + p] += line[39 - p];
  }
  FOR(p, 0, 40) a[p] -= line[p] * 0.5;
}
// The same with sums in the line, in each of some steps, and with two of them.
void lines(int n, double *restrict a, const double *restrict b) {
  double line[40], other[7];
  if (n < 40) return;
  FOR(t, 0, 3) FOR(i, 0, n) {
    FOR(p, 0, 40) line[p] = 0;
    FOR(p, 0, 7) other[p] = b[i * n + 3 * p];
    FOR(q, 0, 40) FOR(p, 0, 40) line[p] += b[i * n + q] * b[q * n + p];
    FOR(p, 0, 40) a[i * n + p] += line[p];
    FOR(p, 0, 7) a[i * n + p] *= other[6 - p];
  }
  FOR(p, 0, 40) a[p] += line[p];
  FOR(p, 0, 7) a[p] -= other[p];
}
// Each iteration needs a line for itself; how long it is turns out when the program runs, and the longest ones have no room in copies.
void any_line(int n, double *restrict a, const double *restrict b) {
  double long_line[5 * n + 1];
  FOR(i, 0, n) {
    FOR(p, 0, 5 * n) long_line[p] = p * 0.5 + i;
    FOR(p, 0, n) a[i * n + p] += long_line[5 * p] * b[i * n + p];
  }
  FOR(p, 0, n) a[p] -= long_line[5 * p + 1];
}
// Some cells keep what an earlier iteration left.
void kept(int n, double *restrict a, const double *restrict b) {
  double line[300];
  FOR(p, 0, 300) line[p] = p;
  if (n < 40) return;
  FOR(i, 0, 40) {
    FOR(p, 0, 40 - i) line[p] = b[i * n + p] + i;
    FOR(p, 0, 40 - i) a[i * n + p] += line[p];
  }
  FOR(p, 0, 40) a[p] -= line[p];
}
// Some iterations read what an earlier one left, or what was there before.
void carried(int n, double *restrict a, const double *restrict b) {
  double line[41];
  FOR(p, 0, 41) line[p] = p;
  if (n < 40) return;
  FOR(i, 0, n) {
    FOR(p, 0, 40) a[i * n + p] += line[p + 1];
    FOR(p, 0, 40) line[p] = b[i * n + p] - i;
  }
  FOR(p, 0, 41) a[p] -= line[p];
}
// Tiles behind the one on the diagonal, rows and columns, depend on that only.
void factors(int n, double *restrict a, const double *restrict b) {
  FOR(i, 0, n) {
    FOR(j, 0, i) {
      FOR(k, 0, j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
      a[i * n + j] /= a[j * n + j] * a[j * n + j] + 9.0;
    }
    FOR(j, i, n) FOR(k, 0, i) a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
}
void root(int n, double *restrict a, const double *restrict b) {
  FOR(i, 0, n) {
    FOR(j, 0, i) {
      FOR(k, 0, j) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j] * a[j * n + j] + 7.0;
    }
    FOR(k, 0, i) a[i * n + i] -= a[i * n + k] * a[i * n + k];
  }
}
// Strips of rows that wait for each other; wavefronts of several strips.
void solve(int n, double *restrict x, const double *restrict a) {
  FOR(i, 0, n) {
    FOR(j, 0, i) x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i] * n;
  }
}
// Columns in strips, inside of tiles that must stay in sequence.
void below(int n, double *restrict c, const double *restrict a) {
  FOR(i, 0, n) FOR(j, 0, n) FOR(k, i + 1, n) c[i * n + j] += a[k * n + i] * c[k * n + j];
}
// Rows that are written out, in chunks.
void two_sums(int n, double *restrict y, const double *restrict a) {
  FOR(i, 0, n) FOR(j, 0, n) {
    y[i] += a[i * n + j] * 1.5;
    y[i + n] += a[i * n + j] * a[j];
  }
}
// Iterations get longer, and each has other conditions.
void uneven(int n, double *restrict a, const double *restrict b) {
  FOR(i, 0, n) {
    FOR(j, 0, i) a[i * n + j] = b[j * n + i] * 2 + a[i * n + j];
    if (i > n / 2) FOR(j, i, n) a[i * n + j] += b[i * n + j];
  }
}
void backwards(int n, double *restrict a, const double *restrict b) {
  for (int i = n - 1; i >= 0; i -= 3) FOR(j, 0, n) a[i * n + j] -= b[j * n + i];
}
void recurse(int n, double *restrict a, const double *restrict b) {
  if (n < 1) return;
  FOR(i, 0, n) FOR(j, 0, n) a[i * n + j] += b[j * n + i];
  recurse(n / 2, a, b);
  FOR(i, 0, n) FOR(j, 0, n) a[i * n + j] *= b[i * n + j];
}
// Diamonds: stencils between two arrays, in one, two and three dimensions.
void diamonds(int n, double *restrict a, double *restrict b) {
  int m = n < 9 ? n * n : 9 * n;
  FOR(t, 0, n / 4 + 1) {
    FOR(i, 1, m - 1) b[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.25;
    FOR(i, 1, m - 1) a[i] = (b[i - 1] + b[i] + b[i + 1]) * 0.375;
  }
}
void flat_diamonds(int n, double *restrict a, double *restrict b) {
  FOR(t, 0, n / 4 + 3) {
    FOR(i, 1, n - 1) FOR(j, 1, n - 1)
      b[i * n + j] = (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]) * 0.2;
    FOR(i, 1, n - 1) FOR(j, 1, n - 1)
      a[i * n + j] = (b[i * n + j] + b[i * n + j - 1] + b[i * n + j + 1] + b[(i + 1) * n + j] + b[(i - 1) * n + j]) * 0.2;
  }
}
void solid_diamonds(int n, double *restrict a, double *restrict b) {
  typedef double Solid[6][n];
  Solid *x = (Solid *)a, *y = (Solid *)b;
  FOR(t, 0, 37) {
    FOR(i, 1, n / 6 - 1) FOR(j, 1, 5) FOR(k, 1, n - 1)
      y[i][j][k] = (x[i - 1][j][k] + x[i + 1][j][k]) * 0.125 + (x[i][j - 1][k] + x[i][j + 1][k]) * 0.25 + x[i][j][k - 1] * 0.0625;
    FOR(i, 1, n / 6 - 1) FOR(j, 1, 5) FOR(k, 1, n - 1)
      x[i][j][k] = (y[i - 1][j][k] + y[i + 1][j][k]) * 0.125 + (y[i][j - 1][k] + y[i][j + 1][k]) * 0.25 + y[i][j][k + 1] * 0.0625;
  }
}
// The cone leans: two cells from one side, one from the other, and in the second half of a step none from there.
void leaning(int n, double *restrict a, double *restrict b) {
  int m = n < 5 ? n * n : 5 * n;
  FOR(t, 0, n / 4 + 2) {
    FOR(i, 2, m - 1) b[i] = a[i - 2] * 0.5 + a[i] * 0.25 + a[i + 1] * 0.125;
    FOR(i, 2, m - 1) a[i] = b[i - 1] * 0.5 + b[i] * 0.25;
  }
}
// Three statements and an edge that is written in each step.
void fields(int n, double *restrict a, double *restrict b) {
  typedef double Row[n];
  Row *e = (Row *)a, *h = (Row *)b;
  FOR(t, 0, n / 3) {
    FOR(j, 0, n) e[0][j] = t * 0.5;
    FOR(i, 1, n) FOR(j, 0, n) e[i][j] -= (h[i][j] - h[i - 1][j]) * 0.5;
    FOR(i, 0, n - 1) FOR(j, 0, n - 1) h[i][j] -= (e[i + 1][j] - e[i][j] + e[i][j + 1]) * 0.25;
  }
}
// The same loops where the arrays overlap: what a diamond needs is then not what its cone says.
__attribute__((noinline)) static void any_arrays(int n, double *a, double *b) {
  FOR(t, 0, n / 9) {
    FOR(i, 1, n - 1) b[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.25;
    FOR(i, 1, n - 1) a[i] = (b[i - 1] + b[i] + b[i + 1]) * 0.375;
  }
}
void overlapping(int n, double *a, double *b) {
  if (n < 7) return;
  any_arrays(n * 5, a, a + n);
  any_arrays(n * 5, a + 3, a);
  any_arrays(n * 6, a, b);
}
// Products with a matrix and with its transpose, which go through batches of its rows: the second nest needs of the first what it left in
// the same row, in the one before, or in any row.
__attribute__((noinline)) static void products(int n, int m, double a[n][m], double *restrict t, double *restrict y) {
  FOR(i, 0, n) FOR(j, 0, m) t[i] += a[i][j] * (j + 1);
  FOR(i, 0, n) FOR(j, 0, m) y[j] += a[i][j] * t[i];
}
__attribute__((noinline)) static void late_products(int n, int m, double a[n][m], double *restrict t, double *restrict y) {
  FOR(i, 0, n) FOR(j, 0, m) t[i] += a[i][j] * (j + 1);
  FOR(i, 1, n) FOR(j, 0, m) y[j] += a[i][j] * t[i - 1];
}
__attribute__((noinline)) static void whole_products(int n, int m, double a[n][m], double *restrict t, double *restrict y) {
  FOR(i, 0, n) FOR(j, 0, m) t[i] += a[i][j] * (j + 1);
  FOR(i, 0, n) FOR(j, 0, m) y[j] += a[i][j] * t[n - 1 - i];
}
void batches(int n, double *restrict a, double *restrict b) {
  if (n < 3) return;
  int rows = 2 * n, columns = n / 2;
  products(rows, columns, (double (*)[columns])b, a, a + rows);
  late_products(rows, columns, (double (*)[columns])b, a, a + rows);
  whole_products(rows, columns, (double (*)[columns])b, a, a + rows);
}
// Columns that are made orthogonal to each other: strips of them for some steps at a time.
__attribute__((noinline)) static void orthogonalize(int n, double a[n][n], double q[n][n], double r[n][n]) {
  FOR(k, 0, n) {
    FOR(i, 0, n) q[i][k] = a[i][k] * 0.25;
    FOR(j, k + 1, n) FOR(i, 0, n) r[k][j] += q[i][k] * a[i][j];
    FOR(j, k + 1, n) FOR(i, 0, n) a[i][j] = a[i][j] * 0.5 - q[i][k] * r[k][j];
  }
}
void orthogonal(int n, double *restrict a, const double *restrict b) {
  double *all = malloc(2 * sizeof(double) * n * n + 1);
  FOR(i, 0, n * n) all[i] = 0, all[n * n + i] = b[i] * 0.01;
  orthogonalize(n, (void *)a, (void *)all, (void *)(all + n * n));
  FOR(i, 0, n * n) a[i] += all[i] + all[n * n + i];
  free(all);
}
