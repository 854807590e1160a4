/* Tiles of rows, columns and terms; the rows of a tile are scaled when all of their terms are added. */
#include "tiles.h"
#include "../trmm.c"

TILED_KERNEL
{
    TILES(it, 0, m)
        TILES(jt, 0, n) {
            TILES(kt, it, m)
                POINTS(i, it, 0, m)
                    POINTS(k, kt, i + 1, m)
                        POINTS(j, jt, 0, n)
                            B(i, j) += A(k, i) * B(k, j);
            POINTS(i, it, 0, m)
                POINTS(j, jt, 0, n)
                    B(i, j) = alpha * B(i, j);
        }
}
