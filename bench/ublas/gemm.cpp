// C := alpha A B + beta C, with uBLAS's own product.
#include <boost/numeric/ublas/matrix.hpp>

namespace ublas = boost::numeric::ublas;
using matrix = ublas::matrix<double>;

void gemm(double alpha, double beta, const matrix &A, const matrix &B, matrix &C) {
  C *= beta;
  C += alpha * ublas::prod(A, B);
}
