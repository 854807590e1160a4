// test: ORTHANT_OPTS=position=sideways clang -O2 -c %s -o /dev/null
// exit: 1
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// output:
// error: orthant: ORTHANT_OPTS: option 'position' cannot be 'sideways': it takes early or late
// 1 error generated.
