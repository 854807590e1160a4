// Loops of all kinds that run in threads; `recurse` has them at each level.
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
