/* The butterfly passes of a radix-2 Fourier transform of each row, whose elements are already in bit-reversed
 * order. The distance between partners doubles from pass to pass. n is a power of two. */
#define NAME fft
#define DIMS(F, R) F(rows, 3, 6, 20, 100, 200, ANY) R(n, 32, 128, 512, 4096, 16384, 64)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, re, rows, n) MAT(INOUT, real, im, rows, n) VEC(IN, real, cosine, n) VEC(IN, real, sine, n)
#include "include/suite.h"
#define re(i, j) AT2(re, n, i, j)
#define im(i, j) AT2(im, n, i, j)
#define cosine(i) AT1(cosine, i)
#define sine(i) AT1(sine, i)

KERNEL
{
    for (int row = 0; row < rows; row++)
        for (int half = 1; half < n; half *= 2)
            for (int start = 0; start < n; start += 2 * half)
                for (int j = 0; j < half; j++) {
                    int top = start + j, bottom = start + j + half, turn = j * (n / (2 * half));
                    real tr = re(row, bottom) * cosine(turn) + im(row, bottom) * sine(turn);
                    real ti = im(row, bottom) * cosine(turn) - re(row, bottom) * sine(turn);
                    re(row, bottom) = re(row, top) - tr;
                    im(row, bottom) = im(row, top) - ti;
                    re(row, top) += tr;
                    im(row, top) += ti;
                }
}

#ifdef DRIVER
PREPARE
{
    for (int j = 0; j < n; j++) {
        cosine(j) = (real)__builtin_cos(2 * 3.14159265358979323846 * j / n);
        sine(j) = (real)__builtin_sin(2 * 3.14159265358979323846 * j / n);
    }
}
#endif
