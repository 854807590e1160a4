// test: clang -O3 -g -mllvm -orthant-tuned=%S/inputs/tuned.json -Rpass=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// Options for single nests from a file of `orthant tune`: for g as they are there, for f none, because its loops were changed.
double A[500][500], B[500][500], C[500][500];

void f(void) {
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++)
      A[j][i] = B[j][i] + 1;
}

void g(void) {
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++)
      A[j][i] = B[j][i] + C[j][i];
}

void h(void) {
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++)
      A[j][i] = B[j][i] * C[j][i];
}
// output:
// %s:6:3: remark: tuned: for other loops than these, and so not used: run `orthant tune` again [-Rpass-analysis=orthant]
// %s:6:3: remark: loop nest optimized: T(S0): (i1, i0); band (i1, i0): permutable, coincident i1 and i0, innermost loop parallel [-Rpass=orthant]
// %s:12:3: remark: tuned: least-gain=0 tiles=16,32 [-Rpass-analysis=orthant]
// %s:12:3: remark: loop nest optimized: T(S0): (i1, i0); band (i1, i0): permutable, tiled 16 x 32, coincident i1 and i0, innermost loop parallel [-Rpass=orthant]
// %s:18:3: remark: tuned: schedule=keep [-Rpass-analysis=orthant]
// %s:18:3: remark: loop nest keeps its order: the option schedule=keep says so [-Rpass-analysis=orthant]
