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
