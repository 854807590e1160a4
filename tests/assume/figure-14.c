// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 14 of paper 002: the end of what is touched is 5 * ((N - 1) / 5) + 5 if one wants to know it exactly.
void f(int N, double *A, const double *B) {
  for (int i = 0; i < N; i += 5) {
    A[i + 0] += B[i + 0];
    A[i + 1] -= B[i + 1];
    A[i + 2] += B[i + 2];
    A[i + 3] -= B[i + 3];
    A[i + 4] += B[i + 4];
  }
}
// output:
// orthant: assume: f
// no overlap: B and A do not overlap
//   assumed B_0 apart from A_1
// check:
//   N >= 1
//   && (&B_0[(N + 4) / 5][0] <= &A_1[0][0] || &A_1[(N + 4) / 5][0] <= &B_0[0][0])
