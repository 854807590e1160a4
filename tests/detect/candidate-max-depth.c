// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// A doitgen-like nest: four deep, imperfect, with a scratch array.
#define N 120
double a[N][N][N], c4[N][N], sum[N];

void doitgen(void) {
  for (int r = 0; r < N; r++)
    for (int q = 0; q < N; q++) {
      for (int p = 0; p < N; p++) {
        sum[p] = 0;
        for (int s = 0; s < N; s++)
          sum[p] += a[r][q][s] * c4[s][p];
      }
      for (int p = 0; p < N; p++)
        a[r][q][p] = sum[p];
    }
}
// output:
// %s:7:3: remark: loop nest of depth 4 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: doitgen
//   %s:7:3: candidate, depth 4, 4 loops
