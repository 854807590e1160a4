/* LU factors without pivoting, in place. */
#define NAME lu
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, A, n, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)

KERNEL
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A(i, j) -= A(i, k) * A(k, j);
            A(i, j) /= A(j, j);
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A(i, j) -= A(i, k) * A(k, j);
    }
}

#ifdef DRIVER
/* A heavy diagonal: no pivot is needed. */
PREPARE
{
    for (int i = 0; i < n; i++)
        A(i, i) += (real)n;
}
#endif
