// Runs all kernels at several sizes and prints a digest of what they wrote; then again in threads of its own: of OpenMP, where
// the compiler knows that, and of the system.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void Kernel(int n, double *a, double *b);
Kernel rows, columns, triangle, product, wavefront, steps, pivot, folding, in_place, line, lines, kept, carried,
    backwards, recurse, factors, root, solve, below, two_sums, uneven, any_line,
    diamonds, flat_diamonds, solid_diamonds, leaning, fields, overlapping, batches, orthogonal;
static Kernel *const kernels[] = {rows,     columns, triangle, product, wavefront, steps,     pivot,  folding,
                                  in_place, line,    lines,    kept,    carried,   backwards, recurse,
                                  factors,  root,    solve,    below,   two_sums,  uneven,
                                  any_line, diamonds, flat_diamonds, solid_diamonds, leaning, fields, overlapping, batches, orthogonal};
static const char *const names[] = {"rows",     "columns", "triangle", "product", "wavefront", "steps",     "pivot",  "folding",
                                    "in_place", "line",    "lines",    "kept",    "carried",   "backwards", "recurse",
                                    "factors",  "root",    "solve",    "below",   "two_sums",  "uneven",
                                    "any_line", "diamonds", "flat_diamonds", "solid_diamonds", "leaning", "fields", "overlapping", "batches", "orthogonal"};
enum { KERNELS = sizeof kernels / sizeof *kernels, CREW = 3 };
static const int sizes[] = {0, 1, 2, 3, 7, 33, 64, 101, 260};

static unsigned long digest(int kernel, int n) {
  size_t cells = (size_t)n * n + 1;
  double *a = malloc(cells * sizeof *a), *b = malloc(cells * sizeof *b);
  for (size_t i = 0; i < cells; i++)
    a[i] = (i * 7 % 13) * 0.37, b[i] = (i * 5 % 11) * 0.11 + 0.5;
  kernels[kernel](n, a, b);
  unsigned long sum = 5381, word;
  for (size_t i = 0; i < cells; i++)
    memcpy(&word, a + i, sizeof word), sum = sum * 33 + word;
  free(a);
  free(b);
  return sum;
}

static void *other_thread(void *result) {
  for (int k = 0; k < KERNELS; k++)
    ((unsigned long *)result)[k] = digest(k, 101);
  return NULL;
}

int main(void) {
  for (int k = 0; k < KERNELS; k++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      printf("%s %d %lx\n", names[k], sizes[s], digest(k, sizes[s]));
  unsigned long alone[KERNELS], found[CREW][KERNELS];
  other_thread(alone);
  pthread_t crew[CREW];
  for (int t = 0; t < CREW; t++)
    pthread_create(&crew[t], NULL, other_thread, found[t]);
  for (int t = 0; t < CREW; t++)
    pthread_join(crew[t], NULL);
  for (int t = 0; t < CREW; t++)
    printf("in a thread: %s\n", memcmp(alone, found[t], sizeof alone) ? "different" : "the same");
#pragma omp parallel for num_threads(CREW)
  for (int t = 0; t < CREW; t++)
    other_thread(found[t]);
  for (int t = 0; t < CREW; t++)
    printf("in a parallel region: %s\n", memcmp(alone, found[t], sizeof alone) ? "different" : "the same");
}
