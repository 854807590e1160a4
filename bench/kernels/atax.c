/* A matrix, then its transpose, times a vector: y := A' (A x). */
#define NAME atax
#define DIMS(F, R) F(m, 38, 116, 390, 1900, 1800, ANY) R(n, 42, 124, 410, 2100, 2200, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, A, m, n) VEC(IN, real, x, n) VEC(INOUT, real, y, n) VEC(INOUT, real, Ax, m)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)
#define Ax(i) AT1(Ax, i)

KERNEL
{
    for (int j = 0; j < n; j++)
        y(j) = 0;
    for (int i = 0; i < m; i++) {
        Ax(i) = 0;
        for (int j = 0; j < n; j++)
            Ax(i) += A(i, j) * x(j);
        for (int j = 0; j < n; j++)
            y(j) += A(i, j) * Ax(i);
    }
}
