// test: clang -O0 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -c %s -o /dev/null
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// output:
