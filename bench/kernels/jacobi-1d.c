/* Three-point Jacobi iteration between two arrays. */
#define NAME jacobi_1d
#define DIMS(F, R) F(tsteps, 20, 40, 100, 500, 1000, 20) R(n, 30, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) VEC(INOUT, real, A, n) VEC(INOUT, real, B, n)
#include "include/suite.h"
#define A(i) AT1(A, i)
#define B(i) AT1(B, i)

KERNEL
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B(i) = K(0.33333) * (A(i - 1) + A(i) + A(i + 1));
        for (int i = 1; i < n - 1; i++)
            A(i) = K(0.33333) * (B(i - 1) + B(i) + B(i + 1));
    }
}
