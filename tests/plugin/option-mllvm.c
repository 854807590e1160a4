// test: clang -mllvm -orthant-only=^g$ -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -O2 -c %s -o /dev/null
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// output:
// orthant: detect: g
//   unknown place: candidate, depth 1, 1 loops
