// test: clang -mllvm -orthant-report=%T/no/such/folder -O2 -c %s -o /dev/null
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
// error: orthant: cannot append to the report %T/no/such/folder: No such file or directory (os error 2); name a writable file with -orthant-report
// 1 error generated.
