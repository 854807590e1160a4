/* Sum of two matrix-vector products: y := alpha A x + beta B x. */
#define NAME gesummv
#define DIMS(F, R) F(n, 30, 90, 250, 1300, 2800, ANY)
#define SCALARS(F, R) F(alpha, 1.5) R(beta, 1.2)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, A, n, n) MAT(IN, real, B, n, n) VEC(INOUT, real, Ax, n) VEC(IN, real, x, n) VEC(INOUT, real, y, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define B(i, j) AT2(B, n, i, j)
#define Ax(i) AT1(Ax, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)

KERNEL
{
    for (int i = 0; i < n; i++) {
        Ax(i) = 0;
        y(i) = 0;
        for (int j = 0; j < n; j++) {
            Ax(i) = A(i, j) * x(j) + Ax(i);
            y(i) = B(i, j) * x(j) + y(i);
        }
        y(i) = alpha * Ax(i) + beta * y(i);
    }
}
