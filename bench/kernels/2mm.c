/* Two matrix products: D := alpha A B C + beta D. */
#define NAME k2mm
#define DIMS(F, R) \
    F(ni, 16, 40, 180, 800, 1600, ANY) \
    R(nj, 18, 50, 190, 900, 1800, ANY) \
    R(nk, 22, 70, 210, 1100, 2200, ANY) \
    R(nl, 24, 80, 220, 1200, 2400, ANY)
#define SCALARS(F, R) F(alpha, 1.5) R(beta, 1.2)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, AB, ni, nj) MAT(IN, real, A, ni, nk) MAT(IN, real, B, nk, nj) MAT(IN, real, C, nj, nl) \
    MAT(INOUT, real, D, ni, nl)
#include "include/suite.h"
#define A(i, j) AT2(A, nk, i, j)
#define B(i, j) AT2(B, nj, i, j)
#define C(i, j) AT2(C, nl, i, j)
#define D(i, j) AT2(D, nl, i, j)
#define AB(i, j) AT2(AB, nj, i, j)

KERNEL
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            AB(i, j) = 0;
            for (int k = 0; k < nk; k++)
                AB(i, j) += alpha * A(i, k) * B(k, j);
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D(i, j) *= beta;
            for (int k = 0; k < nj; k++)
                D(i, j) += AB(i, k) * C(k, j);
        }
}
