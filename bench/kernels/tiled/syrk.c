/* Tiles of rows, columns and terms. */
#include "tiles.h"
#include "../syrk.c"

TILED_KERNEL
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            C(i, j) *= beta;
    TILES(it, 0, n)
        TILES(jt, 0, LEAST(it + TILE, n))
            TILES(kt, 0, m)
                POINTS(i, it, 0, n)
                    POINTS(k, kt, 0, m)
                        POINTS(j, jt, 0, i + 1)
                            C(i, j) += alpha * A(i, k) * A(j, k);
}
