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
