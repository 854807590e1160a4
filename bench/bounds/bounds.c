/* What no order of the loops can beat on this machine, with strict floating point and in one thread:
 *   terms    products that are rounded, then added, each second, with all operands in registers
 *   passes   seconds of going twice through gemver's matrix (size large): reading and writing it, then reading it
 * Compiled with -O3 -march=native -ffp-contract=off. Prints a line for each run: terms, then passes. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined __AVX512F__
#define BYTES 64
#elif defined __AVX__
#define BYTES 32
#else
#define BYTES 16
#endif

typedef double V __attribute__((vector_size(BYTES)));
enum { LANES = BYTES / 8, SUMS = 12, ROUNDS = 20000000, N = 2000 };

static double matrix[N][N] __attribute__((aligned(64)));

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The compiler may not know that a value is the same as before. */
#define HIDE(x) __asm__ volatile("" : "+x"(x))

static double terms_per_second(void)
{
    V sums[SUMS] = {0}, a = {1.0}, b = {1e-9};
    double start = now();
    for (long round = 0; round < ROUNDS; round++)
        for (int i = 0; i < SUMS; i++) {
            HIDE(a);
            sums[i] += a * b;
        }
    double took = now() - start;
    for (int i = 0; i < SUMS; i++)
        HIDE(sums[i]);
    return (double)ROUNDS * SUMS * LANES / took;
}

static double seconds_of_passes(void)
{
    V sums[SUMS] = {0}, one = {1e-9};
    V *all = (V *)matrix;
    double start = now();
    for (long i = 0; i < (long)N * N / LANES; i++)
        all[i] += one;
    for (long i = 0; i + SUMS <= (long)N * N / LANES; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sums[k] += all[i + k];
    double took = now() - start;
    for (int k = 0; k < SUMS; k++)
        HIDE(sums[k]);
    return took;
}

int main(int count, char **words)
{
    int runs = count > 1 ? atoi(words[1]) : 5;
    seconds_of_passes(); /* the first touches the pages */
    for (int run = 0; run < runs; run++) {
        double passes = seconds_of_passes();
        for (int again = 0; again < 9; again++) {
            double other = seconds_of_passes();
            passes = other < passes ? other : passes;
        }
        printf("%.4g %.4g\n", terms_per_second(), passes);
    }
    return 0;
}
