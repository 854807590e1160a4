// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void square(long n, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i * i; j++)
      a[j] += i;
}
// output:
// %s:3:3: remark: loop nest not optimized: the loop bound is not affine: (-1 + (1 umax {0,+,1,+,2}<%5>)) [-Rpass-missed=orthant]
// %s:4:5: remark: the loop bound is not affine: (-1 + (1 umax {0,+,1,+,2}<%5>)); make the bound a sum of counters and loop-invariant values, for example by computing it before the loops [-Rpass-analysis=orthant]
// %s:4:5: remark: loop nest of depth 1 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: square
//   %s:3:3: rejected, depth 2, 2 loops
//     non-affine-bound: %s:4:5: the loop bound is not affine: (-1 + (1 umax {0,+,1,+,2}<%5>))
//   %s:4:5: candidate, depth 1, 1 loops
