/* Two steps of a transformer by rows: softmax of the scores, then layer normalization. */
#define NAME softmax_layernorm
#define DIMS(F, R) F(n, 12, 40, 200, 1000, 3000, ANY) R(m, 20, 60, 256, 1024, 4096, ANY)
#define SCALARS(F, R) F(scale, 3.5) R(tiny, 0.00001)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, real, score, n, m) MAT(INOUT, real, soft, n, m) MAT(INOUT, real, norm, n, m) VEC(IN, real, gain, m) \
    VEC(IN, real, shift, m)
#include "include/suite.h"
#define score(i, j) AT2(score, m, i, j)
#define soft(i, j) AT2(soft, m, i, j)
#define norm(i, j) AT2(norm, m, i, j)
#define gain(i) AT1(gain, i)
#define shift(i) AT1(shift, i)

KERNEL
{
    for (int i = 0; i < n; i++) {
        real most = score(i, 0);
        for (int j = 1; j < m; j++)
            most = score(i, j) > most ? score(i, j) : most;
        real sum = 0;
        for (int j = 0; j < m; j++) {
            soft(i, j) = EXP(scale * (score(i, j) - most));
            sum += soft(i, j);
        }
        for (int j = 0; j < m; j++)
            soft(i, j) /= sum;
    }
    for (int i = 0; i < n; i++) {
        real mean = 0, variance = 0;
        for (int j = 0; j < m; j++)
            mean += soft(i, j);
        mean /= (real)m;
        for (int j = 0; j < m; j++)
            variance += (soft(i, j) - mean) * (soft(i, j) - mean);
        variance /= (real)m;
        real factor = 1 / SQRT(variance + tiny);
        for (int j = 0; j < m; j++)
            norm(i, j) = (soft(i, j) - mean) * factor * gain(j) + shift(j);
    }
}
