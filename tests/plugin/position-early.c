// test: clang -mllvm -orthant-position=early -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -O2 -c %s -o /dev/null
// Early, the helper is still a call, and nothing is known of it yet.
static double twice(double x);

void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = twice(a[i]);
}

static double twice(double x) { return 2 * x; }
// output:
// orthant: detect: f
//   unknown place: rejected, depth 1, 1 loops
//     call-with-side-effects: unknown place: call to twice may have side effects
