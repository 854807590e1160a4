/* Nine-point Gauss-Seidel iteration, in place. */
#define NAME seidel_2d
#define DIMS(F, R) F(tsteps, 20, 40, 100, 500, 1000, 20) R(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, A, n, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)

KERNEL
{
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A(i, j) = (A(i - 1, j - 1) + A(i - 1, j) + A(i - 1, j + 1) + A(i, j - 1) + A(i, j) + A(i, j + 1)
                           + A(i + 1, j - 1) + A(i + 1, j) + A(i + 1, j + 1)) / K(9);
}
