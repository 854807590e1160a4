/* Magnetic field update of a finite-difference solver with an anisotropic perfectly matched layer. The last
 * column and the last row take their neighbours from boundary arrays (ry, ax). */
#define NAME fdtd_apml
#define DIMS(F, R) \
    F(nz, 10, 28, 60, 220, 360, ANY) R(ny, 12, 30, 62, 230, 370, ANY) R(nx, 14, 32, 64, 240, 380, ANY)
#define SCALARS(F, R) F(mui, 2.3) R(ch, 0.7)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, ax, nz + 1, nx + 1) MAT(IN, real, ry, nz + 1, ny + 1) \
    TEN3(INOUT, real, bza, nz + 1, ny + 1, nx + 1) TEN3(IN, real, ex, nz + 1, ny + 1, nx + 1) \
    TEN3(IN, real, ey, nz + 1, ny + 1, nx + 1) TEN3(INOUT, real, hz, nz + 1, ny + 1, nx + 1) \
    VEC(IN, real, czm, nz + 1) VEC(IN, real, czp, nz + 1) VEC(IN, real, cxmh, nx + 1) VEC(IN, real, cxph, nx + 1) \
    VEC(IN, real, cymh, ny + 1) VEC(IN, real, cyph, ny + 1)
#include "include/suite.h"
#define ax(i, j) AT2(ax, nx + 1, i, j)
#define ry(i, j) AT2(ry, ny + 1, i, j)
#define bza(i, j, k) AT3(bza, ny + 1, nx + 1, i, j, k)
#define ex(i, j, k) AT3(ex, ny + 1, nx + 1, i, j, k)
#define ey(i, j, k) AT3(ey, ny + 1, nx + 1, i, j, k)
#define hz(i, j, k) AT3(hz, ny + 1, nx + 1, i, j, k)
#define czm(i) AT1(czm, i)
#define czp(i) AT1(czp, i)
#define cxmh(i) AT1(cxmh, i)
#define cxph(i) AT1(cxph, i)
#define cymh(i) AT1(cymh, i)
#define cyph(i) AT1(cyph, i)

/* From the circulation of the electric field around the cell to its two unknowns. */
#define UPDATE(z, y, x, circulation) \
    do { \
        real curl = (circulation); \
        real flux = (cymh(y) / cyph(y)) * bza(z, y, x) - (ch / cyph(y)) * curl; \
        hz(z, y, x) = (cxmh(x) / cxph(x)) * hz(z, y, x) + (mui * czp(z) / cxph(x)) * flux \
                      - (mui * czm(z) / cxph(x)) * bza(z, y, x); \
        bza(z, y, x) = flux; \
    } while (0)

KERNEL
{
    for (int z = 0; z < nz; z++) {
        for (int y = 0; y < ny; y++) {
            for (int x = 0; x < nx; x++)
                UPDATE(z, y, x, ex(z, y, x) - ex(z, y + 1, x) + ey(z, y, x + 1) - ey(z, y, x));
            UPDATE(z, y, nx, ex(z, y, nx) - ex(z, y + 1, nx) + ry(z, y) - ey(z, y, nx));
        }
        for (int x = 0; x < nx; x++)
            UPDATE(z, ny, x, ex(z, ny, x) - ax(z, x) + ey(z, ny, x + 1) - ey(z, ny, x));
        UPDATE(z, ny, nx, ex(z, ny, nx) - ax(z, nx) + ry(z, ny) - ey(z, ny, nx));
    }
}

#ifdef DRIVER
/* Divisors away from zero. */
PREPARE
{
    for (int y = 0; y <= ny; y++)
        cyph(y) += 1;
    for (int x = 0; x <= nx; x++)
        cxph(x) += 1;
}
#endif
