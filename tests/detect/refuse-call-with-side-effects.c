// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// The call may do anything to the array, to files or to the control flow.
void log_value(double x);

void scale(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[i][j] *= 2;
      log_value(a[i][j]);
    }
}
// output:
// %s:6:3: remark: loop nest not optimized: call to log_value may have side effects [-Rpass-missed=orthant]
// %s:9:7: remark: call to log_value may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
// orthant: detect: scale
//   %s:6:3: rejected, depth 2, 2 loops
//     call-with-side-effects: %s:9:7: call to log_value may have side effects
