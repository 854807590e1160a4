// Covariance of the columns of a table, in uBLAS's matrices and vectors.
#include <boost/numeric/ublas/matrix.hpp>
#include <boost/numeric/ublas/vector.hpp>

namespace ublas = boost::numeric::ublas;
using matrix = ublas::matrix<double>;
using vector = ublas::vector<double>;

void covariance(matrix &data, matrix &cov, vector &mean) {
  const std::size_t n = data.size1(), m = data.size2();
  for (std::size_t j = 0; j < m; j++) {
    mean(j) = 0;
    for (std::size_t i = 0; i < n; i++)
      mean(j) += data(i, j);
    mean(j) /= double(n);
  }
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < m; j++)
      data(i, j) -= mean(j);
  for (std::size_t i = 0; i < m; i++)
    for (std::size_t j = i; j < m; j++) {
      cov(i, j) = 0;
      for (std::size_t k = 0; k < n; k++)
        cov(i, j) += data(k, i) * data(k, j);
      cov(i, j) /= double(n) - 1;
      cov(j, i) = cov(i, j);
    }
}
