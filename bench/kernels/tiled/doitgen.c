/* The sums of a row side by side. */
#include "tiles.h"
#include "../doitgen.c"

TILED_KERNEL
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++)
                line(p) = 0;
            TILES(pt, 0, np)
                for (int s = 0; s < np; s++)
                    POINTS(p, pt, 0, np)
                        line(p) += A(r, q, s) * C(s, p);
            for (int p = 0; p < np; p++)
                A(r, q, p) = line(p);
        }
}
