/* Matrix product of constant size: the textbook loop nest, three loops deep. */
#include <stdio.h>

enum { N = 640 };

static double A[N][N], B[N][N], C[N][N];

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i][j] = (i * j % 13) / 13.0;
            B[i][j] = (i - j) % 7 / 7.0;
        }
}

__attribute__((noinline)) static void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            C[i][j] = 0;
            for (int k = 0; k < N; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}

int main(void)
{
    fill();
    multiply();
    for (int i = 0; i < N; i += 37)
        for (int j = 0; j < N; j += 41)
            printf("%a\n", C[i][j]);
    return 0;
}
