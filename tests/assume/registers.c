// test: clang -O2 -g -mllvm -orthant-print-after=schedule -mllvm -orthant-stop-after=schedule -c %s -o /dev/null
// In its own order, but behind a check: q[i] stays in a register where q overlaps neither A nor p. One loop alone is not worth it.
void product(int n, int m, double *q, const double *A, const double *p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      q[i] += A[i * m + j] * p[j];
}
void sum(int m, double *q, const double *p) {
  for (int j = 0; j < m; j++)
    q[0] += p[j];
}
// What the next iteration reads again stays in a register, too.
void stencil(int steps, int n, double *b, const double *a) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i] + a[i + 1];
}
// output:
// orthant: schedule: product
// T(S0): (i0, i1)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// about 2.4 times the speed
// orthant: schedule: sum
// kept: no other order keeps all dependences and looks better
// orthant: schedule: stencil
// T(S0): (i0, i1)
// band (i0, i1): permutable, 8 rows written out, coincident i1, innermost loop parallel
// about 3.4 times the speed
