// test: clang -O2 -g -mllvm -orthant-schedule=identity -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// Every assumption is named, at what it protects.
void copy(unsigned n, unsigned from, double *a, const double *b) {
  for (unsigned i = 0; i < n; i++)
    a[i + from] = b[i];
}
// output:
// %s:4:3: remark: the new loops run if n >= 1 [something to do] [-Rpass-analysis=orthant]
// %s:5:17: remark: the new loops run if (from >= 0) && ((from + n) <= 2147483648) [no wrap, %s:5:17] [-Rpass-analysis=orthant]
// %s:5:17: remark: the new loops run if b_0 and a_1 do not overlap [no overlap, %s:5:17] [-Rpass-analysis=orthant]
