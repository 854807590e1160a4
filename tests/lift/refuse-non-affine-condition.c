// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Whether the inner loop runs depends on data. It is a nest of its own.
void masked(long n, const int *restrict mask, double (*restrict a)[100]) {
  for (long i = 0; i < n; i++)
    if (mask[i])
      for (long j = 0; j < 100; j++)
        a[i][j] *= 2;
}
// CHECK: %s:4:3: remark: loop nest not optimized: a condition inside the nest is not affine
// CHECK: %s:5:9: remark: a condition inside the nest is not affine{{.*}}; {{.+}}
// CHECK: non-affine-condition: %s:5:9: a condition inside the nest is not affine
// CHECK: %s:6:7: candidate, depth 1, 1 loops
