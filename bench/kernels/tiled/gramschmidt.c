/* Strips of columns: both loops over a strip run along its rows. */
#include "tiles.h"
#include "../gramschmidt.c"

TILED_KERNEL
{
    for (int k = 0; k < n; k++) {
        real norm = 0;
        for (int i = 0; i < m; i++)
            norm += A(i, k) * A(i, k);
        R(k, k) = SQRT(norm);
        for (int i = 0; i < m; i++)
            Q(i, k) = A(i, k) / R(k, k);
        TILES(jt, k + 1, n) {
            POINTS(j, jt, k + 1, n)
                R(k, j) = 0;
            for (int i = 0; i < m; i++)
                POINTS(j, jt, k + 1, n)
                    R(k, j) += Q(i, k) * A(i, j);
            for (int i = 0; i < m; i++)
                POINTS(j, jt, k + 1, n)
                    A(i, j) = A(i, j) - Q(i, k) * R(k, j);
        }
    }
}
