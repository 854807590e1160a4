// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// One way out leads to a call, so no region with one exit holds the loop and nothing else.
void found(long i);

void cut(long n, long k, double *a, double *b) {
  for (long i = 0; i < n; i++) {
    a[i] += 1;
    if (i == k) {
      found(i);
      return;
    }
    b[i] += a[i];
  }
}
// output:
// %s:6:3: remark: loop nest not optimized: control leaves the loops for more than one place [-Rpass-missed=orthant]
// %s:6:3: remark: control leaves the loops for more than one place; leave the loops at one place: replace return or goto by a flag tested after them [-Rpass-analysis=orthant]
// orthant: detect: cut
//   %s:6:3: rejected, depth 1, 1 loops
//     several-exits: %s:6:3: control leaves the loops for more than one place
