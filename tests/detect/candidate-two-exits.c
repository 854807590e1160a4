// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Both numbers of iterations are affine and the paths meet again: one region with one exit.
long cut(long n, long k, double *a, double *b) {
  for (long i = 0; i < n; i++) {
    a[i] += 1;
    if (i == k)
      return b[i] > 0;
    b[i] += a[i];
  }
  return 7;
}
// output:
// %s:4:3: remark: loop nest of depth 1 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: cut
//   %s:4:3: candidate, depth 1, 1 loops
