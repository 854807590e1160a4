// test: ORTHANT_CONFIG=%S/inputs/wrong.conf clang -O2 -c %s -o /dev/null
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
// error: orthant: %S/inputs/wrong.conf:4: option 'budget' cannot be 'ten': it takes a whole number
// 1 error generated.
