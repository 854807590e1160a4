/* QR factors by the modified Gram-Schmidt method: A = Q R. Columns past the m-th depend on the others, and
 * what is left of them is rounding error (so are these sizes); they are computed all the same. */
#define NAME gramschmidt
#define DIMS(F, R) F(m, 20, 60, 200, 1000, 2000, ANY) R(n, 30, 80, 240, 1200, 2600, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, real, A, m, n) MAT(INOUT, real, R, n, n) MAT(INOUT, real, Q, m, n)
#include "include/suite.h"
#define A(i, j) AT2(A, n, i, j)
#define R(i, j) AT2(R, n, i, j)
#define Q(i, j) AT2(Q, n, i, j)

KERNEL
{
    for (int k = 0; k < n; k++) {
        real norm = 0;
        for (int i = 0; i < m; i++)
            norm += A(i, k) * A(i, k);
        R(k, k) = SQRT(norm);
        for (int i = 0; i < m; i++)
            Q(i, k) = A(i, k) / R(k, k);
        for (int j = k + 1; j < n; j++) {
            R(k, j) = 0;
            for (int i = 0; i < m; i++)
                R(k, j) += Q(i, k) * A(i, j);
            for (int i = 0; i < m; i++)
                A(i, j) = A(i, j) - Q(i, k) * R(k, j);
        }
    }
}
