/* Heat equation in two dimensions by alternating directions: in each half step one direction is implicit, a
 * tridiagonal system a line, solved by elimination (the factors are in p, the right-hand sides in q). */
#define NAME adi
#define DIMS(F, R) F(tsteps, 20, 40, 100, 500, 1000, 20) R(n, 20, 60, 200, 1000, 2000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, u, n, n) MAT(INOUT, real, v, n, n) MAT(INOUT, real, p, n, n) MAT(INOUT, real, q, n, n)
#include "include/suite.h"
#define u(i, j) AT2(u, n, i, j)
#define v(i, j) AT2(v, n, i, j)
#define p(i, j) AT2(p, n, i, j)
#define q(i, j) AT2(q, n, i, j)

KERNEL
{
    const real space = K(1) / (real)n, time = K(1) / (real)tsteps;
    const real column = 2 * time / (space * space), row = time / (space * space);
    const real a = -column / 2, b = 1 + column, d = -row / 2, e = 1 + row;
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v(0, i) = 1;
            p(i, 0) = 0;
            q(i, 0) = v(0, i);
            for (int j = 1; j < n - 1; j++) {
                p(i, j) = -a / (a * p(i, j - 1) + b);
                q(i, j) = (-d * u(j, i - 1) + (1 + 2 * d) * u(j, i) - d * u(j, i + 1) - a * q(i, j - 1))
                          / (a * p(i, j - 1) + b);
            }
            v(n - 1, i) = 1;
            for (int j = n - 2; j >= 1; j--)
                v(j, i) = p(i, j) * v(j + 1, i) + q(i, j);
        }
        for (int i = 1; i < n - 1; i++) {
            u(i, 0) = 1;
            p(i, 0) = 0;
            q(i, 0) = u(i, 0);
            for (int j = 1; j < n - 1; j++) {
                p(i, j) = -d / (d * p(i, j - 1) + e);
                q(i, j) = (-a * v(i - 1, j) + (1 + 2 * a) * v(i, j) - a * v(i + 1, j) - d * q(i, j - 1))
                          / (d * p(i, j - 1) + e);
            }
            u(i, n - 1) = 1;
            for (int j = n - 2; j >= 1; j--)
                u(i, j) = p(i, j) * u(i, j + 1) + q(i, j);
        }
    }
}
