// test: clang -O3 -mllvm -orthant-least-length=40 -S -emit-llvm %s -o -
// A function that is all about one nest asks whether there is much to do, and goes on as one of two others: what checks all else and
// runs the new loops, or the original as LLVM makes it without us.
long product(int n, double C[n][n], double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
  return n + 1;
}
// CHECK: define {{.*}} @product(
// CHECK-NEXT: icmp sgt i32 %0, {{[0-9]+}}
// CHECK-NEXT: br i1 %{{[0-9]+}}, label %[[MUCH:[0-9]+]], label %[[LITTLE:[0-9]+]]
// CHECK: [[MUCH]]:
// CHECK-NEXT: tail call {{.*}} @product.orthant.loops(i32 noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3)
// CHECK: [[LITTLE]]:
// CHECK-NEXT: tail call {{.*}} @product.orthant.original(i32 noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3)

// What may not be done twice is not begun again: the loops alone are set aside.
void report(void);
void logged(int n, double C[n][n], double A[n][n], double B[n][n]) {
  report();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
// CHECK: define {{.*}} @logged(
// CHECK: call {{.*}}i1 @logged.orthant.loops(

// CHECK: define internal {{.*}} @product.orthant.original(
// CHECK-NOT: orthant
// CHECK: define internal {{.*}} @product.orthant.loops(
// Where the check fails:
// CHECK: tail call {{.*}} @product.orthant.original(i32 noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3)
// CHECK-NOT: logged.orthant.original
