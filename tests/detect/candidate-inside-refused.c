// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// The outer loop calls something unknown; each inner nest stands alone.
#define N 1000
double a[N][N], b[N][N];
void report(long step);

void simulate(long steps) {
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < N - 1; i++)
      for (long j = 1; j < N - 1; j++)
        b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
    report(t);
    for (long i = 1; i < N - 1; i++)
      for (long j = 1; j < N - 1; j++)
        a[i][j] = b[i][j] / 4;
  }
}
// output:
// %s:8:3: remark: loop nest not optimized: call to report may have side effects [-Rpass-missed=orthant]
// %s:12:5: remark: call to report may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
// %s:9:5: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// %s:13:5: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: simulate
//   %s:8:3: rejected, depth 3, 5 loops
//     call-with-side-effects: %s:12:5: call to report may have side effects
//   %s:9:5: candidate, depth 2, 2 loops
//   %s:13:5: candidate, depth 2, 2 loops
