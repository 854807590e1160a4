// test: clang -O2 -g -fno-strict-aliasing -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 1 of paper 002, and Figure 2: bounds in memory, which must not wrap and not be overwritten; subscripts that must
// stay inside their dimensions. The paper assumes `grid[1] + 1 <= IMAX`; here rows of 5 cells, which need no assumption, are enough to make
// all subscripts affine, and `j` and `i` together are the number of a row: its 32 is in the extent of the check.
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
// invariant load: what is loaded here does not change: rhs and grid do not overlap
//   assumed rhs_0 apart from grid_1
// check:
//   p1 >= 0
//   && (&rhs_0[((p0 <= -1) ? (p1 + 1) : ((p1 + (32 * p0)) + 1))][0] <= &grid_1[0] || &grid_1[2] <= &rhs_0[0][0])
