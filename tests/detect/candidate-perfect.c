// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
#define N 1000
double A[N][N], B[N][N], C[N][N];

void gemm(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
// output:
// %s:6:3: remark: loop nest of depth 3 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: gemm
//   %s:6:3: candidate, depth 3, 3 loops
