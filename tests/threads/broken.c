// test: clang -O2 -mllvm -orthant-parallel -mllvm -orthant-threads=2 -mllvm -orthant-break-in=rows -S -emit-llvm %s -o -
// What was written is taken back.
void rows(int n, double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] + 1;
}
// CHECK: which is left as it was
// CHECK-LABEL: define dso_local void @rows(
// CHECK-NOT: orthant.threads
