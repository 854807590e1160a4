// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Each row has an address of its own, loaded in the nest, and which row comes when is in the data.
void twice(long n, long m, double **restrict rows, const long *restrict order) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      rows[order[i]][j] *= 2;
}
// CHECK: %s:4:3: remark: loop nest not optimized: the address of an array is computed inside the nest
// CHECK: %s:6:25: remark: the address of an array is computed inside the nest; {{.+}}
// CHECK: moving-base: %s:6:25: the address of an array is computed inside the nest
