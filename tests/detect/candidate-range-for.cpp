// test: clang++ -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
#include <array>

void twice(std::array<std::array<float, 1000>, 1000> &a) {
  for (auto &row : a)
    for (float &x : row)
      x *= 2;
}
// output:
// %s:5:18: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: twice(std::array<std::array<float, 1000ul>, 1000ul>&)
//   %s:5:18: candidate, depth 2, 2 loops
