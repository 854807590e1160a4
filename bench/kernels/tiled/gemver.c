/* The rank-two update together with the first product, whose sums stand side by side. */
#include "tiles.h"
#include "../gemver.c"

TILED_KERNEL
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A(i, j) = A(i, j) + u1(i) * v1(j) + u2(i) * v2(j);
            x(j) = x(j) + beta * A(i, j) * y(i);
        }
    for (int i = 0; i < n; i++)
        x(i) = x(i) + z(i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w(i) = w(i) + alpha * A(i, j) * x(j);
}
