// test: clang -mllvm -orthant-bugdet=1 -O2 -c %s -o /dev/null
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
// clang (LLVM option parsing): Unknown command line argument '-orthant-bugdet=1'.  Try: 'clang (LLVM option parsing) --help'
// clang (LLVM option parsing): Did you mean '--orthant-budget=1'?
