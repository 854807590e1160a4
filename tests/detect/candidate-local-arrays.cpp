// test: clang++ -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Lambdas, references and a local array: what is left after inlining is a plain nest.
#include <cstddef>

template <typename Body> static void each(std::size_t n, Body body) {
  for (std::size_t i = 0; i < n; i++)
    body(i);
}

double norm(std::size_t n, const double (&a)[500][500]) {
  double sums[500];
  each(500, [&](std::size_t i) {
    sums[i] = 0;
    each(500, [&](std::size_t j) { sums[i] += a[i][j] * a[i][j]; });
  });
  double result = 0;
  each(500, [&](std::size_t i) { result += sums[i]; });
  return result;
}
// output:
// %s:6:3: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: norm(unsigned long, double const (&) [500][500])
//   %s:6:3: candidate, depth 2, 3 loops
