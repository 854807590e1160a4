/* The two products of the biconjugate gradient method: q := A p, s := A' r. */
#define NAME bicg
#define DIMS(F, R) F(m, 38, 116, 390, 1900, 1800, ANY) R(n, 42, 124, 410, 2100, 2200, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, A, n, m) VEC(INOUT, real, s, m) VEC(INOUT, real, q, n) VEC(IN, real, p, m) VEC(IN, real, r, n)
#include "include/suite.h"
#define A(i, j) AT2(A, m, i, j)
#define s(i) AT1(s, i)
#define q(i) AT1(q, i)
#define p(i) AT1(p, i)
#define r(i) AT1(r, i)

KERNEL
{
    for (int j = 0; j < m; j++)
        s(j) = 0;
    for (int i = 0; i < n; i++) {
        q(i) = 0;
        for (int j = 0; j < m; j++) {
            s(j) += r(i) * A(i, j);
            q(i) += A(i, j) * p(j);
        }
    }
}
