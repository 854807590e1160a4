/* Cholesky factor of a positive definite matrix, in its lower triangle: A = L L'. */
#define NAME cholesky
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, A, n, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)

KERNEL
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A(i, j) -= A(i, k) * A(j, k);
            A(i, j) /= A(j, j);
        }
        for (int k = 0; k < i; k++)
            A(i, i) -= A(i, k) * A(i, k);
        A(i, i) = SQRT(A(i, i));
    }
}

#ifdef DRIVER
/* Symmetric with a heavy diagonal: positive definite. */
PREPARE
{
    for (int i = 0; i < n; i++) {
        A(i, i) += (real)n;
        for (int j = 0; j < i; j++)
            A(j, i) = A(i, j);
    }
}
#endif
