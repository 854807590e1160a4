// test: clang -O2 -g -mllvm -orthant-parallel -mllvm -orthant-threads=2 -S -emit-llvm %s -o -
// The function that runs in threads has debug information of its own.
void rows(int n, double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] + 1;
}
// CHECK: define internal void @rows.orthant.threads({{.*}} !dbg
