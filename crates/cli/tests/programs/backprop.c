/* The running example of paper 003 (its Figure 1): one layer of back-propagation, rows of the weights allocated apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float squash(float x) { return (float)(1.0 / (1.0 + exp(-x))); }

static void layerforward(float *l1, float *l2, float **conn, int n1, int n2) {
    for (int j = 1; j <= n2; j++) {
        float sum = 0.0f;
        for (int k = 0; k <= n1; k++)
            sum += conn[k][j] * l1[k];
        l2[j] = squash(sum);
    }
}

int main(int argc, char **argv) {
    int n1 = argc > 1 ? atoi(argv[1]) : 42, n2 = argc > 2 ? atoi(argv[2]) : 16;
    float *l1 = malloc((n1 + 1) * sizeof *l1), *l2 = malloc((n2 + 1) * sizeof *l2);
    float **conn = malloc((n1 + 1) * sizeof *conn);
    unsigned state = 1;
    for (int k = 0; k <= n1; k++) {
        /* Something of another size in between, so that no row follows the one before at a constant distance. */
        state = state * 1103515245u + 12345u;
        void *between = malloc(16 + (state >> 16) % 2000);
        conn[k] = malloc((n2 + 1) * sizeof **conn);
        free(k % 3 ? 0 : between);
        l1[k] = 1.0f / (k + 1);
        for (int j = 0; j <= n2; j++)
            conn[k][j] = (float)((k * 7 + j * 3) % 11) - 5.0f;
    }
    layerforward(l1, l2, conn, n1, n2);
    float total = 0.0f;
    for (int j = 1; j <= n2; j++)
        total += l2[j];
    printf("%.4f\n", total);
    return 0;
}
