// test: orthant explain %s
void log_value(double);

void gemm(int n, double a[n][n], double b[n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void show(int n, double *a) {
  for (int i = 0; i < n; i++)
    log_value(a[i]);
  for (int i = 0; i < n; i++)
    log_value(-a[i]);
}

double no_loops(double x) { return x; }
// output:
// gemm (%s)
//   %s:5:3: 3 loops, 3 deep: kept
//       for (int i = 0; i < n; i++)
//     no other order keeps all dependences and looks better
// show (%s)
//   %s:12:3: 1 loop: rejected
//       for (int i = 0; i < n; i++)
//     %s:13:5: call to log_value may have side effects [call-with-side-effects]
//       remedy: move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is
//   %s:14:3: 1 loop: rejected
//       for (int i = 0; i < n; i++)
//     %s:15:5: call to log_value may have side effects [call-with-side-effects]
//
// 2 functions, 3 loop nests: 1 kept, 2 rejected (call-with-side-effects 2)
