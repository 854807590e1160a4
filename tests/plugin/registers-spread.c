// test: clang -O3 -march=znver5 -ffp-contract=off -S %s -o -
// This processor spreads what it loads without the units that multiply and add, and two loads in a cycle are what there are too few of:
// a value is loaded once for its row.
enum { N = 2000 };
void product(double c[restrict N][N], double a[restrict N][N], double b[restrict N][N]) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        c[i][j] += a[i][k] * b[k][j];
}
// CHECK-NOT: vmulpd {{.*}}{1to8}
// CHECK-COUNT-8: vbroadcastsd
