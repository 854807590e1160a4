// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void twice(long n, long first, double *a) {
  long i = 0;
  if (first)
    goto middle;
  for (; i < n; i++) {
    a[i] += 1;
  middle:
    a[i] *= 2;
  }
}
// output:
// %s:6:3: remark: loop nest not optimized: the loop is entered at more than one place [-Rpass-missed=orthant]
// %s:6:3: remark: the loop is entered at more than one place; rewrite the goto so that the loop is entered at its head only [-Rpass-analysis=orthant]
// orthant: detect: twice
//   %s:6:12: rejected, depth 1, 0 loops
//     irreducible-control-flow: %s:6:3: the loop is entered at more than one place
