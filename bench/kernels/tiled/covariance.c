/* Means row by row, then tiles of the upper triangle and of terms. */
#include "tiles.h"
#include "../covariance.c"

TILED_KERNEL
{
    const real count = (real)n;
    for (int j = 0; j < m; j++)
        mean(j) = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            mean(j) += data(i, j);
    for (int j = 0; j < m; j++)
        mean(j) /= count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data(i, j) -= mean(j);
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++)
            cov(i, j) = 0;
    TILES(it, 0, m)
        TILES(jt, it, m)
            TILES(kt, 0, n)
                POINTS(i, it, 0, m)
                    POINTS(k, kt, 0, n)
                        POINTS(j, jt, i, m)
                            cov(i, j) += data(k, i) * data(k, j);
    TILES(it, 0, m)
        TILES(jt, it, m)
            POINTS(i, it, 0, m)
                POINTS(j, jt, i, m) {
                    cov(i, j) /= count - 1;
                    cov(j, i) = cov(i, j);
                }
}
