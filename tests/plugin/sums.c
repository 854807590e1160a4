// test: clang -O3 -march=x86-64-v4 -mprefer-vector-width=512 -ffp-contract=off -S -emit-llvm %s -o -
// Products of rows in strict order are no sums.
void products(int n, int m, double y[n], double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] *= a[i][j];
}
// CHECK-LABEL: define internal {{.*}}@products.orthant.loops
// CHECK-NOT: <8 x double>

// Strict sums of rows: eight terms of each of eight rows are computed, transposed, and added in their order.
void product(int n, int m, double y[n], double a[n][m], double x[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}
// CHECK-LABEL: define internal {{.*}}@product.orthant.loops
// CHECK: phi <8 x double>
// CHECK-COUNT-8: fmul <8 x double>
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK-NOT: shufflevector
// CHECK-COUNT-8: fadd <8 x double>
// CHECK-NOT: reduce.fadd

// What one row has stored others read: the sums are stored behind the vectors.
void triangle(int n, double x[n], double a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      x[i] -= a[i][j] * x[j];
}
// CHECK-LABEL: define internal {{.*}}@triangle.orthant.loops
// CHECK: phi <8 x double>
// CHECK-COUNT-8: fmul <8 x double>
// CHECK-NOT: store double
// CHECK-COUNT-8: fsub <8 x double>
