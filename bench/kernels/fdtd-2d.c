/* Maxwell's equations in two dimensions by finite differences in the time domain. */
#define NAME fdtd_2d
#define DIMS(F, R) \
    F(tsteps, 20, 40, 100, 500, 1000, 20) R(nx, 20, 60, 200, 1000, 2000, ANY) \
    R(ny, 30, 80, 240, 1200, 2600, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, ex, nx, ny) MAT(INOUT, real, ey, nx, ny) MAT(INOUT, real, hz, nx, ny) \
    VEC(IN, real, source, tsteps)
#include "include/suite.h"
#define ex(i, j) AT2(ex, ny, i, j)
#define ey(i, j) AT2(ey, ny, i, j)
#define hz(i, j) AT2(hz, ny, i, j)
#define source(i) AT1(source, i)

KERNEL
{
    for (int t = 0; t < tsteps; t++) {
        for (int j = 0; j < ny; j++)
            ey(0, j) = source(t);
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey(i, j) -= K(0.5) * (hz(i, j) - hz(i - 1, j));
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex(i, j) -= K(0.5) * (hz(i, j) - hz(i, j - 1));
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz(i, j) -= K(0.7) * (ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j));
    }
}
