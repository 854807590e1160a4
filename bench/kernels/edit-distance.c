/* Edit distance of two strings: d(i, j) is that of the first i and the first j letters. */
#define NAME edit_distance
#define DIMS(F, R) F(n, 40, 130, 500, 3000, 8000, ANY) R(m, 50, 150, 600, 4000, 9000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) VEC(IN, u8, a, n) VEC(IN, u8, b, m) MAT(INOUT, int, d, n + 1, m + 1)
#include "include/suite.h"
#define a(i) AT1(a, i)
#define b(i) AT1(b, i)
#define d(i, j) AT2(d, m + 1, i, j)
#define MIN(a, b) ((a) < (b) ? (a) : (b))

KERNEL
{
    for (int i = 0; i <= n; i++)
        d(i, 0) = i;
    for (int j = 1; j <= m; j++)
        d(0, j) = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int change = d(i - 1, j - 1) + (a(i - 1) != b(j - 1));
            int drop = d(i - 1, j) + 1, add = d(i, j - 1) + 1;
            d(i, j) = MIN(change, MIN(drop, add));
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
