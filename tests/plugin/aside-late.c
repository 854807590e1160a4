// test: clang -O3 -mllvm -orthant-position=late -S -emit-llvm %s -o -
// At the late position, too.
void add(long n, double a[n][n], double b[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j][i] += b[j][i];
}
// CHECK: define {{.*}}@add(
// CHECK-NOT: load <{{[0-9]+}} x double>
// CHECK: call {{.*}}@add.orthant.loops(
// CHECK: define internal {{.*}}@add.orthant.loops(
// CHECK: load <{{[0-9]+}} x double>
// CHECK-NOT: orthant-aside
