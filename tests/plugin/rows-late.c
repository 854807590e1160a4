// test: clang -O3 -mavx2 -ffp-contract=off -fno-discard-value-names -mllvm -orthant-position=late -S -emit-llvm %s -o -
// Eight rows are written out in a loop that becomes one of vectors, also where LLVM's vectorizer comes next: four columns at a time,
// each written once for all rows.
static double a[2000][2000], x[2000], y[2000];
void columns(void) {
  for (int j = 0; j < 2000; j++)
    for (int i = 0; i < 2000; i++)
      y[j] += a[i][j] * x[i];
}
double *cell(int i, int j) { return j < 0 ? x + i : i < 0 ? y + j : &a[i][j]; }
// CHECK: vector.body
// CHECK: load <4 x double>
// CHECK-COUNT-8: fadd <4 x double>
// CHECK: store <4 x double>
