/* Tiles of rows, columns and terms; a row's factors are divided where their column is the term. */
#include "tiles.h"
#include "../lu.c"

TILED_KERNEL
{
    TILES(it, 0, n)
        TILES(jt, 0, n)
            TILES(kt, 0, LEAST(LEAST(it, jt) + TILE, n))
                POINTS(i, it, 0, n)
                    POINTS(k, kt, 0, i) {
                        if (kt == jt)
                            A(i, k) /= A(k, k);
                        POINTS(j, jt, k + 1, n)
                            A(i, j) -= A(i, k) * A(k, j);
                    }
}
