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
void backwards(int n, double *restrict a, const double *restrict b) {
  for (int i = n - 1; i >= 0; i -= 3) FOR(j, 0, n) a[i * n + j] -= b[j * n + i];
}
void recurse(int n, double *restrict a, const double *restrict b) {
  if (n < 1) return;
  FOR(i, 0, n) FOR(j, 0, n) a[i * n + j] += b[j * n + i];
  recurse(n / 2, a, b);
  FOR(i, 0, n) FOR(j, 0, n) a[i * n + j] *= b[i * n + j];
}
