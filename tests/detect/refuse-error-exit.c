// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void fail(void) __attribute__((noreturn));

void invert(long n, double *a) {
  for (long i = 0; i < n; i++) {
    if (a[i] == 0)
      fail();
    a[i] = 1 / a[i];
  }
}
// output:
// %s:5:3: remark: loop nest not optimized: an exit leads to code that does not return, such as a failed bounds check [-Rpass-missed=orthant]
// %s:6:14: remark: an exit leads to code that does not return, such as a failed bounds check; check the bounds once before the loops (in Rust: take a slice of the needed length first) [-Rpass-analysis=orthant]
// orthant: detect: invert
//   %s:5:3: rejected, depth 1, 1 loops
//     error-exit: %s:6:14: an exit leads to code that does not return, such as a failed bounds check
