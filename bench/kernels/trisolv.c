/* A triangular system by forward substitution: L x = b. */
#define NAME trisolv
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(IN, real, L, n, n) VEC(INOUT, real, x, n) VEC(IN, real, b, n)
#include "include/suite.h"
#define L(i, j) AT2(L, n, i, j)
#define x(i) AT1(x, i)
#define b(i) AT1(b, i)

KERNEL
{
    for (int i = 0; i < n; i++) {
        x(i) = b(i);
        for (int j = 0; j < i; j++)
            x(i) -= L(i, j) * x(j);
        x(i) = x(i) / L(i, i);
    }
}

#ifdef DRIVER
/* A heavy diagonal keeps the solution small. */
PREPARE
{
    for (int i = 0; i < n; i++)
        L(i, i) += (real)n;
}
#endif
