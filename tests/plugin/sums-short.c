// test: clang -O3 -march=x86-64-v3 -ffp-contract=on -mllvm -orthant-position=late -S -emit-llvm %s -o -
// Vectors of four, and fused: both of what is multiplied goes across the rows, one of them the same for all.
void product(int n, int m, double y[n], double a[n][m], double x[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}
// CHECK-LABEL: define internal {{.*}}@product.orthant.loops
// CHECK: phi <4 x double>
// CHECK: phi <4 x double>
// CHECK: call <4 x double> @llvm.fmuladd.v4f64

// Two lanes would gain nothing.
__attribute__((target("no-avx"))) void two(int n, int m, double y[n], double a[n][m], double x[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}
// CHECK-LABEL: define internal {{.*}}@two.orthant.loops
// CHECK: call double @llvm.fmuladd.f64
// CHECK-NOT: phi <2 x double>
