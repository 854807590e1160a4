/* Product with the transpose of a unit lower triangle, in place: B := alpha A' B. */
#define NAME trmm
#define DIMS(F, R) F(m, 20, 60, 200, 1000, 2000, ANY) R(n, 30, 80, 240, 1200, 2600, ANY)
#define SCALARS(F, R) F(alpha, 1.5)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(IN, real, A, m, m) MAT(INOUT, real, B, m, n)
#include "include/suite.h"
#define A(i, j) AT2(A, m, i, j)
#define B(i, j) AT2(B, n, i, j)

KERNEL
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B(i, j) += A(k, i) * B(k, j);
            B(i, j) = alpha * B(i, j);
        }
}
