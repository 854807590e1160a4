// test: clang -O3 -fno-vectorize -S -emit-llvm %s -o -
// Who asks for no vectors gets none in new loops either.
void add(long n, double a[n][n], double b[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j][i] += b[j][i];
}
// CHECK: define internal {{.*}}@add.orthant.loops(
// CHECK-NOT: load <{{[0-9]+}} x double>
// CHECK: attributes
