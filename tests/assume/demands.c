// test: clang -O2 -mllvm -orthant-least-length=40 -mllvm -orthant-machine=generic -Rpass=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// How long loops must be each for itself: a million small products are much to do, and no new loops for them.
void products(int count, int n, double (*restrict c)[n][n], double (*restrict a)[n][n], double (*restrict b)[n][n]) {
  for (int t = 0; t < count; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
          sum += a[t][i][k] * b[t][k][j];
        c[t][i][j] += sum;
      }
}
// Rows that begin one after the other want long ones.
void relax(int steps, int n, double a[n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) / 5;
}
// output:
// %s:4:3: remark: loop nest optimized: T(S0): (i0, i1, 0, i2); T(S1): (i0, i1, 1, i2); T(S2): (i0, i1, 2, i3, i2); T(S3): (i0, i1, 3, i2); T(S4): (i0, i1, 4, i2); band (i2): coincident i2, innermost loop parallel; band (i2): coincident i2, innermost loop parallel; band (i3, i2): permutable, 8 rows written out, coincident i2, innermost loop parallel; band (i2): coincident i2, innermost loop parallel; band (i2): coincident i2, innermost loop parallel; scratch memory on the stack, of a size known at run time: phi3[p1], phi4[p1], phi5[p1], because no array has free cells for these scalars [-Rpass=orthant]
// %s:4:3: remark: the new loops run if (p1 >= 16) && (p0 >= 1) [something to do] [-Rpass-analysis=orthant]
// %s:9:18: remark: the new loops run if A0 is of moderate size [moderate size, %s:9:18] [-Rpass-analysis=orthant]
// %s:9:31: remark: the new loops run if A1 is of moderate size [moderate size, %s:9:31] [-Rpass-analysis=orthant]
// %s:10:20: remark: the new loops run if A2 is of moderate size [moderate size, %s:10:20] [-Rpass-analysis=orthant]
// %s:4:3: remark: the new loops run if phi3_x has at most 21824 bytes [moderate size] [-Rpass-analysis=orthant]
// %s:4:3: remark: the new loops run if phi4_x has at most 21824 bytes [moderate size] [-Rpass-analysis=orthant]
// %s:4:3: remark: the new loops run if phi5_x has at most 21824 bytes [moderate size] [-Rpass-analysis=orthant]
// %s:15:3: remark: loop nest optimized: T(S0): (i0, i0 + i1, i0 + i2); band (i0, i0 + i1, i0 + i2): permutable, tiled 32 x 16 x -, 8 rows written out, each one iteration behind the one before, innermost loop serial [-Rpass=orthant]
// %s:15:3: remark: the new loops run if (p1 >= 34) && (p0 >= 1) [something to do] [-Rpass-analysis=orthant]
// %s:18:20: remark: the new loops run if A0 is of moderate size [moderate size, %s:18:20] [-Rpass-analysis=orthant]
