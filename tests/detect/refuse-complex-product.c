// test: clang -O3 -ffp-contract=off -Rpass-analysis=orthant -mllvm -orthant-stop-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// A product of complex numbers asks for infinities, unless it need not.
void strict(int n, double _Complex c[n][n], double _Complex a[n][n], double _Complex b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
// CHECK: call to __muldc3 may have side effects; {{.*}}-fcx-limited-range

void limited(int n, double _Complex c[n][n], double _Complex a[n][n], double _Complex b[n][n]) {
#pragma STDC CX_LIMITED_RANGE ON
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
// CHECK-NOT: __muldc3
