// test: clang++ -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
#include <cstddef>
#include <vector>

template <typename T> struct Matrix {
  std::vector<T> data;
  std::size_t columns;
  T &operator()(std::size_t i, std::size_t j) { return data[i * columns + j]; }
};

void add(Matrix<double> &__restrict a, Matrix<double> &__restrict b, std::size_t n, std::size_t m) {
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < m; j++)
      a(i, j) += b(i, j);
}
// output:
// %s:12:3: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: add(Matrix<double>&, Matrix<double>&, unsigned long, unsigned long)
//   %s:12:3: candidate, depth 2, 2 loops
