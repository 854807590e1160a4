/* Explicit steps of a solver for the Euler equations on an unstructured grid: fluxes over the four faces of each element. The
   elements are numbered row by row; cfd-random.c has them at random. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FACES = 4, VARS = 5 };
#define GAMMA 1.4f
#define SMOOTHING 0.2f

/* Density, momentum and energy of an element, and what follows from them. */
typedef struct { float density, mx, my, mz, energy, vx, vy, vz, pressure, speed, sound; } State;

static inline State state(int n, int i, const float *vars) {
    State s = {vars[i], vars[i + n], vars[i + 2 * n], vars[i + 3 * n], vars[i + 4 * n]};
    float inverse = 1.0f / s.density;
    s.vx = s.mx * inverse; s.vy = s.my * inverse; s.vz = s.mz * inverse;
    float square = s.vx * s.vx + s.vy * s.vy + s.vz * s.vz;
    s.speed = sqrtf(square);
    s.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * square);
    s.sound = sqrtf(GAMMA * s.pressure * inverse);
    return s;
}

/* What flows through a face with this normal. */
static inline void through(const State *s, float nx, float ny, float nz, float *out) {
    float velocity = nx * s->vx + ny * s->vy + nz * s->vz;
    out[0] += 0.5f * velocity * s->density;
    out[1] += 0.5f * (velocity * s->mx + nx * s->pressure);
    out[2] += 0.5f * (velocity * s->my + ny * s->pressure);
    out[3] += 0.5f * (velocity * s->mz + nz * s->pressure);
    out[4] += 0.5f * velocity * (s->energy + s->pressure);
}

__attribute__((noinline)) static void flux(int n, const int *neighbour, const float *normals, const float *vars, float *fluxes) {
    for (int i = 0; i < n; i++) {
        State own = state(n, i, vars);
        float sum[VARS] = {0};
        for (int j = 0; j < FACES; j++) {
            State other = state(n, neighbour[i + j * n], vars);
            float nx = normals[i + j * n], ny = normals[i + (j + FACES) * n], nz = normals[i + (j + 2 * FACES) * n];
            float area = sqrtf(nx * nx + ny * ny + nz * nz);
            float damping = -0.5f * SMOOTHING * area * (own.speed + other.speed + own.sound + other.sound);
            sum[0] += damping * (own.density - other.density);
            sum[1] += damping * (own.mx - other.mx);
            sum[2] += damping * (own.my - other.my);
            sum[3] += damping * (own.mz - other.mz);
            sum[4] += damping * (own.energy - other.energy);
            through(&own, nx, ny, nz, sum);
            through(&other, nx, ny, nz, sum);
        }
        for (int v = 0; v < VARS; v++) fluxes[i + v * n] = sum[v];
    }
}

__attribute__((noinline)) static void step(int n, float *vars, const float *old, const float *fluxes, float dt) {
    for (int v = 0; v < VARS; v++)
        for (int i = 0; i < n; i++)
            vars[i + v * n] = old[i + v * n] + dt * fluxes[i + v * n];
}

#ifndef RANDOM
/* The element behind face j of element i, itself at the border. */
static int behind(int n, int i, int j) {
    int width = 40, to = i + (j == 0 ? -width : j == 1 ? -1 : j == 2 ? 1 : width);
    int outside = to < 0 || to >= n || (j == 1 && i % width == 0) || (j == 2 && i % width == width - 1);
    return outside ? i : to;
}
#endif

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 2000, rounds = 6;
    int *neighbour = malloc(n * FACES * sizeof *neighbour);
    float *normals = malloc(3 * n * FACES * sizeof *normals);
    float *vars = malloc(n * VARS * sizeof *vars), *old = malloc(n * VARS * sizeof *old), *fluxes = malloc(n * VARS * sizeof *fluxes);
    unsigned random = 3;
    for (int i = 0; i < 3 * n * FACES; i++) {
        random = random * 1664525u + 1013904223u;
#ifdef RANDOM
        if (i < n * FACES) neighbour[i] = (random >> 8) % n;
#else
        if (i < n * FACES) neighbour[i] = behind(n, i % n, i / n);
#endif
        normals[i] = (float)(random >> 16) / 65536.0f - 0.5f;
    }
    for (int i = 0; i < n; i++) {
        vars[i] = 1.0f + (float)(i % 17) / 17;
        vars[i + n] = 0.1f * (i % 5); vars[i + 2 * n] = 0.1f * (i % 3); vars[i + 3 * n] = 0.1f;
        vars[i + 4 * n] = 5.0f + (float)(i % 11) / 11;
    }
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n * VARS; i++) old[i] = vars[i];
        flux(n, neighbour, normals, vars, fluxes);
        step(n, vars, old, fluxes, 0.0001f);
    }
    float total = 0;
    for (int i = 0; i < n * VARS; i++) total += vars[i];
    printf("%.3f\n", total);
    return 0;
}
