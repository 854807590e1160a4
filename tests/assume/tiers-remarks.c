// test: clang -O2 -g -Rpass=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// Each version is named with its condition.
void two(int n, double *a, double *b, double *A, double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        b[(i * n + j) * n + k] = 2 * a[(i * n + j) * n + k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
// output:
// %s:4:3: remark: loop nest optimized: T(S0): (0, i0, i1, i2); T(S1): (1, i2, i0, i1); band (i0, i1, i2): permutable, coincident i0 and i1 and i2, innermost loop parallel; band (i2, i0, i1): permutable, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel [-Rpass=orthant]
// %s:4:3: remark: loop nest optimized where arrays overlap: T(S0): (0, i0, i1, i2); T(S1): (1, i2, i0, i1); band (i2): innermost loop serial; band (i2, i0, i1): permutable, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel [-Rpass=orthant]
// %s:4:3: remark: the new loops run if n >= 1 [something to do] [-Rpass-analysis=orthant]
// %s:11:25: remark: the new loops run if A_2 is of moderate size [moderate size, %s:11:25] [-Rpass-analysis=orthant]
// %s:11:40: remark: the new loops run if B_3 is of moderate size [moderate size, %s:11:40] [-Rpass-analysis=orthant]
// %s:11:22: remark: the new loops run if C_4 is of moderate size [moderate size, %s:11:22] [-Rpass-analysis=orthant]
// %s:7:38: remark: the new loops run if a_0 is of moderate size [moderate size, %s:7:38] [-Rpass-analysis=orthant]
// %s:7:32: remark: the new loops run if b_1 is of moderate size [moderate size, %s:7:32] [-Rpass-analysis=orthant]
// %s:11:22: remark: the new loops run if A_2 and C_4 do not overlap [no overlap, %s:11:22] [-Rpass-analysis=orthant]
// %s:11:22: remark: the new loops run if B_3 and C_4 do not overlap [no overlap, %s:11:22] [-Rpass-analysis=orthant]
// %s:7:32: remark: the new loops run if b_1 and A_2 do not overlap [no overlap, %s:7:32] [-Rpass-analysis=orthant]
// %s:7:32: remark: the new loops run if b_1 and B_3 do not overlap [no overlap, %s:7:32] [-Rpass-analysis=orthant]
// %s:11:22: remark: the new loops run if a_0 and C_4 do not overlap [no overlap, %s:11:22] [-Rpass-analysis=orthant]
// %s:11:22: remark: the new loops run if b_1 and C_4 do not overlap [no overlap, %s:11:22] [-Rpass-analysis=orthant]
// %s:7:32: remark: the faster of the new loops run if a_0 and b_1 do not overlap [no overlap, %s:7:32] [-Rpass-analysis=orthant]
