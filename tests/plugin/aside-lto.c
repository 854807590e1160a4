// test: clang -O3 -flto=thin -S -emit-llvm %s -o -
// Before linking nothing is set aside: who goes on after linking need not have this plugin, and would find code without a pass on it.
void add(long n, double a[n][n], double b[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j][i] += b[j][i];
}
// CHECK: define {{.*}}@add({{.*}} [[ATTRIBUTES:#[0-9]+]]
// CHECK-NOT: orthant.loops
// CHECK: attributes [[ATTRIBUTES]] = {{.*}} "orthant-loops"
// CHECK-NOT: orthant-aside
