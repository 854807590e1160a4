// test: clang -O2 -c %s -o %T/with.o
// test: llvm clang -O2 -c %s -o %T/without.o
// test: cmp %T/with.o %T/without.o
// Where no nest gets new loops, the object with the plugin is the object without it.
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// output:
