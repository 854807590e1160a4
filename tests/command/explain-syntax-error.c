// test: orthant explain %s
// exit: 1
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += ;
}
// output:
// orthant: error: %s:5:13: error: expected expression
