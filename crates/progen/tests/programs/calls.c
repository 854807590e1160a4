// Calls that read memory, and arrays on the stack that live for one iteration only.
#include <stdio.h>
#define N 64
static double A[N], B[N], M[N][N];
static unsigned U[N];
#define NEW __attribute__((noinline))

__attribute__((noinline, pure)) double look(const double *p, int k) { return p[k] + B[(k + 5) % N]; }
__attribute__((noinline, const)) double twice(double x) { return x * 2 - 1; }

NEW void f_look(int n) {
  for (int i = 0; i < n; i++) {
    A[i] = look(A, n - 1 - i);
    B[i] = twice(A[i]) / 4;
  }
}

NEW void f_temporary(int n) {
  for (int i = 0; i < n; i++) {
    double t[N];
    for (int j = 0; j < n; j++)
      t[j] = M[i][n - 1 - j] * 2;
    for (int j = 0; j < n; j++)
      M[i][j] = t[j] + t[n - 1 - j];
  }
  for (int i = 0; i < n; i++) {
    double u[N];
    for (int j = 0; j < n; j++)
      u[j] = M[n - 1 - j][i] * 2;
    for (int j = 0; j < n; j++)
      M[i][j] += u[j] + u[n - 1 - j];
  }
}

NEW void f_sums(unsigned n, unsigned m) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i + 1; j != m; j++) {
      U[j] += U[i] * 3;
      U[i] ^= j;
    }
}

static void show(const char *name) {
  unsigned long h = 14695981039346656037ul;
  const unsigned char *all[] = {(void *)A, (void *)B, (void *)M, (void *)U};
  unsigned long sizes[] = {sizeof A, sizeof B, sizeof M, sizeof U};
  for (int k = 0; k < 4; k++)
    for (unsigned long i = 0; i < sizes[k]; i++)
      h = (h ^ all[k][i]) * 1099511628211ul;
  printf("%s %lx\n", name, h);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    A[i] = i % 7, B[i] = i % 5, U[i] = (unsigned)i * 2654435761u;
    for (int j = 0; j < N; j++)
      M[i][j] = i * j % 17;
  }
  f_look(N), show("look");
  f_temporary(N), show("temporary");
  f_sums(20, N), show("sums");
  f_sums(N - 1, N), show("sums");
}
