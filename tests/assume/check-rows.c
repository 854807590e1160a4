// test: clang -O2 -mllvm -orthant-least-length=40 -mllvm -orthant-machine=generic -Rpass=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// Where only values that go from one iteration to the next are gained, rows are long: what is left of a few vectors at once takes longer.
void smooth(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; i++)
      a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
  }
}
// output:
// %s:4:3: remark: loop nest optimized: T(S0): (i0, 0, i1); T(S1): (i0, 1, i1); the same order: behind the check values go from one iteration to the next without being loaded again [-Rpass=orthant]
// %s:4:3: remark: the new loops run if (p1 >= 102) && (p0 >= 1) [something to do] [-Rpass-analysis=orthant]
// %s:6:12: remark: the new loops run if A0 and A1 do not overlap [no overlap, %s:6:12] [-Rpass-analysis=orthant]
