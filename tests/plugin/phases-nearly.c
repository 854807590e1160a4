// test: clang -O3 -fno-discard-value-names -mllvm -orthant-print-after=detect -mllvm -orthant-stop-after=lift -fno-caret-diagnostics -c %s -o /dev/null
// Nearly turns: the data decide whether buffers change places; they move on; the loop may be left in between; there are five of them.
void if_large(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
    if (b[1] > 2) {
      double *other = a;
      a = b;
      b = other;
    }
  }
}
void moves_on(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
    double *other = a + 1;
    a = b;
    b = other;
  }
}
void left_in_between(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
    if (b[1] > 2)
      break;
    double *other = a;
    a = b;
    b = other;
  }
}
void five(int steps, int n, double *a, double *b, double *c, double *d, double *e) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
    double *other = a;
    a = b;
    b = c;
    c = d;
    d = e;
    e = other;
  }
}
// CHECK: detect: if_large
// CHECK: rejected, depth 2, 2 loops
// CHECK: detect: moves_on
// CHECK: rejected, depth 2, 2 loops
// CHECK: detect: left_in_between
// CHECK: rejected, depth 2, 2 loops
// CHECK: detect: five
// CHECK: rejected, depth 2, 2 loops
