// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Section 4.1 of paper 002 where the bound is in the array that is written: parameters say whether it is overwritten.
struct row {
  int n, a[100];
};

void clear(struct row *r, int from) {
  for (int i = 0; i < r->n; i++)
    r->a[from + i] = 0;
}
// output:
// orthant: assume: clear
// invariant load: what is loaded here is not overwritten
//   assumed never [from, p0] -> {  : (from < 0 and p0 >= -from) or (from = -1 and p0 <= 0) }
//   left    [from, p0] -> {  : from >= 0 or (from <= -2 and p0 < -from) }
// check:
//   (from >= 0) || ((from <= -2) && ((from + p0) <= -1))
