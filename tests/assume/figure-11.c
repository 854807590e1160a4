// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 11 of paper 002: for LB > UB the loop goes round the end of its type.
void f(unsigned LB, unsigned UB, int *restrict A) {
  for (unsigned i = LB; i != UB; i += 1)
    A[i - LB] = 2;
}
// output:
// orthant: assume: f
// bounded loop: the loop ends
//   assumed never [UB, LB] -> {  : LB > UB }
//   left    implied
// no wrap: bounds and conditions do not wrap
//   assumed never [UB, LB] -> {  : LB <= -2147483649 + UB or LB >= 2147483648 + UB or (LB = -2147483648 and UB >= -2147483647) }
//   left    [UB, LB] -> {  : LB >= -2147483648 + UB and LB >= -2147483647 }
// check:
//   UB >= (LB + 1)
//   && (LB >= -2147483647) && ((LB + 2147483648) >= UB)
