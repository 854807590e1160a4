// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// sqrt sets errno where -fno-math-errno does not forbid it.


void interact(long n, double *restrict force, const double *restrict x) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      force[i] += __builtin_sqrt(x[i] - x[j]);
}
// output:
// %s:6:3: remark: loop nest not optimized: call to sqrt may set errno [-Rpass-missed=orthant]
// %s:8:19: remark: call to sqrt may set errno; compile with -fno-math-errno if nobody reads errno [-Rpass-analysis=orthant]
// orthant: detect: interact
//   %s:6:3: rejected, depth 2, 2 loops
//     sets-errno: %s:8:19: call to sqrt may set errno
