/* A separable image filter with integer weights: rows, then columns. The image has a border of taps - 1. */
#define NAME blur
#define DIMS(F, R) \
    F(h, 24, 70, 480, 1080, 2160, ANY) R(w, 32, 90, 640, 1920, 3840, ANY) R(taps, 5, 7, 9, 9, 9, 7)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, u8, src, h + taps - 1, w + taps - 1) MAT(INOUT, int, rows, h + taps - 1, w) MAT(INOUT, u8, dst, h, w) \
    VEC(IN, int, weight, taps)
#include "include/suite.h"
#define src(i, j) AT2(src, w + taps - 1, i, j)
#define rows(i, j) AT2(rows, w, i, j)
#define dst(i, j) AT2(dst, w, i, j)
#define weight(i) AT1(weight, i)

KERNEL
{
    for (int y = 0; y < h + taps - 1; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int t = 0; t < taps; t++)
                sum += weight(t) * src(y, x + t);
            rows(y, x) = sum;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 1 << 15;
            for (int t = 0; t < taps; t++)
                sum += weight(t) * rows(y + t, x);
            dst(y, x) = (u8)(sum >> 16);
        }
}

#ifdef DRIVER
/* A triangle with the sum 256: two passes scale by 1 << 16. */
PREPARE
{
    int left = 256;
    for (int t = 0; t < taps; t++)
        left -= weight(t) = t <= taps / 2 ? 2 * (t + 1) : 2 * (taps - t);
    weight(taps / 2) += left;
}
#endif
