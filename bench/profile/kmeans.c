/* k-means: nearest centre of each point, then new centres. */
#include <stdio.h>
#include <stdlib.h>

static int nearest(const float *point, float **centre, int k, int dims) {
    int best = 0;
    float least = 1e30f;
    for (int c = 0; c < k; c++) {
        float d = 0;
        for (int f = 0; f < dims; f++) d += (point[f] - centre[c][f]) * (point[f] - centre[c][f]);
        if (d < least) { least = d; best = c; }
    }
    return best;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 800, dims = 8, k = 5, rounds = 5;
    float **point = malloc(n * sizeof *point), **centre = malloc(k * sizeof *centre), *sum = malloc(k * dims * sizeof *sum);
    int *count = malloc(k * sizeof *count), *member = calloc(n, sizeof *member);
    for (int i = 0; i < n; i++) {
        point[i] = malloc(dims * sizeof **point);
        for (int f = 0; f < dims; f++) point[i][f] = (float)((i * 31 + f * 17) % 101);
    }
    for (int c = 0; c < k; c++) {
        centre[c] = malloc(dims * sizeof **centre);
        for (int f = 0; f < dims; f++) centre[c][f] = point[c * 13 % n][f];
    }
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < k * dims; i++) sum[i] = 0;
        for (int c = 0; c < k; c++) count[c] = 0;
        for (int i = 0; i < n; i++) {
            int c = member[i] = nearest(point[i], centre, k, dims);
            count[c]++;
            for (int f = 0; f < dims; f++) sum[c * dims + f] += point[i][f];
        }
        for (int c = 0; c < k; c++)
            for (int f = 0; f < dims; f++)
                if (count[c]) centre[c][f] = sum[c * dims + f] / count[c];
    }
    long total = 0;
    for (int i = 0; i < n; i++) total += member[i];
    printf("%ld\n", total);
    return 0;
}
