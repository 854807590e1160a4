// test: orthant explain --position=late %s -- -fstandalone-debug
// test: clang++ -fstandalone-debug -O3 -g -mllvm -orthant-position=late -mllvm -orthant-only=^multiply -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// test: clang++ -O3 -g -mllvm -orthant-position=late -mllvm -orthant-only=^multiply -mllvm -orthant-count-checks %s -o %t.new
// test: run %t.new
// test: llvm clang++ -O3 %s -o %t.old
// test: run %t.old
// A class around a vector. LLVM has lost what it knew about the addresses in the vectors: they are read before the nest,
// and that the result does not overwrite them is assumed. Where there are no columns to add up, rows are cleared by memset.
#include "inputs/sum.h"
#include <cstddef>
#include <vector>

class Matrix {
  std::size_t rows_, cols_;
  std::vector<double> data_;

public:
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(rows * cols) {}
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  double &operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
};

__attribute__((noinline)) void multiply(const Matrix &a, const Matrix &b, Matrix &c) {
  for (std::size_t i = 0; i < a.rows(); i++)
    for (std::size_t j = 0; j < b.cols(); j++) {
      double sum = 0;
      for (std::size_t k = 0; k < a.cols(); k++)
        sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
}

static Matrix filled(std::size_t rows, std::size_t cols) {
  fill();
  Matrix result(rows, cols);
  for (std::size_t i = 0; i < rows; i++)
    for (std::size_t j = 0; j < cols; j++)
      result(i, j) = other[i * cols + j];
  return result;
}

static void run(const char *what, const Matrix &a, const Matrix &b, Matrix &c) {
  multiply(a, b, c);
  for (std::size_t i = 0; i < c.rows(); i++)
    for (std::size_t j = 0; j < c.cols(); j++)
      memory[i * c.cols() + j] = c(i, j);
  print_sum(what);
}

int main() {
  Matrix a = filled(40, 70), b = filled(70, 50), c = filled(40, 50);
  run("product", a, b, c);
  Matrix a2 = filled(2, 3), b2 = filled(3, 2), c2 = filled(2, 2);
  run("small", a2, b2, c2);
  Matrix a1 = filled(1, 1), b1 = filled(1, 1), c1 = filled(1, 1);
  run("one", a1, b1, c1);
  Matrix wide = filled(40, 90);
  run("wide", a, b, wide);
  Matrix narrow = filled(100, 30);
  run("narrow", a, b, narrow);
  Matrix empty(40, 0), none(0, 50);
  run("nothing", empty, none, c);
  Matrix d = filled(50, 50), e = filled(50, 50);
  run("first", c, d, c);
  run("second", e, d, d);
}
// CHECK: {{^}}multiply
// CHECK: optimized
// CHECK: array a: double[][a.cols_]{{$}}
// CHECK: array b: double[][b.cols_]{{$}}
// CHECK: array c: double[][c.cols_], valid when c.cols_ >= b.cols_{{$}}
// CHECK: [invariant load]
// CHECK: // iterations are independent
// CHECK: orthant: lift
// CHECK: S1[i0, i1, i2] -> A0[i0, i2] :
// CHECK: S1[i0, i1, i2] -> A1[i2, i1] :
// CHECK: S2[i0, i1] -> A2[i0, i1] :
// CHECK: # shape a: double[][a.cols_]{{$}}
// CHECK: # shape b: double[][b.cols_]{{$}}
// CHECK: # shape c: double[][c.cols_], valid when c.cols_ >= b.cols_{{$}}
// CHECK: orthant: lift
// CHECK: write {{.*}} S0[i0] -> A0[i0, o1] :
// CHECK: # shape c: 8 bytes[][c.cols_], valid when c.cols_ >= b.cols_{{$}}
// CHECK: product [[PRODUCT:[0-9a-f]+]]
// CHECK: small [[SMALL:[0-9a-f]+]]
// CHECK: one [[ONE:[0-9a-f]+]]
// CHECK: wide [[WIDE:[0-9a-f]+]]
// CHECK: narrow [[NARROW:[0-9a-f]+]]
// CHECK: nothing [[NOTHING:[0-9a-f]+]]
// CHECK: first [[FIRST:[0-9a-f]+]]
// CHECK: second [[SECOND:[0-9a-f]+]]
// CHECK: 6 of 7: p3 >= p1 [shape
// CHECK: 5 of 6: A0 and A2 do not overlap
// CHECK: 4 of 5: A1 and A2 do not overlap
// CHECK: product [[PRODUCT]]
// CHECK: small [[SMALL]]
// CHECK: one [[ONE]]
// CHECK: wide [[WIDE]]
// CHECK: narrow [[NARROW]]
// CHECK: nothing [[NOTHING]]
// CHECK: first [[FIRST]]
// CHECK: second [[SECOND]]
