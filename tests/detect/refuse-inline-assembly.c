// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void spin(long n, double *a) {
  for (long i = 0; i < n; i++) {
    a[i] += 1;
    __asm__ volatile("pause");
  }
}
// output:
// %s:3:3: remark: loop nest not optimized: inline assembly [-Rpass-missed=orthant]
// %s:5:5: remark: inline assembly; use an intrinsic, or move the assembly out of the loops [-Rpass-analysis=orthant]
// orthant: detect: spin
//   %s:3:3: rejected, depth 1, 1 loops
//     inline-assembly: %s:5:5: inline assembly
