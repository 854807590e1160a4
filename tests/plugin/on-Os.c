// test: clang -Os -Rpass-analysis=orthant -c %s -o /dev/null
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// output:
// %s:3:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
//     3 |   for (long i = 0; i < n; i++)
//       |   ^
// %s:8:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
//     8 |   for (long i = 0; i < n; i++)
//       |   ^
