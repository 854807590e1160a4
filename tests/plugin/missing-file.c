// test: ORTHANT_CONFIG=%S/inputs/none.conf clang -O2 -c %s -o /dev/null
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
// error: orthant: cannot read the file %S/inputs/none.conf named by ORTHANT_CONFIG: No such file or directory (os error 2)
// 1 error generated.
