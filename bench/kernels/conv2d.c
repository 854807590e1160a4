/* Convolution layer, batch x channel x height x width; the input has a border of r - 1. */
#define NAME conv2d
#define DIMS(F, R) \
    F(nb, 1, 2, 2, 4, 8, 2) R(nk, 3, 6, 16, 64, 128, 5) R(nc, 2, 4, 16, 64, 128, 3) \
    R(nh, 8, 16, 28, 28, 56, ANY) R(nw, 10, 18, 28, 30, 60, ANY) R(r, 3, 3, 3, 3, 3, 3)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    TEN4(INOUT, real, out, nb, nk, nh, nw) TEN4(IN, real, in, nb, nc, nh + r - 1, nw + r - 1) \
    TEN4(IN, real, filter, nk, nc, r, r)
#include "include/suite.h"
#define out(b, k, i, j) AT4(out, nk, nh, nw, b, k, i, j)
#define in(b, c, i, j) AT4(in, nc, nh + r - 1, nw + r - 1, b, c, i, j)
#define filter(k, c, i, j) AT4(filter, nc, r, r, k, c, i, j)

KERNEL
{
    for (int b = 0; b < nb; b++)
        for (int k = 0; k < nk; k++)
            for (int y = 0; y < nh; y++)
                for (int x = 0; x < nw; x++) {
                    real sum = 0;
                    for (int c = 0; c < nc; c++)
                        for (int dy = 0; dy < r; dy++)
                            for (int dx = 0; dx < r; dx++)
                                sum += in(b, c, y + dy, x + dx) * filter(k, c, dy, dx);
                    out(b, k, y, x) = sum;
                }
}
