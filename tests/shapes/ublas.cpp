// test: orthant explain --position=late %s -- -w -fstandalone-debug
// test: clang++ -w -fstandalone-debug -O3 -g -mllvm -orthant-position=late -mllvm -orthant-only=^product -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// test: clang++ -w -O3 -g -mllvm -orthant-position=late -mllvm -orthant-only=^product -mllvm -orthant-count-checks %s -o %t.new
// test: run %t.new
// test: llvm clang++ -w -O3 %s -o %t.old
// test: run %t.old
// Boost's uBLAS: a product through expression templates, iterators and references, which gets new loops; they run
// unless rows of b are shorter than those of c, or c is one of the factors.
#define NDEBUG
#define BOOST_UBLAS_NDEBUG
#include "inputs/sum.h"
#include <boost/numeric/ublas/matrix.hpp>

namespace ublas = boost::numeric::ublas;
using matrix = ublas::matrix<double>;

__attribute__((noinline)) void product(const matrix &a, const matrix &b, matrix &c) {
  ublas::noalias(c) = ublas::prod(a, b);
}

static matrix filled(std::size_t rows, std::size_t columns) {
  fill();
  matrix result(rows, columns);
  std::copy_n(other, rows * columns, result.data().begin());
  return result;
}

static void run(const char *what, const matrix &a, const matrix &b, matrix &c) {
  product(a, b, c);
  std::copy_n(c.data().begin(), c.size1() * c.size2(), memory);
  print_sum(what);
}

int main() {
  matrix a = filled(40, 70), b = filled(70, 50), c = filled(40, 50);
  run("product", a, b, c);
  matrix a2 = filled(2, 3), b2 = filled(3, 2), c2 = filled(2, 2);
  run("small", a2, b2, c2);
  matrix a1 = filled(1, 1), b1 = filled(1, 1), c1 = filled(1, 1);
  run("one", a1, b1, c1);
  matrix wide = filled(70, 90);
  run("wide", a, wide, c);
  matrix narrow = filled(100, 40);
  run("narrow", a, narrow, c);
  matrix empty(40, 0), none(0, 50);
  run("nothing", empty, none, c);
  matrix d = filled(50, 50), e = filled(50, 50);
  run("first", c, d, c);
  run("second", e, d, d);
}
// CHECK: {{^}}product
// CHECK: optimized
// CHECK: array a: double[][a.size2_]{{$}}
// CHECK: array b: double[][b.size2_], valid when b.size2_ >= c.size2_{{$}}
// CHECK: array c: double[][c.size2_]{{$}}
// CHECK: // iterations are independent
// CHECK: orthant: lift
// CHECK: array A0 [*, p2] 8
// CHECK: array A1 [*, p3] 8
// CHECK: array A2 [*, size_j] 8
// CHECK: S1[i0, i1, i2] -> A0[i0, i2] :
// CHECK: S1[i0, i1, i2] -> A1[i2, i1] :
// CHECK: S2[i0, i1] -> A2[i0, i1] :
// CHECK: # shape a: double[][a.size2_]{{$}}
// CHECK: # shape b: double[][b.size2_], valid when b.size2_ >= c.size2_{{$}}
// CHECK: # shape c: double[][c.size2_]{{$}}
// CHECK: product [[PRODUCT:[0-9a-f]+]]
// CHECK: small [[SMALL:[0-9a-f]+]]
// CHECK: one [[ONE:[0-9a-f]+]]
// CHECK: wide [[WIDE:[0-9a-f]+]]
// CHECK: narrow [[NARROW:[0-9a-f]+]]
// CHECK: nothing [[NOTHING:[0-9a-f]+]]
// CHECK: first [[FIRST:[0-9a-f]+]]
// CHECK: second [[SECOND:[0-9a-f]+]]
// CHECK: 6 of 7: p3 >= size_j [shape
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
