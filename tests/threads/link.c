// test: orthant cc -O2 -orthant-parallel -orthant-parallel-always %s -o %t
// test: OMP_NUM_THREADS=2 run %t
// The command links a runtime.
#include <stdio.h>
static double a[400];
void fill(int n) {
  for (int i = 0; i < n; i++)
    a[i] = i * 0.5;
}
int main(void) {
  fill(400);
  printf("%g %g\n", a[1], a[399]);
}
// output:
// 0.5 199.5
