// test: clang -O3 -mllvm -orthant-least-length=40 -S -emit-llvm %s -o -
// Where there is little to do, one comparison is all that comes before the original, which has one way in for that and for when the
// check fails: LLVM does not use there that loops run if there is much to do. All else is checked in the function with the loops.
// (A function that is all about its nest is divided instead: divide.c.)
void report(void);
void product(int n, double C[n][n], double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
  report();
}
// CHECK-LABEL: define dso_local void @product(
// CHECK-NEXT: icmp sgt i32 %0, {{[0-9]+}}
// CHECK-NEXT: br i1 %{{[0-9]+}}, label %[[CALL:[0-9]+]], label %[[ORIGINAL:[0-9]+]]
// CHECK: [[ORIGINAL]]: {{.*}}preds = %[[CALL]], %
// CHECK-NOT: sideeffect
// CHECK: icmp sgt i32 %0, 0
// CHECK: [[CALL]]:
// CHECK-NEXT: [[DONE:%[0-9]+]] = {{.*}}call {{.*}}i1 @product.orthant.loops(i32 %0, ptr %{{[0-9]}}, ptr %{{[0-9]}}, ptr %{{[0-9]}})
// CHECK-NEXT: br i1 [[DONE]], label %{{[0-9]+}}, label %{{[0-9]+}}
// CHECK: define internal {{.*}}i1 @product.orthant.loops(
// CHECK: icmp ult
