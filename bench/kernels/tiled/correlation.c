/* Means and deviations row by row, then tiles of the upper triangle and of terms. */
#include "tiles.h"
#include "../correlation.c"

TILED_KERNEL
{
    const real count = (real)n, tiny = K(0.1);
    for (int j = 0; j < m; j++)
        mean(j) = stddev(j) = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            mean(j) += data(i, j);
    for (int j = 0; j < m; j++)
        mean(j) /= count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            stddev(j) += (data(i, j) - mean(j)) * (data(i, j) - mean(j));
    for (int j = 0; j < m; j++) {
        stddev(j) /= count;
        stddev(j) = SQRT(stddev(j));
        stddev(j) = stddev(j) <= tiny ? K(1) : stddev(j);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            data(i, j) -= mean(j);
            data(i, j) /= SQRT(count) * stddev(j);
        }
    for (int i = 0; i < m; i++) {
        corr(i, i) = 1;
        for (int j = i + 1; j < m; j++)
            corr(i, j) = 0;
    }
    TILES(it, 0, m)
        TILES(jt, it, m)
            TILES(kt, 0, n)
                POINTS(i, it, 0, m)
                    POINTS(k, kt, 0, n)
                        POINTS(j, jt, i + 1, m)
                            corr(i, j) += data(k, i) * data(k, j);
    TILES(it, 0, m)
        TILES(jt, it, m)
            POINTS(i, it, 0, m)
                POINTS(j, jt, i + 1, m)
                    corr(j, i) = corr(i, j);
}
