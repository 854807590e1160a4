// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-least-length=0 -mllvm -orthant-l2-bytes=100000000 -S -emit-llvm %s -o -
// LLVM has made a scalar of the sum, which is in its cell again: the cell is read at the address at which the program writes it, so that
// eight terms are added without going through memory.
void sums(int n, int m, double R[n][n], double Q[m][n], double A[m][n]) {
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] / 3;
    for (int j = k + 1; j < n; j++) {
      R[k][j] = 0;
      for (int i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}
// CHECK: define internal {{.*}}@sums.orthant.loops(
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK-NOT: store <
// CHECK: @llvm.fmuladd.v2f64
// CHECK: store <
