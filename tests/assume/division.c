// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// A quotient in a bound is a parameter. Nothing is assumed about its divisor: where that is 0, the program does not look at the
// quotient, or it is undefined.
void f(int n, int m, int d, long *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m / d; j++)
      a[i] += j;
}
// output:
// orthant: assume: f
// bounded loop: the loop ends
//   assumed never [p1, n] -> {  : n <= 0 }
//   left    implied
// no wrap: bounds and conditions do not wrap
//   assumed never [p1, n] -> {  : n < 0 }
//   left    implied
// check:
//   (p1 >= 1) && (n >= 1)
