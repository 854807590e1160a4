/* Quantised matrix product as in neural networks: bytes in, 32-bit sums, rounded, scaled and clamped to bytes.
 * The weights are stored by output channel. */
#define NAME qmatmul
#define DIMS(F, R) \
    F(ni, 14, 50, 180, 600, 1200, ANY) R(nj, 18, 60, 200, 700, 1400, ANY) R(nk, 22, 70, 256, 1024, 2048, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, i8, out, ni, nj) MAT(IN, i8, in, ni, nk) MAT(IN, i8, weight, nj, nk) VEC(IN, int, bias, nj) \
    VEC(IN, int, multiplier, nj)
#include "include/suite.h"
#define out(i, j) AT2(out, nj, i, j)
#define in(i, j) AT2(in, nk, i, j)
#define weight(i, j) AT2(weight, nk, i, j)
#define bias(i) AT1(bias, i)
#define multiplier(i) AT1(multiplier, i)

KERNEL
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            int sum = bias(j);
            for (int k = 0; k < nk; k++)
                sum += in(i, k) * weight(j, k);
            long long scaled = ((long long)sum * multiplier(j) + (1LL << 23)) >> 24;
            out(i, j) = (i8)(scaled < -128 ? -128 : scaled > 127 ? 127 : scaled);
        }
}

#ifdef DRIVER
/* The typical sum fills the byte. */
PREPARE
{
    for (int j = 0; j < nj; j++)
        multiplier(j) = 8000 + 2 * multiplier(j);
}
#endif
