/* Heat equation in three dimensions, explicit, between two arrays. */
#define NAME heat_3d
#define DIMS(F, R) F(tsteps, 20, 40, 100, 500, 1000, 20) R(n, 10, 20, 40, 120, 200, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) TEN3(INOUT, real, A, n, n, n) TEN3(INOUT, real, B, n, n, n)
#include "include/suite.h"
#define A(i, j, k) AT3(A, n, n, i, j, k)
#define B(i, j, k) AT3(B, n, n, i, j, k)

KERNEL
{
    const real c = K(0.125);
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    B(i, j, k) = c * (A(i + 1, j, k) - 2 * A(i, j, k) + A(i - 1, j, k))
                                 + c * (A(i, j + 1, k) - 2 * A(i, j, k) + A(i, j - 1, k))
                                 + c * (A(i, j, k + 1) - 2 * A(i, j, k) + A(i, j, k - 1)) + A(i, j, k);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    A(i, j, k) = c * (B(i + 1, j, k) - 2 * B(i, j, k) + B(i - 1, j, k))
                                 + c * (B(i, j + 1, k) - 2 * B(i, j, k) + B(i, j - 1, k))
                                 + c * (B(i, j, k + 1) - 2 * B(i, j, k) + B(i, j, k - 1)) + B(i, j, k);
    }
}
