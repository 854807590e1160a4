/* Five-point Jacobi iteration between two arrays. */
#define NAME jacobi_2d
#define DIMS(F, R) F(tsteps, 20, 40, 100, 500, 1000, 20) R(n, 30, 90, 250, 1300, 2800, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, A, n, n) MAT(INOUT, real, B, n, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define B(i, j) AT2(B, n, i, j)

KERNEL
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B(i, j) = K(0.2) * (A(i, j) + A(i, j - 1) + A(i, j + 1) + A(i + 1, j) + A(i - 1, j));
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A(i, j) = K(0.2) * (B(i, j) + B(i, j - 1) + B(i, j + 1) + B(i + 1, j) + B(i - 1, j));
    }
}
