/* Lattice Boltzmann flow in two dimensions with nine directions: stream, then collide (single relaxation
 * time). The outermost cells are a fixed boundary. */
#define NAME lbm
#define DIMS(F, R) \
    F(tsteps, 4, 8, 20, 50, 100, 5) R(ny, 16, 40, 150, 600, 1500, ANY) R(nx, 20, 50, 200, 800, 2000, ANY)
#define SCALARS(F, R) F(omega, 1.25)
#define ARRAYS(VEC, MAT, TEN3, TEN4) TEN3(INOUT, real, f, 9, ny, nx) TEN3(INOUT, real, g, 9, ny, nx)
#include "include/suite.h"
#define f(d, i, j) AT3(f, ny, nx, d, i, j)
#define g(d, i, j) AT3(g, ny, nx, d, i, j)

KERNEL
{
    const real w0 = K(4) / K(9), w1 = K(1) / K(9), w2 = K(1) / K(36);
    for (int t = 0; t < tsteps; t++) {
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                g(0, y, x) = f(0, y, x);
                g(1, y, x) = f(1, y, x - 1);
                g(2, y, x) = f(2, y - 1, x);
                g(3, y, x) = f(3, y, x + 1);
                g(4, y, x) = f(4, y + 1, x);
                g(5, y, x) = f(5, y - 1, x - 1);
                g(6, y, x) = f(6, y - 1, x + 1);
                g(7, y, x) = f(7, y + 1, x + 1);
                g(8, y, x) = f(8, y + 1, x - 1);
            }
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                real east = g(1, y, x) + g(5, y, x) + g(8, y, x);
                real west = g(3, y, x) + g(6, y, x) + g(7, y, x);
                real north = g(2, y, x) + g(5, y, x) + g(6, y, x);
                real south = g(4, y, x) + g(7, y, x) + g(8, y, x);
                real density = g(0, y, x) + east + west + g(2, y, x) + g(4, y, x);
                real u = (east - west) / density, v = (north - south) / density;
                real rest = 1 - K(1.5) * (u * u + v * v);
                real p = u + v, q = v - u;
                f(0, y, x) = (1 - omega) * g(0, y, x) + omega * (w0 * density * rest);
                f(1, y, x) = (1 - omega) * g(1, y, x) + omega * (w1 * density * (rest + 3 * u + K(4.5) * u * u));
                f(2, y, x) = (1 - omega) * g(2, y, x) + omega * (w1 * density * (rest + 3 * v + K(4.5) * v * v));
                f(3, y, x) = (1 - omega) * g(3, y, x) + omega * (w1 * density * (rest - 3 * u + K(4.5) * u * u));
                f(4, y, x) = (1 - omega) * g(4, y, x) + omega * (w1 * density * (rest - 3 * v + K(4.5) * v * v));
                f(5, y, x) = (1 - omega) * g(5, y, x) + omega * (w2 * density * (rest + 3 * p + K(4.5) * p * p));
                f(6, y, x) = (1 - omega) * g(6, y, x) + omega * (w2 * density * (rest + 3 * q + K(4.5) * q * q));
                f(7, y, x) = (1 - omega) * g(7, y, x) + omega * (w2 * density * (rest - 3 * p + K(4.5) * p * p));
                f(8, y, x) = (1 - omega) * g(8, y, x) + omega * (w2 * density * (rest - 3 * q + K(4.5) * q * q));
            }
    }
}

#ifdef DRIVER
/* Near equilibrium at rest. */
PREPARE
{
    for (int d = 0; d < 9; d++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                real w = d == 0 ? K(4) / 9 : d < 5 ? K(1) / 9 : K(1) / 36;
                f(d, y, x) = w * (1 + K(0.1) * f(d, y, x));
            }
}
#endif
