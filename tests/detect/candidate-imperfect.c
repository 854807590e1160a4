// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void gemv(int n, int m, double a[n][m], double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
    y[i] *= 2;
  }
}
// output:
// %s:3:3: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: gemv
//   %s:3:3: candidate, depth 2, 2 loops
