// test: clang -O3 -march=x86-64-v4 -fno-discard-value-names -S -emit-llvm %s -o -
// Where nobody comes any more who wants to know, LLVM's strength reduction no longer knows how new loops go on, and has nothing to
// do. Products of their variables are variables themselves. The function that they come from stays as it is.
void product(double (*restrict a)[500], double (*restrict b)[500], double (*restrict c)[500]) {
  for (long i = 0; i < 500; i++)
    for (long j = 0; j < 500; j++)
      for (long k = 0; k < 500; k++)
        c[i][j] += a[k][i] * b[k][j];
}
// CHECK: define {{.*}}@product(
// CHECK-NOT: @llvm.expect
// CHECK: define internal {{.*}}@product.orthant.loops(
// CHECK: %orthant.step{{.*}} = phi i64
// CHECK: @llvm.expect.i64(i64 {{.*}}, i64 0)
// CHECK: ret void
