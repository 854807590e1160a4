// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-delicm=false -mllvm -orthant-print-after=delicm,schedule -c %s -o /dev/null
// Without it the sum keeps the loops as they are.
void three(double *restrict C, const double *restrict A, const double *restrict B) {
  for (long i = 0; i < 2000; i++) {
    double c = 0;
    for (long k = 0; k < 2000; k++)
      c += A[i] * B[k];
    C[i] = c;
  }
}
// output:
// orthant: schedule: three
// kept: no other order keeps all dependences and looks better
