// test: clang -O3 -g -S -emit-llvm %s -o -
// New loops are a function of their own, which LLVM's passes leave alone until its vectorizers come; the function they come from has
// the check, a call and its own loops, and its section is theirs.
__attribute__((section(".fast"))) void add(long n, double a[n][n], double b[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j][i] += b[j][i];
}
// CHECK: define {{.*}}@add({{.*}} section ".fast" !dbg
// CHECK-NOT: load <{{[0-9]+}} x double>
// CHECK: call {{.*}}@add.orthant.loops({{.*}}, !dbg
// CHECK-NOT: load <{{[0-9]+}} x double>
// CHECK: define internal {{.*}}@add.orthant.loops({{.*}} [[ATTRIBUTES:#[0-9]+]] section ".fast" !dbg
// CHECK: load <{{[0-9]+}} x double>
// CHECK: attributes [[ATTRIBUTES]] = {{.*}} noinline {{.*}} "orthant-new"
// CHECK-NOT: orthant-aside
