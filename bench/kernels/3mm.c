/* Three matrix products: G := (A B) (C D). */
#define NAME k3mm
#define DIMS(F, R) \
    F(ni, 16, 40, 180, 800, 1600, ANY) \
    R(nj, 18, 50, 190, 900, 1800, ANY) \
    R(nk, 20, 60, 200, 1000, 2000, ANY) \
    R(nl, 22, 70, 210, 1100, 2200, ANY) \
    R(nm, 24, 80, 220, 1200, 2400, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, A, ni, nk) MAT(IN, real, B, nk, nj) MAT(IN, real, C, nj, nm) MAT(IN, real, D, nm, nl) \
    MAT(INOUT, real, AB, ni, nj) MAT(INOUT, real, CD, nj, nl) MAT(INOUT, real, G, ni, nl)
#include "include/suite.h"
#define A(i, j) AT2(A, nk, i, j)
#define B(i, j) AT2(B, nj, i, j)
#define C(i, j) AT2(C, nm, i, j)
#define D(i, j) AT2(D, nl, i, j)
#define AB(i, j) AT2(AB, nj, i, j)
#define CD(i, j) AT2(CD, nl, i, j)
#define G(i, j) AT2(G, nl, i, j)

KERNEL
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            AB(i, j) = 0;
            for (int k = 0; k < nk; k++)
                AB(i, j) += A(i, k) * B(k, j);
        }
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nl; j++) {
            CD(i, j) = 0;
            for (int k = 0; k < nm; k++)
                CD(i, j) += C(i, k) * D(k, j);
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            G(i, j) = 0;
            for (int k = 0; k < nj; k++)
                G(i, j) += AB(i, k) * CD(k, j);
        }
}
