// test: clang++ -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// What is thrown about depends on data.
#include <stdexcept>

void invert(double *a, long n) {
  for (long i = 0; i < n; i++) {
    if (a[i] == 0)
      throw std::domain_error("zero");
    a[i] = 1 / a[i];
  }
}
// output:
// %s:6:3: remark: loop nest not optimized: an exit leads to code that does not return, such as a failed bounds check [-Rpass-missed=orthant]
// %s:7:14: remark: an exit leads to code that does not return, such as a failed bounds check; check the bounds once before the loops (in Rust: take a slice of the needed length first) [-Rpass-analysis=orthant]
// orthant: detect: invert(double*, long)
//   %s:6:3: rejected, depth 1, 1 loops
//     error-exit: %s:7:14: an exit leads to code that does not return, such as a failed bounds check
