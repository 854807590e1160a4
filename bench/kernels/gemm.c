/* Matrix product: C := alpha A B + beta C. */
#define NAME gemm
#define DIMS(F, R) \
    F(ni, 20, 60, 200, 1000, 2000, ANY) R(nj, 25, 70, 220, 1100, 2300, ANY) R(nk, 30, 80, 240, 1200, 2600, ANY)
#define SCALARS(F, R) F(alpha, 1.5) R(beta, 1.2)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, C, ni, nj) MAT(IN, real, A, ni, nk) MAT(IN, real, B, nk, nj)
#include "include/suite.h"
#define A(i, j) AT2(A, nk, i, j)
#define B(i, j) AT2(B, nj, i, j)
#define C(i, j) AT2(C, nj, i, j)

KERNEL
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C(i, j) *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C(i, j) += alpha * A(i, k) * B(k, j);
    }
}
