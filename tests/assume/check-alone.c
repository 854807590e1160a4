// test: clang -O2 -mllvm -orthant-least-length=40 -mllvm -orthant-machine=generic -Rpass=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// A sum of floating-point numbers gains nothing from a check alone: LLVM has what it stored at hand for the next term.
void rotated(int n, double r[3][3], double (*x)[3], double (*y)[3]) {
  for (int p = 0; p < n; p++)
    for (int i = 0; i < 3; i++) {
      y[p][i] = 0;
      for (int j = 0; j < 3; j++)
        y[p][i] += r[i][j] * x[p][j];
    }
}
// output:
// %s:4:3: remark: loop nest keeps its order: the best order found is not clearly better: about 1.2 times the speed [-Rpass-analysis=orthant]
