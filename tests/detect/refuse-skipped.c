// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
__attribute__((annotate("orthant_skip"))) void left_alone(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}

void looked_at(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// %s:3:3: remark: loop nest not optimized: the function is excluded by an annotation or by -orthant-only [-Rpass-missed=orthant]
// %s:3:3: remark: the function is excluded by an annotation or by -orthant-only; remove the orthant_skip annotation, or widen -orthant-only [-Rpass-analysis=orthant]
// orthant: detect: left_alone
//   %s:3:3: rejected, depth 1, 1 loops
//     skipped: %s:3:3: the function is excluded by an annotation or by -orthant-only
// %s:8:3: remark: loop nest of depth 1 can be modelled [-Rpass-analysis=orthant]
// orthant: detect: looked_at
//   %s:8:3: candidate, depth 1, 1 loops
