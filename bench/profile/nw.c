/* Needleman-Wunsch: alignment of two sequences, dynamic programming over a table. */
#include <stdio.h>
#include <stdlib.h>

static int max3(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }

__attribute__((noinline)) static void fill(int n, int *table, const int *reference, int penalty) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            table[i * n + j] = max3(table[(i - 1) * n + j - 1] + reference[i * n + j],
                                    table[i * n + j - 1] - penalty, table[(i - 1) * n + j] - penalty);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 200;
    int *table = calloc(n * n, sizeof *table), *reference = malloc(n * n * sizeof *reference);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) reference[i * n + j] = (i * 31 + j * 17) % 21 - 10;
    for (int i = 1; i < n; i++) table[i * n] = table[i] = -10 * i;
    fill(n, table, reference, 10);
    printf("%d\n", table[n * n - 1]);
    return 0;
}
