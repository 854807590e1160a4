/* Symmetric rank-k update of a lower triangle: C := alpha A A' + beta C. */
#define NAME syrk
#define DIMS(F, R) F(m, 20, 60, 200, 1000, 2000, ANY) R(n, 30, 80, 240, 1200, 2600, ANY)
#define SCALARS(F, R) F(alpha, 1.5) R(beta, 1.2)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, C, n, n) MAT(IN, real, A, n, m)
#include "include/suite.h"
#define A(i, j) AT2(A, m, i, j)
#define C(i, j) AT2(C, n, i, j)

KERNEL
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C(i, j) *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C(i, j) += alpha * A(i, k) * A(j, k);
    }
}
