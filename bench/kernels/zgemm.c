/* Product of complex matrices, real and imaginary parts side by side: C := A B + C. */
#define NAME zgemm
#define DIMS(F, R) \
    F(ni, 20, 60, 140, 600, 1200, ANY) R(nj, 25, 70, 150, 650, 1300, ANY) R(nk, 30, 80, 160, 700, 1400, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    TEN3(INOUT, real, C, ni, nj, 2) TEN3(IN, real, A, ni, nk, 2) TEN3(IN, real, B, nk, nj, 2)
#include "include/suite.h"
#define A(i, j, part) AT3(A, nk, 2, i, j, part)
#define B(i, j, part) AT3(B, nj, 2, i, j, part)
#define C(i, j, part) AT3(C, nj, 2, i, j, part)

KERNEL
{
    for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++) {
                C(i, j, 0) += A(i, k, 0) * B(k, j, 0) - A(i, k, 1) * B(k, j, 1);
                C(i, j, 1) += A(i, k, 0) * B(k, j, 1) + A(i, k, 1) * B(k, j, 0);
            }
}
