// test: clang -O2 -march=x86-64-v4 -mllvm -orthant-parallel -mllvm -orthant-threads=2 -mllvm -orthant-print-after=schedule -c %s -o /dev/null
// test: clang -O2 -march=x86-64-v4 -mllvm -orthant-parallel -mllvm -orthant-threads=32 -mllvm -orthant-print-after=schedule -c %s -o /dev/null
// Copies for the iterations of a strip, which run in one thread, are better than two threads, each with one copy, and worse than 32.
double line[160], A[140][150][160], C[160][160];
void times(void) {
  for (int r = 0; r < 140; r++)
    for (int q = 0; q < 150; q++) {
      for (int p = 0; p < 160; p++) {
        line[p] = 0;
        for (int s = 0; s < 160; s++)
          line[p] += A[r][q][s] * C[s][p];
      }
      for (int p = 0; p < 160; p++)
        A[r][q][p] = line[p];
    }
}
// output:
// orthant: schedule: times
// T(S0): (0, i0, i1, 0, i2, i3)
// T(S1): (0, i0, i1, 1, i4, i2, i3)
// T(S2): (0, i0, i1, 2, i2, i3)
// T(A0_last): (1, i0)
// band (i2, i3): permutable, coincident i2 and i3, innermost loop parallel
// band (i4, i2, i3): permutable, 8 x 24 in registers, coincident i2 and i3, innermost loop parallel
// band (i2, i3): permutable, coincident i2 and i3, innermost loop parallel
// band (i0): coincident i0, innermost loop parallel
// scratch memory on the stack: A0 as A0_x[8][160], because each iteration of a loop fills it anew, of which 8 run at once
// about 32.8 times the speed
// orthant: schedule: times
// T(S0): (i0, i1, 0, i2)
// T(S1): (i0, i1, 1, i3, i2)
// T(S2): (i0, i1, 2, i2)
// band (i2): coincident i2, innermost loop parallel
// band (i3, i2): permutable, 8 rows written out, coincident i2, innermost loop parallel
// band (i2): coincident i2, innermost loop parallel
// about 29.6 times the speed
