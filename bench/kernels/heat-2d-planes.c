/* Heat in two dimensions, explicit steps in time between two planes of one array. */
#define NAME heat_2d_planes
#define DIMS(F, R) F(tsteps, 21, 41, 101, 501, 1001, 21) R(n, 30, 90, 250, 1300, 2800, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) TEN3(INOUT, real, u, 2, n, n)
#include "include/suite.h"
#define u(plane, i, j) AT3(u, n, n, plane, i, j)

KERNEL
{
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u((t + 1) % 2, i, j) = u(t % 2, i, j) +
                                       K(0.125) * (u(t % 2, i + 1, j) - K(2.0) * u(t % 2, i, j) + u(t % 2, i - 1, j)) +
                                       K(0.125) * (u(t % 2, i, j + 1) - K(2.0) * u(t % 2, i, j) + u(t % 2, i, j - 1));
}
