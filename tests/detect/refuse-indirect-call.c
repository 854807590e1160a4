// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void map(long n, double *a, double (*f)(double)) {
  for (long i = 0; i < n; i++)
    a[i] = f(a[i]);
}
// output:
// %s:3:3: remark: loop nest not optimized: call through a pointer [-Rpass-missed=orthant]
// %s:4:12: remark: call through a pointer; call the function directly, or hoist the choice of function out of the loops [-Rpass-analysis=orthant]
// orthant: detect: map
//   %s:3:3: rejected, depth 1, 1 loops
//     indirect-call: %s:4:12: call through a pointer
