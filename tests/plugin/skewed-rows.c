// test: clang -O3 -mavx2 -fno-discard-value-names -S -emit-llvm %s -o -
// Time tiles of a stencil: where a row begins depends on the bounds of all loops around. LLVM gets one address for each array that it
// knows nothing about, before the vector loop, and rows at constant distances from it.
static double a[2000][2000], b[2000][2000];
void smooth(void) {
  for (int t = 0; t < 500; t++) {
    for (int i = 1; i < 1999; i++)
      for (int j = 1; j < 1999; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < 1999; i++)
      for (int j = 1; j < 1999; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}
double *cell(int i, int j) { return &a[i][j]; }
// CHECK: [[A:%[a-z0-9.]+]] = {{.*}}call ptr @llvm.strip.invariant.group.p0
// CHECK: [[B:%[a-z0-9.]+]] = {{.*}}call ptr @llvm.strip.invariant.group.p0
// CHECK-NOT: strip.invariant.group
// CHECK: vector.body{{.*}}:
// CHECK-NOT: strip.invariant.group
// CHECK: load <4 x double>
// CHECK-NOT: strip.invariant.group
// CHECK: store <4 x double>
