/* Heat in a stack of layers: 3-D stencil with clamped borders. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void step(int n, int layers, const float *in, const float *power, float *out) {
    for (int z = 0; z < layers; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int c = x + y * n + z * n * n;
                int w = x == 0 ? c : c - 1, e = x == n - 1 ? c : c + 1;
                int no = y == 0 ? c : c - n, s = y == n - 1 ? c : c + n;
                int b = z == 0 ? c : c - n * n, t = z == layers - 1 ? c : c + n * n;
                out[c] = 0.4f * in[c] + 0.1f * (in[w] + in[e] + in[no] + in[s] + in[b] + in[t]) + 0.01f * power[c];
            }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 40, layers = 8, rounds = 4, size = n * n * layers;
    float *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b), *power = malloc(size * sizeof *power);
    for (int i = 0; i < size; i++) { a[i] = 300 + i % 13; power[i] = i % 7; }
    for (int r = 0; r < rounds; r++) {
        step(n, layers, a, power, b);
        float *swap = a; a = b; b = swap;
    }
    float total = 0;
    for (int i = 0; i < size; i++) total += a[i];
    printf("%.2f\n", total);
    return 0;
}
