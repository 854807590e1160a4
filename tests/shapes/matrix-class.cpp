// test: clang++ -fstandalone-debug -O3 -g -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// A class around a vector. LLVM has lost what it knew about the addresses in the vectors: they are read before the nest,
// and that the result does not overwrite them is assumed. Where there are no columns to add up, rows are cleared by memset.
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

void multiply(const Matrix &a, const Matrix &b, Matrix &c) {
  for (std::size_t i = 0; i < a.rows(); i++)
    for (std::size_t j = 0; j < b.cols(); j++) {
      double sum = 0;
      for (std::size_t k = 0; k < a.cols(); k++)
        sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
}
// output:
// orthant: lift
// scop _Z8multiplyRK6MatrixS1_RS_
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// param p3 [-9223372036854775808, 9223372036854775807]
// context [p3, p2, p1, p0] -> {  : -9223372036854775808 <= p3 <= 9223372036854775807 and -9223372036854775808 <= p2 <= 9223372036854775807 and -9223372036854775808 <= p1 <= 9223372036854775807 and -9223372036854775808 <= p0 <= 9223372036854775807 }
// array A0 [*, p2] 8
// array A1 [*, p1] 8
// array A2 [*, p3] 8
// array a_3 [*] 8
// array b_4 [*] 8
// phi phi5 8
// phi phi6 8
// stmt S0 [p3, p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   write %k0 [p3, p2, p1, p0] -> { S0[i0, i1] -> phi5[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
// stmt S1 [p3, p2, p1, p0] -> { S1[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   read r0 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi5[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   read r1 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A0[i0, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   read r2 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A1[i2, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   write v0 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi6[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   write v0 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi5[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   let v0 = call r1 r2 r0 %k1
// stmt S2 [p3, p2, p1, p0] -> { S2[i0, i1] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p3, p2, p1, p0] -> { S2[i0, i1] -> phi6[] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
//   write r0 [p3, p2, p1, p0] -> { S2[i0, i1] -> A2[i0, i1] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read [p3, p2, p1, p0] -> { S2[i0, i1] -> a_3[2] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read [p3, p2, p1, p0] -> { S2[i0, i1] -> b_4[2] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
// order { for { for { S0 for { S1 } S2 } } }
// shape a: double[][a.cols_]
// shape b: double[][b.cols_]
// shape c: double[][c.cols_], valid when c.cols_ >= b.cols_
// orthant: lift
// scop _Z8multiplyRK6MatrixS1_RS_
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// context [p2, p1, p0] -> {  : -9223372036854775808 <= p2 <= 9223372036854775807 and -9223372036854775808 <= p1 <= 9223372036854775807 and -9223372036854775808 <= p0 <= 9223372036854775807 }
// array A0 [*, p2] 8
// stmt S0 [p2, p1, p0] -> { S0[i0] : 0 <= i0 < p0 }
//   write [p2, p1, p0] -> { S0[i0] -> A0[i0, o1] : 0 <= i0 < p0 and 0 <= o1 < p1 }
// order { for { S0 } }
// shape c: 8 bytes[][c.cols_], valid when c.cols_ >= b.cols_
