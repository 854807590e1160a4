/* Particle filter: likelihoods, normalization, resampling by a search in the cumulative weights. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 5;
static double uniform(void) { state = state * 1664525u + 1013904223u; return (state >> 8) / 16777216.0; }

static int find(const double *cdf, int n, double value) {
    for (int i = 0; i < n; i++)
        if (cdf[i] >= value) return i;
    return n - 1;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300, frames = 6;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *w = malloc(n * sizeof *w);
    double *cdf = malloc(n * sizeof *cdf), *nx = malloc(n * sizeof *nx), *ny = malloc(n * sizeof *ny);
    for (int i = 0; i < n; i++) { x[i] = y[i] = 0; w[i] = 1.0 / n; }
    for (int k = 1; k <= frames; k++) {
        for (int i = 0; i < n; i++) {
            x[i] += 1 + 2 * uniform();
            y[i] += -2 + 2 * uniform();
        }
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double dx = x[i] - 2 * k, dy = y[i] + k;
            w[i] *= exp(-0.1 * (dx * dx + dy * dy));
            sum += w[i];
        }
        for (int i = 0; i < n; i++) w[i] /= sum;
        cdf[0] = w[0];
        for (int i = 1; i < n; i++) cdf[i] = w[i] + cdf[i - 1];
        double u = uniform() / n;
        for (int j = 0; j < n; j++) {
            int i = find(cdf, n, u + (double)j / n);
            nx[j] = x[i];
            ny[j] = y[i];
        }
        for (int j = 0; j < n; j++) { x[j] = nx[j]; y[j] = ny[j]; w[j] = 1.0 / n; }
    }
    double total = 0;
    for (int i = 0; i < n; i++) total += x[i] + y[i];
    printf("%.4f\n", total);
    return 0;
}
