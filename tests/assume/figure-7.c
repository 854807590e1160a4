// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 7 of paper 002, with sizes of 100: where nothing is executed, sizes do not matter. The paper limits the columns of B, too; here
// B is only read, so that it does not matter which of its cells are the same, and it stays one long row.
void transpose(int N, int M, double (*restrict A)[100], double (*restrict B)[100]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      A[j][i] = B[i][j];
}
// output:
// orthant: assume: transpose
// in bounds: the subscripts of A stay inside their dimensions
//   assumed never [M, N] -> {  : M > 0 and N >= 101 }
//   left    [M, N] -> {  : N <= 100 }
// check:
//   (M >= 1) && (N >= 1)
//   && N <= 100
