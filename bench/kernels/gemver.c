/* A rank-two update and two products with the result: A += u1 v1' + u2 v2', x += beta A' y + z, w += alpha A x. */
#define NAME gemver
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define SCALARS(F, R) F(alpha, 1.5) R(beta, 1.2)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, A, n, n) VEC(IN, real, u1, n) VEC(IN, real, v1, n) VEC(IN, real, u2, n) VEC(IN, real, v2, n) \
    VEC(INOUT, real, w, n) VEC(INOUT, real, x, n) VEC(IN, real, y, n) VEC(IN, real, z, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define u1(i) AT1(u1, i)
#define v1(i) AT1(v1, i)
#define u2(i) AT1(u2, i)
#define v2(i) AT1(v2, i)
#define w(i) AT1(w, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)
#define z(i) AT1(z, i)

KERNEL
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A(i, j) = A(i, j) + u1(i) * v1(j) + u2(i) * v2(j);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x(i) = x(i) + beta * A(j, i) * y(j);
    for (int i = 0; i < n; i++)
        x(i) = x(i) + z(i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w(i) = w(i) + alpha * A(i, j) * x(j);
}
