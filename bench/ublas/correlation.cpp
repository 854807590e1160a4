// Correlation of the columns of a table, in uBLAS's matrices and vectors.
#include <boost/numeric/ublas/matrix.hpp>
#include <boost/numeric/ublas/vector.hpp>
#include <cmath>

namespace ublas = boost::numeric::ublas;
using matrix = ublas::matrix<double>;
using vector = ublas::vector<double>;

void correlation(matrix &data, matrix &corr, vector &mean, vector &stddev) {
  const std::size_t n = data.size1(), m = data.size2();
  const double tiny = 0.1;
  for (std::size_t j = 0; j < m; j++) {
    mean(j) = 0;
    for (std::size_t i = 0; i < n; i++)
      mean(j) += data(i, j);
    mean(j) /= double(n);
  }
  for (std::size_t j = 0; j < m; j++) {
    stddev(j) = 0;
    for (std::size_t i = 0; i < n; i++)
      stddev(j) += (data(i, j) - mean(j)) * (data(i, j) - mean(j));
    stddev(j) = std::sqrt(stddev(j) / double(n));
    stddev(j) = stddev(j) <= tiny ? 1.0 : stddev(j);
  }
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < m; j++)
      data(i, j) = (data(i, j) - mean(j)) / (std::sqrt(double(n)) * stddev(j));
  for (std::size_t i = 0; i + 1 < m; i++) {
    corr(i, i) = 1;
    for (std::size_t j = i + 1; j < m; j++) {
      corr(i, j) = 0;
      for (std::size_t k = 0; k < n; k++)
        corr(i, j) += data(k, i) * data(k, j);
      corr(j, i) = corr(i, j);
    }
  }
  corr(m - 1, m - 1) = 1;
}
