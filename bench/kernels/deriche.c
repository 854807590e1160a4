/* Deriche's recursive smoothing filter: along each row forwards and backwards, then along each column. */
#define NAME deriche
#define DIMS(F, R) F(w, 64, 192, 720, 4096, 7680, ANY) R(h, 64, 128, 480, 2160, 4320, ANY)
#define SCALARS(F, R) F(alpha, 0.25)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, in, w, h) MAT(INOUT, real, out, w, h) MAT(INOUT, real, fwd, w, h) MAT(INOUT, real, bwd, w, h)
#include "include/suite.h"
#define in(i, j) AT2(in, h, i, j)
#define out(i, j) AT2(out, h, i, j)
#define fwd(i, j) AT2(fwd, h, i, j)
#define bwd(i, j) AT2(bwd, h, i, j)

KERNEL
{
    const real decay = EXP(-alpha), decay2 = EXP(-2 * alpha);
    const real gain = (1 - decay) * (1 - decay) / (1 + 2 * alpha * decay - decay2);
    const real a1 = gain, a2 = gain * decay * (alpha - 1);
    const real a3 = gain * decay * (alpha + 1), a4 = -gain * decay2;
    const real b1 = 2 * decay, b2 = -decay2;

    for (int i = 0; i < w; i++) {
        real x1 = 0, y1 = 0, y2 = 0;
        for (int j = 0; j < h; j++) {
            fwd(i, j) = a1 * in(i, j) + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = in(i, j);
            y2 = y1;
            y1 = fwd(i, j);
        }
    }
    for (int i = 0; i < w; i++) {
        real x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (int j = h - 1; j >= 0; j--) {
            bwd(i, j) = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = in(i, j);
            y2 = y1;
            y1 = bwd(i, j);
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out(i, j) = fwd(i, j) + bwd(i, j);

    for (int j = 0; j < h; j++) {
        real x1 = 0, y1 = 0, y2 = 0;
        for (int i = 0; i < w; i++) {
            fwd(i, j) = a1 * out(i, j) + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = out(i, j);
            y2 = y1;
            y1 = fwd(i, j);
        }
    }
    for (int j = 0; j < h; j++) {
        real x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (int i = w - 1; i >= 0; i--) {
            bwd(i, j) = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = out(i, j);
            y2 = y1;
            y1 = bwd(i, j);
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out(i, j) = fwd(i, j) + bwd(i, j);
}
