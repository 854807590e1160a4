// test: clang -O2 -mllvm -orthant-least-length=40 -mllvm -orthant-machine=generic -Rpass=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// Short rows overlap in the processor without being written out. How long they must be depends on how long an iteration waits.
void running_sums(int n, double (*restrict a)[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] += a[i][j - 1];
}
void smoothed(int n, double a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = 0.9 * a[i][j - 1] + 0.1 * a[i][j];
}
void divided(int n, double a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = a[i][j] / (a[i][j - 1] + 2);
}
void own_products(int n, double *restrict s, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s[i] += a[i][j] * b[i][j];
}
// What rows share they load once, however short they are.
void shared(int n, double *restrict s, double a[n][n], double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s[i] += a[i][j] * b[j];
}
// Rows that become fewer: many strips have edges.
void orthogonal(int n, int m, double a[n][m], double (*restrict r)[n]) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      for (int j = 0; j < m; j++)
        r[k][i] += a[k][j] * a[i][j];
      for (int j = 0; j < m; j++)
        a[i][j] -= r[k][i] * a[k][j];
    }
}
// The same where rows wait for each other otherwise.
void factors(int count, int n, double a[count][n][n]) {
  for (int t = 0; t < count; t++)
    for (int j = 0; j < n; j++)
      for (int i = j + 1; i < n; i++) {
        for (int k = 0; k < j; k++)
          a[t][i][j] -= a[t][i][k] * a[t][j][k];
        a[t][i][j] /= a[t][j][j];
      }
}
// A vector of small cells has many.
void paths(int n, int d[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
// Columns that are gathered must serve several blocks of rows.
void distances(int n, int k, int m, double x[n][m], double c[k][m], double (*restrict d)[k]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      for (int l = 0; l < m; l++)
        d[i][j] += (x[i][l] - c[j][l]) * (x[i][l] - c[j][l]);
}
// output:
// %s:4:3: remark: loop nest optimized: T(S0): (i0, i1); band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial [-Rpass=orthant]
// %s:4:3: remark: the new loops run if p0 >= 129 [something to do] [-Rpass-analysis=orthant]
// %s:6:18: remark: the new loops run if A0 is of moderate size [moderate size, %s:6:18] [-Rpass-analysis=orthant]
// %s:9:3: remark: loop nest optimized: T(S0): (i0, i1); band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial [-Rpass=orthant]
// %s:9:3: remark: the new loops run if p0 >= 65 [something to do] [-Rpass-analysis=orthant]
// %s:11:23: remark: the new loops run if A0 is of moderate size [moderate size, %s:11:23] [-Rpass-analysis=orthant]
// %s:14:3: remark: loop nest optimized: T(S0): (i0, i1); band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial [-Rpass=orthant]
// %s:14:3: remark: the new loops run if p0 >= 31 [something to do] [-Rpass-analysis=orthant]
// %s:16:17: remark: the new loops run if A0 is of moderate size [moderate size, %s:16:17] [-Rpass-analysis=orthant]
// %s:19:3: remark: loop nest optimized: T(S0): (i0, i1); band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial [-Rpass=orthant]
// %s:19:3: remark: the new loops run if p0 >= 64 [something to do] [-Rpass-analysis=orthant]
// %s:21:15: remark: the new loops run if A0 is of moderate size [moderate size, %s:21:15] [-Rpass-analysis=orthant]
// %s:21:25: remark: the new loops run if A1 is of moderate size [moderate size, %s:21:25] [-Rpass-analysis=orthant]
// %s:25:3: remark: loop nest optimized: T(S0): (i0, i1); band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial [-Rpass=orthant]
// %s:25:3: remark: the new loops run if p0 >= 16 [something to do] [-Rpass-analysis=orthant]
// %s:27:15: remark: the new loops run if A0 is of moderate size [moderate size, %s:27:15] [-Rpass-analysis=orthant]
// %s:31:3: remark: loop nest optimized: T(S0): (i0, 0, i0 + i1, i2); T(S1): (i0, 1, i0 + i1, i2); band (i0 + i1, i2): permutable, 8 rows written out, coincident i0 + i1, innermost loop serial; band (i0 + i1, i2): permutable, 8 rows written out, coincident i0 + i1 and i2, innermost loop parallel [-Rpass=orthant]
// %s:31:3: remark: the new loops run if (p1 >= 12) && (p0 >= 257) [something to do] [-Rpass-analysis=orthant]
// %s:34:20: remark: the new loops run if A0 is of moderate size [moderate size, %s:34:20] [-Rpass-analysis=orthant]
// %s:34:17: remark: the new loops run if A1 is of moderate size [moderate size, %s:34:17] [-Rpass-analysis=orthant]
// %s:41:3: remark: loop nest optimized: T(S0): (i0, i1, 0, i1 + i2, i3); T(S1): (i0, i1, 1, i1 + i2); band (i1 + i2, i3): permutable, 8 rows written out, coincident i1 + i2, innermost loop serial; band (i1 + i2): coincident i1 + i2, innermost loop parallel [-Rpass=orthant]
// %s:41:3: remark: the new loops run if (p1 >= 258) && (p0 >= 1) [something to do] [-Rpass-analysis=orthant]
// %s:45:25: remark: the new loops run if A0 is of moderate size [moderate size, %s:45:25] [-Rpass-analysis=orthant]
// %s:51:3: remark: loop nest optimized: T(S0): (i0, i1, i2); band (i1, i2): permutable, innermost loop split at an iteration, innermost loop parallel [-Rpass=orthant]
// %s:51:3: remark: the new loops run if p0 >= 16 [something to do] [-Rpass-analysis=orthant]
// %s:54:19: remark: the new loops run if A0 is of moderate size [moderate size, %s:54:19] [-Rpass-analysis=orthant]
// %s:58:3: remark: loop nest optimized: T(S0): (i2, i0, i1); band (i2, i0, i1): permutable, tiled 256 x 168 x -, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel [-Rpass=orthant]
// %s:58:3: remark: the new loops run if (((p2 >= 1) && (p1 >= 1)) && (((p2 + p1) + p0) >= 32)) && (p0 >= 18) [something to do] [-Rpass-analysis=orthant]
// %s:61:21: remark: the new loops run if A0 is of moderate size [moderate size, %s:61:21] [-Rpass-analysis=orthant]
// %s:61:31: remark: the new loops run if A1 is of moderate size [moderate size, %s:61:31] [-Rpass-analysis=orthant]
// %s:61:17: remark: the new loops run if A2 is of moderate size [moderate size, %s:61:17] [-Rpass-analysis=orthant]
