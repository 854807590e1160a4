/* One explicit step of an unstructured-grid flow solver: fluxes over the four neighbours of each element. */
#include <stdio.h>
#include <stdlib.h>

enum { NEIGHBOURS = 4, VARS = 5 };

static void flux(int n, const int *neighbour, const float *normals, const float *vars, float *fluxes) {
    for (int i = 0; i < n; i++) {
        float sum[VARS] = {0};
        for (int j = 0; j < NEIGHBOURS; j++) {
            int nb = neighbour[i + j * n];
            float nx = normals[i + j * n];
            for (int v = 0; v < VARS; v++)
                sum[v] += nx * (vars[nb + v * n] - vars[i + v * n]);
        }
        for (int v = 0; v < VARS; v++) fluxes[i + v * n] = sum[v];
    }
}

static void step(int n, float *vars, const float *old, const float *fluxes, float dt) {
    for (int v = 0; v < VARS; v++)
        for (int i = 0; i < n; i++)
            vars[i + v * n] = old[i + v * n] + dt * fluxes[i + v * n];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 2000, rounds = 6;
    int *neighbour = malloc(n * NEIGHBOURS * sizeof *neighbour);
    float *normals = malloc(n * NEIGHBOURS * sizeof *normals);
    float *vars = malloc(n * VARS * sizeof *vars), *old = malloc(n * VARS * sizeof *old), *fluxes = malloc(n * VARS * sizeof *fluxes);
    unsigned state = 3;
    for (int i = 0; i < n * NEIGHBOURS; i++) {
        state = state * 1664525u + 1013904223u;
        neighbour[i] = (state >> 8) % n;
        normals[i] = (float)(state >> 16) / 65536.0f - 0.5f;
    }
    for (int i = 0; i < n * VARS; i++) vars[i] = (float)(i % 17);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n * VARS; i++) old[i] = vars[i];
        flux(n, neighbour, normals, vars, fluxes);
        step(n, vars, old, fluxes, 0.01f);
    }
    float total = 0;
    for (int i = 0; i < n * VARS; i++) total += vars[i];
    printf("%.3f\n", total);
    return 0;
}
