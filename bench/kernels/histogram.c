/* Histogram equalization of an image: count, accumulate, map. Subscripts come from the data. */
#define NAME histogram
#define DIMS(F, R) F(h, 24, 70, 480, 1080, 4320, ANY) R(w, 32, 90, 640, 1920, 7680, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, u8, image, h, w) MAT(INOUT, u8, result, h, w) VEC(INOUT, int, count, 256) VEC(INOUT, int, below, 257)
#include "include/suite.h"
#define image(i, j) AT2(image, w, i, j)
#define result(i, j) AT2(result, w, i, j)
#define count(i) AT1(count, i)
#define below(i) AT1(below, i)

KERNEL
{
    for (int v = 0; v < 256; v++)
        count(v) = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            count(image(y, x))++;
    below(0) = 0;
    for (int v = 0; v < 256; v++)
        below(v + 1) = below(v) + count(v);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            result(y, x) = (u8)((long long)below(image(y, x)) * 255 / ((long long)h * w));
}

#ifdef DRIVER
/* A dark image. */
PREPARE
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            image(y, x) = (u8)(image(y, x) * image(y, x) / 255);
}
#endif
