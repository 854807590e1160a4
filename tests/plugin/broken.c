// test: clang -O2 -mllvm -orthant-break-in=f -c %s -o %T/with.o
// test: llvm clang -O2 -c %s -o %T/without.o
// test: cmp %T/with.o %T/without.o
// test: clang -O2 -mllvm -orthant-break-in=f -mllvm -orthant-position=late -c %s -o %T/late.o
// test: cmp %T/late.o %T/without.o
// test: clang -O2 -g -mllvm -orthant-break-in=f -c %s -o %T/debug.o
// test: clang -O2 -mllvm -orthant-break-in=f -Rpass=orthant -Rpass-missed=orthant -c %s -o /dev/null
// New loops that LLVM's verifier calls broken are taken out again, all of the function, and nothing else changes.
void f(double A[restrict 300][300], double B[restrict 300][300], double C[restrict 300][300], double *restrict x) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      for (int k = 0; k < 300; k++)
        C[i][j] += A[i][k] * B[k][j];
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      B[j][i] += x[j];
}

double g(long n, double *a) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
// CHECK: {{^}}orthant: internal error in function f, which is left as it was: the new loops are broken: asked to be{{.*}}report it{{.*$}}
// CHECK: {{^}}orthant: internal error in function f, which is left as it was: the new loops are broken: asked to be{{.*}}report it{{.*$}}
// CHECK: {{^}}orthant: internal error in function f, which is left as it was: the new loops are broken: asked to be{{.*}}report it{{.*$}}
// CHECK: {{^}}orthant: internal error in function f, which is left as it was
// CHECK-NOT: loop nest optimized
// CHECK: loop nest not optimized: internal error: the new loops are broken: asked to be
// CHECK-NOT: loop nest optimized
