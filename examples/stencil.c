/* Heat flow on a plate: a two-dimensional stencil, repeated over time. */
#include <stdio.h>

enum { N = 1200, STEPS = 60 };

static double plate[N][N], next[N][N];

__attribute__((noinline)) static void step(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            next[i][j] = 0.2 * (plate[i][j] + plate[i][j - 1] + plate[i][j + 1] + plate[i - 1][j] + plate[i + 1][j]);
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            plate[i][j] = next[i][j];
}

int main(void)
{
    for (int i = 0; i < N; i++)
        plate[i][0] = plate[0][i] = 100.0 * i / N;
    for (int t = 0; t < STEPS; t++)
        step();
    for (int i = 0; i < N; i += 67)
        for (int j = 0; j < N; j += 71)
            printf("%a\n", plate[i][j]);
    return 0;
}
