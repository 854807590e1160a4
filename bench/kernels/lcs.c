/* Longest common subsequence of two strings: l(i, j) is its length for the first i and the first j letters. */
#define NAME lcs
#define DIMS(F, R) F(n, 40, 130, 500, 3000, 8000, ANY) R(m, 50, 150, 600, 4000, 9000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) VEC(IN, u8, a, n) VEC(IN, u8, b, m) MAT(INOUT, int, l, n + 1, m + 1)
#include "include/suite.h"
#define a(i) AT1(a, i)
#define b(i) AT1(b, i)
#define l(i, j) AT2(l, m + 1, i, j)

KERNEL
{
    for (int i = 0; i <= n; i++)
        l(i, 0) = 0;
    for (int j = 0; j <= m; j++)
        l(0, j) = 0;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            if (a(i - 1) == b(j - 1))
                l(i, j) = l(i - 1, j - 1) + 1;
            else
                l(i, j) = l(i - 1, j) > l(i, j - 1) ? l(i - 1, j) : l(i, j - 1);
        }
}

#ifdef DRIVER
/* Four letters. */
PREPARE
{
    for (int i = 0; i < n; i++)
        a(i) &= 3;
    for (int j = 0; j < m; j++)
        b(j) &= 3;
}
#endif
