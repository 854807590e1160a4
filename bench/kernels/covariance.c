/* Covariance of the columns of a table with n rows. */
#define NAME covariance
#define DIMS(F, R) F(m, 28, 80, 240, 1200, 2600, ANY) R(n, 32, 100, 260, 1400, 3000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, data, n, m) MAT(INOUT, real, cov, m, m) VEC(INOUT, real, mean, m)
#include "include/suite.h"
#define data(i, j) AT2(data, m, i, j)
#define cov(i, j) AT2(cov, m, i, j)
#define mean(i) AT1(mean, i)

KERNEL
{
    const real count = (real)n;
    for (int j = 0; j < m; j++) {
        mean(j) = 0;
        for (int i = 0; i < n; i++)
            mean(j) += data(i, j);
        mean(j) /= count;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data(i, j) -= mean(j);
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov(i, j) = 0;
            for (int k = 0; k < n; k++)
                cov(i, j) += data(k, i) * data(k, j);
            cov(i, j) /= count - 1;
            cov(j, i) = cov(i, j);
        }
}
