/* A matrix and its transpose, each times a vector: x1 += A y1, x2 += A' y2. */
#define NAME mvt
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    VEC(INOUT, real, x1, n) VEC(INOUT, real, x2, n) VEC(IN, real, y1, n) VEC(IN, real, y2, n) MAT(IN, real, A, n, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define x1(i) AT1(x1, i)
#define x2(i) AT1(x2, i)
#define y1(i) AT1(y1, i)
#define y2(i) AT1(y2, i)

KERNEL
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1(i) = x1(i) + A(i, j) * y1(j);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2(i) = x2(i) + A(j, i) * y2(j);
}
