/* LU decomposition in place, without pivoting. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void lud(int n, float *a) {
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            float sum = a[i * n + j];
            for (int k = 0; k < i; k++) sum -= a[i * n + k] * a[k * n + j];
            a[i * n + j] = sum;
        }
        for (int j = i + 1; j < n; j++) {
            float sum = a[j * n + i];
            for (int k = 0; k < i; k++) sum -= a[j * n + k] * a[k * n + i];
            a[j * n + i] = sum / a[i * n + i];
        }
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 72;
    float *a = malloc(n * n * sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = (i == j ? n : 0) + (float)((i * 7 + j * 3) % 11) / 11;
    lud(n, a);
    float total = 0;
    for (int i = 0; i < n; i++) total += a[i * n + i];
    printf("%.3f\n", total);
    return 0;
}
