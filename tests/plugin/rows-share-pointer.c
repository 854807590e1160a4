// test: clang -O3 -mavx2 -fno-discard-value-names -S -emit-llvm %s -o -
// A stencil in place, tiled in time: eight rows are written out, each behind the one before. All their cells lie at constant distances from
// one pointer, whose start LLVM knows nothing about and which moves by one number. So do the cells of the rows at the edges of the tiles, which come first.
static double a[2000][2000];
void smooth(void) {
  for (int t = 0; t < 500; t++)
    for (int i = 1; i < 1999; i++)
      for (int j = 1; j < 1999; j++)
        a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                   a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}
double *cell(int i, int j) { return &a[i][j]; }
// CHECK: define {{.*}}@smooth.orthant.loops
// CHECK: [[EDGE:%[a-z0-9.]+]] = {{.*}}call ptr @llvm.strip.invariant.group.p0
// CHECK: [[START:%[a-z0-9.]+]] = {{.*}}call ptr @llvm.strip.invariant.group.p0
// CHECK: %orthant.moved = phi i64 [ 0, {{.*}} ]
// CHECK: %orthant.row = getelementptr i8, ptr [[EDGE]], i64 %orthant.moved
// CHECK: [[MOVED:%orthant.moved[a-z0-9.]+]] = phi i64 [ 0, {{.*}} ]
// CHECK: [[ROW:%orthant.row[a-z0-9.]+]] = getelementptr i8, ptr [[START]], i64 [[MOVED]]
// CHECK: load double, ptr [[ROW]]
// CHECK: getelementptr i8, ptr [[ROW]], i64 111888
// CHECK: store double
