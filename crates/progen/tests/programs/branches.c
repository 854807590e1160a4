// Branches and switches whose conditions depend on data: what they write is written perhaps, what meets behind them is a phi.
#include <stdio.h>
#define N 48
static double A[N][N], B[N][N];
static int K[N];
#define NEW __attribute__((noinline))

NEW void f_clip(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    if (b[i] > 0)
      a[2 * i] = b[i];
}

NEW double f_else(int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = A[i][j];
      if (x > 0.5) {
        B[j][i] += x;
        s += x * 2;
      } else if (x > 0.25) {
        s -= x;
        B[i][j] = s;
      }
    }
  return s;
}

NEW void f_paths(int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (A[i][k] + A[k][j] < A[i][j])
          A[i][j] = A[i][k] + A[k][j];
}

NEW void f_switch_data(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      switch (K[j] & 7) {
      case 0: B[i][j] += 1; break;
      case 1: B[i][j] *= 2; // and on
      case 3: B[j][i] -= 1; break;
      case 5: K[i]++; break;
      default: B[i][j] = -B[i][j];
      }
}

NEW void f_switch_counters(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      switch (i - j) {
      case 0: B[i][j] += 1; break;
      case 1: B[i][j] *= 2; // and on
      case -3: B[j][i] -= 1; break;
      case 5: K[i]++; break;
      default: B[i][j] = -B[i][j];
      }
}

NEW int f_last(int n) {
  int at = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (A[i][j] > 0.9) {
        at = i * n + j;
        K[i] = at;
      }
  return at;
}

NEW void f_nested(int n) {
  for (int i = 0; i < n; i++) {
    A[i][4] += 1;
    if (K[i] & 1) {
      if (K[i] & 2)
        A[i][0] = 3;
      else
        A[i][1] = 4;
      A[i][2] += 1;
    } else if (i > 5)
      A[i][3] = 5;
  }
}

NEW unsigned f_window(int n, int from) {
  unsigned s = 1;
  for (int i = 0; i < n; i++)
    if ((unsigned)(i - from) < 10u)
      s = s * 3 + (unsigned)(K[i] = i);
  return s;
}

static void show(const char *name, double extra) {
  unsigned long h = 14695981039346656037ul;
  const unsigned char *all[] = {(void *)A, (void *)B, (void *)K};
  unsigned long sizes[] = {sizeof A, sizeof B, sizeof K};
  for (int k = 0; k < 3; k++)
    for (unsigned long i = 0; i < sizes[k]; i++)
      h = (h ^ all[k][i]) * 1099511628211ul;
  printf("%s %lx %a\n", name, h, extra);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    K[i] = i * 7;
    for (int j = 0; j < N; j++)
      A[i][j] = (i * 37 + j * 11) % 101 / 101.0, B[i][j] = i - j;
  }
  f_clip(N, A[3], B[20]), show("clip", 0);
  show("else", f_else(N));
  f_paths(N / 2), show("paths", 0);
  f_switch_data(N), show("switch_data", 0);
  f_switch_counters(N), show("switch_counters", 0);
  show("last", f_last(N));
  f_nested(N), show("nested", 0);
  show("window", f_window(N, 7));
  show("window", f_window(N, -4));
}
