/* Heat on a chip: 2-D stencil with special borders, two buffers. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void step(int n, const float *restrict t, const float *restrict power, float *restrict out) {
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            float here = t[r * n + c], delta = power[r * n + c];
            delta += (r > 0 ? t[(r - 1) * n + c] - here : 0) + (r < n - 1 ? t[(r + 1) * n + c] - here : 0);
            delta += (c > 0 ? t[r * n + c - 1] - here : 0) + (c < n - 1 ? t[r * n + c + 1] - here : 0);
            out[r * n + c] = here + 0.1f * delta;
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 96, rounds = 8;
    float *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *power = malloc(n * n * sizeof *power);
    for (int i = 0; i < n * n; i++) { a[i] = 300 + i % 13; power[i] = (i % 7) * 0.1f; }
    for (int r = 0; r < rounds; r++) {
        step(n, a, power, b);
        float *swap = a; a = b; b = swap;
    }
    float total = 0;
    for (int i = 0; i < n * n; i++) total += a[i];
    printf("%.2f\n", total);
    return 0;
}
