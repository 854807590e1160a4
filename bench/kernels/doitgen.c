/* A step of a multiresolution solver: every line A(r, q, .) is multiplied by a matrix, in place. */
#define NAME doitgen
#define DIMS(F, R) \
    F(nq, 8, 20, 40, 140, 220, ANY) R(nr, 10, 25, 50, 150, 250, ANY) R(np, 12, 30, 60, 160, 270, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    TEN3(INOUT, real, A, nr, nq, np) MAT(IN, real, C, np, np) VEC(INOUT, real, line, np)
#include "include/suite.h"
#define A(i, j, k) AT3(A, nq, np, i, j, k)
#define C(i, j) AT2(C, np, i, j)
#define line(i) AT1(line, i)

KERNEL
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                line(p) = 0;
                for (int s = 0; s < np; s++)
                    line(p) += A(r, q, s) * C(s, p);
            }
            for (int p = 0; p < np; p++)
                A(r, q, p) = line(p);
        }
}
