// test: clang -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -O2 -c %s -o /dev/null
// Late, the helper has been inlined.
static double twice(double x);

void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = twice(a[i]);
}

static double twice(double x) { return 2 * x; }
// output:
// orthant: detect: f
//   unknown place: candidate, depth 1, 1 loops
