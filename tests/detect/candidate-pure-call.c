// test: clang -O3 -fno-math-errno -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Mathematical functions and calls that only compute do not stand in the way.
double __attribute__((const)) kernel(double, double);

void interact(long n, double *restrict force, const double *restrict x) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      force[i] += __builtin_sqrt(kernel(x[i], x[j]));
}
// output:
// %s:6:3: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: interact
//   %s:6:3: candidate, depth 2, 2 loops
