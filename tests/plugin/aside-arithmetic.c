// test: clang -O3 -S -emit-llvm %s -o -
// What is computed for new loops from sizes is computed in their function: LLVM would not know what an argument with
// a row's length in bytes has to do with one with its number of cells.
void add(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i] += b[j][i];
}
// CHECK: define internal {{.*}}@add.orthant.loops(i32 {{[^,]+}}, ptr {{[^,]+}}, ptr {{[^,)]+}})
