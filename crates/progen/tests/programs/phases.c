// Steps in time that take turns with memory: two buffers that change places, planes by parity, three of each, and forms that nearly do.
// Numbers of steps are odd, even, none and negative; buffers are the same, or shifted by a cell or a row; what is used behind the loop is
// the pointer that holds the result, and what it points to. Every result is compared bit by bit with what the program computes without
// Orthant.
#include <stdio.h>

static unsigned long hash(const void *cells, unsigned long count) {
  const unsigned long *at = cells;
  unsigned long seed = 14695981039346656037ul;
  for (unsigned long i = 0; i < count; i++)
    seed = (seed ^ at[i] ^ at[i] >> 32) * 1099511628211ul;
  return seed;
}

#define FOR(i, from, to) for (int i = from; i < to; i++)
#define INNER FOR(i, 1, n - 1) FOR(j, 1, m - 1)
#define STAR(at) (0.2 * (at(i, j) + at(i, j - 1) + at(i, j + 1) + at(i - 1, j) + at(i + 1, j)))
#define FORM __attribute__((noinline)) static

/* Pointers that change places. */
#define A(i, j) a[(i) * m + (j)]
#define B(i, j) b[(i) * m + (j)]
FORM double *swapped(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    INNER B(i, j) = STAR(A);
    double *other = a;
    a = b;
    b = other;
  }
  return a;
}
FORM double *counted_by_long(long steps, long n, long m, double *restrict a, double *restrict b) {
  for (long t = 1; t <= steps; t++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < m - 1; j++)
        B(i, j) = STAR(A);
    double *other = a;
    a = b;
    b = other;
  }
  return b;
}
FORM double left_through_both(int steps, int n, int m, double *a, double *b) {
  double all = 0;
  const unsigned count = steps < 0 ? 0 : steps;
  for (unsigned t = 0; t < count; t++) {
    INNER B(i, j) = STAR(A);
    double *other = a;
    a = b;
    b = other;
  }
  FOR(i, 0, n) FOR(j, 0, m) all += A(i, j) - 2 * B(i, j);
  return all;
}
FORM double *boundaries(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    FOR(i, 1, n - 1) A(i, 0) = A(i, 1) + t;
    INNER B(i, j) = STAR(A);
    double *other = a;
    a = b;
    b = other;
  }
  return a;
}
FORM double *rotated(int steps, int n, int m, double *a, double *b, double *c) {
  FOR(t, 0, steps) {
    INNER c[i * m + j] = STAR(B) - A(i, j);
    double *other = a;
    a = b;
    b = c;
    c = other;
  }
  return b;
}
FORM double *rotated_back(int steps, int n, int m, double *a, double *b, double *c) {
  FOR(t, 0, steps) {
    INNER A(i, j) = STAR(B) + c[i * m + j];
    double *other = c;
    c = b;
    b = a;
    a = other;
  }
  return a;
}
/* Nearly: only if the data say so, only in some steps, two of three. */
FORM double *swapped_if(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    INNER B(i, j) = STAR(A);
    if (B(1, 1) < 40) {
      double *other = a;
      a = b;
      b = other;
    }
  }
  return a;
}
FORM double *swapped_later(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    INNER B(i, j) = STAR(A);
    if (t > 3) {
      double *other = a;
      a = b;
      b = other;
    }
  }
  return a;
}
FORM double *moved_on(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    INNER B(i, j) = STAR(A);
    double *other = a;
    a = b;
    b = other + 1;
  }
  return a;
}
FORM double *left_in_between(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    INNER B(i, j) = STAR(A);
    double *other = a;
    a = b;
    b = other;
    if (A(1, 1) > 1e3)
      break;
  }
  return a;
}
#undef A
#undef B

/* Rows behind pointers to rows. */
#define A(i, j) a[i][j]
#define B(i, j) b[i][j]
FORM void *rows(int steps, int n, int m, double (*a)[m], double (*b)[m]) {
  FOR(t, 0, steps) {
    INNER B(i, j) = STAR(A);
    double(*other)[m] = a;
    a = b;
    b = other;
  }
  return a;
}
FORM void stops_at_odd(int steps, int n, int m, double (*a)[m], double (*b)[m]) {
  int t = 0;
  do {
    INNER B(i, j) = STAR(A);
    double(*other)[m] = a;
    a = b;
    b = other;
    t += 3;
  } while (t < steps);
}
#undef A
#undef B

/* Planes. */
#define A(i, j) a[t % 2][i][j]
FORM void planes(int steps, int n, int m, double a[2][n][m]) {
  FOR(t, 0, steps) INNER a[(t + 1) % 2][i][j] = STAR(A);
}
#undef A
#define A(i, j) a[t & 1][i][j]
FORM void planes_and(int steps, int n, int m, double a[2][n][m]) {
  const unsigned count = steps < 0 ? 0 : steps;
  for (unsigned t = 0; t < count; t++)
    INNER a[1 - (t & 1)][i][j] = STAR(A);
}
FORM void planes_from_five(long steps, int n, int m, double a[2][n][m]) {
  for (long t = 5; t < steps + 5; t++)
    INNER a[!(t & 1)][i][j] = STAR(A);
}
FORM void planes_downwards(int steps, int n, int m, double a[2][n][m]) {
  for (int t = steps; t > 0; t--)
    INNER a[(t + 1) & 1][i][j] = STAR(A);
}
#undef A
#define A(i, j) a[((t) % 2) * n * m + (i) * m + (j)]
FORM void planes_flat(int steps, int n, int m, double *a) {
  FOR(t, 0, steps) INNER a[((t + 1) % 2) * n * m + i * m + j] = STAR(A);
}
#undef A
#define A(i, j) a[now][i][j]
FORM int planes_by_number(int steps, int n, int m, double a[2][n][m]) {
  int now = 0;
  FOR(t, 0, steps) {
    INNER a[1 - now][i][j] = STAR(A);
    now = 1 - now;
  }
  return now;
}
FORM int planes_by_numbers(int steps, int n, int m, double a[2][n][m]) {
  int now = 0, then = 1;
  FOR(t, 0, steps) {
    INNER a[then][i][j] = STAR(A);
    int other = now;
    now = then;
    then = other;
  }
  return then;
}
#undef A
#define A(i, j) from[(i) * m + (j)]
FORM void chosen(int steps, int n, int m, double *a, double *b) {
  FOR(t, 0, steps) {
    double *from = t % 2 ? b : a, *to = t % 2 ? a : b;
    INNER to[i * m + j] = STAR(A);
  }
}
#undef A
#define A(i, j) a[t % 3][i][j]
FORM void three_planes(int steps, int n, int m, double a[3][n][m]) {
  FOR(t, 0, steps) INNER a[(t + 1) % 3][i][j] = STAR(A) - a[(t + 2) % 3][i][j];
}
FORM void two_of_three(int steps, int n, int m, double a[3][n][m]) {
  FOR(t, 0, steps) INNER a[(t + 1) % 2][i][j] = STAR(A);
}
#undef A
/* Nearly: the parity of another number, of a row, of a number that is not known. */
#define A(i, j) a[k % 2][i][j]
FORM void by_another(int steps, int n, int m, int k, double a[2][n][m]) {
  FOR(t, 0, steps) INNER a[(k + 1) % 2 ? 1 : 0][i][j] = STAR(A);
}
FORM void by_square(int steps, int n, int m, double a[2][n][m]) {
  FOR(t, 0, steps) {
    int k = t * t;
    INNER a[(k + t + 1) & 1][i][j] = STAR(A);
  }
}
#undef A
#define A(i, j) a[k & 1][i][j]
FORM void from_anywhere(int steps, int n, int m, int k, double a[2][n][m]) {
  for (; k < steps; k++)
    INNER a[(k + 1) & 1][i][j] = STAR(A);
}
#undef A
FORM void parity_of_rows(int steps, int n, int m, double a[2][n][m]) {
  FOR(t, 0, steps) INNER a[i % 2][i][j] = a[(i + 1) % 2][i - 1][j] + a[t % 2][i + 1][j];
}
FORM double sums(int steps, int n, int m, double *a, double *b) {
  double all = 1;
  FOR(t, 0, steps) {
    INNER b[i * m + j] = all + a[i * m + j + 1];
    all = all * 0.5 + b[m + 1];
    double *other = a;
    a = b;
    b = other;
  }
  return all;
}
/* Sizes that are known. */
static double fixed[2][70][70], cube[2][26][26][26];
FORM void planes_fixed(int steps) {
  FOR(t, 0, steps) FOR(i, 1, 69) FOR(j, 1, 69) {
    fixed[(t + 1) % 2][i][j] = 0.25 * (fixed[t % 2][i - 1][j] + fixed[t % 2][i + 1][j] + fixed[t % 2][i][j - 1] - fixed[t % 2][i][j + 1]);
  }
}
FORM void cubes_fixed(int steps) {
  FOR(t, 0, steps) FOR(i, 1, 25) FOR(j, 1, 25) FOR(k, 1, 25) {
    cube[(t + 1) & 1][i][j][k] = 0.25 * (cube[t & 1][i - 1][j][k] + cube[t & 1][i + 1][j][k] + cube[t & 1][i][j - 1][k] - cube[t & 1][i][j][k + 1]);
  }
}

#define MOST 30000
static double memory[MOST];
/* Where the first buffer begins, and how much of the memory is in use. */
static long begin, used;

static void fill(void) {
  FOR(cell, 0, used) memory[cell] = (cell * 2654435761u >> 16) / 655.36;
}
static void show(const char *name, int steps, int n, int m, int where, long result) {
  printf("%s %d %d %d %d %ld %lx\n", name, steps, n, m, where, result, hash(memory, used));
}

#define POINTERS(name, ...) (fill(), show(#name, steps, n, m, where, (double *)name(steps, n, m, __VA_ARGS__) - memory))
#define NUMBERS(name, ...) (fill(), show(#name, steps, n, m, where, (long)name(steps, n, m, __VA_ARGS__)))
#define NOTHING(name, ...) (fill(), name(steps, n, m, __VA_ARGS__), show(#name, steps, n, m, where, 0))

static void pointers(int steps, int n, int m, int where) {
  const long cells = n * m, apart[] = {cells, 0, 1, -1, m, cells - 1, cells + 7, -cells};
  begin = cells + 1;
  used = 4 * cells + 10;
  double *a = memory + begin, *b = a + apart[where], *c = where == 7 ? a + cells : b + (where % 3 == 2 ? 1 : cells);
  POINTERS(swapped, a, b);
  if (where == 0 || where > 5)
    POINTERS(counted_by_long, a, b);
  NUMBERS(left_through_both, a, b);
  POINTERS(boundaries, a, b);
  POINTERS(swapped_if, a, b);
  POINTERS(swapped_later, a, b);
  POINTERS(left_in_between, a, b);
  if (steps < 6)
    POINTERS(moved_on, a, b);
  POINTERS(rows, (void *)a, (void *)b);
  NOTHING(stops_at_odd, (void *)a, (void *)b);
  NOTHING(chosen, a, b);
  NUMBERS(sums, a, b);
  POINTERS(rotated, a, b, c);
  POINTERS(rotated_back, a, b, c);
}

static void numbers(int steps, int n, int m, int where) {
  void *a = memory;
  used = 3 * n * m;
  NOTHING(planes, a);
  NOTHING(planes_and, a);
  NOTHING(planes_from_five, a);
  NOTHING(planes_downwards, a);
  NOTHING(planes_flat, a);
  NOTHING(three_planes, a);
  NOTHING(two_of_three, a);
  NOTHING(by_another, 3, a);
  NOTHING(by_square, a);
  NOTHING(from_anywhere, 0, a);
  NOTHING(from_anywhere, -3, a);
  NOTHING(parity_of_rows, a);
  NUMBERS(planes_by_number, a);
  NUMBERS(planes_by_numbers, a);
}

int main(void) {
  static const int steps[] = {-2, 0, 1, 2, 3, 4, 17, 34, 39}, sides[] = {1, 2, 3, 5, 10, 33, 64, 70, 131};
  FOR(t, 0, 9) {
    FOR(i, 0, 9) FOR(j, 0, 9) if ((i + j + t) % 3 == 0 && sides[i] * sides[j] <= 70 * 70) {
      pointers(steps[t], sides[i], sides[j], 0);
      numbers(steps[t], sides[i], sides[j], 0);
    }
    pointers(steps[t], 0, 40, 0);
    FOR(where, 1, 8) pointers(steps[t], 33, 64, where);
    FOR(cell, 0, 2 * 70 * 70)(&fixed[0][0][0])[cell] = cell * 2654435761u >> 20;
    FOR(cell, 0, 2 * 26 * 26 * 26)(&cube[0][0][0][0])[cell] = cell * 2654435761u >> 20;
    planes_fixed(steps[t]);
    cubes_fixed(steps[t]);
    printf("fixed %d %lx %lx\n", steps[t], hash(fixed, 2 * 70 * 70), hash(cube, 2 * 26 * 26 * 26));
  }
}
