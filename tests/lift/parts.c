// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// All parts of a complex number are loaded before the first one is stored: each is a statement of its own all the same.
struct complex {
  double re, im;
};

void scale(long n, struct complex *restrict y, const struct complex *restrict x, double a, double b) {
  for (long i = 0; i < n; i++) {
    struct complex z = y[i];
    double re = z.re + (a * x[i].re - b * x[i].im), im = z.im + (a * x[i].im + b * x[i].re);
    y[i].re = re;
    y[i].im = im;
  }
}
// CHECK: scop scale
// CHECK: stmt S0
// CHECK: write {{.*}}S0[i0] -> A{{.}}[i0, 0]
// CHECK: stmt S1
// CHECK: write {{.*}}S1[i0] -> A{{.}}[i0, 1]

// These are not parts of one number: the next iteration's number is where this one's second one is.
void neighbours(long n, double *restrict y, const double *restrict x) {
  for (long i = 0; i < n; i++) {
    double left = y[i], right = y[i + 1];
    y[i] = left + x[i];
    y[i + 1] = right * x[i];
  }
}
// CHECK: scop neighbours
// CHECK: write {{.*}}S1[i0] -> A0[i0]
// CHECK: write {{.*}}S1[i0] -> A0[1 + i0]
// CHECK-NOT: stmt S2
