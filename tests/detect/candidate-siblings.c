// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Two loops, one after the other: one region holds both.
void two(long n, double *restrict a, double *restrict b) {
  for (long i = 1; i < n; i++)
    a[i] = b[i] + 1;
  for (long i = 1; i < n; i++)
    b[i] = a[i - 1] * 2;
}
// output:
// %s:4:3: remark: loop nest of depth 1 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: two
//   %s:4:3: candidate, depth 1, 2 loops
