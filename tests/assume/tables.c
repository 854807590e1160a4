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
// orthant: assume: gather
// no overlap: @weights and a do not overlap
//   assumed A1 apart from a_2
// check:
//   n >= 1
//   && (&A1[800] <= &a_2[0] || &a_2[n] <= &A1[0])
// orthant: assume: map
// no overlap: at and a do not overlap
//   assumed at_0 apart from a_2
// no overlap: table and a do not overlap
//   assumed table_1 apart from a_2
// check:
//   n >= 1
//   && (&at_0[n] <= &a_2[0] || &a_2[n] <= &at_0[0])
//   && (&table_1[256] <= &a_2[0] || &a_2[n] <= &table_1[0])
