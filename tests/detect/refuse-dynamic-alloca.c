// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
double use(double *) __attribute__((const));

void fill(long n, double *a) {
  for (long i = 0; i < n; i++) {
    double *buffer = __builtin_alloca(i * sizeof(double));
    a[i] = use(buffer);
  }
}
// output:
// %s:5:3: remark: loop nest not optimized: stack memory is allocated inside the loop [-Rpass-missed=orthant]
// %s:6:22: remark: stack memory is allocated inside the loop; allocate the buffer once, before the loops [-Rpass-analysis=orthant]
// orthant: detect: fill
//   %s:5:3: rejected, depth 1, 1 loops
//     dynamic-alloca: %s:6:22: stack memory is allocated inside the loop
