/* Times OpenBLAS and what a compiler made of products.c, in turn, in one process on one core; prints medians.
 *
 *   against LIBRARY N RUNS      OPENBLAS_NUM_THREADS=1 should be in the environment
 *
 * Every result is compared with OpenBLAS's: sums in another order may differ by rounding, and by no more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_RUNS 99

typedef void Dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                   int ldb, double beta, double *C, int ldc);
typedef void Add(long n, double *C, const double *A, const double *B);
typedef void Scaled(long n, double *C, const double *A, const double *B, double alpha, double beta);

Add fused_add, rounded_add;
Scaled fused_scaled, rounded_scaled;

static const double alpha = 1.5, beta = 1.2;
static long n;
static double *A, *B, *C, *result, *reference;
static Dgemm *dgemm;

enum { ROWS_FIRST = 101, AS_IT_IS = 111 };

static void blas(double a, double b)
{
    dgemm(ROWS_FIRST, AS_IT_IS, AS_IT_IS, (int)n, (int)n, (int)n, a, A, (int)n, B, (int)n, b, result, (int)n);
}

static void blas_add(void) { blas(1, 1); }
static void blas_scaled(void) { blas(alpha, beta); }
static void run_fused_add(void) { fused_add(n, result, A, B); }
static void run_rounded_add(void) { rounded_add(n, result, A, B); }
static void run_fused_scaled(void) { fused_scaled(n, result, A, B, alpha, beta); }
static void run_rounded_scaled(void) { rounded_scaled(n, result, A, B, alpha, beta); }

static const struct Product {
    const char *name;
    void (*run[3])(void);
} products[] = {
    {"C += A * B", {blas_add, run_fused_add, run_rounded_add}},
    {"C = beta * C + alpha * A * B", {blas_scaled, run_fused_scaled, run_rounded_scaled}},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *matrix(unsigned seed)
{
    double *all = aligned_alloc(64, ((size_t)(n * n) * sizeof(double) + 63) / 64 * 64);
    if (!all) {
        fprintf(stderr, "against: no memory for a matrix of %ld x %ld\n", n, n);
        exit(1);
    }
    for (long i = 0; i < n * n; i++) {
        seed = seed * 1664525u + 1013904223u;
        all[i] = (double)(seed >> 8) / 16777216.0 - 0.5;
    }
    return all;
}

/* Sums of n products below 1/4 differ by less than n times n roundings. */
static int is_close(void)
{
    const double most = (double)n * (double)n * 2.3e-16 + 1e-15;
    for (long i = 0; i < n * n; i++)
        if (!(fabs(result[i] - reference[i]) <= most))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    n = argc == 4 ? atol(argv[2]) : 0;
    int runs = argc == 4 ? atoi(argv[3]) : 0;
    if (argc != 4 || n < 1 || n > 20000 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: against LIBRARY N RUNS, N up to 20000, RUNS up to %d\n", MOST_RUNS);
        return 2;
    }
    if (!library || !(dgemm = (Dgemm *)dlsym(library, "cblas_dgemm"))) {
        fprintf(stderr, "against: %s\n", dlerror());
        return 3;
    }
    char *(*config)(void) = (char *(*)(void))dlsym(library, "openblas_get_config");
    char *(*core)(void) = (char *(*)(void))dlsym(library, "openblas_get_corename");
    printf("%s, core %s\n", config ? config() : argv[1], core ? core() : "?");
    A = matrix(1), B = matrix(2), C = matrix(3), result = matrix(4), reference = matrix(5);
    const size_t bytes = (size_t)(n * n) * sizeof(double);
    for (size_t p = 0; p < sizeof products / sizeof *products; p++) {
        double time[3][MOST_RUNS], rate[3];
        /* The first round warms up. */
        for (int run = -1; run < runs; run++)
            for (int turn = 0; turn < 3; turn++) {
                int who = (turn + run + 3) % 3;
                memcpy(result, C, bytes);
                double start = seconds();
                products[p].run[who]();
                double took = seconds() - start;
                if (run >= 0)
                    time[who][run] = took;
                if (run < 0 && who == 0)
                    memcpy(reference, result, bytes);
                if (run >= 0 && !is_close()) {
                    fprintf(stderr, "against: the results of %s differ\n", products[p].name);
                    return 1;
                }
            }
        for (int who = 0; who < 3; who++) {
            qsort(time[who], (size_t)runs, sizeof(double), ascending);
            rate[who] = 2e-9 * (double)n * (double)n * (double)n / time[who][runs / 2];
        }
        printf("%-30s OpenBLAS %6.1f GF   Orthant, fused %6.1f GF %5.1f %%   rounded %6.1f GF %5.1f %%\n", products[p].name, rate[0],
               rate[1], 100 * rate[1] / rate[0], rate[2], 100 * rate[2] / rate[0]);
    }
    return 0;
}
