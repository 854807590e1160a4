// test: clang -mllvm -orthant-enable=maybe -O2 -c %s -o /dev/null
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
// error: orthant: command line: option 'enable' cannot be 'maybe': it takes true or false
// 1 error generated.
