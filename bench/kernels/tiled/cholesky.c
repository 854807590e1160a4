/* Tiles of rows, columns and terms; a row's factors are divided where their column is the term. */
#include "tiles.h"
#include "../cholesky.c"

TILED_KERNEL
{
    TILES(it, 0, n)
        TILES(jt, 0, LEAST(it + TILE, n))
            TILES(kt, 0, LEAST(jt + TILE, n))
                POINTS(i, it, 0, n) {
                    POINTS(k, kt, 0, i) {
                        if (kt == jt)
                            A(i, k) /= A(k, k);
                        POINTS(j, jt, k + 1, i + 1)
                            A(i, j) -= A(i, k) * A(j, k);
                    }
                    if (kt == jt && jt == it)
                        A(i, i) = SQRT(A(i, i));
                }
}
