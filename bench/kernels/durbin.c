/* Durbin's recursion for the Yule-Walker equations: T y = -r with the symmetric Toeplitz matrix T of r. */
#define NAME durbin
#define DIMS(F, R) F(n, 40, 120, 400, 2000, 4000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) VEC(IN, real, r, n) VEC(INOUT, real, y, n) VEC(INOUT, real, z, n)
#include "include/suite.h"
#define r(i) AT1(r, i)
#define y(i) AT1(y, i)
#define z(i) AT1(z, i)

KERNEL
{
    real alpha = -r(0), beta = 1;
    y(0) = -r(0);
    for (int k = 1; k < n; k++) {
        real sum = 0;
        beta = (1 - alpha * alpha) * beta;
        for (int i = 0; i < k; i++)
            sum += r(k - i - 1) * y(i);
        alpha = -(r(k) + sum) / beta;
        for (int i = 0; i < k; i++)
            z(i) = y(i) + alpha * y(k - i - 1);
        for (int i = 0; i < k; i++)
            y(i) = z(i);
        y(k) = alpha;
    }
}

#ifdef DRIVER
/* A convex decreasing autocorrelation is positive definite (Polya). */
PREPARE
{
    for (int i = 0; i < n; i++)
        r(i) = 1 / (real)(i + 3);
}
#endif
