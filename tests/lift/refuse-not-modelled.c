// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// The function reads memory that the model does not know.
double look(const double *) __attribute__((pure));

void all(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    a[i] = look(b + i);
}
// CHECK: %s:6:3: remark: loop nest not optimized: a call to look is not modelled yet
// CHECK: %s:7:12: remark: a call to look is not modelled yet; {{.+}}
// CHECK: not-modelled: %s:7:12: a call to look is not modelled yet
