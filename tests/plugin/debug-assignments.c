// test: clang -O3 -g -mllvm -orthant-schedule=identity -c %s -o %T/new.o
// Debug information that links stores to variables survives the copy that is kept of each function on trial.
void use(double *);
double f(int n) {
  double a[64][64], b[64];
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < 64; i++)
      a[i][j] = i + 2 * j;
  for (int i = 0; i < 64; i++)
    b[i] = a[i][n];
  use(b);
  return b[n];
}
// output:
