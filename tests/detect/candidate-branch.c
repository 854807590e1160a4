// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// A condition on data inside the body is part of a statement; one on counters splits the domain.
void clip(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++) {
    if (b[i] > 0)
      a[i] = b[i];
    if (i > 10)
      a[i] += 1;
  }
}
// output:
// %s:4:3: remark: loop nest of depth 1 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: clip
//   %s:4:3: candidate, depth 1, 1 loops
