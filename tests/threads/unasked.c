// test: clang -O2 -S -emit-llvm %s -o -
// Nobody asked for threads.
void product(int n, double C[n][n], double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
// CHECK-LABEL: define dso_local void @product(
// CHECK-NOT: GOMP_
// CHECK-NOT: omp_
// CHECK-NOT: orthant.threads
