// test: clang -O2 -mllvm -orthant-panic-in=f -c %s -o %T/with.o
// test: llvm clang -O2 -c %s -o %T/without.o
// test: cmp %T/with.o %T/without.o
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// CHECK: {{^}}orthant: internal error in function f, which is left as it was: asked to fail in f{{.*}}report it{{.*$}}
// CHECK-NOT: {{.}}
