// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void trisolve(int n, double l[n][n], double *restrict x, const double *restrict b) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= l[i][j] * x[j];
    x[i] /= l[i][i];
  }
}
// output:
// %s:3:3: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: trisolve
//   %s:3:3: candidate, depth 2, 2 loops
