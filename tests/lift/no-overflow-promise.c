// test: clang -O3 -fno-vectorize -fno-unroll-loops -mllvm -orthant-least-length=0 -S -emit-llvm %s -o -
// In the new order the terms come before the head, and their sum may overflow in between: additions to the cell promise nothing,
// that which makes a term still does.
void sums(long n, int t[n][n]) {
  for (long i = n - 1; i >= 0; i--)
    for (long j = i + 1; j < n; j++) {
      t[i][j] -= 1 << 30;
      for (long k = i + 1; k < j; k++)
        t[i][j] += t[i][k] + t[k + 1][j];
    }
}
// The original is LLVM's affair:
// CHECK: define {{.*}}@sums.orthant.original
// CHECK: add nsw i32 {{.*}}, -1073741824
// The new loops:
// CHECK: define {{.*}}@sums.orthant.loops
// CHECK: add i32 {{.*}}, -1073741824
// CHECK: [[TERM:%[0-9]+]] = add nsw i32
// CHECK-NOT: add nsw i32
// CHECK: add i32 {{.*}}[[TERM]]
// CHECK-NOT: add nsw i32
// CHECK: }
