/* Cheapest path down a grid, row by row. */
#include <stdio.h>
#include <stdlib.h>

static int least(int a, int b) { return a < b ? a : b; }

__attribute__((noinline)) static int *find(int rows, int cols, int **wall, int *from, int *to) {
    for (int t = 0; t < rows - 1; t++) {
        int *swap = from; from = to; to = swap;
        for (int c = 0; c < cols; c++) {
            int m = from[c];
            if (c > 0) m = least(m, from[c - 1]);
            if (c < cols - 1) m = least(m, from[c + 1]);
            to[c] = wall[t + 1][c] + m;
        }
    }
    return to;
}

int main(int argc, char **argv) {
    int cols = argc > 1 ? atoi(argv[1]) : 600, rows = 40;
    int **wall = malloc(rows * sizeof *wall), *a = malloc(cols * sizeof *a), *b = malloc(cols * sizeof *b);
    for (int r = 0; r < rows; r++) {
        wall[r] = malloc(cols * sizeof **wall);
        for (int c = 0; c < cols; c++) wall[r][c] = (r * 31 + c * 17) % 10;
    }
    for (int c = 0; c < cols; c++) b[c] = wall[0][c];
    int *last = find(rows, cols, wall, a, b);
    long sum = 0;
    for (int c = 0; c < cols; c++) sum += last[c];
    printf("%ld\n", sum);
    return 0;
}
