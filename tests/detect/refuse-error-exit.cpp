// test: clang++ -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// A checked access throws; the throw itself is an exit that does not come back.
#include <stdexcept>

struct Row {
  double *data;
  long size;
  double &at(long i) {
    if (i >= size)
      throw std::out_of_range("row");
    return data[i];
  }
};

void twice(Row &row, long n) {
  for (long i = 0; i < n; i++)
    row.at(i) *= 2;
}
// output:
// %s:16:3: remark: loop nest not optimized: an exit leads to code that does not return, such as a failed bounds check [-Rpass-missed=orthant]
// %s:9:11: remark: an exit leads to code that does not return, such as a failed bounds check; check the bounds once before the loops (in Rust: take a slice of the needed length first) [-Rpass-analysis=orthant]
// orthant: detect: twice(Row&, long)
//   %s:16:3: rejected, depth 1, 1 loops
//     error-exit: %s:9:11: an exit leads to code that does not return, such as a failed bounds check
