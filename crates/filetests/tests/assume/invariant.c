// Bounds, addresses and offsets in memory that the nest itself overwrites. order: reversed
// flags: -fno-strict-aliasing
// undefined: signed-integer-overflow null alignment pointer-overflow
// new loops: bound eight header nested square chain own inner
#include "in_place.h"
struct matrix { long rows, columns; long *data; };
struct holder { struct matrix *matrix; long other; };
#ifdef KERNELS
void NAME(bound)(const long *n, long *a) {
  for (long i = 0; i < *n; i++)
    a[i] = 3;
}
// Figure 8.
void NAME(eight)(const long *UB, const long *Idx, long *a, const long *b) {
  for (long i = 0; i < UB[0]; i += 1)
    a[Idx[0] + i] += b[i];
}
void NAME(header)(struct matrix *to, struct matrix *from) {
  for (long i = 0; i < to->rows; i++)
    for (long j = 0; j < to->columns; j++)
      to->data[i * to->columns + j] = from->data[i * from->columns + j] + 1;
}
void NAME(nested)(struct holder *to) {
  for (long i = 0; i < to->matrix->rows; i++)
    to->matrix->data[i] = 2;
}
// Sizes and the address behind a pointer that is loaded itself.
void NAME(square)(struct holder *to) {
  for (long i = 0; i < to->matrix->rows; i++)
    for (long j = 0; j < to->matrix->columns; j++)
      to->matrix->data[i * to->matrix->columns + j] = 3 * i + j;
}
void NAME(chain)(struct holder **to, long *a) {
  for (long i = 0; i < (*to)->matrix->rows; i++)
    a[i] = 3 * i;
}
// A bound in the array that is written.
void NAME(own)(long from, long *a) {
  for (long i = from; i < a[0]; i++)
    a[i] = 2;
}
void NAME(inner)(long from, long to, long *a, const long *b) {
  for (long i = from; i < to; i++)
    for (long j = 0; j < (a[2] < 10 ? a[2] : 10); j++)
      a[10 * i + j] = b[i] + j;
}
// Figure 1 without its constants.
void NAME(grid)(const int *grid, int *rhs) {
  for (int j = 0; j < grid[0] + 1; j++)
    for (int i = 0; i < grid[1] + 1; i++)
      for (int m = 0; m < 3; m++)
        rhs[(j * 4 + i) * 3 + m] = 2;
}
#endif
#ifdef MAIN
void originalbound(const long *, long *); void optimizedbound(const long *, long *);
void originaleight(const long *, const long *, long *, const long *); void optimizedeight(const long *, const long *, long *, const long *);
void originalheader(struct matrix *, struct matrix *); void optimizedheader(struct matrix *, struct matrix *);
void originalnested(struct holder *); void optimizednested(struct holder *);
void originalsquare(struct holder *); void optimizedsquare(struct holder *);
void originalchain(struct holder **, long *); void optimizedchain(struct holder **, long *);
void originalown(long, long *); void optimizedown(long, long *);
void originalinner(long, long, long *, const long *); void optimizedinner(long, long, long *, const long *);
void originalgrid(const int *, int *); void optimizedgrid(const int *, int *);
static void all_cases(void) {
  long *a = memory + MID;
  for (long n = -1; n <= 9; n++)
    for (long at = -10; at <= 10; at++) {
      BOTH(bound, a[at] = n, n, at, 0, a + at, a);
      for (long idx = -9; idx <= 9; idx++)
        BOTH(eight, (a[at] = n, a[idx] = 1), n, at, idx, a + at, a + idx, a, a + 20);
      BOTH(eight, a[at] = n, n, at, 100, a + at, a + at, a, a - 20);
    }
  for (long rows = 0; rows <= 4; rows++)
    for (long columns = 0; columns <= 4; columns++)
      for (long data = -20; data <= 8; data++) {
        struct matrix *to = (struct matrix *)a, *from = (struct matrix *)(a - 3);
        BOTH(header, (*to = (struct matrix){rows, columns, a + data}, *from = (struct matrix){rows, columns, a + 30}), rows,
             columns, data, to, from);
        BOTH(header, (*to = (struct matrix){rows, columns, a + data}), rows, columns, data, to, to);
        struct holder *holder = (struct holder *)(a - 6);
        struct holder **outer = (struct holder **)(a - 8);
        BOTH(square, (*holder = (struct holder){to, 0}, *to = (struct matrix){rows, columns, a + data}), rows, columns, data,
             holder);
        BOTH(chain, (*outer = holder, *holder = (struct holder){to, 0}, *to = (struct matrix){rows, 0, a}), rows, columns, data,
             outer, a + data);
        BOTH(nested, (*holder = (struct holder){to, 0}, *to = (struct matrix){rows, columns, a + data}), rows, data, 0, holder);
      }
  for (long n = -2; n <= 9; n++)
    for (long from = -6; from <= 9; from++) {
      BOTH(own, a[0] = n, n, from, 0, from, a);
      for (long to = from; to <= 4; to++)
        for (long b = 0; b <= 80 && from >= -4; b += 40)
          BOTH(inner, a[2] = n, n, from, to, from, to, a, a + b);
    }
  for (int j = -2; j <= 3; j++)
    for (int i = -2; i <= 3; i++)
      for (long at = -60; at <= 4; at++)
        BOTH(grid, (((int *)a)[0] = j, ((int *)a)[1] = i), j, i, at, (int *)a, (int *)a + at);
}
#endif
