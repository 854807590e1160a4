// test: clang -O3 -S -emit-llvm %s -o -
// What the source says about its loops stays with them: where the check fails, they run as without Orthant. The new
// loops have what the check proved: iterations are independent, and a and b do not overlap.
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
#pragma clang loop vectorize(disable) unroll(disable)
    for (int j = 0; j < n; j++)
      a[j * n + i] = b[j * n + i] + 1;
}
// The new loops are vectorized: accesses of two cells and more, in the scopes of their arrays.
// CHECK: store <{{[0-9]+}} x double> {{.*}} !alias.scope ![[A:[0-9]+]], !noalias ![[B:[0-9]+]]
// CHECK-DAG: ![[HINTED:[0-9]+]] = distinct !{![[HINTED]], {{.*}}![[NO_UNROLL:[0-9]+]], ![[NO_VECTORS:[0-9]+]]{{.*}}}
// CHECK-DAG: ![[NO_UNROLL]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: ![[NO_VECTORS]] = !{!"llvm.loop.vectorize.width", i32 1}
// CHECK-DAG: !{!"llvm.loop.parallel_accesses", !{{[0-9]+}}}
