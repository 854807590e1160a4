// test: clang -O2 -g -mllvm -orthant-least-length=40 -Rpass=orthant -Rpass-analysis=orthant -Rpass-missed=orthant -fno-caret-diagnostics -c %s -o /dev/null
// Short loops are left to LLVM: for constant sizes at once, otherwise at run time.
void constant(double c[40][40], double a[40][40], double b[40][40]) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      for (int k = 0; k < 40; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void at_run_time(int n, double c[n][n], double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
// output:
// %s:4:3: remark: loop nest keeps its order: its loops have so few iterations that LLVM unrolls them, which no other order can beat; least-length=0 takes one nevertheless [-Rpass-analysis=orthant]
// %s:11:3: remark: loop nest optimized: T(S0): (i2, i0, i1); band (i2, i0, i1): permutable, tiled 256 x 168 x -, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel [-Rpass=orthant]
// %s:11:3: remark: the new loops run if n >= 11 [something to do] [-Rpass-analysis=orthant]
// %s:14:20: remark: the new loops run if a_0 is of moderate size [moderate size, %s:14:20] [-Rpass-analysis=orthant]
// %s:14:30: remark: the new loops run if b_1 is of moderate size [moderate size, %s:14:30] [-Rpass-analysis=orthant]
// %s:14:17: remark: the new loops run if c_2 is of moderate size [moderate size, %s:14:17] [-Rpass-analysis=orthant]
// %s:14:17: remark: the new loops run if a_0 and c_2 do not overlap [no overlap, %s:14:17] [-Rpass-analysis=orthant]
// %s:14:17: remark: the new loops run if b_1 and c_2 do not overlap [no overlap, %s:14:17] [-Rpass-analysis=orthant]
