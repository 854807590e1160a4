// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 1 of paper 002, and Figure 2: bounds in memory, which must not wrap and not be overwritten; subscripts that must
// stay inside their dimensions.
#define JMAX 64
#define IMAX 32
void compute_rhs(const int *grid, double (*rhs)[IMAX][5]) {
  for (int j = 0; j < grid[0] + 1; j++)
    for (int i = 0; i < grid[1] + 1; i++)
      for (int m = 0; m < 5; m++)
        rhs[j][i][m] = 3;
}
// output:
// orthant: assume: compute_rhs
// check:
//   p1 >= 0
