// test: clang -O3 -march=znver4 -ffp-contract=off -S %s -o -
// Products that are rounded before they are added: each of the three vectors of a row loads its own copy of what all are multiplied
// with, so that the multiplication itself spreads it, and nothing else wants the units that multiply and add.
enum { N = 2000 };
void product(double alpha, double c[restrict N][N], double a[restrict N][N], double b[restrict N][N]) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        c[i][j] += alpha * a[i][k] * b[k][j];
}
// CHECK-COUNT-24: vmulpd {{.*}}{1to8}
// CHECK-NOT: vbroadcastsd
// CHECK: {{jne|jl}}
