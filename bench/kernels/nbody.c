/* Gravitation between all pairs of bodies, softened; coordinates in separate arrays. */
#define NAME nbody
#define DIMS(F, R) F(tsteps, 3, 5, 5, 5, 10, 3) R(n, 30, 100, 500, 4000, 8000, ANY)
#define SCALARS(F, R) F(dt, 0.001) R(soft, 0.01)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    VEC(IN, real, m, n) VEC(INOUT, real, x, n) VEC(INOUT, real, y, n) VEC(INOUT, real, z, n) \
    VEC(INOUT, real, vx, n) VEC(INOUT, real, vy, n) VEC(INOUT, real, vz, n)
#include "include/suite.h"
#define m(i) AT1(m, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)
#define z(i) AT1(z, i)
#define vx(i) AT1(vx, i)
#define vy(i) AT1(vy, i)
#define vz(i) AT1(vz, i)

KERNEL
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 0; i < n; i++) {
            real ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; j++) {
                real dx = x(j) - x(i), dy = y(j) - y(i), dz = z(j) - z(i);
                real square = dx * dx + dy * dy + dz * dz + soft;
                real pull = m(j) / (square * SQRT(square));
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            vx(i) += dt * ax;
            vy(i) += dt * ay;
            vz(i) += dt * az;
        }
        for (int i = 0; i < n; i++) {
            x(i) += dt * vx(i);
            y(i) += dt * vy(i);
            z(i) += dt * vz(i);
        }
    }
}
