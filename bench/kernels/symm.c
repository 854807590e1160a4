/* Product with a symmetric matrix of which only the lower triangle is read: C := alpha A B + beta C. */
#define NAME symm
#define DIMS(F, R) F(m, 20, 60, 200, 1000, 2000, ANY) R(n, 30, 80, 240, 1200, 2600, ANY)
#define SCALARS(F, R) F(alpha, 1.5) R(beta, 1.2)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, C, m, n) MAT(IN, real, A, m, m) MAT(IN, real, B, m, n)
#include "include/suite.h"
#define A(i, j) AT2(A, m, i, j)
#define B(i, j) AT2(B, n, i, j)
#define C(i, j) AT2(C, n, i, j)

KERNEL
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            real below = 0;
            for (int k = 0; k < i; k++) {
                C(k, j) += alpha * B(i, j) * A(i, k);
                below += B(k, j) * A(i, k);
            }
            C(i, j) = beta * C(i, j) + alpha * B(i, j) * A(i, i) + alpha * below;
        }
}
