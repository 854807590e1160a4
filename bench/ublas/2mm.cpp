// D := alpha A B C + beta D, with uBLAS's own products.
#include <boost/numeric/ublas/matrix.hpp>

namespace ublas = boost::numeric::ublas;
using matrix = ublas::matrix<double>;

void k2mm(double alpha, double beta, const matrix &A, const matrix &B, const matrix &C, matrix &AB, matrix &D) {
  AB = alpha * ublas::prod(A, B);
  D *= beta;
  D += ublas::prod(AB, C);
}
