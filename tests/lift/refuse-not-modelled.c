// test: clang -O2 -g -mllvm -orthant-schedule=identity -mllvm -orthant-print-after=detect -c %s -o /dev/null
// Bounds are computed in 64 bits, and n may be up to 2^48.
void f(long n, char *a) {
  for (long i = 0; i < n * 1048576; i++)
    a[i] = 1;
}
// output:
// orthant: detect: f
//   %s:4:3: rejected, depth 1, 1 loops
//     not-modelled: %s:4:3: 1048576 * parameter 0, which may not fit 64 bits, is not modelled yet
