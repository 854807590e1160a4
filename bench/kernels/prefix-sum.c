/* Prefix sums: of a vector, and of a matrix in both directions (a summed-area table). */
#define NAME prefix_sum
#define DIMS(F, R) F(n, 30, 100, 500, 2000, 5000, ANY) R(m, 40, 120, 600, 2500, 6000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    VEC(IN, real, x, n) VEC(INOUT, real, scan, n) MAT(IN, real, A, n, m) MAT(INOUT, real, area, n, m)
#include "include/suite.h"
#define x(i) AT1(x, i)
#define scan(i) AT1(scan, i)
#define A(i, j) AT2(A, m, i, j)
#define area(i, j) AT2(area, m, i, j)

KERNEL
{
    real sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x(i);
        scan(i) = sum;
    }
    for (int i = 0; i < n; i++) {
        area(i, 0) = A(i, 0);
        for (int j = 1; j < m; j++)
            area(i, j) = area(i, j - 1) + A(i, j);
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            area(i, j) += area(i - 1, j);
}
