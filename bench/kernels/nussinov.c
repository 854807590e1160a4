/* Nussinov's folding of an RNA: best(i, j) is the largest number of pairs in bases i to j. Bases are 0 to 3,
 * and two pair if they add up to 3. */
#define NAME nussinov
#define DIMS(F, R) F(n, 60, 180, 500, 2500, 5500, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) VEC(IN, u8, base, n) MAT(INOUT, int, best, n, n)
#include "include/suite.h"
#define base(i) AT1(base, i)
#define best(i, j) AT2(best, n, i, j)
#define MAX(a, b) ((a) >= (b) ? (a) : (b))

KERNEL
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            best(i, j) = MAX(best(i, j), best(i, j - 1));
            if (i + 1 < n) {
                best(i, j) = MAX(best(i, j), best(i + 1, j));
                if (i < j - 1)
                    best(i, j) = MAX(best(i, j), best(i + 1, j - 1) + (base(i) + base(j) == 3 ? 1 : 0));
                else
                    best(i, j) = MAX(best(i, j), best(i + 1, j - 1));
            }
            for (int k = i + 1; k < j; k++)
                best(i, j) = MAX(best(i, j), best(i, k) + best(k + 1, j));
        }
}

#ifdef DRIVER
PREPARE
{
    for (int i = 0; i < n; i++) {
        base(i) &= 3;
        for (int j = 0; j < n; j++)
            best(i, j) = 0;
    }
}
#endif
