// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 9 of paper 002: a subscript of 8 bits, which comes back to 0.
void shift(int N, double *restrict A) {
  for (int i = 0; i < N; i++)
    A[(unsigned char)(i + 7)] = A[(unsigned char)i];
}
// output:
// orthant: assume: shift
// no wrap: subscripts do not wrap
//   assumed never [N] -> {  : N >= 129 }
//   left    implied
// no wrap: subscripts do not wrap
//   assumed never [N] -> {  : N >= 122 }
//   left    [N] -> {  : N <= 121 }
// check:
//   N >= 1
//   && N <= 121
