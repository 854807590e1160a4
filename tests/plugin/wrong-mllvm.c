// test: clang -mllvm -orthant-stop-after=nowhere -O2 -c %s -o /dev/null
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
// error: orthant: command line: option 'stop-after' cannot be 'nowhere': it takes detect
// 1 error generated.
