/* A linear system by LU factors without pivoting: A x = b. */
#define NAME ludcmp
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(INOUT, real, A, n, n) VEC(IN, real, b, n) VEC(INOUT, real, x, n) VEC(INOUT, real, y, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define b(i) AT1(b, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)

KERNEL
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            real w = A(i, j);
            for (int k = 0; k < j; k++)
                w -= A(i, k) * A(k, j);
            A(i, j) = w / A(j, j);
        }
        for (int j = i; j < n; j++) {
            real w = A(i, j);
            for (int k = 0; k < i; k++)
                w -= A(i, k) * A(k, j);
            A(i, j) = w;
        }
    }
    for (int i = 0; i < n; i++) {
        real w = b(i);
        for (int j = 0; j < i; j++)
            w -= A(i, j) * y(j);
        y(i) = w;
    }
    for (int i = n - 1; i >= 0; i--) {
        real w = y(i);
        for (int j = i + 1; j < n; j++)
            w -= A(i, j) * x(j);
        x(i) = w / A(i, i);
    }
}

#ifdef DRIVER
/* A heavy diagonal: no pivot is needed. */
PREPARE
{
    for (int i = 0; i < n; i++)
        A(i, i) += (real)n;
}
#endif
