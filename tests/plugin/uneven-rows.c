// test: clang -O3 -march=x86-64-v4 -mllvm -orthant-least-length=40 -mllvm -orthant-print-after=schedule -c %s -o /dev/null
// Vector loops over rows that are not equally long end where the processor does not foresee it: with 100 rows they are slower than
// LLVM's own loops, whose sums run side by side. With 400 the cells are in registers.
#define LU(N)                                                                                                          \
  void lu##N(double a[N][N]) {                                                                                         \
    for (int i = 0; i < N; i++) {                                                                                      \
      for (int j = 0; j < i; j++) {                                                                                    \
        for (int k = 0; k < j; k++)                                                                                    \
          a[i][j] -= a[i][k] * a[k][j];                                                                                \
        a[i][j] /= a[j][j];                                                                                            \
      }                                                                                                                \
      for (int j = i; j < N; j++)                                                                                      \
        for (int k = 0; k < i; k++)                                                                                    \
          a[i][j] -= a[i][k] * a[k][j];                                                                                \
    }                                                                                                                  \
  }

LU(100)
LU(400)
// CHECK: orthant: schedule: lu100
// CHECK-NEXT: kept: its loops have so few iterations
// CHECK: orthant: schedule: lu400
// CHECK: in registers, innermost loop distributed
