/* Speckle-reducing anisotropic diffusion: two sweeps with neighbour indices from tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 64, rounds = 4, size = n * n;
    float *J = malloc(size * sizeof *J), *c = malloc(size * sizeof *c);
    float *dN = malloc(size * sizeof *dN), *dS = malloc(size * sizeof *dS), *dW = malloc(size * sizeof *dW), *dE = malloc(size * sizeof *dE);
    int *iN = malloc(n * sizeof *iN), *iS = malloc(n * sizeof *iS), *jW = malloc(n * sizeof *jW), *jE = malloc(n * sizeof *jE);
    for (int i = 0; i < n; i++) {
        iN[i] = jW[i] = i > 0 ? i - 1 : 0;
        iS[i] = jE[i] = i < n - 1 ? i + 1 : n - 1;
    }
    for (int k = 0; k < size; k++) J[k] = 1.0f + (k % 97) / 97.0f;
    for (int r = 0; r < rounds; r++) {
        float sum = 0, sum2 = 0;
        for (int k = 0; k < size; k++) { sum += J[k]; sum2 += J[k] * J[k]; }
        float mean = sum / size, q0 = (sum2 / size - mean * mean) / (mean * mean);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int k = i * n + j;
                float here = J[k];
                dN[k] = J[iN[i] * n + j] - here;
                dS[k] = J[iS[i] * n + j] - here;
                dW[k] = J[i * n + jW[j]] - here;
                dE[k] = J[i * n + jE[j]] - here;
                float g = (dN[k] * dN[k] + dS[k] * dS[k] + dW[k] * dW[k] + dE[k] * dE[k]) / (here * here);
                float v = 1.0f / (1.0f + (g - q0) / (q0 * (1 + q0)));
                c[k] = v < 0 ? 0 : v > 1 ? 1 : v;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int k = i * n + j;
                float d = c[k] * dN[k] + c[iS[i] * n + j] * dS[k] + c[k] * dW[k] + c[i * n + jE[j]] * dE[k];
                J[k] += 0.125f * d;
            }
    }
    float total = 0;
    for (int k = 0; k < size; k++) total += J[k];
    printf("%.3f\n", total);
    return 0;
}
