// test: clang -O2 -g -mllvm -orthant-print-after=schedule -mllvm -orthant-stop-after=schedule -c %s -o /dev/null
// Where b and a overlap, which callers may well want, the product can still be tiled: two versions beside the original. If the
// copy takes hardly any time, there is only the version that lets b and a overlap.
void two(int n, double *a, double *b, double *A, double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        b[(i * n + j) * n + k] = 2 * a[(i * n + j) * n + k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
void one(int n, double *a, double *b, double *A, double *B, double *C) {
  for (int i = 0; i < n; i++)
    b[i] = 2 * a[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
// output:
// orthant: schedule: two
// T(S0): (0, i0, i1, i2)
// T(S1): (1, i2, i0, i1)
// band (i0, i1, i2): permutable, coincident i0 and i1 and i2, innermost loop parallel
// band (i2, i0, i1): permutable, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel
// about 2.1 times the speed
// without a_0 and b_1 do not overlap:
// T(S0): (0, i0, i1, i2)
// T(S1): (1, i2, i0, i1)
// band (i2): innermost loop serial
// band (i2, i0, i1): permutable, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel
// about 2.0 times the speed
// orthant: schedule: one
// T(S0): (0, i0)
// T(S1): (1, i2, i0, i1)
// band (i0): innermost loop serial
// band (i2, i0, i1): permutable, tiled 256 x 168 x -, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel
// about 14.5 times the speed
