/* Shortest paths between all pairs of nodes. */
#define NAME floyd_warshall
#define DIMS(F, R) F(n, 60, 180, 500, 2800, 5600, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) MAT(INOUT, int, path, n, n)
#include "include/suite.h"
#define path(i, j) AT2(path, n, i, j)

KERNEL
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                path(i, j) = path(i, j) < path(i, k) + path(k, j) ? path(i, j) : path(i, k) + path(k, j);
}

#ifdef DRIVER
/* Few edges are short, so that long paths pay. */
PREPARE
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            path(i, j) = i == j ? 0 : path(i, j) % 7 == 0 ? path(i, j) % 13 + 1 : 999;
}
#endif
