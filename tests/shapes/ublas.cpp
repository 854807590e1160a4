// test: clang++ -w -fstandalone-debug -O3 -g -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// Boost's uBLAS: a product through expression templates, iterators and references.
#define NDEBUG
#define BOOST_UBLAS_NDEBUG
#include <boost/numeric/ublas/matrix.hpp>

namespace ublas = boost::numeric::ublas;
using matrix = ublas::matrix<double>;

void product(const matrix &a, const matrix &b, matrix &c) { ublas::noalias(c) = ublas::prod(a, b); }
// output:
// orthant: lift
// scop _Z7productRKN5boost7numeric5ublas6matrixIdNS1_15basic_row_majorImlEENS1_15unbounded_arrayIdSaIdEEEEESA_RS8_
// param size1 [-9223372036854775808, 9223372036854775807]
// param size_j [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// param p3 [-9223372036854775808, 9223372036854775807]
// context [p3, p2, size_j, size1] -> {  : -9223372036854775808 <= p3 <= 9223372036854775807 and -9223372036854775808 <= p2 <= 9223372036854775807 and -9223372036854775808 <= size_j <= 9223372036854775807 and -9223372036854775808 <= size1 <= 9223372036854775807 }
// array A0 [*, p2] 8
// array A1 [*, p3] 8
// array A2 [*, size_j] 8
// phi phi3 8
// phi phi4 8
// stmt S0 [p3, p2, size_j, size1] -> { S0[i0, i1] : 0 <= i0 < size1 and 0 <= i1 < size_j }
//   write %k0 [p3, p2, size_j, size1] -> { S0[i0, i1] -> phi3[] : 0 <= i0 < size1 and 0 <= i1 < size_j }
// stmt S1 [p3, p2, size_j, size1] -> { S1[i0, i1, i2] : 0 <= i0 < size1 and 0 <= i1 < size_j and 0 <= i2 < p2 }
//   read r0 [p3, p2, size_j, size1] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < size1 and 0 <= i1 < size_j and 0 <= i2 < p2 }
//   read r1 [p3, p2, size_j, size1] -> { S1[i0, i1, i2] -> A0[i0, i2] : 0 <= i0 < size1 and 0 <= i1 < size_j and 0 <= i2 < p2 }
//   read r2 [p3, p2, size_j, size1] -> { S1[i0, i1, i2] -> A1[i2, i1] : 0 <= i0 < size1 and 0 <= i1 < size_j and 0 <= i2 < p2 }
//   write v0 [p3, p2, size_j, size1] -> { S1[i0, i1, i2] -> phi4[] : 0 <= i0 < size1 and 0 <= i1 < size_j and 0 <= i2 < p2 }
//   write v0 [p3, p2, size_j, size1] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < size1 and 0 <= i1 < size_j and 0 <= i2 < p2 }
//   let v0 = call r1 r2 r0 %k1
// stmt S2 [p3, p2, size_j, size1] -> { S2[i0, i1] : p2 > 0 and 0 <= i0 < size1 and 0 <= i1 < size_j }
//   read r0 [p3, p2, size_j, size1] -> { S2[i0, i1] -> phi4[] : p2 > 0 and 0 <= i0 < size1 and 0 <= i1 < size_j }
//   write r0 [p3, p2, size_j, size1] -> { S2[i0, i1] -> A2[i0, i1] : p2 > 0 and 0 <= i0 < size1 and 0 <= i1 < size_j }
// order { for { for { S0 for { S1 } S2 } } }
// shape a: double[][a.size2_]
// shape b: double[][b.size2_], valid when b.size2_ >= c.size2_
// shape c: double[][c.size2_]
