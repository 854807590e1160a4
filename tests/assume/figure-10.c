// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 10 of paper 002: equal models; p + 1 may wrap in the first program, i + 1 in the second does not.
void a(unsigned p, int *A) {
  for (unsigned i = p + 1; i < 10; i += 1)
    A[(int)(i - 1)] = A[(int)(i - 1)] + 1;
}

void b(unsigned p, int *A) {
  for (unsigned i = p; i < 9; i += 1)
    A[(int)i] = A[(int)i] + 1;
}
// output:
// orthant: assume: a
// no wrap: bounds and conditions do not wrap
//   assumed never [p] -> {  : p <= -2 or p = 2147483647 }
//   left    implied
// check:
//   (p >= -1) && (p <= 8)
// orthant: assume: b
// no wrap: bounds and conditions do not wrap
//   assumed never [p] -> {  : p < 0 }
//   left    implied
// check:
//   (p >= 0) && (p <= 8)
