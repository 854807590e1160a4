// test: clang -O2 -g -mllvm -orthant-assumptions=none -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=detect -c %s -o /dev/null
// Without assumptions only the second function can be modelled.
void copy(int n, double *a, const double *b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}

void copy_apart(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
// output:
// orthant: detect: copy
//   %s:4:3: rejected, depth 1, 1 loops
//     assumptions-off: %s:4:3: it would have to be assumed that b and a do not overlap (no overlap)
// orthant: detect: copy_apart
//   %s:9:3: candidate, depth 1, 1 loops
