// test: clang -O3 -S -emit-llvm %s -o -
// A function that is always inlined has the check and a call inlined; its new loops are not.
__attribute__((always_inline)) static inline void add(long n, double *a, double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j * n + i] += b[j * n + i];
}
void twice(long n, double *a, double *b, double *c) {
  add(n, a, b);
  add(n, a, c);
}
// CHECK: define {{.*}}@twice(
// CHECK: call {{.*}}@add.orthant.loops(
// CHECK: call {{.*}}@add.orthant.loops(
// CHECK: define internal {{.*}}@add.orthant.loops(
