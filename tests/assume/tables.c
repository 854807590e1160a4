// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Section 4.6 of paper 002 where subscripts are not affine: what can be touched of a variable is the variable, and what a byte can reach
// is 256 cells. Numbers of another type are elsewhere, by the rules of C.
static double weights[100];

void gather(int n, double *a, const int *at) {
  for (int i = 0; i < n; i++)
    a[i] = weights[at[i]];
}

void map(int n, unsigned char *a, const unsigned char *at, const unsigned char *table) {
  for (int i = 0; i < n; i++)
    a[i] = table[at[i]];
}
// output:
