/* Correlation of the columns of a table with n rows. */
#define NAME correlation
#define DIMS(F, R) F(m, 28, 80, 240, 1200, 2600, ANY) R(n, 32, 100, 260, 1400, 3000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, data, n, m) MAT(INOUT, real, corr, m, m) VEC(INOUT, real, mean, m) VEC(INOUT, real, stddev, m)
#include "include/suite.h"
#define data(i, j) AT2(data, m, i, j)
#define corr(i, j) AT2(corr, m, i, j)
#define mean(i) AT1(mean, i)
#define stddev(i) AT1(stddev, i)

KERNEL
{
    const real count = (real)n, tiny = K(0.1);
    for (int j = 0; j < m; j++) {
        mean(j) = 0;
        for (int i = 0; i < n; i++)
            mean(j) += data(i, j);
        mean(j) /= count;
    }
    for (int j = 0; j < m; j++) {
        stddev(j) = 0;
        for (int i = 0; i < n; i++)
            stddev(j) += (data(i, j) - mean(j)) * (data(i, j) - mean(j));
        stddev(j) /= count;
        stddev(j) = SQRT(stddev(j));
        /* A column of equal values would be divided by zero. */
        stddev(j) = stddev(j) <= tiny ? K(1) : stddev(j);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            data(i, j) -= mean(j);
            data(i, j) /= SQRT(count) * stddev(j);
        }
    for (int i = 0; i < m - 1; i++) {
        corr(i, i) = 1;
        for (int j = i + 1; j < m; j++) {
            corr(i, j) = 0;
            for (int k = 0; k < n; k++)
                corr(i, j) += data(k, i) * data(k, j);
            corr(j, i) = corr(i, j);
        }
    }
    corr(m - 1, m - 1) = 1;
}
