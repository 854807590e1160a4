// test: clang -O2 -g -fno-strict-aliasing -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Figure 1 of paper 002, and Figure 2: bounds in memory, which must not wrap and not be overwritten; subscripts that must
// stay inside their dimensions: `grid[1] + 1 <= IMAX`. Rows of 5 cells alone would need no assumption, but then j and i together are the
// number of a row, and the same row might come again.
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
// in bounds: the subscripts of rhs stay inside their dimensions
//   assumed never [p1, p0] -> {  : p1 >= 32 }
//   left    [p1, p0] -> {  : p1 <= 31 }
// invariant load: what is loaded here does not change: rhs and grid do not overlap
//   assumed rhs_0 apart from grid_1
// check:
//   p1 >= 0
//   && p1 <= 31
//   && (&rhs_0[((p0 <= -1) ? 1 : (p0 + 1))][0][0] <= &grid_1[0] || &grid_1[2] <= &rhs_0[0][0][0])
