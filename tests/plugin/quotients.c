// test: clang -O3 -mllvm -orthant-schedule=identity -mllvm -orthant-least-length=0 -S -emit-llvm %s -o -
// A size that is a quotient is taken from where the program has divided, or divided where the program is about to: elsewhere the
// divisor may be zero.
void parts(unsigned long n, unsigned long factor, unsigned long stride, double *restrict a, double *restrict b) {
  unsigned long m = n / factor;
  for (unsigned long e = 0; e < factor; e++)
    for (unsigned long i = 0; i < m; i++)
      b[stride * (i + e * m)] = 2 * a[stride * (i + e * m)];
}
// CHECK: define {{.*}}@parts(
// CHECK: udiv i64 %0, %1
// CHECK: call {{.*}}@parts.orthant.loops(

void guarded(unsigned long n, unsigned long factor, unsigned long stride, double *restrict a, double *restrict b) {
  if (factor > 1)
    parts(n, factor, stride, a, b);
}
// CHECK: define {{.*}}@guarded(
// CHECK-NOT: udiv
// CHECK: icmp {{.*}} i64 %1, 1
// CHECK: udiv i64 %0, %1

// CHECK: define {{.*}}@parts.orthant.loops(
