/* A sparse matrix in compressed rows times a vector, repeated as in a power iteration: y := A x, x := y / d. */
#define NAME spmv
#define DIMS(F, R) \
    F(tsteps, 3, 5, 10, 20, 40, 5) R(n, 50, 300, 3000, 100000, 1000000, ANY) R(width, 4, 6, 8, 12, 16, 5)
#define SCALARS(F, R) F(scale, 0.125)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    VEC(IN, int, row, n + 1) VEC(IN, int, column, n * width) VEC(IN, real, value, n * width) \
    VEC(INOUT, real, x, n) VEC(INOUT, real, y, n)
#include "include/suite.h"
#define row(i) AT1(row, i)
#define column(i) AT1(column, i)
#define value(i) AT1(value, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)

KERNEL
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 0; i < n; i++) {
            real sum = 0;
            for (int k = row(i); k < row(i + 1); k++)
                sum += value(k) * x(column(k));
            y(i) = sum;
        }
        for (int i = 0; i < n; i++)
            x(i) = scale * y(i);
    }
}

#ifdef DRIVER
/* Rows of 1 to 2 width - 1 elements, width on the average, near and far from the diagonal. */
PREPARE
{
    row(0) = 0;
    for (int i = 0; i < n; i++) {
        int length = i % 2 == 0 ? 1 + column(i) % (2 * width - 1) : 2 * width - (row(i) - row(i - 1));
        if (row(i) + length > n * width)
            length = n * width - row(i);
        row(i + 1) = row(i) + length;
    }
    for (int i = 0; i < n; i++)
        for (int k = row(i); k < row(i + 1); k++)
            column(k) = (i + (k % 3 == 0 ? column(k) * 31 : column(k) % 9)) % n;
    /* What is left belongs to no row. */
    for (int k = row(n); k < n * width; k++)
        column(k) = 0;
}
#endif
