// Sizes and addresses in the header of a matrix: loaded before the nest, if nothing in the nest writes them. Then also
// with data that overlaps the headers, with rows that overlap, and with matrices that do not exist.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NEW __attribute__((noinline))

// The data has the type of the header, so that the type tells nothing.
typedef struct { long rows, cols; long *data; } matrix;

NEW void f_add(matrix *a, matrix *b, matrix *c) {
  for (long i = 0; i < c->rows; i++)
    for (long j = 0; j < c->cols; j++)
      c->data[i * c->cols + j] = a->data[i * a->cols + j] + b->data[i * b->cols + j];
}

NEW void f_multiply(matrix *a, matrix *b, matrix *c) {
  for (long i = 0; i < c->rows; i++)
    for (long j = 0; j < c->cols; j++)
      for (long k = 0; k < a->cols; k++)
        c->data[i * c->cols + j] += a->data[i * a->cols + k] * b->data[k * b->cols + j];
}

// Where there are no columns, the second matrix is not looked at.
NEW void f_scale(matrix *c, matrix **factor, long cols) {
  for (long i = 0; i < c->rows; i++)
    for (long j = 0; j < cols; j++)
      c->data[i * c->cols + j] *= (*factor)->data[j];
}

NEW void f_bound(long *n, long *a) {
  for (long i = 0; i < *n; i++)
    a[i] = i + 2;
}

static unsigned long hash(const void *from, size_t bytes) {
  unsigned long h = 1469598103934665603ul;
  for (size_t i = 0; i < bytes; i++)
    h = (h ^ ((const unsigned char *)from)[i]) * 1099511628211ul;
  return h;
}

static long pool[4096];

static matrix *at(long place, long rows, long cols, long data) {
  matrix *m = (matrix *)(pool + place);
  m->rows = rows, m->cols = cols, m->data = pool + data;
  return m;
}

static void fill(void) {
  for (long i = 0; i < 4096; i++)
    pool[i] = i % 7 - 3;
}

static void show(const char *what) {
  // Addresses differ from run to run: they are shown relative to the pool.
  for (long i = 0; i < 4096; i++)
    if (pool[i] >= (long)pool && pool[i] < (long)(pool + 4096))
      pool[i] = (pool[i] - (long)pool) / 8 + 1000000;
  printf("%s %lx\n", what, hash(pool, sizeof pool));
}

int main(void) {
  static const long sizes[][5] = {{12, 9, 9, 9, 9}, {12, 9, 11, 9, 12}, {12, 9, 7, 8, 9}, {0, 9, 9, 9, 9},
                                  {1, 1, 1, 1, 1},  {5, 0, 9, 9, 9},    {9, 9, 0, 3, 9},  {9, 12, 12, 5, 12}};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const long *z = sizes[s];
    fill();
    f_add(at(0, z[0], z[2], 100), at(8, z[0], z[3], 500), at(16, z[0], z[1], 1000));
    show("add");
    fill();
    f_multiply(at(0, z[0], z[2], 100), at(8, z[2], z[4], 500), at(16, z[0], z[1], 1000));
    show("multiply");
  }
  fill();
  at(24, 3, 3, 100);
  long factor = (long)(pool + 24);
  f_scale(at(0, 9, 9, 1000), (matrix **)&factor, 9);
  f_scale(at(0, 9, 9, 1000), NULL, 0);
  f_scale(at(0, 0, 9, 1000), NULL, 9);
  show("scale");
  // The result is written over a header: the loop ends early, or rows get another length in the middle.
  fill();
  f_add(at(0, 8, 8, 200), at(8, 8, 8, 500), at(100, 8, 8, 69));
  show("add over its own header");
  fill();
  f_multiply(at(0, 1, 9, 200), at(8, 9, 9, 2000), at(16, 1, 2, 8));
  show("multiply over another header");
  // Operands and result overlap.
  fill();
  f_multiply(at(0, 9, 9, 100), at(8, 9, 9, 120), at(16, 9, 9, 140));
  show("multiply in place");
  fill();
  pool[50] = 30;
  f_bound(pool + 50, pool + 40);
  show("bound overwritten");
  pool[50] = 30;
  f_bound(pool + 50, pool + 60);
  show("bound");
  return 0;
}
