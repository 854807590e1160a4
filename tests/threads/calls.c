// test: clang -O2 -mllvm -orthant-parallel -mllvm -orthant-threads=2 -S -emit-llvm %s -o -
// The loops become a function that the runtime calls, if there is enough to do; else it runs as it is.
void rows(int n, double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] + 1;
}
// CHECK-LABEL: define dso_local void @rows(
// CHECK: call {{.*}} @rows.orthant.loops(
// CHECK: call {{.*}} @rows.orthant.original(
// CHECK-DAG: call i32 @omp_get_thread_num()
// CHECK-DAG: call i32 @omp_get_num_threads()
// CHECK-DAG: call void @GOMP_parallel(ptr nonnull @rows.orthant.threads, ptr nonnull %{{[0-9a-z.]+}}, i32 0, i32 0)
