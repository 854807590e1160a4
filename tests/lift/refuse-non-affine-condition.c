// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void clip(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    if (b[i] > 0)
      a[2 * i] = b[i];
}
// CHECK: %s:3:3: remark: loop nest not optimized: a condition inside the nest is not affine
// CHECK: %s:4:14: remark: a condition inside the nest is not affine{{.*}}; {{.+}}
// CHECK: non-affine-condition: %s:4:14: a condition inside the nest is not affine
