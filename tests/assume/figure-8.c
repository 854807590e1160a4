// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 8 of paper 002: loads that give one value, if A is apart from them. What is written depends on what is loaded.
void add(const int *UB, const int *Idx, int *A, const int *B) {
  for (int i = 0; i < UB[0]; i += 1)
    A[Idx[0] + i] += B[i];
}
// output:
// orthant: assume: add
// no overlap: B and A do not overlap
//   assumed B_0 apart from A_1
// invariant load: what is loaded here does not change: A and Idx do not overlap
//   assumed A_1 apart from Idx_2
// invariant load: what is loaded here does not change: A and UB do not overlap
//   assumed A_1 apart from UB_3
// check:
//   (&B_0[((p0 <= 0) ? 1 : p0)] <= &A_1[p1] || &A_1[((p0 <= 0) ? (p1 + 1) : (p1 + p0))] <= &B_0[0])
//   && (&A_1[((p0 <= 0) ? (p1 + 1) : (p1 + p0))] <= &Idx_2[0] || &Idx_2[1] <= &A_1[p1])
//   && (&A_1[((p0 <= 0) ? (p1 + 1) : (p1 + p0))] <= &UB_3[0] || &UB_3[1] <= &A_1[p1])
