// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 12 of paper 002: the inner loop is bounded by the outer one, which is not, if n < 0.
void f(unsigned n, long *restrict A) {
  for (unsigned i = 0; i != n; i++)
    for (unsigned j = 0; j < i; j++)
      A[i] += j;
}
// output:
// orthant: assume: f
// bounded loop: the loop ends
//   assumed never [n] -> {  : n < 0 }
//   left    implied
// no wrap: bounds and conditions do not wrap
//   assumed never [n] -> {  : n = -2147483648 }
//   left    implied
// check:
//   n >= 2
