// memset, memcpy and memmove, with lengths that change, that are zero, and that are known only here.
#include <stdio.h>
#include <string.h>
#define N 40
static double A[N][N], B[N][N];
#define NEW __attribute__((noinline))

NEW void f_rows(int n) {
  for (int i = 0; i < n; i++) {
    memset(A[i], 0, (unsigned long)n * sizeof(double));
    memcpy(B[i], A[i], (unsigned long)(n / 2) * sizeof(double));
    for (int j = 0; j < i; j++)
      A[i][j] += B[i][j] + i;
  }
}

NEW void f_triangle(long n) {
  for (long i = 0; i < n; i++) {
    memcpy(A[i], B[n - 1 - i], (unsigned long)i * sizeof(double));
    memmove(A[i] + 1, A[i], (unsigned long)i * sizeof(double));
    A[i][0] = (double)i;
  }
}

NEW void f_bytes(long n) {
  for (long i = 0; i < n; i++)
    memset((char *)B[i] + 3, 1, (unsigned long)(5 + i));
}

NEW void f_unknown(long n, const unsigned char *restrict lengths) {
  for (long i = 0; i < n; i++)
    memset(B[i], 0, lengths[i] & 63);
}

static void show(const char *name) {
  unsigned long h = 14695981039346656037ul;
  const unsigned char *all[] = {(void *)A, (void *)B};
  for (int k = 0; k < 2; k++)
    for (unsigned long i = 0; i < sizeof A; i++)
      h = (h ^ all[k][i]) * 1099511628211ul;
  printf("%s %lx\n", name, h);
}

int main(void) {
  static unsigned char lengths[N];
  for (int i = 0; i < N; i++) {
    lengths[i] = (unsigned char)(i * 29);
    for (int j = 0; j < N; j++)
      A[i][j] = i * j % 17, B[i][j] = i - j;
  }
  f_rows(N), show("rows");
  for (int i = 0; i < N; i++)
    B[i][i] = i;
  f_triangle(N), show("triangle");
  f_bytes(N), show("bytes");
  f_unknown(N, lengths), show("unknown");
}
