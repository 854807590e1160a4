// test: clang -O3 -mavx2 -ffp-contract=off -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-parallel -mllvm -orthant-threads=2 -S -emit-llvm %s -o -
// The function that runs in threads has its rows written out before LLVM's vectorizer as well.
static double a[4000][4000], x[4000], y[4000];
void columns(void) {
  for (int j = 0; j < 4000; j++)
    for (int i = 0; i < 4000; i++)
      y[j] += a[i][j] * x[i];
}
double *cell(int i, int j) { return j < 0 ? x + i : i < 0 ? y + j : &a[i][j]; }
// CHECK: define internal void @columns.orthant.threads
// CHECK: vector.body
// CHECK: load <4 x double>
// CHECK-COUNT-8: fadd <4 x double>
// CHECK: store <4 x double>
