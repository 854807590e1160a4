/* Stream clustering: the gain of opening each point as a centre, with lists of points and pointers between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { float weight, cost; long assign; float *coord; } Point;

static float distance(const Point *a, const Point *b, int dims) {
    float d = 0;
    for (int i = 0; i < dims; i++) d += (a->coord[i] - b->coord[i]) * (a->coord[i] - b->coord[i]);
    return d;
}

__attribute__((noinline)) static double gain(long x, Point *points, long n, int dims, char *open, double *lower, char *move, float opening) {
    double cost = -opening;
    for (long i = 0; i < n; i++) { lower[i] = 0; move[i] = 0; }
    for (long i = 0; i < n; i++) {
        float d = distance(&points[i], &points[x], dims) * points[i].weight;
        if (d < points[i].cost) {
            move[i] = 1;
            cost += points[i].cost - d;
        } else
            lower[points[i].assign] += points[i].cost - d;
    }
    for (long i = 0; i < n; i++)
        if (open[i] && lower[i] + opening > 0) cost += lower[i] + opening;
    if (cost > 0) {
        for (long i = 0; i < n; i++)
            if (move[i]) {
                points[i].cost = distance(&points[i], &points[x], dims) * points[i].weight;
                points[i].assign = x;
            }
        open[x] = 1;
    }
    return cost;
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 160;
    int dims = 16;
    Point *points = malloc(n * sizeof *points);
    char *open = calloc(n, 1), *move = calloc(n, 1);
    double *lower = malloc(n * sizeof *lower);
    for (long i = 0; i < n; i++) {
        points[i].coord = malloc(dims * sizeof(float));
        points[i].weight = 1;
        points[i].assign = 0;
        for (int d = 0; d < dims; d++) points[i].coord[d] = (float)((i * 37 + d * 11) % 53) / 53;
    }
    open[0] = 1;
    for (long i = 0; i < n; i++) points[i].cost = distance(&points[i], &points[0], dims);
    unsigned state = 1;
    double total = 0;
    for (long k = 0; k < n / 2; k++) {
        state = state * 1664525u + 1013904223u;
        double g = gain((state >> 8) % n, points, n, dims, open, lower, move, 2.0f);
        total += g > 0 ? g : 0;
    }
    printf("%.3f\n", total);
    return 0;
}
