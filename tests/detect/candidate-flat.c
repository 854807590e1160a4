// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// One array, indexed by hand.
void gemm(int n, int m, int p, double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < p; k++)
        c[i * m + j] += a[i * p + k] * b[k * m + j];
}
// output:
// %s:4:3: remark: loop nest of depth 3 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: gemm
//   %s:4:3: candidate, depth 3, 3 loops
