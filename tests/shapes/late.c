// test: orthant explain --position=late %s
// test: clang -O3 -mllvm -orthant-position=late %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// What LLVM has done to offsets before the late position. `solve`: the product i*n is computed where the inner loop runs, and
// known to be 0 elsewhere. `product`: where there is nothing to add up, one memset clears the whole matrix.
#include "inputs/sum.h"
__attribute__((noinline)) void solve(int n, double L[n][n], double *x, const double *b) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
}

__attribute__((noinline)) void product(int n, int m, int l, double a[n][l], double b[l][m], double c[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] = 0;
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

int main(void) {
  fill();
  solve(30, (double(*)[30])other, memory, other + 1000);
  print_sum("solve");
  solve(30, (double(*)[30])memory, memory + 200, other);
  print_sum("inside");
  product(20, 21, 22, (double(*)[22])other, (double(*)[21])(other + 1000), (double(*)[21])memory);
  print_sum("product");
  product(20, 21, 0, (double(*)[1])other, (double(*)[21])other, (double(*)[21])memory);
  print_sum("cleared");
  product(20, 21, 22, (double(*)[22])memory, (double(*)[21])other, (double(*)[21])(memory + 100));
  print_sum("overlapping");
}
// CHECK: {{^}}solve
// CHECK: array L: double[][n]{{$}}
// CHECK: {{^}}product
// CHECK: array c: double[][m]{{$}}
// CHECK: array a: double[][l]{{$}}
// CHECK: array b: double[][m]{{$}}
// CHECK: solve [[SOLVE:[0-9a-f]+]]
// CHECK: inside [[INSIDE:[0-9a-f]+]]
// CHECK: product [[PRODUCT:[0-9a-f]+]]
// CHECK: cleared [[CLEARED:[0-9a-f]+]]
// CHECK: overlapping [[OVERLAPPING:[0-9a-f]+]]
// CHECK: solve [[SOLVE]]
// CHECK: inside [[INSIDE]]
// CHECK: product [[PRODUCT]]
// CHECK: cleared [[CLEARED]]
// CHECK: overlapping [[OVERLAPPING]]
// CHECK: solve [[SOLVE]]
// CHECK: inside [[INSIDE]]
// CHECK: product [[PRODUCT]]
// CHECK: cleared [[CLEARED]]
// CHECK: overlapping [[OVERLAPPING]]
